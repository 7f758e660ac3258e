// The lanes of one repeat, side by side, for instructions whose lanes depend on each other.
#pragma once

#include "ascendc/vector/compute.hpp"

namespace ascendc {

template <class T>
struct RepeatLanes {
    T value[repeat_lanes<T>];
    bool active[repeat_lanes<T>];
    bool unwritten[repeat_lanes<T>];
    std::uint32_t n = 0;  // addressed
};

template <class T>
void load(Instruction& at, const Walk& walk, const Operand<T>& from, std::uint32_t repeat, RepeatLanes<T>& lanes) {
    lanes.n = walk.used_lanes(repeat);
    for (std::uint32_t block = 0; block < lanes.n; block += block_elements<T>) {
        const std::uint32_t end = std::min(block + block_elements<T>, lanes.n), byte = from.byte(repeat, block);
        std::uint32_t first = end, last = block;
        for (std::uint32_t lane = block; lane < end; ++lane) {
            lanes.active[lane] = walk.works_on(repeat, lane);
            if (lanes.active[lane]) first = std::min(first, lane), last = lane;
        }
        if (first == end) continue;
        at.uses(*from.memory, from.byte(repeat, first), (last - first + 1) * sizeof(T), false);
        std::memcpy(lanes.value + block, from.at(byte), (end - block) * sizeof(T));
        const bool some = from.memory->any_unwritten(byte, (end - block) * sizeof(T));
        for (std::uint32_t lane = block; lane < end; ++lane)
            lanes.unwritten[lane] = some && from.memory->any_unwritten(byte + (lane - block) * sizeof(T), sizeof(T));
    }
}

// One element of a result.
template <class T>
void store(Instruction& at, LocalMemory& memory, std::uint32_t byte, T value, bool unwritten) {
    at.uses(memory, byte, sizeof(T), true);
    std::memcpy(memory.at(byte), &value, sizeof(T));
    if (unwritten) memory.set_unwritten(byte, sizeof(T));
    else memory.set_written(byte, sizeof(T));
}

}  // namespace ascendc
