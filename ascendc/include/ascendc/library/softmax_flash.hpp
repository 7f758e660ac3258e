// Softmax of rows that come piece by piece, and its gradient.
#pragma once

#include "ascendc/library/softmax.hpp"

namespace ascendc {

// One piece of longer rows. With an earlier one: max' = max(inMax, row's), factor = e^(inMax - max'), sum = factor inSum + row's sum and
// dst = e^(src - max'), which the caller rescales by `factor`. `whole`: dst is divided by the sum, and the factor is inSum's share of it.
template <bool update, bool whole, bool fractal, class T, class S, class F>
void softmax_piece(const char* name, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<S>& sum, const AscendC::LocalTensor<S>& max,
                   const AscendC::LocalTensor<T>& src, const AscendC::LocalTensor<F>& factor, const AscendC::LocalTensor<S>& in_sum,
                   const AscendC::LocalTensor<S>& in_max, const AscendC::LocalTensor<std::uint8_t>* scratch,
                   const AscendC::SoftMaxTiling& tiling, const AscendC::SoftMaxShapeInfo& info, Where where) {
    if constexpr (!computes_here) return;
    static_assert(is_float<T> && is_float<S>, "softmax takes half and float");
    if (held(Pipe::V))
        return postpone(Pipe::V, [=, scratch = KeptTensor(scratch)] {
            softmax_piece<update, whole, fractal>(name, dst, sum, max, src, factor, in_sum, in_max, scratch.get(), tiling, info, where);
        });
    Instruction at(name, Pipe::V, where);
    scratch ? use_scratch(at, *scratch, 1) : use_rest(at, 1);
    const SoftMaxRows shape = softmax_rows(info, tiling, fractal, src.GetShapeInfo());
    const std::uint64_t n = std::uint64_t{shape.padded_rows} * shape.pitch;
    const Elements<T> from(at, src, "src", n, false);
    Elements<T> to(at, dst, "dst", n, true);
    std::optional<BlockColumn<S>> earlier_sums, earlier_maxima;
    std::optional<BlockColumn<F>> factors;
    if constexpr (update) {
        earlier_sums.emplace(at, in_sum, "inSum", shape.padded_rows, false);
        earlier_maxima.emplace(at, in_max, "inMax", shape.padded_rows, false);
        factors.emplace(at, factor, "expMax", shape.padded_rows, true);
    }
    BlockColumn<S> sums(at, sum, "sum", shape.padded_rows, true), maxima(at, max, "max", shape.padded_rows, true);
    std::vector<double> values(shape.columns);
    for (std::uint32_t row = 0; row < shape.rows; ++row) {
        const double earlier_sum = update ? earlier_sums->get(row) : 0, earlier_max = update ? earlier_maxima->get(row) : -INFINITY;
        const bool earlier_written = !update || (earlier_sums->written(row) && earlier_maxima->written(row));
        const SoftMaxRow one = exponentials(from, shape, row, values, earlier_max);
        const bool written = one.written && earlier_written;
        const double rescaled = update ? std::exp(earlier_max - one.max) * earlier_sum : 0, total = rescaled + one.sum;
        for (std::uint32_t k = 0; k < shape.columns; ++k) to.set(shape.layout.at(row, k), whole ? values[k] / total : values[k], written);
        if constexpr (update) factors->set(row, whole ? rescaled / total : std::exp(earlier_max - one.max), written);
        sums.set(row, total, written);
        maxima.set(row, one.max, written);
    }
    takes(at, counted_walk(static_cast<std::uint32_t>(n), repeat_lanes<T>), function_rate);
}

// `front`: dst is a column of each row's sum of grad src; else (grad - that sum) src.
template <bool fractal, class T>
void softmax_gradient(const char* name, bool front, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& grad,
                      const AscendC::LocalTensor<T>& src, const AscendC::LocalTensor<std::uint8_t>* scratch,
                      const AscendC::SoftMaxTiling& tiling, const AscendC::SoftMaxShapeInfo& info, Where where) {
    if constexpr (!computes_here) return;
    static_assert(is_float<T>, "the gradient of softmax takes half and float");
    if (held(Pipe::V))
        return postpone(Pipe::V, [=, scratch = KeptTensor(scratch)] {
            softmax_gradient<fractal>(name, front, dst, grad, src, scratch.get(), tiling, info, where);
        });
    Instruction at(name, Pipe::V, where);
    scratch ? use_scratch(at, *scratch, 1) : use_rest(at, 1);
    const SoftMaxRows shape = softmax_rows(info, tiling, fractal, src.GetShapeInfo());
    const std::uint64_t n = std::uint64_t{shape.padded_rows} * shape.pitch;
    const Elements<T> slopes(at, grad, "grad", n, false), from(at, src, "src", n, false);
    std::optional<BlockColumn<T>> column;
    std::optional<Elements<T>> to;
    if (front) column.emplace(at, dst, "dst", shape.padded_rows, true);
    else to.emplace(at, dst, "dst", n, true);
    for (std::uint32_t row = 0; row < shape.rows; ++row) {
        double sum = 0;
        bool written = true;
        for (std::uint32_t k = 0; k < shape.columns; ++k) {
            const std::uint32_t i = shape.layout.at(row, k);
            sum += slopes.get(i) * from.get(i);
            written &= slopes.written(i) && from.written(i);
        }
        if (front) column->set(row, sum, written);
        for (std::uint32_t k = 0; !front && k < shape.columns; ++k) {
            const std::uint32_t i = shape.layout.at(row, k);
            to->set(i, (slopes.get(i) - sum) * from.get(i), written);
        }
    }
    takes(at, counted_walk(static_cast<std::uint32_t>(n), repeat_lanes<T>), function_rate);
}

}  // namespace ascendc

