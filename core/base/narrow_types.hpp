// The element types that are held and converted but not computed with: floats of 8, 6 and 4 bits, integers of 4, 2
// and 1 bits, each in a byte of its own, and complex numbers of two float16.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>

#include "base/float16.hpp"

namespace asnumpy {

namespace narrow_formats {

constexpr double power_of_two(int exponent) {
    double value = 1;
    for (; exponent > 0; --exponent) value *= 2;
    for (; exponent < 0; ++exponent) value /= 2;
    return value;
}

template <class Format> constexpr std::array<float, 256> decoded() {
    std::array<float, 256> values{};
    for (std::size_t code = 0; code < values.size(); ++code) values[code] = Format::decode(static_cast<std::uint8_t>(code));
    return values;
}

constexpr float nan = std::bit_cast<float>(0x7fc00000u), infinity = std::bit_cast<float>(0x7f800000u);

// What the greatest codes mean, and so where a value that is too large goes.
enum class Top : std::uint8_t { infinity_and_nan, only_nan, finite };

// Sign, exponent, mantissa. A format without NaN stores one as a zero, whose sign is the NaN's or its opposite.
template <int exponent_bits, int mantissa_bits, int bias, Top top, bool nan_flips_sign = false> struct Binary {
    static constexpr unsigned sign = 1u << (exponent_bits + mantissa_bits), one = 1u << mantissa_bits;
    static constexpr unsigned overflow = top == Top::infinity_and_nan ? sign - one : sign - 1;

    static constexpr float decode(std::uint8_t code) {
        const unsigned magnitude = code & (sign - 1), exponent = magnitude >> mantissa_bits, mantissa = magnitude & (one - 1);
        double value = 0;
        if (top == Top::infinity_and_nan && magnitude >= overflow) value = magnitude == overflow ? infinity : nan;
        else if (top == Top::only_nan && magnitude == overflow) value = nan;
        else if (exponent == 0) value = mantissa * power_of_two(1 - bias - mantissa_bits);
        else value = (one + mantissa) * power_of_two(static_cast<int>(exponent) - bias - mantissa_bits);
        return static_cast<float>(code & sign ? -value : value);
    }

    static constexpr std::uint8_t encode(float value) {  // to nearest, ties to even
        const std::uint32_t word = std::bit_cast<std::uint32_t>(value), magnitude = word & 0x7fffffffu;
        const bool negative = word >> 31;
        if (magnitude > 0x7f800000u) {
            if (top == Top::finite) return static_cast<std::uint8_t>(negative != nan_flips_sign ? sign : 0);
            const unsigned quiet = top == Top::only_nan ? overflow : overflow | one >> 1;
            return static_cast<std::uint8_t>((negative ? sign : 0) | quiet);
        }
        constexpr int lowest = 1 - bias;
        const int exponent = static_cast<int>(magnitude >> 23) - 127;
        const int drop = std::min(31, 23 - mantissa_bits + std::max(0, lowest - exponent));
        const std::uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
        const std::uint32_t rounded = (significand + (1u << (drop - 1)) - 1 + (significand >> drop & 1)) >> drop;
        const std::uint32_t code = (static_cast<std::uint32_t>(std::max(exponent, lowest) - lowest) << mantissa_bits) + rounded;
        return static_cast<std::uint8_t>((negative ? sign : 0) | std::min(code, std::uint32_t{overflow}));
    }
};

// A power of two without a sign, the scale of a block of narrower numbers: no zero, no infinity, one NaN. Ties go up.
struct Scale {
    static constexpr float decode(std::uint8_t code) {
        return code == 0xff ? nan : static_cast<float>(power_of_two(code - 127));
    }
    static constexpr std::uint8_t encode(float value) {
        const std::uint32_t word = std::bit_cast<std::uint32_t>(value);
        if (word == 0 || word >= 0x7f800000u) return 0xff;  // zero, infinity, NaN and everything with a sign
        if (word < 0x800000u) return word > 0x400000u;      // subnormal floats above 2**-127 go up, as in ml_dtypes
        return static_cast<std::uint8_t>((word + 0x400000u) >> 23);
    }
};

// HiFloat8 ("Ascend HiFloat8 Format for Deep Learning", 2024): a prefix code says how many bits the exponent takes, so
// that the mantissa has 3 bits for exponents of at most 3, 2 up to 7 and 1 up to 15; below are seven more powers of two.
// The exponent is sign and magnitude with its leading one left out. One zero, one NaN. Ties go away from zero.
struct Tapered {
    static constexpr int mantissa_bits(int magnitude) { return magnitude < 4 ? 3 : magnitude < 8 ? 2 : 1; }

    static constexpr float decode(std::uint8_t code) {
        if (code == 0x80) return nan;
        const unsigned body = code & 0x7fu;
        double value = 0;
        if (body == 0x6f) value = infinity;
        else if (body < 0x08) value = body ? power_of_two(static_cast<int>(body) - 23) : 0;
        else if (body < 0x10) value = (8 + (body & 7)) / 8.0;
        else {
            const int width = body < 0x20 ? 1 : static_cast<int>(body >> 5) + 1;  // of the exponent, its sign included
            const int bits = width == 1 ? 3 : 5 - width;                          // of the mantissa
            const unsigned fields = body & (width == 1 ? 0xfu : 0x1fu);
            const unsigned low = fields >> bits & ((1u << (width - 1)) - 1);
            const int magnitude = static_cast<int>(1u << (width - 1) | low);
            const bool negative = fields >> (bits + width - 1) & 1;
            const unsigned one = 1u << bits;
            value = (one + (fields & (one - 1))) * power_of_two((negative ? -magnitude : magnitude) - bits);
        }
        return static_cast<float>(code & 0x80 ? -value : value);
    }

