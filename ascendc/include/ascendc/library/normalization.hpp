// Normalisation of rows by their mean and variance, or by their root mean square.
#pragma once

#include <cmath>

#include "ascendc/base/tiling_structures.hpp"
#include "ascendc/library/rows.hpp"

namespace AscendC {

struct LayerNormPara {
    std::uint32_t aLength = 0;
    std::uint32_t rLength = 0;
    std::uint32_t rLengthWithPadding = 0;
};

}  // namespace AscendC

namespace ascendc {

// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta for each row of `n` in a pitch of `pitch`. `spread` is what the second
// result tells: the variance, or 1 / sqrt(variance + epsilon).
template <bool reciprocal, class T, class U, class M>
void layer_norm(Instruction& at, const AscendC::LocalTensor<T>& output, const AscendC::LocalTensor<M>& mean,
                const AscendC::LocalTensor<M>& spread, const AscendC::LocalTensor<T>& x, const AscendC::LocalTensor<U>& gamma,
                const AscendC::LocalTensor<U>& beta, double epsilon, std::uint32_t rows, std::uint32_t n, std::uint32_t pitch) {
    const Elements<T> from(at, x, "inputX", std::uint64_t{rows} * pitch, false);
    const Elements<U> scale(at, gamma, "gamma", n, false), shift(at, beta, "beta", n, false);
    Elements<T> to(at, output, "output", std::uint64_t{rows} * pitch, true);
    Elements<M> means(at, mean, "outputMean", rows, true), spreads(at, spread, reciprocal ? "outputRstd" : "outputVariance", rows, true);
    std::vector<double> row(n);
    for (std::uint32_t i = 0; i < rows; ++i) {
        bool written = true;
        for (std::uint32_t k = 0; k < n; ++k) {
            row[k] = from.get(i * pitch + k);
            written &= from.written(i * pitch + k);
        }
        const double average = sum_of(row) / n;
        double variance = 0;
        for (const double value : row) variance += (value - average) * (value - average) / n;
        const double inverse = 1 / std::sqrt(variance + epsilon);
        for (std::uint32_t k = 0; k < n; ++k)
            to.set(i * pitch + k, (row[k] - average) * inverse * scale.get(k) + shift.get(k), written && scale.written(k) && shift.written(k));
        means.set(i, average, written);
        spreads.set(i, reciprocal ? inverse : variance, written);
    }
    takes(at, counted_walk(rows * pitch, repeat_lanes<T>), function_rate);
}

}  // namespace ascendc

namespace AscendC {

// Over the last axis of (B, S, H); H as the tiling's original length.
template <class T, bool isReuseSource = false>
void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean, const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
               const LocalTensor<T>& gamma, const LocalTensor<T>& beta, const LocalTensor<std::uint8_t>& scratch, const T epsilon,
               LayerNormTiling& tiling, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if constexpr (!ascendc::computes_here) return;
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=]() mutable {
            LayerNorm<T, isReuseSource>(output, outputMean, outputVariance, inputX, gamma, beta, scratch, epsilon, tiling, where);
        });
    ascendc::Instruction at("LayerNorm", ascendc::Pipe::V, where);
    ascendc::use_scratch(at, scratch, 1);
    ascendc::layer_norm<false>(at, output, outputMean, outputVariance, inputX, gamma, beta, static_cast<float>(epsilon),
                               tiling.bLength * tiling.sLength, tiling.originalHLength ? tiling.originalHLength : tiling.hLength, tiling.hLength);
}
template <class T, bool isReuseSource = false>
void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean, const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
               const LocalTensor<T>& gamma, const LocalTensor<T>& beta, const T epsilon, LayerNormTiling& tiling,
               ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if constexpr (!ascendc::computes_here) return;
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=]() mutable {
            LayerNorm<T, isReuseSource>(output, outputMean, outputVariance, inputX, gamma, beta, epsilon, tiling, where);
        });
    ascendc::Instruction at("LayerNorm", ascendc::Pipe::V, where);
    ascendc::use_rest(at, 1);
    ascendc::layer_norm<false>(at, output, outputMean, outputVariance, inputX, gamma, beta, static_cast<float>(epsilon),
                               tiling.bLength * tiling.sLength, tiling.originalHLength ? tiling.originalHLength : tiling.hLength, tiling.hLength);
}
// Over rows of rLength, which lie rLengthWithPadding apart; gives the mean and 1 / sqrt(variance + epsilon) in float.
template <class U, class T, bool isReuseSource = false>
void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean, const LocalTensor<float>& outputRstd,
               const LocalTensor<T>& inputX, const LocalTensor<U>& gamma, const LocalTensor<U>& beta, const float epsilon,
               const LocalTensor<std::uint8_t>& scratch, const LayerNormPara& shape, const LayerNormSeparateTiling& tiling,
               ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if constexpr (!ascendc::computes_here) return;
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=]() mutable {
            LayerNorm<U, T, isReuseSource>(output, outputMean, outputRstd, inputX, gamma, beta, epsilon, scratch, shape, tiling, where);
        });
    ascendc::Instruction at("LayerNorm", ascendc::Pipe::V, where);
    ascendc::use_scratch(at, scratch, 1);
    ascendc::layer_norm<true>(at, output, outputMean, outputRstd, inputX, gamma, beta, epsilon, shape.aLength, shape.rLength,
                              shape.rLengthWithPadding);
}

// x / sqrt(mean(x^2) + epsilon) * gamma over the last axis of (B, S, H).
template <class T, bool isBasicBlock = false>
void RmsNorm(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& gamma, const LocalTensor<std::uint8_t>& scratch,
             const T epsilon, const RmsNormTiling& tiling, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if constexpr (!ascendc::computes_here) return;
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] { RmsNorm<T, isBasicBlock>(dst, src, gamma, scratch, epsilon, tiling, where); });
    ascendc::Instruction at("RmsNorm", ascendc::Pipe::V, where);
    ascendc::use_scratch(at, scratch, 1);
    const std::uint32_t rows = tiling.bLength * tiling.sLength, pitch = tiling.hLength;
    const std::uint32_t n = tiling.originalHLength ? tiling.originalHLength : pitch;
    const ascendc::Elements<T> from(at, src, "src", std::uint64_t{rows} * pitch, false), scale(at, gamma, "gamma", n, false);
    ascendc::Elements<T> to(at, dst, "dst", std::uint64_t{rows} * pitch, true);
    for (std::uint32_t i = 0; i < rows; ++i) {
        double squares = 0;
        bool written = true;
        for (std::uint32_t k = 0; k < n; ++k) {
            squares += from.get(i * pitch + k) * from.get(i * pitch + k);
            written &= from.written(i * pitch + k);
        }
        const double inverse = 1 / std::sqrt(squares / n + static_cast<float>(epsilon));
        for (std::uint32_t k = 0; k < n; ++k)
            to.set(i * pitch + k, from.get(i * pitch + k) * inverse * scale.get(k), written && scale.written(k));
    }
    ascendc::takes(at, ascendc::counted_walk(rows * pitch, ascendc::repeat_lanes<T>), ascendc::function_rate);
}

}  // namespace AscendC
