// c = a b for matrices of float16, bfloat16 and float32, each by rows or by columns. `layout`: 1 where a lies by columns, 2 where
// b does, 3 where both do; pitches are the elements from one row (or column) to the next.
#include "matmul/matmul.hpp"

using namespace matmul;

template <class T, class C, class A, class B>
__aicore__ inline void multiply(const Source& a, const Source& b, const Source& c, const Extent& extent) {
    plain<UsualProduct<Matrix<T, A>, Matrix<T, B>>, C>(a, b, c, extent);
}

template <class T, class C>
__aicore__ inline void multiply(const Source& a, const Source& b, const Source& c, const Extent& extent, uint32_t layout) {
    switch (layout) {
        case 0: return multiply<T, C, RowMajor, RowMajor>(a, b, c, extent);
        case 1: return multiply<T, C, ColumnMajor, RowMajor>(a, b, c, extent);
        case 2: return multiply<T, C, RowMajor, ColumnMajor>(a, b, c, extent);
        default: return multiply<T, C, ColumnMajor, ColumnMajor>(a, b, c, extent);
    }
}

#define BASIC_MATMUL(name, T, C)                                                                                                          \
    extern "C" __global__ __aicore__ __cube__ void name(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint64_t a_pitch, uint64_t b_pitch, uint32_t m,  \
                                                        uint32_t n, uint32_t k, uint32_t layout) {                                        \
        multiply<T, C>({a, a_pitch}, {b, b_pitch}, {c, n}, {m, n, k}, layout);                                                            \
    }
BASIC_MATMUL(basic_matmul_float16, half, half)
BASIC_MATMUL(basic_matmul_bfloat16, bfloat16_t, bfloat16_t)
BASIC_MATMUL(basic_matmul_float32, float, float)
BASIC_MATMUL(basic_matmul_float16_float32, half, float)
BASIC_MATMUL(basic_matmul_bfloat16_float32, bfloat16_t, float)
