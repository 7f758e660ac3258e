// What work on elements costs on this machine, for who decides whether threads share it.
#pragma once

namespace asnumpy::cpu {

// Of one step, on elements that lie in the first-level cache, per byte of its result; and of an operand in memory, per byte.
inline constexpr double step_ns_per_byte = 0.03, memory_ns_per_byte = 0.05;

}  // namespace asnumpy::cpu
