// Conversions between the 16-bit floats and float, by the block.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__F16C__)
#include <immintrin.h>
#endif

#include "base/float16.hpp"

namespace asnumpy::cpu {
namespace {

// base/float16.hpp's conversions again, without branches and private to this instruction set.
constexpr float half_to_float(std::uint16_t half) {
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
    const std::uint32_t magnitude = half & 0x7fffu;
    const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
    const std::uint32_t finite = std::bit_cast<std::uint32_t>(scaled);
    const std::uint32_t special = 0x7f800000u | ((magnitude & 0x3ffu) << 13);
    return std::bit_cast<float>(sign | (magnitude >= 0x7c00u ? special : finite));
}

constexpr std::uint16_t float_to_half(float value) {
    const std::uint32_t word = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (word >> 16) & 0x8000u;
    const std::uint32_t magnitude = word & 0x7fffffffu;
    const std::uint32_t payload = (magnitude >> 13) & 0x3ffu;
    const std::uint32_t nan = 0x7c00u | payload | (payload ? 0u : 1u);
    const std::uint32_t tiny = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
    const std::uint32_t normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
    std::uint32_t result = magnitude < 0x38800000u ? tiny : normal;
    result = magnitude >= 0x477ff000u ? 0x7c00u : result;
    result = magnitude > 0x7f800000u ? nan : result;
    return static_cast<std::uint16_t>(sign | result);
}

constexpr std::uint16_t float_to_brain(float value) {
    const std::uint32_t word = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t nan = ((word >> 16) & 0x8000u) | 0x7fc0u;
    const std::uint32_t rounded = (word + 0x7fffu + ((word >> 16) & 1u)) >> 16;
    return static_cast<std::uint16_t>((word & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

#if defined(__AVX512F__)
inline constexpr __mmask16 all = 0xffff;  // the unmasked intrinsics draw warnings from some compilers
#endif

inline void widen(const float16* in, float* out, std::size_t n) {
    std::size_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(out + i, _mm512_maskz_cvtph_ps(all, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + i))));
#elif defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i))));
#endif
#pragma omp simd
    for (std::size_t k = i; k < n; ++k) out[k] = half_to_float(in[k].bits);
}

inline void narrow(const float* in, float16* out, std::size_t n) {
    std::size_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16)
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i),
                            _mm512_maskz_cvtps_ph(all, _mm512_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT));
#elif defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT));
#endif
#pragma omp simd
    for (std::size_t k = i; k < n; ++k) out[k].bits = float_to_half(in[k]);
}

inline void widen(const bfloat16* in, float* out, std::size_t n) {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) out[i] = std::bit_cast<float>(static_cast<std::uint32_t>(in[i].bits) << 16);
}

inline void narrow(const float* in, bfloat16* out, std::size_t n) {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) out[i].bits = float_to_brain(in[i]);
}

}  // namespace
}  // namespace asnumpy::cpu
