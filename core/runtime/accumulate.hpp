// `a @ b + c` as one gemm that adds to its output.
#pragma once

#include <span>
#include <vector>

#include "runtime/fuse.hpp"

namespace asnumpy {

// Where a product's only reader is an addition, rewrites the pair (t = a @ b; u = t + c) to (u = c; u += a @ b); for devices
// that add another operand in the same operation, factors included (2 * (a @ b) - 3 * c), to that one.
// `dead` instructions are left alone; what is no longer needed becomes dead, and empty. Called with the lock of recording held.
void accumulate_products(std::span<Instruction>, std::vector<bool>& dead, Census&);

}  // namespace asnumpy
