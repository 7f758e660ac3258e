// Steps are put into levels: all plain ones that need no result of another loop, the loops that then can run, the plain ones
// that need those, and so on. A plain step moves to the level of what reads it: its operands are loaded there instead of its result.
#include "cpu/strands.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/bits.hpp"

namespace asnumpy::cpu {
namespace {

constexpr std::int32_t input = -1;

// By value: the reduction that alone reads it, and whose elements a loop may combine as it makes them. Not bools: compilers make
// vectors of comparisons only where they store them.
std::vector<std::optional<std::size_t>> reductions_of(const Program& program, const std::vector<DType>& values, const std::vector<std::int32_t>& readers) {
    std::vector<std::optional<std::size_t>> found(readers.size());
    for (std::size_t k = 0; k < program.reductions.size(); ++k) {
        const Reduction& reduction = program.reductions[k];
        if (values[reduction.value] != DType::boolean && readers[reduction.value] == 1 && is_plain(reduction.row, reduction.loop) && fold(reduction.row, reduction.loop)) found[reduction.value] = k;
    }
    return found;
}

Strand strand_of(const Program& program, const std::vector<std::uint32_t>& steps, const std::vector<DType>& values, const std::vector<std::int32_t>& readers_outside,
                 const std::vector<std::optional<std::size_t>>& reductions) {
    Strand strand;
    std::unordered_map<ValueId, ValueId> renamed;
    std::vector<ValueId> defined;
    for (const std::uint32_t s : steps)
        for (std::size_t o = 0; o < row(program.steps[s].row).nout; ++o) defined.push_back(static_cast<ValueId>(program.steps[s].out + o));
    for (const std::uint32_t s : steps) {
        const Step& step = program.steps[s];
        for (std::size_t i = 0; i < row(step.row).nin; ++i) {
            const ValueId value = step.in[i];
            if (std::ranges::find(defined, value) != defined.end() || renamed.contains(value)) continue;
            renamed.emplace(value, static_cast<ValueId>(strand.in.size()));
            strand.in.push_back(value);
            strand.program.inputs.push_back(values[value]);
        }
    }
    auto next = static_cast<ValueId>(strand.in.size());
    for (const ValueId value : defined) renamed.emplace(value, next++);
    for (const std::uint32_t s : steps) {
        Step step = program.steps[s];
        for (std::size_t i = 0; i < row(step.row).nin; ++i) step.in[i] = renamed.at(step.in[i]);
        step.out = renamed.at(step.out);
        strand.program.steps.push_back(step);
    }
    for (const ValueId value : defined) {
        if (readers_outside[value] == 0) continue;
        if (reductions[value] && !strand.reduction) {
            strand.reduction = reductions[value];
            continue;
        }
        strand.out.push_back(value);
        strand.program.stores.push_back({renamed.at(value)});
    }
    if (strand.reduction) {
        const Reduction& reduction = program.reductions[*strand.reduction];
        strand.out.push_back(reduction.value);
        strand.program.reductions.push_back({renamed.at(reduction.value), reduction.row, reduction.loop});
    }
    return strand;
}

// By step: whether a store or a reduction depends on it.
std::vector<bool> needed_steps(const Program& program, const std::vector<std::int32_t>& step_of) {
    std::vector<bool> needed(program.steps.size(), false);
    const auto need = [&](ValueId value) {
        if (step_of[value] != input) needed[static_cast<std::size_t>(step_of[value])] = true;
    };
    for (const Store& store : program.stores) need(store.value);
    for (const Reduction& reduction : program.reductions) need(reduction.value);
    for (std::size_t s = program.steps.size(); s-- > 0;)
        for (std::size_t i = 0; needed[s] && i < row(program.steps[s].row).nin; ++i) need(program.steps[s].in[i]);
    return needed;
}

// The strand in which a step is, while strands are being chosen.
struct Places {
    std::vector<std::int32_t> of_step;

