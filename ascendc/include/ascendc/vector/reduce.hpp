// Reductions within a repeat: of blocks of 32 bytes, of neighbours and of all lanes. Sums add neighbours, then their sums, as a
// tree; each sum is rounded.
#pragma once

#include "ascendc/vector/arithmetic.hpp"
#include "ascendc/vector/lanes.hpp"

namespace AscendC {

enum class ReduceType : std::uint8_t { SUM = 0, MAX, MIN };

}  // namespace AscendC

namespace ascendc {

constexpr double block_reduction_rate = 7, whole_reduction_rate = 7;

// A value that a reduction has, and whether it was computed from what nobody wrote.
template <class T>
struct Reduced {
    T value{};
    std::uint32_t index = 0;  // of a maximum or minimum among the lanes
    bool any = false;         // at least one lane took part
    bool unwritten = false;
};

// Lanes that do not take part are left out of the tree.
template <class T>
Reduced<T> sum_of(const Instruction& at, const RepeatLanes<T>& lanes, std::uint32_t begin, std::uint32_t end) {
    Reduced<T> level[repeat_lanes<T>];
    std::uint32_t n = end > begin ? end - begin : 0;
    for (std::uint32_t i = 0; i < n; ++i)
        if (lanes.active[begin + i]) level[i] = {lanes.value[begin + i], 0, true, lanes.unwritten[begin + i]};
    for (; n > 1; n = (n + 1) / 2)
        for (std::uint32_t i = 0; i < n; i += 2) {
            const Reduced<T> a = level[i], b = i + 1 < n ? level[i + 1] : Reduced<T>{};
            level[i / 2] = a.any ? a : b;
            if (a.any && b.any)
                level[i / 2] = {rounded<T>(at, static_cast<arithmetic_type<T>>(a.value) + static_cast<arithmetic_type<T>>(b.value)), 0, true,
                                a.unwritten || b.unwritten};
        }
    return n ? level[0] : Reduced<T>{};
}

// Whether a value takes the place of one before it: among equals the first stays, and NaN is before every number.
template <bool largest, class T>
bool replaces(T value, T best) {
    const auto a = static_cast<arithmetic_type<T>>(value), b = static_cast<arithmetic_type<T>>(best);
    if (b != b) return false;
    return a != a || (largest ? a > b : a < b);
}
template <bool largest, class T>
Reduced<T> extreme_of(const RepeatLanes<T>& lanes, std::uint32_t begin, std::uint32_t end) {
    Reduced<T> best;
    for (std::uint32_t i = begin; i < end; ++i) {
        if (!lanes.active[i]) continue;
        best.unwritten |= lanes.unwritten[i];
        if (best.any && !replaces<largest>(lanes.value[i], best.value)) continue;
        best.value = lanes.value[i];
        best.index = i;
        best.any = true;
    }
    return best;
}
template <AscendC::ReduceType type, class T>
Reduced<T> reduced(const Instruction& at, const RepeatLanes<T>& lanes, std::uint32_t begin, std::uint32_t end) {
    end = std::min(end, lanes.n);
    if constexpr (type == AscendC::ReduceType::SUM) return sum_of(at, lanes, begin, end);
    else return extreme_of<type == AscendC::ReduceType::MAX>(lanes, begin, end);
}

template <class T>
std::uint8_t checked_repeats(const Instruction& at, T repeat) {
    if (repeat < 0 || repeat > AscendC::MAX_REPEAT_TIMES) at.fail(Rule::count, "is given ", repeat, " repeats; 0 to 255 are possible");
    return static_cast<std::uint8_t>(repeat);
}

inline Strides reduction_strides(std::int32_t block, std::int32_t repeat) {
    return {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(repeat)};
}

// The register of sums gets those of all repeats, one after the other.
template <class T>
void add_up(const Instruction& at, Registers& registers, const Reduced<T>& one) {
    registers.summed = rounded<T>(at, static_cast<float>(registers.summed) + static_cast<float>(one.value));
    registers.summed_unwritten |= one.unwritten;
}
// Sums of repeats for that register alone.
template <class T>
void add_repeats_up(Instruction& at, const Walk& walk, const AscendC::LocalTensor<T>& src, Strides strides, double cycles) {
    check_type<T, half, float>();
    const auto from = operand(at, src, "src", strides);
    check_reach(at, src, from, walk);
    RepeatLanes<T> lanes;
    Registers& registers = at.core.registers;
    registers.summed = 0, registers.summed_unwritten = false;
    for (std::uint32_t repeat = 0; repeat < walk.repeats; ++repeat) {
        load(at, walk, from, repeat, lanes);
        const auto one = reduced<AscendC::ReduceType::SUM>(at, lanes, 0, lanes.n);
        if (one.any) add_up(at, registers, one);
    }
    takes(at, walk, cycles);
}

// One result for each of the groups that a repeat's lanes fall into, side by side, `pitch` elements from repeat to repeat.
template <AscendC::ReduceType type, class T>
void reduce_groups(Instruction& at, const Walk& walk, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                   std::uint32_t group, std::uint32_t pitch, Strides strides, double cycles) {
    check_type<T, half, float>();
    const auto to = operand(at, dst, "dst", {}, sizeof(T));
    const auto from = operand(at, src, "src", strides);
    check_reach(at, src, from, walk);
    RepeatLanes<T> lanes;
    Registers& registers = at.core.registers;
    if constexpr (type == AscendC::ReduceType::SUM) registers.summed = 0, registers.summed_unwritten = false;
    for (std::uint32_t repeat = 0; repeat < walk.repeats; ++repeat) {
        load(at, walk, from, repeat, lanes);
        for (std::uint32_t i = 0; i * group < lanes.n; ++i) {
            const auto one = reduced<type>(at, lanes, i * group, (i + 1) * group);
            if (!one.any) continue;
            const std::uint32_t byte = to.address + (repeat * pitch + i) * static_cast<std::uint32_t>(sizeof(T));
            check_end(at, dst, to, byte + sizeof(T));
            store(at, *to.memory, byte, one.value, one.unwritten);
            if constexpr (type == AscendC::ReduceType::SUM) add_up(at, registers, one);
        }
    }
    takes(at, walk, cycles);
}

// An index in the bits of a T.
template <class T>
T index_bits(std::uint32_t index) {
    using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;
    return bits_as<T>(static_cast<Bits>(index));
}

template <AscendC::ReduceType type, class T>
void reduce_extreme(Instruction& at, const Walk& walk, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                    std::uint32_t pitch, Strides strides, AscendC::ReduceOrder order) {
    check_type<T, half, float>();
    using Order = AscendC::ReduceOrder;
    const bool only_index = order == Order::ORDER_ONLY_INDEX, both = order == Order::ORDER_VALUE_INDEX || order == Order::ORDER_INDEX_VALUE;
    const auto to = operand(at, dst, "dst", {}, only_index ? 4 : sizeof(T));
    const auto from = operand(at, src, "src", strides);
    check_reach(at, src, from, walk);
    const std::uint32_t width = only_index ? 4 : both ? 2 * sizeof(T) : sizeof(T);
    RepeatLanes<T> lanes;
    Reduced<T> whole;
    for (std::uint32_t repeat = 0; repeat < walk.repeats; ++repeat) {
        load(at, walk, from, repeat, lanes);
        const auto one = reduced<type>(at, lanes, 0, lanes.n);
        if (!one.any) continue;
        const std::uint32_t byte = to.address + repeat * pitch * width;
        check_end(at, dst, to, byte + width);
        if (only_index) {
            store(at, *to.memory, byte, one.index, one.unwritten);
        } else {
            const bool last = order == Order::ORDER_INDEX_VALUE;
            store(at, *to.memory, byte + (last ? sizeof(T) : 0), one.value, one.unwritten);
            if (both) store(at, *to.memory, byte + (last ? 0 : sizeof(T)), index_bits<T>(one.index), one.unwritten);
        }
        whole.unwritten |= one.unwritten;
        if (!whole.any || replaces<type == AscendC::ReduceType::MAX>(one.value, whole.value)) {
            whole.value = one.value;
            whole.index = repeat * walk.lanes + one.index;
            whole.any = true;
        }
    }
    at.core.registers.reduced = static_cast<float>(whole.value);
    at.core.registers.reduced_index = whole.index;
    at.core.registers.reduced_unwritten = whole.unwritten || !whole.any;
    takes(at, walk, whole_reduction_rate);
}

}  // namespace ascendc

