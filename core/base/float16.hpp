// The two 16-bit floats as storage types: they convert to float, and every computation happens there.
#pragma once

#include <bit>
#include <cstdint>

namespace asnumpy {

struct float16 {
    std::uint16_t bits = 0;

    float16() = default;
    explicit float16(float value) : bits(from_float(value)) {}
    operator float() const { return to_float(bits); }

    static float to_float(std::uint16_t half) {
        const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
        const std::uint32_t magnitude = half & 0x7fffu;
        if (magnitude >= 0x7c00u)  // infinity and NaN keep their payload
            return std::bit_cast<float>(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
        // Scaling by 2^112 rebiases the exponent and normalises subnormals in one exact multiplication.
        const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
        return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | sign);
    }

    static std::uint16_t from_float(float value) {
        const std::uint32_t word = std::bit_cast<std::uint32_t>(value);
        const std::uint16_t sign = static_cast<std::uint16_t>((word >> 16) & 0x8000u);
        const std::uint32_t magnitude = word & 0x7fffffffu;
        if (magnitude > 0x7f800000u) {  // NaN: keep the payload's top bits, never become infinity
            const std::uint16_t payload = static_cast<std::uint16_t>((magnitude >> 13) & 0x3ffu);
            return static_cast<std::uint16_t>(sign | 0x7c00u | (payload ? payload : 1u));
        }
        if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
        if (magnitude < 0x38800000u) {  // subnormal half: the addition rounds to nearest even at bit 2^-24
            const float rounded = std::bit_cast<float>(magnitude) + 0.5f;
            return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(rounded) - 0x3f000000u));
        }
        const std::uint32_t odd = (magnitude >> 13) & 1u;
        return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
    }
};

struct bfloat16 {
    std::uint16_t bits = 0;

    bfloat16() = default;
    explicit bfloat16(float value) : bits(from_float(value)) {}
    operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

    static std::uint16_t from_float(float value) {
        const std::uint32_t word = std::bit_cast<std::uint32_t>(value);
        if ((word & 0x7fffffffu) > 0x7f800000u)  // ml_dtypes maps every NaN to the quiet one of its sign
            return static_cast<std::uint16_t>(((word >> 16) & 0x8000u) | 0x7fc0u);
        return static_cast<std::uint16_t>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
    }
};

}  // namespace asnumpy
