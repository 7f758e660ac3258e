// Rows that pick the larger or smaller of two values.
#pragma once

#include "ops/complex.hpp"
#include "ops/definition.hpp"

namespace asnumpy::ops {
namespace {

template <class T> constexpr bool not_a_number(T x) {
    if constexpr (is_complex_v<T>) return complex_isnan(x);
    else return x != x;
}
template <class T> constexpr bool prevails(T x, T y) {
    if constexpr (is_complex_v<T>) return complex_less_equal(y, x);
    else return x > y;  // of equal values, zeros of both signs, the second: as NumPy's vector loops
}

constexpr std::tuple extremum{
    row<Each<Binary, any_type>>("maximum", []<class T>(T x, T y) -> T {
        return prevails(x, y) | not_a_number(x) ? x : y;
    }, {.neutral = Neutral::lowest, .low_bits = true}),
    row<Each<Binary, any_type>>("minimum", []<class T>(T x, T y) -> T {
        return prevails(y, x) | not_a_number(x) ? x : y;
    }, {.neutral = Neutral::highest, .low_bits = true}),
    row<Each<Binary, any_type>>("fmax", []<class T>(T x, T y) -> T {
        return prevails(x, y) | not_a_number(y) ? x : y;
    }, {.neutral = Neutral::nan_or_lowest, .low_bits = true}),
    row<Each<Binary, any_type>>("fmin", []<class T>(T x, T y) -> T {
        return prevails(y, x) | not_a_number(y) ? x : y;
    }, {.neutral = Neutral::nan_or_highest, .low_bits = true}),
};

}  // namespace
}  // namespace asnumpy::ops
