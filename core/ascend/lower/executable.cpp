// Running a program: memory for its values as assigned, its steps one after the other, what is written at the end.
#include "ascend/lower/executable.hpp"

#include <algorithm>
#include <atomic>
#include <list>
#include <mutex>
#include <optional>
#include <vector>

#include "ascend/lower/lowering.hpp"
#include "ascend/lower/call.hpp"
#include "ascend/lower/generated.hpp"
#include "ascend/launch/movement.hpp"
#include "ascend/lower/assignment.hpp"
#include "ascend/lower/next_path.hpp"
#include "base/error.hpp"
#include "base/few.hpp"

namespace asnumpy::ascend {
namespace {

constexpr std::size_t most_assignments = 64;

// Which operation of a program a launch was at when it failed.
struct AtWork {
    const Step* step = nullptr;
    const Reduction* reduction = nullptr;

    std::optional<std::string> operator()() const {
        if (step) return operation_of(step->row, step->loop);
        if (reduction) return reduction_of(reduction->row, reduction->loop);
        return std::nullopt;
    }
};

// A program as one generation lowers it.
class LoweredProgram {
public:
    LoweredProgram(DeviceState& device, const Program& program) : device_(device), program_(program), dtypes_(dtypes_of(program)) {
        for (const Step& step : program.steps) {
            const Row& r = row(step.row);
            static const RowId cast = find_row("cast");
            const bool copies = step.row == cast && r.loops[step.loop].in[0] == r.loops[step.loop].out[0];
            if (!copies && !elementwise(step.row, step.loop)) throw Uncomputed(device.name + ": " + std::string(r.name) + " for " + std::string(name(r.loops[step.loop].in[0])) + " has no way on this device");
        }
        for (const Reduction& reduction : program.reductions) {
            const Folding* const folding = asnumpy::ascend::reduction(reduction.row, reduction.loop);
            if (!folding) throw Uncomputed(device.name + ": the reduction by " + std::string(row(reduction.row).name) + " of " + std::string(name(dtypes_[reduction.value])) + " has no way on this device");
            foldings_.push_back(folding);
        }
    }

    std::uint64_t made_in() const { return made_in_; }

    void run(const Launch& launch, AtWork& at) const {
        bool kept_empty = false, reduced_empty = false;
        for (int axis = 0; axis < launch.shape.size(); ++axis)
            if (launch.shape[axis] == 0) (launch.reduced >> axis & 1 ? reduced_empty : kept_empty) = true;
        if (kept_empty) return;
        if (capturing) {  // together with other launches
            if (generated_.possible()) Capture::refuse("a program that may become a kernel");
            Emitter emitter(device_);
            return enqueue(emitter, launch, reduced_empty, std::nullopt, at);
        }
        std::optional<Space> space;  // normalised, where there may be a kernel for it
        if (generated_.possible() && !reduced_empty) space.emplace(space_of(launch, program_.inputs.size())).normalise();
        if (several_.load(std::memory_order_relaxed) && Graphs::enabled() && device_.graphs.possible() && replayed(launch, reduced_empty, space)) return;
        if (space) generated_.prepare(*space);
        Emitter emitter(device_);
        enqueue(emitter, launch, reduced_empty, space, at);
        if (emitter.enqueued() > 1) several_.store(true, std::memory_order_relaxed);
    }

private:
    // Whether a graph of the launch did it. A kernel of its own does it better, and what recurs as a graph gets one as well.
    bool replayed(const Launch& launch, bool reduced_empty, const std::optional<Space>& space) const {
        if (space && generated_.find(*space)) return false;
        const LaunchKey& key = key_of(number_, program_.inputs, launch);
        const Graphs::Next next = device_.graphs.recur(key);
        if (next == Graphs::Next::done && space) generated_.count(*space);
        return next == Graphs::Next::done || (next == Graphs::Next::capture && device_.graphs.capture(key, [&](Capture&) {
                                                   Emitter emitter(device_);
                                                   AtWork captured;
                                                   enqueue(emitter, launch, reduced_empty, space, captured);
                                               }));
    }

