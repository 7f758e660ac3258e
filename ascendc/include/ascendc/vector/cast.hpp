// Cast: the pairs of types and rounding modes that this chip has, and the conversions that scale.
#pragma once

#include "ascendc/vector/fused.hpp"

namespace ascendc {

// Modes of a pair as bits. Where documents leave CAST_NONE out but kernels pass it, it rounds to nearest.
constexpr unsigned no_mode = 1, rounding_modes = 0x3e, all_modes = no_mode | rounding_modes, odd_mode = 0x40;

template <class S, class D>
constexpr unsigned cast_modes() {
    using i8 = std::int8_t;
    using u8 = std::uint8_t;
    using i16 = std::int16_t;
    using i32 = std::int32_t;
    using i64 = std::int64_t;
    using P = Pair<S, D>;
    using i4 = AscendC::int4b_t;
    if (one_of<P, Pair<i4, half>, Pair<u8, half>, Pair<i8, half>, Pair<i16, float>, Pair<half, float>, Pair<bfloat16_t, float>,
               Pair<i32, i16>, Pair<i32, i64>, Pair<i64, i32>>)
        return no_mode;
    if (one_of<P, Pair<half, i4>, Pair<half, u8>, Pair<half, i8>, Pair<i16, half>, Pair<half, i16>, Pair<half, i32>, Pair<i32, float>,
               Pair<i32, half>>)
        return all_modes;
    if (one_of<P, Pair<bfloat16_t, i32>, Pair<i64, float>, Pair<float, i16>, Pair<float, i32>, Pair<float, i64>, Pair<float, bfloat16_t>,
               Pair<float, float>>)
        return rounding_modes;
    if (one_of<P, Pair<float, half>>) return all_modes | odd_mode;
    return 0;
}

template <class D, Round mode, class S>
void convert_lanes(const void*, std::uint32_t n, D* result, const S* values) {
    for (std::uint32_t i = 0; i < n; ++i) result[i] = converted<D, mode>(values[i]);
}
// Of 32-bit integers to half: scaled, in whatever mode.
inline void scale_lanes(const void* scale, std::uint32_t n, half* result, const std::int32_t* values) {
    const float factor = *static_cast<const float*>(scale);
    for (std::uint32_t i = 0; i < n; ++i) result[i] = half(static_cast<float>(values[i]) * factor);
}

template <class S, class D>
LaneLoop<D, S> conversion(Round mode) {
    constexpr unsigned modes = cast_modes<S, D>();
    if constexpr (std::is_same_v<Pair<S, D>, Pair<std::int32_t, half>>) {
        return scale_lanes;
    } else {
        if constexpr ((modes & rounding_modes) != 0) {
            if (mode == Round::CAST_FLOOR) return convert_lanes<D, Round::CAST_FLOOR, S>;
            if (mode == Round::CAST_CEIL) return convert_lanes<D, Round::CAST_CEIL, S>;
            if (mode == Round::CAST_ROUND) return convert_lanes<D, Round::CAST_ROUND, S>;
            if (mode == Round::CAST_TRUNC) return convert_lanes<D, Round::CAST_TRUNC, S>;
        }
        if constexpr ((modes & odd_mode) != 0)
            if (mode == Round::CAST_ODD) return convert_lanes<D, Round::CAST_ODD, S>;
        return convert_lanes<D, Round::CAST_RINT, S>;
    }
}

constexpr const char* round_names[] = {"NONE", "RINT", "FLOOR", "CEIL", "ROUND", "TRUNC", "ODD"};

template <class S, class D>
void check_cast(const Instruction& at, Round mode) {
    static_assert(cast_modes<S, D>() != 0, "this chip has no such conversion");
    if (!(cast_modes<S, D>() >> static_cast<unsigned>(mode) & 1u))
        at.fail(Rule::type, "has no CAST_", round_names[static_cast<unsigned>(mode)], " between these types");
}

// Two elements lie in a byte: the lanes of one block of halves are 8 bytes of it.
template <class D, class S>
void cast_int4(Instruction& at, const Walk& walk, const AscendC::LocalTensor<D>& dst, const AscendC::LocalTensor<S>& src, Strides to_strides,
               Strides from_strides, Round mode) {
    constexpr bool narrows = is_int4<D>;
    const auto to = operand(at, dst, "dst", to_strides);
    const auto from = operand(at, src, "src", from_strides);
    if (walk.counted() && walk.total % 2) at.fail(Rule::count, "is given ", walk.total, " elements of int4b_t; two lie in a byte");
    const auto packed_byte = [](std::uint32_t address, Strides strides, std::uint32_t repeat, std::uint32_t lane) {
        return address + (repeat * strides.repeat + lane / 64 * strides.block) * block_bytes + lane % 64 / 2;
    };
    const auto check = [&](const auto& tensor, const auto& one, bool packed, Strides strides) {
        std::uint32_t end = 0;
        for (std::uint32_t repeat = 0; repeat < walk.repeats; ++repeat)
            if (const std::uint32_t used = walk.used_lanes(repeat))
                end = std::max(end, packed ? packed_byte(one.address, strides, repeat, used - 1) + 1 : one.byte(repeat, used - 1) + 2);
        check_end(at, tensor, one, end);
    };
    check(dst, to, narrows, to_strides);
    check(src, from, !narrows, from_strides);
    const auto nibble = [](half value, Round by) {
        const float v = value;
        const float whole = by == Round::CAST_FLOOR ? integral<Round::CAST_FLOOR>(v) : by == Round::CAST_CEIL ? integral<Round::CAST_CEIL>(v)
                          : by == Round::CAST_ROUND ? integral<Round::CAST_ROUND>(v) : by == Round::CAST_TRUNC ? integral<Round::CAST_TRUNC>(v)
                                                                                                               : integral<Round::CAST_RINT>(v);
        return static_cast<unsigned>(std::clamp(static_cast<int>(saturated<std::int8_t>(whole)), -8, 7)) & 15u;
    };
    for (std::uint32_t repeat = 0; repeat < walk.repeats; ++repeat)
        for (std::uint32_t lane = 0; lane < walk.lanes; ++lane) {
            if (!walk.works_on(repeat, lane)) continue;
            const std::uint32_t a = narrows ? from.byte(repeat, lane) : packed_byte(from.address, from_strides, repeat, lane);
            const std::uint32_t b = narrows ? packed_byte(to.address, to_strides, repeat, lane) : to.byte(repeat, lane);
            at.uses(*from.memory, a, narrows ? 2 : 1, false);
            at.uses(*to.memory, b, narrows ? 1 : 2, true);
            auto* const packed_at = reinterpret_cast<std::uint8_t*>(narrows ? to.memory->at(b) : from.memory->at(a));
            const unsigned shift = lane % 2 * 4;
            const bool unwritten = from.memory->any_unwritten(a, narrows ? 2 : 1);
            if constexpr (narrows) {
                const unsigned bits = nibble(*reinterpret_cast<const half*>(from.memory->at(a)), mode) << shift;
                *packed_at = static_cast<std::uint8_t>((*packed_at & ~(15u << shift)) | bits);
                // The second of a byte joins the first.
                const bool other = shift && walk.works_on(repeat, lane - 1) && to.memory->any_unwritten(b, 1);
                if (unwritten || other) to.memory->set_unwritten(b, 1);
                else to.memory->set_written(b, 1);
            } else {
                const int value = static_cast<int>(*packed_at >> shift & 15u);
                *reinterpret_cast<half*>(to.memory->at(b)) = half(value < 8 ? value : value - 16);
                if (unwritten) to.memory->set_unwritten(b, 2);
                else to.memory->set_written(b, 2);
            }
        }
}

template <class S, class D>
void cast(Instruction& at, const Walk& walk, const AscendC::LocalTensor<D>& dst, const AscendC::LocalTensor<S>& src, Strides to_strides,
          Strides from_strides, Round mode) {
    check_cast<S, D>(at, mode);
    if constexpr (is_int4<S> || is_int4<D>) {
        cast_int4(at, walk, dst, src, to_strides, from_strides, mode);
    } else {
        const auto to = operand(at, dst, "dst", to_strides);
        const auto from = operand(at, src, "src", from_strides);
        check_reach(at, dst, to, walk);
        check_reach(at, src, from, walk);
        check_overlap(at, walk, to, from);
        const float scale = std::is_same_v<Pair<S, D>, Pair<std::int32_t, half>> ? dequantisation(at) : 1.0f;
        walk_lanes<D, S>(at, walk, to, conversion<S, D>(mode), &scale, true, from);
    }
    takes(at, walk, full_rate);
}

// Sixteen lanes of a block as bytes, in the lower or the upper half of a block of the result.
template <bool by_lane, bool upper, class D>
void cast_scaled(Instruction& at, const Walk& walk, const AscendC::LocalTensor<D>& dst, const AscendC::LocalTensor<std::int16_t>& src,
                 const AscendC::UnaryRepeatParams& strides) {
    const auto from = operand(at, src, "src", {strides.srcBlkStride, strides.srcRepStride});
    const auto to = operand(at, dst, "dst");
    const Registers& registers = at.core.registers;
    if (!registers.dequantisation_set) at.fail(Rule::state, "uses the scale of dequantisation, which no SetDeqScale has set");
    check_reach(at, src, from, walk);
    for (std::uint32_t repeat = 0; repeat < walk.repeats; ++repeat)
        for (std::uint32_t lane = 0; lane < walk.lanes; ++lane) {
            if (!walk.works_on(repeat, lane)) continue;
            const std::uint32_t a = from.byte(repeat, lane);
            const std::uint32_t b = to.address + (repeat * strides.dstRepStride + lane / 16 * strides.dstBlkStride) * block_bytes +
                                    (upper ? 16 : 0) + lane % 16;
            check_end(at, dst, to, b + 1);
            at.uses(*from.memory, a, 2, false);
            at.uses(*to.memory, b, 1, true);
            const Dequantisation& by = by_lane ? registers.dequantisations[lane % 16] : registers.dequantisations[0];
            const float value = integral<Round::CAST_RINT>(multiplied_added(*from.at(a), by.scale, by.offset));
            *to.at(b) = by.is_signed ? static_cast<D>(saturated<std::int8_t>(value)) : static_cast<D>(saturated<std::uint8_t>(value));
            if (from.memory->any_unwritten(a, 2)) to.memory->set_unwritten(b, 1);
            else to.memory->set_written(b, 1);
        }
    takes(at, walk, full_rate);
}

}  // namespace ascendc

