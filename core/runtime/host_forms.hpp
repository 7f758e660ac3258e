// On the host, what only devices have as one operation: for work that was given to a device which then refused it.
#pragma once

#include "runtime/queue.hpp"

namespace asnumpy {

// Whether the CPU's own backend lacks the instruction.
bool has_host_form(const Instruction&);
// Runs it on arrays of the CPU's; computed in float64, rounded once.
void run_host_form(const Instruction&);

}  // namespace asnumpy
