// Elements and blocks from offsets, and elements picked by a pattern of bits.
#pragma once

#include "ascendc/vector/arithmetic.hpp"
#include "ascendc/vector/lanes.hpp"

namespace ascendc {

// Where an offset in bytes leads; it must be written and lead to whole elements of the source.
template <class T>
std::uint32_t gathered(const Instruction& at, const AscendC::LocalTensor<T>& src, const Operand<T>& from, const Operand<std::uint32_t>& offsets,
                       std::uint32_t i, std::uint32_t base, std::uint32_t width, std::uint32_t alignment) {
    const std::uint32_t place = offsets.address + i * 4;
    if (offsets.memory->any_unwritten(place, 4)) at.fail(Rule::uninitialised, "takes offset ", i, ", which nobody wrote");
    std::uint32_t offset;
    std::memcpy(&offset, offsets.memory->at(place), 4);
    const std::uint64_t byte = std::uint64_t{from.address} + base + offset;
    if (byte % alignment) at.fail(Rule::address, "is given offset ", i, " of ", offset, " bytes; it must lead to a multiple of ", alignment);
    if (byte + width > src.place().end || byte + width > from.memory->size())
        at.fail(Rule::bounds, "is given offset ", i, " of ", offset, " bytes, behind the end of src at ", src.place().end - from.address);
    return static_cast<std::uint32_t>(byte);
}

template <class T>
void gather(Instruction& at, const Walk& walk, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
            const AscendC::LocalTensor<std::uint32_t>& offset, std::uint32_t base, std::uint32_t repeat_stride) {
    check_type<T, half, bfloat16_t, float, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t>();
    const auto to = operand(at, dst, "dst", {1, repeat_stride});
    const auto from = operand(at, src, "src", {}, sizeof(T));
    const auto offsets = operand(at, offset, "srcOffset");
    check_reach(at, dst, to, walk);
    std::uint32_t elements = 0;
    for (std::uint32_t repeat = 0; repeat < walk.repeats; ++repeat)
        for (std::uint32_t lane = 0; lane < walk.lanes; ++lane) {
            if (!walk.works_on(repeat, lane)) continue;
            const std::uint32_t i = repeat * walk.lanes + lane;
            check_end(at, offset, offsets, offsets.address + std::uint64_t{i} * 4 + 4);
            at.uses(*offsets.memory, offsets.address + i * 4, 4, false);
            const std::uint32_t byte = gathered(at, src, from, offsets, i, base, sizeof(T), sizeof(T));
            at.uses(*from.memory, byte, sizeof(T), false);
            store(at, *to.memory, to.byte(repeat, lane), *from.at(byte), from.memory->any_unwritten(byte, sizeof(T)));
            ++elements;
        }
    at.takes(vector_start + elements / 5.0);
}

// The elements whose bits are set, side by side; `picks(repeat, i)`: the bit of element i of a repeat.
template <class T, class Picks>
std::uint64_t pick(Instruction& at, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src, bool counted, std::uint32_t count,
                   const AscendC::GatherMaskParams& strides, Picks picks) {
    check_type<T, half, bfloat16_t, float, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t>();
    const auto to = operand(at, dst, "dst");
    const auto from = operand(at, src, "src0", {strides.src0BlockStride, strides.src0RepeatStride});
    const std::uint32_t lanes = counted ? count : repeat_lanes<T>;
    std::uint32_t kept = 0;
    for (std::uint32_t repeat = 0; repeat < strides.repeatTimes; ++repeat)
        for (std::uint32_t i = 0; i < lanes; ++i) {
            const std::uint32_t byte = from.byte(repeat, i);
            check_end(at, src, from, byte + sizeof(T));
            if (i % block_elements<T> == 0)
                at.uses(*from.memory, byte, std::min(block_elements<T>, lanes - i) * static_cast<std::uint32_t>(sizeof(T)), false);
            if (!picks(repeat, i)) continue;
            const std::uint32_t target = to.address + kept++ * static_cast<std::uint32_t>(sizeof(T));
            check_end(at, dst, to, target + sizeof(T));
            store(at, *to.memory, target, *from.at(byte), from.memory->any_unwritten(byte, sizeof(T)));
        }
    Registers& registers = at.core.registers;
    registers.counter = false;
    if (counted) registers.mask = {0, count};
    registers.kept = kept;
    at.takes(vector_start + strides.repeatTimes * ((lanes + repeat_lanes<T> - 1) / repeat_lanes<T>)*2.0);
    return kept;
}

}  // namespace ascendc

