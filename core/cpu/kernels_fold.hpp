// Folding a run of elements to one by a row's operation.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

#include "cpu/kernels_half.hpp"
#include "ops/definition.hpp"

namespace asnumpy::cpu {
namespace {

// Each block is folded in many lanes side by side, the lanes and then the blocks in pairs. The number of lanes is the same
// for every instruction set, so that a sum does not depend on the machine.
template <class Row, class T> struct FoldOf {
    using C = std::conditional_t<is_half_v<T>, float, T>;
    static constexpr std::size_t lanes = std::max<std::size_t>(1, 256 / sizeof(C));
    static constexpr bool rounds = std::is_floating_point_v<C> || is_complex_v<C>;
    // Exact operations need no pairs; sums of a block have sixteen terms a lane.
    static constexpr std::size_t block = is_half_v<T> ? 1024 : rounds ? 16 * lanes : ~std::size_t{0};

    static C op(C x, C y) { return static_cast<C>(Row::template call<T>(x, y)); }

    static C tree(C* values, std::size_t n) {
        while (n > 1) {
            const std::size_t upper = n / 2, lower = n - upper;
            for (std::size_t i = 0; i < upper; ++i) values[i] = op(values[i], values[lower + i]);
            n = lower;
        }
        return values[0];
    }

    static C fold_block(const C* in, std::size_t n) {
        alignas(64) std::array<C, lanes> sums;
        const std::size_t first = std::min(n, lanes);
        for (std::size_t l = 0; l < first; ++l) sums[l] = in[l];
        if (n < 2 * lanes) {
            for (std::size_t i = lanes; i < n; ++i) sums[i - lanes] = op(sums[i - lanes], in[i]);
            return tree(sums.data(), first);
        }
        std::size_t i = lanes;
        for (; i + lanes <= n; i += lanes) {
#pragma omp simd
            for (std::size_t l = 0; l < lanes; ++l) sums[l] = op(sums[l], in[i + l]);
        }
        for (std::size_t l = 0; i < n; ++i, ++l) sums[l] = op(sums[l], in[i]);
        for (std::size_t half = lanes / 2; half > 0; half /= 2) {
#pragma omp simd
            for (std::size_t l = 0; l < half; ++l) sums[l] = op(sums[l], sums[half + l]);
        }
        return sums[0];
    }

    static C fold_block_of(const T* in, std::size_t n) {
        if constexpr (is_half_v<T>) {
            alignas(64) std::array<float, block> wide;
            widen(in, wide.data(), n);
            return fold_block(wide.data(), n);
        } else {
            return fold_block(in, n);
        }
    }

    static C pairs(const T* in, std::size_t n) {
        if (n <= block) return fold_block_of(in, n);
        const std::size_t left = (n / block + 1) / 2 * block;
        const C sum = pairs(in, left);
        return op(sum, left < n ? pairs(in + left, n - left) : sum);
    }

    static void run(void* out, const void* in, std::size_t n) {
        const C result = pairs(static_cast<const T*>(in), n);
        if constexpr (is_half_v<T>) narrow(&result, static_cast<T*>(out), 1);
        else *static_cast<T*>(out) = result;
    }
};

}  // namespace
}  // namespace asnumpy::cpu
