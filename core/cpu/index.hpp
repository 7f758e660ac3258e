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

// What n entries mean as places on an axis of this length, up to places_at_once of them: how many at the beginning mean one. Whoever shares the
// index's memory may change it meanwhile: what is looked at is a copy, and the copy is what is used.
inline std::int64_t find_places(const char* index, std::int64_t stride, std::int64_t n, std::int64_t length, std::int64_t* places) {
    if (stride == sizeof(std::int64_t)) std::memcpy(places, index, static_cast<std::size_t>(n) * sizeof(std::int64_t));
    else for (std::int64_t i = 0; i < n; ++i) places[i] = load<std::int64_t>(index + i * stride);
    if (structured_kernels().places(places, n, length)) return n;
    return std::find_if(places, places + n, [length](std::int64_t place) { return static_cast<std::uint64_t>(place) >= static_cast<std::uint64_t>(length); }) - places;
}
// The entry of which that made no place.
inline std::int64_t entry_of(std::int64_t place, std::int64_t length) { return place < 0 ? place - length : place; }

// Calls f(entry, place) for the entries first .. last in order, of a dtype all of whose values are places.
template <class T, class F> void each_value(const char* index, std::int64_t stride, std::int64_t first, std::int64_t last, const F& f) {
    for (; first < last; ++first) f(first, static_cast<std::int64_t>(load<T>(index + first * stride)));
}
// Calls f(entry, place) for the entries first .. last in order; IndexError where one means no place on an axis of this length.
template <class F> void each_place(const char* index, std::int64_t stride, std::int64_t first, std::int64_t last, std::int64_t length, const F& f) {
    std::array<std::int64_t, places_at_once> block;
    for (; first < last; first += places_at_once) {
        const std::int64_t n = std::min(places_at_once, last - first);
        std::int64_t* const places = block.data();
        if (const std::int64_t found = find_places(index + first * stride, stride, n, length, places); found < n) raise_out_of_bounds(entry_of(places[found], length), length);
        for (std::int64_t i = 0; i < n; ++i) f(first + i, places[i]);
    }
}

}  // namespace asnumpy::cpu
