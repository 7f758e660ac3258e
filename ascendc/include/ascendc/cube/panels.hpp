// Fractals of L0A and L0B as panels of floats or integers, and the loop that multiplies them.
#pragma once

#include <utility>
#include <vector>

#include "ascendc/cube/fractals.hpp"

namespace ascendc {

// 16 columns of a result's row: the compiler makes of it what the host has.
template <class T>
struct Lanes {
    typedef T type __attribute__((vector_size(result_lanes * sizeof(T))));
};

// Rows of the result that are computed at a time: as many as leave registers for a row of the right panel.
#ifdef __AVX512F__
constexpr std::uint32_t panel_rows = 8;
#else
constexpr std::uint32_t panel_rows = 4;
#endif

// HF32: a float of which 11 bits of fraction count; rounded to even, or of two nearest to the one towards zero.
constexpr float hf32_value(float value, bool ties_to_zero) {
    const std::uint32_t bits = bits_as<std::uint32_t>(value);
    if ((bits & 0x7f800000u) == 0x7f800000u) return value;
    const std::uint32_t half_unit = ties_to_zero ? 0x7ffu : 0x7ffu + (bits >> 12 & 1u);
    return bits_as<float>((bits + half_unit) & 0xfffff000u);
}

// One fractal's row of 32 bytes as numbers.
template <class T, class N>
void expand(const std::byte* row, N* numbers) {
    if constexpr (is_int4<T>) {
        for (unsigned i = 0; i < 32; ++i) {
            const auto pair = static_cast<std::int32_t>(row[i]);
            numbers[2 * i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(pair) << 28) >> 28;
            numbers[2 * i + 1] = static_cast<std::int32_t>(static_cast<std::uint32_t>(pair) << 24) >> 28;
        }
    } else {
        T values[block_elements<T>];
        std::memcpy(values, row, block_bytes);
        for (unsigned i = 0; i < block_elements<T>; ++i) numbers[i] = static_cast<N>(values[i]);
    }
}

// What Mmad reads of a matrix of L0A or L0B: `lines` rows of A or columns of B, each of them `depth` elements along k. Fractals
// hold 16 lines of 32 bytes and lie `line_step` and `depth_step` apart.
struct FractalMatrix {
    LocalMemory* memory;
    std::uint32_t address;
    std::uint32_t lines;
    std::uint32_t depth;
    std::uint32_t line_step;
    std::uint32_t depth_step;

    std::uint32_t row(std::uint32_t line, std::uint32_t depth_fractal) const {
        return address + line / fractal_rows * line_step + depth_fractal * depth_step + line % fractal_rows * block_bytes;
    }
};

// Panels of `width` lines: panel after panel, k after k, `width` numbers. Lines beyond the last are 0.
template <class T, class N, class Convert>
void pack(const FractalMatrix& matrix, std::uint32_t width, std::vector<N>& panels, Convert convert) {
    constexpr std::uint32_t step = block_elements<T>;
    const std::uint32_t depth_fractals = (matrix.depth + step - 1) / step, depth = depth_fractals * step;
    const std::uint32_t count = (matrix.lines + width - 1) / width;
    panels.resize(std::size_t{count} * width * depth);
    for (std::uint32_t panel = 0; panel < count; ++panel) {
        N* const begin = panels.data() + std::size_t{panel} * width * depth;
        for (std::uint32_t line = 0; line < width; ++line) {
            const bool beyond = panel * width + line >= matrix.lines;
            for (std::uint32_t fractal = 0; fractal < depth_fractals; ++fractal) {
                N numbers[step] = {};
                if (!beyond) {
                    expand<T>(matrix.memory->at(matrix.row(panel * width + line, fractal)), numbers);
                    for (N& number : numbers) number = convert(number);
                }
                N* const to = begin + std::size_t{fractal} * step * width + line;
                for (std::uint32_t i = 0; i < step; ++i) to[std::size_t{i} * width] = numbers[i];
            }
        }
    }
}

// sums[i] += a[k][i] b[k][lanes], over k in order.
template <class N, std::size_t... i>
void multiply_panels(const N* a, const N* b, std::uint32_t depth, typename Lanes<N>::type* sums, std::index_sequence<i...>) {
    using V = typename Lanes<N>::type;
    V sum[sizeof...(i)] = {sums[i]...};
    for (std::uint32_t k = 0; k < depth; ++k, a += sizeof...(i), b += result_lanes) {
        V right;
        __builtin_memcpy(&right, b, sizeof(V));
        ((sum[i] += a[i] * right), ...);
    }
    ((sums[i] = sum[i]), ...);
}

// Bit by bit along the lines: whether one of a line's first `depth` elements was never written.
template <class T>
std::vector<bool> unwritten_lines(const FractalMatrix& matrix) {
    std::vector<bool> found(matrix.lines);
    constexpr std::uint32_t step = block_elements<T>;
    for (std::uint32_t line = 0; line < matrix.lines; ++line)
        for (std::uint32_t k = 0; k < matrix.depth; k += step)
            if (matrix.memory->any_unwritten(matrix.row(line, k / step),
                                             static_cast<std::uint32_t>(bytes_of<T>(std::min(step, matrix.depth - k)))))
                found[line] = true;
    return found;
}

}  // namespace ascendc
