// Functions of one or two numbers, element by element: sines, powers, rounding.
#pragma once

#include <cmath>

#include "ascendc/library/scratch.hpp"

namespace ascendc {

template <class T, bool spoils, class F>
void function(const char* name, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
              const AscendC::LocalTensor<std::uint8_t>* scratch, std::uint32_t n, F f, Where where) {
    static_assert(is_float<T>, "the function takes half and float");
    if constexpr (!computes_here) return;
    if (held(Pipe::V))
        return postpone(Pipe::V, [=, scratch = KeptTensor(scratch)] { function<T, spoils>(name, dst, src, scratch.get(), n, f, where); });
    Instruction at(name, Pipe::V, where);
    scratch ? use_scratch(at, *scratch, 1) : use_rest(at, 1);
    const Walk walk = count_form(at, n, repeat_lanes<T>);
    unary(at, walk, dst, src, {}, function_rate, exactly<T>(f));
    if (spoils && src.place().address != dst.place().address) spoil(at, src, n);
}

// digamma by recurrence up to 6 and its asymptotic series (Abramowitz and Stegun 6.3.18); reflected below 0.
inline double digamma(double x) {
    if (x == 0) return std::copysign(INFINITY, -x);
    if (x < 0 && x == std::floor(x)) return NAN;
    if (x < 0) return digamma(1 - x) - M_PI / std::tan(M_PI * x);
    double sum = 0;
    for (; x < 6; ++x) sum -= 1 / x;
    const double y = 1 / (x * x);
    return sum + std::log(x) - 0.5 / x - y * (1. / 12 - y * (1. / 120 - y * (1. / 252 - y * (1. / 240 - y / 132))));
}

}  // namespace ascendc

namespace AscendC {

// Four forms each: with a temporary or without, with a count or for the whole of dst.
#define ASCENDC_FUNCTION(Name, expression)                                                                                         \
    template <class T, bool isReuseSource = false>                                                                                 \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint8_t>& scratch,                      \
              const std::uint32_t count, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                            \
        ascendc::function<T, isReuseSource>(#Name, dst, src, &scratch, count, [](double x) { return expression; }, where);         \
    }                                                                                                                              \
    template <class T, bool isReuseSource = false>                                                                                 \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint8_t>& scratch,                      \
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                                       \
        Name<T, isReuseSource>(dst, src, scratch, dst.GetSize(), where);                                                           \
    }                                                                                                                              \
    template <class T, bool isReuseSource = false>                                                                                 \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t count,                                     \
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                                       \
        ascendc::function<T, isReuseSource>(#Name, dst, src, nullptr, count, [](double x) { return expression; }, where);          \
    }                                                                                                                              \
    template <class T, bool isReuseSource = false>                                                                                 \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                                                                \
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                                       \
        Name<T, isReuseSource>(dst, src, dst.GetSize(), where);                                                                    \
    }
ASCENDC_FUNCTION(Log, std::log(x))
ASCENDC_FUNCTION(Log2, std::log2(x))
ASCENDC_FUNCTION(Log10, std::log10(x))
ASCENDC_FUNCTION(Sin, std::sin(x))
ASCENDC_FUNCTION(Cos, std::cos(x))
ASCENDC_FUNCTION(Tan, std::tan(x))
ASCENDC_FUNCTION(Sinh, std::sinh(x))
ASCENDC_FUNCTION(Cosh, std::cosh(x))
ASCENDC_FUNCTION(Tanh, std::tanh(x))
ASCENDC_FUNCTION(Asin, std::asin(x))
ASCENDC_FUNCTION(Acos, std::acos(x))
ASCENDC_FUNCTION(Atan, std::atan(x))
ASCENDC_FUNCTION(Asinh, std::asinh(x))
ASCENDC_FUNCTION(Acosh, std::acosh(x))
ASCENDC_FUNCTION(Atanh, std::atanh(x))
ASCENDC_FUNCTION(Erf, std::erf(x))
ASCENDC_FUNCTION(Erfc, std::erfc(x))
ASCENDC_FUNCTION(Floor, std::floor(x))
ASCENDC_FUNCTION(Ceil, std::ceil(x))
ASCENDC_FUNCTION(Round, std::nearbyint(x))
ASCENDC_FUNCTION(Rint, std::nearbyint(x))
ASCENDC_FUNCTION(Trunc, std::trunc(x))
ASCENDC_FUNCTION(Frac, x - std::trunc(x))
ASCENDC_FUNCTION(Sign, x != x ? x : static_cast<double>((x > 0) - (x < 0)))
ASCENDC_FUNCTION(Lgamma, std::lgamma(x))
ASCENDC_FUNCTION(Digamma, ascendc::digamma(x))
ASCENDC_FUNCTION(Sigmoid, 1 / (1 + std::exp(-x)))
#undef ASCENDC_FUNCTION

