// Resolves the steps of a program and assigns slots by liveness.
#include "cpu/plan.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/error.hpp"
#include "cpu/costs.hpp"

namespace asnumpy::cpu {
namespace {

// Of a function (exp, sin), per byte of its result, wherever its operands lie.
constexpr double function_ns_per_byte = 0.08;

double cost_bytes(DType dtype) { return static_cast<double>(std::max<std::size_t>(itemsize(dtype), 4)); }

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
    name_values(program);
    const std::vector<int> partner = pair_up(program, values.size());
    for (std::size_t s = 0; s < program.steps.size(); ++s) {
        const Step& step = program.steps[s];
        if (partner[s] == carried) continue;
        if (partner[s] == alone) {
            add_step(step);
            continue;
        }
        const Step& inner = program.steps[static_cast<std::size_t>(partner[s])];
        const bool right = step.in[1] == inner.out;
        add_call({pair_loop(inner.row, step.row, right, values[step.out])}, std::array{step.out},
                 std::array{inner.in[0], inner.in[1], step.in[right ? 0 : 1]});
    }
    for (const Step& step : program.steps)
        for (std::size_t i = 0; i < row(step.row).nout; ++i) {
            cost += step_ns_per_byte * cost_bytes(values[step.out + i]);
            if (!is_plain(step.row, step.loop)) called_cost += function_ns_per_byte * cost_bytes(values[step.out + i]);
        }
    finish(program);
    tile_slot_bytes = slot_bytes;
}

Resolved::Resolved(const Program& program, const Strands& strands, std::span<const Forms> forms, const Resolved& first, std::uint64_t given_as_numbers)
    : inputs(program.inputs), values(program.inputs) {
    name_values(program);
    for (const Strands::Part& part : strands.order) {
        if (part.strand == Strands::single) {
            add_step(program.steps[part.step]);
            continue;
        }
        const auto index = static_cast<std::size_t>(part.strand);
        add_call(forms[index], strands.strands[index].out, strands.strands[index].in);
    }
    for (const Call& call : calls)
        for (const ValueId value : out(call)) cost += step_ns_per_byte * cost_bytes(values[value]);
    finish(program);
    for (const Strand& strand : strands.strands)
        if (strand.reduction) reductions[*strand.reduction].call = defined_by[reductions[*strand.reduction].value];
    tile_slot_bytes = reductions.empty() ? slot_bytes : first.tile_slot_bytes;
    called_cost = first.called_cost;
    otherwise = &first;
    std::vector<int> as_numbers(inputs.size(), 0);
    for (const Strand& strand : strands.strands) {
        const std::uint64_t taken = code_of(strand, program, given_as_numbers).numbers;
        for (std::size_t i = 0; i < strand.in.size() && i < 64; ++i)
            if (taken >> i & 1u) ++as_numbers[strand.in[i]];
    }
    for (std::size_t i = 0; i < inputs.size() && i < 64; ++i) {
        if (as_numbers[i] == 0) continue;
        numbers |= std::uint64_t{1} << i;
        if (as_numbers[i] == readers[i]) only_numbers |= std::uint64_t{1} << i;
    }
}

Resolved::Resolved(const Program& program, const Strand& whole, const Forms& forms, Items given, const Resolved& first) : inputs(program.inputs), values(program.inputs), items(given) {
    name_values(program);
    add_call(forms, whole.out, whole.in);
    for (const ValueId value : whole.out) cost += step_ns_per_byte * cost_bytes(values[value]);
    finish(program);
    for (Combine& reduction : reductions) reduction.call = -1;
    tile_slot_bytes = reductions.empty() ? slot_bytes : first.tile_slot_bytes;
    called_cost = first.called_cost;
    otherwise = &first;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (items.part(i) == Items::Part::number) numbers |= bit(i);
    only_numbers = numbers;
}

void Resolved::name_values(const Program& program) {
    for (const Step& step : program.steps)
        for (std::size_t i = 0; i < row(step.row).nout; ++i) values.push_back(row(step.row).loops[step.loop].out[i]);
    defined_by.assign(values.size(), -1);
}

void Resolved::add_call(const Forms& forms, std::span<const ValueId> out, std::span<const ValueId> in) {
    for (const ValueId value : out) defined_by[value] = static_cast<int>(calls.size());
    calls.push_back({forms, static_cast<std::uint32_t>(operands.size()), static_cast<std::uint16_t>(out.size()), static_cast<std::uint16_t>(in.size())});
    operands.insert(operands.end(), out.begin(), out.end());
    operands.insert(operands.end(), in.begin(), in.end());
    most_operands = std::max(most_operands, out.size() + in.size());
}

void Resolved::add_step(const Step& step) {
    const Row& r = row(step.row);
    const Loop resolved = loop(step.row, step.loop);
    if (!resolved) throw RuntimeFailure("cpu::Plan: " + std::string(r.name) + " has no kernel for loop " + std::to_string(step.loop));
    const std::array out{step.out, static_cast<ValueId>(step.out + 1)};
    add_call({resolved}, std::span(out).first(r.nout), std::span(step.in).first(r.nin));
}

// What comes after the calls: stores, reductions, who reads what, and slots.
void Resolved::finish(const Program& program) {
    for (const Store& store : program.stores) stores.push_back(store.value);
    for (const Reduction& reduction : program.reductions) {
        const DType dtype = values[reduction.value];
        reductions.push_back({loop(reduction.row, reduction.loop), fold(reduction.row, reduction.loop), reduction.row, reduction.value, dtype});
        if (!reductions.back().loop || !reductions.back().fold)
            throw RuntimeFailure("cpu::Plan: " + std::string(row(reduction.row).name) + " has no kernel that reduces " + std::string(name(dtype)));
        cost += step_ns_per_byte * cost_bytes(dtype);
    }
    const int last = static_cast<int>(calls.size());
    last_read.assign(values.size(), -1);
    readers.assign(values.size(), 0);
    const auto read = [this](ValueId value, int by) {
        last_read[value] = by;
        ++readers[value];
    };
    for (int i = 0; i < last; ++i)
        for (const ValueId value : in(calls[static_cast<std::size_t>(i)])) read(value, i);
    for (const ValueId value : stores) read(value, last);
    for (const Combine& reduction : reductions) read(reduction.value, last);
    fold_pairs(program);
    assign_slots();
}

// Finds the reductions that can take the operands of the step before them.
void Resolved::fold_pairs(const Program& program) {
    for (const Step& step : program.steps) {
        const int call = defined_by[step.out];
        if (call < 0 || row(step.row).nin != 2 || values[step.in[0]] != values[step.out] || values[step.in[1]] != values[step.out]) continue;
        const std::span<const ValueId> read = in(calls[static_cast<std::size_t>(call)]);
        if (read.size() != 2 || read[0] != step.in[0] || read[1] != step.in[1] || calls[static_cast<std::size_t>(call)].nout != 1) continue;
        for (Combine& reduction : reductions) {
            if (reduction.value != step.out || readers[reduction.value] != 1) continue;
            Loop& folded = calls[static_cast<std::size_t>(call)].forms.folded;
            if (!folded) folded = pair_fold(step.row, reduction.row, reduction.dtype);
            if (folded) reduction.call = call;
        }
    }
}

DType Resolved::dtype_of(std::size_t operand) const {
    if (operand < inputs.size()) return inputs[operand];
    operand -= inputs.size();
    return operand < stores.size() ? values[stores[operand]] : reductions[operand - stores.size()].dtype;
}

std::size_t Resolved::loops() const {
    return calls.size() + static_cast<std::size_t>(std::ranges::count_if(reductions, [](const Combine& reduction) { return reduction.call < 0; }));
}

// A slot is free again after the last call that reads its value. That very call may write its result there only
// when both elements have one size: a loop may overwrite its input exactly, never in part.
void Resolved::assign_slots() {
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
    for (int i = 0; i < static_cast<int>(calls.size()); ++i) {
        const Call& call = calls[static_cast<std::size_t>(i)];
        const auto dies_here = [&](ValueId value) { return last_read[value] == i; };
        const auto overwritable = [&](ValueId value) {
            return std::ranges::all_of(out(call), [&](ValueId made) { return itemsize(values[made]) == itemsize(values[value]); });
        };
        for (const ValueId value : in(call))
            if (dies_here(value) && overwritable(value)) give(value);
        for (const ValueId value : out(call)) take(value);
        for (const ValueId value : in(call))
            if (dies_here(value) && !overwritable(value)) give(value);
        for (const ValueId value : out(call))
            if (last_read[value] < 0) give(value);
    }
    for (const std::int64_t width : slots) slot_bytes += width;
}

}  // namespace asnumpy::cpu
