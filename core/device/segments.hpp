// The large blocks of a pool: segments from the device, split best-fit and merged again. Not locked; the pool is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <memory>
#include <vector>

#include "device/backend.hpp"

namespace asnumpy {

inline constexpr std::size_t megabyte = 1024 * 1024;

class Segments {
    struct Segment;
    struct Block;

public:
    using Handle = std::list<Block>::iterator;  // one live block; valid until it is given back

    explicit Segments(Backend& backend) : backend_(backend) {}
    ~Segments();
    Segments(const Segments&) = delete;
    Segments& operator=(const Segments&) = delete;

    // The size of the segment to ask the device for, for a block of so many bytes.
    static std::size_t segment_bytes(std::size_t bytes);

    // A block of at least `bytes` (a multiple of 64) from the cached ones into `block`; false when none fits. Unless
    // `any`, blocks come from segments of the stream, and those of less than 4 MB from shared ones, so that they do not
    // break up the large ones.
    bool take(std::size_t bytes, StreamId, bool any, Handle& block);
    // A new segment, shared by small blocks or made for one large block; false when the device has no memory left.
    bool grow(std::size_t bytes, StreamId, bool shared);
    void give(Handle) noexcept;
    // Gives free segments back to the device, least recently used first, until `enough` bytes are gone.
    void release_free(std::uint64_t enough = std::numeric_limits<std::uint64_t>::max()) noexcept;

    std::uint64_t held() const { return held_; }
    static char* data(Handle h);
    static std::size_t bytes(Handle h);

private:
    // Free blocks by size: eight bins per power of two, each a list with the latest first.
    struct Bins {
        std::array<Block*, 64 * 8> first{};
        std::array<std::uint64_t, 8> occupied{};

        void insert(Block&) noexcept;
        void remove(Block&) noexcept;
        Block* best_fit(std::size_t bytes) const;
    };

    using Pair = std::array<Bins, 2>;  // of shared segments, of segments made for one large block

    Bins& bins_of(const Segment&);

    Backend& backend_;
    std::list<Segment> segments_;
    std::vector<std::unique_ptr<Pair>> bins_;  // by stream
    std::uint64_t held_ = 0;
    std::uint64_t clock_ = 0;
};

struct Segments::Block {
    char* data = nullptr;
    std::size_t bytes = 0;
    bool free = true;
    Segment* segment = nullptr;
    Handle self{};
    Block* newer = nullptr;  // neighbours in the bin
    Block* older = nullptr;
};

struct Segments::Segment {
    char* data = nullptr;
    std::size_t bytes = 0;
    StreamId stream = 0;
    bool shared = false;
    std::list<Block> blocks{};  // in order of address, no two free neighbours
    std::uint64_t last_used = 0;
};

inline char* Segments::data(Handle h) { return h->data; }
inline std::size_t Segments::bytes(Handle h) { return h->bytes; }

}  // namespace asnumpy
