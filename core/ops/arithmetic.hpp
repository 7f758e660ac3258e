// Rows of plain arithmetic.
#pragma once

#include "ops/complex.hpp"
#include "ops/definition.hpp"
#include "ops/floating.hpp"
#include "ops/integer.hpp"

namespace asnumpy::ops {
namespace {

constexpr std::tuple arithmetic{
    row<Each<Binary, any_type>>("add", "aclnnAdd x y 1 -> out", []<class T>(T x, T y) -> T {
        if constexpr (is_bool<T>) return x | y;
        else if constexpr (is_integer_type<T>) return wrap_add(x, y);
        else if constexpr (is_complex_v<T>) return {x.real() + y.real(), x.imag() + y.imag()};
        else return x + y;
    }, {.symbol = "+", .neutral = Neutral::zero, .light = true, .bits = Bits::wraps, .low_bits = true,
        .scalar_last = "aclnnAdds x y 1 -> out", .scalar_first = "aclnnAdds y x 1 -> out",
        .reduce = "aclnnReduceSum x axes true dtype -> out", .scan = "aclnnCumsum x axis dtype -> out"}),
    row<Each<Binary, numbers>>("subtract", "aclnnSub x y 1 -> out", []<class T>(T x, T y) -> T {
        if constexpr (is_integer_type<T>) return wrap_subtract(x, y);
        else if constexpr (is_complex_v<T>) return {x.real() - y.real(), x.imag() - y.imag()};
        else return x - y;
    }, {.symbol = "-", .light = true, .bits = Bits::wraps, .low_bits = true,
        .scalar_last = "aclnnSubs x y 1 -> out", .scalar_first = "aclnnRsubs y x 1 -> out"}),
    row<Each<Binary, any_type>>("multiply", "aclnnMul x y -> out", []<class T>(T x, T y) -> T {
        if constexpr (is_bool<T>) return x & y;
        else if constexpr (is_integer_type<T>) return wrap_multiply(x, y);
        else if constexpr (is_complex_v<T>) return complex_multiply(x, y);
        else return x * y;
    }, {.symbol = "*", .neutral = Neutral::one, .light = true, .bits = Bits::wraps, .low_bits = true,
        .scalar_last = "aclnnMuls x y -> out", .scalar_first = "aclnnMuls y x -> out",
        .reduce = "aclnnProdDim x axis true dtype -> out", .scan = "aclnnCumprod x axis dtype -> out"}),
    row<Each<Unary, numbers>>("negative", "aclnnNeg x -> out", []<class T>(T x) -> T {
        if constexpr (is_integer_type<T>) return wrap_negative(x);
        else if constexpr (is_complex_v<T>) return {-x.real(), -x.imag()};
        else return -x;
    }, {.symbol = "-", .bits = Bits::wraps, .low_bits = true}),
    row<Each<Unary, JoinTypes<integers, floats, long_float, complexes, long_complex>>>(
        "positive", "aclnnInplaceCopy out x", []<class T>(T x) -> T { return x; }, {.symbol = "+", .storage = true, .bits = Bits::moves}),
    row<JoinLoops<Each<Unary, any_real>, Each<Part, complexes>>>("absolute", "aclnnAbs x -> out", []<class T>(T x) {
        if constexpr (is_bool<T>) return x;
        else if constexpr (is_integer_type<T>) return wrap_absolute(x);
        else if constexpr (is_complex_v<T>) return hypotenuse(x.real(), x.imag());
        else return std::fabs(x);
    }, {.low_bits = true}),
    row<Each<Unary, JoinTypes<integers, floats, long_float, complexes, long_complex>>>("conjugate", "", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return {x.real(), -x.imag()};
        else return x;
    }, {.storage = true}),
    row<Each<Unary, numbers>>("square", "aclnnMul x x -> out", []<class T>(T x) -> T {
        if constexpr (is_integer_type<T>) return wrap_multiply(x, x);
        else if constexpr (is_complex_v<T>) return complex_multiply(x, x);
        else return x * x;
    }, {.bits = Bits::wraps, .low_bits = true}),
    row<Each<Unary, numbers>>("sign", "aclnnSign x -> out", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return complex_sign(x);
        else if constexpr (is_floating<T>) return x > 0 ? T{1} : x < 0 ? T{-1} : x == 0 ? T{0} : x;
        else return static_cast<T>((x > 0) - (x < 0));
    }, {.low_bits = true}),
    row<Each<Part, JoinTypes<complexes, long_complex>>>("real", "aclnnReal x -> out", [](auto x) { return x.real(); }),
    row<Each<Part, JoinTypes<complexes, long_complex>>>("imag", "", [](auto x) { return x.imag(); }),
};

}  // namespace
}  // namespace asnumpy::ops
