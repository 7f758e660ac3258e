// The instruction sets for which the rows are compiled.
#pragma once

#include <span>

#include "aclnn/rows.hpp"

namespace cannsim {

struct InstructionSet {
    bool (*supported)();
    std::span<const RowTable* const> tables;
};
std::span<const InstructionSet> instruction_sets();  // best first; the last runs everywhere

}  // namespace cannsim
