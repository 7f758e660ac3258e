// Runs programs whose lines need lines beside them, all of them on each thread: what lies at the edge of a thread's part is computed twice.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cpu/plan.hpp"
#include "device/backend.hpp"

namespace asnumpy::cpu {

// Where lines are long, strips of columns go through all lines one after the other: columns are what lies along the axis after that of the lines.
struct Overlap {
    std::int64_t lines;  // of a block
    std::int64_t width;  // columns of a strip, as the first stage counts them; nothing: lines are whole
};

// With enough for every thread; nothing: what another thread's lines need is seen by others, or too much for that.
std::optional<Overlap> overlap_of(const Stages&, std::span<const Resolved* const>);
// For stages for which there is some, and any lines; any width where there is one. Nothing is overwritten that is read: what fails half-way may run again.
void run_overlapped(const Stages&, std::span<const Resolved* const>, const Overlap&);

}  // namespace asnumpy::cpu
