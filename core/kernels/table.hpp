// What one compilation of one table hands to the chooser: the loops of its rows, in the order of their signatures.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "kernels/kernels.hpp"

namespace asnumpy::cpu {

struct RowKernels {
    std::string_view row;
    std::span<const Loop> loops;
    std::span<const StridedLoop> strided;  // null entries where there is none
    std::span<const Fold> folds;           // likewise
    std::span<const bool> plain;  // see is_plain of kernels.hpp
};

struct PairKernel {
    std::string_view inner, outer;
    bool right;  // the inner's result is the outer's second operand
    DType dtype; // of all operands and results
    Loop loop;   // of the inner's operands and the outer's other one; null where there is none
    Loop fold;      // null where the outer does not reduce
};

struct KernelTable {
    std::string_view name;  // of the table in its folder
    std::span<const RowKernels> rows;
    std::span<const PairKernel> pairs;
};

struct InstructionSet {
    std::string_view name;
    bool (*supported)();
    std::span<const KernelTable* const> tables;
    std::string_view options;  // with which the compiler made them, separated by spaces
};

// Those that this build has, best first. Written by the build from its list of tables and sets.
std::span<const InstructionSet> instruction_sets();
// The best that this processor runs, or the one that is wanted by its name ("": none). ValueError where that does not run,
// RuntimeFailure where none does.
const InstructionSet& choose(std::span<const InstructionSet>, std::string_view wanted);

}  // namespace asnumpy::cpu
