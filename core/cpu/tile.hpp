// Runs the steps of a frame on one tile after another, in the scratch memory of one thread.
#pragma once

#include "cpu/arena.hpp"
#include "cpu/frame.hpp"

namespace asnumpy::cpu {

class Tiles {
public:
    explicit Tiles(const Frame&);
    // Takes the memory of the calling thread that tiles of this frame need, so that making them takes none.
    static void reserve(const Frame&);

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
    void** operands_;         // of the call that is under way
    Arena::Key* fetched_;     // which elements the slots of inputs hold
};

}  // namespace asnumpy::cpu
