// What a pool keeps under its lock: its blocks, free and in use, and what threads keep of them.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/fork_mutex.hpp"
#include "device/pool.hpp"
#include "device/segments.hpp"
#include "device/size_classes.hpp"
#include "device/thread_blocks.hpp"

namespace asnumpy {
namespace pools {

using size_classes::kilobyte;
inline constexpr std::size_t gigabyte = 1024 * megabyte;

inline std::size_t slab_bytes(std::size_t c) {
    return std::clamp(size_classes::bytes(c) * 16, 64 * kilobyte, megabyte) / size_classes::bytes(c) * size_classes::bytes(c);
}

// Large sizes are rounded so that requests of nearly the same size reuse each other's blocks.
inline std::size_t round_large(std::size_t bytes) {
    const std::size_t unit = bytes <= megabyte ? 4 * kilobyte : bytes <= 16 * megabyte ? 64 * kilobyte : 2 * megabyte;
    return (bytes + unit - 1) / unit * unit;
}

inline std::string size_text(std::uint64_t bytes) {
    std::array<char, 32> text{};
    if (bytes < 10 * kilobyte) std::snprintf(text.data(), text.size(), "%llu bytes", static_cast<unsigned long long>(bytes));
    else if (bytes < megabyte) std::snprintf(text.data(), text.size(), "%.1f KB", static_cast<double>(bytes) / kilobyte);
    else if (bytes < gigabyte) std::snprintf(text.data(), text.size(), "%.1f MB", static_cast<double>(bytes) / megabyte);
    else std::snprintf(text.data(), text.size(), "%.2f GB", static_cast<double>(bytes) / gigabyte);
    return text.data();
}

struct OwnBlocks {
    ThreadBlocks* blocks = nullptr;
    bool ended = false;  // the thread ends: what dies later goes to the pool
};
inline constinit thread_local OwnBlocks own;

}  // namespace pools

struct Pool::Impl {
    struct Slab {
        Segments::Handle block;
        char* data;
        std::size_t bytes;
    };

    struct LargeBlock {
        Segments::Handle block;
        std::size_t bytes;  // as asked for, with the padding
    };

    // One size class. The free list lies outside the blocks: a device's memory is not the host's to write.
    struct SizeClass {
        std::vector<char*> free;  // capacity for every block of every slab, so that deallocate never allocates
        std::vector<Slab> slabs;
        std::size_t total = 0;    // blocks carved
    };

    Impl(const Pool& p, std::uint64_t total)
        : pool(p), backend(p.backend_), segments(backend), cache_bound(std::max<std::uint64_t>(pools::gigabyte, total / 2)) {}

    const Pool& pool;
    Backend& backend;
    const std::size_t padding = backend.padding();
    using Classes = std::array<SizeClass, size_classes::count>;

    mutable ForkMutex mutex{50};
    std::vector<std::unique_ptr<Classes>> classes;  // by stream
    Segments segments;
    std::unordered_map<char*, LargeBlock> large;  // the large blocks alive
    PoolFigures figures;                          // without `cached` and `peak`, and without what threads took of their own
    std::vector<std::unique_ptr<ThreadBlocks>> threads;  // that keep blocks; after a fork those that are no more, too
    std::uint64_t held_by_small = 0;               // bytes of the small blocks alive, as rounded
    std::uint64_t held_by_large = 0;
    std::uint64_t cache_bound;
    // As threads that have blocks of their own, and the other kinds of the device's memory see it, without the lock.
    struct {
        std::atomic<std::uint64_t> in_use{0}, held{0}, cached{0}, blocks{0};
    } shown;
    // Of the device, in its first pool.
    std::atomic<std::uint64_t> peak{0};
    ForkMutex bounding{51};                        // whoever compares with the limit and then takes, where there are several kinds

    void show() {
        shown.in_use.store(figures.in_use, std::memory_order_relaxed);
        shown.held.store(segments.held(), std::memory_order_relaxed);
        shown.cached.store(cached(), std::memory_order_relaxed);
        shown.blocks.store(figures.blocks, std::memory_order_relaxed);
    }

