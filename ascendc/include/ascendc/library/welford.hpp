// Means and variances of what comes piece by piece, by Welford's recurrence.
#pragma once

#include "ascendc/library/rows.hpp"

namespace AscendC {

struct WelfordUpdateParam {
    std::uint32_t rnLength = 0;
    std::uint32_t abLength = 0;         // of a row
    std::uint32_t abComputeLength = 0;  // what is computed of a row
    float nRec = 0;                     // 1 / (how many pieces with this one)
};
struct WelfordUpdateConfig {
    bool isInplace = false;  // beyond what is computed the results are the earlier ones
};
inline constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {false};

struct WelfordFinalizePara {
    std::uint32_t rnLength = 0;  // how many pieces there were
    std::uint32_t abLength = 0;
    std::uint32_t headCount = 0;
    std::uint32_t headCountLength = 0;
    std::uint32_t tailCount = 0;
    std::uint32_t tailCountLength = 0;
    float abRec = 0;  // 1 / abLength
    float rRec = 0;   // 1 / (how many elements there were)
};

}  // namespace AscendC

namespace ascendc {

// mean' = mean + (x - mean) nRec, variance' = variance + (x - mean) (x - mean'): sums of squares yet to be divided.
template <bool in_place, class T, class U>
void welford_update(const AscendC::LocalTensor<U>& mean, const AscendC::LocalTensor<U>& variance, const AscendC::LocalTensor<U>& in_mean,
                    const AscendC::LocalTensor<U>& in_variance, const AscendC::LocalTensor<T>& x,
                    const AscendC::LocalTensor<std::uint8_t>* scratch, const AscendC::WelfordUpdateParam& p, Where where) {
    if constexpr (!computes_here) return;
    static_assert(one_of<T, half, bfloat16_t, float> && std::is_same_v<U, float>, "WelfordUpdate takes half, bfloat16_t or float, and keeps float");
    if (held(Pipe::V))
        return postpone(Pipe::V, [=, scratch = KeptTensor(scratch)] {
            welford_update<in_place>(mean, variance, in_mean, in_variance, x, scratch.get(), p, where);
        });
    Instruction at("WelfordUpdate", Pipe::V, where);
    if (p.abComputeLength > p.abLength) at.fail(Rule::count, "is given ", p.abComputeLength, " elements of rows of ", p.abLength);
    scratch ? use_scratch(at, *scratch, 1) : use_rest(at, 1);
    const std::uint32_t n = p.rnLength * p.abLength;
    const Elements<T> from(at, x, "inputX", n, false);
    const Elements<U> earlier_means(at, in_mean, "inputMean", n, false), earlier_variances(at, in_variance, "inputVariance", n, false);
    Elements<U> means(at, mean, "outputMean", n, true), variances(at, variance, "outputVariance", n, true);
    for (std::uint32_t i = 0; i < n; ++i) {
        const bool earlier_written = earlier_means.written(i) && earlier_variances.written(i);
        const double before = earlier_means.get(i), spread = earlier_variances.get(i);
        if (i % p.abLength < p.abComputeLength) {
            const double value = from.get(i), after = before + (value - before) * p.nRec;
            means.set(i, after, earlier_written && from.written(i));
            variances.set(i, spread + (value - before) * (value - after), earlier_written && from.written(i));
        } else if (in_place) {
            means.set(i, before, earlier_written);
            variances.set(i, spread, earlier_written);
        }
    }
    takes(at, counted_walk(n, repeat_lanes<float>), function_rate);
}

// One mean and one variance of all, `counts` elements behind each that comes in.
inline void welford_finalize(const AscendC::LocalTensor<float>& mean, const AscendC::LocalTensor<float>& variance,
                             const AscendC::LocalTensor<float>& in_mean, const AscendC::LocalTensor<float>& in_variance,
                             const AscendC::LocalTensor<std::int32_t>* counts, const AscendC::LocalTensor<std::uint8_t>* scratch,
                             const AscendC::WelfordFinalizePara& p, Where where) {
    if constexpr (!computes_here) return;
    if (held(Pipe::V))
        return postpone(Pipe::V, [=, counts = KeptTensor(counts), scratch = KeptTensor(scratch)] {
            welford_finalize(mean, variance, in_mean, in_variance, counts.get(), scratch.get(), p, where);
        });
    Instruction at("WelfordFinalize", Pipe::V, where);
    if (!counts && p.headCountLength + p.tailCountLength && p.headCountLength + p.tailCountLength != p.abLength)
        at.fail(Rule::count, "is given ", p.headCountLength, " and ", p.tailCountLength, " elements of a row of ", p.abLength);
    scratch ? use_scratch(at, *scratch, 1) : use_rest(at, 1);
    const Elements<float> means(at, in_mean, "inputMean", p.abLength, false), variances(at, in_variance, "inputVariance", p.abLength, false);
    std::optional<Elements<std::int32_t>> numbers;
    if (counts) numbers.emplace(at, *counts, "counts", p.abLength, false);
    Elements<float> to_mean(at, mean, "outputMean", 1, true), to_variance(at, variance, "outputVariance", 1, true);
    const auto weight = [&](std::uint32_t i) {
        if (numbers) return numbers->get(i);
        if (!p.tailCountLength) return static_cast<double>(p.rnLength);
        return static_cast<double>(i < p.headCountLength ? p.headCount : p.tailCount);
    };
    double average = 0, spread = 0;
    bool written = true;
    for (std::uint32_t i = 0; i < p.abLength; ++i) {
        average += weight(i) * means.get(i) * p.rRec;
        written &= means.written(i) && variances.written(i) && (!numbers || numbers->written(i));
    }
    for (std::uint32_t i = 0; i < p.abLength; ++i)
        spread += (variances.get(i) + weight(i) * (means.get(i) - average) * (means.get(i) - average)) * p.rRec;
    to_mean.set(0, average, written);
    to_variance.set(0, spread, written);
    takes(at, counted_walk(p.abLength, repeat_lanes<float>), function_rate);
}

}  // namespace ascendc