namespace AscendC {

template <class T, class U, bool isSetMask = true>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& round_mode, const std::uint32_t count,
          ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] { Cast<T, U, isSetMask>(dst, src, round_mode, count, where); });
    ascendc::Instruction at("Cast", ascendc::Pipe::V, where);
    constexpr std::uint32_t lanes = ascendc::common_lanes<T, U>;
    ascendc::cast(at, ascendc::count_form(at, count, lanes), dst, src, ascendc::packed<T>(lanes), ascendc::packed<U>(lanes), round_mode);
}
template <class T, class U, bool isSetMask = true, class M>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& round_mode, const M& mask, const std::uint8_t repeat,
          const UnaryRepeatParams& strides, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {
            Cast<T, U, isSetMask>(dst, src, round_mode, mask, repeat, strides, where);
        });
    ascendc::Instruction at("Cast", ascendc::Pipe::V, where);
    const auto walk = ascendc::mask_form<isSetMask>(at, mask, repeat, ascendc::common_lanes<T, U>);
    ascendc::cast(at, walk, dst, src, {strides.dstBlkStride, strides.dstRepStride}, {strides.srcBlkStride, strides.srcRepStride}, round_mode);
}

// What Cast of int32_t to half and AddDeqRelu multiply by, ...
inline void SetDeqScale(half scale) {
    ascendc::Registers& registers = ascendc::current().registers;
    registers.dequantisation = scale;
    registers.dequantisation_set = true;
    registers.dequantisations[0] = {scale, 0, true};
}
// ... and what CastDeq multiplies by and adds, for all lanes or for each of the sixteen of a block.
inline void SetDeqScale(float scale, std::int16_t offset, bool is_signed) {
    ascendc::Registers& registers = ascendc::current().registers;
    registers.dequantisation = scale;
    registers.dequantisation_set = true;
    registers.dequantisations[0] = {scale, offset, is_signed};
}
template <class T>
void SetDeqScale(const LocalTensor<T>&, const VdeqInfo& each) {
    ascendc::Registers& registers = ascendc::current().registers;
    registers.dequantisation_set = true;
    for (unsigned i = 0; i < 16; ++i) registers.dequantisations[i] = {each.vdeqScale[i], each.vdeqOffset[i], each.vdeqSignMode[i]};
}

