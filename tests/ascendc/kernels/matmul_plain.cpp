// Products from the templates: every type and layout, tiles of several sizes. The arrays' pitches come as arguments.
#include "matmul/matmul.hpp"
using namespace matmul;
#define PITCHED(name, T, C, A, B, Product)                                                                                          \
    extern "C" __global__ __aicore__ __cube__ void name(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t m, uint32_t n, uint32_t k,        \
                                                        uint32_t a_pitch, uint32_t b_pitch, uint32_t c_pitch) {                     \
        plain<Product<Matrix<T, A>, Matrix<T, B>>, C>({a, a_pitch}, {b, b_pitch}, {c, c_pitch}, {m, n, k});                         \
    }
#define LAYOUTS(name, T, C, Product)                            \
    PITCHED(name##_rr, T, C, RowMajor, RowMajor, Product)       \
    PITCHED(name##_rc, T, C, RowMajor, ColumnMajor, Product)    \
    PITCHED(name##_cr, T, C, ColumnMajor, RowMajor, Product)    \
    PITCHED(name##_cc, T, C, ColumnMajor, ColumnMajor, Product)
LAYOUTS(half, half, half, UsualProduct)
LAYOUTS(bfloat16, bfloat16_t, bfloat16_t, UsualProduct)
LAYOUTS(float, float, float, UsualProduct)
// Sums of narrower types go out as floats.
LAYOUTS(wide, half, float, UsualProduct)
// Two stages of sums, and stages of L1 that are one step of L0.
template <class A, class B>
using SmallProduct = Product<A, B, Shape<64, 96, 32>, 32>;
LAYOUTS(small_half, half, half, SmallProduct)
LAYOUTS(small_float, float, float, SmallProduct)