namespace AscendC {

// dst[i] = the element at src's address + base + offset[i], in bytes.
template <class T>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint32_t>& srcOffset, const std::uint32_t srcBaseAddr,
            const std::uint32_t count, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] { Gather<T>(dst, src, srcOffset, srcBaseAddr, count, where); });
    ascendc::Instruction at("Gather", ascendc::Pipe::V, where);
    ascendc::gather(at, ascendc::count_form(at, count, ascendc::repeat_lanes<T>), dst, src, srcOffset, srcBaseAddr, 8);
}
template <class T, class M>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint32_t>& srcOffset, const std::uint32_t srcBaseAddr,
            const M& mask, const std::uint8_t repeat, const std::uint16_t dstRepStride,
            ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {
            Gather<T>(dst, src, srcOffset, srcBaseAddr, mask, repeat, dstRepStride, where);
        });
    ascendc::Instruction at("Gather", ascendc::Pipe::V, where);
    const auto walk = ascendc::mask_form<true>(at, mask, repeat, ascendc::repeat_lanes<T>);
    ascendc::gather(at, walk, dst, src, srcOffset, srcBaseAddr, dstRepStride);
}

// Eight blocks a repeat, each from its offset.
template <class T>
void Gatherb(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<std::uint32_t>& offset, const std::uint8_t repeat,
             const GatherRepeatParams& strides, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::check_type<T, half, bfloat16_t, float, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t>();
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] { Gatherb<T>(dst, src0, offset, repeat, strides, where); });
    ascendc::Instruction at("Gatherb", ascendc::Pipe::V, where);
    const auto to = ascendc::operand(at, dst, "dst", {strides.dstBlkStride, strides.dstRepStride});
    const auto from = ascendc::operand(at, src0, "src0");
    const auto offsets = ascendc::operand(at, offset, "offset");
    if (!strides.dstBlkStride) at.fail(ascendc::Rule::count, "is given a block stride of 0 for dst: every block would be written to one place");
    ascendc::check_end(at, offset, offsets, offsets.address + repeat * 32u);
    at.uses(*offsets.memory, offsets.address, repeat * 32u, false);
    for (std::uint32_t i = 0; i < repeat * 8u; ++i) {
        const std::uint32_t byte = ascendc::gathered(at, src0, from, offsets, i, 0, ascendc::block_bytes, ascendc::block_bytes);
        const std::uint32_t target = to.byte(i / 8, i % 8 * ascendc::block_elements<T>);
        ascendc::check_end(at, dst, to, target + ascendc::block_bytes);
        at.uses(*from.memory, byte, ascendc::block_bytes, false);
        at.uses(*to.memory, target, ascendc::block_bytes, true);
        std::memmove(to.memory->at(target), from.memory->at(byte), ascendc::block_bytes);
        ascendc::pass_unwritten<T, T>(to, target, ascendc::block_elements<T>, {&from, byte});
    }
    at.takes(ascendc::vector_start + repeat * 3.0);
}

// By a pattern of the unit: 1 even elements, 2 odd ones, 3 to 6 every fourth from 0, 1, 2 or 3 on, 7 all. With `reduceMode`
// a repeat has `mask` elements, else 256 bytes.
template <class T>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const std::uint8_t pattern, const bool reduceMode, const std::uint32_t mask,
                const GatherMaskParams& strides, std::uint64_t& rsvdCnt, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::current().check_reaches(ascendc::Pipe::V, "GatherMask, whose count the scalar unit waits for,");
    ascendc::Instruction at("GatherMask", ascendc::Pipe::V, where);
    if (pattern < 1 || pattern > 7) at.fail(ascendc::Rule::count, "is given pattern ", unsigned{pattern}, "; 1 to 7 are possible");
    rsvdCnt = ascendc::pick(at, dst, src0, reduceMode, mask, strides, [pattern](std::uint32_t, std::uint32_t i) {
        return pattern == 7 || (pattern <= 2 ? i % 2 == pattern - 1u : i % 4 == pattern - 3u);
    });
}
// By a tensor of bits, one an element.
template <class T, class U>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<U>& pattern, const bool reduceMode,
                const std::uint32_t mask, const GatherMaskParams& strides, std::uint64_t& rsvdCnt,
                ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    static_assert(std::is_unsigned_v<U> && sizeof(U) == sizeof(T), "the pattern's words are as wide as the elements: uint16_t or uint32_t");
    ascendc::current().check_reaches(ascendc::Pipe::V, "GatherMask, whose count the scalar unit waits for,");
    ascendc::Instruction at("GatherMask", ascendc::Pipe::V, where);
    const auto bits = ascendc::operand(at, pattern, "src1Pattern");
    rsvdCnt = ascendc::pick(at, dst, src0, reduceMode, mask, strides, [&](std::uint32_t repeat, std::uint32_t i) {
        const std::uint32_t byte = bits.address + repeat * strides.src1RepeatStride * ascendc::block_bytes + i / 8;
        ascendc::check_end(at, pattern, bits, byte + 1);
        at.uses(*bits.memory, byte, 1, false);
        if (bits.memory->any_unwritten(byte, 1)) at.fail(ascendc::Rule::uninitialised, "takes bit ", i, " of the pattern, which nobody wrote");
        return (static_cast<unsigned>(*bits.memory->at(byte)) >> i % 8 & 1u) != 0;
    });
}

}  // namespace AscendC
