// The simulator's own rows, compiled for each instruction set as the core's are.
#pragma once

#include <span>

#include "kernels/table.hpp"

namespace cannsim::rows {

std::span<const asnumpy::cpu::InstructionSet> instruction_sets();

}  // namespace cannsim::rows
