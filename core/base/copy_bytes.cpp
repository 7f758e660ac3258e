// The copy by whole lines of the target.
#include "base/copy_bytes.hpp"

#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace asnumpy {

#if defined(__x86_64__)

namespace {

constexpr std::size_t line = 64;
constexpr std::size_t short_copy = 2048;  // the C library copies these with loads and stores

void copy_line(char* to, const char* from) {
    const auto* f = reinterpret_cast<const __m128i*>(from);
    auto* t = reinterpret_cast<__m128i*>(to);
    const __m128i a = _mm_loadu_si128(f), b = _mm_loadu_si128(f + 1), c = _mm_loadu_si128(f + 2), d = _mm_loadu_si128(f + 3);
    _mm_storeu_si128(t, a);
    _mm_storeu_si128(t + 1, b);
    _mm_storeu_si128(t + 2, c);
    _mm_storeu_si128(t + 3, d);
}

}  // namespace

void copy_bytes(char* to, const char* from, std::size_t bytes) {
    if (to == from) return;
    if (bytes < short_copy) {
        std::memcpy(to, from, bytes);
        return;
    }
    copy_line(to, from);
    std::size_t i = line - reinterpret_cast<std::uintptr_t>(to) % line;  // whole lines of the target from here
    for (; i + line <= bytes; i += line) {
        copy_line(to + i, from + i);
        asm volatile("" ::: "memory");  // a compiler would make a call of memcpy of the loop
    }
    std::memcpy(to + i, from + i, bytes - i);
}

#else

void copy_bytes(char* to, const char* from, std::size_t bytes) {
    if (to != from) std::memcpy(to, from, bytes);
}

#endif

}  // namespace asnumpy
