// What Fixpipe makes of the sums of L0C: narrower floats, or integers by a scale and an offset for all columns or for each.
#pragma once

#include <cmath>

#include "ascendc/cube/fractals.hpp"

namespace ascendc {

constexpr const char* quantisation_names[] = {"NoQuant", "F322F16", "F322BF16", "DEQF16", "VDEQF16", "QF322B8_PRE", "VQF322B8_PRE", "REQ8", "VREQ8"};
constexpr bool by_column(QuantMode_t mode) {
    return mode == QuantMode_t::VDEQF16 || mode == QuantMode_t::VQF322B8_PRE || mode == QuantMode_t::VREQ8;
}

// Whether a mode makes T of U.
template <class T, class U>
constexpr bool converts(QuantMode_t mode) {
    constexpr bool sums = std::is_same_v<U, float>, byte = one_of<T, std::int8_t, std::uint8_t>;
    switch (mode) {
        case QuantMode_t::NoQuant: return std::is_same_v<T, U>;
        case QuantMode_t::F322F16: return sums && std::is_same_v<T, half>;
        case QuantMode_t::F322BF16: return sums && std::is_same_v<T, bfloat16_t>;
        case QuantMode_t::DEQF16: case QuantMode_t::VDEQF16: return !sums && std::is_same_v<T, half>;
        case QuantMode_t::QF322B8_PRE: case QuantMode_t::VQF322B8_PRE: return sums && byte;
        default: return !sums && byte;
    }
}

// One parameter of 64 bits: the scale, of which 10 bits of fraction count, the offset, and whether the result has a sign.
struct Quantiser {
    float scale = 1;
    std::int32_t offset = 0;
    bool has_sign = false;

    Quantiser() = default;
    explicit Quantiser(std::uint64_t bits)
        : scale(bits_as<float>(static_cast<std::uint32_t>(bits) & 0xffffe000u)),
          offset(static_cast<std::int32_t>(static_cast<std::uint32_t>(bits >> 37) << 23) >> 23), has_sign(bits >> 46 & 1u) {}

    std::uint8_t byte(float value) const {
        const float scaled = value * scale;
        if (scaled != scaled) return 0;
        const auto rounded = static_cast<std::int32_t>(std::nearbyint(std::clamp(scaled, -1e6f, 1e6f))) + offset;
        return static_cast<std::uint8_t>(has_sign ? std::clamp(rounded, -128, 127) : std::clamp(rounded, 0, 255));
    }
};

// A float as a half or bfloat16: beyond their range infinite, or the largest number, by the core's mode.
template <class T>
T narrowed(float value, bool keeps_infinity) {
    const T result(value);
    if (keeps_infinity) return result;
    constexpr std::uint16_t infinity = std::is_same_v<T, half> ? 0x7c00 : 0x7f80;
    const auto magnitude = static_cast<std::uint16_t>(result.bits & 0x7fffu);
    if (magnitude < infinity) return result;
    return T::from_bits(magnitude > infinity ? 0 : static_cast<std::uint16_t>((result.bits & 0x8000u) | (infinity - 1u)));
}

template <class T, class U>
T quantised(U value, const Quantiser& quantiser, bool keeps_infinity, bool relu) {
    if constexpr (std::is_same_v<T, U>) {
        return relu && value < 0 ? U(0) : value;
    } else if constexpr (one_of<T, half, bfloat16_t>) {
        float number = static_cast<float>(value);
        if constexpr (!std::is_same_v<U, float>) number *= quantiser.scale;
        return narrowed<T>(relu && number < 0 ? 0.0f : number, keeps_infinity);
    } else {
        const T result = static_cast<T>(quantiser.byte(static_cast<float>(value)));
        if constexpr (std::is_signed_v<T>) return relu && quantiser.has_sign && result < 0 ? T(0) : result;
        else return relu && quantiser.has_sign && static_cast<std::int8_t>(result) < 0 ? T(0) : result;
    }
}

}  // namespace ascendc
