// Which part of what is recorded runs: what somebody needs, or, where the list is full, what leaves the least to memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/fuse.hpp"

namespace asnumpy {

// Takes from the list what has to run before the buffer has its value, in order; what nothing of that depends on remains, in storage
// for so many.
std::vector<Instruction> take_needed(std::vector<Instruction>& list, const Buffer* wanted, Census&, std::size_t room);

// How many instructions, at least half of them, run best by themselves: up to where the fewest bytes for each of them have to be kept for what
// comes after. In a loop that is where it begins anew, so that values which live for one turn of it get no memory, and the lists to come are of
// the same content.
std::size_t best_cut(std::span<const Instruction>, Census&);

}  // namespace asnumpy
