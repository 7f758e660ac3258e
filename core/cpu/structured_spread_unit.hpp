// The mean and the spread of a tile. Included once per instruction set; all in an unnamed namespace.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "cpu/structured_kernels.hpp"
#include "cpu/structured_vector_unit.hpp"

namespace asnumpy::cpu {
namespace {

// Sums of 256 bytes of elements side by side, whatever the width of a vector, so that no sum depends on the machine.
template <class T> struct SideBySide {
    static constexpr std::int64_t bytes = 256, lanes = bytes / static_cast<std::int64_t>(sizeof(T)), vectors = bytes / vector_bytes;
    using V = typename Vector<T>::type;
    V part[vectors] = {};

    double sum() const {
        std::array<T, lanes> all;
        std::memcpy(all.data(), part, bytes);
        for (std::int64_t half = lanes / 2; half > 0; half /= 2)
            for (std::int64_t l = 0; l < half; ++l) all[static_cast<std::size_t>(l)] += all[static_cast<std::size_t>(half + l)];
        return all[0];
    }
};

// Calls f with the number of a vector and the vector, for n elements; what lacks at the end is `filling`.
template <class T, class F> void each_vector(const T* x, std::int64_t n, T filling, F&& f) {
    using Sums = SideBySide<T>;
    std::int64_t i = 0;
    const auto row = [&f](const T* from) {
        for (std::int64_t v = 0; v < Sums::vectors; ++v) {
            typename Sums::V values;
            load_vector(values, from + v * Vector<T>::lanes);
            f(v, values);
        }
    };
    for (; i + Sums::lanes <= n; i += Sums::lanes) row(x + i);
    if (i == n) return;
    std::array<T, Sums::lanes> rest;
    rest.fill(filling);
    std::copy(x + i, x + n, rest.begin());
    row(rest.data());
}

// Two passes over a tile that the first one has brought into the cache; the second fetches the next tile meanwhile.
template <class T> void spread(const void* data, std::int64_t n, Moments& out) {
    using Sums = SideBySide<T>;
    constexpr std::int64_t block = 16 * Sums::lanes, ahead = spread_tile_bytes / static_cast<std::int64_t>(sizeof(T));
    const T* const x = static_cast<const T*>(data);
    double total = 0;
    for (std::int64_t i = 0; i < n; i += block) {
        Sums sums;
        each_vector(x + i, std::min(block, n - i), T{0}, [&](std::int64_t v, const auto& values) { sums.part[v] += values; });
        total += sums.sum();
    }
    const auto count = static_cast<double>(n);
    const T center = static_cast<T>(total / count);
    double rest = 0, squares = 0;
    if (!std::isfinite(center)) {  // an element is not finite, or the sum is too large: as in two passes over everything
        for (std::int64_t i = 0; i < n; ++i) squares += static_cast<double>((x[i] - center) * (x[i] - center));
    } else {
        for (std::int64_t i = 0; i < n; i += block) {
            Sums differences, products;
            for (std::int64_t at = 0; at < block; at += 64 / static_cast<std::int64_t>(sizeof(T))) __builtin_prefetch(x + i + ahead + at);
            each_vector(x + i, std::min(block, n - i), center, [&](std::int64_t v, const auto& values) {
                const auto difference = values - center;
                differences.part[v] += difference;
                products.part[v] += difference * difference;
            });
            rest += differences.sum();
            squares += products.sum();
        }
        // The center is the mean but for its rounding.
        if (std::isfinite(squares)) squares -= rest * rest / count;
    }
    out = {count, static_cast<double>(center), rest / count, squares};
}

constexpr std::array<Spread, 2> spread_kernels{&spread<float>, &spread<double>};

}  // namespace
}  // namespace asnumpy::cpu