// e^x by a series of `taylorLevel` terms on the device, exact here.
template <class T, std::uint8_t taylorLevel, bool isReuseSource>
void Exp(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint8_t>& scratch, const std::uint32_t count,
         ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::function<T, isReuseSource>("Exp", dst, src, &scratch, count, [](double x) { return std::exp(x); }, where);
}
template <class T, std::uint8_t taylorLevel, bool isReuseSource>
void Exp(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t count,
         ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::function<T, isReuseSource>("Exp", dst, src, nullptr, count, [](double x) { return std::exp(x); }, where);
}

}  // namespace AscendC

namespace ascendc {

// Two tensors, or a tensor and a scalar on either side.
template <class T, class F>
void function_of_two(const char* name, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& a,
                     const AscendC::LocalTensor<T>& b, const AscendC::LocalTensor<std::uint8_t>* scratch, std::uint32_t n, F f, Where where) {
    if constexpr (!computes_here) return;
    if (held(Pipe::V))
        return postpone(Pipe::V, [=, scratch = KeptTensor(scratch)] { function_of_two(name, dst, a, b, scratch.get(), n, f, where); });
    Instruction at(name, Pipe::V, where);
    scratch ? use_scratch(at, *scratch, 1) : use_rest(at, 1);
    binary(at, count_form(at, n, repeat_lanes<T>), dst, a, b, {}, function_rate, exactly<T>(f));
}
template <class T, class F>
void function_with_scalar(const char* name, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                          const AscendC::LocalTensor<std::uint8_t>* scratch, std::uint32_t n, F f, Where where) {
    if constexpr (!computes_here) return;
    if (held(Pipe::V))
        return postpone(Pipe::V, [=, scratch = KeptTensor(scratch)] { function_with_scalar(name, dst, src, scratch.get(), n, f, where); });
    Instruction at(name, Pipe::V, where);
    scratch ? use_scratch(at, *scratch, 1) : use_rest(at, 1);
    unary(at, count_form(at, n, repeat_lanes<T>), dst, src, {}, function_rate, exactly<T>(f));
}

// Integers by squaring, modulo their width; a negative exponent leaves 0 but for 1 and -1.
template <class T>
T power(T base, T exponent) {
    if constexpr (std::is_integral_v<T>) {
        if (exponent < 0) return base == 1 ? T(1) : base == T(-1) ? (exponent % 2 ? T(-1) : T(1)) : T(0);
        std::uint64_t result = 1, factor = static_cast<std::uint64_t>(base);
        for (auto left = static_cast<std::uint64_t>(exponent); left; left >>= 1, factor *= factor)
            if (left & 1) result *= factor;
        return static_cast<T>(result);
    } else {
        return std::pow(base, exponent);
    }
}

}  // namespace ascendc

namespace AscendC {

template <class T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const LocalTensor<T>& base, const LocalTensor<T>& exponent, const LocalTensor<std::uint8_t>& scratch,
           std::uint32_t count, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::function_of_two("Power", dst, base, exponent, &scratch, count, [](auto a, auto b) { return ascendc::power(a, b); }, where);
}
template <class T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const LocalTensor<T>& base, const LocalTensor<T>& exponent, std::uint32_t count,
           ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::function_of_two("Power", dst, base, exponent, nullptr, count, [](auto a, auto b) { return ascendc::power(a, b); }, where);
}
template <class T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const LocalTensor<T>& base, const LocalTensor<T>& exponent,
           ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    Power<T, isReuseSource>(dst, base, exponent, dst.GetSize(), where);
}
template <class T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const LocalTensor<T>& base, const ascendc::same_t<T>& exponent, std::uint32_t count,
           ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::function_with_scalar("Power", dst, base, nullptr, count,
                                  [exponent](auto a) { return ascendc::power(a, static_cast<decltype(a)>(exponent)); }, where);
}
template <class T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const LocalTensor<T>& base, const ascendc::same_t<T>& exponent,
           const LocalTensor<std::uint8_t>& scratch, std::uint32_t count, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::function_with_scalar("Power", dst, base, &scratch, count,
                                  [exponent](auto a) { return ascendc::power(a, static_cast<decltype(a)>(exponent)); }, where);
}
template <class T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const ascendc::same_t<T>& base, const LocalTensor<T>& exponent, std::uint32_t count,
           ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::function_with_scalar("Power", dst, exponent, nullptr, count,
                                  [base](auto b) { return ascendc::power(static_cast<decltype(b)>(base), b); }, where);
}

