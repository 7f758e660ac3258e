// Loops that call a SIMD function of the C library.
#pragma once

#include <cstddef>
#include <cstring>

#include "cpu/vector_math.hpp"
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

template <ops::Vector function, class T, class... In> bool apply_vector(T* out, std::size_t n, const In*... in) {
    using V = VectorOf<T>;
    using Vec = typename V::type;
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
