// Loops of integer divisions: a block whose divisor repeats is divided by its reciprocal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "ops/definition.hpp"
#include "ops/divider.hpp"

namespace asnumpy::cpu {
namespace {

using ops::Divider;

template <class Row, class... A> constexpr bool divides() {
    if constexpr (Row::definition.options.divides && sizeof...(A) == 2) return (ops::is_integer_type<A> && ...);
    else return false;
}

template <class T> T divisor_at(const T* y, std::size_t i) { return y[i]; }
template <class T> const Divider<T>& divisor_at(const Divider<T>& y, std::size_t) { return y; }

// Whether all are the same, and not 0. The first look tells in most cases where they differ.
template <class T> bool repeats(const T* y, std::size_t n) {
    const T first = y[0];
    if (first == 0 || y[n / 2] != first || y[n - 1] != first) return false;
    T difference = 0;
#pragma omp simd reduction(| : difference)
    for (std::size_t i = 0; i < n; ++i) difference = static_cast<T>(difference | (y[i] ^ first));
    return difference == 0;
}

// divide(start, length, divisors) for one block after the other: the divisors as they lie, or a Divider, kept while they repeat.
template <class T, class Divide> void divide_blocks(const T* y, std::size_t n, const Divide& divide) {
    constexpr std::size_t block = 256, fewest = 8;  // a reciprocal takes as long as a few divisions
    std::optional<Divider<T>> divider;
    for (std::size_t start = 0; start < n; start += block) {
        const std::size_t length = std::min(block, n - start);
        if (length >= fewest && repeats(y + start, length)) {
            if (!divider || divider->divisor() != y[start]) divider.emplace(y[start]);
            divide(start, length, *divider);
        } else {
            divide(start, length, y + start);
        }
    }
}

}  // namespace
}  // namespace asnumpy::cpu
