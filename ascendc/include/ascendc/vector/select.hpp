// Select: of two sources the first where a bit is set.
#pragma once

#include "ascendc/tensor/tpipe.hpp"
#include "ascendc/vector/compare.hpp"

namespace ascendc {

// Where a Select finds its bits: in the compare register, the same for every repeat, or in UB, one after the other.
struct Bits {
    const Registers* registers = nullptr;
    LocalMemory* memory = nullptr;
    std::uint32_t address = 0;
    bool repeats = false;  // every repeat takes the same

    std::uint32_t at(std::uint32_t repeat, std::uint32_t lane, std::uint32_t lanes) const {
        return repeats ? lane % lanes : repeat * lanes + lane;
    }
    bool set(std::uint32_t i) const {
        const std::uint8_t byte = registers ? registers->compared[i / 8] : static_cast<std::uint8_t>(*memory->at(address + i / 8));
        return byte >> i % 8 & 1u;
    }
    bool unwritten(std::uint32_t i) const {
        return registers ? registers->compared_unwritten[i / 8] >> i % 8 & 1u : memory->any_unwritten(address + i / 8, 1);
    }
};

// The modes that take bits from UB keep their address in the last 8 KB of it.
inline void reserve_top(Instruction& at) {
    LocalMemory& memory = at.core.memory(AscendC::Hardware::UB);
    if (at.core.pipe_object && at.core.pipe_object->taken(AscendC::Hardware::UB) > AscendC::TMP_UB_OFFSET)
        at.fail(Rule::buffers, "works in the last 8 KB of UB in this mode, and a buffer lies there; leave them free");
    at.uses(memory, AscendC::TMP_UB_OFFSET, AscendC::TMP_UB_SIZE, true);
    memory.set_unwritten(AscendC::TMP_UB_OFFSET, AscendC::TMP_UB_SIZE);
}

template <class U>
Bits bits_of(Instruction& at, const Walk& walk, const AscendC::LocalTensor<U>& tensor, bool repeats) {
    check_type<U, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t, std::uint64_t, std::int64_t>();
    const auto from = operand(at, tensor, "selMask");
    const std::uint32_t lanes = walk.counted() ? walk.total : walk.repeats * walk.lanes;
    const std::uint32_t bytes = ((repeats ? std::min(lanes, walk.lanes) : lanes) + 7) / 8;
    check_end(at, tensor, from, from.address + bytes);
    at.uses(*from.memory, from.address, bytes, false);
    return {nullptr, from.memory, from.address, repeats};
}

// What is chosen decides whether a result counts as written: the other source may be padding.
template <class T>
void select(Instruction& at, const Walk& walk, const AscendC::LocalTensor<T>& dst, const Bits& bits, const AscendC::LocalTensor<T>& src0,
            const AscendC::LocalTensor<T>* src1, T scalar, bool scalar_unwritten, const AscendC::BinaryRepeatParams& strides) {
    check_type<T, half, float>();
    const auto to = operand(at, dst, "dst", {strides.dstBlkStride, strides.dstRepStride});
    const auto a = operand(at, src0, "src0", {strides.src0BlkStride, strides.src0RepStride});
    const auto b = src1 ? operand(at, *src1, "src1", {strides.src1BlkStride, strides.src1RepStride}) : a;
    if (!strides.dstBlkStride) at.fail(Rule::count, "is given a block stride of 0 for dst: every block would be written to one place");
    check_reach(at, dst, to, walk);
    check_reach(at, src0, a, walk);
    check_overlap(at, walk, to, a);
    if (src1) {
        check_reach(at, *src1, b, walk);
        check_overlap(at, walk, to, b);
    }
    each_run(
        walk,
        [&](std::uint32_t repeat, std::uint32_t lane, std::uint32_t n) {
            const std::uint32_t result = to.byte(repeat, lane), first = a.byte(repeat, lane), second = b.byte(repeat, lane);
            at.uses(*a.memory, first, n * sizeof(T), false);
            if (src1) at.uses(*b.memory, second, n * sizeof(T), false);
            at.uses(*to.memory, result, n * sizeof(T), true);
            for (std::uint32_t i = 0; i < n; ++i) {
                const std::uint32_t bit = bits.at(repeat, lane + i, walk.lanes), offset = i * static_cast<std::uint32_t>(sizeof(T));
                const bool one = bits.set(bit);
                const std::uint32_t from = (one ? first : second) + offset;
                const bool from_scalar = !one && !src1;
                *to.at(result + offset) = from_scalar ? scalar : *a.at(from);
                if (bits.unwritten(bit) || (from_scalar ? scalar_unwritten : a.memory->any_unwritten(from, sizeof(T))))
                    to.memory->set_unwritten(result + offset, sizeof(T));
                else to.memory->set_written(result + offset, sizeof(T));
            }
        },
        to, a, b);
    takes(at, walk, full_rate);
}

template <class T, class U>
void select_tensor(Instruction& at, const Walk& walk, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& mask,
                   const AscendC::LocalTensor<T>& src0, const AscendC::LocalTensor<T>& src1, AscendC::SELMODE mode,
                   const AscendC::BinaryRepeatParams& strides) {
    if (mode == AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE) at.fail(Rule::type, "takes a scalar for src1 in this mode, and is given a tensor");
    const bool in_register = mode == AscendC::SELMODE::VSEL_CMPMASK_SPR;
    const Bits bits = bits_of(at, walk, mask, in_register);
    if (!in_register) reserve_top(at);
    select(at, walk, dst, bits, src0, &src1, T{}, false, strides);
}
template <class T, class U>
void select_scalar(Instruction& at, const Walk& walk, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& mask,
                   const AscendC::LocalTensor<T>& src0, T scalar, AscendC::SELMODE mode, const AscendC::BinaryRepeatParams& strides) {
    if (mode != AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE) at.fail(Rule::type, "takes a tensor for src1 in this mode, and is given a scalar");
    const Bits bits = bits_of(at, walk, mask, false);
    reserve_top(at);
    select<T>(at, walk, dst, bits, src0, nullptr, scalar, false, strides);
}

}  // namespace ascendc

