// The typed loops of a table of rows, for the instruction set that the including file is compiled for.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "aclnn/rows.hpp"
#include "ops/definition.hpp"
#include "ops/element.hpp"
#include "rows/halves.hpp"
#include "rows/vector_math.hpp"

namespace cannsim {
namespace {

using asnumpy::is_half_v;
namespace ops = asnumpy::ops;
using ops::apply_one;
using ops::Compute;
using ops::RowOf;

template <class T> inline constexpr bool on_device = !std::is_same_v<T, long double> && !std::is_same_v<T, std::complex<long double>>;

template <class Row, class R, class C, class... A> void apply(C* out, std::size_t n, const A*... in) {
    if constexpr (ops::has_fast_path<Row, C>()) return ops::apply_fast<Row>(out, n, in...);
    constexpr ops::Vector vector = Row::definition.options.vector;
    if constexpr (vector != ops::Vector::none && std::is_floating_point_v<C>) {
        if (apply_vector<vector, C>(out, n, in...)) return;
    }
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) apply_one<Row, R>(out, i, in...);
}

// The 16-bit floats are computed as float, a block at a time.
constexpr std::size_t half_block = 256;
template <class T> struct Operand {
    const T* load(const T* in, std::size_t) { return in; }
};
template <class T> requires is_half_v<T> struct Operand<T> {
    std::array<float, half_block> values;
    const float* load(const T* in, std::size_t n) {
        widen(in, values.data(), n);
        return values.data();
    }
};

template <class Row, class Function> struct TypedLoop;

template <class Row, class R, class... A> struct TypedLoop<Row, R(A...)> {
    static constexpr bool usable = (on_device<R> && ... && on_device<A>);
    static void run(void* const* out, const void* const* in, std::size_t n) {
        run(static_cast<R*>(out[0]), in, n, std::index_sequence_for<A...>{});
    }
    template <std::size_t... K> static void run(R* out, const void* const* in, std::size_t n, std::index_sequence<K...>) {
        if constexpr (Row::definition.options.storage || !(is_half_v<R> || ... || is_half_v<A>)) {
            apply<Row, R, R, A...>(out, n, static_cast<const A*>(in[K])...);
        } else if constexpr (std::is_same_v<R(A...), R(R)> && Row::definition.options.needs_result) {
            std::memmove(out, in[0], n * sizeof(R));  // a cast to the same type keeps the bits
        } else {
            std::tuple<Operand<A>...> operands;
            [[maybe_unused]] std::array<float, is_half_v<R> ? half_block : 1> result;
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
};

template <class Row, class R, class S, class... A> struct TypedLoop<Row, ops::Two<R, S>(A...)> {
    static constexpr bool usable = ((on_device<R> && on_device<S>) && ... && on_device<A>);
    static void run(void* const* out, const void* const* in, std::size_t n) {
        run(static_cast<R*>(out[0]), static_cast<S*>(out[1]), in, n, std::index_sequence_for<A...>{});
    }
    template <std::size_t... K> static void run(R* first, S* second, const void* const* in, std::size_t n, std::index_sequence<K...>) {
        for (std::size_t i = 0; i < n; ++i) {
            const ops::Two<Compute<R>, Compute<S>> both =
                Row::template call<ops::Two<R, S>>(static_cast<Compute<A>>(static_cast<const A*>(in[K])[i])...);
            first[i] = static_cast<R>(both.first);
            second[i] = static_cast<S>(both.second);
        }
    }
};

template <class Loop_> constexpr Loop loop_or_null() {
    if constexpr (Loop_::usable) return &Loop_::run;
    else return nullptr;
}

template <class Row, class List> struct LoopsOf;
template <class Row, class... Functions> struct LoopsOf<Row, ops::Loops<Functions...>> {
    static constexpr std::array<Loop, sizeof...(Functions)> loops{loop_or_null<TypedLoop<Row, Functions>>()...};
    static constexpr std::array<Signature, sizeof...(Functions)> signatures{ops::SignatureOf<Functions>::value...};
};

template <const auto& table> struct LoopsOfTable {
    template <std::size_t I> static constexpr RowLoops of() {
        using Row = RowOf<table, I>;
        using All = LoopsOf<Row, typename std::remove_cvref_t<decltype(Row::definition)>::loops>;
        return {Row::definition.name, All::signatures, All::loops};
    }
    template <std::size_t... I> static constexpr auto all(std::index_sequence<I...>) { return std::array<RowLoops, sizeof...(I)>{of<I>()...}; }
    static constexpr auto rows = all(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(table)>>>{});
};

}  // namespace
}  // namespace cannsim
