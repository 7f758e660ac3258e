// Instructions that do two things to a lane: multiply and add, add and rectify, and those that convert the result. A product
// that is added to is not rounded before: documents leave it open.
#pragma once

#include "ascendc/vector/arithmetic.hpp"
#include "ascendc/vector/rounding.hpp"

namespace ascendc {

inline float multiplied_added(float a, float b, float c) { return std::fma(a, b, c); }

// dst = dst + src * scalar
template <class T, class U>
struct ScaledSum {
    using rounds = void;
    float scalar;
    T operator()(T sum, U value) const { return static_cast<T>(multiplied_added(value, scalar, sum)); }
};
// dst = dst + src0 * src1
template <class T, class U>
struct ProductSum {
    using rounds = void;
    T operator()(T sum, U a, U b) const { return static_cast<T>(multiplied_added(a, b, sum)); }
};
// dst = src0 * dst + src1
template <class T, class>
struct ScaledResult {
    using rounds = void;
    T operator()(T result, T factor, T addend) const { return static_cast<T>(multiplied_added(factor, result, addend)); }
};
template <class T, class>
struct RectifiedResult {
    using rounds = void;
    T operator()(T result, T factor, T addend) const { return static_cast<T>(Rectified{}(multiplied_added(factor, result, addend))); }
};
// D of f(a, b).
template <class D, class F>
struct Converted {
    using rounds = void;
    F f;
    template <class S>
    D operator()(S a, S b) const { return converted<D, Round::CAST_RINT>(f(a, b)); }
};
template <class D, class F>
Converted<D, F> converted_after(F f) { return {f}; }
struct DequantisedSum {
    using rounds = void;
    float scale;
    half operator()(std::int32_t a, std::int32_t b) const {
        return half(Rectified{}(static_cast<float>(Plus{}(a, b)) * scale));
    }
};

inline float dequantisation(const Instruction& at) {
    if (!at.core.registers.dequantisation_set) at.fail(Rule::state, "uses the scale of dequantisation, which no SetDeqScale has set");
    return at.core.registers.dequantisation;
}

// dst takes part as a source too.
template <class D, class F, class... S>
void into(Instruction& at, const Walk& walk, const AscendC::LocalTensor<D>& dst, Strides dst_strides, double rate, F f,
          const std::pair<const AscendC::LocalTensor<S>&, Strides>&... sources) {
    const auto to = operand(at, dst, "dst", dst_strides);
    check_reach(at, dst, to, walk);
    const auto one = [&](const auto& source) {
        const auto from = operand(at, source.first, "src", source.second);
        check_reach(at, source.first, from, walk);
        check_overlap(at, walk, to, from);
        return from;
    };
    compute(at, walk, to, f, to, one(sources)...);
    takes(at, walk, rate);
}

template <class T>
using Sourced = std::pair<const AscendC::LocalTensor<T>&, Strides>;

// A source's and a result's type, as a list of types has them.
template <class S, class D>
struct Pair {};

inline AscendC::BinaryRepeatParams strides_of(Strides dst, Strides src) {
    const auto narrow = [](std::uint32_t stride) { return static_cast<std::uint8_t>(stride); };
    return {narrow(dst.block), narrow(src.block), narrow(src.block), narrow(dst.repeat), narrow(src.repeat), narrow(src.repeat)};
}

// The lanes of an instruction whose operands have types of several widths.
template <class... T>
inline constexpr std::uint32_t common_lanes = repeat_bytes / std::max({sizeof(T)...});

}  // namespace ascendc