    std::size_t room(std::size_t bytes) const { return padding ? (bytes + padding - 1) / padding * padding + padding : bytes; }
    std::uint64_t cached() const { return segments.held() - held_by_small - held_by_large; }  // by the pool itself
    // Each allocation asks for this one figure, which takes a look at each thread; all of them take a look at all sizes that it keeps.
    std::uint64_t in_use() const {
        std::uint64_t sum = figures.in_use;
        for (const auto& thread : threads) sum += static_cast<std::uint64_t>(thread->in_use());
        return sum;
    }
    // With `cached`.
    PoolFigures with_threads() const {
        PoolFigures sum = figures;
        sum.cached = cached();
        for (const auto& thread : threads) {
            count_in(*thread, sum);
            sum.cached += thread->bytes();
        }
        return sum;
    }
    static void count_in(const ThreadBlocks& thread, PoolFigures& sum) {
        sum.in_use += static_cast<std::uint64_t>(thread.in_use());
        sum.blocks -= thread.blocks();
        sum.requests += thread.served();
        sum.hits += thread.served();
    }

    // Where the calling thread keeps blocks; nullptr where it cannot.
    ThreadBlocks* begin_thread() noexcept {
        struct End {
            Impl* pool = nullptr;
            ~End() { if (pool) pool->end_thread(); }
        };
        static thread_local End end;
        if (pools::own.ended) return nullptr;
        try {
            auto made = std::make_unique<ThreadBlocks>();
            const std::lock_guard guard(mutex);
            threads.push_back(std::move(made));
            pools::own.blocks = threads.back().get();
        } catch (const std::bad_alloc&) {
            return nullptr;  // the pool keeps its blocks
        }
        end.pool = this;
        return pools::own.blocks;
    }

    void end_thread() noexcept {
        const std::lock_guard guard(mutex);
        take_back(*pools::own.blocks);
        count_in(*pools::own.blocks, figures);
        std::erase_if(threads, [](const auto& thread) { return thread.get() == pools::own.blocks; });
        pools::own = {nullptr, true};
    }

    void take_back_all() noexcept {
        for (const auto& thread : threads) take_back(*thread);
    }
    void take_back(ThreadBlocks& blocks) noexcept {
        blocks.give_up([&](char* block, std::size_t c) {
            (*classes[0])[c].free.push_back(block);
            held_by_small -= size_classes::bytes(c);
            --figures.blocks;  // that they are free was counted by the thread alone
        });
    }

    Classes& classes_of(StreamId stream) {
        if (stream >= classes.size()) classes.resize(stream + std::size_t{1});
        if (!classes[stream]) classes[stream] = std::make_unique<Classes>();
        return *classes[stream];
    }

    char* allocate_small(std::size_t bytes, StreamId stream, bool& hit) {
        SizeClass& c = classes_of(stream)[size_classes::of(bytes)];
        if (c.free.empty()) {
            const std::size_t size = size_classes::bytes(size_classes::of(bytes));
            const std::size_t slab = pools::slab_bytes(size_classes::of(bytes)), blocks = slab / size;
            c.slabs.reserve(c.slabs.size() + 1);
            c.free.reserve(c.total + blocks);
            Segments::Handle block;
            if (!allocate_block(slab, stream, hit, block)) return nullptr;
            char* const data = Segments::data(block);
            c.slabs.push_back({block, data, slab});
            c.total += blocks;
            for (std::size_t i = blocks; i-- > 0;) c.free.push_back(data + i * size);
        }
        char* data = c.free.back();
        c.free.pop_back();
        held_by_small += size_classes::bytes(size_classes::of(bytes));
        return data;
    }

