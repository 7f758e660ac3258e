// Mmad: the product of a tile of L0A and a tile of L0B, in L0C.
#pragma once

#include <cmath>

#include "ascendc/cube/panels.hpp"
#include "ascendc/cube/unit_flag.hpp"

namespace ascendc {

template <class C, class A, class B>
inline constexpr bool is_product = (std::is_same_v<C, float> && one_of<A, half, bfloat16_t, float> && std::is_same_v<A, B>) ||
                                   (std::is_same_v<C, std::int32_t> && one_of<A, std::int8_t, AscendC::int4b_t> && std::is_same_v<A, B>);

// Elements of k that the unit takes in a cycle, for 16 rows and 16 columns.
template <class T>
constexpr double depth_rate(bool hf32) {
    if constexpr (std::is_same_v<T, float>) return hf32 ? 8 : 4;
    else return block_elements<T>;
}
constexpr double product_start = 14;

// Where the sums begin: at 0, at what L0C holds, or at a row of the bias table.
enum class Beginning : std::uint8_t { zero, tile, bias };

template <class C, class A>
void product(Instruction& at, const AscendC::LocalTensor<C>& dst, const Place& left_place, const Place& right_place, const Place* bias,
             Beginning beginning, const AscendC::MmadParams& p) {
    using H = AscendC::Hardware;
    check_memory(at, dst.place(), "dst", {H::L0C});
    check_memory(at, left_place, "fm", {H::L0A});
    check_memory(at, right_place, "filter", {H::L0B});
    check_between(at, "m", p.m, 0, 4095);
    check_between(at, "n", p.n, 0, 4095);
    check_between(at, "k", p.k, 0, 4095);
    if (!p.m || !p.n || !p.k) return;
    constexpr std::uint32_t step = block_elements<A>;
    const std::uint32_t rows = (p.m + 15u) / 16, columns = (p.n + 15u) / 16;
    std::uint32_t depth_fractals = (p.k + step - 1) / step;
    if (std::is_same_v<A, float> && p.kDirectionAlign) depth_fractals = (depth_fractals + 1) / 2 * 2;

    const Place to = dst.place();
    LocalMemory& result = local_side(at, to, "dst", 1, std::uint64_t{rows} * columns * result_fractal_bytes, 0, 64);
    // One row alone is read as a vector of k elements side by side.
    const bool vector = p.m == 1;
    FractalMatrix left{nullptr, left_place.address, p.m, p.k, depth_fractals * fractal_bytes, vector ? block_bytes : fractal_bytes};
    FractalMatrix right{nullptr, right_place.address, p.n, p.k, fractal_bytes, columns * fractal_bytes};
    const std::uint64_t left_bytes = vector ? bytes_of<A>(p.k) : std::uint64_t{rows} * depth_fractals * fractal_bytes;
    left.memory = &local_side(at, left_place, "fm", 1, left_bytes, 0, fractal_bytes);
    right.memory = &local_side(at, right_place, "filter", 1, std::uint64_t{columns} * depth_fractals * fractal_bytes, 0, fractal_bytes);

    at.uses(*left.memory, left.address, static_cast<std::uint32_t>(left_bytes), false);
    at.uses(*right.memory, right.address, columns * depth_fractals * fractal_bytes, false);
    LocalMemory* table = nullptr;
    if (beginning == Beginning::bias) {
        table = &local_side(at, *bias, "bias", 1, std::uint64_t{columns} * result_lanes * 4, 0, 64);
        at.uses(*table, bias->address, columns * result_lanes * 4, false);
    }
    if (beginning == Beginning::tile) at.uses(result, to.address, rows * columns * result_fractal_bytes, false);
    at.uses(result, to.address, rows * columns * result_fractal_bytes, true);

    using N = C;
    using V = typename Lanes<N>::type;
    static thread_local std::vector<N> left_panels, right_panels;
    const Registers& registers = at.core.registers;
    const auto number = [hf32 = registers.hf32, to_zero = registers.hf32_round](N value) -> N {
        if constexpr (std::is_same_v<A, float>) return hf32 ? hf32_value(value, to_zero) : value;
        else return (void)hf32, (void)to_zero, value;
    };
    pack<A>(left, panel_rows, left_panels, number);
    pack<A>(right, result_lanes, right_panels, number);
    const std::uint32_t packed_depth = (p.k + step - 1) / step * step;
    const std::uint32_t column_bytes = rows * result_fractal_bytes, row_bytes = result_lanes * sizeof(C);
    for (std::uint32_t column = 0; column < columns; ++column) {
        V start = {};
        if (beginning == Beginning::bias) std::memcpy(&start, table->at(bias->address + column * row_bytes), sizeof(V));
        for (std::uint32_t row = 0; row < p.m; row += panel_rows) {
            const std::uint32_t count = std::min<std::uint32_t>(panel_rows, p.m - row);
            std::byte* const tile = result.at(to.address + column * column_bytes + row * row_bytes);
            V before[panel_rows], sums[panel_rows];
            for (std::uint32_t i = 0; i < panel_rows; ++i) {
                before[i] = start;
                if (beginning == Beginning::tile && i < count) std::memcpy(&before[i], tile + i * row_bytes, sizeof(V));
                if constexpr (std::is_same_v<C, float>) sums[i] = before[i];
                else sums[i] = V{};
            }
            multiply_panels<N>(left_panels.data() + std::size_t{row} * packed_depth,
                               right_panels.data() + std::size_t{column} * result_lanes * packed_depth, p.k, sums,
                               std::make_index_sequence<panel_rows>{});
            if constexpr (!std::is_same_v<C, float>)
                for (std::uint32_t i = 0; i < panel_rows; ++i)  // integers saturate
                    for (std::uint32_t lane = 0; lane < result_lanes; ++lane) {
                        const std::int64_t sum = std::int64_t{before[i][lane]} + sums[i][lane];
                        sums[i][lane] = static_cast<std::int32_t>(std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX));
                    }
            std::memcpy(tile, sums, count * sizeof(V));
        }
    }

