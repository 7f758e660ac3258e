// Numbers with which machine code is compared with the loops of the rows.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "cpu/strands.hpp"
#include "kernels/kernels.hpp"
#include "program/program.hpp"

namespace asnumpy::cpu {

// Several blocks of every reduction, whole vectors of every width, and some elements behind them.
inline constexpr std::size_t checked_elements = 2309;

// Numbers in between, with whole ones that differences and comparisons meet again, and, where wanted, at the edges; one NaN among many.
template <class T> T a_number(std::mt19937& random, bool edges_too) {
    if constexpr (std::is_same_v<T, bool>) {
        return random() & 1u;
    } else if constexpr (std::is_integral_v<T>) {
        const auto any = (std::uint64_t{random()} << 32) | random();
        return static_cast<T>(random() % 3 ? any >> (random() % 64) : static_cast<std::uint64_t>(0) - random() % 4);
    } else if constexpr (is_complex_v<T>) {
        const auto real = a_number<typename T::value_type>(random, edges_too);
        return {real, a_number<typename T::value_type>(random, edges_too)};
    } else {
        using Limits = std::numeric_limits<T>;
        constexpr std::array edges{T(0), -T(0), T(1), T(-2.5), Limits::max(), Limits::min(), Limits::denorm_min(), Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()};
        const auto kind = random() % 16;
        const T whole = static_cast<T>(static_cast<int>(random() % 17) - 8);
        if (kind == 0 && edges_too) return edges[random() % edges.size()];
        return kind < 4 ? whole : std::ldexp(static_cast<T>(random()) / T(4294967296.0) - T(0.5), static_cast<int>(random() % 12) - 4);
    }
}

template <class T> bool same_numbers(const T* x, const T* y, std::size_t n) {
    if constexpr (is_complex_v<T>) {
        return same_numbers(reinterpret_cast<const typename T::value_type*>(x), reinterpret_cast<const typename T::value_type*>(y), 2 * n);
    } else {
        const auto same = [](const T& a, const T& b) {
            if constexpr (std::is_floating_point_v<T>)
                if (a != a || b != b) return a != a && b != b;
            return std::memcmp(&a, &b, sizeof a) == 0;
        };
        return std::equal(x, x + n, y, same);
    }
}

struct alignas(64) CheckedValues {
    std::array<char, 16 * checked_elements> bytes;
    template <class T> T* of() { return reinterpret_cast<T*>(bytes.data()); }
};

inline bool same_values(DType dtype, const char* x, const char* y, std::size_t n) {
    return dispatch(dtype, [&]<class T> {
        if constexpr (in_strands<T>) return same_numbers(reinterpret_cast<const T*>(x), reinterpret_cast<const T*>(y), n);
        else return false;
    });
}

template <class Random> void fill(CheckedValues& values, DType dtype, Random& random, bool edges_too) {
    dispatch(dtype, [&]<class T> {
        if constexpr (in_strands<T>) std::generate_n(values.of<T>(), checked_elements, [&] { return a_number<T>(random, edges_too); });
    });
}

// What the steps of a program make of the values of its inputs, one after the other.
inline void compute_steps(const Program& program, std::vector<CheckedValues>& values) {
    for (const Step& step : program.steps) {
        const Row& r = row(step.row);
        std::array<void*, 2> to{};
        std::array<const void*, 3> from{};
        for (std::size_t o = 0; o < r.nout; ++o) to[o] = values[step.out + o].bytes.data();
        for (std::size_t i = 0; i < r.nin; ++i) from[i] = values[step.in[i]].bytes.data();
        loop(step.row, step.loop)(to.data(), from.data(), checked_elements);
    }
}

}  // namespace asnumpy::cpu