namespace AscendC {

// A result for each block of a repeat; repeats are dstRepStride times eight results apart.
#define ASCENDC_BLOCK_REDUCE(Name, type)                                                                                           \
    template <class T, bool isSetMask = true, class M>                                                                             \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::int32_t repeat, const M& mask,                      \
              const std::int32_t dstRepStride, const std::int32_t srcBlkStride, const std::int32_t srcRepStride,                   \
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                                       \
        if (ascendc::held(ascendc::Pipe::V))                                                                                       \
            return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {                                           \
                Name<T, isSetMask>(dst, src, repeat, mask, dstRepStride, srcBlkStride, srcRepStride, where);                       \
            });                                                                                                                    \
        ascendc::Instruction at(#Name, ascendc::Pipe::V, where);                                                                   \
        const auto walk = ascendc::mask_form<isSetMask>(at, mask, ascendc::checked_repeats(at, repeat), ascendc::repeat_lanes<T>); \
        ascendc::reduce_groups<ReduceType::type>(at, walk, dst, src, ascendc::block_elements<T>, 8 * dstRepStride,                 \
                                                 ascendc::reduction_strides(srcBlkStride, srcRepStride),                           \
                                                 sizeof(T) == 2 ? ascendc::block_reduction_rate : ascendc::full_rate);             \
    }

