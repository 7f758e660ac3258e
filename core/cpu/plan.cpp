// Resolves the steps of a program and assigns slots by liveness.
#include "cpu/plan.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace asnumpy::cpu {
namespace {

// Time of one step on elements that lie in the first-level cache, per byte of its result.
constexpr double step_ns_per_byte = 0.03;

}  // namespace

Resolved::Resolved(const Program& program) : inputs(program.inputs), values(program.inputs) {
    defined_by.assign(inputs.size(), -1);
    for (const Step& step : program.steps) {
        const Row& r = row(step.row);
        const Loop resolved = loop(step.row, step.loop);
        if (!resolved) throw RuntimeFailure("cpu::Plan: " + std::string(r.name) + " has no kernel for loop " + std::to_string(step.loop));
        for (std::size_t i = 0; i < r.nout; ++i) {
            values.push_back(r.loops[step.loop].out[i]);
            defined_by.push_back(static_cast<int>(calls.size()));
            cost += step_ns_per_byte * static_cast<double>(std::max<std::size_t>(itemsize(values.back()), 4));
        }
        calls.push_back({resolved, r.nin, r.nout, step.in, step.out});
    }
    for (const Store& store : program.stores) stores.push_back(store.value);
    for (const Reduction& reduction : program.reductions) {
        const DType dtype = values[reduction.value];
        reductions.push_back({loop(reduction.row, reduction.loop), fold(reduction.row, reduction.loop), reduction.row, reduction.value, dtype});
        if (!reductions.back().loop || !reductions.back().fold)
            throw RuntimeFailure("cpu::Plan: " + std::string(row(reduction.row).name) + " has no kernel that reduces " + std::string(name(dtype)));
        cost += step_ns_per_byte * static_cast<double>(std::max<std::size_t>(itemsize(dtype), 4));
    }

    const int last = static_cast<int>(calls.size());
    last_read.assign(values.size(), -1);
    readers.assign(values.size(), 0);
    const auto read = [this](ValueId value, int by) {
        last_read[value] = by;
        ++readers[value];
    };
    for (int i = 0; i < last; ++i)
        for (std::size_t k = 0; k < calls[static_cast<std::size_t>(i)].nin; ++k) read(calls[static_cast<std::size_t>(i)].in[k], i);
    for (const ValueId value : stores) read(value, last);
    for (const Combine& reduction : reductions) read(reduction.value, last);

    // A slot is free again after the last call that reads its value. That very call may write its result there only
    // when both elements have one size: a loop may overwrite its input exactly, never in part.
    slot_of.assign(values.size(), -1);
    std::vector<bool> used;
    const auto take = [&](ValueId value) {
        const auto width = static_cast<std::int64_t>(itemsize(values[value]));
        int best = -1;
        for (std::size_t s = 0; s < slots.size(); ++s)
            if (!used[s] && (best < 0 || slots[s] == width)) best = static_cast<int>(s);
        if (best < 0) {
            best = static_cast<int>(slots.size());
            slots.push_back(width);
            used.push_back(false);
        }
        slots[static_cast<std::size_t>(best)] = std::max(slots[static_cast<std::size_t>(best)], width);
        used[static_cast<std::size_t>(best)] = true;
        slot_of[value] = best;
    };
    const auto give = [&](ValueId value) {
        if (slot_of[value] >= 0) used[static_cast<std::size_t>(slot_of[value])] = false;
    };
    for (int i = 0; i < last; ++i) {
        const Call& call = calls[static_cast<std::size_t>(i)];
        const auto dies_here = [&](std::size_t k) { return last_read[call.in[k]] == i; };
        const auto overwritable = [&](std::size_t k) {
            for (std::size_t o = 0; o < call.nout; ++o)
                if (itemsize(values[call.out + o]) != itemsize(values[call.in[k]])) return false;
            return true;
        };
        for (std::size_t k = 0; k < call.nin; ++k)
            if (dies_here(k) && overwritable(k)) give(call.in[k]);
        for (std::size_t o = 0; o < call.nout; ++o) take(static_cast<ValueId>(call.out + o));
        for (std::size_t k = 0; k < call.nin; ++k)
            if (dies_here(k) && !overwritable(k)) give(call.in[k]);
        for (std::size_t o = 0; o < call.nout; ++o)
            if (last_read[call.out + o] < 0) give(static_cast<ValueId>(call.out + o));
    }
    for (const std::int64_t width : slots) slot_bytes += width;
}

}  // namespace asnumpy::cpu