    char* allocate_large(std::size_t bytes, StreamId stream, bool& hit) {
        const std::size_t rounded = pools::round_large(bytes);
        auto node = large.extract(large.try_emplace(nullptr).first);  // taken first: after it nothing can throw
        large.reserve(large.size() + 1);
        if (!allocate_block(rounded, stream, hit, node.mapped().block)) return nullptr;
        char* const data = Segments::data(node.mapped().block);
        node.key() = data;
        node.mapped().bytes = bytes;
        held_by_large += Segments::bytes(node.mapped().block);
        large.insert(std::move(node));
        return data;
    }

    // A block from the cached segments of the stream, else from a new segment that the device and the limit allow, else
    // from any segment.
    bool allocate_block(std::size_t bytes, StreamId stream, bool& hit, Segments::Handle& block) {
        if (segments.take(bytes, stream, false, block)) return true;
        const std::size_t roomy = Segments::segment_bytes(bytes);
        const bool shared = roomy != bytes;
        if (grow(roomy, stream, shared)) {
            hit = false;
            return segments.take(bytes, stream, true, block);
        }
        if (segments.take(bytes, stream, true, block)) return true;
        free_cache();
        if (segments.take(bytes, stream, true, block)) return true;  // slabs that were given back have merged
        hit = false;
        return (grow(roomy, stream, shared) || (bytes < roomy && grow(bytes, stream, shared))) && segments.take(bytes, stream, true, block);
    }

    bool grow(std::size_t bytes, StreamId stream, bool shared) {
        // Rounded up, so that a limit smaller than a slab still lets small blocks in; they are counted by `in_use`.
        constexpr std::uint64_t unit = 2 * megabyte;
        const std::uint64_t most = pool.limit();
        if (most && segments.held() + pool.beside().held + bytes > (most + unit - 1) / unit * unit) return false;
        // A device that promises more than it has would kill the process when the memory is touched.
        if (bytes >= megabyte && bytes > backend.available_memory()) return false;
        return segments.grow(bytes, stream, shared);
    }

    // Slabs without a live block go back to their segments, then segments without one to the device.
    void free_cache() noexcept {
        take_back_all();
        for (const auto& one : classes)
            if (one) free_slabs(*one);
        segments.release_free();
    }

    void free_slabs(Classes& of_stream) noexcept {
        for (SizeClass& c : of_stream) {
            if (c.free.empty()) continue;
            std::sort(c.free.begin(), c.free.end());
            const std::size_t size = size_classes::bytes(static_cast<std::size_t>(&c - of_stream.data()));
            std::erase_if(c.slabs, [&](const Slab& slab) {
                const auto first = std::lower_bound(c.free.begin(), c.free.end(), slab.data);
                const auto last = std::lower_bound(first, c.free.end(), slab.data + slab.bytes);
                const std::size_t blocks = slab.bytes / size;
                if (static_cast<std::size_t>(last - first) != blocks) return false;
                c.free.erase(first, last);
                c.total -= blocks;
                segments.give(slab.block);
                return true;
            });
        }
    }

    std::string failure(std::size_t bytes) const {
        const PoolFigures own = with_threads();
        const Beside others = pool.beside();
        const std::uint64_t most = pool.limit();
        std::string text = "memory pool of " + backend.name() + ": cannot allocate " + pools::size_text(bytes) + "; in use " +
                           pools::size_text(own.in_use + others.in_use) + " in " + std::to_string(own.blocks + others.blocks) + " blocks, cached " +
                           pools::size_text(own.cached + others.cached) + ", limit " + (most ? pools::size_text(most) : std::string("none")) +
                           ", available on the device " + pools::size_text(backend.available_memory());
        std::vector<std::size_t> sizes;
        for (const auto& [data, held] : large) sizes.push_back(held.bytes);
        const auto shown = std::min<std::size_t>(sizes.size(), 5);
        std::partial_sort(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(shown), sizes.end(), std::greater<>());
        for (std::size_t i = 0; i < shown; ++i) text += (i ? ", " : "; largest blocks alive: ") + pools::size_text(sizes[i]);
        return text + "; delete arrays, work in smaller pieces" + (most ? " or raise the limit" : "");
    }
};

}  // namespace asnumpy
