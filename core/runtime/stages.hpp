// Which programs of a schedule may run together, some lines at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/function_ref.hpp"
#include "device/backend.hpp"
#include "runtime/schedule.hpp"

namespace asnumpy {

// Whether a program over such a space may be the first or second of several that run together.
bool may_share_lines(const Dims& shape);

// How the lines of programs that run together depend on each other.
enum class Lines : std::uint8_t {
    apart,     // no line needs another one
    in_order,  // some need lines beside them
};

// The longest run of parts from `first` on that depend on each other in that way, as stages, without addresses and executables: two and
// more are offered, then as many of them as that asks for, until it asks for fewer than two. Nothing is offered where all is small.
// Returns how many parts it has looked at: what it finds depends on these, their views and whether their arrays have memory.
std::size_t find_stages(std::span<const Instruction>, const Schedule&, std::size_t first, Lines, FunctionRef<std::size_t(Stages&&)> offer);

// Gives the memory of the arrays to the launches of stages that find_stages() found.
void place_operands(std::span<const Instruction>, const Schedule&, std::size_t first, Stages&);

}  // namespace asnumpy