template <class T, class U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>
void CastDeq(const LocalTensor<T>& dst, const LocalTensor<U>& src, const std::uint32_t count,
             ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::check_type<ascendc::Pair<U, T>, ascendc::Pair<std::int16_t, std::int8_t>, ascendc::Pair<std::int16_t, std::uint8_t>>();
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] { CastDeq<T, U, isSetMask, isVecDeq, halfBlock>(dst, src, count, where); });
    ascendc::Instruction at("CastDeq", ascendc::Pipe::V, where);
    ascendc::cast_scaled<isVecDeq, halfBlock>(at, ascendc::count_form(at, count, ascendc::repeat_lanes<U>), dst, src, {});
}
template <class T, class U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true, class M>
void CastDeq(const LocalTensor<T>& dst, const LocalTensor<U>& src, const M& mask, const std::uint8_t repeat, const UnaryRepeatParams& strides,
             ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::check_type<ascendc::Pair<U, T>, ascendc::Pair<std::int16_t, std::int8_t>, ascendc::Pair<std::int16_t, std::uint8_t>>();
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {
            CastDeq<T, U, isSetMask, isVecDeq, halfBlock>(dst, src, mask, repeat, strides, where);
        });
    ascendc::Instruction at("CastDeq", ascendc::Pipe::V, where);
    const auto walk = ascendc::mask_form<isSetMask>(at, mask, repeat, ascendc::repeat_lanes<U>);
    ascendc::cast_scaled<isVecDeq, halfBlock>(at, walk, dst, src, strides);
}

}  // namespace AscendC
