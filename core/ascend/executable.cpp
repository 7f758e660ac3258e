// Steps in order over one normalised iteration space; which memory each value has, and for how long.
#include "ascend/executable.hpp"

#include <algorithm>
#include <vector>

#include "ascend/lowering.hpp"
#include "ascend/movement.hpp"
#include "base/error.hpp"

namespace asnumpy::ascend {
namespace {

constexpr int most_axes = 8;

// A launch with its axes put in order and joined. Operands that are constants have no strides.
struct Space {
    Dims shape;
    std::uint64_t reduced = 0;
    std::vector<Operand> operands;
    std::size_t inputs = 0;

    bool is_reduced(int axis) const { return reduced >> axis & 1; }

    void erase(int axis) {
        const auto without = [axis](const Dims& dims) {
            Dims rest;
            for (int i = 0; i < dims.size(); ++i)
                if (i != axis) rest.push_back(dims[i]);
            return rest;
        };
        shape = without(shape);
        const std::uint64_t below = (std::uint64_t{1} << axis) - 1;
        reduced = (reduced & below) | (reduced >> 1 & ~below);
        for (Operand& operand : operands) operand.strides = without(operand.strides);
    }

    void swap(int a, int b) {
        std::swap(shape[a], shape[b]);
        for (Operand& operand : operands) std::swap(operand.strides[a], operand.strides[b]);
        const std::uint64_t bits = (std::uint64_t{1} << a) | (std::uint64_t{1} << b);
        if (is_reduced(a) != is_reduced(b)) reduced ^= bits;
    }

    // The first axes are those of large strides, outputs before inputs.
    bool outer(int a, int b) const {
        const auto compare = [&](std::size_t k) { return std::abs(operands[k].strides[a]) - std::abs(operands[k].strides[b]); };
        for (std::size_t k = inputs; k < operands.size(); ++k)
            if (operands[k].strides[a] && operands[k].strides[b])
                if (const auto difference = compare(k)) return difference > 0;
        for (std::size_t k = 0; k < inputs; ++k)
            if (operands[k].strides[a] && operands[k].strides[b])
                if (const auto difference = compare(k)) return difference > 0;
        return true;
    }

    void normalise() {
        for (int axis = shape.size(); axis-- > 0;)
            if (shape[axis] == 1) erase(axis);
        for (int axis = 0; axis < shape.size(); ++axis) {  // the direction in which most outputs, else inputs, run forwards
            int outputs_forwards = 0, inputs_forwards = 0;
            for (std::size_t k = 0; k < operands.size(); ++k) {
                const std::int64_t stride = operands[k].strides[axis];
                (k < inputs ? inputs_forwards : outputs_forwards) += (stride > 0) - (stride < 0);
            }
            if (outputs_forwards > 0 || (outputs_forwards == 0 && inputs_forwards >= 0)) continue;
            for (Operand& operand : operands) {
                operand.data += operand.strides[axis] * (shape[axis] - 1);
                operand.strides[axis] = -operand.strides[axis];
            }
        }
        for (int i = 1; i < shape.size(); ++i)
            for (int j = i; j > 0 && !outer(j - 1, j); --j) swap(j - 1, j);
        for (int axis = shape.size() - 1; axis-- > 0;) {
            bool one = is_reduced(axis) == is_reduced(axis + 1);
            for (const Operand& operand : operands) one = one && operand.strides[axis] == operand.strides[axis + 1] * shape[axis + 1];
            if (!one) continue;
            shape[axis] *= shape[axis + 1];
            for (Operand& operand : operands) operand.strides[axis] = operand.strides[axis + 1];
            erase(axis + 1);
        }
    }
};

bool same_memory(const Operand& a, const Operand& b) { return !a.constant && !b.constant && a.data == b.data; }

class ProgramExecutable final : public Executable {
public:
    ProgramExecutable(DeviceState& device, const Program& program) : device_(device), program_(program) {
        for (int v = 0; v < program.value_count(); ++v) dtypes_.push_back(program.dtype(static_cast<ValueId>(v)));
        last_read_.assign(dtypes_.size(), -1);
        defined_.assign(dtypes_.size(), -1);
        store_of_.assign(dtypes_.size(), -1);
        const int end = static_cast<int>(program.steps.size());
        for (int s = 0; s < end; ++s) {
            const Step& step = program.steps[static_cast<std::size_t>(s)];
            const Row& r = row(step.row);
            static const RowId cast = find_row("cast");
            const bool copies = step.row == cast && r.loops[step.loop].in[0] == r.loops[step.loop].out[0];
            const Lowering* const lowering = copies ? nullptr : elementwise(step.row, step.loop);
            if (!copies && !lowering) throw RuntimeFailure(device.name + ": " + std::string(r.name) + " for " + std::string(name(r.loops[step.loop].in[0])) + " has no way on this device");
            lowerings_.push_back(lowering);
            for (std::size_t k = 0; k < r.nin; ++k) last_read_[step.in[k]] = s;
            for (std::size_t k = 0; k < r.nout; ++k) defined_[step.out + k] = s;
        }
        for (const Reduction& reduction : program.reductions) {
            const Folding* const folding = asnumpy::ascend::reduction(reduction.row, reduction.loop);
            if (!folding) throw RuntimeFailure(device.name + ": the reduction by " + std::string(row(reduction.row).name) + " of " + std::string(name(dtypes_[reduction.value])) + " has no way on this device");
            foldings_.push_back(folding);
            last_read_[reduction.value] = end;
        }
        for (std::size_t k = 0; k < program.stores.size(); ++k) {
            const ValueId value = program.stores[k].value;
            if (defined_[value] >= 0 && store_of_[value] < 0) store_of_[value] = static_cast<int>(k);  // written where it is computed
            else last_read_[value] = end + 1;
        }
    }

