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
// Of equal values, zeros of both signs, the second, as NumPy's vector loops; where these have no such dtype, the first.
template <class R, class T> constexpr bool prevails(T x, T y) {
    if constexpr (is_complex_v<T>) return complex_less_equal(y, x);
    else if constexpr (std::is_same_v<R, float16>) return x >= y;
    else return x > y;
}

constexpr std::tuple extremum{
    row<Each<Binary, any_type>>("maximum", []<class R, class T>(Result<R>, T x, T y) -> T {
        return prevails<R>(x, y) | not_a_number(x) ? x : y;
    }, {.neutral = Neutral::lowest, .needs_result = true, .low_bits = true}),
    row<Each<Binary, any_type>>("minimum", []<class R, class T>(Result<R>, T x, T y) -> T {
        return prevails<R>(y, x) | not_a_number(x) ? x : y;
    }, {.neutral = Neutral::highest, .needs_result = true, .low_bits = true}),
    row<Each<Binary, any_type>>("fmax", []<class R, class T>(Result<R>, T x, T y) -> T {
        return prevails<R>(x, y) | not_a_number(y) ? x : y;
    }, {.neutral = Neutral::nan_or_lowest, .needs_result = true, .low_bits = true}),
    row<Each<Binary, any_type>>("fmin", []<class R, class T>(Result<R>, T x, T y) -> T {
        return prevails<R>(y, x) | not_a_number(y) ? x : y;
    }, {.neutral = Neutral::nan_or_highest, .needs_result = true, .low_bits = true}),
};

}  // namespace
}  // namespace asnumpy::ops
