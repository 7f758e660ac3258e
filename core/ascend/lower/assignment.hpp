// Which memory each value of a program has, and for how long: decided once for each way in which the operands lie.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ascend/lower/contraction.hpp"
#include "ascend/lower/space.hpp"

namespace asnumpy::ascend {

std::vector<DType> dtypes_of(const Program&);  // of the values

// All that an assignment depends on besides the program: which inputs are numbers of the host, which operands an operator takes
// as they are, which inputs are the same memory as which outputs, and whether sums of products may be rounded once.
// Launches alike in this have one assignment.
class Layout {
public:
    // What is kept must be a copy: this one lies in the memory given.
    Layout(const Program&, std::span<const DType> dtypes, const Space&, std::pmr::memory_resource&);

    bool constant(std::size_t operand) const { return marks_[operand] & 1; }
    bool direct(std::size_t operand) const { return marks_[operand] & 2; }
    bool same_memory(std::size_t input, std::size_t output) const;  // both as places among the operands
    bool round_once() const { return round_once_; }
    bool operator==(const Layout&) const = default;

private:
    bool round_once_;
    std::pmr::vector<std::uint16_t> marks_;  // two bits for each operand, then pairs of an input and an output
    std::size_t operands_;
};

struct Assignment {
    enum class Place : std::uint8_t { output, temporary, number };
    struct Target {
        Place place = Place::temporary;
        std::uint16_t operand = 0;  // place output: among the operands; the value's own, or one that is written later
    };
    struct AssignedUnit {
        Unit unit;
        std::array<Target, 2> out;
        std::uint8_t spread = 0;    // a bit per input: a number that the device computed, which stands beside whole operands
        std::vector<ValueId> dead;  // temporaries that nothing reads after this unit
    };
    struct Late {
        std::uint16_t store;
        ValueId value;
    };
    std::vector<ValueId> copied;  // inputs that must first be copied: no operator takes them, or they are overwritten too early
    std::vector<AssignedUnit> units;
    std::vector<ValueId> reduced; // by reduction: what it reads
    std::vector<Late> late;       // stores that are written when all else is computed, in this order
    // The outputs (among the operands) that lie where an input lies; one at most, unless a caller gives more. Only the last
    // call of a launch writes there, for one that failed in between runs again, from the same inputs.
    std::vector<std::uint16_t> overwritten;
};

Assignment assign(const Program&, const Layout&);

}  // namespace asnumpy::ascend
