// An operand is a base or a buffer, and an offset; its address is asked for at each run, since a kept list's memory is another one each time.
#include "runtime/kept_launch.hpp"

#include "runtime/record.hpp"
#include "runtime/single.hpp"

namespace asnumpy {

void lay_out_launch(Launch& launch, std::span<const Instruction> list, const Schedule::Part& part) {
    const Fused& fused = part.fused;
    launch.shape = list[part.group.members.front()].shape;
    launch.reduced = fused.reduced;
    launch.operands.resize(fused.inputs.size() + fused.outputs.size());
    Operand* operand = launch.operands.data();
    for (const Place& place : fused.inputs) {
        const Argument& source = list[place.instruction].in[place.slot];
        if (const Array* array = source.array()) *operand++ = {nullptr, array->view.strides};
        else *operand++ = {bytes_of(*source.scalar()), Dims(launch.shape.size()), true};
    }
    for (const Place& place : fused.outputs) *operand++ = {nullptr, list[place.instruction].out[place.slot].view.strides};
    for (const Fused::Through& through : fused.through) {
        Operand& read = launch.operands[through.input];
        read.strides = operand_array(list, through.reader)->view.strides;
        read.turned = &through.turned;
    }
}

void set_launch(Launch& launch, std::span<const Instruction> list, const Schedule::Part& part) {
    lay_out_launch(launch, list, part);
    Operand* operand = launch.operands.data();
    const auto place = [&operand](const Array& array) {
        array.buffer->materialise();
        operand++->data = array.data();
    };
    for (const Place& in : part.fused.inputs) {
        if (const Array* array = list[in.instruction].in[in.slot].array()) place(*array);
        else ++operand;
    }
    for (const Place& out : part.fused.outputs) place(list[out.instruction].out[out.slot]);
}

void KeptLaunch::add(const Roots& roots, const Array* array, const Scalar* number) {
    Where& where = operands_.emplace_back(Where{no_base, nullptr, 0});
    if (!array) {
        where.offset = reinterpret_cast<std::intptr_t>(bytes_of(*number));
        return;
    }
    where.offset = array->view.offset;
    if (const auto root = roots.find(array->buffer.get()); root != roots.end()) {
        where.base = root->second.base;
        where.offset += root->second.offset;
    } else {
        where.buffer = array->buffer.get();
    }
}

KeptLaunch::KeptLaunch(std::span<const Instruction> list, const Schedule::Part& part, const Executable* executable, const Roots& roots) {
    const Instruction& first = list[part.group.members.front()];
    if (first.on_host || !first.out[0].host_visible()) return;
    if (!part.group.alone) {
        if (!executable) return;
        Launch launch;
        set_launch(launch, list, part);
        prepared_ = executable->prepare(launch);
        if (!prepared_) return;
        for (const Place& place : part.fused.inputs) {
            const Argument& in = list[place.instruction].in[place.slot];
            add(roots, in.array(), in.scalar());
        }
        for (const Place& place : part.fused.outputs) add(roots, &list[place.instruction].out[place.slot], nullptr);
    } else if (first.work == Work::structured) {
        instruction_ = &first;
        call_ = std::make_unique<StructuredCall>(structured_call(first));
        for (const Argument& in : first.in) add(roots, in.array(), in.scalar());
        for (const Array& out : first.out) add(roots, &out, nullptr);
    }
}

void KeptLaunch::run(std::span<char* const> bases) {
    thread_local std::vector<char*> data;
    data.resize(operands_.size());
    for (std::size_t k = 0; k < operands_.size(); ++k) {
        const Where& where = operands_[k];
        if (where.base != no_base) {
            data[k] = bases[where.base] + where.offset;
        } else if (where.buffer) {
            where.buffer->materialise();
            data[k] = where.buffer->data() + where.offset;
        } else {
            data[k] = reinterpret_cast<char*>(where.offset);
        }
    }
    if (prepared_) return prepared_->run(data);
    const std::size_t read = call_->in.size();
    for (std::size_t k = 0; k < read; ++k) call_->in[k].data = data[k];
    for (std::size_t k = 0; k < call_->out.size(); ++k) call_->out[k].data = data[read + k];
    call_->stream = instruction_->stream;
    instruction_->out[0].pool().backend().run(*call_);
}

}  // namespace asnumpy
