// The places that the entries of an index mean, a block of them at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "cpu/structured_kernels.hpp"
#include "cpu/structured_layout.hpp"

namespace asnumpy::cpu {

// Few enough for the first-level cache.
inline constexpr std::int64_t places_at_once = 512;

// Calls f(entry, place) for the entries first .. last in order; refuse(value) raises where one means no place on an axis of this length.
// Whoever shares the index's memory may change it meanwhile: what is looked at is a copy, and the copy is what is used.
template <class F, class Refuse>
void each_place(const char* index, std::int64_t stride, std::int64_t first, std::int64_t last, std::int64_t length, const F& f, const Refuse& refuse) {
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
                if (static_cast<std::uint64_t>(places[i]) >= static_cast<std::uint64_t>(length)) refuse(given);
            }
        }
        for (std::int64_t i = 0; i < n; ++i) f(first + i, places[i]);
    }
}

}  // namespace asnumpy::cpu