    // space: that of the launch, where there may be a kernel for it.
    void enqueue(Emitter& emitter, const Launch& launch, bool reduced_empty, const std::optional<Space>& space, AtWork& at) const {
        if (space) {
            if (const ProgramKernel* const kernel = generated_.find(*space)) return run_generated(emitter, *space, *kernel, at);
            generated_.count(*space);
            return run_operators(emitter, *space, at);
        }
        Space given = space_of(launch, program_.inputs.size(), emitter.memory());
        if (reduced_empty) return fill_neutral(emitter, given);
        given.normalise();
        run_operators(emitter, given, at);
    }

    void run_operators(Emitter& emitter, const Space& space, AtWork& at) const {
        if (space.shape.size() <= most_axes) run_assigned(emitter, space, at);
        else run_gathered(emitter, space, at);
    }

    void run_generated(Emitter& emitter, const Space& space, const ProgramKernel& kernel, AtWork& at) const {
        generated_.run(emitter, space, kernel, [&](std::size_t k, const Tensor& values) {
            at.reduction = &program_.reductions[k];
            fold(emitter, *foldings_[k], values, space, output(space, program_.stores.size() + k));
            at.reduction = nullptr;
        });
    }

    // A constant is 0-d.
    Tensor input(Emitter& emitter, const Space& space, std::size_t k) const {
        const DType dtype = dtypes_[k];
        if (!space.operands[k].constant) return space.tensor(k, dtype);
        Scalar value;
        value.dtype = dtype;
        std::copy_n(reinterpret_cast<const std::byte*>(space.operands[k].data), itemsize(dtype), value.bytes.begin());
        return emitter.constant(value);
    }
    DType output_dtype(std::size_t k) const {
        return dtypes_[k < program_.stores.size() ? program_.stores[k].value : program_.reductions[k - program_.stores.size()].value];
    }
    Tensor output(const Space& space, std::size_t k) const { return space.tensor(program_.inputs.size() + k, output_dtype(k)); }

    // Valid as long as the launch: with the device's mutex held, like all of one.
    const Assignment& assignment_of(const Emitter& emitter, const Space& space) const {
        const Layout layout(program_, dtypes_, space, emitter.memory());
        for (const auto& [known, assignment] : assignments_)
            if (known == layout) return assignment;
        if (assignments_.size() >= most_assignments) assignments_.clear();
        return assignments_.emplace_back(layout, assign(program_, layout)).second;
    }

    void run_assigned(Emitter& emitter, const Space& space, AtWork& at) const {
        const Assignment& assignment = assignment_of(emitter, space);
        const Dims shape = space.shape.empty() ? Dims{1} : space.shape;
        std::pmr::vector<Tensor> values(dtypes_.size(), &emitter.memory());
        for (std::size_t k = 0; k < program_.inputs.size(); ++k) values[k] = input(emitter, space, k);
        for (const ValueId k : assignment.copied) {
            const Tensor copy = emitter.temporary(shape, dtypes_[k]);
            move(emitter, values[k], copy);
            values[k] = copy;
        }
        for (const std::uint16_t k : assignment.overwritten) emitter.write_last(space.operands[k].data);
        Few<Tensor, 4> in;
        Few<Tensor, 2> out;
        for (const Assignment::AssignedUnit& assigned : assignment.units) {
            const Unit& unit = assigned.unit;
            in.clear();
            out.clear();
            for (std::size_t k = 0; k < unit.nin; ++k) {
                Tensor& operand = in.emplace_back(values[unit.in[k]]);
                if (assigned.spread >> k & 1) {  // not every operator broadcasts
                    operand.shape = shape;
                    operand.strides = Dims(shape.size());
                }
            }
            for (std::size_t k = 0; k < unit.nout; ++k) {
                const std::size_t value = unit.out + k;
                const Assignment::Target& target = assigned.out[k];
                if (target.place == Assignment::Place::output) values[value] = space.tensor(target.operand, dtypes_[value]);
                else values[value] = emitter.temporary(target.place == Assignment::Place::number ? Dims{} : shape, dtypes_[value]);
                out.emplace_back(values[value]);
            }
            const std::size_t mark = emitter.mark();
            if (unit.lowering || unit.contraction) {
                at.step = unit.step;
                unit.run(emitter, in, out);
                at.step = nullptr;
            } else {
                move(emitter, in[0], out[0]);
            }
            emitter.release_since(mark);
            for (const ValueId dead : assigned.dead) emitter.release(values[dead]);
        }
        for (std::size_t k = 0; k < program_.reductions.size(); ++k) {
            at.reduction = &program_.reductions[k];
            fold(emitter, *foldings_[k], full(emitter, values[assignment.reduced[k]], shape), space, output(space, program_.stores.size() + k));
            at.reduction = nullptr;
        }
        for (const Assignment::Late& late : assignment.late) write(emitter, values[late.value], output(space, late.store));
    }