#define ASCENDC_WHOLE_REDUCE(Name, type)                                                                                           \
    template <class T, bool isSetMask = true, class M>                                                                             \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const M& mask, const std::int32_t repeat,                      \
              const std::int32_t dstRepStride, const std::int32_t srcBlkStride, const std::int32_t srcRepStride,                   \
              ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {   \
        if (ascendc::held(ascendc::Pipe::V))                                                                                       \
            return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {                                           \
                Name<T, isSetMask>(dst, src, mask, repeat, dstRepStride, srcBlkStride, srcRepStride, order, where);                \
            });                                                                                                                    \
        ascendc::Instruction at(#Name, ascendc::Pipe::V, where);                                                                   \
        const auto walk = ascendc::mask_form<isSetMask>(at, mask, ascendc::checked_repeats(at, repeat), ascendc::repeat_lanes<T>); \
        ascendc::reduce_extreme<ReduceType::type>(at, walk, dst, src, dstRepStride,                                                \
                                                  ascendc::reduction_strides(srcBlkStride, srcRepStride), order);                  \
    }

ASCENDC_BLOCK_REDUCE(BlockReduceSum, SUM)
ASCENDC_BLOCK_REDUCE(BlockReduceMax, MAX)
ASCENDC_BLOCK_REDUCE(BlockReduceMin, MIN)
#undef ASCENDC_BLOCK_REDUCE
ASCENDC_WHOLE_REDUCE(WholeReduceMax, MAX)
ASCENDC_WHOLE_REDUCE(WholeReduceMin, MIN)
#undef ASCENDC_WHOLE_REDUCE

