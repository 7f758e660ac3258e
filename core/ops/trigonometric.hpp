// Rows of trigonometric and hyperbolic functions. The lambdas of complex types call functions that are compiled
// once, for every machine: they are long and gain nothing from SIMD.
#pragma once

#include "ops/circular.hpp"
#include "ops/complex_math.hpp"
#include "ops/definition.hpp"
#include "ops/floating.hpp"

namespace asnumpy::ops {
namespace {

struct Sine {
    using fast_path = FastSine;
    template <class T> constexpr T operator()(T x) const {
        if constexpr (is_complex_v<T>) return complex_sin(x);
        else if constexpr (FastSine::available<T>()) return FastSine::call(x);
        else return std::sin(x);
    }
};
struct Cosine {
    using fast_path = FastCosine;
    template <class T> constexpr T operator()(T x) const {
        if constexpr (is_complex_v<T>) return complex_cos(x);
        else if constexpr (FastCosine::available<T>()) return FastCosine::call(x);
        else return std::cos(x);
    }
};

constexpr std::tuple trigonometric{
    row<Each<Unary, inexact>>("sin", Sine{}, {.vector = Vector::sin}),
    row<Each<Unary, inexact>>("cos", Cosine{}, {.vector = Vector::cos}),
    row<Each<Unary, inexact>>("tan", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return complex_tan(x);
        else return std::tan(x);
    }, {.vector = Vector::tan}),
    row<Each<Unary, inexact>>("arcsin", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return complex_asin(x);
        else return std::asin(x);
    }, {.vector = Vector::asin}),
    row<Each<Unary, inexact>>("arccos", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return complex_acos(x);
        else return std::acos(x);
    }, {.vector = Vector::acos}),
    row<Each<Unary, inexact>>("arctan", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return complex_atan(x);
        else return std::atan(x);
    }, {.vector = Vector::atan}),
    row<Each<Binary, floats>>("arctan2",
        [](auto y, auto x) { return std::atan2(y, x); }, {.vector = Vector::atan2}),
    row<Each<Unary, inexact>>("sinh", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return complex_sinh(x);
        else return std::sinh(x);
    }, {.vector = Vector::sinh}),
    row<Each<Unary, inexact>>("cosh", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return complex_cosh(x);
        else return std::cosh(x);
    }, {.vector = Vector::cosh}),
    row<Each<Unary, inexact>>("tanh", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return complex_tanh(x);
        else return std::tanh(x);
    }, {.vector = Vector::tanh}),
    row<Each<Unary, inexact>>("arcsinh", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return complex_asinh(x);
        else return std::asinh(x);
    }, {.vector = Vector::asinh}),
    row<Each<Unary, inexact>>("arccosh", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return complex_acosh(x);
        else return std::acosh(x);
    }, {.vector = Vector::acosh}),
    row<Each<Unary, inexact>>("arctanh", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return complex_atanh(x);
        else return std::atanh(x);
    }, {.vector = Vector::atanh}),
};

}  // namespace
}  // namespace asnumpy::ops
