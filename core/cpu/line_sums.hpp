// Sums of the elements of a line in NumPy's order of additions.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "cpu/structured_layout.hpp"
#include "ops/integer.hpp"

namespace asnumpy::cpu {

// Without undefined behaviour where integers run over.
template <class T> T plus(T a, T b) {
    if constexpr (std::is_integral_v<T>) return ops::wrap_add(a, b);
    else return a + b;
}

// As NumPy adds the elements of a line to what it has: eight sums side by side (of complex numbers four), long lines in halves.
template <class T> T sum_of_line(const char* from, std::int64_t stride, std::int64_t n) {
    constexpr std::int64_t parts = is_complex_v<T> ? 2 : 1, lanes = 8 / parts;
    const auto at = [from, stride](std::int64_t i) { return load<T>(from + i * stride); };
    if (n < lanes) {
        T sum = -T(0);
        for (std::int64_t i = 0; i < n; ++i) sum = plus(sum, at(i));
        return sum;
    }
    if (n > 128 / parts) {
        const std::int64_t half = (n * parts / 2 - n * parts / 2 % 8) / parts;
        return plus(sum_of_line<T>(from, stride, half), sum_of_line<T>(from + half * stride, stride, n - half));
    }
    std::array<T, static_cast<std::size_t>(lanes)> sums;
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] = at(static_cast<std::int64_t>(k));
    std::int64_t i = lanes;
    for (; i < n - n % lanes; i += lanes)
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] = plus(sums[k], at(i + static_cast<std::int64_t>(k)));
    T sum = plus(plus(sums[0], sums[1]), plus(sums[2], sums[3]));
    if constexpr (lanes == 8) sum = plus(sum, plus(plus(sums[4], sums[5]), plus(sums[6], sums[7])));
    for (; i < n; ++i) sum = plus(sum, at(i));
    return sum;
}

// The sum of a line as np.add.reduceat makes it: the first element, and the sum of the others.
template <class T> T sum_of_run(const char* from, std::int64_t stride, std::int64_t n) {
    const T start = load<T>(from);
    return n > 1 ? plus(start, sum_of_line<T>(from + stride, stride, n - 1)) : start;
}

}  // namespace asnumpy::cpu
