// One vector instruction whose lanes are independent: checks, order, values, and what was computed from unwritten bytes.
#pragma once

#include "ascendc/base/parameters.hpp"
#include "ascendc/vector/walk.hpp"

namespace ascendc {

// Cycles of a 256-byte repeat, and of an instruction's way through the unit.
constexpr double full_rate = 1, special_rate = 4, vector_start = 20;

template <class T>
inline constexpr std::uint32_t repeat_lanes = repeat_bytes / sizeof(T);

inline void leave_count_form(Core& core) {
    core.registers.mask = {};
    core.registers.counter = false;
}

// The count form: n elements; the mask is all ones and the mode normal behind it.
inline Walk count_form(const Instruction& at, std::int64_t n, std::uint32_t lanes) {
    if (n < 0) at.fail(Rule::count, "is given a count of ", n);
    leave_count_form(at.core);
    return counted_walk(static_cast<std::uint32_t>(n), lanes);
}

inline Walk register_form(const Instruction& at, std::uint32_t repeats, std::uint32_t lanes) {
    const Registers& registers = at.core.registers;
    if (registers.counter) return counted_walk(static_cast<std::uint32_t>(registers.mask.low), lanes);
    return {repeats, lanes, registers.mask, 0};
}

// The mask forms: bits of lanes, ...
template <bool set>
Walk mask_form(const Instruction& at, const std::uint64_t mask[], std::uint8_t repeats, std::uint32_t lanes) {
    if constexpr (set) {
        if (lanes <= 64 && mask[1]) at.fail(Rule::count, "is given bits in the mask's second word; ", lanes, " lanes have one word");
        if (lanes < 64 && mask[0] >> lanes) at.fail(Rule::count, "is given mask bits beyond its ", lanes, " lanes");
        at.core.registers.mask = {lanes > 64 ? mask[1] : 0, mask[0]};
    }
    return register_form(at, repeats, lanes);
}
// ... or how many lanes from the first on; in counter mode how many elements in all.
template <bool set>
Walk mask_form(const Instruction& at, std::uint64_t mask, std::uint8_t repeats, std::uint32_t lanes) {
    if constexpr (set) {
        Registers& registers = at.core.registers;
        if (registers.counter) {
            registers.mask = {0, mask};
        } else {
            if (mask < 1 || mask > lanes) at.fail(Rule::count, "is given a mask of ", mask, " lanes; 1 to ", lanes, " are possible");
            const auto ones = [](std::uint64_t n) { return n >= 64 ? ~0ull : (1ull << n) - 1; };
            registers.mask = {mask > 64 ? ones(mask - 64) : 0, ones(mask)};
        }
    }
    return register_form(at, repeats, lanes);
}

// Source and result may be the same bytes or have none in common. `accumulates`: a repeat stride of 0 adds up in the result.
template <class D, class S>
void check_overlap(const Instruction& at, const Walk& walk, const Operand<D>& dst, const Operand<S>& src, bool accumulates = false) {
    if (dst.memory != src.memory || !walk.repeats) return;
    const auto same_way = dst.strides.block == src.strides.block && dst.strides.repeat * sizeof(S) == src.strides.repeat * sizeof(D);
    if (dst.address == src.address && (same_way || accumulates) && sizeof(D) <= sizeof(S)) return;
    if (accumulates && !dst.strides.repeat) return;
    for (std::uint32_t repeat = 0; repeat < walk.repeats; ++repeat) {
        const std::uint32_t lanes = walk.lanes_of(repeat);
        if (!lanes) continue;
        const std::uint32_t to = dst.byte(repeat, 0), to_end = dst.byte(repeat, lanes - 1) + sizeof(D);
        const std::uint32_t from = src.byte(repeat, 0), from_end = src.byte(repeat, lanes - 1) + sizeof(S);
        if (to < from_end && from < to_end && to != from && dst.strides.block == 1 && src.strides.block == 1)
            at.fail(Rule::overlap, "writes ", dst.name, " at bytes ", to, " to ", to_end, " over a part of ", src.name, " at bytes ", from, " to ",
                    from_end, "; they must be the same or apart");
    }
}

// dst[i] = f(src[i]...) for the walk's lanes.
template <class D, class F, class... S>
void compute(Instruction& at, const Walk& walk, const Operand<D>& dst, F f, const Operand<S>&... src) {
    if (!dst.strides.block) at.fail(Rule::count, "is given a block stride of 0 for ", dst.name, ": every block would be written to one place");
    each_run(
        walk,
        [&](std::uint32_t repeat, std::uint32_t lane, std::uint32_t n) {
            (at.uses(*src.memory, src.byte(repeat, lane), n * sizeof(S), false), ...);
            const std::uint32_t to = dst.byte(repeat, lane);
            at.uses(*dst.memory, to, n * sizeof(D), true);
            const auto lanes = [n, f](D* result, const S*... values) {
                for (std::uint32_t i = 0; i < n; ++i) result[i] = f(values[i]...);
            };
            lanes(dst.at(to), src.at(src.byte(repeat, lane))...);
            pass_unwritten(dst, to, n, std::pair<const Operand<S>*, std::uint32_t>{&src, src.byte(repeat, lane)}...);
        },
        dst, src...);
}

inline void takes(Instruction& at, const Walk& walk, double cycles_of_repeat) {
    at.takes(vector_start + walk.repeats * cycles_of_repeat);
}

template <class D, class F, class A, class B>
void binary(Instruction& at, const Walk& walk, const AscendC::LocalTensor<D>& dst, const AscendC::LocalTensor<A>& src0,
            const AscendC::LocalTensor<B>& src1, const AscendC::BinaryRepeatParams& strides, double rate, F f) {
    const auto to = operand(at, dst, "dst", {strides.dstBlkStride, strides.dstRepStride});
    const auto a = operand(at, src0, "src0", {strides.src0BlkStride, strides.src0RepStride});
    const auto b = operand(at, src1, "src1", {strides.src1BlkStride, strides.src1RepStride});
    check_reach(at, dst, to, walk);
    check_reach(at, src0, a, walk);
    check_reach(at, src1, b, walk);
    check_overlap(at, walk, to, a);
    check_overlap(at, walk, to, b, to.address == b.address && !to.strides.repeat && !b.strides.repeat);
    compute(at, walk, to, f, a, b);
    takes(at, walk, rate);
}

template <class D, class F, class S>
void unary(Instruction& at, const Walk& walk, const AscendC::LocalTensor<D>& dst, const AscendC::LocalTensor<S>& src,
           const AscendC::UnaryRepeatParams& strides, double rate, F f) {
    const auto to = operand(at, dst, "dst", {strides.dstBlkStride, strides.dstRepStride});
    const auto from = operand(at, src, "src", {strides.srcBlkStride, strides.srcRepStride});
    check_reach(at, dst, to, walk);
    check_reach(at, src, from, walk);
    check_overlap(at, walk, to, from);
    compute(at, walk, to, f, from);
    takes(at, walk, rate);
}

}  // namespace ascendc