#define ASCENDC_FUNCTION_OF_TWO(Name, expression)                                                                                  \
    template <class T, bool isReuseSource = false>                                                                                 \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                                   \
              const LocalTensor<std::uint8_t>& scratch, const std::uint32_t count,                                                 \
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                                       \
        ascendc::function_of_two(#Name, dst, src0, src1, &scratch, count, [](auto a, auto b) { return expression; }, where);       \
    }                                                                                                                              \
    template <class T, bool isReuseSource = false>                                                                                 \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const std::uint32_t count,        \
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                                       \
        ascendc::function_of_two(#Name, dst, src0, src1, nullptr, count, [](auto a, auto b) { return expression; }, where);        \
    }                                                                                                                              \
    template <class T, bool isReuseSource = false>                                                                                 \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                                   \
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                                       \
        Name<T, isReuseSource>(dst, src0, src1, dst.GetSize(), where);                                                             \
    }
ASCENDC_FUNCTION_OF_TWO(Fmod, std::fmod(a, b))
ASCENDC_FUNCTION_OF_TWO(Hypot, std::hypot(a, b))
ASCENDC_FUNCTION_OF_TWO(Xor, (a ^ b))
#undef ASCENDC_FUNCTION_OF_TWO

// The larger (smaller) numbers become the scalar.
template <class T, bool isReuseSource = false>
void ClampMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint8_t>& scratch, const T scalar,
              const std::uint32_t count, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    const double limit = static_cast<float>(scalar);
    ascendc::function_with_scalar("ClampMax", dst, src, &scratch, count, [limit](double a) { return a > limit ? limit : a; }, where);
}
template <class T, bool isReuseSource = false>
void ClampMin(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint8_t>& scratch, const T scalar,
              const std::uint32_t count, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    const double limit = static_cast<float>(scalar);
    ascendc::function_with_scalar("ClampMin", dst, src, &scratch, count, [limit](double a) { return a < limit ? limit : a; }, where);
}

struct SelectWithBytesMaskShapeInfo {
    std::uint32_t firstAxis = 0;
    std::uint32_t srcLastAxis = 0;
    std::uint32_t maskLastAxis = 0;
};

// dst = the scalar where a byte of the mask is not 0, else src0. Rows of the mask may be longer than those of the source.
template <class T, class U, bool isReuseMask = true>
void SelectWithBytesMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, T src1, const LocalTensor<U>& mask,
                         const LocalTensor<std::uint8_t>& scratch, const SelectWithBytesMaskShapeInfo& shape,
                         ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    static_assert(ascendc::is_float<T>, "SelectWithBytesMask takes half and float");
    static_assert(sizeof(U) == 1 || sizeof(U) == 2 || sizeof(U) == 4, "the mask has a bool or a number an element");
    if constexpr (!ascendc::computes_here) return;
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] {
            SelectWithBytesMask<T, U, isReuseMask>(dst, src0, src1, mask, scratch, shape, where);
        });
    ascendc::Instruction at("SelectWithBytesMask", ascendc::Pipe::V, where);
    if (shape.maskLastAxis < shape.srcLastAxis)
        at.fail(ascendc::Rule::count, "is given rows of ", shape.maskLastAxis, " in the mask and of ", shape.srcLastAxis, " in the source");
    ascendc::use_scratch(at, scratch, 1);
    const std::uint32_t n = shape.firstAxis * shape.srcLastAxis;
    const ascendc::Elements<T> from(at, src0, "src0", n, false);
    const ascendc::Elements<U> chosen(at, mask, "mask", std::uint64_t{shape.firstAxis} * shape.maskLastAxis, false);
    ascendc::Elements<T> to(at, dst, "dst", n, true);
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t place = i / shape.srcLastAxis * shape.maskLastAxis + i % shape.srcLastAxis;
        const bool scalar = chosen.get(place) != 0;
        to.set(i, scalar ? static_cast<double>(static_cast<float>(src1)) : from.get(i), chosen.written(place) && (scalar || from.written(i)));
    }
    ascendc::takes(at, ascendc::counted_walk(n, ascendc::repeat_lanes<T>), ascendc::full_rate * 3);
}

}  // namespace AscendC
