// The number types of kernels that C++ lacks: half, bfloat16_t and the 4-bit integer.
#pragma once

#include <cstdint>
#include <type_traits>

namespace ascendc {

// C++17 has no std::bit_cast; every compiler that this library asks for has the function below it.
template <class To, class From>
constexpr To bits_as(From value) {
    static_assert(sizeof(To) == sizeof(From), "a cast of bits keeps the size");
    return __builtin_bit_cast(To, value);
}

// Round to nearest, ties to even; without a branch, so that loops over it become vector code.
constexpr std::uint16_t half_bits(float value) {
    const std::uint32_t bits = bits_as<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    const std::uint32_t normal = (magnitude + 0xfffu + (magnitude >> 13 & 1u) - (112u << 23)) >> 13;
    // 0.5 has the unit in the last place of a subnormal half: the addition rounds.
    const std::uint32_t subnormal = bits_as<std::uint32_t>(bits_as<float>(magnitude < (113u << 23) ? magnitude : 0u) + 0.5f) - 0x3f000000u;
    std::uint32_t result = magnitude < (113u << 23) ? subnormal : normal;
    result = magnitude >= 0x477ff000u ? 0x7c00u : result;  // 65520 and more round to infinity
    result = magnitude > 0x7f800000u ? 0x7e00u : result;
    return static_cast<std::uint16_t>(result | (bits >> 16 & 0x8000u));
}

constexpr float half_value(std::uint16_t half) {
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
    const std::uint32_t magnitude = half & 0x7fffu;
    const std::uint32_t normal = (magnitude << 13) + (112u << 23);
    const std::uint32_t special = (magnitude << 13) | 0x7f800000u;
    // The fraction of a subnormal, put behind the exponent of 2^-14, less 2^-14.
    const std::uint32_t small = bits_as<std::uint32_t>(bits_as<float>((magnitude << 13) + (113u << 23)) - bits_as<float>(113u << 23));
    const std::uint32_t result = magnitude >= 0x7c00u ? special : magnitude < 0x400u ? small : normal;
    return bits_as<float>(result | sign);
}

constexpr std::uint16_t bfloat16_bits(float value) {
    const std::uint32_t bits = bits_as<std::uint32_t>(value);
    const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
    return static_cast<std::uint16_t>(nan ? bits >> 16 | 0x40u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

template <class T>
using if_integer = std::enable_if_t<std::is_integral_v<T>, int>;
template <class T>
using if_number = std::enable_if_t<std::is_arithmetic_v<T>, int>;

}  // namespace ascendc

// IEEE 754 binary16. One operation on two of them is rounded once, as the scalar unit does; with an integer the result is a
// half, with a float or double that type.
struct half {
    std::uint16_t bits;

    half() = default;
    template <class T, ascendc::if_number<T> = 0>
    constexpr half(T value) : bits(ascendc::half_bits(static_cast<float>(value))) {}
    constexpr operator float() const { return ascendc::half_value(bits); }

    static constexpr half from_bits(std::uint16_t bits) {
        half result{};
        result.bits = bits;
        return result;
    }
};

namespace ascendc {

// The result of a half with a half or an integer, in either order; with other types there is none, and C++ computes in theirs.
template <class A, class B>
using half_of = std::enable_if_t<(std::is_same_v<A, half> && (std::is_same_v<B, half> || std::is_integral_v<B>)) ||
                                     (std::is_integral_v<A> && std::is_same_v<B, half>),
                                 half>;

// An integer is a half before the operation.
constexpr float half_operand(half value) { return value; }
template <class T, if_integer<T> = 0>
constexpr float half_operand(T value) { return half(value); }

}  // namespace ascendc

template <class A, class B>
constexpr ascendc::half_of<A, B> operator+(A a, B b) { return half(ascendc::half_operand(a) + ascendc::half_operand(b)); }
template <class A, class B>
constexpr ascendc::half_of<A, B> operator-(A a, B b) { return half(ascendc::half_operand(a) - ascendc::half_operand(b)); }
template <class A, class B>
constexpr ascendc::half_of<A, B> operator*(A a, B b) { return half(ascendc::half_operand(a) * ascendc::half_operand(b)); }
template <class A, class B>
constexpr ascendc::half_of<A, B> operator/(A a, B b) { return half(ascendc::half_operand(a) / ascendc::half_operand(b)); }
template <class T>
constexpr half& operator+=(half& a, T b) { return a = half(a + b); }
template <class T>
constexpr half& operator-=(half& a, T b) { return a = half(a - b); }
template <class T>
constexpr half& operator*=(half& a, T b) { return a = half(a * b); }
template <class T>
constexpr half& operator/=(half& a, T b) { return a = half(a / b); }
constexpr half operator-(half a) { return half::from_bits(static_cast<std::uint16_t>(a.bits ^ 0x8000u)); }

using float16_t = half;

// The upper half of a float; scalars reach it by ToFloat and ToBfloat16, integers (a 0 that pads) by themselves.
struct bfloat16_t {
    std::uint16_t bits;

    bfloat16_t() = default;
    constexpr explicit bfloat16_t(float value) : bits(ascendc::bfloat16_bits(value)) {}
    template <class T, ascendc::if_integer<T> = 0>
    constexpr bfloat16_t(T value) : bits(ascendc::bfloat16_bits(static_cast<float>(value))) {}
    constexpr explicit operator float() const { return ascendc::bits_as<float>(static_cast<std::uint32_t>(bits) << 16); }

    static constexpr bfloat16_t from_bits(std::uint16_t bits) {
        bfloat16_t result{};
        result.bits = bits;
        return result;
    }
};
constexpr bool operator==(bfloat16_t a, bfloat16_t b) { return static_cast<float>(a) == static_cast<float>(b); }
constexpr bool operator!=(bfloat16_t a, bfloat16_t b) { return !(a == b); }

namespace AscendC {

using ::bfloat16_t;
using ::half;

// Two of them lie in a byte, the first in its lower four bits: a tensor's offsets count elements.
struct int4b_t {
    std::uint8_t storage;
};

constexpr float ToFloat(bfloat16_t value) { return static_cast<float>(value); }
constexpr bfloat16_t ToBfloat16(float value) { return bfloat16_t(value); }

}  // namespace AscendC

namespace ascendc {

template <class T>
inline constexpr bool is_int4 = std::is_same_v<T, AscendC::int4b_t>;
template <class T>
inline constexpr unsigned size_in_bits = is_int4<T> ? 4 : 8 * sizeof(T);
// Elements in 32 bytes, the unit of every local memory.
template <class T>
inline constexpr unsigned block_elements = 256 / size_in_bits<T>;
template <class T>
constexpr std::uint64_t bytes_of(std::uint64_t elements) { return (elements * size_in_bits<T> + 7) / 8; }
template <class T, class... Types>
inline constexpr bool one_of = (std::is_same_v<T, Types> || ...);

// The type in which one operation on T is computed before its result is rounded to T.
template <class T>
using arithmetic_type = std::conditional_t<one_of<T, half, bfloat16_t>, float, T>;

// Not deduced from an argument: a scalar takes the tensor's type.
template <class T>
struct same {
    using type = T;
};
template <class T>
using same_t = typename same<T>::type;

}  // namespace ascendc
