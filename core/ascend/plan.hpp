// Which memory each value of a program has, and for how long: decided once for each way in which the operands lie.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ascend/space.hpp"

namespace asnumpy::ascend {

// What follows from the program alone.
struct Lifetimes {
    explicit Lifetimes(const Program&);

    std::vector<DType> dtypes;   // of the values
    std::vector<int> last_read;  // by value: the last step that reads it; after the steps: a reduction, then a store
    std::vector<int> defined;    // by value: its step, -1 for inputs
    std::vector<int> store_of;   // by value: the store for which it is computed in place, or -1
    int end = 0;                 // the number of steps
};

// All that a plan depends on besides the program: which inputs are numbers of the host, which operands an operator takes
// as they are, and which inputs are the same memory as which outputs. Launches alike in this have one plan.
class Layout {
public:
    Layout(const Program&, const Lifetimes&, const Space&);

    bool constant(std::size_t operand) const { return marks_[operand] & 1; }
    bool direct(std::size_t operand) const { return marks_[operand] & 2; }
    bool same_memory(std::size_t input, std::size_t output) const;  // both as places among the operands
    bool operator==(const Layout&) const = default;

private:
    std::vector<std::uint16_t> marks_;  // two bits for each operand, then pairs of an input and an output
    std::size_t operands_;
};

struct Plan {
    enum class Place : std::uint8_t { output, temporary, number };
    struct Target {
        Place place = Place::temporary;
        std::uint16_t operand = 0;  // place output: among the operands; the value's own, or one that is written later
    };
    struct StepPlan {
        std::array<Target, 2> out;
        std::uint8_t spread = 0;    // a bit per input: a number that the device computed, which stands beside whole operands
        std::vector<ValueId> dead;  // temporaries that nothing reads after this step
    };
    struct Late {
        std::uint16_t store;
        ValueId value;
    };
    std::vector<ValueId> copied;  // inputs that must first be copied: no operator takes them, or they are overwritten too early
    std::vector<StepPlan> steps;
    std::vector<Late> late;       // stores that are written when all else is computed, in this order
};

Plan make_plan(const Program&, const Lifetimes&, const Layout&);

}  // namespace asnumpy::ascend
