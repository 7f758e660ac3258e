// Which programs of a schedule may run together, some lines at a time.
#pragma once

#include <cstddef>
#include <span>

#include "device/backend.hpp"
#include "runtime/schedule.hpp"

namespace asnumpy {

// Whether a program over such a space may be the first or second of several that run together.
bool may_share_lines(const Dims& shape);

// The longest run of parts from `first` on whose dependences are line by line, as stages, without addresses and executables.
// Returns how many parts these are; 1 where nothing joins the first, or all of it is small.
std::size_t find_stages(std::span<const Instruction>, const Schedule&, std::size_t first, Stages&);

// Gives the memory of the arrays to the launches of stages that find_stages() found.
void place_operands(std::span<const Instruction>, const Schedule&, std::size_t first, Stages&);

}  // namespace asnumpy
