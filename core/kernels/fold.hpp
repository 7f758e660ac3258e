// Folding a run of elements to one by a row's operation.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <type_traits>

#include "base/float16.hpp"
#include "ops/definition.hpp"

namespace asnumpy::cpu {
namespace {

// kernels/half.hpp has them. Who folds 16-bit floats includes it; generated code folds none, and is compiled sooner without it.
void widen(const float16* in, float* out, std::size_t n);
void widen(const bfloat16* in, float* out, std::size_t n);
void narrow(const float* in, float16* out, std::size_t n);
void narrow(const float* in, bfloat16* out, std::size_t n);

// Addresses that will be read soon. A processor follows one run of addresses by itself; two of them, or one whose elements
// wait for each other, it fetches late at every page. An address beyond the end is no error.
template <class T> void fetch_ahead(const T* in, std::size_t n) {
    constexpr std::size_t ahead = 1024, line = 64;
    for (std::size_t at = 0; at < n * sizeof(T); at += line) __builtin_prefetch(reinterpret_cast<const char*>(in) + ahead + at);
}

// What is folded: elements as they lie, or what a row gives for those of two operands.
template <class T> struct Elements {
    const T* in;
    static constexpr bool several = false;
    T operator[](std::size_t i) const { return in[i]; }
    Elements from(std::size_t i) const { return {in + i}; }
    void fetch(std::size_t i, std::size_t n) const { fetch_ahead(in + i, n); }
};
template <class Inner, class T> struct Applied {
    const T *x, *y;
    static constexpr bool several = true;
    T operator[](std::size_t i) const { return static_cast<T>(Inner::template call<T>(x[i], y[i])); }
    Applied from(std::size_t i) const { return {x + i, y + i}; }
    void fetch(std::size_t i, std::size_t n) const {
        fetch_ahead(x + i, n);
        fetch_ahead(y + i, n);
    }
};

// Each block is folded in many lanes side by side, the lanes and then the blocks in pairs. The number of lanes is the same
// for every instruction set, so that a sum does not depend on the machine.
template <class Row, class T> struct FoldOf {
    using C = std::conditional_t<is_half_v<T>, float, T>;
    static constexpr std::size_t lanes = std::max<std::size_t>(1, 256 / sizeof(C));
    static constexpr bool rounds = std::is_floating_point_v<C> || is_complex_v<C>;
    // Exact operations need no pairs; sums of a block have sixteen terms a lane.
    static constexpr std::size_t block = is_half_v<T> ? 1024 : rounds ? 16 * lanes : ~std::size_t{0};

    static C op(C x, C y) { return static_cast<C>(Row::template call<T>(x, y)); }

    // The first n of the sums to one; n is a power of two. The bounds of the loops are constants.
    static C halve(std::array<C, lanes>& sums, std::size_t n) {
        for (std::size_t half = lanes / 2; half > 0; half /= 2) {
            if (half >= n) continue;
#pragma omp simd
            for (std::size_t l = 0; l < half; ++l) sums[l] = op(sums[l], sums[half + l]);
        }
        return sums[0];
    }

    template <class Source> static C fold_block(const Source in, std::size_t n) {
        alignas(64) std::array<C, lanes> sums;
        const std::size_t first = n < lanes ? std::bit_floor(n) : lanes;
#pragma omp simd
        for (std::size_t l = 0; l < first; ++l) sums[l] = in[l];
        std::size_t i = first;
        for (; i + lanes <= n; i += lanes) {
            if constexpr (Source::several || !Row::definition.options.light) in.fetch(i, lanes);
#pragma omp simd
            for (std::size_t l = 0; l < lanes; ++l) sums[l] = op(sums[l], in[i + l]);
        }
        const std::size_t rest = n - i;
#pragma omp simd
        for (std::size_t l = 0; l < rest; ++l) sums[l] = op(sums[l], in[i + l]);
        return halve(sums, first);
    }

    static C fold_block_of(Elements<T> source, std::size_t n) {
        if constexpr (is_half_v<T>) {
            alignas(64) std::array<float, block> wide;
            widen(source.in, wide.data(), n);
            return fold_block(Elements<float>{wide.data()}, n);
        } else {
            return fold_block(source, n);
        }
    }
    template <class Source> static C fold_block_of(Source source, std::size_t n) { return fold_block(source, n); }

    template <class Source> static C pairs(Source source, std::size_t n) {
        if (n <= block) return fold_block_of(source, n);
        const std::size_t left = (n / block + 1) / 2 * block;
        const C sum = pairs(source, left);
        return op(sum, left < n ? pairs(source.from(left), n - left) : sum);
    }

    static void run(void* out, const void* in, std::size_t n) {
        const C result = pairs(Elements<T>{static_cast<const T*>(in)}, n);
        if constexpr (is_half_v<T>) narrow(&result, static_cast<T*>(out), 1);
        else *static_cast<T*>(out) = result;
    }

    template <class Inner> static void run_applied(void* const* out, const void* const* in, std::size_t n) {
        *static_cast<T*>(out[0]) = pairs(Applied<Inner, T>{static_cast<const T*>(in[0]), static_cast<const T*>(in[1])}, n);
    }
};

}  // namespace
}  // namespace asnumpy::cpu
