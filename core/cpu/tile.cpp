// The inner loop of the executor.
#include "cpu/tile.hpp"

#include <algorithm>
#include <new>

#include "base/copy_bytes.hpp"
#include "cpu/transfer.hpp"

namespace asnumpy::cpu {
namespace {

constexpr std::size_t page = 4096;

}  // namespace

void Arena::Free::operator()(char* p) const { ::operator delete(p, std::align_val_t{page}); }

Arena& Arena::of_this_thread() {
    thread_local Arena arena;
    return arena;
}

char* Arena::reserve(std::int64_t bytes) {
    if (bytes > size_) {
        memory_.reset();
        size_ = 0;
        memory_.reset(static_cast<char*>(::operator new(static_cast<std::size_t>(bytes), std::align_val_t{page})));
        size_ = bytes;
    }
    return memory_.get();
}

void Tiles::reserve(const Frame& frame) {
    Arena& arena = Arena::of_this_thread();
    arena.reserve(frame.arena_bytes);
    if (arena.values.size() < frame.plan->values.size()) arena.values.resize(frame.plan->values.size());
    if (arena.operands.size() < frame.plan->most_operands) arena.operands.resize(frame.plan->most_operands);
    if (arena.fetched.size() < static_cast<std::size_t>(frame.keys)) arena.fetched.resize(static_cast<std::size_t>(frame.keys));
}

Tiles::Tiles(const Frame& frame) : frame_(frame) {
    reserve(frame);
    Arena& arena = Arena::of_this_thread();
    memory_ = arena.reserve(frame.arena_bytes);
    const Resolved& plan = *frame.plan;
    values_ = arena.values.data();
    operands_ = arena.operands.data();
    fetched_ = arena.fetched.data();
    std::fill_n(fetched_, frame.keys, Arena::Key{0, 0});
    for (std::size_t i = 0; i < frame.inputs.size(); ++i) {
        const Source& input = frame.inputs[i];
        values_[i] = memory_ + input.offset;
        if (input.access == Source::Access::constant) splat(values_[i], input.view.data, input.view.itemsize, frame.tiling.tile);
    }
    for (std::size_t v = plan.inputs.size(); v < plan.values.size(); ++v)
        if (plan.slot_of[v] >= 0) values_[v] = memory_ + frame.slot_offset[static_cast<std::size_t>(plan.slot_of[v])];
}

// Elements that the slot already holds are not gathered again: a row that every row of the space meets, the element
// that a whole row meets.
void Tiles::fetch(std::size_t i, std::int64_t flat, std::int64_t n) {
    const Source& input = frame_.inputs[i];
    if (input.repeat != Source::Repeat::never) {
        std::int64_t way = 0;
        if (input.ways > 1) {
            way = flat % frame_.tiling.period / frame_.tiling.tile;
            if (input.ways > frame_.tiling.pieces) way += flat / frame_.order.inner % frame_.order.reduced * frame_.tiling.pieces;
        }
        Arena::Key& key = fetched_[input.first_key + way];
        values_[i] = memory_ + input.offset + way * input.way_bytes;
        const std::int64_t origin = input.repeat == Source::Repeat::cycle ? flat % input.cycle : reinterpret_cast<std::intptr_t>(input.view.at(flat));
        if (key.origin == origin && key.length >= n) return;
        key = {origin, n};
    }
    gather(values_[i], input.view, flat, n);
}

// The last value that the call defines, line by line to an element each.
void Tiles::fold(const Call& call, std::int64_t n) {
    const Resolved& plan = *frame_.plan;
    const std::int64_t length = frame_.scheme == Scheme::lines ? frame_.order.reduced : n;
    const ValueId* const operand = plan.operands.data() + call.first;
    for (std::int64_t line = 0; line * length < n; ++line) {
        for (std::size_t k = 0; k < std::size_t{call.nout} + call.nin; ++k) {
            const std::int64_t first = k + 1 == call.nout ? line : line * length;
            operands_[k] = values_[operand[k]] + first * static_cast<std::int64_t>(itemsize(plan.values[operand[k]]));
        }
        call.forms.folded(operands_, operands_ + call.nout, static_cast<std::size_t>(length));
    }
}

void Tiles::run(std::int64_t flat, std::int64_t n, Form applied) {
    using Access = Source::Access;
    using Delivery = Output::Delivery;
    for (std::size_t i = 0; i < frame_.inputs.size(); ++i) {
        const Source& input = frame_.inputs[i];
        if (input.access == Access::in_place)
            values_[i] = input.view.at(flat);
        else if (input.access == Access::turned)
            values_[i] = reach_turned(memory_ + input.offset, input.view, flat, n);
        else if (input.access == Access::gathered)
            fetch(i, flat, n);
    }
    for (const Output& output : frame_.outputs)
        if (output.delivery == Delivery::direct) values_[output.value] = output.view.at(flat);

    const std::vector<Call>& calls = frame_.plan->calls;
    for (std::size_t c = 0; c < calls.size(); ++c) {
        const Call& call = calls[c];
        const Form form = frame_.applied[c] ? applied : Form::each;
        if (form == Form::folded) {
            fold(call, n);
            continue;
        }
        const ValueId* const operand = frame_.plan->operands.data() + call.first;
        const std::size_t count = std::size_t{call.nout} + call.nin;
        for (std::size_t k = 0; k < count; ++k) operands_[k] = values_[operand[k]];
        (form == Form::each ? call.forms.each : call.forms.added)(operands_, operands_ + call.nout, static_cast<std::size_t>(n));
    }

    for (const Output& output : frame_.outputs) {
        const auto bytes = static_cast<std::size_t>(n * output.view.itemsize);
        switch (output.delivery) {
        case Delivery::direct: break;
        case Delivery::copied: copy_bytes(output.view.at(flat), values_[output.value], bytes); break;
        case Delivery::streamed: stream(output.view.at(flat), values_[output.value], bytes); break;
        case Delivery::scattered: scatter(output.view, flat, values_[output.value], n); break;
        case Delivery::fetched: gather(output.view.at(flat), frame_.inputs[output.value].view, flat, n); break;
        }
    }
}

}  // namespace asnumpy::cpu
