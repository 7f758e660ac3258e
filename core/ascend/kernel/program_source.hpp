// From a fused program to the text of one kernel that computes all of it, tile by tile, in the cores' own memory.
//
// The text depends on the program and on how each operand reaches along the inner axis, never on sizes, addresses or numbers: these are the
// launch's arguments. What the text begins with, program.asc, says how a space is cut into tiles.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "program/program.hpp"

namespace asnumpy::ascend {

enum class Reach : std::uint8_t {
    constant,  // a number of the host
    single,    // one element on the device for the whole space
    column,    // one element for each line
    line,      // elements side by side
};

// What a program leaves behind: its stores, then what its reductions read. Whoever launches folds the latter.
std::vector<ValueId> results_of(const Program&);

struct ProgramSource {
    std::string name;     // of the kernel
    std::string text;
    std::uint32_t tile;   // elements of a tile on a core, at most
};

// The parameters are, in this order, for each input and then each result: its bits (constant), its address (single), or its address
// and its bytes to the next index of each of the three outer axes (column, line; results are lines); then the space's inner length, the
// three outer ones, the most columns and lines of a tile, and its pitch. All are eight bytes.
// Nothing where a row or a dtype has no instructions, or where too many values live at a time.
std::optional<ProgramSource> source_of(const Program&, std::span<const Reach> inputs);

// The bits that stand for a constant among the parameters.
std::uint64_t parameter_of(DType, const char* bytes);

}  // namespace asnumpy::ascend
