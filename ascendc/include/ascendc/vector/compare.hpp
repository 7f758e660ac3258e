// Comparisons: a bit a lane, into a tensor or into the compare register.
#pragma once

#include "ascendc/vector/arithmetic.hpp"
#include "ascendc/vector/lanes.hpp"

namespace ascendc {

// A comparison with NaN is false, but for NE.
template <class T>
void compare_lanes(AscendC::CMPMODE mode, std::uint32_t n, const T* a, const T* b, bool* result) {
    const auto each = [=](auto holds) {
        for (std::uint32_t i = 0; i < n; ++i) result[i] = holds(static_cast<arithmetic_type<T>>(a[i]), static_cast<arithmetic_type<T>>(b[i]));
    };
    switch (mode) {
        case AscendC::CMPMODE::LT: return each([](auto x, auto y) { return x < y; });
        case AscendC::CMPMODE::GT: return each([](auto x, auto y) { return x > y; });
        case AscendC::CMPMODE::EQ: return each([](auto x, auto y) { return x == y; });
        case AscendC::CMPMODE::LE: return each([](auto x, auto y) { return x <= y; });
        case AscendC::CMPMODE::GE: return each([](auto x, auto y) { return x >= y; });
        default: return each([](auto x, auto y) { return x != y; });
    }
}

template <class T>
void check_compared(const Instruction& at, AscendC::CMPMODE mode) {
    check_type<T, half, float, std::int32_t>();
    if (std::is_same_v<T, std::int32_t> && mode != AscendC::CMPMODE::EQ) at.fail(Rule::type, "compares int32_t for equality alone");
}

inline void set_bit(std::uint8_t* bits, std::uint32_t i, bool value) {
    bits[i / 8] = static_cast<std::uint8_t>((bits[i / 8] & ~(1u << i % 8)) | static_cast<unsigned>(value) << i % 8);
}

// bits(repeat, lanes, holds): the active lanes of a repeat and what they compared to. `other` gives the second operand's lanes.
template <class T, class Other, class Bits>
void compare(Instruction& at, const Walk& walk, const AscendC::LocalTensor<T>& src, Strides strides, AscendC::CMPMODE mode, Other other,
             Bits bits) {
    const auto from = operand(at, src, "src0", strides);
    check_reach(at, src, from, walk);
    RepeatLanes<T> a, b;
    bool holds[repeat_lanes<T>];
    for (std::uint32_t repeat = 0; repeat < walk.repeats; ++repeat) {
        load(at, walk, from, repeat, a);
        other(repeat, b);
        compare_lanes(mode, a.n, a.value, b.value, holds);
        for (std::uint32_t i = 0; i < a.n; ++i) a.unwritten[i] |= b.unwritten[i];
        bits(repeat, a, holds);
    }
    takes(at, walk, full_rate);
}
template <class T>
auto tensor_lanes(Instruction& at, const Walk& walk, const AscendC::LocalTensor<T>& src, Strides strides) {
    const auto from = operand(at, src, "src1", strides);
    check_reach(at, src, from, walk);
    return [&at, &walk, from](std::uint32_t repeat, RepeatLanes<T>& lanes) { load(at, walk, from, repeat, lanes); };
}
template <class T>
auto scalar_lanes(T scalar) {
    return [scalar](std::uint32_t, RepeatLanes<T>& lanes) {
        std::fill(std::begin(lanes.value), std::end(lanes.value), scalar);
        std::fill(std::begin(lanes.unwritten), std::end(lanes.unwritten), false);
    };
}

// The bits of repeats lie one after the other: 16 bytes a repeat of halves, 8 of wider types.
template <class T, class U>
auto into_tensor(Instruction& at, const Walk& walk, const AscendC::LocalTensor<U>& dst) {
    check_type<U, std::int8_t, std::uint8_t>();
    const auto to = operand(at, dst, "dst");
    check_end(at, dst, to, to.address + (walk.counted() ? (walk.total + 7) / 8 : walk.repeats * (walk.lanes / 8)));
    return [&at, to](std::uint32_t repeat, const RepeatLanes<T>& lanes, const bool* holds) {
        const std::uint32_t begin = to.address + repeat * (repeat_lanes<T> / 8), bytes = (lanes.n + 7) / 8;
        auto* const bits = reinterpret_cast<std::uint8_t*>(to.memory->at(begin));
        at.uses(*to.memory, begin, bytes, true);
        for (std::uint32_t byte = 0; byte < bytes; ++byte) {
            bool written = false, some = false;
            for (std::uint32_t i = byte * 8; i < byte * 8 + 8; ++i) {
                if (i >= lanes.n || !lanes.active[i]) continue;
                set_bit(bits, i, holds[i]);
                written |= !lanes.unwritten[i];
                some = true;
            }
            // Comparisons take whole repeats: bits of the padding behind a tail may share a byte with good ones.
            if (written) to.memory->set_written(begin + byte, 1);
            else if (some) to.memory->set_unwritten(begin + byte, 1);
        }
    };
}
template <class T>
void check_whole_repeats(const Instruction& at, std::uint32_t count) {
    if (count * sizeof(T) % repeat_bytes)
        at.fail(Rule::length, "is given ", count, " elements, ", count * sizeof(T), " bytes; they must be a multiple of 256 bytes");
}

}  // namespace ascendc

