// An index as kernels read it: the places that entries mean, and whether all of them are within an axis.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "cpu/structured.hpp"
#include "cpu/structured_kernels.hpp"
#include "cpu/structured_layout.hpp"

namespace asnumpy::cpu {

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

// Few enough for the first-level cache.
inline constexpr std::int64_t places_at_once = 512;

// Calls f(entry, place) for the entries first .. last in order, a block of them at a time; IndexError where one means no place on an axis of this
// length. Whoever shares the index's memory may change it meanwhile: what is looked at is a copy, and the copy is what is used.
template <class F> void each_place(const char* index, std::int64_t stride, std::int64_t first, std::int64_t last, std::int64_t length, const F& f) {
    std::array<std::int64_t, places_at_once> block;
    std::int64_t* const places = block.data();
    for (; first < last; first += places_at_once) {
        const std::int64_t n = std::min(places_at_once, last - first);
        const char* const at = index + first * stride;
        if (stride == sizeof(std::int64_t)) std::memcpy(places, at, static_cast<std::size_t>(n) * sizeof(std::int64_t));
        else for (std::int64_t i = 0; i < n; ++i) places[i] = load<std::int64_t>(at + i * stride);
        if (!structured_kernels().within(places, n, 0, length)) {
            for (std::int64_t i = 0; i < n; ++i) {
                const std::int64_t given = places[i];
                places[i] += given < 0 ? length : 0;
                if (static_cast<std::uint64_t>(places[i]) >= static_cast<std::uint64_t>(length)) raise_out_of_bounds(given, length);
            }
        }
        for (std::int64_t i = 0; i < n; ++i) f(first + i, places[i]);
    }
}

}  // namespace asnumpy::cpu
