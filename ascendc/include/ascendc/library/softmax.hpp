// Softmax of rows, whole or piece by piece with the running maximum and sum that attention keeps.
#pragma once

#include <cmath>
#include <optional>

#include "ascendc/base/tiling_structures.hpp"
#include "ascendc/library/rows.hpp"

namespace AscendC {

struct SoftMaxShapeInfo {
    std::uint32_t srcM = 0;
    std::uint32_t srcK = 0;
    std::uint32_t oriSrcM = 0;
    std::uint32_t oriSrcK = 0;
};

struct SoftmaxConfig {
    bool isCheckTiling = true;
    std::uint32_t oriSrcM = 0;
    std::uint32_t oriSrcK = 0;
};
inline constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG{};

}  // namespace AscendC

namespace ascendc {

// Rows and columns that count, and how they lie.
struct SoftMaxRows {
    std::uint32_t rows, columns, padded_rows, pitch;
    Layout layout;
};
// Without a shape the one that the source was given is meant, else the tiling's.
inline SoftMaxRows softmax_rows(AscendC::SoftMaxShapeInfo shape, const AscendC::SoftMaxTiling& tiling, bool fractal,
                                const AscendC::ShapeInfo& given) {
    if (!shape.srcM && given.shapeDim) {
        const auto rows_of = [&given](const std::uint32_t* extents, std::uint32_t dims) {
            std::uint32_t rows = 1;
            for (std::uint32_t i = 0; i + 1 < dims && i < std::size(given.shape); ++i) rows *= extents[i];
            return rows;
        };
        shape = {rows_of(given.shape, given.shapeDim), given.shape[given.shapeDim - 1], rows_of(given.originalShape, given.originalShapeDim),
                 given.originalShapeDim ? given.originalShape[given.originalShapeDim - 1] : 0};
    }
    const std::uint32_t m = shape.srcM ? shape.srcM : tiling.srcM, k = shape.srcK ? shape.srcK : tiling.srcK;
    return {shape.oriSrcM ? shape.oriSrcM : m, shape.oriSrcK ? shape.oriSrcK : k, m, k, {m, k, fractal}};
}

// A column of results, each repeated over a block of 32 bytes.
template <class T>
class BlockColumn {
public:
    BlockColumn(Instruction& at, const AscendC::LocalTensor<T>& tensor, const char* name, std::uint32_t rows, bool write)
        : elements_(at, tensor, name, std::uint64_t{rows} * wide, write) {}
    double get(std::uint32_t row) const { return elements_.get(row * wide); }
    bool written(std::uint32_t row) const { return elements_.written(row * wide); }
    void set(std::uint32_t row, double value, bool written) {
        for (std::uint32_t i = 0; i < wide; ++i) elements_.set(row * wide + i, value, written);
    }

private:
    static constexpr std::uint32_t wide = block_elements<T>;
    Elements<T> elements_;
};

struct SoftMaxRow {
    double sum = 0;
    double max = 0;
    bool written = true;
};

// values = e^(value - max), the row's maximum and sum.
template <class T>
SoftMaxRow exponentials(const Elements<T>& from, const SoftMaxRows& shape, std::uint32_t row, std::vector<double>& values,
                        double earlier_max = -INFINITY) {
    SoftMaxRow result;
    result.max = earlier_max;
    for (std::uint32_t k = 0; k < shape.columns; ++k) {
        values[k] = from.get(shape.layout.at(row, k));
        result.written &= from.written(shape.layout.at(row, k));
        result.max = values[k] != values[k] || values[k] > result.max ? values[k] : result.max;
    }
    for (double& value : values) result.sum += value = std::exp(value - result.max);
    return result;
}

template <bool fractal, class T, class S>
void softmax(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<S>* sum, const AscendC::LocalTensor<S>* max,
             const AscendC::LocalTensor<T>& src, const AscendC::LocalTensor<std::uint8_t>* scratch, const AscendC::SoftMaxTiling& tiling,
             const AscendC::SoftMaxShapeInfo& info, Where where) {
    if constexpr (!computes_here) return;
    static_assert(is_float<T> && is_float<S>, "SoftMax takes half and float");
    if (held(Pipe::V))
        return postpone(Pipe::V, [=, sum = KeptTensor(sum), max = KeptTensor(max), scratch = KeptTensor(scratch)] {
            softmax<fractal>(dst, sum.get(), max.get(), src, scratch.get(), tiling, info, where);
        });
    Instruction at("SoftMax", Pipe::V, where);
    scratch ? use_scratch(at, *scratch, 1) : use_rest(at, 1);
    const SoftMaxRows shape = softmax_rows(info, tiling, fractal, src.GetShapeInfo());
    const std::uint64_t n = std::uint64_t{shape.padded_rows} * shape.pitch;
    const Elements<T> from(at, src, "src", n, false);
    Elements<T> to(at, dst, "dst", n, true);
    std::optional<BlockColumn<S>> sums, maxima;
    if (sum) sums.emplace(at, *sum, "sum", shape.padded_rows, true);
    if (max) maxima.emplace(at, *max, "max", shape.padded_rows, true);
    std::vector<double> values(shape.columns);
    for (std::uint32_t row = 0; row < shape.rows; ++row) {
        const SoftMaxRow one = exponentials(from, shape, row, values);
        for (std::uint32_t k = 0; k < shape.columns; ++k) to.set(shape.layout.at(row, k), values[k] / one.sum, one.written);
        if (sums) sums->set(row, one.sum, one.written);
        if (maxima) maxima->set(row, one.max, one.written);
    }
    takes(at, counted_walk(static_cast<std::uint32_t>(n), repeat_lanes<T>), function_rate);
}

}  // namespace ascendc