    static void write(Emitter& emitter, const Tensor& from, const Tensor& to) {
        if (emitter.is_written_last(to)) overwrite(emitter, from, to);
        else move(emitter, from, to);
    }

    static Tensor full(Emitter& emitter, const Tensor& t, const Dims& shape) {
        if (!t.shape.empty()) return t;
        const Tensor all = emitter.temporary(shape, t.dtype);
        move(emitter, t, all);
        return all;
    }

    static void fold(Emitter& emitter, const Folding& folding, const Tensor& from, const Space& space, const Tensor& target) {
        if (!space.reduced) return move(emitter, cast_to(emitter, from, target.dtype), target);
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
    void run_gathered(Emitter& emitter, Space space, AtWork& at) const {
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
            Tensor there = space.tensor(k, input ? dtypes_[k] : output_dtype(k - space.inputs));
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
        run_assigned(emitter, gathered, at);
        for (std::size_t k = 0; k < space.inputs; ++k)
            if (!space.operands[k].constant) emitter.write_last(space.operands[k].data);
        std::ranges::stable_partition(results, [&](const auto& result) { return !emitter.is_written_last(result.second); });
        for (const auto& [here, there] : results) write(emitter, here, there);
    }

    void fill_neutral(Emitter& emitter, const Space& space) const {
        for (std::size_t k = 0; k < program_.reductions.size(); ++k) {
            const Reduction& reduction = program_.reductions[k];
            Tensor target = output(space, program_.stores.size() + k);
            for (int axis = 0; axis < target.shape.size(); ++axis)
                if (space.is_reduced(axis)) target.shape[axis] = 1;
            move(emitter, emitter.constant(neutral(reduction.row, dtypes_[reduction.value])), target);
        }
    }

    DeviceState& device_;
    const Program& program_;
    const std::uint64_t made_in_ = generation();
    std::vector<DType> dtypes_;              // of the values
    std::vector<const Folding*> foldings_;   // of the reductions
    const Generated generated_{program_};
    const std::uint64_t number_ = new_owner();      // of graphs
    mutable std::atomic<bool> several_{false};      // a launch was more than one call: a graph of it pays
    mutable std::list<std::pair<Layout, Assignment>> assignments_;
};

// A program as the present generation lowers it. What earlier ones made stays, for other threads may be running it.
class ProgramExecutable final : public Executable {
public:
    ProgramExecutable(DeviceState& device, const Program& program) : device_(device), program_(program) { lower(); }

    void run(const Launch& launch) const override {
        AtWork at;
        by_next_paths(device_.name, [&] {
            at = {};
            const LoweredProgram* lowered = lowered_.load(std::memory_order_acquire);
            if (lowered->made_in() != generation()) [[unlikely]] lowered = lower();
            lowered->run(launch, at);
        }, [&] { return at(); });
    }

private:
    const LoweredProgram* lower() const {
        const std::lock_guard lock(mutex_);
        if (!all_.empty() && all_.back()->made_in() == generation()) return all_.back().get();
        if (!all_.empty()) device_.graphs.distrust();  // they hold the calls of before
        all_.push_back(std::make_unique<const LoweredProgram>(device_, program_));
        lowered_.store(all_.back().get(), std::memory_order_release);
        return all_.back().get();
    }

    DeviceState& device_;
    const Program program_;
    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<const LoweredProgram>> all_;
    mutable std::atomic<const LoweredProgram*> lowered_{nullptr};
};

}  // namespace

std::unique_ptr<Executable> make_executable(DeviceState& device, const Program& program) {
    return std::make_unique<ProgramExecutable>(device, program);
}

}  // namespace asnumpy::ascend
