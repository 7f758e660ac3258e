// Folds lines, adds vectors of results, and combines the partial results of chunks in a fixed order.
#include "cpu/reduce.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/copy_bytes.hpp"
#include "cpu/transfer.hpp"

namespace asnumpy::cpu {
namespace {

// of 16-bit floats that are worth combining element by element: a fold rounds once (their sums and products are float32's anyway)
constexpr std::int64_t fewest_lines = 16;

void combine_into(Loop loop, char* into, const char* other, std::int64_t n) {
    void* const out[2] = {into, nullptr};
    const void* const in[3] = {into, other, nullptr};
    loop(out, in, static_cast<std::size_t>(n));
}
void combine_into(const Combine& combine, char* into, const char* other, std::int64_t n) { combine_into(combine.loop, into, other, n); }

// Puts results down; those that begin with the neutral value do so here, by way of `room`, which may be where they are.
void deliver(const Combine& combine, const Strided& view, std::int64_t flat, const char* results, std::int64_t n, char* room) {
    if (!begins_with_identity(combine.row, combine.dtype)) return scatter(view, flat, results, n);
    constexpr std::int64_t block = 256, most_bytes = sizeof(std::complex<long double>);
    alignas(64) std::array<char, block * most_bytes> first;
    const Scalar value = neutral(combine.row, combine.dtype);
    splat(first.data(), reinterpret_cast<const char*>(value.bytes.data()), view.itemsize, std::min(block, n));
    for (std::int64_t i = 0; i < n; i += block) {
        void* const out[2] = {room + i * view.itemsize, nullptr};
        const void* const in[3] = {first.data(), results + i * view.itemsize, nullptr};
        combine.loop(out, in, static_cast<std::size_t>(std::min(block, n - i)));
    }
    scatter(view, flat, room, n);
}

// Lines that are too short for a fold's lanes: their columns are combined, all lines of the tile at once, in the order in
// which NumPy adds each line: one after the other, or eight numbers side by side and those in pairs before the rest. So a
// line's result depends neither on how many lines there are in a tile nor on where it lies.
void combine_columns(const Combine& combine, char* columns, const char* from, std::int64_t lines, std::int64_t length) {
    constexpr std::array<std::int64_t, 8> place{0, 4, 2, 6, 1, 5, 3, 7};  // of eight, so that halves are neighbours' pairs
    const std::int64_t abreast = is_complex(combine.dtype) ? 4 : 8;
    const auto item = static_cast<std::int64_t>(itemsize(combine.dtype)), column_bytes = lines * item;
    const std::int64_t side = length < abreast ? 1 : abreast, stacked = length / side * side;
    for (std::int64_t i = 0; i < length; ++i) {
        const std::int64_t to = i < stacked && side > 1 ? i / side * side + place[static_cast<std::size_t>(i % side)] / (8 / side) : i;
        move_line(columns + to * column_bytes, item, from + i * item, length * item, item, lines);
    }
    const auto add = [&](std::int64_t column, std::int64_t count) { combine_into(combine, columns, columns + column * column_bytes, count * lines); };
    for (std::int64_t i = side; i < stacked; i += side) add(i, side);
    for (std::int64_t half = side / 2; half > 0; half /= 2) add(half, half);
    for (std::int64_t i = stacked; i < length; ++i) add(i, 1);
}

const char* fold_lines(const Frame& frame, const Tiles& tiles, std::size_t k, std::int64_t lines, std::int64_t length) {
    const Combine& combine = frame.plan->reductions[k];
    const Result& result = frame.results[k];
    const auto item = static_cast<std::int64_t>(itemsize(combine.dtype));
    const char* const from = tiles.value(combine.value);
    char* const scratch = tiles.scratch(result.scratch_offset);
    if (length == 1 || result.applied) return from;
    const bool only_line = frame.portion.of_all(frame.order.outer) == 1;  // folded, as runtime/reduce.cpp does with a whole array
    if (only_line || is_folded_line(length, combine.dtype) || (is_half(combine.dtype) && lines < fewest_lines)) {
        for (std::int64_t i = 0; i < lines; ++i) combine.fold(scratch + i * item, from + i * length * item, static_cast<std::size_t>(length));
        return scratch;
    }
    combine_columns(combine, scratch, from, lines, length);
    return scratch;
}

struct Unit {
    std::int64_t outer, chunk, column;
};

Unit unit_of(const Frame& frame, std::int64_t index) {
    const Segments& s = frame.segments;
    const std::int64_t rest = index / s.columns.count;
    return {rest / s.chunks, rest % s.chunks, index % s.columns.count};
}

void reduce_unit(Frame& frame, Tiles& tiles, std::vector<Accumulator>& accumulators, const Unit& unit) {
    const Segments& s = frame.segments;
    const Order& order = frame.order;
    const Resolved& plan = *frame.plan;
    const std::int64_t column = s.by_line ? s.columns.start(unit.column) : 0;
    const std::int64_t width = s.by_line ? s.columns.length(unit.column) : order.inner;
    for (std::size_t k = 0; k < frame.results.size(); ++k)
        accumulators[k] = Accumulator(plan.reductions[k], tiles.scratch(frame.results[k].stack_offset), frame.results[k].level_bytes, frame.results[k].block);

    const std::int64_t last = std::min((unit.chunk + 1) * s.chunk, s.items);
    for (std::int64_t item = unit.chunk * s.chunk; item < last; ++item) {
        const std::int64_t n = s.by_line ? width : frame.tiling.length(item);
        const std::int64_t flat = s.by_line ? (unit.outer * order.reduced + item) * order.inner + column
                                           : unit.outer * order.reduced * order.inner + frame.tiling.start(item);
        for (std::size_t k = 0; k < frame.results.size(); ++k)
            if (frame.results[k].applied) tiles.place(plan.reductions[k].value, accumulators[k].top());
        tiles.run(flat, n, !s.by_line ? Form::folded : accumulators.front().empty_top() ? Form::each : Form::added);  // lines of all are as many
        for (std::size_t k = 0; k < frame.results.size(); ++k) {
            const Combine& combine = plan.reductions[k];
            const bool applied = frame.results[k].applied;
            if (s.by_line) {
                applied ? accumulators[k].added(width) : accumulators[k].add(tiles.value(combine.value), width);
                continue;
            }
            if (width == 1 && !applied)
                combine.fold(accumulators[k].top(), tiles.value(combine.value), static_cast<std::size_t>(n));
            else if (frame.results[k].halved)
                copy_bytes(accumulators[k].top(), tiles.value(combine.value), static_cast<std::size_t>(width * frame.results[k].view.itemsize));
            else if (width > 1)
                halve(combine.loop, frame.results[k].view.itemsize, accumulators[k].top(), tiles.value(combine.value), n / width, width, tiles.scratch(frame.results[k].scratch_offset));
            accumulators[k].push(width);
        }
    }

    for (std::size_t k = 0; k < frame.results.size(); ++k) {
        char* const result = accumulators[k].finish(width);
        const Strided& view = frame.results[k].view;
        if (s.chunks == 1)
            deliver(plan.reductions[k], view, unit.outer * order.inner + column, result, width, result);
        else
            std::memcpy(frame.partials.data() + frame.results[k].partial_offset +
                            ((unit.outer * s.chunks + unit.chunk) * order.inner + column) * view.itemsize,
                        result, static_cast<std::size_t>(width * view.itemsize));
    }
}

}  // namespace

void halve(Loop loop, std::int64_t itemsize, char* to, const char* from, std::int64_t lines, std::int64_t width, char* scratch) {
    const std::int64_t line_bytes = width * itemsize;
    if (lines == 1) {
        copy_bytes(to, from, static_cast<std::size_t>(line_bytes));
        return;
    }
    while (lines > 1) {
        const std::int64_t half = lines / 2;
        char* const target = half == 1 ? to : scratch;
        void* const out[2] = {target, nullptr};
        const void* const in[3] = {from, from + half * line_bytes, nullptr};
        loop(out, in, static_cast<std::size_t>(half * width));
        if (lines % 2 != 0) combine_into(loop, target, from + 2 * half * line_bytes, width);
        from = target;
        lines = half;
    }
}

void Accumulator::combine(char* into, const char* other, std::int64_t width) const { combine_into(*combine_, into, other, width); }

void Accumulator::add(const char* elements, std::int64_t width) {
    if (rows_ == 0)
        copy_bytes(top(), elements, static_cast<std::size_t>(width) * itemsize(combine_->dtype));
    else
        combine(top(), elements, width);
    added(width);
}

void Accumulator::added(std::int64_t width) {
    if (++rows_ == block_) {
        rows_ = 0;
        push(width);
    }
}

void Accumulator::push(std::int64_t width) {
    ++pushed_;
    for (std::int64_t carry = pushed_; carry % 2 == 0; carry /= 2) {
        --depth_;
        combine(top(), top() + level_bytes_, width);
    }
    ++depth_;
}

char* Accumulator::finish(std::int64_t width) {
    if (rows_ > 0) ++depth_;  // an unfinished block is one more partial result
    for (; depth_ > 1; --depth_) combine(stack_ + (depth_ - 2) * level_bytes_, stack_ + (depth_ - 1) * level_bytes_, width);
    return stack_;
}

void reduce_lines(const Frame& frame, std::int64_t begin, std::int64_t end) {
    Tiles tiles(frame);
    const std::int64_t length = frame.order.reduced;
    for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t flat = frame.tiling.start(i), n = frame.tiling.length(i);
        for (std::size_t k = 0; k < frame.results.size(); ++k)
            if (frame.results[k].applied) tiles.place(frame.plan->reductions[k].value, tiles.scratch(frame.results[k].scratch_offset));
        tiles.run(flat, n, Form::folded);
        for (std::size_t k = 0; k < frame.results.size(); ++k) {
            const Result& result = frame.results[k];
            if (frame.plan->items.joined()) scatter(result.view, flat / length, tiles.value(frame.plan->reductions[k].value), n / length);
            else deliver(frame.plan->reductions[k], result.view, flat / length, fold_lines(frame, tiles, k, n / length, length), n / length, tiles.scratch(result.scratch_offset));
        }
    }
}

