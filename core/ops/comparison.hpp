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
    row<compared>("equal", "aclnnEqTensor x y -> out", [](auto x, auto y) { return equal_values(x, y); },
        {.symbol = "==", .bits = Bits::wraps, .low_bits = true, .scalar_last = "aclnnEqScalar x y -> out", .scalar_first = "aclnnEqScalar y x -> out"}),
    row<compared>("not_equal", "aclnnNeTensor x y -> out", [](auto x, auto y) { return !equal_values(x, y); },
        {.symbol = "!=", .bits = Bits::wraps, .low_bits = true, .scalar_last = "aclnnNeScalar x y -> out", .scalar_first = "aclnnNeScalar y x -> out"}),
    row<compared>("less", "aclnnLtTensor x y -> out", [](auto x, auto y) { return less_values(x, y); },
        {.symbol = "<", .low_bits = true, .scalar_last = "aclnnLtScalar x y -> out", .scalar_first = "aclnnGtScalar y x -> out"}),
    row<compared>("less_equal", "aclnnLeTensor x y -> out", [](auto x, auto y) { return less_equal_values(x, y); },
        {.symbol = "<=", .low_bits = true, .scalar_last = "aclnnLeScalar x y -> out", .scalar_first = "aclnnGeScalar y x -> out"}),
    row<compared>("greater", "aclnnGtTensor x y -> out", [](auto x, auto y) { return less_values(y, x); },
        {.symbol = ">", .low_bits = true, .scalar_last = "aclnnGtScalar x y -> out", .scalar_first = "aclnnLtScalar y x -> out"}),
    row<compared>("greater_equal", "aclnnGeTensor x y -> out", [](auto x, auto y) { return less_equal_values(y, x); },
        {.symbol = ">=", .low_bits = true, .scalar_last = "aclnnGeScalar x y -> out", .scalar_first = "aclnnLeScalar y x -> out"}),
};

}  // namespace
}  // namespace asnumpy::ops
