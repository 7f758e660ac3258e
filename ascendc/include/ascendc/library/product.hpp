// C = A B + bias of one core's block, from wherever its operands lie to wherever its result goes.
#pragma once

#include <vector>

#include "ascendc/cube/panels.hpp"
#include "ascendc/cube/quantise.hpp"
#include "ascendc/library/matmul_types.hpp"
#include "ascendc/move/transfer.hpp"

namespace ascendc {

// An operand: its first byte in global memory, or a piece of a local one.
struct MatrixPlace {
    std::uintptr_t global = 0;
    Place local;
    bool is_local = false;
    bool is_scalar = false;
    double scalar = 0;
};

// What of it is meant: rows and columns, the pitch of a row in elements, or fractals of 16 rows.
struct MatrixView {
    std::uint32_t rows = 0, columns = 0, pitch = 0;
    std::uint32_t padded_rows = 0;  // of fractals
    bool fractals = false;
    bool transposed = false;        // stored as (columns, rows)

    std::uint64_t at(std::uint32_t row, std::uint32_t column, std::uint32_t c0) const {
        const std::uint32_t r = transposed ? column : row, c = transposed ? row : column;
        if (fractals) return std::uint64_t{c / c0} * padded_rows * c0 + std::uint64_t{r} * c0 + c % c0;
        return std::uint64_t{r} * pitch + c;
    }
    std::uint32_t stored_rows() const { return transposed ? columns : rows; }
    std::uint32_t stored_columns() const { return transposed ? rows : columns; }
};

// The sums: floats for floating types, integers for integers.
template <class T>
using Sums = std::conditional_t<std::is_integral_v<T> || is_int4<T>, std::int32_t, float>;

template <class T>
Sums<T> element(const std::byte* bytes, std::uint64_t i) {
    if constexpr (is_int4<T>) {
        const auto pair = static_cast<std::uint32_t>(bytes[i / 2]);
        return static_cast<std::int32_t>(i % 2 ? pair << 24 : pair << 28) >> 28;
    } else {
        T value;
        std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
        return static_cast<Sums<T>>(value);
    }
}

// The bytes of an operand from its first to the last that the view reaches, checked and booked as read.
template <class T>
const std::byte* matrix_bytes(Instruction& at, const MatrixPlace& place, const MatrixView& view, const char* name, bool write) {
    const std::uint32_t c0 = block_elements<T>;
    const std::uint32_t rows = view.stored_rows(), columns = view.stored_columns();
    if (!rows || !columns) return nullptr;
    if (place.is_local) {
        const std::uint64_t last = view.fractals ? std::uint64_t{(columns - 1) / c0} * view.padded_rows * c0 + std::uint64_t{rows} * c0
                                                 : std::uint64_t{rows - 1} * view.pitch + columns;
        LocalMemory& memory = local_side(at, place.local, name, 1, bytes_of<T>(last), 0);
        at.uses(memory, place.local.address, static_cast<std::uint32_t>(bytes_of<T>(last)), write);
        if (!write && memory.any_unwritten(place.local.address, static_cast<std::uint32_t>(bytes_of<T>(last))) && !view.fractals)
            at.fail(Rule::uninitialised, "reads ", name, " of ", name_of(memory.kind()), ", a part of which nobody wrote");
        return memory.at(place.local.address);
    }
    const GlobalRange range = view.fractals
        ? GlobalRange{place.global, bytes_of<T>(std::uint64_t{rows} * c0), (columns + c0 - 1) / c0, bytes_of<T>(std::uint64_t{view.padded_rows} * c0)}
        : GlobalRange{place.global, bytes_of<T>(columns), rows, bytes_of<T>(view.pitch)};
    return at.uses_global(range, write, write && at.core.registers.atomic != Atomic::none);
}

// sums (rows x columns) += A (rows x depth) B (depth x columns), over k in order.
template <class A, class B>
void multiply(Instruction& at, const MatrixPlace& a, const MatrixView& a_view, const MatrixPlace& b, const MatrixView& b_view,
              std::vector<Sums<A>>& sums) {
    using N = Sums<A>;
    using V = typename Lanes<N>::type;
    const std::uint32_t m = a_view.rows, depth = a_view.columns, n = b_view.columns;
    const std::byte* const left = a.is_scalar ? nullptr : matrix_bytes<A>(at, a, a_view, "A", false);
    const std::byte* const right = b.is_scalar ? nullptr : matrix_bytes<B>(at, b, b_view, "B", false);
    const Registers& registers = at.core.registers;
    const bool hf32 = std::is_same_v<A, float> && registers.hf32;
    const auto number = [&](N value) {
        if constexpr (std::is_same_v<A, float>) return hf32 ? hf32_value(value, registers.hf32_round) : value;
        else return value;
    };
    const std::uint32_t n_panels = (n + result_lanes - 1) / result_lanes;
    std::vector<N> b_panels(std::size_t{n_panels} * depth * result_lanes), a_panel(std::size_t{depth} * panel_rows);
    for (std::uint32_t k = 0; k < depth; ++k)
        for (std::uint32_t j = 0; j < n; ++j)
            b_panels[(std::size_t{j / result_lanes} * depth + k) * result_lanes + j % result_lanes] =
                number(right ? element<B>(right, b_view.at(k, j, block_elements<B>)) : static_cast<N>(b.scalar));
    for (std::uint32_t first = 0; first < m; first += panel_rows) {
        const std::uint32_t rows = std::min(panel_rows, m - first);
        for (std::uint32_t k = 0; k < depth; ++k)
            for (std::uint32_t i = 0; i < panel_rows; ++i)
                a_panel[std::size_t{k} * panel_rows + i] =
                    i >= rows ? N(0)
                              : number(left ? element<A>(left, a_view.at(first + i, k, block_elements<A>)) : static_cast<N>(a.scalar));
        for (std::uint32_t panel = 0; panel < n_panels; ++panel) {
            V partial[panel_rows] = {};
            multiply_panels(a_panel.data(), b_panels.data() + std::size_t{panel} * depth * result_lanes, depth, partial,
                            std::make_index_sequence<panel_rows>());
            for (std::uint32_t i = 0; i < rows; ++i)
                for (std::uint32_t j = panel * result_lanes; j < std::min(n, (panel + 1) * result_lanes); ++j)
                    sums[std::size_t{first + i} * n + j] += partial[i][j % result_lanes];
        }
    }
}

// The sums, narrowed to C's type, at their place.
template <class C, class N>
void store_result(Instruction& at, const MatrixPlace& c, const MatrixView& view, const std::vector<N>& sums, const Quantiser* quantiser) {
    const std::uint32_t c0 = block_elements<C>;
    std::byte* const bytes = const_cast<std::byte*>(matrix_bytes<C>(at, c, view, "C", true));
    if (!bytes) return;
    std::vector<C> row(view.columns);
    const Quantiser plain;
    for (std::uint32_t i = 0; i < view.rows; ++i) {
        for (std::uint32_t j = 0; j < view.columns; ++j)
            row[j] = quantised<C>(sums[std::size_t{i} * view.columns + j], quantiser ? *quantiser : plain, at.core.registers.keeps_infinity, false);
        if (view.fractals) {
            for (std::uint32_t j = 0; j < view.columns; ++j) std::memcpy(bytes + view.at(i, j, c0) * sizeof(C), &row[j], sizeof(C));
        } else if (c.is_local) {
            std::memcpy(bytes + std::uint64_t{i} * view.pitch * sizeof(C), row.data(), view.columns * sizeof(C));
        } else {
            store(at, bytes + std::uint64_t{i} * view.pitch * sizeof(C), reinterpret_cast<const std::byte*>(row.data()), view.columns * sizeof(C));
        }
        if (c.is_local && !view.fractals)
            at.core.memory(c.local.memory)
                .set_written(c.local.address + static_cast<std::uint32_t>(std::uint64_t{i} * view.pitch * sizeof(C)),
                             static_cast<std::uint32_t>(view.columns * sizeof(C)));
    }
    if (c.is_local && view.fractals)
        at.core.memory(c.local.memory)
            .set_written(c.local.address,
                         static_cast<std::uint32_t>(std::uint64_t{(view.columns + c0 - 1) / c0} * view.padded_rows * c0 * sizeof(C)));
}

}  // namespace ascendc