namespace {

std::vector<Accumulator>& accumulators_for(const Frame& frame) {
    thread_local std::vector<Accumulator> accumulators;
    if (accumulators.size() < frame.results.size()) accumulators.resize(frame.results.size());
    return accumulators;
}

}  // namespace

void reserve_accumulators(const Frame& frame) { static_cast<void>(accumulators_for(frame)); }

void reduce_segments(Frame& frame, std::int64_t begin, std::int64_t end) {
    Tiles tiles(frame);
    std::vector<Accumulator>& accumulators = accumulators_for(frame);
    for (std::int64_t i = begin; i < end; ++i) reduce_unit(frame, tiles, accumulators, unit_of(frame, i));
}

void combine_chunks(Frame& frame) {
    const std::int64_t chunks = frame.segments.chunks, width = frame.order.inner;
    if (chunks == 1) return;
    for (std::size_t k = 0; k < frame.results.size(); ++k) {
        const Strided& view = frame.results[k].view;
        const std::int64_t line = width * view.itemsize;
        for (std::int64_t outer = 0; outer < frame.order.outer; ++outer) {
            char* const partials = frame.partials.data() + frame.results[k].partial_offset + outer * chunks * line;
            for (std::int64_t step = 1; step < chunks; step *= 2)
                for (std::int64_t i = 0; i + step < chunks; i += 2 * step)
                    combine_into(frame.plan->reductions[k], partials + i * line, partials + (i + step) * line, width);
            deliver(frame.plan->reductions[k], view, outer * width, partials, width, partials);
        }
    }
}

}  // namespace asnumpy::cpu
