// Arithmetic of tensors with tensors and with scalars. Half is rounded once an operation; integers wrap, where the device's
// documents are silent.
#pragma once

#include <cmath>

#include "ascendc/vector/compute.hpp"

namespace ascendc {

// Integer overflow wraps: computed without a sign.
template <class T, class F>
T wrapping(T a, T b, F f) {
    if constexpr (std::is_integral_v<T>) {
        using U = std::make_unsigned_t<T>;
        return static_cast<T>(f(static_cast<std::uint64_t>(static_cast<U>(a)), static_cast<std::uint64_t>(static_cast<U>(b))));
    } else {
        return f(a, b);
    }
}

struct Plus {
    template <class T> T operator()(T a, T b) const { return wrapping(a, b, [](auto x, auto y) { return x + y; }); }
};
struct Minus {
    template <class T> T operator()(T a, T b) const { return wrapping(a, b, [](auto x, auto y) { return x - y; }); }
};
struct Times {
    template <class T> T operator()(T a, T b) const { return wrapping(a, b, [](auto x, auto y) { return x * y; }); }
};
struct Over {
    template <class T> T operator()(T a, T b) const { return a / b; }
};
// Of NaN and a number NaN; +0 is more than -0.
struct Larger {
    template <class T> T operator()(T a, T b) const {
        if constexpr (std::is_floating_point_v<T>) {
            if (a != a || b != b) return a != a ? a : b;
            if (a == b) return std::signbit(a) ? b : a;
        }
        return a < b ? b : a;
    }
};
struct Smaller {
    template <class T> T operator()(T a, T b) const {
        if constexpr (std::is_floating_point_v<T>) {
            if (a != a || b != b) return a != a ? a : b;
            if (a == b) return std::signbit(a) ? a : b;
        }
        return b < a ? b : a;
    }
};
struct BitAnd {
    template <class T> T operator()(T a, T b) const { return static_cast<T>(a & b); }
};
struct BitOr {
    template <class T> T operator()(T a, T b) const { return static_cast<T>(a | b); }
};
struct BitNot {
    template <class T> T operator()(T a) const { return static_cast<T>(~a); }
};
struct Rectified {
    template <class T> T operator()(T a) const { return a < T(0) ? T(0) : a; }
};
struct Magnitude {
    template <class T> T operator()(T a) const { return std::fabs(a); }
};
struct Exponential {
    template <class T> T operator()(T a) const { return std::exp(a); }
};
struct Logarithm {
    template <class T> T operator()(T a) const { return std::log(a); }
};
struct Root {
    template <class T> T operator()(T a) const { return std::sqrt(a); }
};
struct InverseRoot {
    template <class T> T operator()(T a) const { return T(1) / std::sqrt(a); }
};
struct Inverse {
    template <class T> T operator()(T a) const { return T(1) / a; }
};
struct AddRectified {
    template <class T> T operator()(T a, T b) const { return Rectified{}(Plus{}(a, b)); }
};
struct SubRectified {
    template <class T> T operator()(T a, T b) const { return Rectified{}(Minus{}(a, b)); }
};

template <class T, class... Types>
constexpr void check_type() {
    static_assert(one_of<T, Types...>, "the vector unit of this chip has no such instruction for the tensor's type");
}

}  // namespace ascendc

namespace AscendC {

// Each name has three forms: a count of elements; a mask of bits, or of how many lanes, with repeats and strides.
#define ASCENDC_BINARY(Name, Operation, rate, ...)                                                                                 \
    template <class T, bool isSetMask = true>                                                                                      \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const std::int32_t& count,        \
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                                       \
        ascendc::check_type<T, __VA_ARGS__>();                                                                                     \
        if (ascendc::held(ascendc::Pipe::V))                                                                                       \
            return ascendc::postpone(ascendc::Pipe::V, [=] { Name<T, isSetMask>(dst, src0, src1, count, where); });                \
        ascendc::Instruction at(#Name, ascendc::Pipe::V, where);                                                                   \
        const auto walk = ascendc::count_form(at, count, ascendc::repeat_lanes<T>);                                                \
        ascendc::binary(at, walk, dst, src0, src1, {}, rate, ascendc::lane<T>(ascendc::Operation{}));                              \
    }                                                                                                                              \
    template <class T, bool isSetMask = true, class M>                                                                             \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const M& mask,                    \
              const std::uint8_t repeat, const BinaryRepeatParams& strides,                                                        \
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                                       \
        ascendc::check_type<T, __VA_ARGS__>();                                                                                     \
        if (ascendc::held(ascendc::Pipe::V))                                                                                       \
            return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {                                           \
                Name<T, isSetMask>(dst, src0, src1, mask, repeat, strides, where);                                                 \
            });                                                                                                                    \
        ascendc::Instruction at(#Name, ascendc::Pipe::V, where);                                                                   \
        const auto walk = ascendc::mask_form<isSetMask>(at, mask, repeat, ascendc::repeat_lanes<T>);                               \
        ascendc::binary(at, walk, dst, src0, src1, strides, rate, ascendc::lane<T>(ascendc::Operation{}));                         \
    }
