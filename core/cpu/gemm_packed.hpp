// Matrix product by own kernels: operands are packed into panels that stay in the caches, tiles into registers.
#pragma once

#include <cstdint>

#include "base/dtype.hpp"

namespace asnumpy::cpu {

// One matrix in memory; strides in bytes, any.
struct MatrixView {
    char* data = nullptr;
    std::int64_t rows = 0, columns = 0;
    std::int64_t row_stride = 0, column_stride = 0;

    char* at(std::int64_t r, std::int64_t c) const { return data + r * row_stride + c * column_stride; }
    MatrixView transposed() const { return {data, columns, rows, column_stride, row_stride}; }
    MatrixView row_block(std::int64_t first, std::int64_t n) const { return {at(first, 0), n, columns, row_stride, column_stride}; }
};

// c = a @ b, or c += a @ b. bool, all integers, float32 and float64; integers wrap around, bool is or of ands.
void gemm_packed(DType, const MatrixView& a, const MatrixView& b, const MatrixView& c, bool add);
bool has_gemm_packed(DType);

}  // namespace asnumpy::cpu
