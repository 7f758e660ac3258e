// Rows of division, remainders and powers.
#pragma once

#include "ops/complex.hpp"
#include "ops/complex_math.hpp"
#include "ops/definition.hpp"
#include "ops/divider.hpp"
#include "ops/floating.hpp"
#include "ops/integer.hpp"

namespace asnumpy::ops {
namespace {

using double_and_complex = Loops<double(double, double), std::complex<double>(std::complex<double>, std::complex<double>)>;

// A function of integers beside one of floats; kernels use its `fast` for blocks of small quotients.
template <class Floats, class Integers> struct ByKind {
    using fast_path = Floats;
    Integers integers;

    template <class T, class Y> constexpr T operator()(T x, Y y) const {
        if constexpr (is_integer_type<T>) return integers(x, y);
        else return Floats::call(x, y);
    }
};
template <class Floats, class Integers> constexpr ByKind<Floats, Integers> by_kind(Integers integers) { return {integers}; }

constexpr auto raise_to_power = []<class T>(T x, T y) -> T {
    if constexpr (is_integer_type<T>) return integer_power(x, y);
    else if constexpr (is_complex_v<T>) return complex_power(x, y);
    else return std::pow(x, y);
};

constexpr std::tuple division{
    row<Each<Binary, inexact>>("divide", []<class T>(T x, T y) -> T {
        if constexpr (is_complex_v<T>) return complex_divide(x, y);
        else return x / y;
    }, {.symbol = "/", .costly = true, .alone = Alone::complex}),
    row<Each<Binary, reals>>("floor_divide",
        by_kind<FlooredQuotient>([](auto x, auto y) { return floor_divide(x, y); }), {.symbol = "//", .low_bits = true, .divides = true}),
    row<Each<Binary, reals>>("remainder",
        by_kind<FlooredRemainder>([](auto x, auto y) { return floor_remainder(x, y); }), {.symbol = "%", .low_bits = true, .divides = true}),
    row<Each<Binary, reals>>("fmod",
        by_kind<TruncatedRemainder>([](auto x, auto y) { return truncated_remainder(x, y); }), {.low_bits = true, .divides = true}),
    row<Each<BinaryTwo, reals>>("divmod", []<class T, class Y>(T x, Y y) -> Two<T, T> {
        if constexpr (is_integer_type<T>) return {floor_divide(x, y), floor_remainder(x, y)};
        else return floor_divmod(x, y);
    }, {.low_bits = true, .divides = true, .alone = Alone::always}),
    row<Each<Unary, numbers>>("reciprocal", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return complex_reciprocal(x);
        else if constexpr (is_floating<T>) return T{1} / x;
        else return integer_reciprocal(x);
    }, {.costly = true, .alone = Alone::complex}),
    row<Each<Binary, numbers>>("power", raise_to_power, {.symbol = "**", .vector = Vector::pow, .low_bits = true}),
    row<double_and_complex>("float_power", raise_to_power, {.vector = Vector::pow}),
};

}  // namespace
}  // namespace asnumpy::ops
