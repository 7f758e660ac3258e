// Resolves the steps of a program and assigns slots by liveness.
#include "cpu/plan.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace asnumpy::cpu {
namespace {

// Time of one step on elements that lie in the first-level cache, per byte of its result.
constexpr double step_ns_per_byte = 0.03;

// For each step: the earlier step that it carries out along with its own, where two rows have a loop for both and
// nothing else reads what lies between them; `carried` for that earlier step; else `alone`.
constexpr int alone = -1, carried = -2;

std::vector<int> pair_up(const Program& program, std::size_t value_count) {
    std::vector<int> readers(value_count, 0), step_of(value_count, -1), partner(program.steps.size(), alone);
    for (const Step& step : program.steps)
        for (std::size_t i = 0; i < row(step.row).nin; ++i) ++readers[step.in[i]];
    for (const Store& store : program.stores) ++readers[store.value];
    for (const Reduction& reduction : program.reductions) ++readers[reduction.value];
    for (std::size_t s = 0; s < program.steps.size(); ++s) {
        const Step& step = program.steps[s];
        const Signature& signature = row(step.row).loops[step.loop];
        step_of[step.out] = static_cast<int>(s);
        for (std::size_t side = 0; side < 2 && signature.nin == 2 && partner[s] == alone; ++side) {
            const int earlier = step_of[step.in[side]];
            if (earlier < 0 || readers[step.in[side]] != 1 || partner[static_cast<std::size_t>(earlier)] != alone) continue;
            const Step& inner = program.steps[static_cast<std::size_t>(earlier)];
            const Signature& before = row(inner.row).loops[inner.loop];
            const DType dtype = before.in[0];
            const bool uniform = before.nin == 2 && before.in[1] == dtype && before.out[0] == dtype && signature.in[0] == dtype &&
                                 signature.in[1] == dtype && signature.out[0] == dtype;
            if (!uniform || !pair_loop(inner.row, step.row, side == 1, dtype)) continue;
            partner[s] = earlier;
            partner[static_cast<std::size_t>(earlier)] = carried;
        }
    }
    return partner;
}

}  // namespace

Resolved::Resolved(const Program& program) : inputs(program.inputs), values(program.inputs) {
    for (const Step& step : program.steps) {
        const Row& r = row(step.row);
        for (std::size_t i = 0; i < r.nout; ++i) {
            values.push_back(r.loops[step.loop].out[i]);
            cost += step_ns_per_byte * static_cast<double>(std::max<std::size_t>(itemsize(values.back()), 4));
        }
    }
    const std::vector<int> partner = pair_up(program, values.size());
    defined_by.assign(values.size(), -1);
    for (std::size_t s = 0; s < program.steps.size(); ++s) {
        const Step& step = program.steps[s];
        const Row& r = row(step.row);
        if (partner[s] == carried) continue;
        for (std::size_t i = 0; i < r.nout; ++i) defined_by[step.out + i] = static_cast<int>(calls.size());
        if (partner[s] >= 0) {
            const Step& inner = program.steps[static_cast<std::size_t>(partner[s])];
            const bool right = step.in[1] == inner.out;
            calls.push_back({pair_loop(inner.row, step.row, right, values[step.out]), 3, 1, {inner.in[0], inner.in[1], step.in[right ? 0 : 1]}, step.out});
            continue;
        }
        const Loop resolved = loop(step.row, step.loop);
        if (!resolved) throw RuntimeFailure("cpu::Plan: " + std::string(r.name) + " has no kernel for loop " + std::to_string(step.loop));
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

    for (const Step& step : program.steps) {
        const int call = defined_by[step.out];
        if (call < 0 || calls[static_cast<std::size_t>(call)].nin != 2 || values[step.in[0]] != values[step.out] || values[step.in[1]] != values[step.out]) continue;
        for (Combine& reduction : reductions) {
            if (reduction.value != step.out) continue;
            reduction.pair_fold = asnumpy::cpu::pair_fold(step.row, reduction.row, reduction.dtype);
            reduction.call = call;
        }
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
    for (Combine& reduction : reductions) {
        if (readers[reduction.value] != 1) reduction.pair_fold = nullptr;
        if (!reduction.pair_fold) continue;
        for (std::size_t k = 0; k < 2; ++k) last_read[calls[static_cast<std::size_t>(reduction.call)].in[k]] = last;
    }

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
