// Cuts a launch whose operands are contiguous along different axes into blocks.
#pragma once

#include <vector>

#include "program/program.hpp"

namespace asnumpy::cpu {

// A matrix and a transposed matrix have no common order in which both are read run by run. Walked
// block by block, every cache line of either is used whole while it is at hand. The pieces together are the launch, the
// first one with its axes in the order in which they are to be walked; none when one order suits all operands.
std::vector<Launch> block(const Launch&, int inputs, int stores);

}  // namespace asnumpy::cpu
