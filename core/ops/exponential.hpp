// Rows of roots, exponentials, logarithms and the error function. The lambdas of complex types call functions that are compiled
// once, for every machine: they are long and gain nothing from SIMD.
#pragma once

#include "ops/complex_math.hpp"
#include "ops/definition.hpp"
#include "ops/floating.hpp"

namespace asnumpy::ops {
namespace {

constexpr std::tuple exponential{
    row<Each<Unary, inexact>>("sqrt", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return complex_sqrt(x);
        else return std::sqrt(x);
    }, {.costly = true, .alone = Alone::complex}),
    row<Each<Unary, floats>>("cbrt", [](auto x) { return std::cbrt(x); }, {.vector = Vector::cbrt}),
    row<Each<Unary, inexact>>("exp", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return complex_exp(x);
        else return std::exp(x);
    }, {.vector = Vector::exp}),
    row<Each<Unary, inexact>>("exp2", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return complex_exp2(x);
        else return std::exp2(x);
    }, {.vector = Vector::exp2}),
    row<Each<Unary, inexact>>("expm1", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return complex_expm1(x);
        else return std::expm1(x);
    }, {.vector = Vector::expm1}),
    row<Each<Unary, inexact>>("log", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return complex_log(x);
        else return std::log(x);
    }, {.vector = Vector::log}),
    row<Each<Unary, inexact>>("log2", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return complex_log2(x);
        else return std::log2(x);
    }, {.vector = Vector::log2}),
    row<Each<Unary, inexact>>("log10", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return complex_log10(x);
        else return std::log10(x);
    }, {.vector = Vector::log10}),
    row<Each<Unary, inexact>>("log1p", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return complex_log1p(x);
        else return std::log1p(x);
    }, {.vector = Vector::log1p}),
    row<Each<Binary, floats>>("logaddexp",
        [](auto x, auto y) { return log_add_exp(x, y); }, {.neutral = Neutral::lowest, .alone = Alone::always}),
    row<Each<Binary, floats>>("logaddexp2",
        [](auto x, auto y) { return log_add_exp2(x, y); }, {.neutral = Neutral::lowest, .alone = Alone::always}),
    row<Each<Unary, floats>>("erf", [](auto x) { return std::erf(x); }, {.vector = Vector::erf}),
    row<Each<Unary, floats>>("erfc", [](auto x) { return std::erfc(x); }, {.vector = Vector::erfc}),
    row<Each<Binary, floats>>("hypot", [](auto x, auto y) { return hypotenuse(x, y); }, {.neutral = Neutral::zero, .costly = true}),
};

}  // namespace
}  // namespace asnumpy::ops
