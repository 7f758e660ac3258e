// The vector type of the instruction set that is being compiled for. In an unnamed namespace, as all that uses it.
#pragma once

#include <cstdint>
#include <cstring>

namespace asnumpy::cpu {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

template <class T> struct Vector {
    static constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));
    typedef T type __attribute__((vector_size(vector_bytes)));
};

template <class V, class T> void load_vector(V& to, const T* from) { std::memcpy(&to, from, sizeof to); }

}  // namespace
}  // namespace asnumpy::cpu
