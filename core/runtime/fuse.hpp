// From instructions to programs: which instructions run together, and what the fused program is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program/program.hpp"
#include "runtime/queue.hpp"

namespace asnumpy {

// Instructions that run as one: elementwise work and reductions over one iteration space, or one structured operation.
struct Group {
    std::vector<std::uint32_t> members;  // positions in the recorded list, in its order
    bool structured = false;
};

// Marks the instructions whose results nobody can see any more. `flush_number` is new for every call.
std::vector<bool> find_dead(std::span<const Instruction>, std::uint64_t flush_number);

// Partitions the live instructions. Running the groups in order gives what running the instructions in order gives:
// an instruction may move up past groups with which it has no hazard, never past another.
std::vector<Group> form_groups(std::span<const Instruction>, const std::vector<bool>& dead);

// One group as a program, with the operands of its launch (inputs, stores, reductions). The pointers are into the
// instructions. An output that only this group can see is not stored at all.
struct Fused {
    struct Source {
        const Array* array;    // null: a scalar
        const Scalar* scalar;
    };
    Program program;
    Dims shape;
    std::uint64_t reduced = 0;
    std::vector<Source> inputs;
    std::vector<const Array*> outputs;
};
Fused fuse(std::span<const Instruction>, const Group&);

// Whether one of the two must run before the other: they touch one buffer, and at least one of them writes it.
bool conflicts(const Instruction&, const Instruction&);

}  // namespace asnumpy
