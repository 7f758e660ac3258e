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
    if (const std::size_t moving = frame.inputs.size() + frame.outputs.size(); arena.moving.size() < moving) arena.moving.resize(moving);
    if (const std::size_t places = frame.grids.size() * Grid::most_axes; arena.places.size() < places) arena.places.resize(places);
}

Tiles::Tiles(const Frame& frame) : frame_(frame) {
    reserve(frame);
    Arena& arena = Arena::of_this_thread();
    memory_ = arena.reserve(frame.arena_bytes);
    const Resolved& plan = *frame.plan;
    values_ = arena.values.data();
    operands_ = arena.operands.data();
    fetched_ = arena.fetched.data();
    places_ = arena.places.data();
    moving_ = arena.moving.data();
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
        const std::int64_t origin = input.repeat == Source::Repeat::cycle ? flat % input.cycle : reinterpret_cast<std::intptr_t>(at(input, flat));
        if (key.origin == origin && key.length >= n) return;
        key = {origin, n};
    }
    if (input.share == 1) gather(values_[i], input.view, flat, n);
    else gather(values_[i], input.view, flat / input.share, n / input.share);
}

// The last value that the call defines, line by line to an element each.
void Tiles::fold(const Call& call, std::int64_t n) {
    const Resolved& plan = *frame_.plan;
    const std::int64_t length = frame_.scheme == Scheme::lines ? frame_.order.reduced : n;
    const ValueId* const operand = plan.operands.data() + call.first;
    for (std::int64_t line = 0; line * length < n; ++line) {
        for (std::size_t k = 0; k < std::size_t{call.nout} + call.nin; ++k) {
            const std::int64_t first = plan.is_number(operand[k]) ? 0 : k + 1 == call.nout ? line : line * length;
            operands_[k] = values_[operand[k]] + first * static_cast<std::int64_t>(itemsize(plan.values[operand[k]]));
        }
        call.forms.folded(operands_, operands_ + call.nout, static_cast<std::size_t>(length));
    }
}

inline void Tiles::call(const Call& call, Loop loop, std::int64_t n) {
    const ValueId* const operand = frame_.plan->operands.data() + call.first;
    const std::size_t count = std::size_t{call.nout} + call.nin;
    for (std::size_t k = 0; k < count; ++k) operands_[k] = values_[operand[k]];
    loop(operands_, operands_ + call.nout, static_cast<std::size_t>(frame_.plan->items.any() ? n / frame_.plan->items.length() : n));
}

void Tiles::run_tiles(std::int64_t begin, std::int64_t end) {
    if (frame_.rows_in_place) return run_rows(begin, end);
    for (; begin < end; ++begin) {
        const std::int64_t tile = frame_.tile_of(begin);
        run(frame_.tiling.start(tile), frame_.tiling.length(tile));
    }
}

// Where an operand lies is found for the first of a few rows. They are as far apart as they are; with short rows all else would take longer than the calls.
void Tiles::run_rows(std::int64_t begin, std::int64_t end) {
    const Grid& grid = frame_.grids[0];
    const auto last = static_cast<std::size_t>(grid.ndim - 1);
    const std::int64_t row = grid.lengths[last];
    const auto each_moving = [&](auto&& f) {
        for (std::size_t i = 0; i < frame_.inputs.size(); ++i)
            if (frame_.inputs[i].access == Source::Access::in_place) f(values_[i], frame_.inputs[i].view);
        for (const Output& output : frame_.outputs) f(values_[output.value], output.view);
    };
    Arena::Moving* moving_end = moving_;
    each_moving([&](char*& value, const Strided& view) { *moving_end++ = {&value, view.ndim == 1 ? row * view.axes[0].stride : view.axes[view.ndim - 2].stride}; });
    while (begin < end) {
        grid.divide(begin * row, places_);
        const std::int64_t rows = std::min(end - begin, grid.lengths[last - 1] - places_[last - 1]);
        each_moving([&](char*& value, const Strided& view) { value = at(view, begin * row); });
        for (std::int64_t r = 0; r < rows; ++r) {
            for (const Call& one : frame_.plan->calls) call(one, one.forms.each, row);
            for (const Arena::Moving* one = moving_; one != moving_end; ++one) *one->value += one->step;
        }
        begin += rows;
    }
}

void Tiles::run(std::int64_t flat, std::int64_t n, Form applied) {
    using Access = Source::Access;
    using Delivery = Output::Delivery;
    for (std::size_t g = 0; g < frame_.grids.size(); ++g) frame_.grids[g].divide(flat, places_ + g * Grid::most_axes);
    for (std::size_t i = 0; i < frame_.inputs.size(); ++i) {
        const Source& input = frame_.inputs[i];
        if (input.access == Access::in_place)
            values_[i] = at(input, flat);
        else if (input.access == Access::turned)
            values_[i] = reach_turned(memory_ + input.offset, input.view, flat, n);
        else if (input.access == Access::gathered)
            fetch(i, flat, n);
    }
    for (const Output& output : frame_.outputs)
        if (output.delivery == Delivery::direct) values_[output.value] = at(output.view, flat);

    const std::vector<Call>& calls = frame_.plan->calls;
    for (std::size_t c = 0; c < calls.size(); ++c) {
        const Call& call = calls[c];
        const Form form = frame_.applied[c] ? applied : Form::each;
        if (form == Form::folded && !frame_.plan->items.any()) {
            fold(call, n);
            continue;
        }
        this->call(call, form == Form::each ? call.forms.each : form == Form::added ? call.forms.added : call.forms.folded, n);
    }

    for (const Output& output : frame_.outputs) {
        const auto bytes = static_cast<std::size_t>(n * output.view.itemsize);
        switch (output.delivery) {
        case Delivery::direct: break;
        case Delivery::copied: copy_bytes(at(output.view, flat), values_[output.value], bytes); break;
        case Delivery::streamed: stream(at(output.view, flat), values_[output.value], bytes); break;
        case Delivery::scattered: scatter(output.view, flat, values_[output.value], n); break;
        case Delivery::fetched: gather(at(output.view, flat), frame_.inputs[output.value].view, flat, n); break;
        }
    }
}

}  // namespace asnumpy::cpu
