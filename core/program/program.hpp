// The fused unit of work: typed inputs, a list of row applications in SSA form, stores and reductions.
//
// Grammar (check() enforces it):
//   value ids 0 .. inputs-1 are the inputs; each step defines the next nout ids; a step uses only earlier ids
//   a step's operand dtypes are those of its row's loop; steps are elementwise rows
//   a store writes a value at every point of the iteration space
//   a reduction combines a value along the reduced axes, with a reducible row whose loop is (T, T) -> T
// Sizes, strides, addresses and scalar values are not part of a program; they come with each Launch.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
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

// How a copy that nobody makes lies in memory, axes of its array turned as by roll. Offsets are bytes from the first element of the copy.
struct Turned {
    // Of each stretch of `period` bytes of the copy, what lies from the seam on is a period nearer to the start in the array.
    struct Axis {
        std::int64_t period, seam;
        bool operator==(const Axis&) const = default;
    };
    struct Stretch {
        std::int64_t shift, length;  // so many bytes from there on are at their offset and this
    };
    std::vector<Axis> axes;

    Stretch at(std::int64_t offset) const {
        Stretch found{0, std::numeric_limits<std::int64_t>::max()};
        for (const Axis& axis : axes) {
            const std::int64_t place = offset % axis.period;
            const bool beyond = place >= axis.seam;
            found.shift -= beyond ? axis.period : 0;
            found.length = std::min(found.length, (beyond ? axis.period : axis.seam) - place);
        }
        return found;
    }
    bool operator==(const Turned&) const = default;
};

// One memory operand of a launch: strides in bytes, one per axis of the iteration space.
// A scalar is an operand whose strides are all 0.
struct Operand {
    char* data = nullptr;
    Dims strides;
    bool constant = false;  // an input that is one element in host memory, whatever the device
    // An input whose strides are those of a copy, and `data` the place of its first element; null: of the array itself. Somebody else's, who keeps
    // it as long as the launch.
    const Turned* turned = nullptr;
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