    void run(const Launch& launch) const override {
        bool kept_empty = false, reduced_empty = false;
        for (int axis = 0; axis < launch.shape.size(); ++axis)
            if (launch.shape[axis] == 0) (launch.reduced >> axis & 1 ? reduced_empty : kept_empty) = true;
        if (kept_empty) return;
        Space space{launch.shape, launch.reduced, launch.operands, program_.inputs.size()};
        Emitter emitter(device_);
        if (reduced_empty) return fill_neutral(emitter, space);
        space.normalise();
        if (space.shape.size() <= most_axes) run_steps(emitter, space);
        else run_gathered(emitter, space);
    }

private:
    // The operand in the space, whatever its strides. A constant is 0-d.
    Tensor operand(Emitter& emitter, const Space& space, std::size_t k, DType dtype) const {
        const Operand& o = space.operands[k];
        if (o.constant) {
            Scalar value;
            value.dtype = dtype;
            std::copy_n(reinterpret_cast<const std::byte*>(o.data), itemsize(dtype), value.bytes.begin());
            return emitter.constant(value);
        }
        if (space.shape.empty()) return {o.data, dtype, {1}, {static_cast<std::int64_t>(itemsize(dtype))}};
        return {o.data, dtype, space.shape, o.strides};
    }
    DType output_dtype(std::size_t k) const {
        return dtypes_[k < program_.stores.size() ? program_.stores[k].value : program_.reductions[k - program_.stores.size()].value];
    }

