// Functions of rows: sums, means, broadcasts, cumulative sums.
#pragma once

#include "ascendc/library/scratch.hpp"

namespace AscendC {

struct SumParams {
    std::uint32_t outter = 1;
    std::uint32_t inner = 0;  // a row's pitch: a multiple of 32 bytes
    std::uint32_t n = 0;      // what is summed of a row
};
struct MeanParams {
    std::uint32_t outter = 1;
    std::uint32_t inner = 0;
    std::uint32_t n = 0;
};
struct CumSumInfo {
    std::uint32_t outter = 0;
    std::uint32_t inner = 0;
};
struct CumSumConfig {
    bool isLastAxis = true;
    bool isReuseSource = false;
    bool outputLastRow = false;
};
constexpr CumSumConfig defaultCumSumConfig{};

}  // namespace AscendC

namespace ascendc {

// dst[i] = finish(f over the first n of row i)
template <class T, class F>
void each_row(const char* name, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
              const AscendC::LocalTensor<std::uint8_t>* scratch, std::uint32_t rows, std::uint32_t pitch, std::uint32_t n, F f, Where where) {
    if constexpr (!computes_here) return;
    if (held(Pipe::V))
        return postpone(Pipe::V,
                        [=, scratch = KeptTensor(scratch)] { each_row(name, dst, src, scratch.get(), rows, pitch, n, f, where); });
    Instruction at(name, Pipe::V, where);
    if (pitch * sizeof(T) % block_bytes) at.fail(Rule::length, "is given rows of ", pitch * sizeof(T), " bytes; a row takes a multiple of 32");
    if (n > pitch) at.fail(Rule::count, "is given ", n, " elements of rows of ", pitch);
    scratch ? use_scratch(at, *scratch, 1) : use_rest(at, 1);
    const Elements<T> from(at, src, "src", std::uint64_t{rows} * pitch, false);
    Elements<T> to(at, dst, "dst", rows, true);
    std::vector<double> row(n);
    for (std::uint32_t i = 0; i < rows; ++i) {
        bool written = true;
        for (std::uint32_t k = 0; k < n; ++k) {
            row[k] = from.get(i * pitch + k);
            written &= from.written(i * pitch + k);
        }
        to.set(i, f(row), written);
    }
    takes(at, counted_walk(rows * pitch, repeat_lanes<T>), full_rate * 2);
}

inline double sum_of(const std::vector<double>& row) {
    double sum = 0;
    for (const double value : row) sum += value;
    return sum;
}

// dst[shape] = src repeated along the axes where its extent is 1.
template <class T, std::int32_t dims>
void broadcast(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src, const std::uint32_t to_shape[],
               const std::uint32_t from_shape[], Where where) {
    if constexpr (!computes_here) return;
    static_assert(dims == 1 || dims == 2, "Broadcast knows one and two axes");
    if (held(Pipe::V)) {
        std::array<std::uint32_t, dims> to_kept, from_kept;
        std::copy_n(to_shape, dims, to_kept.begin());
        std::copy_n(from_shape, dims, from_kept.begin());
        return postpone(Pipe::V, [=] { broadcast<T, dims>(dst, src, to_kept.data(), from_kept.data(), where); });
    }
    Instruction at("Broadcast", Pipe::V, where);
    const std::uint32_t rows = dims == 2 ? to_shape[0] : 1, columns = to_shape[dims - 1];
    const std::uint32_t from_rows = dims == 2 ? from_shape[0] : 1, from_columns = from_shape[dims - 1];
    if ((from_rows != rows && from_rows != 1) || (from_columns != columns && from_columns != 1))
        at.fail(Rule::count, "is given (", from_rows, ", ", from_columns, ") for (", rows, ", ", columns, ")");
    const Elements<T> from(at, src, "src", std::uint64_t{from_rows} * from_columns, false);
    Elements<T> to(at, dst, "dst", std::uint64_t{rows} * columns, true);
    for (std::uint32_t i = 0; i < rows; ++i)
        for (std::uint32_t k = 0; k < columns; ++k) {
            const std::uint32_t one = (from_rows == 1 ? 0 : i) * from_columns + (from_columns == 1 ? 0 : k);
            to.set(i * columns + k, from.get(one), from.written(one));
        }
    takes(at, counted_walk(rows * columns, repeat_lanes<T>), full_rate);
}

}  // namespace ascendc