ASCENDC_BINARY(Add, Plus, ascendc::full_rate, half, float, std::int16_t, std::int32_t)
ASCENDC_BINARY(Sub, Minus, ascendc::full_rate, half, float, std::int16_t, std::int32_t)
ASCENDC_BINARY(Mul, Times, ascendc::full_rate, half, float, std::int16_t, std::int32_t)
ASCENDC_BINARY(Div, Over, ascendc::special_rate, half, float)
ASCENDC_BINARY(Max, Larger, ascendc::full_rate, half, float, std::int16_t, std::int32_t)
ASCENDC_BINARY(Min, Smaller, ascendc::full_rate, half, float, std::int16_t, std::int32_t)
ASCENDC_BINARY(And, BitAnd, ascendc::full_rate, std::int16_t, std::uint16_t, std::int8_t, std::uint8_t)
ASCENDC_BINARY(Or, BitOr, ascendc::full_rate, std::int16_t, std::uint16_t, std::int8_t, std::uint8_t)
ASCENDC_BINARY(AddRelu, AddRectified, ascendc::full_rate, half, float, std::int16_t)
ASCENDC_BINARY(SubRelu, SubRectified, ascendc::full_rate, half, float, std::int16_t)
#undef ASCENDC_BINARY

#define ASCENDC_UNARY(Name, Operation, rate, ...)                                                                                  \
    template <class T, bool isSetMask = true>                                                                                      \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::int32_t& count,                                     \
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                                       \
        ascendc::check_type<T, __VA_ARGS__>();                                                                                     \
        if (ascendc::held(ascendc::Pipe::V))                                                                                       \
            return ascendc::postpone(ascendc::Pipe::V, [=] { Name<T, isSetMask>(dst, src, count, where); });                       \
        ascendc::Instruction at(#Name, ascendc::Pipe::V, where);                                                                   \
        const auto walk = ascendc::count_form(at, count, ascendc::repeat_lanes<T>);                                                \
        ascendc::unary(at, walk, dst, src, {}, rate, ascendc::lane<T>(ascendc::Operation{}));                                      \
    }                                                                                                                              \
    template <class T, bool isSetMask = true, class M>                                                                             \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const M& mask, const std::uint8_t repeat,                      \
              const UnaryRepeatParams& strides, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                     \
        ascendc::check_type<T, __VA_ARGS__>();                                                                                     \
        if (ascendc::held(ascendc::Pipe::V))                                                                                       \
            return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {                                           \
                Name<T, isSetMask>(dst, src, mask, repeat, strides, where);                                                        \
            });                                                                                                                    \
        ascendc::Instruction at(#Name, ascendc::Pipe::V, where);                                                                   \
        const auto walk = ascendc::mask_form<isSetMask>(at, mask, repeat, ascendc::repeat_lanes<T>);                               \
        ascendc::unary(at, walk, dst, src, strides, rate, ascendc::lane<T>(ascendc::Operation{}));                                 \
    }
ASCENDC_UNARY(Abs, Magnitude, ascendc::full_rate, half, float)
ASCENDC_UNARY(Relu, Rectified, ascendc::full_rate, half, float, std::int32_t)
ASCENDC_UNARY(Exp, Exponential, ascendc::special_rate, half, float)
ASCENDC_UNARY(Ln, Logarithm, ascendc::special_rate, half, float)
ASCENDC_UNARY(Sqrt, Root, ascendc::special_rate, half, float)
ASCENDC_UNARY(Rsqrt, InverseRoot, ascendc::full_rate, half, float)
ASCENDC_UNARY(Reciprocal, Inverse, ascendc::full_rate, half, float)
ASCENDC_UNARY(Not, BitNot, ascendc::full_rate, std::int16_t, std::uint16_t)
#undef ASCENDC_UNARY
}  // namespace AscendC