    // How often each value is read, stored or reduced outside the strand that defines it.
    std::vector<std::int32_t> readers_outside(const Program& program, const std::vector<bool>& needed, const std::vector<std::int32_t>& step_of, std::size_t values) const {
        std::vector<std::int32_t> readers(values, 0);
        for (std::size_t s = 0; s < program.steps.size(); ++s)
            for (std::size_t i = 0; needed[s] && i < row(program.steps[s].row).nin; ++i) {
                const ValueId value = program.steps[s].in[i];
                const std::int32_t by = step_of[value];
                if (by == input || of_step[static_cast<std::size_t>(by)] < 0 || of_step[static_cast<std::size_t>(by)] != of_step[s]) ++readers[value];
            }
        for (const Store& store : program.stores) ++readers[store.value];
        for (const Reduction& reduction : program.reductions) ++readers[reduction.value];
        return readers;
    }
};

// By step, as the head of this file says.
std::vector<std::uint32_t> levels_of(const Program& program, const std::vector<bool>& needed, const std::vector<bool>& plain, const std::vector<std::int32_t>& step_of) {
    const std::size_t count = program.steps.size();
    std::vector<std::uint32_t> level(count, 0);
    std::vector<std::vector<std::uint32_t>> readers(count);
    std::vector<bool> seen(count, false);  // by a store or a reduction
    for (std::size_t s = 0; s < count; ++s)
        for (std::size_t i = 0; needed[s] && i < row(program.steps[s].row).nin; ++i) {
            const std::int32_t by = step_of[program.steps[s].in[i]];
            if (by == input) continue;
            const auto earlier = static_cast<std::size_t>(by);
            readers[earlier].push_back(static_cast<std::uint32_t>(s));
            level[s] = std::max(level[s], level[earlier] + (plain[s] && !plain[earlier] ? 1 : 0));
        }
    const auto note = [&](ValueId value) {
        if (step_of[value] != input) seen[static_cast<std::size_t>(step_of[value])] = true;
    };
    for (const Store& store : program.stores) note(store.value);
    for (const Reduction& reduction : program.reductions) note(reduction.value);
    for (std::size_t s = count; s-- > 0;) {
        if (!plain[s] || seen[s] || readers[s].empty()) continue;
        std::uint32_t latest = level[readers[s].front()];
        for (const std::uint32_t reader : readers[s]) latest = std::min(latest, level[reader]);
        level[s] = latest;
    }
    return level;
}

}  // namespace

bool may_be_number(DType dtype) {
    return dispatch(dtype, []<class T> { return in_strands<T> && std::is_arithmetic_v<T>; });
}

Strands divide_into_strands(const Program& program) {
    std::vector<DType> values(program.inputs);
    std::vector<std::int32_t> step_of(values.size(), input);
    std::vector<bool> plain;
    for (std::size_t s = 0; s < program.steps.size(); ++s) {
        const Step& step = program.steps[s];
        const Row& r = row(step.row);
        for (std::size_t o = 0; o < r.nout; ++o) {
            values.push_back(r.loops[step.loop].out[o]);
            step_of.push_back(static_cast<std::int32_t>(s));
        }
        plain.push_back(is_plain(step.row, step.loop));
    }
    const std::vector<bool> needed = needed_steps(program, step_of);
    Places places{std::vector<std::int32_t>(program.steps.size(), Strands::single)};
    const auto reductions = reductions_of(program, values, places.readers_outside(program, needed, step_of, values.size()));
    // Two rows that have a loop for both need no code for it.
    const auto is_strand = [&](std::uint32_t s) {
        const Step& step = program.steps[s];
        const Signature& signature = row(step.row).loops[step.loop];
        for (std::size_t o = 0; o < row(step.row).nout; ++o) {
            const std::optional<std::size_t> by = reductions[step.out + o];
            if (by && !(signature.nin == 2 && signature.in[0] == signature.out[0] && signature.in[1] == signature.out[0] &&
                        pair_fold(step.row, program.reductions[*by].row, signature.out[0])))
                return true;
        }
        return false;
    };
    const std::vector<std::uint32_t> level = levels_of(program, needed, plain, step_of);
    const std::uint32_t levels = level.empty() ? 0 : *std::ranges::max_element(level) + 1;

    std::vector<std::vector<std::uint32_t>> together;
    Strands result;
    for (std::uint32_t l = 0; l < levels; ++l) {
        std::vector<std::uint32_t> steps;
        const auto close = [&] {
            if (steps.size() == 1 && !is_strand(steps.front())) {
                result.order.push_back({Strands::single, steps.front()});
            } else if (!steps.empty()) {
                result.order.push_back({static_cast<std::int32_t>(together.size()), 0});
                together.push_back(std::move(steps));
            }
            steps.clear();
        };
        for (std::uint32_t s = 0; s < level.size(); ++s) {
            if (level[s] != l || !plain[s] || !needed[s]) continue;
            steps.push_back(s);
            if (steps.size() == most_steps) close();
        }
        close();
        for (std::uint32_t s = 0; s < level.size(); ++s)
            if (level[s] == l && !plain[s] && needed[s]) result.order.push_back({Strands::single, s});
    }

    for (std::size_t k = 0; k < together.size(); ++k)
        for (const std::uint32_t s : together[k]) places.of_step[s] = static_cast<std::int32_t>(k);
    const std::vector<std::int32_t> outside = places.readers_outside(program, needed, step_of, values.size());
    for (const std::vector<std::uint32_t>& steps : together) result.strands.push_back(strand_of(program, steps, values, outside, reductions));
    return result;
}

std::optional<Strand> whole_strand(const Program& program) {
    std::vector<DType> values(program.inputs);
    std::vector<std::uint32_t> steps;
    for (std::size_t s = 0; s < program.steps.size(); ++s) {
        const Step& step = program.steps[s];
        if (!is_plain(step.row, step.loop)) return {};
        const Row& r = row(step.row);
        for (std::size_t o = 0; o < r.nout; ++o) values.push_back(r.loops[step.loop].out[o]);
        steps.push_back(static_cast<std::uint32_t>(s));
    }
    std::vector<std::int32_t> given(values.size(), 0);
    const auto gives = [&](ValueId value) {
        ++given[value];
        return value >= program.inputs.size();
    };
    if (steps.empty() || steps.size() > most_steps) return {};
    for (const Store& store : program.stores)
        if (!gives(store.value)) return {};
    for (const Reduction& reduction : program.reductions)
        if (!gives(reduction.value) || !is_plain(reduction.row, reduction.loop)) return {};
    std::vector<std::int32_t> readers(given);
    for (const Step& step : program.steps)
        for (std::size_t i = 0; i < row(step.row).nin; ++i) ++readers[step.in[i]];
    const auto reductions = reductions_of(program, values, readers);
    const bool all_alone = std::ranges::all_of(program.reductions, [&](const Reduction& reduction) { return reductions[reduction.value].has_value(); });
    if (program.reductions.size() > 1 || !all_alone) return {};
    return strand_of(program, steps, values, given, reductions);
}

StrandCode code_of(const Strand& strand, const Program& whole, std::uint64_t numbers) {
    StrandCode code{strand.program};
    for (std::size_t i = 0; i < strand.in.size(); ++i) {
        const ValueId value = strand.in[i];
        if (value < whole.inputs.size() && has_bit(numbers, value) && may_be_number(whole.inputs[value])) code.numbers |= bit(i);
    }
    return code;
}

StrandCode code_of(const Strand& whole, Items items) {
    StrandCode code{whole.program, 0, {items.length(), items.joined()}};
    for (std::size_t i = 0; i < whole.in.size(); ++i) code.items.put(i, items.part(whole.in[i]));
    return code;
}

}  // namespace asnumpy::cpu