namespace AscendC {

template <class T, std::int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
void Sum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint8_t>& scratch, const SumParams& rows,
         ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::each_row("Sum", dst, src, &scratch, rows.outter, rows.inner, rows.n, ascendc::sum_of, where);
}
template <class T, std::int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
void Sum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const SumParams& rows,
         ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::each_row("Sum", dst, src, nullptr, rows.outter, rows.inner, rows.n, ascendc::sum_of, where);
}
template <class T, class accType = T, bool isReuseSource = false, bool isBasicBlock = false, std::int32_t reduceDim = -1>
void Mean(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint8_t>& scratch, const MeanParams& rows,
          ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    const double n = rows.n;
    ascendc::each_row("Mean", dst, src, &scratch, rows.outter, rows.inner, rows.n,
                      [n](const std::vector<double>& row) { return ascendc::sum_of(row) / n; }, where);
}
template <class T, class accType = T, bool isReuseSource = false, bool isBasicBlock = false, std::int32_t reduceDim = -1>
void Mean(const LocalTensor<T>& dst, const LocalTensor<T>& src, const MeanParams& rows,
          ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    const double n = rows.n;
    ascendc::each_row("Mean", dst, src, nullptr, rows.outter, rows.inner, rows.n,
                      [n](const std::vector<double>& row) { return ascendc::sum_of(row) / n; }, where);
}

template <class T, std::int32_t dim, std::int32_t axis, bool isReuseSource = false>
void Broadcast(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t dstShape[dim], const std::uint32_t srcShape[dim],
               ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::broadcast<T, dim>(dst, src, dstShape, srcShape, where);
}
template <class T, std::int32_t dim, std::int32_t axis, bool isReuseSource = false>
void Broadcast(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t dstShape[dim], const std::uint32_t srcShape[dim],
               LocalTensor<std::uint8_t>&, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::broadcast<T, dim>(dst, src, dstShape, srcShape, where);
}
// The older spelling.
template <class T, std::int32_t dim, std::int32_t axis, bool isReuseSource = false>
void BroadCast(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t dstShape[dim], const std::uint32_t srcShape[dim],
               ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::broadcast<T, dim>(dst, src, dstShape, srcShape, where);
}
template <class T, std::int32_t dim, std::int32_t axis, bool isReuseSource = false>
void BroadCast(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t dstShape[dim], const std::uint32_t srcShape[dim],
               LocalTensor<std::uint8_t>&, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::broadcast<T, dim>(dst, src, dstShape, srcShape, where);
}

// Sums along a row (isLastAxis) or down the columns; the last row also to lastRow where the configuration asks for it.
template <class T, const CumSumConfig& config = defaultCumSumConfig>
void CumSum(LocalTensor<T>& dst, LocalTensor<T>& lastRow, const LocalTensor<T>& src, const CumSumInfo& shape,
            ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if constexpr (!ascendc::computes_here) return;
    static_assert(ascendc::is_float<T>, "CumSum takes half and float");
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=]() mutable { CumSum<T, config>(dst, lastRow, src, shape, where); });
    ascendc::Instruction at("CumSum", ascendc::Pipe::V, where);
    ascendc::use_rest(at, 1);
    const std::uint32_t n = shape.outter * shape.inner;
    const ascendc::Elements<T> from(at, src, "src", n, false);
    ascendc::Elements<T> to(at, dst, "dst", n, true);
    const std::uint32_t lines = config.isLastAxis ? shape.outter : shape.inner, length = config.isLastAxis ? shape.inner : shape.outter;
    const auto place = [&](std::uint32_t line, std::uint32_t i) { return config.isLastAxis ? line * shape.inner + i : i * shape.inner + line; };
    for (std::uint32_t line = 0; line < lines; ++line) {
        double sum = 0;
        bool written = true;
        for (std::uint32_t i = 0; i < length; ++i) {
            sum += from.get(place(line, i));
            written &= from.written(place(line, i));
            to.set(place(line, i), sum, written);
        }
    }
    if constexpr (config.outputLastRow) {
        ascendc::Elements<T> last(at, lastRow, "lastRow", shape.inner, true);
        for (std::uint32_t i = 0; i < shape.inner; ++i) last.set(i, to.get(n - shape.inner + i), to.written(n - shape.inner + i));
    }
    ascendc::takes(at, ascendc::counted_walk(n, ascendc::repeat_lanes<T>), ascendc::function_rate);
}
template <class T, const CumSumConfig& config = defaultCumSumConfig>
void CumSum(LocalTensor<T>& dst, LocalTensor<T>& lastRow, const LocalTensor<T>& src, LocalTensor<std::uint8_t>&, const CumSumInfo& shape,
            ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    CumSum<T, config>(dst, lastRow, src, shape, where);
}

}  // namespace AscendC