namespace AscendC {

template <class T, class U, bool isReuseSource = false, const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance, const LocalTensor<U>& inputMean,
                   const LocalTensor<U>& inputVariance, const LocalTensor<T>& inputX, const LocalTensor<std::uint8_t>& scratch,
                   const WelfordUpdateParam& para, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::welford_update<config.isInplace>(outputMean, outputVariance, inputMean, inputVariance, inputX, &scratch, para, where);
}
template <class T, class U, bool isReuseSource = false, const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance, const LocalTensor<U>& inputMean,
                   const LocalTensor<U>& inputVariance, const LocalTensor<T>& inputX, const WelfordUpdateParam& para,
                   ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::welford_update<config.isInplace>(outputMean, outputVariance, inputMean, inputVariance, inputX, nullptr, para, where);
}

template <bool isReuseSource = false>
void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance, const LocalTensor<float>& inputMean,
                     const LocalTensor<float>& inputVariance, const LocalTensor<std::uint8_t>& scratch, const WelfordFinalizePara& para,
                     ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::welford_finalize(outputMean, outputVariance, inputMean, inputVariance, nullptr, &scratch, para, where);
}
template <bool isReuseSource = false>
void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance, const LocalTensor<float>& inputMean,
                     const LocalTensor<float>& inputVariance, const LocalTensor<std::int32_t>& counts,
                     const LocalTensor<std::uint8_t>& scratch, const WelfordFinalizePara& para,
                     ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::welford_finalize(outputMean, outputVariance, inputMean, inputVariance, &counts, &scratch, para, where);
}
template <bool isReuseSource = false>
void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance, const LocalTensor<float>& inputMean,
                     const LocalTensor<float>& inputVariance, const WelfordFinalizePara& para,
                     ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::welford_finalize(outputMean, outputVariance, inputMean, inputVariance, nullptr, nullptr, para, where);
}
template <bool isReuseSource = false>
void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance, const LocalTensor<float>& inputMean,
                     const LocalTensor<float>& inputVariance, const LocalTensor<std::int32_t>& counts, const WelfordFinalizePara& para,
                     ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::welford_finalize(outputMean, outputVariance, inputMean, inputVariance, &counts, nullptr, para, where);
}

}  // namespace AscendC
