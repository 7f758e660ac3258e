// Runs programs that share their lines block of lines by block of lines.
#pragma once

#include <cstdint>
#include <span>

#include "cpu/plan.hpp"
#include "device/backend.hpp"

namespace asnumpy::cpu {

// The plans are those of the stages. A reduction over x, work on x and what it gave, and a reduction of that, read x from memory
// once and keep what lies between them in the second-level cache. Neither the lines of a block nor the number of threads
// have an influence on the results.
std::int64_t lines_at_once(const Stages&, std::span<const Resolved* const>);
void run_stages(const Stages&, std::span<const Resolved* const>, std::int64_t lines);

// Bit i: a stage from `from` on, another one than stage s, uses what store i of that writes, so that it is in a cache or should stay there.
std::uint64_t stores_met(const Stages&, std::size_t s, const Resolved&, std::size_t from = 0);

// What one line of an operand occupies.
std::int64_t bytes_of_line(const Stages::Stage&, const Resolved&, std::size_t operand);

}  // namespace asnumpy::cpu
