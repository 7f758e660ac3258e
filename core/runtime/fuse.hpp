// From instructions to programs: which instructions run together, and what the fused program is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program/program.hpp"
#include "runtime/queue.hpp"

namespace asnumpy {

// Who holds the buffers of a recorded list, for the time of one flush.
class Census {
public:
    struct Mark {
        const Buffer* buffer;
        int held = 0;                 // references held by the list
        bool outside = false;         // somebody else sees it
        std::uint32_t last_group = 0; // the last group that touches it
    };

    // Counts the references of all instructions.
    void take(std::span<const Instruction>);
    void add(Buffer&);  // that only the list will know
    Mark& operator[](const Buffer& b) { return marks_[b.number]; }
    const Mark* find(const Buffer& b) const { return b.counted_by == flush_number_ ? &marks_[b.number] : nullptr; }  // null: the list does not touch it
    std::span<const Mark> marks() const { return marks_; }

private:
    std::uint64_t flush_number_ = 0;  // new for every list
    std::vector<Mark> marks_;
};

// Instructions that run as one: elementwise work and reductions of one stream of one device over one iteration space, or one
// instruction by itself: a structured operation, or work that the device leaves to the host. A device overwrites at most one
// array that they read, so that they can run again after a failure.
struct Group {
    std::vector<std::uint32_t> members;  // positions in the recorded list, in its order
    bool alone = false;
    // Instructions that do not run, because what they make is read where it comes from, by members; and those of them that no later group
    // reads through: with this one they are done.
    std::vector<std::uint32_t> through, unmade;
};

// A buffer that only the list knows, and that is another array with some of its axes turned, as by roll: it is not made.
struct TurnedCopy {
    std::vector<std::uint32_t> pieces;  // the instructions that would make it; the first one begins where it begins
    Turned turned;
};

// Partitions the live instructions (groups.cpp). Running the groups in order gives what running the instructions in order gives: of two instructions
// with a hazard the earlier one runs first. None moves past one of `bounds`, which are positions in order. Who reads a copy that is not made reads all
// of its source.
std::vector<Group> form_groups(std::span<const Instruction>, const std::vector<bool>& dead, std::span<const TurnedCopy>, std::span<const std::uint32_t> bounds = {});

// Moves instructions down to the only group that reads what they make, where that group reads what they read, or beside it: what they make is neither
// written nor read again. No instruction moves past one of `bounds`. Not for groups that read through copies.
void sink(std::span<const Instruction>, std::vector<Group>&, Census&, std::span<const std::uint32_t> bounds);

// Of one iteration space.
bool same_elements(const View&, const View&);
bool same_steps(const View&, const View&);  // from element to element, wherever the first one lies

inline constexpr std::size_t most_members = 96;  // keeps the live slots of a program within the cache
// Elements of a launch that may be one of many alike (rounds.hpp). Threads share longer ones, or the lines of all of them.
inline constexpr std::int64_t longest_in_round = 4096, longest_in_lines = 65536;

// An operand of a recorded list.
struct Place {
    std::uint32_t instruction;
    std::uint8_t slot;
    bool output;
};
const Array* operand_array(std::span<const Instruction>, const Place&);  // null for a constant

// A group as a program, with the places of the operands of its launch (inputs, stores, reductions). An output that
// only this group can see is not stored at all.
struct Fused {
    Program program;
    std::uint64_t reduced = 0;
    std::vector<Place> inputs, outputs;
    // Inputs that are read through: their place is that of the first element in the source, their strides are those with which the reader sees the copy.
    struct Through {
        std::size_t input;
        Place reader;
        Turned turned;
    };
    std::vector<Through> through;
};

// All groups fused, in their order.
std::vector<Fused> fuse(std::span<const Instruction>, std::span<const Group>, std::span<const TurnedCopy>, Census&);

// Whether one of the two must run before the other: they touch one buffer, and at least one of them writes it.
bool conflicts(const Instruction&, const Instruction&);
// Whether the outputs keep nothing of what they held.
bool keeps_nothing(const Instruction&);

}  // namespace asnumpy
