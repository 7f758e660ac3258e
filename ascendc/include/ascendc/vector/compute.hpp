// One vector instruction whose lanes are independent: checks, order, values, and what was computed from unwritten bytes.
#pragma once

#include "ascendc/base/parameters.hpp"
#include "ascendc/vector/banks.hpp"
#include "ascendc/vector/walk.hpp"

namespace ascendc {

// Cycles of a 256-byte repeat, and of an instruction's way through the unit.
constexpr double full_rate = 1, special_rate = 4, vector_start = 20;

template <class T>
inline constexpr std::uint32_t repeat_lanes = repeat_bytes / sizeof(T);

// An operand whose lanes lie side by side, also where another operand's are wider.
template <class T>
Strides packed(std::uint32_t lanes) { return {1, static_cast<std::uint32_t>(bytes_of<T>(lanes)) / block_bytes}; }

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

inline Mask first_lanes(std::uint64_t n) {
    const auto ones = [](std::uint64_t bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; };
    return {n > 64 ? ones(n - 64) : 0, ones(n)};
}

// A mask that outlives its call: bits, or how many lanes.
struct KeptMask {
    std::uint64_t words[2];
    operator const std::uint64_t*() const { return words; }
};
template <class M>
auto kept(const M& mask) {
    if constexpr (std::is_convertible_v<const M&, const std::uint64_t*>) return KeptMask{{mask[0], mask[1]}};
    else return mask;
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
// ... or how many lanes from the first on, of a tail also none; in counter mode how many elements in all.
template <bool set>
Walk mask_form(const Instruction& at, std::uint64_t mask, std::uint8_t repeats, std::uint32_t lanes) {
    if constexpr (set) {
        Registers& registers = at.core.registers;
        if (registers.counter) {
            registers.mask = {0, mask};
        } else {
            if (mask > lanes) at.fail(Rule::count, "is given a mask of ", mask, " lanes; at most ", lanes, " are possible");
            registers.mask = first_lanes(mask);
        }
    }
    return register_form(at, repeats, lanes);
}

// Source and result may be the same bytes or have none in common, and a repeat must not read what one before it wrote.
// `accumulates`: a repeat stride of 0 adds up in the result.
template <class D, class S>
void check_overlap(const Instruction& at, const Walk& walk, const Operand<D>& dst, const Operand<S>& src, bool accumulates = false) {
    if (dst.memory != src.memory || !walk.repeats || (accumulates && !dst.strides.repeat)) return;
    const auto same_way = dst.strides.block == src.strides.block && dst.strides.repeat * sizeof(S) == src.strides.repeat * sizeof(D);
    if (dst.address == src.address && (same_way || accumulates) && sizeof(D) <= sizeof(S)) return;
    if (dst.strides.block != 1 || src.strides.block != 1) return;
    const auto range = [&walk](const auto& operand, std::uint32_t repeat) {
        const std::uint32_t begin = operand.byte(repeat, 0), lanes = walk.used_lanes(repeat);
        return std::pair(begin, lanes ? operand.byte(repeat, lanes - 1) + operand.width : begin);
    };
    const auto whole = [&](const auto& operand) { return std::pair(operand.address, range(operand, walk.repeats - 1).second); };
    const auto meet = [](const auto& a, const auto& b) { return a.first < b.second && b.first < a.second; };
    if (!meet(whole(dst), whole(src))) return;
    for (std::uint32_t repeat = 0; repeat < walk.repeats; ++repeat) {
        const auto to = range(dst, repeat);
        for (std::uint32_t later = repeat; later < walk.repeats; ++later) {
            const auto from = range(src, later);
            if (!meet(to, from) || (later == repeat && to.first == from.first && sizeof(D) <= sizeof(S))) continue;
            at.fail(Rule::overlap, "writes ", dst.name, " at bytes ", to.first, " to ", to.second, " over a part of ", src.name, " at bytes ",
                    from.first, " to ", from.second, later == repeat ? "" : " that a later repeat reads", "; they must be the same or apart");
        }
    }
}

// Where the core saturates, infinities become the largest number and NaN 0.
template <class T>
void saturate(T* values, std::uint32_t n) {
    constexpr std::uint16_t infinite = std::is_same_v<T, half> ? 0x7c00 : 0x7f80;
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint16_t bits = values[i].bits, magnitude = bits & 0x7fff;
        values[i].bits = static_cast<std::uint16_t>(magnitude > infinite ? 0 : magnitude == infinite ? bits - 1 : bits);
    }
}

// One value, rounded to T.
template <class T>
T rounded(const Instruction& at, arithmetic_type<T> value) {
    T result = static_cast<T>(value);
    if constexpr (one_of<T, half, bfloat16_t>)
        if (!at.core.registers.keeps_infinity) saturate(&result, 1);
    return result;
}

// result[i] = f(values[i]...) for n lanes. The way over the operands is compiled once for their types, not for every operation.
template <class D, class... S>
using LaneLoop = void (*)(const void* f, std::uint32_t n, D* result, const S*... values);

template <class D, class... S>
[[gnu::noinline]] void walk_lanes(Instruction& at, const Walk& walk, const Operand<D>& dst, LaneLoop<D, S...> loop, const void* f,
                                  [[maybe_unused]] bool rounds, const Operand<S>&... src) {
    if (!dst.strides.block) at.fail(Rule::count, "is given a block stride of 0 for ", dst.name, ": every block would be written to one place");
    each_run(
        walk,
        [&](std::uint32_t repeat, std::uint32_t lane, std::uint32_t n) {
            (at.uses(*src.memory, src.byte(repeat, lane), n * sizeof(S), false), ...);
            const std::uint32_t to = dst.byte(repeat, lane);
            at.uses(*dst.memory, to, n * sizeof(D), true);
            loop(f, n, dst.at(to), src.at(src.byte(repeat, lane))...);
            if constexpr (one_of<D, half, bfloat16_t>)
                if (rounds && !at.core.registers.keeps_infinity) saturate(dst.at(to), n);
            pass_unwritten(dst, to, n, std::pair<const Operand<S>*, std::uint32_t>{&src, src.byte(repeat, lane)}...);
        },
        dst, src...);
}

// What one lane computes: operands as the type of arithmetic, rounded to T by the store.
template <class T, class F>
struct Lane {
    using rounds = void;
    F f;
    template <class... Values>
    T operator()(Values... values) const {
        return static_cast<T>(f(static_cast<arithmetic_type<T>>(values)...));
    }
};
template <class T, class F>
Lane<T, F> lane(F f) { return {f}; }

// The results of a lane are rounded, and saturate where the core does.
template <class F, class = void>
inline constexpr bool is_rounded = false;
template <class F>
inline constexpr bool is_rounded<F, std::void_t<typename F::rounds>> = true;

// dst[i] = f(src[i]...) for the walk's lanes.
template <class D, class F, class... S>
void compute(Instruction& at, const Walk& walk, const Operand<D>& dst, F f, const Operand<S>&... src) {
    const LaneLoop<D, S...> loop = [](const void* given, std::uint32_t n, D* result, const S*... values) {
        const F each = *static_cast<const F*>(given);
        for (std::uint32_t i = 0; i < n; ++i) result[i] = each(values[i]...);
    };
    walk_lanes<D, S...>(at, walk, dst, loop, &f, is_rounded<F>, src...);
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
    at.waits_for_banks(bank_conflicts(walk, rate, to, a, b));
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
    at.waits_for_banks(bank_conflicts(walk, rate, to, from));
}

}  // namespace ascendc
