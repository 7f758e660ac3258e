// Blocks of 16-bit floats to float and back, without branches; private to the instruction set of the including file.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/float16.hpp"

namespace cannsim {
namespace {

using asnumpy::bfloat16;
using asnumpy::float16;

inline void widen(const float16* in, float* out, std::size_t n) {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t sign = static_cast<std::uint32_t>(in[i].bits & 0x8000u) << 16, magnitude = in[i].bits & 0x7fffu;
        const std::uint32_t finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112f);
        out[i] = std::bit_cast<float>(sign | (magnitude >= 0x7c00u ? 0x7f800000u | ((magnitude & 0x3ffu) << 13) : finite));
    }
}
inline void widen(const bfloat16* in, float* out, std::size_t n) {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) out[i] = std::bit_cast<float>(static_cast<std::uint32_t>(in[i].bits) << 16);
}
inline void narrow(const float* in, float16* out, std::size_t n) {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t word = std::bit_cast<std::uint32_t>(in[i]), sign = (word >> 16) & 0x8000u, magnitude = word & 0x7fffffffu;
        const std::uint32_t payload = (magnitude >> 13) & 0x3ffu, nan = 0x7c00u | payload | (payload ? 0u : 1u);
        const std::uint32_t tiny = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
        const std::uint32_t normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
        std::uint32_t result = magnitude < 0x38800000u ? tiny : normal;
        result = magnitude >= 0x477ff000u ? 0x7c00u : result;
        result = magnitude > 0x7f800000u ? nan : result;
        out[i].bits = static_cast<std::uint16_t>(sign | result);
    }
}
inline void narrow(const float* in, bfloat16* out, std::size_t n) {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t word = std::bit_cast<std::uint32_t>(in[i]), nan = ((word >> 16) & 0x8000u) | 0x7fc0u;
        const std::uint32_t rounded = (word + 0x7fffu + ((word >> 16) & 1u)) >> 16;
        out[i].bits = static_cast<std::uint16_t>((word & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
    }
}

}  // namespace
}  // namespace cannsim
