// The caching allocator of one backend: size classes for small blocks, splitting and merging of large ones.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "device/backend.hpp"

namespace asnumpy {

struct PoolFigures {
    std::uint64_t in_use = 0;     // bytes handed out
    std::uint64_t cached = 0;     // bytes kept free for reuse
    std::uint64_t peak = 0;       // most bytes ever handed out at once; with several threads, to within what these keep
    std::uint64_t blocks = 0;     // allocations alive
    std::uint64_t requests = 0;   // allocations asked for
    std::uint64_t hits = 0;       // of these, served from the cache
};

class Pool {
public:
    // What becomes of small blocks that are freed. of_threads: each thread keeps some of its own; for one pool of the process, which is
    // never destroyed, and whose memory is of one kind and no stream's.
    enum class Freed : std::uint8_t { of_pool, of_threads };
    explicit Pool(Backend&, Freed = Freed::of_pool);
    Pool(Backend&, Pool& of);  // memory of another kind, of the device whose pool that is: counted, bounded and given up with it
    ~Pool();
    Pool(const Pool&) = delete;

    // 64-byte aligned; MemoryError names the largest holders. A block comes from those that the same stream used before,
    // where that is possible, so that streams do not wait for each other's memory.
    void* allocate(std::size_t bytes, StreamId = 0);
    void deallocate(void* data, std::size_t bytes, StreamId = 0) noexcept;  // with the stream of its allocation
    void free_all_blocks() noexcept;      // that the device and all threads keep free; of a pool of another kind: those of that kind
    // Of the device, all kinds of memory together.
    void set_limit(std::uint64_t bytes);  // 0: none
    std::uint64_t limit() const { return first_.limit_.load(std::memory_order_relaxed); }
    PoolFigures figures() const;
    void reset_peak();
    Backend& backend() const { return backend_; }
    // Of the backend, kept here because every operation asks.
    bool host_visible() const { return host_visible_; }
    std::uint64_t total_memory() const { return total_memory_; }
    // 0, 1, 2... in the order in which pools were made: what the runtime keeps per device is found by it.
    unsigned number() const { return number_; }

private:
    struct Beside {
        std::uint64_t in_use = 0, held = 0, cached = 0, blocks = 0;
    };

    void* take(std::size_t bytes, StreamId);
    bool keeps(std::size_t bytes) const;  // what a thread frees, if it is of so many bytes
    std::uint64_t free_cache() noexcept;  // the bytes that went back
    bool has_kinds() const { return first_.next_.load(std::memory_order_acquire) != nullptr; }
    template <class F> void each_kind(F&&) const;
    Beside beside() const;  // the other kinds, as they were a moment ago
    void note_peak(std::uint64_t in_use);

    Backend& backend_;
    Pool& first_;                        // of the device
    std::atomic<Pool*> next_{nullptr};   // of its kinds
    std::atomic<std::uint64_t> limit_{0};  // of the device, in its first pool
    bool host_visible_;
    bool threads_keep_;
    std::uint64_t total_memory_;
    unsigned number_;
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace asnumpy