    static constexpr std::uint8_t encode(float value) {
        const std::uint32_t word = std::bit_cast<std::uint32_t>(value), bits = word & 0x7fffffffu;
        if (bits > 0x7f800000u) return 0x80;
        int exponent = static_cast<int>(bits >> 23) - 127;
        if (exponent < -23) return 0;
        const unsigned sign = word >> 31 << 7;
        const int kept = exponent < -15 ? 0 : mantissa_bits(exponent < 0 ? -exponent : exponent);
        const std::uint32_t rounded = ((bits & 0x7fffffu) + 0x800000u + (1u << (22 - kept))) >> (23 - kept);
        unsigned mantissa = rounded & ((1u << kept) - 1);
        if (exponent == -23) exponent = -22;  // at least half of the least value
        else if (rounded >> (kept + 1)) {
            ++exponent;
            mantissa = 0;
        }
        if (exponent > 15) return static_cast<std::uint8_t>(sign | 0x6fu);
        if (exponent < -15) return static_cast<std::uint8_t>(sign | static_cast<unsigned>(exponent + 23));
        const unsigned magnitude = static_cast<unsigned>(exponent < 0 ? -exponent : exponent), below = exponent < 0 ? 1 : 0;
        if (magnitude == 0) return static_cast<std::uint8_t>(sign | 0x08u | mantissa);
        if (magnitude == 1) return static_cast<std::uint8_t>(sign | 0x10u | below << 3 | mantissa);
        if (magnitude < 4) return static_cast<std::uint8_t>(sign | 0x20u | below << 4 | (magnitude - 2) << 3 | mantissa);
        if (magnitude < 8) return static_cast<std::uint8_t>(sign | 0x40u | below << 4 | (magnitude - 4) << 2 | mantissa);
        return static_cast<std::uint8_t>(sign | 0x60u | below << 4 | (magnitude - 8) << 1 | mantissa);
    }
};

}  // namespace narrow_formats

template <class Format> struct NarrowFloat {
    using wide = float;
    std::uint8_t bits = 0;

    NarrowFloat() = default;
    explicit constexpr NarrowFloat(float value) : bits(Format::encode(value)) {}
    operator float() const { return values[bits]; }

    static constexpr std::array<float, 256> values = narrow_formats::decoded<Format>();
};

// The low bits of a byte; the others are zero when written and ignored when read.
template <int width, class Wide> struct NarrowInteger {
    using wide = Wide;
    static constexpr int lowest = Wide(-1) < Wide(0) ? -(1 << (width - 1)) : 0, highest = lowest + (1 << width) - 1;
    std::uint8_t bits = 0;

    NarrowInteger() = default;
    explicit constexpr NarrowInteger(Wide value) : bits(static_cast<std::uint8_t>(static_cast<unsigned>(value) & ((1u << width) - 1))) {}
    operator Wide() const {
        const int value = bits & ((1 << width) - 1);
        return static_cast<Wide>(value > highest ? value - (1 << width) : value);
    }
};

struct complex32 {
    using wide = std::complex<float>;
    float16 real, imag;

    complex32() = default;
    explicit complex32(wide value) : real(value.real()), imag(value.imag()) {}
    operator wide() const { return {real, imag}; }
    bool operator==(const complex32& other) const { return wide(*this) == wide(other); }
};

using int4 = NarrowInteger<4, std::int8_t>;
using uint4 = NarrowInteger<4, std::uint8_t>;
using int2 = NarrowInteger<2, std::int8_t>;
using uint2 = NarrowInteger<2, std::uint8_t>;
using uint1 = NarrowInteger<1, std::uint8_t>;
using float8_e4m3fn = NarrowFloat<narrow_formats::Binary<4, 3, 7, narrow_formats::Top::only_nan>>;
using float8_e5m2 = NarrowFloat<narrow_formats::Binary<5, 2, 15, narrow_formats::Top::infinity_and_nan>>;
using float8_e8m0fnu = NarrowFloat<narrow_formats::Scale>;
using float6_e2m3fn = NarrowFloat<narrow_formats::Binary<2, 3, 1, narrow_formats::Top::finite, true>>;
using float6_e3m2fn = NarrowFloat<narrow_formats::Binary<3, 2, 3, narrow_formats::Top::finite, true>>;
using float4_e2m1fn = NarrowFloat<narrow_formats::Binary<2, 1, 1, narrow_formats::Top::finite, true>>;
using float4_e1m2fn = NarrowFloat<narrow_formats::Binary<1, 2, 1, narrow_formats::Top::finite>>;
using hifloat8 = NarrowFloat<narrow_formats::Tapered>;

}  // namespace asnumpy
