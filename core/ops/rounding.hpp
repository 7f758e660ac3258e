// Rows that take floats apart or round them.
#pragma once

#include "ops/definition.hpp"
#include "ops/floating.hpp"

namespace asnumpy::ops {
namespace {

template <class T> using FractionExponent = Two<T, std::int32_t>(T);
// Bools and integers are whole already.
using whole_or_float = JoinTypes<boolean, reals>;
// ml_dtypes has bfloat16 loops for deg2rad and rad2deg but not for radians and degrees.
using ldexp_loops = Loops<float16(float16, std::int32_t), float(float, std::int32_t), float16(float16, std::int64_t),
                          float(float, std::int64_t), double(double, std::int32_t), double(double, std::int64_t)>;

constexpr auto to_radians = []<class T>(T x) -> T { return x * (std::numbers::pi_v<T> / T{180}); };
constexpr auto to_degrees = []<class T>(T x) -> T { return x * (T{180} / std::numbers::pi_v<T>); };

constexpr std::tuple rounding{
    row<Each<Unary, whole_or_float>>("floor", []<class T>(T x) -> T {
        if constexpr (is_floating<T>) return std::floor(x);
        else return x;
    }),
    row<Each<Unary, whole_or_float>>("ceil", []<class T>(T x) -> T {
        if constexpr (is_floating<T>) return std::ceil(x);
        else return x;
    }),
    row<Each<Unary, whole_or_float>>("trunc", []<class T>(T x) -> T {
        if constexpr (is_floating<T>) return std::trunc(x);
        else return x;
    }),
    row<Each<Unary, inexact>>("rint", []<class T>(T x) -> T {
        if constexpr (is_complex_v<T>) return {std::rint(x.real()), std::rint(x.imag())};
        else return std::rint(x);
    }),
    row<Each<Unary, floats>>("fabs", [](auto x) { return std::fabs(x); }),
    row<Each<Binary, floats>>("copysign", [](auto x, auto y) { return std::copysign(x, y); }),
    row<Each<Binary, floats>>("nextafter", [](auto x, auto y) { return next_after(x, y); }, {.storage = true, .alone = Alone::always}),
    row<Each<Unary, floats>>("spacing", [](auto x) { return next_spacing(x); }, {.storage = true}),
    row<Each<Binary, floats>>("heaviside", []<class T>(T x, T y) -> T {
        return x != x ? x : x == 0 ? y : x < 0 ? T{0} : T{1};
    }),
    row<ldexp_loops>("ldexp", [](auto x, auto exponent) { return scale_by_power_of_two(x, exponent); }, {.alone = Alone::always}),
    row<Each<FractionExponent, floats>>("frexp", [](auto x) { return fraction_exponent(x); }, {.alone = Alone::always}),
    row<Each<UnaryTwo, floats>>("modf", [](auto x) { return fraction_integer(x); }),
    row<Each<Unary, floats>>("deg2rad", to_radians),
    row<Each<Unary, floats>>("rad2deg", to_degrees),
    row<Each<Unary, ieee_floats>>("radians", to_radians),
    row<Each<Unary, ieee_floats>>("degrees", to_degrees),
};

}  // namespace
}  // namespace asnumpy::ops