namespace AscendC {

template <class T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false, class S = T>
void SoftmaxFlashV2(const LocalTensor<T>& dst, const LocalTensor<S>& sum, const LocalTensor<S>& max, const LocalTensor<T>& src,
                    const LocalTensor<T>& expMax, const LocalTensor<S>& inSum, const LocalTensor<S>& inMax,
                    const LocalTensor<std::uint8_t>& scratch, const SoftMaxTiling& tiling, const SoftMaxShapeInfo& info = {},
                    ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::softmax_piece<isUpdate, false, isDataFormatNZ>("SoftmaxFlashV2", dst, sum, max, src, expMax, inSum, inMax, &scratch, tiling, info,
                                                            where);
}
template <class T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false, class S = T>
void SoftmaxFlashV2(const LocalTensor<T>& dst, const LocalTensor<S>& sum, const LocalTensor<S>& max, const LocalTensor<T>& src,
                    const LocalTensor<T>& expMax, const LocalTensor<S>& inSum, const LocalTensor<S>& inMax, const SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& info = {}, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::softmax_piece<isUpdate, false, isDataFormatNZ>("SoftmaxFlashV2", dst, sum, max, src, expMax, inSum, inMax, nullptr, tiling, info,
                                                            where);
}

// The older form: dst is divided by the sum so far, and what came before is to be multiplied by expMax.
template <class T, bool isReuseSource = false, bool isBasicBlock = false, class S = T>
void SoftmaxFlash(const LocalTensor<T>& dst, const LocalTensor<S>& sum, const LocalTensor<S>& max, const LocalTensor<T>& src,
                  const LocalTensor<T>& expMax, const LocalTensor<S>& inSum, const LocalTensor<S>& inMax, const SoftMaxTiling& tiling,
                  bool isUpdate = false, const SoftMaxShapeInfo& info = {}, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (isUpdate)
        ascendc::softmax_piece<true, true, false>("SoftmaxFlash", dst, sum, max, src, expMax, inSum, inMax, nullptr, tiling, info, where);
    else ascendc::softmax_piece<false, true, false>("SoftmaxFlash", dst, sum, max, src, expMax, inSum, inMax, nullptr, tiling, info, where);
}
template <class T, bool isReuseSource = false, bool isBasicBlock = false, class S = T>
void SoftmaxFlash(const LocalTensor<T>& dst, const LocalTensor<S>& sum, const LocalTensor<S>& max, const LocalTensor<T>& src,
                  const LocalTensor<T>& expMax, const LocalTensor<S>& inSum, const LocalTensor<S>& inMax,
                  const LocalTensor<std::uint8_t>& scratch, const SoftMaxTiling& tiling, bool isUpdate = false,
                  const SoftMaxShapeInfo& info = {}, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (isUpdate)
        ascendc::softmax_piece<true, true, false>("SoftmaxFlash", dst, sum, max, src, expMax, inSum, inMax, &scratch, tiling, info, where);
    else ascendc::softmax_piece<false, true, false>("SoftmaxFlash", dst, sum, max, src, expMax, inSum, inMax, &scratch, tiling, info, where);
}

template <class T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false>
void SoftmaxGrad(const LocalTensor<T>& dst, const LocalTensor<T>& grad, const LocalTensor<T>& src, const SoftMaxTiling& tiling,
                 bool isFront = false, const SoftMaxShapeInfo& info = {}, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::softmax_gradient<isDataFormatNZ>("SoftmaxGrad", isFront, dst, grad, src, nullptr, tiling, info, where);
}
template <class T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false>
void SoftmaxGrad(const LocalTensor<T>& dst, const LocalTensor<T>& grad, const LocalTensor<T>& src, const LocalTensor<std::uint8_t>& scratch,
                 const SoftMaxTiling& tiling, bool isFront = false, const SoftMaxShapeInfo& info = {},
                 ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::softmax_gradient<isDataFormatNZ>("SoftmaxGrad", isFront, dst, grad, src, &scratch, tiling, info, where);
}
template <class T, bool isBasicBlock = false, bool isDataFormatNZ = false>
void SoftmaxGradFront(const LocalTensor<T>& dst, const LocalTensor<T>& grad, const LocalTensor<T>& src, const SoftMaxTiling& tiling,
                      const SoftMaxShapeInfo& info = {}, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::softmax_gradient<isDataFormatNZ>("SoftmaxGradFront", true, dst, grad, src, nullptr, tiling, info, where);
}
template <class T, bool isBasicBlock = false, bool isDataFormatNZ = false>
void SoftmaxGradFront(const LocalTensor<T>& dst, const LocalTensor<T>& grad, const LocalTensor<T>& src,
                      const LocalTensor<std::uint8_t>& scratch, const SoftMaxTiling& tiling, const SoftMaxShapeInfo& info = {},
                      ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::softmax_gradient<isDataFormatNZ>("SoftmaxGradFront", true, dst, grad, src, &scratch, tiling, info, where);
}

}  // namespace AscendC
