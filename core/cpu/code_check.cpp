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
#include "kernels/kernels.hpp"

namespace asnumpy::cpu {
namespace {

// Several blocks of every reduction, whole vectors of every width, and some elements behind them.
constexpr std::size_t checked_elements = 2309;
// Runs that are reduced: one element, fewer than a fold has lanes, some more, and all. Of short ones many have no NaN, which
// hides what else is in a sum.
constexpr std::array<std::size_t, 5> reduced_runs{1, 3, 29, 205, checked_elements};

// The types that strands have.
template <class T> inline constexpr bool in_strands = !is_narrow_v<T> && !is_half_v<T> && !std::is_same_v<T, long double> && !std::is_same_v<T, std::complex<long double>>;

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

bool same_values(DType dtype, const char* x, const char* y, std::size_t n) {
    return dispatch(dtype, [&]<class T> {
        if constexpr (in_strands<T>) return same_numbers(reinterpret_cast<const T*>(x), reinterpret_cast<const T*>(y), n);
        else return false;
    });
}

// A strand's numbers, and what its steps make of them.
struct StrandValues {
    const Program& strand;
    std::vector<CheckedValues> values{static_cast<std::size_t>(strand.value_count())};
    std::vector<ValueId> given;  // in the order of Strand::out
    std::vector<CheckedValues> results;

    StrandValues(const Program& program, std::mt19937& random, bool edges_too) : strand(program) {
        for (const Store& store : strand.stores) given.push_back(store.value);
        for (const Reduction& reduction : strand.reductions) given.push_back(reduction.value);
        results.resize(given.size());
        for (std::size_t k = 0; k < strand.inputs.size(); ++k)
            dispatch(strand.inputs[k], [&]<class T> {
                if constexpr (in_strands<T>) std::generate_n(values[k].template of<T>(), checked_elements, [&] { return a_number<T>(random, edges_too); });
            });
        for (const Step& step : strand.steps) {
            const Row& r = row(step.row);
            std::array<void*, 2> to{};
            std::array<const void*, 3> from{};
            for (std::size_t o = 0; o < r.nout; ++o) to[o] = values[step.out + o].bytes.data();
            for (std::size_t i = 0; i < r.nin; ++i) from[i] = values[step.in[i]].bytes.data();
            loop(step.row, step.loop)(to.data(), from.data(), checked_elements);
        }
    }

    // Runs a form on n elements from the first one on; the last result goes to the first elements of its own.
    void run(Loop made, std::size_t first, std::size_t n) {
        std::vector<const void*> in;
        std::vector<void*> out;
        for (std::size_t k = 0; k < strand.inputs.size(); ++k) in.push_back(values[k].bytes.data() + first * itemsize(strand.inputs[k]));
        for (std::size_t k = 0; k < given.size(); ++k)
            out.push_back(results[k].bytes.data() + (k < strand.stores.size() ? first * itemsize(strand.dtype(given[k])) : 0));
        made(out.data(), in.data(), n);
    }

    // What is stored, and the value of the reduction where every element was written.
    bool right(std::size_t outputs) const {
        for (std::size_t k = 0; k < outputs; ++k)
            if (!same_values(strand.dtype(given[k]), values[given[k]].bytes.data(), results[k].bytes.data(), checked_elements)) return false;
        return true;
    }

    bool folds(Loop folded, const Reduction& reduction) {
        const DType dtype = strand.dtype(reduction.value);
        for (const std::size_t n : reduced_runs) {
            for (CheckedValues& result : results) result = {};
            for (std::size_t first = 0; first + n <= checked_elements; first += n) {
                run(folded, first, n);
                alignas(64) std::array<char, 16> wanted;
                fold(reduction.row, reduction.loop)(wanted.data(), values[reduction.value].bytes.data() + first * itemsize(dtype), n);
                if (!same_values(dtype, wanted.data(), results.back().bytes.data(), 1)) return false;
            }
        }
        return right(strand.stores.size());
    }

    bool adds(Loop added, const Reduction& reduction) {
        const DType dtype = strand.dtype(reduction.value);
        CheckedValues& sums = results.back();
        dispatch(dtype, [&]<class T> {
            if constexpr (in_strands<T>) {
                T* const elements = values[reduction.value].template of<T>();
                std::rotate_copy(elements, elements + 7, elements + checked_elements, sums.template of<T>());
            }
        });
        CheckedValues wanted = sums;
        void* const to[2] = {wanted.bytes.data(), nullptr};
        const void* const from[3] = {wanted.bytes.data(), values[reduction.value].bytes.data(), nullptr};
        loop(reduction.row, reduction.loop)(to, from, checked_elements);
        run(added, 0, checked_elements);
        return same_values(dtype, wanted.bytes.data(), sums.bytes.data(), checked_elements) && right(strand.stores.size());
    }
};

}  // namespace

bool computes_strand(const Program& strand, const Forms& forms) {
    std::mt19937 random(7);
    for (const bool edges_too : {true, false}) {
        StrandValues checked(strand, random, edges_too);
        checked.run(forms.each, 0, checked_elements);
        if (!checked.right(checked.given.size())) return false;
        for (const Reduction& reduction : strand.reductions)
            if (!forms.folded || !forms.added || !checked.folds(forms.folded, reduction) || !checked.adds(forms.added, reduction)) return false;
    }
    return true;
}

}  // namespace asnumpy::cpu