template <class T, bool isSetMask = true, class M>
void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const M& mask, const std::int32_t repeat,
                    const std::int32_t dstRepStride, const std::int32_t srcBlkStride, const std::int32_t srcRepStride,
                    ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {
            WholeReduceSum<T, isSetMask>(dst, src, mask, repeat, dstRepStride, srcBlkStride, srcRepStride, where);
        });
    ascendc::Instruction at("WholeReduceSum", ascendc::Pipe::V, where);
    const auto walk = ascendc::mask_form<isSetMask>(at, mask, ascendc::checked_repeats(at, repeat), ascendc::repeat_lanes<T>);
    ascendc::reduce_groups<ReduceType::SUM>(at, walk, dst, src, ascendc::repeat_lanes<T>, dstRepStride,
                                            ascendc::reduction_strides(srcBlkStride, srcRepStride), ascendc::whole_reduction_rate);
}
// The first lanes of each repeat.
template <class T, bool isSetMask = true>
void RepeatReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::int32_t repeat, const std::int32_t elemsInOneRepeat,
                     const std::int32_t dstBlkStride, const std::int32_t srcBlkStride, const std::int32_t dstRepStride,
                     const std::int32_t srcRepStride, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    (void)dstBlkStride;  // one result has no blocks
    WholeReduceSum<T, isSetMask>(dst, src, static_cast<std::uint64_t>(elemsInOneRepeat), repeat, dstRepStride, srcBlkStride, srcRepStride, where);
}
// Neighbours of each repeat, 128 bytes of sums.
template <class T, bool isSetMask = true, class M>
void PairReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::int32_t repeat, const M& mask,
                   const std::int32_t dstRepStride, const std::int32_t srcBlkStride, const std::int32_t srcRepStride,
                   ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {
            PairReduceSum<T, isSetMask>(dst, src, repeat, mask, dstRepStride, srcBlkStride, srcRepStride, where);
        });
    ascendc::Instruction at("PairReduceSum", ascendc::Pipe::V, where);
    const auto walk = ascendc::mask_form<isSetMask>(at, mask, ascendc::checked_repeats(at, repeat), ascendc::repeat_lanes<T>);
    ascendc::reduce_groups<ReduceType::SUM>(at, walk, dst, src, 2, dstRepStride * (ascendc::repeat_lanes<T> / 2),
                                            ascendc::reduction_strides(srcBlkStride, srcRepStride), ascendc::full_rate);
}

// The same by the names of newer releases; the mask comes before the repeats.
template <ReduceType type, class T, class U = T, bool isSetMask = true, class M>
void ReduceDataBlock(const LocalTensor<U>& dst, const LocalTensor<T>& src, const M& mask, const std::int32_t repeat,
                     const std::int32_t dstRepStride, const std::int32_t srcBlkStride, const std::int32_t srcRepStride,
                     ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if constexpr (type == ReduceType::SUM) BlockReduceSum<T, isSetMask>(dst, src, repeat, mask, dstRepStride, srcBlkStride, srcRepStride, where);
    else if constexpr (type == ReduceType::MAX) BlockReduceMax<T, isSetMask>(dst, src, repeat, mask, dstRepStride, srcBlkStride, srcRepStride, where);
    else BlockReduceMin<T, isSetMask>(dst, src, repeat, mask, dstRepStride, srcBlkStride, srcRepStride, where);
}
template <ReduceType type, class T, class U = T, bool isSetMask = true, class M>
void ReduceRepeat(const LocalTensor<U>& dst, const LocalTensor<T>& src, const M& mask, const std::int32_t repeat,
                  const std::int32_t dstRepStride, const std::int32_t srcBlkStride, const std::int32_t srcRepStride,
                  ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if constexpr (type == ReduceType::SUM) WholeReduceSum<T, isSetMask>(dst, src, mask, repeat, dstRepStride, srcBlkStride, srcRepStride, where);
    else if constexpr (type == ReduceType::MAX) WholeReduceMax<T, isSetMask>(dst, src, mask, repeat, dstRepStride, srcBlkStride, srcRepStride, order, where);
    else WholeReduceMin<T, isSetMask>(dst, src, mask, repeat, dstRepStride, srcBlkStride, srcRepStride, order, where);
}
template <ReduceType type, class T, class U = T, bool isSetMask = true, class M>
void ReducePairElem(const LocalTensor<U>& dst, const LocalTensor<T>& src, const M& mask, const std::int32_t repeat,
                    const std::int32_t dstRepStride, const std::int32_t srcBlkStride, const std::int32_t srcRepStride,
                    ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    static_assert(type == ReduceType::SUM, "neighbours are added alone");
    PairReduceSum<T, isSetMask>(dst, src, repeat, mask, dstRepStride, srcBlkStride, srcRepStride, where);
}

}  // namespace AscendC
