// Rows of plain arithmetic.
#pragma once

#include "ops/complex.hpp"
#include "ops/definition.hpp"
#include "ops/floating.hpp"
#include "ops/integer.hpp"

namespace asnumpy::ops {
namespace {

constexpr std::tuple arithmetic{
    row<Each<Binary, any_type>>("add", []<class T>(T x, T y) -> T {
        if constexpr (is_bool<T>) return x | y;
        else if constexpr (is_integer_type<T>) return wrap_add(x, y);
        else if constexpr (is_complex_v<T>) return {x.real() + y.real(), x.imag() + y.imag()};
        else return x + y;
    }, {.symbol = "+", .neutral = Neutral::zero, .light = true, .bits = Bits::wraps, .low_bits = true}),
    row<Each<Binary, numbers>>("subtract", []<class T>(T x, T y) -> T {
        if constexpr (is_integer_type<T>) return wrap_subtract(x, y);
        else if constexpr (is_complex_v<T>) return {x.real() - y.real(), x.imag() - y.imag()};
        else return x - y;
    }, {.symbol = "-", .light = true, .bits = Bits::wraps, .low_bits = true}),
    row<Each<Binary, any_type>>("multiply", []<class T>(T x, T y) -> T {
        if constexpr (is_bool<T>) return x & y;
        else if constexpr (is_integer_type<T>) return wrap_multiply(x, y);
        else if constexpr (is_complex_v<T>) return complex_multiply(x, y);
        else return x * y;
    }, {.symbol = "*", .neutral = Neutral::one, .light = true, .bits = Bits::wraps, .low_bits = true}),
    row<Each<Unary, numbers>>("negative", []<class T>(T x) -> T {
        if constexpr (is_integer_type<T>) return wrap_negative(x);
        else if constexpr (is_complex_v<T>) return {opposite(x.real()), opposite(x.imag())};
        else return -x;
    }, {.symbol = "-", .bits = Bits::wraps, .low_bits = true}),
    row<Each<Unary, JoinTypes<integers, floats, long_float, complexes, long_complex>>>("positive",
        []<class T>(T x) -> T { return x; }, {.symbol = "+", .storage = true, .bits = Bits::moves}),
    row<JoinLoops<Each<Unary, any_real>, Each<Part, complexes>>>("absolute", []<class T>(T x) {
        if constexpr (is_bool<T>) return x;
        else if constexpr (is_integer_type<T>) return wrap_absolute(x);
        else if constexpr (is_complex_v<T>) return hypotenuse(x.real(), x.imag());
        else return std::fabs(x);
    }, {.low_bits = true}),
    row<Each<Unary, JoinTypes<integers, floats, long_float, complexes, long_complex>>>("conjugate", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return {x.real(), opposite(x.imag())};
        else return x;
    }, {.storage = true}),
    row<Each<Unary, numbers>>("square", []<class T>(T x) -> T {
        if constexpr (is_integer_type<T>) return wrap_multiply(x, x);
        else if constexpr (is_complex_v<T>) return complex_multiply(x, x);
        else return x * x;
    }, {.bits = Bits::wraps, .low_bits = true}),
    row<Each<Unary, numbers>>("sign", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return complex_sign(x);
        else if constexpr (is_floating<T>) return x > 0 ? T{1} : x < 0 ? T{-1} : x == 0 ? T{0} : x;
        else return static_cast<T>((x > 0) - (x < 0));
    }, {.low_bits = true, .alone = Alone::complex}),
    row<Each<Part, JoinTypes<complexes, long_complex>>>("real", [](auto x) { return x.real(); }),
    row<Each<Part, JoinTypes<complexes, long_complex>>>("imag", [](auto x) { return x.imag(); }),
};

}  // namespace
}  // namespace asnumpy::ops
