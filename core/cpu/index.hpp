// An index as kernels read it: the place that an entry means, and whether all of them are within an axis.
#pragma once

#include <cstdint>

#include "cpu/structured.hpp"
#include "cpu/structured_kernels.hpp"
#include "cpu/structured_layout.hpp"

namespace asnumpy::cpu {

// The place that an entry of an index means; IndexError where there is none.
inline std::int64_t position(const char* at, std::int64_t length) {
    const std::int64_t given = load<std::int64_t>(at), target = given + (given < 0 ? length : 0);
    if (static_cast<std::uint64_t>(target) >= static_cast<std::uint64_t>(length)) [[unlikely]] raise_out_of_bounds(given, length);
    return target;
}

// Whether each of n entries lies in [low, length), of which low is 0 or -length. Without a branch for each, by the signs of the distances
// from both bounds.
inline bool all_inside(const char* data, std::int64_t stride, std::int64_t n, std::int64_t low, std::int64_t length) {
    if (stride == 8 && is_aligned(data, DType::int64)) return structured_kernels().within(reinterpret_cast<const std::int64_t*>(data), n, low, length);
    const auto first = static_cast<std::uint64_t>(low), last = static_cast<std::uint64_t>(length - low) - 1;
    std::uint64_t signs = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        const std::uint64_t above = load<std::uint64_t>(data + i * stride) - first;
        signs |= above | (last - above);
    }
    return !(signs >> 63);
}
inline bool all_inside(const Tensor& index, std::int64_t low, std::int64_t length) {
    return all_inside(index.data, index.strides[0], index.shape[0], low, length);
}

}  // namespace asnumpy::cpu
