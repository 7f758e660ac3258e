// To 8-bit integers and back.
#pragma once

#include <cmath>

#include "ascendc/library/rows.hpp"

namespace AscendC {

struct DequantParams {
    std::uint32_t m = 0;
    std::uint32_t n = 0;         // a row's pitch
    std::uint32_t calCount = 0;  // what is computed of a row
};
struct AntiQuantShapeInfo {
    std::uint32_t offsetHeight = 0, offsetWidth = 0, scaleHeight = 0, scaleWidth = 0;
};

// dst = saturated round(src scale + offset), to the nearest even.
template <class T, bool isReuseSource = false>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src, const float scale, const float offset, const std::uint32_t count,
                 ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if constexpr (!ascendc::computes_here) return;
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] { AscendQuant<T, isReuseSource>(dst, src, scale, offset, count, where); });
    ascendc::Instruction at("AscendQuant", ascendc::Pipe::V, where);
    ascendc::use_rest(at, 1);
    const ascendc::Elements<T> from(at, src, "src", count, false);
    ascendc::Elements<std::int8_t> to(at, dst, "dst", count, true);
    for (std::uint32_t i = 0; i < count; ++i) {
        const double value = std::nearbyint(from.get(i) * scale + offset);
        to.set(i, value != value ? 0 : std::clamp(value, -128., 127.), from.written(i));
    }
    ascendc::takes(at, ascendc::counted_walk(count, ascendc::repeat_lanes<T>), ascendc::function_rate);
}
template <class T, bool isReuseSource = false>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint8_t>&, const float scale,
                 const float offset, const std::uint32_t count, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    AscendQuant<T, isReuseSource>(dst, src, scale, offset, count, where);
}

// dst = src scale, with a scale for each column.
template <class D, class S>
void AscendDequant(const LocalTensor<D>& dst, const LocalTensor<std::int32_t>& src, const LocalTensor<S>& scale, DequantParams shape,
                   ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if constexpr (!ascendc::computes_here) return;
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] { AscendDequant<D, S>(dst, src, scale, shape, where); });
    ascendc::Instruction at("AscendDequant", ascendc::Pipe::V, where);
    ascendc::use_rest(at, 1);
    // A row of results takes whole blocks.
    const std::uint32_t pitch = (shape.n + ascendc::block_elements<D> - 1) / ascendc::block_elements<D> * ascendc::block_elements<D>;
    const ascendc::Elements<std::int32_t> from(at, src, "src", std::uint64_t{shape.m} * shape.n, false);
    const ascendc::Elements<S> factors(at, scale, "deqScale", shape.calCount, false);
    ascendc::Elements<D> to(at, dst, "dst", std::uint64_t{shape.m} * pitch, true);
    for (std::uint32_t row = 0; row < shape.m; ++row)
        for (std::uint32_t i = 0; i < shape.calCount; ++i)
            to.set(row * pitch + i, from.get(row * shape.n + i) * factors.get(i), from.written(row * shape.n + i) && factors.written(i));
    ascendc::takes(at, ascendc::counted_walk(shape.m * shape.n, ascendc::repeat_lanes<float>), ascendc::function_rate);
}
template <class D, class S>
void AscendDequant(const LocalTensor<D>& dst, const LocalTensor<std::int32_t>& src, const LocalTensor<S>& scale,
                   const LocalTensor<std::uint8_t>&, DequantParams shape, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    AscendDequant(dst, src, scale, shape, where);
}

// dst = (src + offset) scale, with both for each column of K rows, or one for all.
template <class In, class Out, bool isTranspose = false>
void AscendAntiQuant(const LocalTensor<Out>& dst, const LocalTensor<In>& src, const LocalTensor<Out>& offset, const LocalTensor<Out>& scale,
                     const LocalTensor<std::uint8_t>& scratch, const std::uint32_t K, const AntiQuantShapeInfo& shape = {},
                     ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if constexpr (!ascendc::computes_here) return;
    static_assert(std::is_same_v<In, std::int8_t>, "AscendAntiQuant takes int8 here");
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] {
            AscendAntiQuant<In, Out, isTranspose>(dst, src, offset, scale, scratch, K, shape, where);
        });
    ascendc::Instruction at("AscendAntiQuant", ascendc::Pipe::V, where);
    ascendc::use_scratch(at, scratch, 1);
    const std::uint32_t n = src.GetSize(), columns = isTranspose ? K : n / K;
    const std::uint32_t groups = shape.scaleWidth && shape.scaleHeight ? shape.scaleWidth * shape.scaleHeight : scale.GetSize();
    const ascendc::Elements<In> from(at, src, "src", n, false);
    const ascendc::Elements<Out> shift(at, offset, "offset", groups, false), factor(at, scale, "scale", groups, false);
    ascendc::Elements<Out> to(at, dst, "dst", n, true);
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t group = groups == 1 ? 0 : (isTranspose ? i / columns : i % columns) % groups;
        to.set(i, (from.get(i) + shift.get(group)) * factor.get(group), from.written(i) && shift.written(group) && factor.written(group));
    }
    ascendc::takes(at, ascendc::counted_walk(n, ascendc::repeat_lanes<Out>), ascendc::function_rate);
}
template <class In, class Out, bool isTranspose = false>
void AscendAntiQuant(const LocalTensor<Out>& dst, const LocalTensor<In>& src, const Out offset, const Out scale,
                     const LocalTensor<std::uint8_t>& scratch, const std::uint32_t K, const AntiQuantShapeInfo& shape = {},
                     ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if constexpr (!ascendc::computes_here) return;
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V,
                                 [=] { AscendAntiQuant<In, Out, isTranspose>(dst, src, offset, scale, scratch, K, shape, where); });
    ascendc::Instruction at("AscendAntiQuant", ascendc::Pipe::V, where);
    ascendc::use_scratch(at, scratch, 1);
    const std::uint32_t n = src.GetSize();
    const ascendc::Elements<In> from(at, src, "src", n, false);
    ascendc::Elements<Out> to(at, dst, "dst", n, true);
    const double shift = static_cast<float>(offset), factor = static_cast<float>(scale);
    for (std::uint32_t i = 0; i < n; ++i) to.set(i, (from.get(i) + shift) * factor, from.written(i));
    ascendc::takes(at, ascendc::counted_walk(n, ascendc::repeat_lanes<Out>), ascendc::function_rate);
}

}  // namespace AscendC