namespace AscendC {

template <class T, class U>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE mode, std::uint32_t count,
             ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] { Compare<T, U>(dst, src0, src1, mode, count, where); });
    ascendc::Instruction at("Compare", ascendc::Pipe::V, where);
    ascendc::check_compared<T>(at, mode);
    ascendc::check_whole_repeats<T>(at, count);
    const auto walk = ascendc::count_form(at, count, ascendc::repeat_lanes<T>);
    ascendc::compare(at, walk, src0, {}, mode, ascendc::tensor_lanes(at, walk, src1, {}), ascendc::into_tensor<T>(at, walk, dst));
}
template <class T, class U, bool isSetMask = true, class M>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE mode, const M& mask,
             std::uint8_t repeat, const BinaryRepeatParams& strides, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {
            Compare<T, U, isSetMask>(dst, src0, src1, mode, mask, repeat, strides, where);
        });
    ascendc::Instruction at("Compare", ascendc::Pipe::V, where);
    ascendc::check_compared<T>(at, mode);
    const auto walk = ascendc::mask_form<isSetMask>(at, mask, repeat, ascendc::repeat_lanes<T>);
    ascendc::compare(at, walk, src0, {strides.src0BlkStride, strides.src0RepStride}, mode,
                     ascendc::tensor_lanes(at, walk, src1, {strides.src1BlkStride, strides.src1RepStride}),
                     ascendc::into_tensor<T>(at, walk, dst));
}
// One repeat, into the register that Select and GetCmpMask read.
template <class T, bool isSetMask = true, class M>
void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE mode, const M& mask, const BinaryRepeatParams& strides,
             ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {
            Compare<T, isSetMask>(src0, src1, mode, mask, strides, where);
        });
    ascendc::Instruction at("Compare", ascendc::Pipe::V, where);
    ascendc::check_compared<T>(at, mode);
    const auto walk = ascendc::mask_form<isSetMask>(at, mask, 1, ascendc::repeat_lanes<T>);
    ascendc::Registers& registers = at.core.registers;
    ascendc::compare(at, walk, src0, {strides.src0BlkStride, strides.src0RepStride}, mode,
                     ascendc::tensor_lanes(at, walk, src1, {strides.src1BlkStride, strides.src1RepStride}),
                     [&](std::uint32_t, const ascendc::RepeatLanes<T>& lanes, const bool* holds) {
                         for (std::uint32_t i = 0; i < lanes.n; ++i)
                             if (lanes.active[i]) {
                                 ascendc::set_bit(registers.compared.data(), i, holds[i]);
                                 ascendc::set_bit(registers.compared_unwritten.data(), i, lanes.unwritten[i]);
                             }
                     });
}

