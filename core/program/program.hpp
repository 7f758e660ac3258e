// The fused unit of work: typed inputs, a list of row applications in SSA form, stores and reductions.
//
// Grammar (check() enforces it):
//   value ids 0 .. inputs-1 are the inputs; each step defines the next nout ids; a step uses only earlier ids
//   a step's operand dtypes are those of its row's loop; steps are elementwise rows
//   a store writes a value at every point of the iteration space
//   a reduction combines a value along the reduced axes, with a reducible row whose loop is (T, T) -> T
// Sizes, strides, addresses and scalar values are not part of a program; they come with each Launch.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/dtype.hpp"
#include "base/view.hpp"
#include "ops/row.hpp"

namespace asnumpy {

using ValueId = std::uint16_t;

struct Step {
    RowId row;
    std::uint16_t loop;
    std::array<ValueId, 3> in{};
    ValueId out = 0;  // first of the row's nout ids
    bool operator==(const Step&) const = default;
};

struct Store {
    ValueId value;
    bool operator==(const Store&) const = default;
};

struct Reduction {
    ValueId value;
    RowId row;
    std::uint16_t loop;
    bool operator==(const Reduction&) const = default;
};

struct Program {
    std::vector<DType> inputs;
    std::vector<Step> steps;
    std::vector<Store> stores;
    std::vector<Reduction> reductions;

    int value_count() const;
    DType dtype(ValueId) const;
    std::size_t hash() const;  // of the content
    bool operator==(const Program&) const = default;
};

void check(const Program&);           // RuntimeFailure names the rule that is broken
std::string to_string(const Program&);

// One memory operand of a launch: strides in bytes, one per axis of the iteration space.
// A scalar is an operand whose strides are all 0.
struct Operand {
    char* data = nullptr;
    Dims strides;
    bool constant = false;  // an input that is one element in host memory, whatever the device
};

// Where and over what a program runs. operands: the inputs, then the stores, then the reductions; a reduction's
// strides are 0 along the reduced axes. An output may coincide exactly with an input (same address and strides),
// otherwise no output overlaps any other operand.
struct Launch {
    Dims shape;
    std::uint64_t reduced = 0;  // bit i: axis i is reduced; its length is not 0
    std::vector<Operand> operands;
};

}  // namespace asnumpy
