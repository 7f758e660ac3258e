// One row over few elements, wherever they lie: for work on which deciding about a launch would take longer than the elements.
#pragma once

#include "ops/row.hpp"
#include "program/program.hpp"

namespace asnumpy::cpu {

// Applies the loop as a launch of the program of that row alone would, line by line on the calling thread; false, and nothing is
// done, where the space has too many elements or lines for that, or none.
bool run_lines(RowId, int loop, const Launch&);

}  // namespace asnumpy::cpu
