// The inner loops of argmax and argmin. Included once per instruction set; all in an unnamed namespace.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "cpu/structured_kernels.hpp"
#include "cpu/structured_vector_unit.hpp"

namespace asnumpy::cpu {
namespace {

template <std::size_t bytes> struct SignedOf;
template <> struct SignedOf<1> { using type = std::int8_t; };
template <> struct SignedOf<2> { using type = std::int16_t; };
template <> struct SignedOf<4> { using type = std::int32_t; };
template <> struct SignedOf<8> { using type = std::int64_t; };
template <class T> using SameWidth = typename SignedOf<sizeof(T)>::type;

template <class T> bool is_nan(T x) { return x != x; }
template <bool smallest, class T> bool better(T x, T best) { return smallest ? x < best : x > best; }

// The first of [data, end) that `is` the one looked for, which exists: a chunk at a time without a branch inside.
template <class T, class Is> const T* first_that(const T* data, const T* end, Is is) {
    constexpr std::int64_t chunk = 256 / static_cast<std::int64_t>(sizeof(T));
    for (; end - data >= chunk; data += chunk) {
        SameWidth<T> any = 0;
        for (std::int64_t i = 0; i < chunk; ++i) any |= is(data[i]) ? SameWidth<T>{1} : SameWidth<T>{0};
        if (any) break;
    }
    while (!is(*data)) ++data;
    return data;
}

// Keeps the best value in independent lanes; only a block that holds a better one, or a NaN, is looked at again.
template <class T, bool smallest> std::int64_t arg_row(const T* data, std::int64_t n) {
    using V = typename Vector<T>::type;
    constexpr int chains = 4;
    constexpr std::int64_t lanes = Vector<T>::lanes, step = chains * lanes, block = 16 * step;
    T best = data[0];
    std::int64_t best_block = 0;
    if (is_nan(best)) return 0;
    if (n < step) {
        for (std::int64_t i = 1; i < n; ++i) {
            if (!better<smallest>(data[i], best) && !is_nan(data[i])) continue;
            best = data[i];
            best_block = i;
            if (is_nan(best)) break;
        }
        return best_block;
    }
    for (std::int64_t start = 0; start < n; start += block) {
        const std::int64_t end = std::min(start + block, n);
        V value[chains];
        typename Vector<SameWidth<T>>::type nan[chains] = {}, none = {};
        for (V& v : value) v = best - V{};
        for (std::int64_t i = start; i < end; i += step) {
            const T* const from = data + std::min(i, n - step);  // the last step reads some elements again
#pragma GCC unroll 4
            for (int c = 0; c < chains; ++c) {
                V x;
                load_vector(x, from + c * lanes);
                if constexpr (smallest) value[c] = x < value[c] ? x : value[c];
                else value[c] = x > value[c] ? x : value[c];
                if constexpr (std::is_floating_point_v<T>) nan[c] |= x != x;
            }
        }
        const V floor = best - V{};
        auto found = none;
        for (int c = 0; c < chains; ++c) {
            nan[0] |= nan[c];
            found |= value[c] != floor;
        }
        if constexpr (std::is_floating_point_v<T>) {
            if (std::memcmp(&nan[0], &none, sizeof none) != 0) return first_that(data + start, data + n, is_nan<T>) - data;
        }
        if (std::memcmp(&found, &none, sizeof none) == 0) continue;
        for (int c = 0; c < chains; ++c)
            for (int l = 0; l < lanes; ++l) best = better<smallest>(T(value[c][l]), best) ? T(value[c][l]) : best;
        best_block = start;
    }
    return first_that(data + best_block, data + n, [best](T x) { return x == best; }) - data;
}

template <class T> std::int64_t arg_row_kernel(const void* data, std::int64_t n, bool smallest) {
    const T* typed = static_cast<const T*>(data);
    return smallest ? arg_row<T, true>(typed, n) : arg_row<T, false>(typed, n);
}

// Keeps the best of every column and the row where it was; positions have the items' width, so that both fill vectors.
template <class T, bool smallest> void arg_columns_typed(const char* data, std::int64_t n, std::int64_t stride, std::int64_t columns, std::int64_t* out) {
    using Row = SameWidth<T>;
    constexpr std::int64_t chunk = sizeof(T) >= 4 ? std::int64_t{1} << 30 : sizeof(T) == 2 ? 32767 : 127;
    T best[arg_columns];
    Row at[arg_columns];
    std::copy_n(reinterpret_cast<const T*>(data), columns, best);
    std::fill_n(out, columns, 0);
    for (std::int64_t first = 0; first < n; first += chunk) {
        const std::int64_t rows = std::min(chunk, n - first);
        std::fill_n(at, columns, Row{-1});
        for (std::int64_t r = 0; r < rows; ++r) {
            const T* row = reinterpret_cast<const T*>(data + (first + r) * stride);
            const Row here = static_cast<Row>(r);
#pragma omp simd
            for (std::int64_t c = 0; c < columns; ++c) {
                const T x = row[c], b = best[c];
                // A NaN wins over all but an earlier NaN.
                const bool wins = better<smallest>(x, b) | (is_nan(x) & !is_nan(b));
                best[c] = wins ? x : b;
                at[c] = wins ? here : at[c];
            }
        }
        for (std::int64_t c = 0; c < columns; ++c)
            if (at[c] >= 0) out[c] = first + at[c];
    }
}

template <class T> void arg_columns_kernel(const char* data, std::int64_t n, std::int64_t stride, std::int64_t columns, bool smallest, std::int64_t* out) {
    if (smallest) arg_columns_typed<T, true>(data, n, stride, columns, out);
    else arg_columns_typed<T, false>(data, n, stride, columns, out);
}

template <class T> constexpr bool arg_typed = !is_narrow_v<T>;
template <> constexpr bool arg_typed<float16> = false;
template <> constexpr bool arg_typed<bfloat16> = false;
template <> constexpr bool arg_typed<long double> = false;
template <class T> constexpr bool arg_typed<std::complex<T>> = false;

template <class T> constexpr ArgRow arg_row_of = nullptr;
template <class T> requires arg_typed<T> constexpr ArgRow arg_row_of<T> = arg_row_kernel<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>>;
template <class T> constexpr ArgColumns arg_columns_of = nullptr;
template <class T> requires arg_typed<T> constexpr ArgColumns arg_columns_of<T> = arg_columns_kernel<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>>;

template <std::size_t... i> constexpr std::array<ArgRow, dtype_count> arg_rows(std::index_sequence<i...>) {
    return {arg_row_of<type_of_t<static_cast<DType>(i)>>...};
}
template <std::size_t... i> constexpr std::array<ArgColumns, dtype_count> arg_column_list(std::index_sequence<i...>) {
    return {arg_columns_of<type_of_t<static_cast<DType>(i)>>...};
}

constexpr auto arg_row_kernels = arg_rows(std::make_index_sequence<dtype_count>{});
constexpr auto arg_column_kernels = arg_column_list(std::make_index_sequence<dtype_count>{});

}  // namespace
}  // namespace asnumpy::cpu
