// What is recorded and reads memory that work failed to write.
#pragma once

#include <vector>

#include "device/damage.hpp"
#include "runtime/queue.hpp"

namespace asnumpy {

struct Refused {
    std::vector<Instruction> never;  // the first of the list: they must not run, and what they would write is marked
    std::vector<Instruction> later;  // to be asked for when those that are left have run
    Failure why;                     // what was wanted (null: all of it) is among what never runs; null: it is not
};

// Of these, with all of their buffers.
bool any_damaged(std::span<const Array>, std::span<const BufferPtr>);

// Leaves in the list what may run. What overwrites a damaged array as a whole heals it.
Refused refuse_damaged(std::vector<Instruction>& list, const Buffer* wanted);

}  // namespace asnumpy
