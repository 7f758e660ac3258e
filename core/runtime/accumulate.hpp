// `a @ b + c` as one gemm that adds to its output.
#pragma once

#include <span>
#include <vector>

#include "runtime/fuse.hpp"

namespace asnumpy {

// Where a product's only reader is an addition, rewrites the pair (t = a @ b; u = t + c) to (u = c; u += a @ b).
// `dead` instructions are left alone. Called with the lock of recording held.
void accumulate_products(std::span<Instruction>, const std::vector<bool>& dead, Census&);

}  // namespace asnumpy
