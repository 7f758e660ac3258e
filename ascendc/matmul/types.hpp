// Sizes as types, layouts of matrices, and where a tile lies.
#pragma once

#include "kernel_operator.h"

namespace matmul {

// Rows of a and c, columns of b and c, and what is summed over.
template <uint32_t m, uint32_t n, uint32_t k>
struct Shape {
    static constexpr uint32_t M = m, N = n, K = k;
    static_assert(m % 16 == 0 && n % 16 == 0 && k % 16 == 0 && m && n && k, "a tile's sides are multiples of 16");
};

// Which elements lie side by side: those of a row, or those of a column.
struct RowMajor {};
struct ColumnMajor {};

// A matrix of T, of which a and b are made.
template <class T, class Layout = RowMajor>
struct Matrix {
    using Element = T;
    static constexpr bool row_major = AscendC::IsSameType<Layout, RowMajor>::value;
    static_assert(row_major || AscendC::IsSameType<Layout, ColumnMajor>::value, "a layout is RowMajor or ColumnMajor");
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "elements are half, bfloat16_t or float");
};

// A matrix in global memory: its first element, and the elements from one row (or column) to the next.
struct Source {
    GM_ADDR first;
    uint64_t pitch;
};

struct Extent {
    uint32_t m, n, k;
};

// A tile of c: its first row and column, and how many there are.
struct Tile {
    uint32_t row, column, rows, columns;
};

constexpr uint32_t fractal_edge = 16;
constexpr uint32_t block_size = 32;
constexpr uint32_t l1_size = 512 * 1024 - 128, l0_size = 64 * 1024, l0c_size = 128 * 1024, ub_size = 192 * 1024 - 256;

// Elements of 32 bytes: the width of a fractal.
template <class T>
constexpr uint32_t width_of = block_size / sizeof(T);
template <class T>
constexpr uint32_t fractal_of = fractal_edge * width_of<T>;

__aicore__ constexpr uint32_t up(uint32_t n, uint32_t unit) { return (n + unit - 1) / unit * unit; }
__aicore__ constexpr uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

template <class T>
__aicore__ inline AscendC::GlobalTensor<T> global(GM_ADDR first) {
    AscendC::GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(first));
    return tensor;
}

}  // namespace matmul
