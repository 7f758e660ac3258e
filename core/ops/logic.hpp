// Rows of truth values: logical operations, tests of single values, and the choice between two.
#pragma once

#include "ops/complex.hpp"
#include "ops/definition.hpp"
#include "ops/floating.hpp"

namespace asnumpy::ops {
namespace {

template <class T> using Choice = T(bool, T, T);

template <class T> constexpr bool truth(T x) {
    if constexpr (is_bool<T>) return x;
    else if constexpr (is_complex_v<T>) return (x.real() != 0) | (x.imag() != 0);
    else return x != 0;
}

constexpr std::tuple logic{
    row<Each<Comparison, any_type>>("logical_and",
        [](auto x, auto y) -> bool { return truth(x) & truth(y); }, {.neutral = Neutral::one, .bits = Bits::wraps, .low_bits = true}),
    row<Each<Comparison, any_type>>("logical_or",
        [](auto x, auto y) -> bool { return truth(x) | truth(y); }, {.neutral = Neutral::zero, .bits = Bits::wraps, .low_bits = true}),
    row<Each<Comparison, any_type>>("logical_xor",
        [](auto x, auto y) -> bool { return truth(x) != truth(y); }, {.neutral = Neutral::zero, .bits = Bits::wraps, .low_bits = true}),
    row<Each<Predicate, any_type>>("logical_not", [](auto x) { return !truth(x); }, {.bits = Bits::wraps, .low_bits = true}),
    row<Each<Predicate, any_type>>("isnan", []<class T>(T x) {
        if constexpr (is_complex_v<T>) return complex_isnan(x);
        else return x != x;
    }),
    row<Each<Predicate, any_type>>("isinf", []<class T>(T x) -> bool {
        if constexpr (is_complex_v<T>) return is_infinite(x.real()) | is_infinite(x.imag());
        else if constexpr (is_floating<T>) return is_infinite(x);
        else return false;
    }),
    row<Each<Predicate, any_type>>("isfinite", []<class T>(T x) -> bool {
        if constexpr (is_complex_v<T>) return (x.real() - x.real() == 0) & (x.imag() - x.imag() == 0);
        else if constexpr (is_floating<T>) return x - x == 0;
        else return true;
    }),
    row<Each<Predicate, floats>>("signbit", []<class T>(T x) -> bool {
        if constexpr (sizeof(T) == 4) return std::bit_cast<std::int32_t>(x) < 0;
        else return std::bit_cast<std::int64_t>(x) < 0;
    }),
    row<Each<Choice, JoinTypes<any_with_long, narrow_types>>>("where",
        []<class T>(bool condition, T x, T y) -> T { return condition ? x : y; }, {.storage = true, .bits = Bits::moves}),
};

}  // namespace
}  // namespace asnumpy::ops
