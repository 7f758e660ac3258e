// Fusion. Legality is a comparison of views; there is no list of operations that may or may not fuse.
#include "runtime/fuse.hpp"

#include <algorithm>
#include <atomic>

#include "runtime/record.hpp"
#include "runtime/unmade.hpp"

namespace asnumpy {

bool same_elements(const View& a, const View& b) {
    return a.offset == b.offset && same_steps(a, b);
}

bool same_steps(const View& a, const View& b) {
    for (int i = 0; i < a.ndim(); ++i)
        if (a.strides[i] != b.strides[i] && a.shape[i] > 1) return false;
    return true;
}

bool conflicts(const Instruction& a, const Instruction& b) {
    bool found = false;
    const Unmade none(std::span(&a, 1), {});
    each_touch(a, none, [&](const Touch& x) {
        each_touch(b, none, [&](const Touch& y) {
            if (x.buffer == y.buffer && (x.kind != Touch::read || y.kind != Touch::read)) found = true;
        });
    });
    return found;
}

const Array* operand_array(std::span<const Instruction> list, const Place& place) {
    const Instruction& instruction = list[place.instruction];
    return place.output ? &instruction.out[place.slot] : instruction.in[place.slot].array();
}

bool keeps_nothing(const Instruction& instruction) {
    static const RowId matmul = find_row("matmul"), scatter = find_row("scatter"), add_at = find_row("add_at");
    if (instruction.work != Work::structured) return true;
    return instruction.row != scatter && instruction.row != add_at && !(instruction.row == matmul && instruction.option == 1);
}

void Census::take(std::span<const Instruction> list) {
    static std::atomic<std::uint64_t> flushes{0};
    flush_number_ = ++flushes;
    marks_.clear();
    for (const Instruction& instruction : list) {
        each_buffer(instruction, [this](Buffer& b, bool) {
            if (b.counted_by != flush_number_) add(b);
            ++marks_[b.number].held;
        });
    }
    for (Mark& mark : marks_) mark.outside = mark.buffer->refs() > mark.held;
}

void Census::add(Buffer& b) {
    b.counted_by = flush_number_;
    b.number = static_cast<std::uint32_t>(marks_.size());
    marks_.push_back({&b});
}

namespace {

// Builds the SSA form: remembers which value each view of each buffer holds, and which applications exist already.
class Builder {
public:
    Builder(Fused& fused, std::span<const Instruction> list, const Unmade& unmade, Census& census) : fused_(fused), list_(list), unmade_(unmade), census_(census) {}

    void add(std::uint32_t position) {
        const Instruction& instruction = list_[position];
        Step step{instruction.row, instruction.loop, {}, 0};
        for (std::size_t k = 0; k < instruction.in.size(); ++k) step.in[k] = input(instruction.in[k], {position, static_cast<std::uint8_t>(k), false});
        if (instruction.work == Work::reduction) {
            fused_.reduced = instruction.reduced;
            reductions_.push_back({{position, 0, true}, {step.in[0], instruction.row, instruction.loop}});
            return;
        }
        const ValueId first = apply(step, row(instruction.row));
        for (std::size_t k = 0; k < instruction.out.size(); ++k)
            define(instruction.out[k], {position, static_cast<std::uint8_t>(k), true}, static_cast<ValueId>(first + k));
    }

