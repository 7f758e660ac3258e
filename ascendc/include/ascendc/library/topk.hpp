// The k largest or smallest of each row, with their places.
#pragma once

#include <algorithm>
#include <numeric>

#include "ascendc/base/tiling_structures.hpp"
#include "ascendc/library/rows.hpp"

namespace AscendC {

struct TopKInfo {
    std::int32_t outter = 1;
    std::int32_t inner = 0;  // a row's pitch: a multiple of 32
    std::int32_t n = 0;      // what is looked at of a row
};

// Equal values keep their order. With isInitIndex the places come from srcIndex. Rows of `finish` that are true are left alone.
template <class T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false, TopKMode mode = TopKMode::TOPK_NORMAL>
void TopK(const LocalTensor<T>& dstValue, const LocalTensor<std::int32_t>& dstIndex, const LocalTensor<T>& src,
          const LocalTensor<std::int32_t>& srcIndex, const LocalTensor<bool>& finish, const std::int32_t k, const TopkTiling& tiling,
          const TopKInfo& shape, const bool isLargest = true, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if constexpr (!ascendc::computes_here) return;
    static_assert(ascendc::is_float<T>, "TopK takes half and float");
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] {
            TopK<T, isInitIndex, isHasfinish, isReuseSrc, mode>(dstValue, dstIndex, src, srcIndex, finish, k, tiling, shape, isLargest, where);
        });
    ascendc::Instruction at("TopK", ascendc::Pipe::V, where);
    if (shape.inner % 32) at.fail(ascendc::Rule::length, "is given rows of ", shape.inner, " elements; a row takes a multiple of 32");
    if (k < 1 || k > shape.n) at.fail(ascendc::Rule::count, "is asked for ", k, " of ", shape.n, " elements");
    ascendc::use_rest(at, 1);
    const auto rows = static_cast<std::uint32_t>(shape.outter), n = static_cast<std::uint32_t>(shape.n);
    const auto pitch = static_cast<std::uint32_t>(shape.inner), wanted = static_cast<std::uint32_t>(k);
    // A row of results takes whole blocks.
    const std::uint32_t value_pitch = (wanted + ascendc::block_elements<T> - 1) / ascendc::block_elements<T> * ascendc::block_elements<T>;
    const std::uint32_t index_pitch = (wanted + 7) / 8 * 8;
    const ascendc::Elements<T> from(at, src, "src", std::uint64_t{rows} * pitch, false);
    ascendc::Elements<T> values(at, dstValue, "dstValue", std::uint64_t{rows} * value_pitch, true);
    ascendc::Elements<std::int32_t> places(at, dstIndex, "dstIndex", std::uint64_t{rows} * index_pitch, true);
    std::vector<std::uint32_t> order(n);
    for (std::uint32_t row = 0; row < rows; ++row) {
        if constexpr (isHasfinish)
            if (finish.GetValue(row)) continue;
        std::iota(order.begin(), order.end(), row * pitch);
        bool written = true;
        for (const std::uint32_t i : order) written &= from.written(i);
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return isLargest ? from.get(a) > from.get(b) : from.get(a) < from.get(b);
        });
        for (std::uint32_t i = 0; i < wanted; ++i) {
            values.set(row * value_pitch + i, from.get(order[i]), written);
            std::int32_t place = static_cast<std::int32_t>(order[i] - row * pitch);
            if constexpr (isInitIndex) place = srcIndex.GetValue(order[i] - row * pitch);
            places.set(row * index_pitch + i, place, written);
        }
    }
    ascendc::takes(at, ascendc::counted_walk(rows * pitch, ascendc::repeat_lanes<T>), 4 * ascendc::function_rate);
}
template <class T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false, TopKMode mode = TopKMode::TOPK_NORMAL>
void TopK(const LocalTensor<T>& dstValue, const LocalTensor<std::int32_t>& dstIndex, const LocalTensor<T>& src,
          const LocalTensor<std::int32_t>& srcIndex, const LocalTensor<bool>& finish, const LocalTensor<std::uint8_t>&, const std::int32_t k,
          const TopkTiling& tiling, const TopKInfo& shape, const bool isLargest = true,
          ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    TopK<T, isInitIndex, isHasfinish, isReuseSrc, mode>(dstValue, dstIndex, src, srcIndex, finish, k, tiling, shape, isLargest, where);
}

}  // namespace AscendC
