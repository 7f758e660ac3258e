// Tensors of one value or of a sequence, copies with strides, and a block of copies for each element.
#pragma once

#include "ascendc/vector/arithmetic.hpp"

namespace ascendc {

template <class T>
struct Constant {
    T value;
    T operator()() const { return value; }
};
struct Identity {
    template <class T> T operator()(T value) const { return value; }
};

template <class T>
void fill(Instruction& at, const Walk& walk, const AscendC::LocalTensor<T>& dst, Strides strides, T value) {
    const auto to = operand(at, dst, "dst", strides);
    check_reach(at, dst, to, walk);
    compute(at, walk, to, Constant<T>{value});
    takes(at, walk, full_rate);
}

// first + i * step, where i counts the lanes of all repeats, masked or not.
template <class T>
void count_up(Instruction& at, const Walk& walk, const AscendC::LocalTensor<T>& dst, Strides strides, T first, T step) {
    const auto to = operand(at, dst, "dst", strides);
    check_reach(at, dst, to, walk);
    each_run(
        walk,
        [&](std::uint32_t repeat, std::uint32_t lane, std::uint32_t n) {
            const std::uint32_t byte = to.byte(repeat, lane), begin = repeat * walk.lanes + lane;
            at.uses(*to.memory, byte, n * sizeof(T), true);
            T* const result = to.at(byte);
            for (std::uint32_t i = 0; i < n; ++i) {
                if constexpr (std::is_integral_v<T>) result[i] = Plus{}(first, Times{}(static_cast<T>(begin + i), step));
                else result[i] = rounded<T>(at, std::fma(static_cast<float>(begin + i), static_cast<float>(step), static_cast<float>(first)));
            }
            to.memory->set_written(byte, n * sizeof(T));
        },
        to);
    takes(at, walk, full_rate);
}

template <class T>
void copy(Instruction& at, const Walk& walk, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src, Strides to_strides,
          Strides from_strides) {
    const auto to = operand(at, dst, "dst", to_strides);
    const auto from = operand(at, src, "src", from_strides);
    check_reach(at, dst, to, walk);
    check_reach(at, src, from, walk);
    check_overlap(at, walk, to, from);
    compute(at, walk, to, Identity{}, from);
    takes(at, walk, full_rate);
}

template <class T>
constexpr void check_moved() {
    check_type<T, half, bfloat16_t, float, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t>();
}

}  // namespace ascendc

namespace AscendC {

template <class T, bool isSetMask = true>
void Duplicate(const LocalTensor<T>& dst, const ascendc::same_t<T>& scalar, const std::int32_t& count,
               ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::check_moved<T>();
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] { Duplicate<T, isSetMask>(dst, scalar, count, where); });
    ascendc::Instruction at("Duplicate", ascendc::Pipe::V, where);
    ascendc::fill(at, ascendc::count_form(at, count, ascendc::repeat_lanes<T>), dst, {}, scalar);
}
template <class T, bool isSetMask = true, class M>
void Duplicate(const LocalTensor<T>& dst, const ascendc::same_t<T>& scalar, const M& mask, const std::uint8_t repeat,
               const std::uint16_t dstBlkStride, const std::uint8_t dstRepStride,
               ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::check_moved<T>();
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {
            Duplicate<T, isSetMask>(dst, scalar, mask, repeat, dstBlkStride, dstRepStride, where);
        });
    ascendc::Instruction at("Duplicate", ascendc::Pipe::V, where);
    const auto walk = ascendc::mask_form<isSetMask>(at, mask, repeat, ascendc::repeat_lanes<T>);
    ascendc::fill(at, walk, dst, {dstBlkStride, dstRepStride}, scalar);
}

