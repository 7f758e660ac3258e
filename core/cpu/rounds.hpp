// Short launches that come in rounds: every round has the same programs over operands that lie alike; where they lie, how long they are and how far
// apart their elements are is another matter in each. One function in machine code runs all rounds, and what lies between launches is no more
// than a loop.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/kernels.hpp"
#include "program/program.hpp"

namespace asnumpy::cpu {

// How an operand goes on along an axis.
enum class Stride : std::uint8_t {
    same,  // the same element again
    next,  // the element beside it
    some,  // one so many bytes away
};

// Two matrices, and a third one that is their product, or to which it is added.
struct MatrixProduct {
    DType dtype;
    bool adds;
    bool operator==(const MatrixProduct&) const = default;
};

// What rounds have in common, which is the key of their code.
struct Round {
    static constexpr int most_axes = 3;
    using Strides = std::array<Stride, most_axes>;

    struct Part {
        std::optional<Program> program;        // or
        std::optional<MatrixProduct> product;  // neither: somebody else runs it
        int axes = 0;                          // the loops around an element, outermost first
        std::vector<Strides> strides;          // by operand: inputs, then stores, then a reduction's result; matrices: all `some`
        bool is_others() const { return !program && !product; }
        bool operator==(const Part&) const = default;
    };
    std::vector<Part> parts;
    // By number, in the order in which each_number() gives them: the column of the table that is added to it in each round, or -1.
    std::vector<std::int32_t> columns;

    std::size_t hash() const;
    bool operator==(const Round&) const = default;
};

// What the numbers of a part are: the lengths of its axes (a product's: rows, columns, and what is summed), then for each operand its base, its offset
// from there and each stride that is `some`.
enum class Number : std::uint8_t { length, base, offset, stride };
template <class F> void each_number(const Round::Part& part, F&& f) {
    const int axes = part.product ? 2 : part.axes, lengths = part.product ? 3 : part.axes;
    for (int axis = 0; axis < lengths; ++axis) f(Number::length, std::size_t{0}, axis);
    for (std::size_t k = 0; k < part.strides.size(); ++k) {
        f(Number::base, k, 0);
        f(Number::offset, k, 0);
        for (int axis = 0; axis < axes; ++axis)
            if (part.strides[k][static_cast<std::size_t>(axis)] == Stride::some) f(Number::stride, k, axis);
    }
}

// Steps of single elements that are not plain: their loops are called, of all parts in order, each loop once.
std::vector<Loop> called_loops(const Round&);
bool is_called(const Step&);

// Products: of as many rows, columns and sums as the first three numbers say, the others are the matrices' strides in bytes.
using RunProduct = void (*)(char* a, char* b, char* c, const std::int64_t* numbers);
RunProduct product_of(const MatrixProduct&);            // structured_matmul.cpp; null where there is none
std::vector<RunProduct> called_products(const Round&);  // of all parts in order, each once
inline constexpr std::int64_t most_multiplications = 65536;  // a larger product may be for several threads

// Runs parts that are somebody else's: `part` counts from the first part of the first round.
using OtherPart = void (*)(void* context, std::size_t part);
// A number of a round is that of `numbers`, and what its column of the round's row of the table adds to it. Operands are aligned to their dtypes.
using RunRounds = void (*)(const std::int64_t* numbers, const std::int64_t* table, std::size_t rounds, char* const* bases, const Loop* called, const RunProduct* products,
                           OtherPart other, void* context);

// Whether a round may have this program, over one element or several. Where it reduces, that is over its only axis, of at most so many elements: as
// many are always folded as one line.
inline constexpr std::int64_t longest_folded = 512;
bool may_be_in_round(const Program&, bool single);
bool is_common(DType);  // in_strands
DType dtype_of(const Program&, std::size_t operand);  // of a round: inputs, then stores, then a reduction's result
// Whether a function computes what the steps of the programs do, to the bit but for which NaN it is.
bool computes_round(const Round&, RunRounds);

}  // namespace asnumpy::cpu
