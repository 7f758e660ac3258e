// The small blocks that one thread has freed and takes again, without the lock of the pool that they belong to.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "device/size_classes.hpp"

namespace asnumpy {

// A counter that one thread changes and others read.
template <class T> class OwnCount {
public:
    void set(T value) { value_.store(value, std::memory_order_relaxed); }
    void add(T n) { set(get() + n); }
    T get() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<T> value_{0};
};

// To the pool such a block is one that it handed out; what that makes wrong in its figures can be asked for here, by any thread.
class ThreadBlocks {
public:
    static constexpr std::size_t largest = 16 * size_classes::kilobyte;

    // Of at most `largest` bytes; nullptr where none is kept.
    char* take(std::size_t bytes) {
        Kept& kept = kept_[size_classes::of(bytes)];
        const std::size_t count = kept.count.get();
        if (count == 0) return nullptr;
        kept.count.set(count - 1);
        in_use_.add(static_cast<std::int64_t>(bytes));
        served_.add(1);
        return kept.blocks[count - 1];
    }

    // False: enough of them are kept.
    bool keep(char* block, std::size_t bytes) {
        const std::size_t c = size_classes::of(bytes), count = kept_[c].count.get();
        if (count >= most[c]) return false;
        kept_[c].blocks[count] = block;
        kept_[c].count.set(count + 1);
        in_use_.add(-static_cast<std::int64_t>(bytes));
        return true;
    }

    // Calls give(block, size class) for all of them; none is left. By the thread that has them.
    template <class F> void give_up(F&& give) {
        for (std::size_t c = 0; c < classes; ++c) {
            for (std::size_t i = kept_[c].count.get(); i-- > 0; kept_[c].count.set(i)) give(kept_[c].blocks[i], c);
        }
    }

    // Bytes that are used beyond what the pool counts, mostly negative, and the requests that it was spared, since the thread began.
    std::int64_t in_use() const { return in_use_.get(); }
    std::uint64_t served() const { return served_.get(); }
    // What is kept now.
    std::uint64_t blocks() const { return sum([](std::size_t) { return std::size_t{1}; }); }
    std::uint64_t bytes() const { return sum(size_classes::bytes); }

private:
    static constexpr std::size_t classes = size_classes::of(largest) + 1;
    static constexpr std::array<std::size_t, classes> most = [] {
        std::array<std::size_t, classes> counts{};
        for (std::size_t c = 0; c < classes; ++c) counts[c] = std::min<std::size_t>(8, 32 * size_classes::kilobyte / size_classes::bytes(c));
        return counts;
    }();

    template <class F> std::uint64_t sum(F&& of_each) const {
        std::uint64_t all = 0;
        for (std::size_t c = 0; c < classes; ++c) all += kept_[c].count.get() * of_each(c);
        return all;
    }

    struct Kept {
        std::array<char*, 8> blocks;
        OwnCount<std::size_t> count;
    };
    std::array<Kept, classes> kept_;
    OwnCount<std::int64_t> in_use_;
    OwnCount<std::uint64_t> served_;
};

}  // namespace asnumpy