    // What the tile's padding holds is nobody's; an element that came from one nobody wrote is as if nobody had written it.
    const bool whole = p.m % fractal_rows == 0 && p.n % result_lanes == 0;
    const bool clean = whole && beginning != Beginning::tile && !left.memory->any_unwritten(left.address, rows * depth_fractals * fractal_bytes) &&
                       !right.memory->any_unwritten(right.address, columns * depth_fractals * fractal_bytes) &&
                       (!table || !table->any_unwritten(bias->address, columns * row_bytes));
    if (clean) {
        result.set_written(to.address, rows * columns * result_fractal_bytes);
    } else {
        const std::vector<bool> rows_lost = unwritten_lines<A>(left);
        std::vector<bool> columns_lost = unwritten_lines<A>(right);
        if (table)
            for (std::uint32_t c = 0; c < p.n; ++c)
                if (table->any_unwritten(bias->address + c * 4, 4)) columns_lost[c] = true;
        const bool keeps_lost = beginning == Beginning::tile;
        const bool none = std::find(columns_lost.begin(), columns_lost.end(), true) == columns_lost.end();
        for (std::uint32_t column = 0; column < columns; ++column) {
            const std::uint32_t lanes = std::min<std::uint32_t>(result_lanes, p.n - column * result_lanes);
            for (std::uint32_t row = 0; row < rows * fractal_rows; ++row) {
                const std::uint32_t address = to.address + column * column_bytes + row * row_bytes;
                if (row >= p.m || rows_lost[row]) {
                    result.set_unwritten(address, row_bytes);
                    continue;
                }
                if (!keeps_lost) result.set_written(address, lanes * 4);
                if (lanes < result_lanes) result.set_unwritten(address + lanes * 4, row_bytes - lanes * 4);
                if (none) continue;
                for (std::uint32_t lane = 0; lane < lanes; ++lane)
                    if (columns_lost[column * result_lanes + lane]) result.set_unwritten(address + lane * 4, 4);
            }
        }
    }
    at.takes(product_start + double{1} * rows * columns * std::ceil(p.k / depth_rate<A>(registers.hf32)));
}

template <class C, class A, class B>
void mmad(const AscendC::LocalTensor<C>& dst, const AscendC::LocalTensor<A>& fm, const AscendC::LocalTensor<B>& filter, const Place* bias,
          Beginning beginning, const AscendC::MmadParams& p, Where where) {
    static_assert(is_product<C, A, B>, "Mmad takes half, bfloat16_t or float with a float result, int8_t or int4b_t with int32_t");
    const UnitRange tile{dst.place().address, (p.m + 15u) / 16, (p.n + 15u) / 16};
    const auto again = [=, bias = bias ? std::optional<Place>(*bias) : std::nullopt] {
        mmad(dst, fm, filter, bias ? &*bias : nullptr, beginning, p, where);
    };
    if (postponed_by_unit(Pipe::M, Pipe::FIX, p.unitFlag, "Mmad", again, where)) return;
    if (p.unitFlag) wait_for_drained(current(), tile, where);
    {
        Instruction at("Mmad", Pipe::M, where);
        if (p.unitFlag && p.unitFlag != 2 && p.unitFlag != 3)
            at.fail(Rule::count, "is given unitFlag ", int{p.unitFlag}, "; 0, 2 and 3 are possible");
        product<C, A>(at, dst, fm.place(), filter.place(), bias, beginning, p);
    }
    if (p.unitFlag == 3) fill_unit(current(), tile, where);
}

}  // namespace ascendc

namespace AscendC {

// dst (m x n) = fm (m x k) filter (k x n), and what was there where cmatrixInitVal is false.
template <class T, class U, class S>
void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter, const MmadParams& p,
          ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    using namespace ascendc;
    const Place table{Hardware::BIAS, 0, 1024, 1024, 0, 0};
    const Beginning beginning = p.isBias || !p.cmatrixInitVal ? (p.cmatrixSource ? Beginning::bias : Beginning::tile) : Beginning::zero;
    mmad(dst, fm, filter, &table, beginning, p, where);
}

// The sums begin at a row of n numbers in the bias table.
template <class T, class U, class S, class V>
void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter, const LocalTensor<V>& bias, const MmadParams& p,
          ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    using namespace ascendc;
    static_assert(std::is_same_v<T, V>, "Mmad takes a bias of the result's type");
    const Place place = bias.place();
    if (place.memory != Hardware::BIAS)
        current().fail(Rule::address, where, join("Mmad takes bias in ", name_of(place.memory), "; it must be in BT"));
    mmad(dst, fm, filter, &place, Beginning::bias, p, where);
}

// Floats are rounded to HF32 before they are multiplied; `toZero`: of two nearest, the one towards zero.
inline void SetHF32Mode(bool on) { ascendc::current().registers.hf32 = on; }
inline void SetHF32TransMode(bool toZero) { ascendc::current().registers.hf32_round = toZero; }
// Which way the unit goes through the tile: no effect on values.
inline void SetMMLayoutTransform(bool) {}
inline void SetMMRowMajor() {}
inline void SetMMColumnMajor() {}

}  // namespace AscendC