    // Keeps what somebody outside the group can see, drops the steps that nothing needs, and renumbers the values so
    // that the inputs come first.
    void finish(std::uint32_t group) {
        struct Written { Place place; ValueId value; };
        std::vector<Written> written;
        for (const Known& known : known_) {
            if (!known.place.output) continue;
            const Census::Mark& mark = census_[*known.array->buffer];
            if (mark.outside || mark.last_group > group) written.push_back({known.place, known.value});
        }
        std::vector<bool> used(dtypes_.size(), false);
        for (const Written& w : written) used[w.value] = true;
        for (const auto& [place, reduction] : reductions_) used[reduction.value] = true;
        for (std::size_t s = steps_.size(); s-- > 0;) {
            const Row& r = row(steps_[s].row);
            bool needed = false;
            for (std::size_t k = 0; k < r.nout; ++k) needed = needed || used[steps_[s].out + k];
            if (!needed) continue;
            for (std::size_t k = 0; k < r.nout; ++k) used[steps_[s].out + k] = true;
            for (std::size_t k = 0; k < r.nin; ++k) used[steps_[s].in[k]] = true;
        }
        std::vector<ValueId> number(dtypes_.size(), 0);
        ValueId next = 0;
        Program& program = fused_.program;
        for (const auto& [value, place] : sources_) {
            if (!used[value]) continue;
            number[value] = next++;
            program.inputs.push_back(dtypes_[value]);
            const TurnedCopy* const copy = unmade_.find(list_[place.instruction].in[place.slot]);
            if (copy) fused_.through.push_back({fused_.inputs.size(), place, copy->turned});
            fused_.inputs.push_back(copy ? Place{copy->pieces[0], 0, false} : place);
        }
        for (Step step : steps_) {
            if (!used[step.out]) continue;
            const Row& r = row(step.row);
            for (std::size_t k = 0; k < r.nin; ++k) step.in[k] = number[step.in[k]];
            for (std::size_t k = 0; k < r.nout; ++k) number[step.out + k] = next++;
            step.out = number[step.out];
            program.steps.push_back(step);
        }
        for (const Written& w : written) {
            program.stores.push_back({number[w.value]});
            fused_.outputs.push_back(w.place);
        }
        for (const auto& [place, reduction] : reductions_) {
            program.reductions.push_back({number[reduction.value], reduction.row, reduction.loop});
            fused_.outputs.push_back(place);
        }
    }

private:
    struct Known {
        const Array* array;
        Place place;
        ValueId value;
    };

    ValueId new_value(DType dtype) {
        dtypes_.push_back(dtype);
        return static_cast<ValueId>(dtypes_.size() - 1);
    }

    ValueId input(const Argument& in, Place place) {
        if (const Scalar* scalar = in.scalar()) {
            for (const auto& [value, source] : sources_) {
                const Scalar* other = list_[source.instruction].in[source.slot].scalar();
                if (other && other->dtype == scalar->dtype && other->bytes == scalar->bytes) return value;
            }
        } else {
            const Array& a = *in.array();
            for (auto known = known_.rbegin(); known != known_.rend(); ++known)
                if (known->array->buffer == a.buffer && known->array->dtype == a.dtype && same_elements(known->array->view, a.view))
                    return known->value;
        }
        const ValueId value = new_value(in.dtype());
        sources_.push_back({value, place});
        if (const Array* a = in.array()) known_.push_back({a, place, value});
        return value;
    }

    ValueId apply(Step step, const Row& r) {
        const Signature& signature = r.loops[step.loop];
        if (step.row == cast_row() && signature.in[0] == signature.out[0]) return step.in[0];
        for (const Step& s : steps_)
            if (s.row == step.row && s.loop == step.loop && s.in == step.in) return s.out;
        step.out = new_value(signature.out[0]);
        for (std::size_t k = 1; k < r.nout; ++k) new_value(signature.out[k]);
        steps_.push_back(step);
        return step.out;
    }

    void define(const Array& array, Place place, ValueId value) {
        for (Known& known : known_) {
            if (known.array->buffer == array.buffer && known.array->dtype == array.dtype && same_elements(known.array->view, array.view)) {
                known = {&array, place, value};
                return;
            }
        }
        known_.push_back({&array, place, value});
    }

    Fused& fused_;
    std::span<const Instruction> list_;
    const Unmade& unmade_;
    Census& census_;
    std::vector<DType> dtypes_;  // of the values, in order of definition
    std::vector<std::pair<ValueId, Place>> sources_;
    std::vector<Step> steps_;
    std::vector<Known> known_;
    std::vector<std::pair<Place, Reduction>> reductions_;
};

}  // namespace

std::vector<Fused> fuse(std::span<const Instruction> list, std::span<const Group> groups, std::span<const TurnedCopy> copies, Census& census) {
    const Unmade unmade(list, copies);
    for (std::uint32_t g = 0; g < groups.size(); ++g)
        for (const auto* positions : {&groups[g].members, &groups[g].through})
            for (const std::uint32_t position : *positions) each_buffer(list[position], [&](Buffer& b, bool) { census[b].last_group = g; });
    std::vector<Fused> all(groups.size());
    for (std::uint32_t g = 0; g < groups.size(); ++g) {
        if (groups[g].alone) continue;
        Builder builder(all[g], list, unmade, census);
        for (const std::uint32_t position : groups[g].members) builder.add(position);
        builder.finish(g);
    }
    return all;
}

}  // namespace asnumpy
