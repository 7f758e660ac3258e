// Loops that call what others have for whole runs: NumPy's loops, SIMD functions of the C library.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/vector_math.hpp"
#include "ops/definition.hpp"

namespace asnumpy::cpu {
namespace {

#if defined(__AVX512F__)
inline constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr std::size_t vector_bytes = 32;
#else
inline constexpr std::size_t vector_bytes = 16;
#endif

template <class T> struct VectorOf {
    typedef T type __attribute__((vector_size(vector_bytes)));
    static constexpr std::size_t lanes = vector_bytes / sizeof(T);

    static type load(const T* from) {
        type value;
        std::memcpy(&value, from, sizeof value);
        return value;
    }
    // The missing lanes hold 1, at which every function is defined.
    static type load_part(const T* from, std::size_t n) {
        T padded[lanes];
        for (std::size_t i = 0; i < lanes; ++i) padded[i] = i < n ? from[i] : T{1};
        return load(padded);
    }
};

// NumPy's loops take operands that touch for such as overlap, and those one by one, by another function than the vectors' and
// with other bits: there the result is put down block by block.
template <class T, class... In> void apply_numpy(const NumpyLoop& loop, T* out, std::size_t n, const In*... in) {
    const auto call = [&loop](T* to, std::size_t m, const In*... from) {
        std::array<char*, sizeof...(In) + 1> operands{reinterpret_cast<char*>(const_cast<In*>(from))..., reinterpret_cast<char*>(to)};
        std::array<std::intptr_t, sizeof...(In) + 1> strides;
        strides.fill(sizeof(T));
        const auto count = static_cast<std::intptr_t>(m);
        loop.run(operands.data(), &count, strides.data(), loop.data);
    };
    if (((in != out && (in + n == out || out + n == in)) || ...)) {
        std::array<T, 256> block;
        for (std::size_t i = 0; i < n; i += block.size()) {
            const std::size_t m = std::min(block.size(), n - i);
            call(block.data(), m, in + i...);
            std::memcpy(out + i, block.data(), m * sizeof(T));
        }
    } else {
        call(out, n, in...);
    }
}

template <ops::Vector function, class T, class... In> bool apply_vector(T* out, std::size_t n, const In*... in) {
    using V = VectorOf<T>;
    using Vec = typename V::type;
    if (const NumpyLoop& loop = numpy_loop(static_cast<int>(function), sizeof(T) == 8); loop.run) {
        apply_numpy(loop, out, n, in...);
        return true;
    }
    void* const address = vector_function(static_cast<int>(function), sizeof(T) == 8);
    if (!address) return false;
    const auto call = [address](auto... values) -> Vec {
        if constexpr (sizeof...(values) == 1) return reinterpret_cast<Vec (*)(Vec)>(address)(values...);
        else return reinterpret_cast<Vec (*)(Vec, Vec)>(address)(values...);
    };
    std::size_t i = 0;
    for (; i + V::lanes <= n; i += V::lanes) {
        const Vec result = call(V::load(in + i)...);
        std::memcpy(out + i, &result, sizeof result);
    }
    if (i < n) {
        const Vec result = call(V::load_part(in + i, n - i)...);
        std::memcpy(out + i, &result, (n - i) * sizeof(T));
    }
    return true;
}

}  // namespace
}  // namespace asnumpy::cpu