    void run_steps(Emitter& emitter, const Space& space) const {
        const std::size_t inputs = program_.inputs.size(), stores = program_.stores.size();
        const Dims shape = space.shape.empty() ? Dims{1} : space.shape;
        std::vector<Tensor> values(dtypes_.size());
        std::vector<bool> temporary(dtypes_.size(), false);
        struct Late {  // to be moved when all is computed
            std::size_t output;
            ValueId value;
        };
        std::vector<Late> late;
        std::vector<Loan> loans(stores);

        for (std::size_t k = 0; k < inputs; ++k) {
            values[k] = operand(emitter, space, k, dtypes_[k]);
            if (last_read_[k] < 0 || space.operands[k].constant) continue;
            bool keep = !is_direct(values[k]);
            // What is stored at the end must not be overwritten by another output before.
            for (std::size_t out = 0; out < stores && last_read_[k] > static_cast<int>(program_.steps.size()); ++out)
                keep = keep || (same_memory(space.operands[k], space.operands[inputs + out]) && program_.stores[out].value != k);
            for (std::size_t out = inputs + stores; out < space.operands.size() && last_read_[k] >= static_cast<int>(program_.steps.size()); ++out)
                keep = keep || same_memory(space.operands[k], space.operands[out]);
            if (!keep) continue;
            const Tensor copy = emitter.temporary(shape, dtypes_[k]);
            move(emitter, values[k], copy);
            values[k] = copy;
            temporary[k] = true;
        }

        std::vector<Tensor> in, out;
        for (std::size_t s = 0; s < program_.steps.size(); ++s) {
            const Step& step = program_.steps[s];
            const Row& r = row(step.row);
            in.clear();
            out.clear();
            bool numbers = true;  // 0-d: the result is one, too
            for (std::size_t k = 0; k < r.nin; ++k) {
                in.push_back(values[step.in[k]]);
                numbers = numbers && in.back().shape.empty();
            }
            for (std::size_t k = 0; k < r.nout; ++k) {
                const auto value = static_cast<ValueId>(step.out + k);
                const int store = store_of_[value];
                Tensor& target = values[value];
                bool direct_store = false;
                if (k == 0 && !numbers) broadcast_computed(emitter, shape, in);
                if (store >= 0) {
                    const std::size_t place = inputs + static_cast<std::size_t>(store);
                    target = operand(emitter, space, place, dtypes_[value]);
                    direct_store = !numbers && is_direct(target);
                    for (std::size_t i = 0; i < inputs; ++i)  // an input that is still to be read must not be overwritten
                        if (!temporary[i] && last_read_[i] > static_cast<int>(s) && same_memory(space.operands[i], space.operands[place])) direct_store = false;
                    if (!direct_store) late.push_back({static_cast<std::size_t>(store), value});
                }
                if (!direct_store && !numbers && store < 0 && borrow(emitter, space, static_cast<int>(s), value, temporary, loans, target)) {
                    direct_store = true;
                }
                if (!direct_store) {
                    target = emitter.temporary(numbers ? Dims{} : shape, dtypes_[value]);
                    temporary[value] = true;
                }
                out.push_back(target);
            }
            const std::size_t mark = emitter.mark();
            if (lowerings_[s]) lowerings_[s]->run(emitter, in, out);
            else move(emitter, in[0], out[0]);
            emitter.release_since(mark);
            const auto dies = [&](ValueId v) {
                if (!temporary[v] || last_read_[v] > static_cast<int>(s)) return;
                if (store_of_[v] >= 0 && std::ranges::any_of(late, [v](const Late& l) { return l.value == v; })) return;
                emitter.release(values[v]);
                temporary[v] = false;
            };
            for (std::size_t k = 0; k < r.nin; ++k) dies(step.in[k]);
            for (std::size_t k = 0; k < r.nout; ++k) dies(static_cast<ValueId>(step.out + k));
        }

        for (std::size_t k = 0; k < program_.reductions.size(); ++k) {
            const Tensor target = operand(emitter, space, inputs + stores + k, output_dtype(stores + k));
            fold(emitter, *foldings_[k], full(emitter, values[program_.reductions[k].value], shape), space, target);
        }
        for (std::size_t k = 0; k < stores; ++k)
            if (store_of_[program_.stores[k].value] != static_cast<int>(k)) late.push_back({k, program_.stores[k].value});
        for (const Late& l : late) move(emitter, values[l.value], operand(emitter, space, inputs + l.output, dtypes_[l.value]));
    }

    // By store: since which step another value lies in its memory, and which step reads that last.
    struct Loan {
        int since = -1, last_read = -1;
    };
    // The memory of an output that is written later, for a value of its dtype that is dead by then.
    bool borrow(Emitter& emitter, const Space& space, int s, ValueId value, const std::vector<bool>& temporary, std::vector<Loan>& loans, Tensor& target) const {
        for (std::size_t k = 0; k < program_.stores.size(); ++k) {
            const ValueId stored = program_.stores[k].value;
            if (store_of_[stored] != static_cast<int>(k) || defined_[stored] <= s || dtypes_[stored] != dtypes_[value]) continue;
            if (last_read_[value] > defined_[stored] || loans[k].last_read > s || loans[k].since == s) continue;
            const Operand& output = space.operands[program_.inputs.size() + k];
            bool free = true;
            for (std::size_t i = 0; i < program_.inputs.size(); ++i)
                free = free && (temporary[i] || last_read_[i] <= s || !same_memory(space.operands[i], output));
            const Tensor memory = operand(emitter, space, program_.inputs.size() + k, dtypes_[value]);
            if (!free || !is_direct(memory)) continue;
            loans[k] = {s, last_read_[value]};
            target = memory;
            return true;
        }
        return false;
    }

