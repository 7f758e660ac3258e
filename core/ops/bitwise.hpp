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
    row<Each<Binary, bits>>("bitwise_and", "aclnnBitwiseAndTensor x y -> out",
        []<class T>(T x, T y) { return static_cast<T>(x & y); }, {.symbol = "&", .neutral = Neutral::all_bits}),
    row<Each<Binary, bits>>("bitwise_or", "aclnnBitwiseOrTensor x y -> out",
        []<class T>(T x, T y) { return static_cast<T>(x | y); }, {.symbol = "|", .neutral = Neutral::zero}),
    row<Each<Binary, bits>>("bitwise_xor", "aclnnBitwiseXorTensor x y -> out",
        []<class T>(T x, T y) { return static_cast<T>(x ^ y); }, {.symbol = "^", .neutral = Neutral::zero}),
    row<Each<Unary, bits>>("invert", "aclnnBitwiseNot x -> out", []<class T>(T x) {
        if constexpr (is_bool<T>) return !x;
        else return static_cast<T>(~x);
    }, {.symbol = "~"}),
    row<Each<Binary, integers>>("left_shift", "aclnnLeftShift x y -> out",
        [](auto x, auto y) { return left_shift(x, y); }, {.symbol = "<<"}),
    row<Each<Binary, integers>>("right_shift", "aclnnRightShift x y -> out",
        [](auto x, auto y) { return right_shift(x, y); }, {.symbol = ">>"}),
    row<Each<BitCount, integers>>("bitwise_count", "", []<class T>(T x) {
        return static_cast<std::uint8_t>(std::popcount(static_cast<std::make_unsigned_t<T>>(wrap_absolute(x))));
    }),
    row<Each<Binary, integers>>("gcd", "aclnnGcd x y -> out",
        [](auto x, auto y) { return greatest_common_divisor(x, y); }, {.neutral = Neutral::zero}),
    row<Each<Binary, integers>>("lcm", "",
        [](auto x, auto y) { return least_common_multiple(x, y); }, {.neutral = Neutral::one}),
};

}  // namespace
}  // namespace asnumpy::ops
