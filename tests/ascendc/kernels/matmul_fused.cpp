// Products with what follows them, from the templates.
#include "matmul/matmul.hpp"
using namespace matmul;
#define ARGUMENTS GM_ADDR a, GM_ADDR b, GM_ADDR c, [[maybe_unused]] GM_ADDR row, [[maybe_unused]] GM_ADDR d, GM_ADDR workspace, uint32_t m, \
                  uint32_t n, uint32_t k, [[maybe_unused]] float factor
#define FUSED(name, T, C, TileProduct, ...)                                                                            \
    extern "C" __global__ __aicore__ __mix__(1, 2) void name(ARGUMENTS) {                                              \
        fused<TileProduct<Matrix<T>, Matrix<T>>, C>({a, k}, {b, n}, {c, n}, {m, n, k}, workspace, chain(__VA_ARGS__)); \
    }
template <class A, class B>
using SmallProduct = Product<A, B, Shape<32, 64, 64>, 32>;
FUSED(bare, half, half, UsualProduct)
FUSED(bias, half, half, UsualProduct, Bias<half>{row})
FUSED(bias_float, float, float, UsualProduct, Bias<float>{row})
FUSED(scaled, half, float, UsualProduct, Scale(factor))
FUSED(scaled_columns, bfloat16_t, bfloat16_t, UsualProduct, ColumnScale<float>{row})
FUSED(relu, half, half, UsualProduct, Bias<half>{row}, Relu{})
FUSED(silu, half, half, UsualProduct, Scale(factor), Bias<float>{row}, Silu{})
FUSED(gelu, bfloat16_t, bfloat16_t, UsualProduct, Bias<bfloat16_t>{row}, Gelu{})
FUSED(residual, half, half, UsualProduct, Bias<half>{row}, Gelu{}, Residual<half>{{d, n}, factor})
FUSED(residual_float, float, float, UsualProduct, Scale(factor), Residual<float>{{d, n}, -0.5f}, Relu{})
FUSED(small, half, half, SmallProduct, Bias<half>{row}, Silu{}, Residual<half>{{d, n}, factor})
