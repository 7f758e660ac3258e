// The small blocks that one thread has freed and takes again, without the lock of the pool that they belong to.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "device/size_classes.hpp"

namespace asnumpy {

// A counter that one thread at a time changes and others read.
template <class T> class OwnCount {
public:
    void set(T value) { value_.store(value, std::memory_order_relaxed); }
    void add(T n) { set(get() + n); }
    T get() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<T> value_{0};
};

// To the pool such a block is one that it handed out; what that makes wrong in its figures can be asked for here, by any thread. The pool
// can have all of them back at any time: whoever touches them holds them for a moment, and their thread goes to the pool where they are held.
class ThreadBlocks {
public:
    static constexpr std::size_t largest = 16 * size_classes::kilobyte;

    // Of at most `largest` bytes; nullptr where none is kept.
    char* take(std::size_t bytes) {
        const Hold hold(held_);
        if (!hold) return nullptr;
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
        const Hold hold(held_);
        const std::size_t c = size_classes::of(bytes), count = kept_[c].count.get();
        if (!hold || count >= most[c]) return false;
        kept_[c].blocks[count] = block;
        kept_[c].count.set(count + 1);
        in_use_.add(-static_cast<std::int64_t>(bytes));
        return true;
    }

    // Calls give(block, size class) for all of them; none is left. False: the thread did not let go of them, for one that held them at a
    // fork never does in the child.
    template <class F> bool give_up(F&& give) {
        for (int tries = 0; tries < 1000; ++tries) {
            if (const Hold hold(held_); hold) {
                give_each(give);
                return true;
            }
            std::this_thread::yield();
        }
        return false;
    }

    // Bytes that are used beyond what the pool counts, mostly negative, and the requests that it was spared, since the thread began.
    std::int64_t in_use() const { return in_use_.get(); }
    std::uint64_t served() const { return served_.get(); }
    // What is kept now.
    std::uint64_t blocks() const { return sum([](std::size_t) { return std::size_t{1}; }); }
    std::uint64_t bytes() const { return sum(size_classes::bytes); }

private:
    // Held as long as the object lives, if it is.
    class Hold {
    public:
        explicit Hold(std::atomic<bool>& held) : held_(held), mine_(!held.exchange(true, std::memory_order_acquire)) {}
        ~Hold() { if (mine_) held_.store(false, std::memory_order_release); }
        Hold(const Hold&) = delete;
        Hold& operator=(const Hold&) = delete;
        explicit operator bool() const { return mine_; }

    private:
        std::atomic<bool>& held_;
        bool mine_;
    };

    static constexpr std::size_t classes = size_classes::of(largest) + 1;
    static constexpr std::array<std::size_t, classes> most = [] {
        std::array<std::size_t, classes> counts{};
        for (std::size_t c = 0; c < classes; ++c) counts[c] = std::min<std::size_t>(8, 32 * size_classes::kilobyte / size_classes::bytes(c));
        return counts;
    }();

    template <class F> void give_each(F& give) {
        for (std::size_t c = 0; c < classes; ++c)
            for (std::size_t i = kept_[c].count.get(); i-- > 0; kept_[c].count.set(i)) give(kept_[c].blocks[i], c);
    }

    template <class F> std::uint64_t sum(F&& of_each) const {
        std::uint64_t all = 0;
        for (std::size_t c = 0; c < classes; ++c) all += kept_[c].count.get() * of_each(c);
        return all;
    }

    struct Kept {
        std::array<char*, 8> blocks;
        OwnCount<std::size_t> count;
    };
    std::atomic<bool> held_{false};
    std::array<Kept, classes> kept_;
    OwnCount<std::int64_t> in_use_;
    OwnCount<std::uint64_t> served_;
};

}  // namespace asnumpy
