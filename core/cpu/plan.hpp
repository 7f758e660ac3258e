// A program resolved for the CPU: the loops of its steps, and a slot of the tile for every value that a step defines.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bits.hpp"
#include "cpu/executor.hpp"
#include "cpu/items.hpp"
#include "cpu/layout.hpp"
#include "cpu/strands.hpp"
#include "kernels/kernels.hpp"

namespace asnumpy::cpu {

struct Call {
    Forms forms;
    std::uint32_t first;      // of its operands in Resolved::operands: the values that it defines, then those that it reads
    std::uint16_t nout, nin;
};

struct Combine {
    Loop loop;
    Fold fold;
    RowId row;
    ValueId value;
    DType dtype;
    int call = -1;  // that computes the value for this reduction only, as the last of its values, and has forms for both together
};

struct Resolved {
    std::vector<DType> inputs;
    std::vector<Call> calls;
    std::vector<ValueId> operands;       // of the calls
    std::vector<ValueId> stores;
    std::vector<Combine> reductions;
    std::vector<DType> values;           // dtype of every value
    std::vector<std::int64_t> slots;     // bytes per element of every slot
    std::vector<int> slot_of;            // by value; -1 for inputs, and for what stays in registers
    std::vector<int> last_read;          // by value: the last call that reads it; calls.size() when stored or reduced, -1 when never
    std::vector<int> readers;            // by value: calls' operands, stores and reductions that read it
    std::vector<int> defined_by;         // by value: the call; -1 for inputs
    std::int64_t slot_bytes = 0;         // of all slots, per element
    std::int64_t tile_slot_bytes = 0;    // for which tiles are chosen: floats are added tile by tile
    std::size_t most_operands = 0;       // of a call
    double cost = 0;                     // rough time per element in ns, without the operands' memory
    double called_cost = 0;              // beside that, of functions
    // Bit i of each: calls take the first element of input i for all elements. Where it is not one number, a launch runs `otherwise`.
    std::uint64_t numbers = 0, only_numbers = 0;  // only: all that read it do
    const Resolved* otherwise = nullptr;
    Items items{};  // of the launches that it is for, where its only call takes items; others run `otherwise`
    // Those that were, or with a tile for each row would be, one number for each tile of all launches of about the largest size so far; and those
    // that in one had another number for another tile.
    struct Seen {
        std::atomic<std::uint64_t> numbers{~std::uint64_t{0}}, changing{0};
        std::atomic<std::uint64_t> items{unseen};  // of all of them; none where they differ
        std::atomic<std::int64_t> largest{0};  // elements
        static constexpr std::uint64_t unseen = ~std::uint64_t{0};
    };
    mutable Seen seen;

    explicit Resolved(const Program&);
    // The same with one loop for each strand, in the tiles of the first one where they decide in which order floats are added.
    // Input i is one number for each tile where bit i of `numbers` says so.
    Resolved(const Program&, const Strands&, std::span<const Forms>, const Resolved& first, std::uint64_t numbers = 0);
    // The same with one loop for the whole program, which takes items that lie so.
    Resolved(const Program&, const Strand& whole, const Forms&, Items, const Resolved& first);
    void run(const Launch&) const;

    std::span<const ValueId> out(const Call& call) const { return {operands.data() + call.first, call.nout}; }
    std::span<const ValueId> in(const Call& call) const { return {operands.data() + call.first + call.nout, call.nin}; }
    DType dtype_of(std::size_t operand) const;  // of its launches: inputs, stores, reductions
    std::size_t loops() const;  // that a tile takes, where reductions run with the calls before them
    bool is_number(std::size_t input) const { return has_bit(only_numbers, input); }

private:
    void name_values(const Program&);
    void add_call(const Forms&, std::span<const ValueId> out, std::span<const ValueId> in);
    void add_step(const Step&);
    void finish(const Program&);
    void fold_pairs(const Program&);
    void assign_slots();
};

}  // namespace asnumpy::cpu
