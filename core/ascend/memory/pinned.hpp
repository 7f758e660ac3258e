// Pinned host memory that a program holds, from a cache: blocks are used again when the copies that touch them have run.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace asnumpy::ascend {

class Context;

class Pinned {
public:
    // A block, its size rounded up. MemoryError when CANN has none left.
    void* allocate(Context&, std::size_t bytes);
    void deallocate(void*) noexcept;
    // Whether the bytes lie in a block that is alive.
    bool holds(const void*, std::size_t bytes);
    // A copy from or to the block was enqueued on the device's selected stream; with the device's mutex held.
    void note_copy(Context&, const void*);
    // Gives back what nobody holds and no copy touches.
    void free_cached(Context&) noexcept;
    // Gives all of it back. At the end.
    void release() noexcept;

private:
    struct Mark {
        Context* device;
        void* event;  // after a copy
    };
    struct Block {
        Context* device = nullptr;  // for which it was taken
        std::size_t bytes = 0;
        bool alive = true;
        std::vector<Mark> copies{};
    };
    using Blocks = std::map<char*, Block>;

    Blocks::iterator find(const void*);
    static bool rests(Block&) noexcept;  // no copy touches it any more
    void free_cached_locked(Context&) noexcept;

    std::mutex mutex_;  // taken after a device's
    Blocks blocks_;
    std::atomic<std::size_t> alive_{0};
    std::size_t cached_ = 0;  // bytes
};

// Of all devices: what one of them has pinned, the others reach, too.
Pinned& pinned();

}  // namespace asnumpy::ascend
