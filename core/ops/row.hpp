// What an operation is to everything above: its row. The tables in this folder define rows; registry.cpp lists them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/dtype.hpp"

namespace asnumpy {

enum class RowKind : std::uint8_t {
    elementwise,  // one output element per element of the iteration space; fusable
    structured,   // anything else: matmul, scan, take, ...; runs by itself
};

struct Signature {
    std::uint8_t nin = 0, nout = 0;
    std::array<DType, 3> in{};
    std::array<DType, 2> out{};
    bool operator==(const Signature&) const = default;
};

using RowId = std::uint16_t;

// What is known of a row's results bit by bit, so that a device may compute them with another dtype.
enum class Bits : std::uint8_t {
    values,  // nothing: the dtype decides
    wraps,   // an integer's result has the same bits whether the operands count as signed or unsigned: sums, products, equality
    moves,   // elements are moved or chosen: integers of their width serve for any dtype
};

struct Row {
    std::string_view name;     // NumPy's name of the function
    RowKind kind;
    std::uint8_t nin, nout;
    std::string_view symbol;   // how explain() writes it: "+"; empty: the name
    bool reducible;            // associative and commutative: may be a program's reduction
    Bits bits;
    bool low_bits;             // of integers: computed in a wider integer dtype, the low bits are the result
    bool stored_halves;        // the 16-bit floats are not computed as float32: their bits count
    std::span<const Signature> loops;  // in NumPy's order of preference
};

// The rows in order of their id. Ids are stable within a process, names across versions.
std::span<const Row> rows();
const Row& row(RowId);
RowId find_row(std::string_view name);                 // ValueError when there is none
int find_loop(RowId, const Signature&);                // -1 when there is none
// The loop of row "cast" from one dtype to another; equal dtypes copy. -1 when there is none: a narrow dtype has loops
// from and to its wide one only.
int cast_loop(DType from, DType to);
DType cast_step(DType from, DType to);  // the next dtype on the way, which is `to` when there is a loop
// A value e with op(e, x) == x for all x of the dtype, for reducible rows (maximum of float32: -inf).
Scalar neutral(RowId, DType);
// Whether a reduction begins with the neutral value because that is not quite neutral: the sum of -0.0 alone is 0.0, and a
// complex product by 1 has other zeros and NaN.
bool begins_with_identity(RowId, DType);

}  // namespace asnumpy