#define ASCENDC_COMPARE_SCALAR(Name)                                                                                               \
    template <class T, class U>                                                                                                    \
    void Name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const ascendc::same_t<T> scalar, CMPMODE mode,                \
              std::uint32_t count, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                  \
        if (ascendc::held(ascendc::Pipe::V))                                                                                       \
            return ascendc::postpone(ascendc::Pipe::V, [=] { Name<T, U>(dst, src0, scalar, mode, count, where); });                \
        ascendc::Instruction at(#Name, ascendc::Pipe::V, where);                                                                   \
        ascendc::check_compared<T>(at, mode);                                                                                      \
        ascendc::check_whole_repeats<T>(at, count);                                                                                \
        const auto walk = ascendc::count_form(at, count, ascendc::repeat_lanes<T>);                                                \
        ascendc::compare(at, walk, src0, {}, mode, ascendc::scalar_lanes<T>(scalar), ascendc::into_tensor<T>(at, walk, dst));      \
    }                                                                                                                              \
    template <class T, class U, bool isSetMask = true, class M>                                                                    \
    void Name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const ascendc::same_t<T> scalar, CMPMODE mode, const M& mask, \
              std::uint8_t repeat, const UnaryRepeatParams& strides, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) { \
        if (ascendc::held(ascendc::Pipe::V))                                                                                       \
            return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {                                           \
                Name<T, U, isSetMask>(dst, src0, scalar, mode, mask, repeat, strides, where);                                      \
            });                                                                                                                    \
        ascendc::Instruction at(#Name, ascendc::Pipe::V, where);                                                                   \
        ascendc::check_compared<T>(at, mode);                                                                                      \
        const auto walk = ascendc::mask_form<isSetMask>(at, mask, repeat, ascendc::repeat_lanes<T>);                               \
        ascendc::compare(at, walk, src0, {strides.srcBlkStride, strides.srcRepStride}, mode, ascendc::scalar_lanes<T>(scalar),     \
                         ascendc::into_tensor<T>(at, walk, dst));                                                                  \
    }
ASCENDC_COMPARE_SCALAR(CompareScalar)
ASCENDC_COMPARE_SCALAR(Compares)
#undef ASCENDC_COMPARE_SCALAR

template <class T>
void GetCmpMask(const LocalTensor<T>& dst, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V)) return ascendc::postpone(ascendc::Pipe::V, [=] { GetCmpMask<T>(dst, where); });
    ascendc::Instruction at("GetCmpMask", ascendc::Pipe::V, where);
    const auto to = ascendc::operand(at, dst, "dst");
    const ascendc::Registers& registers = at.core.registers;
    ascendc::check_end(at, dst, to, to.address + 16);
    for (std::uint32_t i = 0; i < 16; ++i)
        ascendc::store(at, *to.memory, to.address + i, registers.compared[i], registers.compared_unwritten[i] != 0);
    at.takes(1);
}
template <class T>
void SetCmpMask(const LocalTensor<T>& src, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V)) return ascendc::postpone(ascendc::Pipe::V, [=] { SetCmpMask<T>(src, where); });
    ascendc::Instruction at("SetCmpMask", ascendc::Pipe::V, where);
    const auto from = ascendc::operand(at, src, "src");
    ascendc::check_end(at, src, from, from.address + 16);
    at.uses(*from.memory, from.address, 16, false);
    ascendc::Registers& registers = at.core.registers;
    std::memcpy(registers.compared.data(), from.memory->at(from.address), 16);
    for (std::uint32_t i = 0; i < 16; ++i) registers.compared_unwritten[i] = from.memory->any_unwritten(from.address + i, 1) ? 0xff : 0;
    at.takes(1);
}

}  // namespace AscendC
