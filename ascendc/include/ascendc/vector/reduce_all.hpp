// Reductions of whole tensors to one value, and the registers that keep the last reduction's result.
#pragma once

#include "ascendc/vector/reduce.hpp"

namespace ascendc {

inline std::uint32_t whole_blocks_of(std::uint32_t bytes) { return (bytes + block_bytes - 1) / block_bytes * block_bytes; }

// The bytes of work that a reduction of so many repeats needs, and those of it that it leaves other values in.
template <class T>
void use_work(Instruction& at, const AscendC::LocalTensor<T>& work, std::uint32_t needed, std::uint32_t written) {
    const auto area = operand(at, work, "work");
    if (area.address + needed > work.place().end || area.address + needed > area.memory->size())
        at.fail(Rule::bounds, "needs ", needed, " bytes of work, and is given ", work.place().end - area.address);
    at.uses(*area.memory, area.address, written, true);
    area.memory->set_unwritten(area.address, written);
}

// Results of repeats are reduced again, as if they were lanes of repeats.
template <class T>
Reduced<T> sum_of_all(const Instruction& at, std::vector<Reduced<T>> results) {
    RepeatLanes<T> lanes;
    while (results.size() > 1) {
        std::vector<Reduced<T>> next;
        for (std::size_t begin = 0; begin < results.size(); begin += repeat_lanes<T>) {
            lanes.n = static_cast<std::uint32_t>(std::min<std::size_t>(repeat_lanes<T>, results.size() - begin));
            for (std::uint32_t i = 0; i < lanes.n; ++i) {
                lanes.value[i] = results[begin + i].value;
                lanes.active[i] = results[begin + i].any;
                lanes.unwritten[i] = results[begin + i].unwritten;
            }
            next.push_back(sum_of(at, lanes, 0, lanes.n));
        }
        results.swap(next);
    }
    return results.empty() ? Reduced<T>{} : results[0];
}

template <class T>
void reduce_sum(Instruction& at, const Walk& walk, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                const AscendC::LocalTensor<T>& work, std::uint32_t repeat_stride) {
    check_type<T, half, float>();
    const auto to = operand(at, dst, "dst", {}, sizeof(T));
    const auto from = operand(at, src, "src", {1, repeat_stride});
    check_reach(at, src, from, walk);
    check_end(at, dst, to, to.address + sizeof(T));
    RepeatLanes<T> lanes;
    std::vector<Reduced<T>> results;
    for (std::uint32_t repeat = 0; repeat < walk.repeats; ++repeat) {
        load(at, walk, from, repeat, lanes);
        results.push_back(sum_of(at, lanes, 0, lanes.n));
    }
    const auto sum = sum_of_all(at, std::move(results));
    if (!sum.any) return;
    const auto written = walk.repeats * static_cast<std::uint32_t>(sizeof(T));
    use_work(at, work, whole_blocks_of(written), written);
    store(at, *to.memory, to.address, sum.value, sum.unwritten);
    at.core.registers.summed = static_cast<float>(sum.value);
    at.core.registers.summed_unwritten = sum.unwritten;
    takes(at, walk, whole_reduction_rate);
}

template <AscendC::ReduceType type, class T>
void reduce_to_extreme(Instruction& at, const Walk& walk, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                       const AscendC::LocalTensor<T>& work, std::uint32_t repeat_stride, bool with_index) {
    check_type<T, half, float>();
    const auto to = operand(at, dst, "dst", {}, sizeof(T));
    const auto from = operand(at, src, "src", {1, repeat_stride});
    check_reach(at, src, from, walk);
    check_end(at, dst, to, to.address + (with_index ? 2 : 1) * sizeof(T));
    RepeatLanes<T> lanes;
    Reduced<T> whole;
    for (std::uint32_t repeat = 0; repeat < walk.repeats; ++repeat) {
        load(at, walk, from, repeat, lanes);
        const auto one = reduced<type>(at, lanes, 0, lanes.n);
        if (!one.any) continue;
        whole.unwritten |= one.unwritten;
        if (whole.any && !replaces<type == AscendC::ReduceType::MAX>(one.value, whole.value)) continue;
        whole.value = one.value;
        whole.index = repeat * walk.lanes + one.index;
        whole.any = true;
    }
    if (!whole.any) return;
    const auto first = walk.repeats * 2 * static_cast<std::uint32_t>(sizeof(T));
    std::uint32_t needed = whole_blocks_of(first);
    if (with_index)
        for (std::uint32_t results = walk.repeats; results > 1;) {
            results = (2 * results + repeat_lanes<T> - 1) / repeat_lanes<T>;
            needed += whole_blocks_of(2 * results * sizeof(T));
        }
    use_work(at, work, needed, first);
    store(at, *to.memory, to.address, whole.value, whole.unwritten);
    if (with_index) store(at, *to.memory, to.address + sizeof(T), index_bits<T>(whole.index), whole.unwritten);
    at.core.registers.reduced = static_cast<float>(whole.value);
    at.core.registers.reduced_index = whole.index;
    at.core.registers.reduced_unwritten = whole.unwritten;
    takes(at, walk, whole_reduction_rate);
}

// The scalar unit waits for the vector unit, whose registers it reads.
inline void await_vector(Instruction& at) { at.core.stall(Pipe::S, at.core.pipe(Pipe::V).free_at, at.where); }

}  // namespace ascendc

