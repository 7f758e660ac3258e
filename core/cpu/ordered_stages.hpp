// Runs programs whose lines need lines beside them: blocks of lines in order, each stage of a block shared between threads.
#pragma once

#include <cstdint>
#include <span>

#include "cpu/plan.hpp"
#include "device/backend.hpp"

namespace asnumpy::cpu {

// As lines_at_once() and run_stages(), for stages in order. A stencil that is applied in place, and its next step, and the one after it, take
// their array from memory once. What runs has begun with all the memory that it needs: nothing can fail half-way.
std::int64_t ordered_lines_at_once(const Stages&, std::span<const Resolved* const>);
void run_ordered_stages(const Stages&, std::span<const Resolved* const>, std::int64_t lines);

}  // namespace asnumpy::cpu
