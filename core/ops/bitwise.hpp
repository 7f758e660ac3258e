// Rows that work on the bits of bools and integers.
#pragma once

#include <bit>

#include "ops/definition.hpp"
#include "ops/integer.hpp"

namespace asnumpy::ops {
namespace {

template <class T> using BitCount = std::uint8_t(T);
using bits = JoinTypes<boolean, integers>;

constexpr std::tuple bitwise{
    row<Each<Binary, bits>>("bitwise_and", []<class T>(T x, T y) { return static_cast<T>(x & y); },
        {.symbol = "&", .neutral = Neutral::all_bits, .bits = Bits::wraps, .low_bits = true}),
    row<Each<Binary, bits>>("bitwise_or", []<class T>(T x, T y) { return static_cast<T>(x | y); },
        {.symbol = "|", .neutral = Neutral::zero, .bits = Bits::wraps, .low_bits = true}),
    row<Each<Binary, bits>>("bitwise_xor", []<class T>(T x, T y) { return static_cast<T>(x ^ y); },
        {.symbol = "^", .neutral = Neutral::zero, .bits = Bits::wraps, .low_bits = true}),
    row<Each<Unary, bits>>("invert", []<class T>(T x) {
        if constexpr (is_bool<T>) return !x;
        else return static_cast<T>(~x);
    }, {.symbol = "~", .bits = Bits::wraps, .low_bits = true}),
    row<Each<Binary, integers>>("left_shift",
        [](auto x, auto y) { return left_shift(x, y); }, {.symbol = "<<", .low_bits = true}),
    row<Each<Binary, integers>>("right_shift",
        [](auto x, auto y) { return right_shift(x, y); }, {.symbol = ">>", .low_bits = true}),
    row<Each<BitCount, integers>>("bitwise_count", []<class T>(T x) {
        return static_cast<std::uint8_t>(std::popcount(static_cast<std::make_unsigned_t<T>>(wrap_absolute(x))));
    }, {.low_bits = true}),
    row<Each<Binary, integers>>("gcd",
        [](auto x, auto y) { return greatest_common_divisor(x, y); }, {.neutral = Neutral::zero, .low_bits = true, .alone = Alone::always}),
    row<Each<Binary, integers>>("lcm",
        [](auto x, auto y) { return least_common_multiple(x, y); }, {.neutral = Neutral::one, .low_bits = true, .alone = Alone::always}),
};

}  // namespace
}  // namespace asnumpy::ops
