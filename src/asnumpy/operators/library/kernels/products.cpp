// Matrix products with what follows them, from the templates: the cube core multiplies, its two vector cores finish.
#include "matmul/matmul.hpp"
using namespace matmul;

// One of them, by its number: none, relu, silu, gelu.
struct Activation : Unary {
    uint32_t kind;

    __aicore__ inline explicit Activation(uint32_t of) : kind(of) {}
    __aicore__ inline void apply(const Piece& piece, uint32_t address) const {
        if (kind == 1) Relu{}.apply(piece, address);
        else if (kind == 2) Silu{}.apply(piece, address);
        else if (kind == 3) Gelu{}.apply(piece, address);
    }
};

template <class T>
using UsualOf = UsualProduct<Matrix<T>, Matrix<T>>;

#define PRODUCTS(name, T)                                                                                                                   \
    extern "C" __global__ __aicore__ __cube__ void plain_##name(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint64_t m, uint64_t n, uint64_t k) {      \
        const Extent extent{uint32_t(m), uint32_t(n), uint32_t(k)};                                                                         \
        plain<UsualOf<T>, T>({a, k}, {b, n}, {c, n}, extent);                                                                               \
    }                                                                                                                                       \
    extern "C" __global__ __aicore__ __mix__(1, 2) void fused_##name(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, uint64_t m, uint64_t n, \
                                                                     uint64_t k, float scale, uint64_t activation, GM_ADDR workspace) {     \
        const Extent extent{uint32_t(m), uint32_t(n), uint32_t(k)};                                                                         \
        fused<UsualOf<T>, T>({a, k}, {b, n}, {c, n}, extent, workspace, chain(Scale(scale), Bias<T>{bias}, Activation(activation)));        \
    }
PRODUCTS(float16, half)
PRODUCTS(bfloat16, bfloat16_t)
PRODUCTS(float32, float)
