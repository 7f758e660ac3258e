// The loops of random draws, compiled once per instruction set; their results are the same on each, to the bit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ops/philox.hpp"
#include "ops/random.hpp"

namespace asnumpy::cpu {

// Some neighbouring elements of a draw.
struct DrawTile {
    const std::uint64_t* words;              // of the first element, the next one's follow
    Stream at;                               // where they stand in the stream
    std::size_t count;
    std::array<const void*, 3> parameters;   // one value each, or `count` values each
    bool varying;
    void* out;                               // of the row's result type
};

struct RandomKernels {
    // The words from `first` on, a multiple of words_of_group, for so many groups.
    void (*fill)(const Stream& first, std::uint64_t* out, std::size_t groups);
    std::array<void (*)(const DrawTile&), random_rows.size()> draws;  // in the order of random_rows
    void (*choice)(const Stream& at, std::uint64_t population, std::size_t count, std::int64_t* out);
    void (*multinomial)(const Stream& at, std::int64_t trials, const double* probabilities, std::size_t count, std::int64_t* out);
    void (*multivariate_hypergeometric)(const Stream& at, const std::int64_t* kinds, std::int64_t sample, std::size_t count, std::int64_t* out);
};

const RandomKernels& random_kernels();  // of instruction_set()

}  // namespace asnumpy::cpu
