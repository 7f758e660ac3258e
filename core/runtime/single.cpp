// Running one operation by itself, and the programs for that: one for each row, dtype and device.
#include "runtime/single.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "base/error.hpp"
#include "base/fork_mutex.hpp"
#include "base/immortal.hpp"
#include "device/trace.hpp"
#include "runtime/record.hpp"
#include "runtime/recorded_at.hpp"

namespace asnumpy {

namespace {

// One launch per thread is enough, and keeps its storage.
Launch& scratch_launch(std::size_t operands) {
    thread_local Launch launch;
    launch.operands.resize(operands);
    launch.reduced = 0;
    return launch;
}

// One row, with or without a launch.
void run_elementwise(const Pool& pool, RowId id, int loop, const Launch& launch) {
    if (pool.backend().run_without_launch(id, loop, launch)) return;
    single_program(pool, Work::elementwise, id, loop).run(launch);
}

// Runs elementwise work whose operands all have memory, or a reduction, in the calling thread's time.
void run_single(const Instruction& instruction) {
    Launch& launch = scratch_launch(instruction.in.size() + instruction.out.size());
    launch.shape = instruction.shape;
    launch.reduced = instruction.reduced;
    Operand* operand = launch.operands.data();
    for (const Argument& in : instruction.in) {
        if (const Array* array = in.array()) {
            array->buffer->materialise();
            *operand++ = {array->data(), array->view.strides};
        } else {
            *operand++ = {bytes_of(*in.scalar()), Dims(instruction.shape.size()), true};
        }
    }
    for (const Array& out : instruction.out) {
        out.buffer->materialise();
        *operand++ = {out.data(), out.view.strides};
    }
    const Pool& pool = instruction.out[0].pool();
    if (instruction.work == Work::elementwise) run_elementwise(pool, instruction.row, instruction.loop, launch);
    else single_program(pool, instruction.work, instruction.row, instruction.loop).run(launch);
}

}  // namespace

Tensor tensor_of(const Array& a) { return {a.buffer->materialised() ? a.data() : nullptr, a.dtype, a.view.shape, a.view.strides}; }

void run_now(const Instruction& instruction) {
    if (instruction.work != Work::structured) return run_single(instruction);
    trace::Span span(row(instruction.row).name, "structured");
    if (span.listening()) span.set_lines(line_of(instruction.origin));
    each_buffer(instruction, [](Buffer& b, bool) { b.materialise(); });
    instruction.out[0].pool().backend().run(structured_call(instruction));
}

void run_at_hand(RowId id, int loop, std::span<const Input> in, std::span<const Array> out) {
    Launch& launch = scratch_launch(in.size() + out.size());
    launch.shape = out[0].view.shape;
    std::size_t n = 0;
    for (const Input& i : in) {
        launch.operands[n].data = i.is_scalar() ? bytes_of(i.scalar) : i.array->data();
        launch.operands[n].constant = i.is_scalar();
        if (i.is_scalar()) launch.operands[n++].strides = Dims(launch.shape.size());
        else launch.operands[n++].strides = i.array->view.shape == launch.shape ? i.array->view.strides : broadcast_to(i.array->view, launch.shape).strides;
    }
    for (const Array& o : out) {
        launch.operands[n].data = o.data();
        launch.operands[n].constant = false;
        launch.operands[n++].strides = o.view.strides;
    }
    run_elementwise(out[0].pool(), id, loop, launch);
}

StructuredCall structured_call(const Instruction& instruction) {
    StructuredCall call;
    call.row = instruction.row;
    call.axis = instruction.axis;
    call.op = instruction.op;
    call.option = instruction.option;
    call.numbers = instruction.numbers;
    call.stream = instruction.stream;
    for (const Array& out : instruction.out) call.out.push_back(tensor_of(out));
    for (const Argument& in : instruction.in) {
        if (in.array()) call.in.push_back(tensor_of(*in.array()));
        else call.in.push_back({bytes_of(*in.scalar()), in.dtype(), call.out[0].shape, Dims(call.out[0].shape.size()), true});
    }
    return call;
}

const Executable& single_program(const Pool& pool, Work work, RowId id, int loop) {
    using Slot = std::atomic<const Executable*>;
    // One table per device and kind of work; a row has few loops.
    using Table = std::vector<std::vector<Slot>>;
    static Immortal<ForkMutex> making(45);  // compiling allocates
    static std::array<std::atomic<std::array<Table, 2>*>, most_devices> tables{};
    if (pool.number() >= tables.size()) throw RuntimeFailure("asnumpy computes on at most " + std::to_string(tables.size()) + " devices in one process");
    std::array<Table, 2>* both = tables[pool.number()].load(std::memory_order_acquire);
    if (!both) {
        const std::lock_guard lock(*making);
        both = tables[pool.number()].load(std::memory_order_acquire);
        if (!both) {
            auto made = std::make_unique<std::array<Table, 2>>();
            for (Table& table : *made)
                for (const Row& r : rows()) table.emplace_back(r.loops.size());
            tables[pool.number()].store(both = made.release(), std::memory_order_release);  // kept for the life of the process
        }
    }
    Slot& slot = (*both)[work == Work::reduction][id][static_cast<std::size_t>(loop)];
    if (const Executable* made = slot.load(std::memory_order_acquire)) return *made;
    const std::lock_guard lock(*making);
    if (const Executable* made = slot.load(std::memory_order_acquire)) return *made;
    const Row& r = row(id);
    const Signature& signature = r.loops[static_cast<std::size_t>(loop)];
    Program program;
    if (work == Work::reduction) {
        program.inputs.push_back(signature.in[0]);
        program.reductions.push_back({0, id, static_cast<std::uint16_t>(loop)});
    } else if (id == cast_row() && signature.in[0] == signature.out[0]) {
        program.inputs.push_back(signature.in[0]);
        program.stores.push_back({0});
    } else {
        Step step{id, static_cast<std::uint16_t>(loop), {}, r.nin};
        for (std::size_t k = 0; k < r.nin; ++k) {
            program.inputs.push_back(signature.in[k]);
            step.in[k] = static_cast<ValueId>(k);
        }
        program.steps.push_back(step);
        for (std::size_t k = 0; k < r.nout; ++k) program.stores.push_back({static_cast<ValueId>(r.nin + k)});
    }
    const Executable* made = pool.backend().compile(program).release();  // kept for the life of the process
    slot.store(made, std::memory_order_release);
    return *made;
}

}  // namespace asnumpy
