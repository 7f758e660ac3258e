// Best fit, splitting and merging inside segments.
#include "device/segments.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "device/trace.hpp"

namespace asnumpy {
namespace {

constexpr std::size_t shared_limit = 4 * megabyte, shared_segment = 16 * megabyte;

std::size_t bin_of(std::size_t bytes) {
    const auto top = static_cast<unsigned>(std::bit_width(bytes)) - 1;  // sizes are at least 64
    return top * 8 + ((bytes >> (top - 3)) & 7);
}

}  // namespace

void Segments::Bins::insert(Block& b) noexcept {
    const std::size_t bin = bin_of(b.bytes);
    b.newer = nullptr;
    b.older = first[bin];
    if (b.older) b.older->newer = &b;
    first[bin] = &b;
    occupied[bin / 64] |= std::uint64_t{1} << (bin % 64);
}

void Segments::Bins::remove(Block& b) noexcept {
    const std::size_t bin = bin_of(b.bytes);
    if (b.older) b.older->newer = b.newer;
    if (b.newer) b.newer->older = b.older;
    else first[bin] = b.older;
    if (!first[bin]) occupied[bin / 64] &= ~(std::uint64_t{1} << (bin % 64));
}

Segments::Block* Segments::Bins::best_fit(std::size_t bytes) const {
    std::size_t bin = bin_of(bytes);
    while (true) {
        Block* best = nullptr;
        for (Block* b = first[bin]; b; b = b->older)
            if (b->bytes >= bytes && (!best || b->bytes < best->bytes)) best = b;
        if (best) return best;
        // The next bin that holds anything; all of its blocks fit.
        if (++bin == first.size()) return nullptr;
        std::size_t word = bin / 64;
        std::uint64_t bits = occupied[word] & (~std::uint64_t{0} << (bin % 64));
        while (!bits) {
            if (++word == occupied.size()) return nullptr;
            bits = occupied[word];
        }
        bin = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    }
}

Segments::~Segments() {
    for (const Segment& s : segments_) backend_.release(s.data, s.bytes);
}

std::size_t Segments::segment_bytes(std::size_t bytes) { return bytes < shared_limit ? shared_segment : bytes; }

Segments::Bins& Segments::bins_of(const Segment& s) { return (*bins_[s.stream])[s.shared ? 0 : 1]; }

bool Segments::take(std::size_t bytes, StreamId stream, bool any, Handle& block) {
    const std::size_t kind = bytes < shared_limit ? 0 : 1;
    const auto look = [&](const std::unique_ptr<Pair>& bins, std::size_t which) { return bins ? (*bins)[which].best_fit(bytes) : nullptr; };
    Block* found = nullptr;
    if (stream < bins_.size()) {
        found = look(bins_[stream], kind);
        if (!found && any) found = look(bins_[stream], 1 - kind);
    }
    for (std::size_t s = 0; any && !found && s < bins_.size(); ++s) {
        found = look(bins_[s], kind);
        if (!found) found = look(bins_[s], 1 - kind);
    }
    if (!found) return false;
    Bins& bins = bins_of(*found->segment);
    const std::size_t rest = found->bytes - bytes;
    if (rest >= std::max<std::size_t>(4096, bytes / 8)) {  // a smaller rest would only be a fragment
        const Handle tail = found->segment->blocks.emplace(std::next(found->self));
        *tail = Block{found->data + bytes, rest, true, found->segment, tail, nullptr, nullptr};
        bins.remove(*found);
        found->bytes = bytes;
        bins.insert(*tail);
    } else {
        bins.remove(*found);
    }
    found->free = false;
    found->segment->last_used = ++clock_;
    block = found->self;
    return true;
}

bool Segments::grow(std::size_t bytes, StreamId stream, bool shared) {
    trace::Span span("device_allocate", "pool", bytes);
    if (stream >= bins_.size()) bins_.resize(stream + std::size_t{1});
    if (!bins_[stream]) bins_[stream] = std::make_unique<Pair>();
    Segment& s = segments_.emplace_back();
    try {
        s.blocks.emplace_back();
        s.data = static_cast<char*>(backend_.allocate(bytes));
    } catch (...) {
        segments_.pop_back();
        throw;
    }
    if (!s.data) {
        segments_.pop_back();
        return false;
    }
    s.bytes = bytes;
    s.stream = stream;
    s.shared = shared;
    const Handle whole = s.blocks.begin();
    *whole = Block{s.data, bytes, true, &s, whole, nullptr, nullptr};
    bins_of(s).insert(*whole);
    s.last_used = ++clock_;
    held_ += bytes;
    return true;
}

void Segments::give(Handle block) noexcept {
    Segment& s = *block->segment;
    Bins& bins = bins_of(s);
    if (const Handle next = std::next(block); next != s.blocks.end() && next->free) {
        bins.remove(*next);
        block->bytes += next->bytes;
        s.blocks.erase(next);
    }
    if (block != s.blocks.begin()) {
        if (const Handle before = std::prev(block); before->free) {
            bins.remove(*before);
            before->bytes += block->bytes;
            s.blocks.erase(block);
            block = before;
        }
    }
    block->free = true;
    bins.insert(*block);
    s.last_used = ++clock_;
}

void Segments::release_free(std::uint64_t enough) noexcept {
    std::uint64_t released = 0;
    while (released < enough) {
        auto oldest = segments_.end();
        for (auto s = segments_.begin(); s != segments_.end(); ++s) {
            const bool unused = s->blocks.size() == 1 && s->blocks.front().free;
            if (unused && (oldest == segments_.end() || s->last_used < oldest->last_used)) oldest = s;
        }
        if (oldest == segments_.end()) return;
        bins_of(*oldest).remove(oldest->blocks.front());
        backend_.release(oldest->data, oldest->bytes);
        held_ -= oldest->bytes;
        released += oldest->bytes;
        segments_.erase(oldest);
    }
}

}  // namespace asnumpy