namespace AscendC {

template <class T, class U, bool isSetMask = true>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const ascendc::same_t<U>& scalar, const std::int32_t& count,
          ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::check_type<T, half, float>();
    ascendc::check_type<U, half, T>();
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] { Axpy<T, U, isSetMask>(dst, src, scalar, count, where); });
    ascendc::Instruction at("Axpy", ascendc::Pipe::V, where);
    constexpr std::uint32_t lanes = ascendc::common_lanes<T, U>;
    const auto walk = ascendc::count_form(at, count, lanes);
    ascendc::into(at, walk, dst, ascendc::packed<T>(lanes), ascendc::full_rate, ascendc::ScaledSum<T, U>{scalar},
                  ascendc::Sourced<U>{src, ascendc::packed<U>(lanes)});
}
template <class T, class U, bool isSetMask = true, class M>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const ascendc::same_t<U>& scalar, const M& mask,
          const std::uint8_t repeat, const UnaryRepeatParams& strides, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::check_type<T, half, float>();
    ascendc::check_type<U, half, T>();
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {
            Axpy<T, U, isSetMask>(dst, src, scalar, mask, repeat, strides, where);
        });
    ascendc::Instruction at("Axpy", ascendc::Pipe::V, where);
    const auto walk = ascendc::mask_form<isSetMask>(at, mask, repeat, ascendc::common_lanes<T, U>);
    ascendc::into(at, walk, dst, {strides.dstBlkStride, strides.dstRepStride}, ascendc::full_rate, ascendc::ScaledSum<T, U>{scalar},
                  ascendc::Sourced<U>{src, {strides.srcBlkStride, strides.srcRepStride}});
}