    // A number that the device computed stands beside whole operands with strides of 0, for not every operator broadcasts.
    static void broadcast_computed(const Emitter& emitter, const Dims& shape, std::vector<Tensor>& in) {
        for (Tensor& t : in) {
            if (!t.shape.empty() || emitter.known(t)) continue;
            t.shape = shape;
            t.strides = Dims(shape.size());
        }
    }

    static Tensor full(Emitter& emitter, const Tensor& t, const Dims& shape) {
        if (!t.shape.empty()) return t;
        const Tensor all = emitter.temporary(shape, t.dtype);
        move(emitter, t, all);
        return all;
    }

    static void fold(Emitter& emitter, const Folding& folding, const Tensor& from, const Space& space, const Tensor& target) {
        if (!space.reduced) return move(emitter, from, target);
        const std::size_t mark = emitter.mark();
        if (is_direct(target)) {
            folding.run(emitter, from, space.reduced, target);
        } else {
            Dims kept = target.shape;
            for (int axis = 0; axis < kept.size(); ++axis)
                if (space.is_reduced(axis)) kept[axis] = 1;
            const Tensor folded = emitter.temporary(kept, target.dtype);
            Tensor seen = folded, result = target;
            seen.shape = target.shape;
            result.shape = kept;
            for (int axis = 0; axis < kept.size(); ++axis)
                if (space.is_reduced(axis)) seen.strides[axis] = 0;
            folding.run(emitter, from, space.reduced, seen);
            move(emitter, folded, result);
        }
        emitter.release_since(mark);
    }

    // More axes than operators take, which cannot be joined: everything goes through contiguous memory, kept axes first.
    void run_gathered(Emitter& emitter, Space space) const {
        int kept = 0;
        for (int axis = 0; axis < space.shape.size(); ++axis) {
            if (space.is_reduced(axis)) continue;
            for (int at = axis; at > kept; --at) space.swap(at - 1, at);
            ++kept;
        }
        Space gathered{space.shape, space.reduced, {}, space.inputs};
        std::vector<std::pair<Tensor, Tensor>> results;
        for (std::size_t k = 0; k < space.operands.size(); ++k) {
            const bool input = k < space.inputs;
            if (input && space.operands[k].constant) {
                gathered.operands.push_back(space.operands[k]);
                continue;
            }
            Tensor there = operand(emitter, space, k, input ? dtypes_[k] : output_dtype(k - space.inputs));
            const bool reduction = k >= space.inputs + program_.stores.size();
            if (reduction)
                for (int axis = kept; axis < there.shape.size(); ++axis) there.shape[axis] = 1;
            Tensor here = emitter.temporary(there.shape, there.dtype);
            if (input) move(emitter, there, here);
            else results.emplace_back(here, there);
            if (reduction)
                for (int axis = kept; axis < here.shape.size(); ++axis) here.strides[axis] = 0;
            gathered.operands.push_back({here.data, here.strides});
        }
        gathered.normalise();
        run_steps(emitter, gathered);
        for (const auto& [here, there] : results) move(emitter, here, there);
    }

    void fill_neutral(Emitter& emitter, const Space& space) const {
        for (std::size_t k = 0; k < program_.reductions.size(); ++k) {
            const Reduction& reduction = program_.reductions[k];
            Tensor target = operand(emitter, space, program_.inputs.size() + program_.stores.size() + k, dtypes_[reduction.value]);
            for (int axis = 0; axis < target.shape.size(); ++axis)
                if (space.is_reduced(axis)) target.shape[axis] = 1;
            move(emitter, emitter.constant(neutral(reduction.row, dtypes_[reduction.value])), target);
        }
    }

    DeviceState& device_;
    Program program_;
    std::vector<DType> dtypes_;              // of the values
    std::vector<const Lowering*> lowerings_; // of the steps; null: a copy
    std::vector<const Folding*> foldings_;   // of the reductions
    std::vector<int> last_read_;             // by value: the last step that reads it; after the steps: a reduction, then a store
    std::vector<int> defined_;               // by value: its step, -1 for inputs
    std::vector<int> store_of_;              // by value: the store for which it is computed in place, or -1
};

}  // namespace

std::unique_ptr<Executable> make_executable(DeviceState& device, const Program& program) {
    return std::make_unique<ProgramExecutable>(device, program);
}

}  // namespace asnumpy::ascend
