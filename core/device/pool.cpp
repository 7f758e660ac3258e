// The pool: small blocks from per-class free lists carved out of slabs, large ones best-fit with splitting and merging.
#include "device/pool.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "base/error.hpp"
#include "device/damage.hpp"
#include "device/pool_state.hpp"
#include "device/trace.hpp"

namespace asnumpy {
namespace {
std::atomic<unsigned> pools_made{0};
}  // namespace

Pool::Pool(Backend& backend, Freed freed)
    : backend_(backend), first_(*this), host_visible_(backend.host_visible()), threads_keep_(freed == Freed::of_threads), total_memory_(backend.total_memory()), number_(pools_made++),
      impl_(std::make_unique<Impl>(*this, total_memory_)) {
    if (backend.damage()) work_fails_late = true;
}
Pool::Pool(Backend& backend, Pool& of)
    : backend_(backend), first_(of.first_), host_visible_(of.host_visible_), threads_keep_(false), total_memory_(of.total_memory_), number_(of.number_),
      impl_(std::make_unique<Impl>(*this, total_memory_)) {
    Pool* next = first_.next_.load(std::memory_order_acquire);
    do next_.store(next, std::memory_order_relaxed);
    while (!first_.next_.compare_exchange_weak(next, this, std::memory_order_acq_rel));
}

Pool::~Pool() {
    Pool* before = &first_;  // nobody else uses the device any more
    while (before && before->next_ != this) before = before->next_;
    if (before) before->next_ = next_.load();
}

template <class F> void Pool::each_kind(F&& f) const {
    for (Pool* one = &first_; one; one = one->next_.load(std::memory_order_acquire)) f(*one);
}

Pool::Beside Pool::beside() const {
    Beside sum;
    each_kind([&](const Pool& one) {
        if (&one == this) return;
        const auto& shown = one.impl_->shown;
        sum.in_use += shown.in_use.load(std::memory_order_relaxed);
        sum.held += shown.held.load(std::memory_order_relaxed);
        sum.cached += shown.cached.load(std::memory_order_relaxed);
        sum.blocks += shown.blocks.load(std::memory_order_relaxed);
    });
    return sum;
}

// A limit is watched by the pool itself.
bool Pool::keeps(std::size_t bytes) const { return threads_keep_ && bytes <= ThreadBlocks::largest && limit() == 0; }

void* Pool::allocate(std::size_t bytes, StreamId stream) {
    if (ThreadBlocks* const mine = keeps(bytes) ? pools::own.blocks : nullptr) {
        if (char* const block = mine->take(bytes)) {
            note_peak(impl_->shown.in_use.load(std::memory_order_relaxed) + static_cast<std::uint64_t>(mine->in_use()));
            trace::mark("allocate", "pool", bytes, "cached");
            return block;
        }
    }
    try {
        return take(bytes, stream);
    } catch (const MemoryError&) {
        bool given_up = first_.backend_.give_up_kept();
        each_kind([&](Pool& other) { given_up = (&other != this && other.free_cache()) || given_up; });
        if (!given_up) throw;
    }
    return take(bytes, stream);
}

void* Pool::take(std::size_t bytes, StreamId stream) {
    Impl& p = *impl_;
    std::lock_guard guard(p.mutex);
    const std::uint64_t most = limit();
    std::unique_lock<ForkMutex> bounding;
    if (most && has_kinds()) bounding = std::unique_lock(first_.impl_->bounding);
    const bool over = bytes > PTRDIFF_MAX / 2 || (most && p.in_use() + beside().in_use + bytes > most);
    bool hit = true;
    const std::size_t room = over ? 0 : p.room(bytes);
    char* data = over ? nullptr : room <= size_classes::largest ? p.allocate_small(room, stream, hit) : p.allocate_large(room, stream, hit);
    if (!data) {
        p.show();  // it may have given up its cache
        throw MemoryError(p.failure(bytes));
    }
    if (Damage* const damage = anything_damaged() ? backend_.damage() : nullptr) damage->heal(data, room);
    PoolFigures& f = p.figures;
    f.in_use += bytes;
    ++f.blocks;
    ++f.requests;
    f.hits += hit;
    p.show();
    note_peak(p.in_use() + (has_kinds() ? beside().in_use : 0));
    trace::mark("allocate", "pool", bytes, hit ? "cached" : "fresh");
    return data;
}

void Pool::note_peak(std::uint64_t now) {
    std::atomic<std::uint64_t>& peak = first_.impl_->peak;
    std::uint64_t before = peak.load(std::memory_order_relaxed);
    while (now > before && !peak.compare_exchange_weak(before, now, std::memory_order_relaxed)) {}
}

void Pool::deallocate(void* data, std::size_t bytes, StreamId stream) noexcept {
    if (!data) return;
    Impl& p = *impl_;
    if (keeps(bytes)) {
        ThreadBlocks* const mine = pools::own.blocks ? pools::own.blocks : p.begin_thread();
        if (mine && mine->keep(static_cast<char*>(data), bytes)) {
            trace::mark("deallocate", "pool", bytes);
            return;
        }
    }
    std::lock_guard guard(p.mutex);
    char* const block = static_cast<char*>(data);
    const std::size_t room = p.room(bytes);
    if (room <= size_classes::largest) {
        const std::size_t c = size_classes::of(room);
        (*p.classes[stream])[c].free.push_back(block);
        p.held_by_small -= size_classes::bytes(c);
    } else {
        const auto found = p.large.find(block);
        if (found == p.large.end() || found->second.bytes != room) {
            std::fprintf(stderr, "asnumpy: Pool::deallocate: %p is not an allocated block of %zu bytes\n", data, bytes);
            std::abort();
        }
        p.held_by_large -= Segments::bytes(found->second.block);
        p.segments.give(found->second.block);
        p.large.erase(found);
        if (p.cached() > p.cache_bound) p.segments.release_free(p.cached() - p.cache_bound);
    }
    p.figures.in_use -= bytes;
    --p.figures.blocks;
    p.show();
    trace::mark("deallocate", "pool", bytes);
}

std::uint64_t Pool::free_cache() noexcept {
    std::lock_guard guard(impl_->mutex);
    const std::uint64_t before = impl_->segments.held();
    impl_->free_cache();
    impl_->show();
    return before - impl_->segments.held();
}

void Pool::free_all_blocks() noexcept {
    trace::Span span("free_all_blocks", "pool");
    backend_.give_up_kept();
    std::uint64_t bytes = 0;
    if (&first_ == this) each_kind([&](Pool& one) { bytes += one.free_cache(); });
    else bytes = free_cache();
    span.set_bytes(bytes);
}

void Pool::set_limit(std::uint64_t bytes) {
    first_.limit_.store(bytes, std::memory_order_relaxed);
    std::uint64_t held = 0;
    each_kind([&](const Pool& one) { held += one.impl_->shown.held.load(std::memory_order_relaxed); });
    if (bytes && held > bytes) each_kind([](Pool& one) { one.free_cache(); });
}

PoolFigures Pool::figures() const {
    PoolFigures sum;
    each_kind([&](const Pool& one) {
        std::lock_guard guard(one.impl_->mutex);
        const PoolFigures f = one.impl_->with_threads();
        const Kept kept = one.backend_.kept();
        sum.in_use += f.in_use - kept.bytes;
        sum.blocks += f.blocks - kept.blocks;
        sum.cached += f.cached + kept.bytes;
        sum.requests += f.requests;
        sum.hits += f.hits;
    });
    sum.peak = first_.impl_->peak.load(std::memory_order_relaxed);
    return sum;
}

void Pool::reset_peak() {
    std::uint64_t in_use = 0;
    each_kind([&](const Pool& one) {
        const std::lock_guard guard(one.impl_->mutex);
        in_use += one.impl_->in_use();
    });
    first_.impl_->peak.store(in_use, std::memory_order_relaxed);
}

}  // namespace asnumpy
