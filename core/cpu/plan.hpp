// A program resolved for the CPU: the loops of its steps, and a slot of the tile for every value that a step defines.
#pragma once

#include <vector>

#include "cpu/executor.hpp"
#include "cpu/layout.hpp"
#include "kernels/kernels.hpp"

namespace asnumpy::cpu {

struct Call {
    Loop loop;
    std::uint8_t nin, nout;
    std::array<ValueId, 3> in;
    ValueId out;
};

struct Combine {
    Loop loop;
    Fold fold;
    RowId row;
    ValueId value;
    DType dtype;
    // Where one call computes the value for this reduction only, and both together have a loop: that call, whose operands
    // are folded directly by schemes that fold runs.
    PairFold pair_fold = nullptr;
    int call = -1;
};

struct Resolved {
    std::vector<DType> inputs;
    std::vector<Call> calls;
    std::vector<ValueId> stores;
    std::vector<Combine> reductions;
    std::vector<DType> values;           // dtype of every value
    std::vector<std::int64_t> slots;     // bytes per element of every slot
    std::vector<int> slot_of;            // by value; -1 for inputs, and for what stays in registers
    std::vector<int> last_read;          // by value: the last call that reads it; calls.size() when stored or reduced, -1 when never
    std::vector<int> readers;            // by value: calls' operands, stores and reductions that read it
    std::vector<int> defined_by;         // by value: the call; -1 for inputs
    std::int64_t slot_bytes = 0;         // of all slots, per element
    double cost = 0;                     // rough time per element in ns, without the operands' memory

    explicit Resolved(const Program&);
    void run(const Launch&) const;
};

}  // namespace asnumpy::cpu
