// Arithmetic of a tensor with one scalar.
#pragma once

#include "ascendc/vector/arithmetic.hpp"

namespace ascendc {

// An operation whose second operand is the same for every lane.
template <class T, class F>
struct WithScalar {
    using rounds = void;
    F f;
    arithmetic_type<T> scalar;
    T operator()(T value) const { return static_cast<T>(f(static_cast<arithmetic_type<T>>(value), scalar)); }
};
template <class T, class F>
WithScalar<T, F> with_scalar(F f, T scalar) { return {f, static_cast<arithmetic_type<T>>(scalar)}; }

struct Leak {
    template <class T> T operator()(T a, T slope) const { return a >= T(0) ? a : a * slope; }
};
// Shifts by the width of a number or more leave 0, or a signed number's sign.
struct ShiftedLeft {
    template <class T> T operator()(T a, T by) const { return static_cast<T>(static_cast<std::uint64_t>(a) << by); }
};
struct ShiftedRight {
    bool round = false;  // the last bit that went out is added
    template <class T> T operator()(T a, T by) const {
        const auto wide = static_cast<std::int64_t>(a);
        return static_cast<T>((wide >> by) + (round && by ? wide >> (by - 1) & 1 : 0));
    }
};

template <class T>
void check_shift(const Instruction& at, T by) {
    if (static_cast<std::int64_t>(by) < 0 || static_cast<std::int64_t>(by) > static_cast<std::int64_t>(8 * sizeof(T)))
        at.fail(Rule::count, "is given a shift of ", static_cast<std::int64_t>(by), "; 0 to ", 8 * sizeof(T), " are possible");
}

}  // namespace ascendc

namespace AscendC {

// The scalar takes the tensor's type; its own may be named as a second template argument.
#define ASCENDC_SCALAR(Name, Operation, rate, ...)                                                                                 \
    template <class T, bool isSetMask = true>                                                                                      \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ascendc::same_t<T>& scalar, const std::int32_t& count,   \
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                                       \
        ascendc::check_type<T, __VA_ARGS__>();                                                                                     \
        if (ascendc::held(ascendc::Pipe::V))                                                                                       \
            return ascendc::postpone(ascendc::Pipe::V, [=] { Name<T, isSetMask>(dst, src, scalar, count, where); });               \
        ascendc::Instruction at(#Name, ascendc::Pipe::V, where);                                                                   \
        const auto walk = ascendc::count_form(at, count, ascendc::repeat_lanes<T>);                                                \
        ascendc::unary(at, walk, dst, src, {}, rate, ascendc::with_scalar<T>(ascendc::Operation{}, scalar));                       \
    }                                                                                                                              \
    template <class T, bool isSetMask = true, class M>                                                                             \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ascendc::same_t<T>& scalar, const M& mask,               \
              const std::uint8_t repeat, const UnaryRepeatParams& strides,                                                         \
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                                       \
        ascendc::check_type<T, __VA_ARGS__>();                                                                                     \
        if (ascendc::held(ascendc::Pipe::V))                                                                                       \
            return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {                                           \
                Name<T, isSetMask>(dst, src, scalar, mask, repeat, strides, where);                                                \
            });                                                                                                                    \
        ascendc::Instruction at(#Name, ascendc::Pipe::V, where);                                                                   \
        const auto walk = ascendc::mask_form<isSetMask>(at, mask, repeat, ascendc::repeat_lanes<T>);                               \
        ascendc::unary(at, walk, dst, src, strides, rate, ascendc::with_scalar<T>(ascendc::Operation{}, scalar));                  \
    }                                                                                                                              \
    template <class T, class U, bool isSetMask = true>                                                                             \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ascendc::same_t<U>& scalar, const std::int32_t& count,   \
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                                       \
        Name<T, isSetMask>(dst, src, static_cast<T>(scalar), count, where);                                                        \
    }                                                                                                                              \
    template <class T, class U, bool isSetMask = true, class M>                                                                    \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ascendc::same_t<U>& scalar, const M& mask,               \
              const std::uint8_t repeat, const UnaryRepeatParams& strides,                                                         \
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                                       \
        Name<T, isSetMask>(dst, src, static_cast<T>(scalar), mask, repeat, strides, where);                                        \
    }