namespace AscendC {

template <class T, class U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, const LocalTensor<T>& src1, SELMODE mode,
            std::uint32_t count, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] { Select<T, U>(dst, selMask, src0, src1, mode, count, where); });
    ascendc::Instruction at("Select", ascendc::Pipe::V, where);
    ascendc::select_tensor(at, ascendc::count_form(at, count, ascendc::repeat_lanes<T>), dst, selMask, src0, src1, mode, {});
}
template <class T, class U, bool isSetMask = true, class M>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, const LocalTensor<T>& src1, SELMODE mode,
            const M& mask, std::uint8_t repeat, const BinaryRepeatParams& strides,
            ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {
            Select<T, U, isSetMask>(dst, selMask, src0, src1, mode, mask, repeat, strides, where);
        });
    ascendc::Instruction at("Select", ascendc::Pipe::V, where);
    const auto walk = ascendc::mask_form<isSetMask>(at, mask, repeat, ascendc::repeat_lanes<T>);
    ascendc::select_tensor(at, walk, dst, selMask, src0, src1, mode, strides);
}
template <class T, class U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, ascendc::same_t<T> src1, SELMODE mode,
            std::uint32_t count, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] { Select<T, U>(dst, selMask, src0, src1, mode, count, where); });
    ascendc::Instruction at("Select", ascendc::Pipe::V, where);
    ascendc::select_scalar(at, ascendc::count_form(at, count, ascendc::repeat_lanes<T>), dst, selMask, src0, src1, mode, {});
}
template <class T, class U, bool isSetMask = true, class M>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, ascendc::same_t<T> src1, SELMODE mode,
            const M& mask, std::uint8_t repeat, const BinaryRepeatParams& strides,
            ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {
            Select<T, U, isSetMask>(dst, selMask, src0, src1, mode, mask, repeat, strides, where);
        });
    ascendc::Instruction at("Select", ascendc::Pipe::V, where);
    const auto walk = ascendc::mask_form<isSetMask>(at, mask, repeat, ascendc::repeat_lanes<T>);
    ascendc::select_scalar(at, walk, dst, selMask, src0, src1, mode, strides);
}
// With what SetCmpMask has put into the register: the bits themselves, or the address of a tensor of them.
template <class T, SELMODE mode>
void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, std::uint8_t repeat,
            const BinaryRepeatParams& strides, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    static_assert(mode != SELMODE::VSEL_TENSOR_SCALAR_MODE, "this form takes two tensors");
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] { Select<T, mode>(dst, src0, src1, repeat, strides, where); });
    ascendc::Instruction at("Select", ascendc::Pipe::V, where);
    const auto walk = ascendc::register_form(at, repeat, ascendc::repeat_lanes<T>);
    ascendc::Registers& registers = at.core.registers;
    ascendc::Bits bits{&registers, nullptr, 0, true};
    if constexpr (mode == SELMODE::VSEL_TENSOR_TENSOR_MODE) {
        ascendc::LocalMemory& memory = at.core.memory(Hardware::UB);
        std::uint32_t low;
        std::memcpy(&low, registers.compared.data(), sizeof low);
        const auto address = low - static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(memory.at(0)));
        const std::uint32_t bytes = ((walk.counted() ? walk.total : walk.repeats * walk.lanes) + 7) / 8;
        if (!memory.holds(address, bytes))
            at.fail(ascendc::Rule::address, "takes its bits from the address in the compare register, which is none of UB; put it there by SetCmpMask");
        at.uses(memory, address, bytes, false);
        bits = {nullptr, &memory, address, false};
    }
    ascendc::select(at, walk, dst, bits, src0, &src1, T{}, false, strides);
}
// The scalar lies in the register.
template <class T, class U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, std::uint8_t repeat,
            const BinaryRepeatParams& strides, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] { Select<T, U>(dst, selMask, src0, repeat, strides, where); });
    ascendc::Instruction at("Select", ascendc::Pipe::V, where);
    const auto walk = ascendc::register_form(at, repeat, ascendc::repeat_lanes<T>);
    const auto bits = ascendc::bits_of(at, walk, selMask, false);
    T scalar;
    std::memcpy(&scalar, at.core.registers.compared.data(), sizeof(T));
    const auto& unwritten = at.core.registers.compared_unwritten;
    ascendc::select<T>(at, walk, dst, bits, src0, nullptr, scalar, unwritten[0] || unwritten[1], strides);
}

}  // namespace AscendC
