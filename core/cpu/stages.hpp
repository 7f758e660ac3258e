// Runs programs that share their rows block of rows by block of rows.
#pragma once

#include <cstdint>
#include <span>

#include "cpu/plan.hpp"
#include "device/backend.hpp"

namespace asnumpy::cpu {

// The plans are those of the stages. A reduction over x, work on x and what it gave, and a reduction of that, read x from memory
// once and keep what lies between them in the second-level cache. Neither the rows of a block nor the number of threads
// have an influence on the results.
std::int64_t rows_at_once(const Stages&, std::span<const Resolved* const>);
void run_stages(const Stages&, std::span<const Resolved* const>, std::int64_t rows);

}  // namespace asnumpy::cpu