// Two sources and the result as the third operand. `Source` is the type of the sources, `types` are the template's, which follow with their class.
#define ASCENDC_TYPES(...) __VA_ARGS__
#define ASCENDC_INTO(Name, Operation, Source, types, ...)                                                                          \
    template <__VA_ARGS__, bool isSetMask = true>                                                                                  \
    void Name(const LocalTensor<T>& dst, const LocalTensor<Source>& src0, const LocalTensor<Source>& src1,                         \
              const std::int32_t& count, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                            \
        ascendc::check_type<T, half, float>();                                                                                     \
        ascendc::check_type<Source, half, T>();                                                                                    \
        if (ascendc::held(ascendc::Pipe::V))                                                                                       \
            return ascendc::postpone(ascendc::Pipe::V, [=] { Name<ASCENDC_TYPES types, isSetMask>(dst, src0, src1, count, where); }); \
        ascendc::Instruction at(#Name, ascendc::Pipe::V, where);                                                                   \
        constexpr std::uint32_t lanes = ascendc::common_lanes<T, Source>;                                                          \
        const auto walk = ascendc::count_form(at, count, lanes);                                                                   \
        ascendc::into(at, walk, dst, ascendc::packed<T>(lanes), 2 * ascendc::full_rate, ascendc::Operation<T, Source>{}, \
                      ascendc::Sourced<Source>{src0, ascendc::packed<Source>(lanes)},                                              \
                      ascendc::Sourced<Source>{src1, ascendc::packed<Source>(lanes)});                                             \
    }                                                                                                                              \
    template <__VA_ARGS__, bool isSetMask = true, class M>                                                                         \
    void Name(const LocalTensor<T>& dst, const LocalTensor<Source>& src0, const LocalTensor<Source>& src1, const M& mask,          \
              const std::uint8_t repeat, const BinaryRepeatParams& strides,                                                        \
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                                       \
        ascendc::check_type<T, half, float>();                                                                                     \
        ascendc::check_type<Source, half, T>();                                                                                    \
        if (ascendc::held(ascendc::Pipe::V))                                                                                       \
            return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {                                           \
                Name<ASCENDC_TYPES types, isSetMask>(dst, src0, src1, mask, repeat, strides, where);                               \
            });                                                                                                                    \
        ascendc::Instruction at(#Name, ascendc::Pipe::V, where);                                                                   \
        const auto walk = ascendc::mask_form<isSetMask>(at, mask, repeat, ascendc::common_lanes<T, Source>);                       \
        ascendc::into(at, walk, dst, {strides.dstBlkStride, strides.dstRepStride}, 2 * ascendc::full_rate, ascendc::Operation<T, Source>{}, \
                      ascendc::Sourced<Source>{src0, {strides.src0BlkStride, strides.src0RepStride}},                              \
                      ascendc::Sourced<Source>{src1, {strides.src1BlkStride, strides.src1RepStride}});                             \
    }
ASCENDC_INTO(MulAddDst, ProductSum, U, (T, U), class T, class U)
ASCENDC_INTO(FusedMulAdd, ScaledResult, T, (T), class T)
ASCENDC_INTO(FusedMulAddRelu, RectifiedResult, T, (T), class T)
#undef ASCENDC_INTO
#undef ASCENDC_TYPES

// f of two sources, as another type.
#define ASCENDC_CONVERTED(Name, Operation, rate, ...)                                                                              \
    template <class T, class U, bool isSetMask = true>                                                                             \
    void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, const std::uint32_t count,        \
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                                       \
        ascendc::check_type<ascendc::Pair<U, T>, __VA_ARGS__>();                                                                   \
        if (ascendc::held(ascendc::Pipe::V))                                                                                       \
            return ascendc::postpone(ascendc::Pipe::V, [=] { Name<T, U, isSetMask>(dst, src0, src1, count, where); });             \
        ascendc::Instruction at(#Name, ascendc::Pipe::V, where);                                                                   \
        constexpr std::uint32_t lanes = ascendc::common_lanes<T, U>;                                                               \
        const auto walk = ascendc::count_form(at, count, lanes);                                                                   \
        const ascendc::Strides to = ascendc::packed<T>(lanes), from = ascendc::packed<U>(lanes);                                   \
        ascendc::binary(at, walk, dst, src0, src1, ascendc::strides_of(to, from), rate, Operation);                                \
    }                                                                                                                              \
    template <class T, class U, bool isSetMask = true, class M>                                                                    \
    void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, const M& mask,                    \
              const std::uint8_t repeat, const BinaryRepeatParams& strides,                                                        \
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                                       \
        ascendc::check_type<ascendc::Pair<U, T>, __VA_ARGS__>();                                                                   \
        if (ascendc::held(ascendc::Pipe::V))                                                                                       \
            return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {                                           \
                Name<T, U, isSetMask>(dst, src0, src1, mask, repeat, strides, where);                                              \
            });                                                                                                                    \
        ascendc::Instruction at(#Name, ascendc::Pipe::V, where);                                                                   \
        const auto walk = ascendc::mask_form<isSetMask>(at, mask, repeat, ascendc::common_lanes<T, U>);                            \
        ascendc::binary(at, walk, dst, src0, src1, strides, rate, Operation);                                                      \
    }
ASCENDC_CONVERTED(AddReluCast, ascendc::converted_after<T>(ascendc::lane<U>(ascendc::AddRectified{})), ascendc::full_rate, ascendc::Pair<half, std::int8_t>,
                  ascendc::Pair<float, half>, ascendc::Pair<std::int16_t, std::int8_t>)
ASCENDC_CONVERTED(SubReluCast, ascendc::converted_after<T>(ascendc::lane<U>(ascendc::SubRectified{})), ascendc::full_rate, ascendc::Pair<half, std::int8_t>,
                  ascendc::Pair<float, half>, ascendc::Pair<std::int16_t, std::int8_t>)
ASCENDC_CONVERTED(MulCast, ascendc::converted_after<T>(ascendc::lane<U>(ascendc::Times{})), ascendc::full_rate, ascendc::Pair<half, std::int8_t>,
                  ascendc::Pair<half, std::uint8_t>)
ASCENDC_CONVERTED(AddDeqRelu, ascendc::DequantisedSum{ascendc::dequantisation(at)}, ascendc::full_rate, ascendc::Pair<std::int32_t, half>)
#undef ASCENDC_CONVERTED

}  // namespace AscendC
