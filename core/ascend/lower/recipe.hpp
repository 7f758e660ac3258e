// A recipe: the operator calls that compute one row for one choice of dtypes, whatever the shapes and values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ascend/launch/emitter.hpp"

namespace asnumpy::ascend {

const OperatorFacts* facts_of(std::string_view op);  // null: CANN has no operator of that name

// A number computed from another on the host, in the dtype given.
using Compute = Scalar (*)(const Scalar&, DType);
Scalar cast_number(const Scalar&, DType);         // as the row "cast"; not for narrow dtypes
Scalar reinterpret_number(const Scalar&, DType);  // the same bits

struct Recipe {
    // Memory: an input or output of the row, or a temporary of the outputs' shape; `single`: made of numbers alone, 0-d.
    enum class Place : std::uint8_t { input, output, temporary };
    struct Storage {
        Place place;
        std::uint8_t index;  // of temporaries: the register
        std::uint8_t item;   // bytes
        bool single = false;
        bool operator==(const Storage&) const = default;
    };
    // A tensor over a storage: a dtype, from a byte within each item on.
    struct Ref {
        std::uint8_t storage, offset;
        DType dtype;
        bool operator==(const Ref&) const = default;
    };
    // A number that the host knows: fixed, or an input followed through some computations.
    struct Number {
        int input = -1;
        Scalar value;  // of an input its dtype alone
        std::vector<std::pair<Compute, DType>> computations;
        DType dtype() const { return computations.empty() ? value.dtype : computations.back().second; }
        bool operator==(const Number& o) const {
            return input == o.input && value.dtype == o.value.dtype && value.bytes == o.value.bytes && computations == o.computations;
        }
    };
    struct NumberRef {
        std::uint8_t index;
        bool tensor;  // as a 0-d tensor, else as a scalar
        bool operator==(const NumberRef&) const = default;
    };
    using Part = std::variant<std::nullptr_t, Ref, NumberRef, std::int64_t, double, bool, DType>;
    struct Step {
        std::string_view op;
        std::vector<Part> parts;
        std::uint16_t writes;  // a bit per part
        const OperatorFacts* facts = facts_of(op);
    };
    // Output `out` is written before a later step reads these bytes of input `in`, so that it must not be the same memory. An
    // output that is an input, or that the launch must write last, gets memory of its own also where its last step is not the
    // only one that writes it.
    struct Hazard {
        std::uint8_t in, out;
    };

    struct Register {
        std::uint8_t item;
        bool single;
        bool operator==(const Register&) const = default;
    };

    std::vector<Storage> storages;
    std::vector<Register> registers;
    std::vector<Number> numbers;
    std::vector<Step> steps;
    std::vector<Hazard> hazards;

    void run(Emitter&, std::span<const Tensor> in, std::span<const Tensor> out) const;
    std::string operators() const;  // their names, in order
    bool uses_aicpu() const;
};

// The step's call as Demotion has it; Unlowerable where CANN has refused it, or does not have the operator.
std::string call_of(const Recipe::Step&, std::span<const Recipe::Number>);
void expect_offered(const Recipe::Step&, std::span<const Recipe::Number>);
// Whether it is known to run on the AICPU.
bool is_on_aicpu(const Recipe::Step&, std::span<const Recipe::Number>);
// The last step of making one: drops what nobody needs, lets temporaries share registers, notes the hazards.
void assign_memory(Recipe&);

}  // namespace asnumpy::ascend
