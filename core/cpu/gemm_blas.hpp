// Matrix product by the BLAS that NumPy has loaded: operands as it can read them, large products shared between our threads.
#pragma once

#include <cstdint>

#include "cpu/blas.hpp"
#include "cpu/gemm_packed.hpp"

namespace asnumpy::cpu {

// c = a @ b, or c += a @ b, for float, double and complex of these. Called where a Blas::OneThread lives.
template <class T> void gemm_blas(const Blas&, const MatrixView& a, const MatrixView& b, const MatrixView& c, bool add);

}  // namespace asnumpy::cpu
