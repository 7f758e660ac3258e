// Bytes that parts of a schedule read and write in memory: for who watches the trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/schedule.hpp"

namespace asnumpy {

// Of a broadcast operand its own elements count, of a reduced output one for each of its own; constants do not. What is read at one view counts
// once, however often it occurs; what is read and written counts as both.
std::uint64_t traffic_of(std::span<const Instruction>, const Schedule::Part&);
// Of the parts from `first` on that these stages are: what is hidden has no memory, and what one of them has written at that view is at hand for the others.
std::uint64_t traffic_of(std::span<const Instruction>, const Schedule&, std::size_t first, const Stages&);

}  // namespace asnumpy
