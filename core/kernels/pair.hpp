// Loops that apply two rows at once: what the inner one gives the outer one stays in a register. Rows so light that
// loading their operands costs more than they do have them, in every pair of one table.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kernels/loop.hpp"

namespace asnumpy::cpu {
namespace {

using paired_types = std::tuple<float, double, std::int32_t, std::int64_t>;

template <class Function, class List> inline constexpr bool is_among = false;
template <class Function, class... Functions>
inline constexpr bool is_among<Function, Loops<Functions...>> = (std::is_same_v<Function, Functions> || ...);

template <class Inner, class Outer, class T, bool right> struct PairOf {
    static void run(void* const* out, const void* const* in, std::size_t n) {
        T* const to = static_cast<T*>(out[0]);
        const T *const x = static_cast<const T*>(in[0]), *const y = static_cast<const T*>(in[1]), *const z = static_cast<const T*>(in[2]);
#pragma omp simd
        for (std::size_t i = 0; i < n; ++i) to[i] = call(x[i], y[i], z[i]);
    }
    static T call(T x, T y, T z) {
        const T inner = static_cast<T>(Inner::template call<T>(x, y));
        if constexpr (right) return static_cast<T>(Outer::template call<T>(z, inner));
        else return static_cast<T>(Outer::template call<T>(inner, z));
    }
};

template <const auto& table> struct TablePairs {
    static constexpr std::size_t row_count = std::tuple_size_v<std::remove_cvref_t<decltype(table)>>;
    static constexpr std::size_t type_count = std::tuple_size_v<paired_types>;

    template <std::size_t... I> static constexpr bool any_light(std::index_sequence<I...>) {
        return (RowOf<table, I>::definition.options.light || ...);
    }

    // One of all combinations of inner row, outer row, side and type; a null loop where there is no such pair.
    template <std::size_t K> static constexpr PairKernel of() {
        using T = std::tuple_element_t<K % type_count, paired_types>;
        constexpr bool right = K / type_count % 2 == 1;
        using Outer = RowOf<table, K / type_count / 2 % row_count>;
        using Inner = RowOf<table, K / type_count / 2 / row_count>;
        using InnerLoops = typename std::remove_cvref_t<decltype(Inner::definition)>::loops;
        using OuterLoops = typename std::remove_cvref_t<decltype(Outer::definition)>::loops;
        PairKernel pair{Inner::definition.name, Outer::definition.name, right, dtype_of_v<T>, nullptr, nullptr};
        if constexpr (Inner::definition.options.light && Outer::definition.options.light && is_among<T(T, T), InnerLoops> &&
                      is_among<T(T, T), OuterLoops>) {
            pair.loop = &PairOf<Inner, Outer, T, right>::run;
            if constexpr (!right && Outer::definition.options.neutral != ops::Neutral::none)
                pair.fold = &FoldOf<Outer, T>::template run_applied<Inner>;
        }
        return pair;
    }
    template <std::size_t... K> static constexpr auto all(std::index_sequence<K...>) {
        return std::array<PairKernel, sizeof...(K)>{of<K>()...};
    }
    static constexpr auto pairs = [] {
        if constexpr (any_light(std::make_index_sequence<row_count>{}))
            return all(std::make_index_sequence<row_count * row_count * 2 * type_count>{});
        else
            return std::array<PairKernel, 0>{};
    }();
};

}  // namespace
}  // namespace asnumpy::cpu
