// Runs the steps of a frame on one tile after another, in the scratch memory of one thread.
#pragma once

#include <memory>
#include <vector>

#include "cpu/frame.hpp"

namespace asnumpy::cpu {

// Scratch memory of a thread, kept from launch to launch.
class Arena {
public:
    static Arena& of_this_thread();
    char* reserve(std::int64_t bytes);  // aligned to a page

    std::vector<char*> values;
    struct Key {
        std::int64_t origin, length;
    };
    std::vector<Key> fetched;

private:
    struct Free {
        void operator()(char* p) const;
    };
    std::unique_ptr<char, Free> memory_;
    std::int64_t size_ = 0;
};

class Tiles {
public:
    explicit Tiles(const Frame&);

    // Gathers, computes and stores n elements from position `flat`.
    void run(std::int64_t flat, std::int64_t n);
    // After run(): the elements of a value in the tile.
    const char* value(ValueId id) const { return values_[id]; }
    char* scratch(std::int64_t offset) const { return memory_ + offset; }

private:
    void fetch(std::size_t input, std::int64_t flat, std::int64_t n);

    const Frame& frame_;
    char* memory_;
    char** values_;           // by value: its elements in the current tile
    Arena::Key* fetched_;     // which elements the slots of inputs hold
};

}  // namespace asnumpy::cpu
