// From one number type to another: the rounding modes, and saturation to integers.
#pragma once

#include <cmath>
#include <limits>

#include "ascendc/base/enumerations.hpp"
#include "ascendc/base/numbers.hpp"

namespace ascendc {

using Round = AscendC::RoundMode;

// Whether the magnitude that is left grows by one when `rest` of a `unit` is cut off.
template <Round mode>
constexpr bool grows(bool negative, bool odd, std::uint64_t rest, std::uint64_t unit) {
    switch (mode) {
        case Round::CAST_ROUND: return rest * 2 >= unit;
        case Round::CAST_FLOOR: return negative && rest;
        case Round::CAST_CEIL: return !negative && rest;
        case Round::CAST_TRUNC: return false;
        case Round::CAST_ODD: return rest && !odd;
        default: return rest * 2 > unit || (rest * 2 == unit && odd);
    }
}

template <Round mode, class F>
F integral(F value) {
    if constexpr (mode == Round::CAST_FLOOR) return std::floor(value);
    else if constexpr (mode == Round::CAST_CEIL) return std::ceil(value);
    else if constexpr (mode == Round::CAST_TRUNC) return std::trunc(value);
    else if constexpr (mode == Round::CAST_ROUND) {
        const F whole = std::trunc(value);
        return std::fabs(value - whole) >= F(0.5) ? whole + std::copysign(F(1), value) : whole;
    } else return std::rint(value);
}

// An integral value within I's range; of NaN 0.
template <class I, class F>
I saturated(F value) {
    constexpr I least = std::numeric_limits<I>::min(), most = std::numeric_limits<I>::max();
    if constexpr (std::is_integral_v<F>) {
        const std::int64_t wide = value;
        return static_cast<I>(wide < std::int64_t{least} ? std::int64_t{least} : wide > std::int64_t{most} ? std::int64_t{most} : wide);
    } else {
        constexpr F top = static_cast<F>(std::uint64_t{1} << (std::numeric_limits<I>::digits - 1)) * 2, bottom = static_cast<F>(least);
        return value != value ? I(0) : value >= top ? most : value < bottom ? least : static_cast<I>(value);
    }
}

template <Round mode>
constexpr std::uint16_t half_bits_by(float value) {
    if constexpr (mode == Round::CAST_NONE || mode == Round::CAST_RINT) return half_bits(value);
    const std::uint32_t bits = bits_as<std::uint32_t>(value), magnitude = bits & 0x7fffffffu;
    const bool negative = bits >> 31;
    std::uint32_t result = 0;
    if (magnitude > 0x7f800000u) {
        result = 0x7e00;
    } else if (magnitude == 0x7f800000u) {
        result = 0x7c00;
    } else if (magnitude >= 0x47800000u) {
        result = 0x7bff + grows<mode>(negative, true, 1, 1);
    } else {
        const std::uint32_t exponent = std::max(magnitude >> 23, 1u);
        const std::uint64_t significand = (magnitude & 0x7fffffu) | (magnitude >> 23 ? 0x800000u : 0u);
        const std::uint32_t shift = exponent >= 113 ? 13 : std::min(126 - exponent, 40u);
        result = exponent >= 113 ? (magnitude >> 13) - (112u << 10) : static_cast<std::uint32_t>(significand >> shift);
        const std::uint64_t unit = std::uint64_t{1} << shift;
        result += grows<mode>(negative, result & 1, significand & (unit - 1), unit);
    }
    return static_cast<std::uint16_t>(result | (negative ? 0x8000u : 0u));
}

template <Round mode>
constexpr std::uint16_t bfloat16_bits_by(float value) {
    const std::uint32_t bits = bits_as<std::uint32_t>(value), magnitude = bits & 0x7fffffffu;
    if (magnitude >= 0x7f800000u) return bfloat16_bits(value);
    const std::uint32_t cut = magnitude >> 16;
    return static_cast<std::uint16_t>((bits >> 16 & 0x8000u) | (cut + grows<mode>(bits >> 31, cut & 1, magnitude & 0xffffu, 0x10000u)));
}

template <Round mode>
float float_by(std::int64_t value) {
    const bool negative = value < 0;
    const std::uint64_t magnitude = negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    const std::uint32_t bits = magnitude ? 64 - static_cast<std::uint32_t>(__builtin_clzll(magnitude)) : 0;
    const std::uint32_t shift = bits > 24 ? bits - 24 : 0;
    const std::uint64_t unit = std::uint64_t{1} << shift;
    const std::uint64_t cut = magnitude >> shift;
    const float result = static_cast<float>(cut + grows<mode>(negative, cut & 1, magnitude & (unit - 1), unit)) * static_cast<float>(unit);
    return negative ? -result : result;
}

// D of a value of S.
template <class D, Round mode, class S>
D converted(S value) {
    constexpr bool from_float = one_of<S, half, bfloat16_t, float>;
    if constexpr (std::is_same_v<D, S>) return integral<mode>(value);
    else if constexpr (std::is_integral_v<D> && from_float) return saturated<D>(integral<mode>(static_cast<float>(value)));
    else if constexpr (std::is_integral_v<D>) return saturated<D>(value);
    else if constexpr (std::is_same_v<D, half>) return half::from_bits(half_bits_by<mode>(static_cast<float>(value)));
    else if constexpr (std::is_same_v<D, bfloat16_t>) return bfloat16_t::from_bits(bfloat16_bits_by<mode>(static_cast<float>(value)));
    else if constexpr (from_float || sizeof(S) < 4) return static_cast<float>(value);
    else return float_by<mode>(value);
}

}  // namespace ascendc
