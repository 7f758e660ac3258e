// The typed loops of a table of rows, for the instruction set that the including file is compiled for.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/copy_bytes.hpp"
#include "kernels/alias.hpp"
#include "kernels/division.hpp"
#include "kernels/fold.hpp"
#include "kernels/half.hpp"
#include "kernels/table.hpp"
#include "kernels/vector.hpp"
#include "ops/definition.hpp"
#include "ops/element.hpp"

namespace asnumpy::cpu {
namespace {

using ops::apply_fast;
using ops::apply_one;
using ops::Compute;
using ops::Loops;
using ops::RowOf;
using ops::Two;
using ops::Vector;

template <class Row, class T> void apply_divided(T* out, std::size_t n, const T* x, const T* y) {
    divide_blocks(y, n, [out, x](std::size_t start, std::size_t length, auto by) {
#pragma omp simd
        for (std::size_t i = 0; i < length; ++i) out[start + i] = Row::template call<T>(x[start + i], divisor_at(by, i));
    });
}

// One row over operands of the types in which it computes. `R` is the stored result type (for rows that ask),
// `C` the computed one.
template <class Row, class R, class C, class... A> void apply(C* out, std::size_t n, const A*... in) {
    if constexpr (ops::has_fast_path<Row, C>()) return apply_fast<Row>(out, n, in...);
    if constexpr (divides<Row, A...>()) return apply_divided<Row>(out, n, in...);
    constexpr Vector vector = Row::definition.options.vector;
    if constexpr (vector != Vector::none && std::is_floating_point_v<C> && sizeof(C) <= 8) {
        if (apply_vector<vector, C>(out, n, in...)) return;
    }
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) apply_one<Row, R>(out, i, in...);
}

inline constexpr std::size_t half_block = 512;
template <class T> struct Widened {
    alignas(64) std::array<float, half_block> values;
    const float* load(const T* in, std::size_t n) {
        widen(in, values.data(), n);
        return values.data();
    }
};
struct AsIs {
    template <class T> const T* load(const T* in, std::size_t) { return in; }
};

template <class Row, class Function> struct Kernel;

template <class Row, class R, class... A> struct Kernel<Row, R(A...)> {
    static constexpr bool storage = Row::definition.options.storage;

    static void run(void* const* out, const void* const* in, std::size_t n) {
        run(static_cast<R*>(out[0]), in, n, std::index_sequence_for<A...>{});
    }

    template <std::size_t... K>
    static void run(R* out, const void* const* in, std::size_t n, std::index_sequence<K...>) {
        if constexpr (std::is_same_v<R(A...), R(R)> && Row::definition.options.needs_result) {
            copy_bytes(reinterpret_cast<char*>(out), static_cast<const char*>(in[0]), n * sizeof(R));  // a cast to the same type keeps the bits
        } else if constexpr (storage || !(is_half_v<R> || ... || is_half_v<A>)) {
            apply<Row, R, R, A...>(out, n, static_cast<const A*>(in[K])...);
        } else {
            std::tuple<std::conditional_t<is_half_v<A>, Widened<A>, AsIs>...> operands;
            [[maybe_unused]] alignas(64) std::array<float, is_half_v<R> ? half_block : 1> result;
            for (std::size_t i = 0; i < n; i += half_block) {
                const std::size_t m = std::min(half_block, n - i);
                Compute<R>* to;
                if constexpr (is_half_v<R>) to = result.data();
                else to = out + i;
                apply<Row, R, Compute<R>, Compute<A>...>(to, m, std::get<K>(operands).load(static_cast<const A*>(in[K]) + i, m)...);
                if constexpr (is_half_v<R>) narrow(result.data(), out + i, m);
            }
        }
    }

    static constexpr Fold fold() {
        if constexpr (Row::definition.options.neutral != ops::Neutral::none && std::is_same_v<R(A...), R(R, R)>)
            return &FoldOf<Row, R>::run;
        else
            return nullptr;
    }
};

template <class Row, class R, class S, class... A> struct Kernel<Row, Two<R, S>(A...)> {
    static void run(void* const* out, const void* const* in, std::size_t n) {
        run(static_cast<R*>(out[0]), static_cast<S*>(out[1]), in, n, std::index_sequence_for<A...>{});
    }

    template <std::size_t... K>
    static void run(R* first, S* second, const void* const* in, std::size_t n, std::index_sequence<K...>) {
        if constexpr (divides<Row, A...>()) {
            const R* const x = static_cast<const R*>(in[0]);
            divide_blocks(static_cast<const R*>(in[1]), n, [first, second, x](std::size_t start, std::size_t length, auto by) {
#pragma omp simd
                for (std::size_t i = 0; i < length; ++i) run_one(first + start + i, second + start + i, x[start + i], divisor_at(by, i));
            });
        } else {
#pragma omp simd
            for (std::size_t i = 0; i < n; ++i) run_one(first + i, second + i, static_cast<const A*>(in[K])[i]...);
        }
    }

    template <class... Values> static void run_one(R* first, S* second, Values... values) {
        const Two<Compute<R>, Compute<S>> both = Row::template call<Two<R, S>>(widened(values)...);
        *first = narrowed<R>(both.first);
        *second = narrowed<S>(both.second);
    }

    template <class T> static constexpr Compute<T> widened(T value) {
        if constexpr (std::is_same_v<T, float16>) return half_to_float(value.bits);
        else return value;
    }
    template <class T> static constexpr T narrowed(Compute<T> value) {
        T result;
        if constexpr (std::is_same_v<T, float16>) result.bits = float_to_half(value);
        else if constexpr (std::is_same_v<T, bfloat16>) result.bits = float_to_brain(value);
        else result = value;
        return result;
    }

    static constexpr Fold fold() { return nullptr; }
};

template <class T> inline constexpr bool is_computed_as_it_is =
    !is_half_v<T> && !is_narrow_v<T> && !std::is_same_v<T, long double> && !std::is_same_v<T, std::complex<long double>>;

template <class Row, class Function> struct PlainOf;
template <class Row, class R, class... A> struct PlainOf<Row, R(A...)> {
    static constexpr ops::Options options = Row::definition.options;
    static constexpr bool alone = options.alone == ops::Alone::always || (options.alone == ops::Alone::complex && (is_complex_v<A> || ...));
    static constexpr bool value = options.vector == Vector::none && !alone && !divides<Row, A...>() && !ops::has_fast_path<Row, R>() &&
                                  (is_computed_as_it_is<R> && ... && is_computed_as_it_is<A>);
};
template <class Row, class R, class S, class... A> struct PlainOf<Row, Two<R, S>(A...)> {
    static constexpr bool value = PlainOf<Row, R(A...)>::value && is_computed_as_it_is<S>;
};

// Elements that lie apart, one by one: vectors of them would be gathered, which takes longer than to compute them.
template <class T> inline constexpr bool is_strided_type =
    std::is_same_v<T, bool> || std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>;
template <class T> T load_anywhere(const char* at) {
    if constexpr (std::is_same_v<T, bool>) return *at != 0;
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}
template <class Row, class Function> struct StridedOf {
    static constexpr StridedLoop value = nullptr;
};
template <class Row, class R, class... A>
    requires(PlainOf<Row, R(A...)>::value && !Row::definition.options.needs_result && !Row::definition.options.costly && is_strided_type<R> && (is_strided_type<A> && ...))
struct StridedOf<Row, R(A...)> {
    static void run(char* out, std::int64_t step, const char* const* in, const std::int64_t* steps, std::size_t n) {
        run(out, step, in, steps, n, std::index_sequence_for<A...>{});
    }
    template <std::size_t... K>
    static void run(char* out, std::int64_t step, const char* const* in, const std::int64_t* steps, std::size_t n, std::index_sequence<K...>) {
        const std::array<std::int64_t, sizeof...(A)> by{steps[K]...};
        std::array<const char*, sizeof...(A)> at{in[K]...};
        const auto of = [&](std::int64_t i) { return static_cast<R>(Row::template call<R>(load_anywhere<A>(at[K] + i * by[K])...)); };
        std::size_t i = 0;
        for (; i + 4 <= n; i += 4) {
            const std::array<R, 4> values{of(0), of(1), of(2), of(3)};
            for (std::int64_t k = 0; k < 4; ++k) std::memcpy(out + k * step, &values[static_cast<std::size_t>(k)], sizeof(R));
            out += 4 * step;
            ((at[K] += 4 * by[K]), ...);
            asm volatile("");  // no vectors
        }
        for (; i < n; ++i) {
            const R value = of(0);
            std::memcpy(out, &value, sizeof value);
            out += step;
            ((at[K] += by[K]), ...);
        }
    }
    static constexpr StridedLoop value = &run;
};

template <class Row, class List> struct KernelsOf;
template <class Row, class... Functions> struct KernelsOf<Row, Loops<Functions...>> {
    template <class Function> using Of = Kernel<Row, typename SameBits<Row, Function>::type>;
    static constexpr std::array<Loop, sizeof...(Functions)> loops{&Of<Functions>::run...};
    static constexpr std::array<StridedLoop, sizeof...(Functions)> strided{StridedOf<Row, typename SameBits<Row, Functions>::type>::value...};
    static constexpr std::array<Fold, sizeof...(Functions)> folds{Of<Functions>::fold()...};
    static constexpr std::array<bool, sizeof...(Functions)> plain{PlainOf<Row, Functions>::value...};
};

template <const auto& table> struct TableKernels {
    template <std::size_t I> static constexpr RowKernels of() {
        using Row = RowOf<table, I>;
        using Kernels = KernelsOf<Row, typename std::remove_cvref_t<decltype(Row::definition)>::loops>;
        return {Row::definition.name, Kernels::loops, Kernels::strided, Kernels::folds, Kernels::plain};
    }
    template <std::size_t... I> static constexpr auto all(std::index_sequence<I...>) {
        return std::array<RowKernels, sizeof...(I)>{of<I>()...};
    }
    static constexpr auto rows =
        all(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(table)>>>{});
};

}  // namespace
}  // namespace asnumpy::cpu
