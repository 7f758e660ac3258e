// The life of one buffer of a queue. Tensors name their slot and the turn in which they were taken from it, so that one which
// is used after its buffer was given back is found.
#pragma once

#include <cstdint>

#include "ascendc/machine/pipes.hpp"

namespace ascendc {

enum class SlotState : std::uint8_t { free, occupied, enqueued, dequeued };
constexpr const char* slot_state_names[] = {"free", "allocated", "enqueued", "dequeued"};
constexpr const char* name_of(SlotState state) { return slot_state_names[static_cast<unsigned>(state)]; }

struct Slot {
    AscendC::TPosition position = AscendC::TPosition::VECCALC;
    std::uint32_t address = 0;
    std::uint32_t bytes = 0;
    SlotState state = SlotState::free;
    std::uint32_t turn = 0;  // how often the buffer was given back
    Knowledge known;         // of the pipe that enqueued it, or that freed it
    double time = 0;
    Where where;             // of the last change
    std::uint32_t signals = 0;    // postponed changes of what is known: issued, ...
    std::uint32_t signalled = 0;  // ... and done
};

}  // namespace ascendc