ASCENDC_SCALAR(Adds, Plus, ascendc::full_rate, half, float, std::int16_t, std::int32_t)
ASCENDC_SCALAR(Muls, Times, ascendc::full_rate, half, float, std::int16_t, std::int32_t)
ASCENDC_SCALAR(Maxs, Larger, ascendc::full_rate, half, float, std::int16_t, std::int32_t)
ASCENDC_SCALAR(Mins, Smaller, ascendc::full_rate, half, float, std::int16_t, std::int32_t)
ASCENDC_SCALAR(LeakyRelu, Leak, ascendc::full_rate, half, float)
#undef ASCENDC_SCALAR

template <class T, bool isSetMask = true>
void ShiftLeft(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ascendc::same_t<T>& by, const std::int32_t& count,
               ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::check_type<T, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t>();
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] { ShiftLeft<T, isSetMask>(dst, src, by, count, where); });
    ascendc::Instruction at("ShiftLeft", ascendc::Pipe::V, where);
    ascendc::check_shift(at, by);
    const auto walk = ascendc::count_form(at, count, ascendc::repeat_lanes<T>);
    ascendc::unary(at, walk, dst, src, {}, ascendc::full_rate, ascendc::with_scalar<T>(ascendc::ShiftedLeft{}, by));
}
template <class T, bool isSetMask = true, class M>
void ShiftLeft(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ascendc::same_t<T>& by, const M& mask,
               const std::uint8_t repeat, const UnaryRepeatParams& strides,
               ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::check_type<T, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t>();
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {
            ShiftLeft<T, isSetMask>(dst, src, by, mask, repeat, strides, where);
        });
    ascendc::Instruction at("ShiftLeft", ascendc::Pipe::V, where);
    ascendc::check_shift(at, by);
    const auto walk = ascendc::mask_form<isSetMask>(at, mask, repeat, ascendc::repeat_lanes<T>);
    ascendc::unary(at, walk, dst, src, strides, ascendc::full_rate, ascendc::with_scalar<T>(ascendc::ShiftedLeft{}, by));
}

// Arithmetic of signed numbers, logical of others.
template <class T, bool isSetMask = true>
void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ascendc::same_t<T>& by, const std::int32_t& count,
                ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::check_type<T, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t>();
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] { ShiftRight<T, isSetMask>(dst, src, by, count, where); });
    ascendc::Instruction at("ShiftRight", ascendc::Pipe::V, where);
    ascendc::check_shift(at, by);
    const auto walk = ascendc::count_form(at, count, ascendc::repeat_lanes<T>);
    ascendc::unary(at, walk, dst, src, {}, ascendc::full_rate, ascendc::with_scalar<T>(ascendc::ShiftedRight{}, by));
}
template <class T, bool isSetMask = true, class M>
void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ascendc::same_t<T>& by, const M& mask,
                const std::uint8_t repeat, const UnaryRepeatParams& strides, bool roundEn = false,
                ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::check_type<T, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t>();
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {
            ShiftRight<T, isSetMask>(dst, src, by, mask, repeat, strides, roundEn, where);
        });
    ascendc::Instruction at("ShiftRight", ascendc::Pipe::V, where);
    ascendc::check_shift(at, by);
    if (roundEn && std::is_unsigned_v<T>) at.fail(ascendc::Rule::type, "rounds only int16_t and int32_t");
    const auto walk = ascendc::mask_form<isSetMask>(at, mask, repeat, ascendc::repeat_lanes<T>);
    ascendc::unary(at, walk, dst, src, strides, ascendc::full_rate, ascendc::with_scalar<T>(ascendc::ShiftedRight{roundEn}, by));
}

}  // namespace AscendC
