// Loops over a SIMD function of the C library's vector library, where there is one.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <string>

#include <dlfcn.h>

#include "ops/definition.hpp"

namespace cannsim {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64;
constexpr char vector_letter = 'e';
#elif defined(__AVX2__)
constexpr std::size_t vector_bytes = 32;
constexpr char vector_letter = 'd';
#elif defined(__x86_64__)
constexpr std::size_t vector_bytes = 16;
constexpr char vector_letter = 'b';
#else
constexpr std::size_t vector_bytes = 16;
constexpr char vector_letter = 'n';
#endif

struct VectorName {
    const char* name;
    int arguments;
};
// In the order of ops::Vector; the first stands for none.
constexpr std::array vector_names{
    VectorName{"", 0},      VectorName{"exp", 1},   VectorName{"exp2", 1},  VectorName{"expm1", 1}, VectorName{"log", 1},   VectorName{"log2", 1},
    VectorName{"log10", 1}, VectorName{"log1p", 1}, VectorName{"sin", 1},   VectorName{"cos", 1},   VectorName{"tan", 1},   VectorName{"asin", 1},
    VectorName{"acos", 1},  VectorName{"atan", 1},  VectorName{"sinh", 1},  VectorName{"cosh", 1},  VectorName{"tanh", 1},  VectorName{"asinh", 1},
    VectorName{"acosh", 1}, VectorName{"atanh", 1}, VectorName{"cbrt", 1},  VectorName{"pow", 2},   VectorName{"atan2", 2}, VectorName{"hypot", 2},
    VectorName{"erf", 1},   VectorName{"erfc", 1},
};

template <asnumpy::ops::Vector function, class T> void* vector_function() {
    static_assert(static_cast<std::size_t>(function) < vector_names.size(), "a function of ops::Vector has no name here");
    static void* const found = []() -> void* {
        void* const library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);  // never closed
        if (!library) return nullptr;
        const VectorName& which = vector_names[static_cast<std::size_t>(function)];
        const std::string symbol = std::string("_ZGV") + vector_letter + 'N' + std::to_string(vector_bytes / sizeof(T)) +
                                   std::string(static_cast<std::size_t>(which.arguments), 'v') + '_' + which.name + (sizeof(T) == 4 ? "f" : "");
        return dlsym(library, symbol.c_str());
    }();
    return found;
}

template <asnumpy::ops::Vector function, class T, class... In> bool apply_vector(T* out, std::size_t n, const In*... in) {
    typedef T Vec __attribute__((vector_size(vector_bytes)));
    constexpr std::size_t lanes = vector_bytes / sizeof(T);
    void* const address = vector_function<function, T>();
    if (!address) return false;
    const auto call = [address](auto... values) -> Vec {
        if constexpr (sizeof...(values) == 1) return reinterpret_cast<Vec (*)(Vec)>(address)(values...);
        else return reinterpret_cast<Vec (*)(Vec, Vec)>(address)(values...);
    };
    const auto loaded = [](const T* from, std::size_t m) {
        T padded[lanes];  // the missing lanes hold 1, at which every function is defined
        for (std::size_t i = 0; i < lanes; ++i) padded[i] = i < m ? from[i] : T{1};
        Vec value;
        std::memcpy(&value, padded, sizeof value);
        return value;
    };
    const auto whole = [](const T* from) {
        Vec value;
        std::memcpy(&value, from, sizeof value);
        return value;
    };
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const Vec result = call(whole(in + i)...);
        std::memcpy(out + i, &result, sizeof result);
    }
    if (i < n) {
        const Vec result = call(loaded(in + i, n - i)...);
        std::memcpy(out + i, &result, (n - i) * sizeof(T));
    }
    return true;
}

}  // namespace
}  // namespace cannsim