template <class T>
void ArithProgression(const LocalTensor<T>& dst, const ascendc::same_t<T> first, const ascendc::same_t<T> step, const std::int32_t count,
                      ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::check_type<T, half, float, std::int16_t, std::int32_t>();
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] { ArithProgression<T>(dst, first, step, count, where); });
    ascendc::Instruction at("ArithProgression", ascendc::Pipe::V, where);
    ascendc::count_up(at, ascendc::count_form(at, count, ascendc::repeat_lanes<T>), dst, {}, first, step);
}
template <class T>
void Arange(const LocalTensor<T>& dst, const ascendc::same_t<T> first, const ascendc::same_t<T> step, const std::int32_t count,
            ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ArithProgression<T>(dst, first, step, count, where);
}
template <class T>
void CreateVecIndex(const LocalTensor<T>& dst, const ascendc::same_t<T>& first, std::uint32_t count,
                    ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::check_type<T, half, float, std::int16_t, std::int32_t>();
    if (ascendc::held(ascendc::Pipe::V)) return ascendc::postpone(ascendc::Pipe::V, [=] { CreateVecIndex<T>(dst, first, count, where); });
    ascendc::Instruction at("CreateVecIndex", ascendc::Pipe::V, where);
    ascendc::count_up(at, ascendc::count_form(at, count, ascendc::repeat_lanes<T>), dst, {}, first, T(1));
}
template <class T, class M>
void CreateVecIndex(const LocalTensor<T>& dst, const ascendc::same_t<T>& first, const M& mask, std::uint8_t repeat,
                    std::uint16_t dstBlkStride, std::uint8_t dstRepStride, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::check_type<T, half, float, std::int16_t, std::int32_t>();
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {
            CreateVecIndex<T>(dst, first, mask, repeat, dstBlkStride, dstRepStride, where);
        });
    ascendc::Instruction at("CreateVecIndex", ascendc::Pipe::V, where);
    const auto walk = ascendc::mask_form<true>(at, mask, repeat, ascendc::repeat_lanes<T>);
    ascendc::count_up(at, walk, dst, {dstBlkStride, dstRepStride}, first, T(1));
}

// In counter mode the mask is the number of elements of each repeat, not of all.
template <class T, bool isSetMask = true, class M>
void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const M& mask, const std::uint8_t repeat, const CopyRepeatParams& strides,
          ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::check_moved<T>();
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {
            Copy<T, isSetMask>(dst, src, mask, repeat, strides, where);
        });
    ascendc::Instruction at("Copy", ascendc::Pipe::V, where);
    ascendc::Walk walk = ascendc::mask_form<isSetMask>(at, mask, repeat, ascendc::repeat_lanes<T>);
    if (at.core.registers.counter) walk = {repeat, walk.total, {}, walk.total * repeat};
    ascendc::copy(at, walk, dst, src, {strides.dstStride, strides.dstRepeatSize}, {strides.srcStride, strides.srcRepeatSize});
}
template <class T>
void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t count,
          ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::check_moved<T>();
    if (ascendc::held(ascendc::Pipe::V)) return ascendc::postpone(ascendc::Pipe::V, [=] { Copy<T>(dst, src, count, where); });
    ascendc::Instruction at("Copy", ascendc::Pipe::V, where);
    ascendc::copy(at, ascendc::count_form(at, count, ascendc::repeat_lanes<T>), dst, src, {}, {});
}

// Each of eight elements a repeat fills a block of 32 bytes.
template <class T>
void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint8_t repeat, const BrcbRepeatParams& strides,
          ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::check_moved<T>();
    if (ascendc::held(ascendc::Pipe::V)) return ascendc::postpone(ascendc::Pipe::V, [=] { Brcb<T>(dst, src, repeat, strides, where); });
    ascendc::Instruction at("Brcb", ascendc::Pipe::V, where);
    constexpr std::uint32_t copies = ascendc::block_elements<T>, width = sizeof(T);
    const auto to = ascendc::operand(at, dst, "dst", {strides.dstBlkStride, strides.dstRepStride});
    const auto from = ascendc::operand(at, src, "src");
    if (!strides.dstBlkStride) at.fail(ascendc::Rule::count, "is given a block stride of 0 for dst: every block would be written to one place");
    if (!repeat) return;
    const std::uint32_t target_end = to.byte(repeat - 1, 7 * copies) + ascendc::block_bytes, source_end = from.address + repeat * 8 * width;
    ascendc::check_end(at, dst, to, target_end);
    ascendc::check_end(at, src, from, source_end);
    if (to.address < source_end && from.address < target_end) at.fail(ascendc::Rule::overlap, "writes dst over a part of src; they must be apart");
    at.uses(*from.memory, from.address, repeat * 8 * width, false);
    for (std::uint32_t i = 0; i < repeat * 8u; ++i) {
        const std::uint32_t byte = to.byte(i / 8, i % 8 * copies), source = from.address + i * width;
        at.uses(*to.memory, byte, ascendc::block_bytes, true);
        std::fill_n(to.at(byte), copies, *from.at(source));
        if (from.memory->any_unwritten(source, width)) to.memory->set_unwritten(byte, ascendc::block_bytes);
        else to.memory->set_written(byte, ascendc::block_bytes);
    }
    at.takes(ascendc::vector_start + repeat * ascendc::full_rate);
}

}  // namespace AscendC
