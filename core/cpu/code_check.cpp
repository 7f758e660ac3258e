// Whether a loop that a compiler made gives what the steps of its strand give, before any program runs it: whoever names a compiler may
// give it options of his own, and a damaged one makes anything.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "cpu/code.hpp"

namespace asnumpy::cpu {
namespace {

// Whole vectors of every width, and some elements behind them.
constexpr std::size_t checked_elements = 205;

// The types that strands have.
template <class T> inline constexpr bool in_strands = !is_narrow_v<T> && !is_half_v<T> && !std::is_same_v<T, long double> && !std::is_same_v<T, std::complex<long double>>;

// Numbers at the edges and in between; one NaN among many, and whole numbers that differences and comparisons meet again.
template <class T> T a_number(std::mt19937& random) {
    if constexpr (std::is_same_v<T, bool>) {
        return random() & 1u;
    } else if constexpr (std::is_integral_v<T>) {
        const auto any = (std::uint64_t{random()} << 32) | random();
        return static_cast<T>(random() % 3 ? any >> (random() % 64) : static_cast<std::uint64_t>(0) - random() % 4);
    } else if constexpr (is_complex_v<T>) {
        const auto real = a_number<typename T::value_type>(random);
        return {real, a_number<typename T::value_type>(random)};
    } else {
        using Limits = std::numeric_limits<T>;
        constexpr std::array edges{T(0), -T(0), T(1), T(-2.5), Limits::max(), Limits::min(), Limits::denorm_min(), Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()};
        const auto kind = random() % 16;
        const T whole = static_cast<T>(static_cast<int>(random() % 17) - 8);
        if (kind == 0) return edges[random() % edges.size()];
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

}  // namespace

bool computes_strand(const Program& strand, Loop made) {
    std::mt19937 random(7);
    std::vector<CheckedValues> values(static_cast<std::size_t>(strand.value_count())), results(strand.stores.size());
    std::vector<const void*> in;
    std::vector<void*> out;
    for (std::size_t k = 0; k < strand.inputs.size(); ++k) {
        dispatch(strand.inputs[k], [&]<class T> {
            if constexpr (in_strands<T>) std::generate_n(values[k].template of<T>(), checked_elements, [&] { return a_number<T>(random); });
        });
        in.push_back(values[k].bytes.data());
    }
    for (CheckedValues& result : results) out.push_back(result.bytes.data());
    for (const Step& step : strand.steps) {
        const Row& r = row(step.row);
        std::array<void*, 2> to{};
        std::array<const void*, 3> from{};
        for (std::size_t o = 0; o < r.nout; ++o) to[o] = values[step.out + o].bytes.data();
        for (std::size_t i = 0; i < r.nin; ++i) from[i] = values[step.in[i]].bytes.data();
        loop(step.row, step.loop)(to.data(), from.data(), checked_elements);
    }
    made(out.data(), in.data(), checked_elements);
    for (std::size_t k = 0; k < strand.stores.size(); ++k) {
        const ValueId value = strand.stores[k].value;
        const bool same = dispatch(strand.dtype(value), [&]<class T> {
            if constexpr (in_strands<T>) return same_numbers(values[value].template of<T>(), results[k].template of<T>(), checked_elements);
            else return false;
        });
        if (!same) return false;
    }
    return true;
}

}  // namespace asnumpy::cpu
