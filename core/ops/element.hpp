// A row applied to element i of arrays: what every typed loop over a table of rows begins with, in the core and in the simulator.
// In unnamed namespaces, as in definition.hpp: the loops are compiled for several instruction sets.
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "ops/definition.hpp"
#include "ops/floating.hpp"

namespace asnumpy::ops {
namespace {

// The type in which values of a 16-bit float are computed.
template <class T> using Compute = std::conditional_t<is_half_v<T>, float, T>;

// Row number I of a table: what does not depend on the types.
template <const auto& table, std::size_t I> struct RowOf {
    static constexpr const auto& definition = std::get<I>(table);
    using Apply = std::remove_cvref_t<decltype(definition.apply)>;

    template <class R, class... A> static constexpr decltype(auto) call(A... values) {
        if constexpr (definition.options.needs_result) return definition.apply(Result<R>{}, values...);
        else return definition.apply(values...);
    }
};

// The number of the row of that name.
template <const auto& table> consteval std::size_t position(std::string_view name) {
    std::size_t at = 0, found = std::tuple_size_v<std::remove_cvref_t<decltype(table)>>;
    std::apply([&](const auto&... rows) { ((rows.name == name ? found = at++ : at++), ...); }, table);
    return found;
}

// Elements in the form that compilers vectorise: a bool as the comparison of a byte, a complex number by its parts.
template <class T> T load(const T* in, std::size_t i) {
    if constexpr (std::is_same_v<T, bool>) {
        return reinterpret_cast<const unsigned char*>(in)[i] != 0;
    } else if constexpr (is_complex_v<T>) {
        const auto* const parts = reinterpret_cast<const typename T::value_type*>(in);
        return {parts[2 * i], parts[2 * i + 1]};
    } else {
        return in[i];
    }
}
template <class T> void store(T* out, std::size_t i, T value) {
    if constexpr (is_complex_v<T>) {
        auto* const parts = reinterpret_cast<typename T::value_type*>(out);
        parts[2 * i] = value.real();
        parts[2 * i + 1] = value.imag();
    } else {
        out[i] = value;
    }
}

// The body of a loop is one call: a local of class type in the loop itself would keep it from being vectorised.
template <class Row, class R, class C, class... A> void apply_one(C* out, std::size_t i, const A*... in) {
    store(out, i, static_cast<C>(Row::template call<R>(load(in, i)...)));
}

// Rows with a fast path for operands of the usual size take it block by block; the result of a block is put down last, since
// it may replace an operand.
template <class Row, class C> constexpr bool has_fast_path() {
    if constexpr (requires { typename Row::Apply::fast_path; } && std::is_floating_point_v<C>) return Row::Apply::fast_path::template available<C>();
    else return false;
}
// The path that is right for the most operands.
template <class Fast> struct WidestPath {
    using type = Fast;
};
template <class Fast>
    requires requires { typename Fast::Wider; }
struct WidestPath<Fast> {
    using type = typename Fast::Wider;
};
// Whether the way of `Fast` is right for the whole block.
template <class Fast, class C, class... A> bool fill_fast(C* result, std::size_t n, const A*... in) {
    using Word = std::conditional_t<sizeof(C) == 4, std::uint32_t, std::uint64_t>;  // as wide as the operands: no lane is moved
    Word usual = 1;
#pragma omp simd reduction(& : usual)
    for (std::size_t i = 0; i < n; ++i) {
        usual &= Fast::applies(in[i]...) ? Word{1} : Word{0};
        result[i] = Fast::fast(in[i]...);
    }
    return usual != 0;
}
template <class Row, class C, class... A> void apply_fast(C* out, std::size_t n, const A*... in) {
    using Fast = typename Row::Apply::fast_path;
    using Widest = typename WidestPath<Fast>::type;
    constexpr std::size_t block = 256;
    alignas(64) std::array<C, block> result;
    bool wider = false;  // numbers of the size of one that needs the second path tend to follow it
    for (std::size_t start = 0; start < n; start += block) {
        const std::size_t m = std::min(block, n - start);
        bool filled = !wider && fill_fast<Fast>(result.data(), m, in + start...);
        if constexpr (!std::is_same_v<Fast, Widest>) {
            if (!filled) {
                wider = true;
                filled = fill_fast<Widest>(result.data(), m, in + start...);
            }
        }
        if (!filled)
            for (std::size_t i = 0; i < m; ++i)
                if (!Widest::applies(in[start + i]...)) result[i] = Fast::call(in[start + i]...);
        std::memcpy(out + start, result.data(), m * sizeof(C));
    }
}

}  // namespace
}  // namespace asnumpy::ops
