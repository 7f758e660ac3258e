// The gradient of LayerNorm: by its input, and by its scale and shift.
#pragma once

#include "ascendc/library/normalization.hpp"

namespace AscendC {

struct LayerNormGradShapeInfo {
    DataFormat dataFormat = DataFormat::ND;
};

}  // namespace AscendC

namespace ascendc {

// Of rows x = (inputX - mean), with 1 / sqrt(variance + epsilon): dx, and x times that, which the gradient by gamma sums up.
template <class T>
void layer_norm_gradient(const AscendC::LocalTensor<T>& dx, const AscendC::LocalTensor<T>& normalised, const AscendC::LocalTensor<T>& dy,
                         const AscendC::LocalTensor<T>& x, const AscendC::LocalTensor<T>& variance, const AscendC::LocalTensor<T>& mean,
                         const AscendC::LocalTensor<T>& gamma, const AscendC::LocalTensor<std::uint8_t>* scratch, double epsilon,
                         const AscendC::LayerNormGradTiling& tiling, Where where) {
    if constexpr (!computes_here) return;
    static_assert(is_float<T>, "LayerNormGrad takes half and float");
    if (held(Pipe::V))
        return postpone(Pipe::V, [=, scratch = KeptTensor(scratch)] {
            layer_norm_gradient(dx, normalised, dy, x, variance, mean, gamma, scratch.get(), epsilon, tiling, where);
        });
    Instruction at("LayerNormGrad", Pipe::V, where);
    scratch ? use_scratch(at, *scratch, 1) : use_rest(at, 1);
    const std::uint32_t rows = tiling.bLength * tiling.sLength, pitch = tiling.hLength;
    const std::uint32_t n = tiling.originalHLength ? tiling.originalHLength : pitch;
    const std::uint64_t all = std::uint64_t{rows} * pitch;
    const Elements<T> slopes(at, dy, "inputDy", all, false), from(at, x, "inputX", all, false), scale(at, gamma, "inputGamma", n, false);
    const Elements<T> variances(at, variance, "inputVariance", rows, false), means(at, mean, "inputMean", rows, false);
    Elements<T> to(at, dx, "outputPdX", all, true), kept(at, normalised, "resForGamma", all, true);
    std::vector<double> centred(n), scaled(n);
    for (std::uint32_t row = 0; row < rows; ++row) {
        const double inverse = 1 / std::sqrt(variances.get(row) + epsilon);
        bool written = variances.written(row) && means.written(row);
        double by_variance = 0, by_mean = 0, centre = 0;
        for (std::uint32_t k = 0; k < n; ++k) {
            const std::uint32_t i = row * pitch + k;
            centred[k] = from.get(i) - means.get(row);
            scaled[k] = slopes.get(i) * scale.get(k);
            by_variance -= 0.5 * scaled[k] * centred[k] * inverse * inverse * inverse;
            by_mean -= scaled[k] * inverse;
            centre += centred[k];
            written &= from.written(i) && slopes.written(i) && scale.written(k);
        }
        by_mean -= by_variance * 2 * centre / n;
        for (std::uint32_t k = 0; k < n; ++k) {
            to.set(row * pitch + k, scaled[k] * inverse + by_variance * 2 * centred[k] / n + by_mean / n, written);
            kept.set(row * pitch + k, centred[k] * inverse, written);
        }
    }
    takes(at, counted_walk(rows * pitch, repeat_lanes<T>), 2 * function_rate);
}

// Columns: the sums of dy normalised, and of dy.
template <class T>
void layer_norm_gradient_of_scale(const AscendC::LocalTensor<T>& dgamma, const AscendC::LocalTensor<T>& dbeta,
                                  const AscendC::LocalTensor<T>& normalised, const AscendC::LocalTensor<T>& dy,
                                  const AscendC::LocalTensor<std::uint8_t>* scratch, const AscendC::LayerNormGradBetaTiling& tiling,
                                  Where where) {
    if constexpr (!computes_here) return;
    static_assert(is_float<T>, "LayerNormGradBeta takes half and float");
    if (held(Pipe::V))
        return postpone(Pipe::V, [=, scratch = KeptTensor(scratch)] {
            layer_norm_gradient_of_scale(dgamma, dbeta, normalised, dy, scratch.get(), tiling, where);
        });
    Instruction at("LayerNormGradBeta", Pipe::V, where);
    scratch ? use_scratch(at, *scratch, 1) : use_rest(at, 1);
    const std::uint32_t rows = tiling.bLength * tiling.sLength, pitch = tiling.hLength;
    const std::uint32_t n = tiling.originalHLength ? tiling.originalHLength : pitch;
    const Elements<T> from(at, normalised, "resForGamma", std::uint64_t{rows} * pitch, false);
    const Elements<T> slopes(at, dy, "inputDy", std::uint64_t{rows} * pitch, false);
    Elements<T> scales(at, dgamma, "outputPdGamma", n, true), shifts(at, dbeta, "outputPdBeta", n, true);
    for (std::uint32_t k = 0; k < n; ++k) {
        double scale = 0, shift = 0;
        bool scale_written = true, shift_written = true;
        for (std::uint32_t i = k; i < rows * pitch; i += pitch) {
            scale += slopes.get(i) * from.get(i);
            shift += slopes.get(i);
            shift_written &= slopes.written(i);
            scale_written &= slopes.written(i) && from.written(i);
        }
        scales.set(k, scale, scale_written);
        shifts.set(k, shift, shift_written);
    }
    takes(at, counted_walk(rows * pitch, repeat_lanes<T>), function_rate);
}

}  // namespace ascendc

namespace AscendC {

// Over the last axis of (B, S, H); inputVariance and inputMean are LayerNorm's. resForGamma is what LayerNormGradBeta takes.
template <class T, bool isReuseSource = false>
void LayerNormGrad(const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,
                   const LocalTensor<T>& inputX, const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,
                   const LocalTensor<T>& inputGamma, const LocalTensor<std::uint8_t>& scratch, T epsilon, LayerNormGradTiling& tiling,
                   const LayerNormGradShapeInfo& = {}, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::layer_norm_gradient(outputPdX, resForGamma, inputDy, inputX, inputVariance, inputMean, inputGamma, &scratch,
                                 static_cast<float>(epsilon), tiling, where);
}
template <class T, bool isReuseSource = false>
void LayerNormGrad(const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,
                   const LocalTensor<T>& inputX, const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,
                   const LocalTensor<T>& inputGamma, T epsilon, LayerNormGradTiling& tiling, const LayerNormGradShapeInfo& = {},
                   ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::layer_norm_gradient<T>(outputPdX, resForGamma, inputDy, inputX, inputVariance, inputMean, inputGamma, nullptr,
                                    static_cast<float>(epsilon), tiling, where);
}

template <class T, bool isReuseSource = false>
void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta, const LocalTensor<T>& resForGamma,
                       const LocalTensor<T>& inputDy, const LocalTensor<std::uint8_t>& scratch, const LayerNormGradBetaTiling& tiling,
                       ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::layer_norm_gradient_of_scale(outputPdGamma, outputPdBeta, resForGamma, inputDy, &scratch, tiling, where);
}
template <class T, bool isReuseSource = false>
void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta, const LocalTensor<T>& resForGamma,
                       const LocalTensor<T>& inputDy, const LayerNormGradBetaTiling& tiling,
                       ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::layer_norm_gradient_of_scale<T>(outputPdGamma, outputPdBeta, resForGamma, inputDy, nullptr, tiling, where);
}

}  // namespace AscendC