namespace AscendC {

template <class T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false, class S = T>
void SoftMax(const LocalTensor<T>& dst, const LocalTensor<S>& sum, const LocalTensor<S>& max, const LocalTensor<T>& src,
             const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shape = {}, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::softmax<isDataFormatNZ>(dst, &sum, &max, src, nullptr, tiling, shape, where);
}
template <class T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false, class S = T>
void SoftMax(const LocalTensor<T>& dst, const LocalTensor<S>& sum, const LocalTensor<S>& max, const LocalTensor<T>& src,
             const LocalTensor<std::uint8_t>& scratch, const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shape = {},
             ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::softmax<isDataFormatNZ>(dst, &sum, &max, src, &scratch, tiling, shape, where);
}
template <class T, bool isReuseSource = false, bool isBasicBlock = false>
void SoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shape = {},
             ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::softmax<false, T, T>(dst, nullptr, nullptr, src, nullptr, tiling, shape, where);
}
template <class T, bool isReuseSource = false, bool isBasicBlock = false>
void SoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint8_t>& scratch, const SoftMaxTiling& tiling,
             const SoftMaxShapeInfo& shape = {}, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::softmax<false, T, T>(dst, nullptr, nullptr, src, &scratch, tiling, shape, where);
}
// Of half with the sums and maxima in float.
template <bool isReuseSource, bool isBasicBlock = false, bool isDataFormatNZ = false>
void SoftMax(const LocalTensor<half>& dst, const LocalTensor<float>& sum, const LocalTensor<float>& max, const LocalTensor<half>& src,
             const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shape = {}, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::softmax<isDataFormatNZ>(dst, &sum, &max, src, nullptr, tiling, shape, where);
}

// dst = e^(src - max) / sum with the sums and maxima of an earlier call.
template <class T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false, class S = T>
void SimpleSoftMax(const LocalTensor<T>& dst, const LocalTensor<S>& inSum, const LocalTensor<S>& inMax, const LocalTensor<T>& src,
                   const SoftMaxTiling& tiling, const SoftMaxShapeInfo& info = {},
                   ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if constexpr (!ascendc::computes_here) return;
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] {
            SimpleSoftMax<T, isReuseSource, isBasicBlock, isDataFormatNZ, S>(dst, inSum, inMax, src, tiling, info, where);
        });
    ascendc::Instruction at("SimpleSoftMax", ascendc::Pipe::V, where);
    ascendc::use_rest(at, 1);
    const ascendc::SoftMaxRows shape = ascendc::softmax_rows(info, tiling, isDataFormatNZ, src.GetShapeInfo());
    const std::uint64_t n = std::uint64_t{shape.padded_rows} * shape.pitch;
    const ascendc::Elements<T> from(at, src, "src", n, false);
    ascendc::Elements<T> to(at, dst, "dst", n, true);
    const ascendc::BlockColumn<S> sum(at, inSum, "inSum", shape.padded_rows, false), max(at, inMax, "inMax", shape.padded_rows, false);
    for (std::uint32_t row = 0; row < shape.rows; ++row)
        for (std::uint32_t k = 0; k < shape.columns; ++k) {
            const std::uint32_t i = shape.layout.at(row, k);
            to.set(i, std::exp(from.get(i) - max.get(row)) / sum.get(row), from.written(i) && sum.written(row) && max.written(row));
        }
    ascendc::takes(at, ascendc::counted_walk(static_cast<std::uint32_t>(n), ascendc::repeat_lanes<T>), ascendc::function_rate);
}

}  // namespace AscendC
