// Strands: parts of a program whose steps one loop can compute, element after element, without a slot for what lies between
// them. What generated code computes; the steps between them keep the loops that they have (kernels.hpp's is_plain).
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.hpp"

namespace asnumpy::cpu {

struct Strand {
    Program program;
    std::vector<ValueId> in, out;  // what its inputs and stores are called in the program that it is a part of
};

// A program as strands and single steps, in an order in which each finds what it reads; without steps whose results nobody
// reads. A strand has at least two steps.
struct Strands {
    static constexpr std::int32_t single = -1;
    struct Part {
        std::int32_t strand;  // or `single`
        std::uint32_t step;   // that one
    };
    std::vector<Strand> strands;
    std::vector<Part> order;
};

Strands divide_into_strands(const Program&);

}  // namespace asnumpy::cpu
