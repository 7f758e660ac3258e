// What a call of a recorded function takes, counted from its programs.
#include <algorithm>
#include <unordered_map>

#include "runtime/record.hpp"
#include "runtime/replay.hpp"

namespace asnumpy {

namespace {

// How many bytes of memory the elements of an operand are; those that a broadcast reads again are in the cache.
std::int64_t bytes_touched(const Array& a) {
    std::int64_t elements = a.size() == 0 ? 0 : 1;
    for (int axis = 0; axis < a.ndim() && elements; ++axis)
        if (a.view.strides[axis] != 0) elements *= a.view.shape[axis];
    return elements * item_bytes(a);
}

// One for each element, two for each multiplication of a product.
std::int64_t operations_of(const Instruction& instruction) {
    if (instruction.work != Work::structured) return count(instruction.shape);
    std::int64_t most = 0;
    for (const Array& out : instruction.out) most = std::max(most, out.size());
    const Array* const first = instruction.in.empty() ? nullptr : instruction.in[0].array();
    if (row(instruction.row).name == "matmul" && first) return 2 * most * first->shape().back();
    return first ? std::max(most, first->size()) : most;
}

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
    programs += other.programs;
    operations += other.operations;
    read += other.read;
    written += other.written;
    most_memory = std::max(most_memory, other.most_memory);
    return *this;
}

Cost Replay::cost() {
    Cost found;
    without_lock([&] {  // what runs is lent memory, and does not look as it was recorded
        std::unique_lock one_run(one_run_);
        const Run nothing_else{Run::ByItself{}};
        found = counted_cost();
    });
    return found;
}

Cost Replay::counted_cost() const {
    Cost whole;
    std::unordered_map<const Buffer*, bool> held;  // what takes memory for the time of a call
    std::int64_t memory = 0;
    const auto take = [&](const Array& a) {
        const Buffer& b = *a.buffer;
        if (!b.trace || b.materialised() || is_argument(b) || !held.try_emplace(&b, true).second) return;
        memory += static_cast<std::int64_t>(b.bytes());
        whole.most_memory = std::max(whole.most_memory, memory);
    };
    for (const Array& result : traced_.results) take(result);
    for (std::size_t s = 0; s < stretches_.size(); ++s) {
        const Stretch& stretch = stretches_[s];
        const std::span list = std::span(traced_.list).subspan(stretch.first, stretch.count);
        for (std::size_t p = 0; p < stretch.schedule->parts.size(); ++p) {
            const Schedule::Part& part = stretch.schedule->parts[p];
            ++whole.programs;
            for (const std::uint32_t member : part.group.members) whole.operations += operations_of(list[member]);
            const auto add_read = [&](const Array* a) {
                if (a) whole.read += bytes_touched(*a);
            };
            const auto add_written = [&](const Array& a) {
                take(a);
                whole.written += bytes_touched(a);
            };
            if (part.group.alone) {
                const Instruction& only = list[part.group.members.front()];
                for (const Argument& in : only.in) add_read(in.array());
                for (const Array& out : only.out) add_written(out);
            } else {
                for (const Place& place : part.fused.inputs) add_read(operand_array(list, place));
                for (const Place& place : part.fused.outputs) add_written(*operand_array(list, place));
            }
            for (const BufferPtr& b : stretch.last_used[p])
                if (held.erase(b.get())) memory -= static_cast<std::int64_t>(b->bytes());
        }
        if (s == traced_.controls.size()) continue;
        const Control& control = traced_.controls[s];
        for (const Array& out : control.out) take(out);
        if (control.kind == Control::Kind::call) {
            for (const Array& in : control.in) whole.read += bytes_touched(in);
            for (const Array& out : control.out) whole.written += bytes_touched(out);
            continue;
        }
        Cost inner = control.first->counted_cost();
        if (control.test) inner += control.test->counted_cost();
        if (control.second) {
            const Cost other = control.second->counted_cost();
            if (other.operations > inner.operations) inner = other;
        }
        inner.most_memory += memory;
        whole += inner;
    }
    return whole;
}

}  // namespace asnumpy