namespace AscendC {

template <class T, bool isSetMask = true>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& work, const std::int32_t count,
               ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] { ReduceSum<T, isSetMask>(dst, src, work, count, where); });
    ascendc::Instruction at("ReduceSum", ascendc::Pipe::V, where);
    ascendc::reduce_sum(at, ascendc::count_form(at, count, ascendc::repeat_lanes<T>), dst, src, work, 8);
}
template <class T, bool isSetMask = true, class M>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& work, const M& mask, const std::int32_t repeat,
               const std::int32_t srcRepStride, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {
            ReduceSum<T, isSetMask>(dst, src, work, mask, repeat, srcRepStride, where);
        });
    ascendc::Instruction at("ReduceSum", ascendc::Pipe::V, where);
    if (repeat < 0) at.fail(ascendc::Rule::count, "is given ", repeat, " repeats");
    ascendc::Walk walk = ascendc::mask_form<isSetMask>(at, mask, 1, ascendc::repeat_lanes<T>);
    if (!at.core.registers.counter) walk.repeats = static_cast<std::uint32_t>(repeat);
    ascendc::reduce_sum(at, walk, dst, src, work, static_cast<std::uint32_t>(srcRepStride));
}

// The index counts elements of all repeats.
#define ASCENDC_REDUCE(Name, type)                                                                                                 \
    template <class T>                                                                                                             \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& work, const std::int32_t count,          \
              bool calIndex = false, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                \
        if (ascendc::held(ascendc::Pipe::V))                                                                                       \
            return ascendc::postpone(ascendc::Pipe::V, [=] { Name<T>(dst, src, work, count, calIndex, where); });                  \
        ascendc::Instruction at(#Name, ascendc::Pipe::V, where);                                                                   \
        const auto walk = ascendc::count_form(at, count, ascendc::repeat_lanes<T>);                                                \
        ascendc::reduce_to_extreme<ReduceType::type>(at, walk, dst, src, work, 8, calIndex);                                       \
    }                                                                                                                              \
    template <class T, class M>                                                                                                    \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& work, const M& mask,                     \
              const std::int32_t repeat, const std::int32_t srcRepStride, bool calIndex = false,                                   \
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                                       \
        if (ascendc::held(ascendc::Pipe::V))                                                                                       \
            return ascendc::postpone(ascendc::Pipe::V, [=, mask = ascendc::kept(mask)] {                                           \
                Name<T>(dst, src, work, mask, repeat, srcRepStride, calIndex, where);                                              \
            });                                                                                                                    \
        ascendc::Instruction at(#Name, ascendc::Pipe::V, where);                                                                   \
        if (repeat < 0) at.fail(ascendc::Rule::count, "is given ", repeat, " repeats");                                            \
        ascendc::Walk walk = ascendc::mask_form<true>(at, mask, 1, ascendc::repeat_lanes<T>);                                      \
        if (!at.core.registers.counter) walk.repeats = static_cast<std::uint32_t>(repeat);                                         \
        ascendc::reduce_to_extreme<ReduceType::type>(at, walk, dst, src, work, static_cast<std::uint32_t>(srcRepStride), calIndex); \
    }
ASCENDC_REDUCE(ReduceMax, MAX)
ASCENDC_REDUCE(ReduceMin, MIN)
#undef ASCENDC_REDUCE

// The last maximum or minimum, over all repeats of its instruction, and its index in the bits of a T.
template <class T>
void GetReduceMaxMinCount(T& value, T& index, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::current().check_reaches(ascendc::Pipe::V, "GetReduceMaxMinCount, for which the scalar unit waits,");
    ascendc::Instruction at("GetReduceMaxMinCount", ascendc::Pipe::S, where);
    const ascendc::Registers& registers = at.core.registers;
    if (registers.reduced_unwritten) at.fail(ascendc::Rule::uninitialised, "reads a result that was computed from what nobody wrote");
    ascendc::await_vector(at);
    value = static_cast<T>(static_cast<float>(registers.reduced));
    index = ascendc::index_bits<T>(static_cast<std::uint32_t>(registers.reduced_index));
}
template <class T>
void GetReduceMaxMinCount(T& value, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    T index;
    GetReduceMaxMinCount(value, index, where);
}
template <class T>
void GetReduceRepeatMaxMinSpr(T& value, T& index, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    GetReduceMaxMinCount(value, index, where);
}
template <class T>
void GetReduceRepeatMaxMinSpr(T& value, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) { GetReduceMaxMinCount(value, where); }

// The last sum, over all repeats of its instruction.
template <class T>
T GetAccVal(ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::current().check_reaches(ascendc::Pipe::V, "GetAccVal, for which the scalar unit waits,");
    ascendc::Instruction at("GetAccVal", ascendc::Pipe::S, where);
    if (at.core.registers.summed_unwritten) at.fail(ascendc::Rule::uninitialised, "reads a sum that was computed from what nobody wrote");
    ascendc::await_vector(at);
    return static_cast<T>(static_cast<float>(at.core.registers.summed));
}
template <class T>
T GetReduceRepeatSumSpr(ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) { return GetAccVal<T>(where); }

}  // namespace AscendC
