// Rows that compare two values.
#pragma once

#include "ops/complex.hpp"
#include "ops/definition.hpp"

namespace asnumpy::ops {
namespace {

// int64 with uint64 has loops of its own: neither converts to the other.
using compared = JoinLoops<Each<Comparison, JoinTypes<boolean, integers>>,
                           Loops<bool(std::int64_t, std::uint64_t), bool(std::uint64_t, std::int64_t)>,
                           Each<Comparison, inexact>>;

template <class A, class B> constexpr bool equal_values(A x, B y) {
    if constexpr (is_complex_v<A>) return (x.real() == y.real()) & (x.imag() == y.imag());
    else if constexpr (std::is_same_v<A, B>) return x == y;
    else if constexpr (std::is_signed_v<A>) return (x >= 0) & (static_cast<B>(x) == y);
    else return equal_values(y, x);
}
template <class A, class B> constexpr bool less_values(A x, B y) {
    if constexpr (is_complex_v<A>) return complex_less(x, y);
    else if constexpr (std::is_same_v<A, B>) return x < y;
    else if constexpr (std::is_signed_v<A>) return (x < 0) | (static_cast<B>(x) < y);
    else return (y >= 0) & (x < static_cast<A>(y));
}
template <class A, class B> constexpr bool less_equal_values(A x, B y) {
    if constexpr (is_complex_v<A>) return complex_less_equal(x, y);
    else if constexpr (std::is_same_v<A, B>) return x <= y;
    else return !less_values(y, x);
}

constexpr std::tuple comparison{
    row<compared>("equal", [](auto x, auto y) { return equal_values(x, y); }, {.symbol = "==", .bits = Bits::wraps, .low_bits = true}),
    row<compared>("not_equal", [](auto x, auto y) { return !equal_values(x, y); }, {.symbol = "!=", .bits = Bits::wraps, .low_bits = true}),
    row<compared>("less", [](auto x, auto y) { return less_values(x, y); }, {.symbol = "<", .low_bits = true}),
    row<compared>("less_equal", [](auto x, auto y) { return less_equal_values(x, y); }, {.symbol = "<=", .low_bits = true}),
    row<compared>("greater", [](auto x, auto y) { return less_values(y, x); }, {.symbol = ">", .low_bits = true}),
    row<compared>("greater_equal", [](auto x, auto y) { return less_equal_values(y, x); }, {.symbol = ">=", .low_bits = true}),
};

}  // namespace
}  // namespace asnumpy::ops
