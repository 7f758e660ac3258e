// The inner loops of the structured operations that need vector instructions, compiled once per instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/dtype.hpp"

namespace asnumpy::cpu {

// acc[i][j] = sum over p of a[p][i] * b[p][j], for packed panels a (k, rows) and b (k, columns); bool: or of ands.
struct GemmKernel {
    int rows = 0, columns = 0;
    void (*run)(std::int64_t k, const void* a, const void* b, void* acc) = nullptr;
};

// The types that gemm computes in; others are converted while they are packed.
enum class GemmType : std::uint8_t { boolean, u16, u32, u64, f32, f64 };

// Position of the first largest (or smallest, by `smallest`) of n >= 1 contiguous elements, a NaN being the largest and
// the smallest of all.
using ArgRow = std::int64_t (*)(const void* data, std::int64_t n, bool smallest);
// The same for each of `columns` neighbours over n >= 1 rows, `stride` bytes apart; at most arg_columns columns.
using ArgColumns = void (*)(const char* data, std::int64_t n, std::int64_t stride, std::int64_t columns, bool smallest, std::int64_t* out);
inline constexpr std::int64_t arg_columns = 512;

// Writes the elements whose mask byte is not 0 one after another, at most `count` of them. Returns how many: fewer where
// somebody has changed the mask since they were counted.
using Compress = std::int64_t (*)(const void* data, const std::uint8_t* mask, std::int64_t n, std::int64_t count, void* out);
// The other way: elements that lie one after another go to where the mask byte is not 0, at most `count` of them. Returns how many.
using Expand = std::int64_t (*)(const void* data, const std::uint8_t* mask, std::int64_t n, std::int64_t count, void* out);
// Writes first + i for each mask byte i that is not 0, in the same way.
using Positions = std::int64_t (*)(const std::uint8_t* mask, std::int64_t n, std::int64_t count, std::int64_t first, std::int64_t* out);

// How many numbers there are, their mean as a sum of two, and the sum of the squares of their differences from it.
struct Moments {
    double count = 0, mean = 0, rest = 0, squares = 0;
};
// Of n >= 1 contiguous numbers, at most a tile of them.
using Spread = void (*)(const void* data, std::int64_t n, Moments& out);
inline constexpr std::int64_t spread_tile_bytes = 16 * 1024;

// Writes n elements one after another that lie so many elements apart; nothing overlaps.
using GatherApart = void (*)(void* to, const void* from, std::int64_t n);
inline constexpr std::array<std::int64_t, 4> gaps{2, 3, 4, -1};

struct StructuredKernels {
    std::array<GemmKernel, 6> gemm;                // by GemmType
    std::array<ArgRow, dtype_count> arg_row;       // real dtypes up to float64 without the halves; others null
    std::array<ArgColumns, dtype_count> arg_columns;
    std::array<Compress, 5> compress;              // items of 1, 2, 4, 8 and 16 bytes
    std::array<Expand, 5> expand;
    Positions positions = nullptr;
    std::int64_t (*count_true)(const std::uint8_t* mask, std::int64_t n) = nullptr;
    // Whether all of n contiguous values lie in [low, high).
    bool (*within)(const std::int64_t* values, std::int64_t n, std::int64_t low, std::int64_t high) = nullptr;
    // Adds the length to each of n contiguous entries that is negative; whether all lie in [0, length) then.
    bool (*places)(std::int64_t* entries, std::int64_t n, std::int64_t length) = nullptr;
    std::array<Spread, 2> spread;                  // float32, float64
    std::array<std::array<GatherApart, gaps.size()>, 4> gather;  // items of 1, 2, 4 and 8 bytes, by how far they are apart
};

const StructuredKernels& structured_kernels();  // of instruction_set()

}  // namespace asnumpy::cpu
