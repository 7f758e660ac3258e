// Chooses order, tiles, access and scratch for a launch.
#include "cpu/frame.hpp"

#include <algorithm>
#include <bit>

#include "base/bits.hpp"
#include "cpu/transfer.hpp"

namespace asnumpy::cpu {
namespace {

// What the operands and slots of a tile may occupy: most of a first-level data cache.
constexpr std::int64_t tile_bytes = 32 * 1024;
constexpr std::int64_t shortest_tile = 512, longest_tile_elements = 4096;
// More rows at once would be more than the hardware fetches ahead.
constexpr std::int64_t most_rows_in_turn = 16;
// What it costs to gather short rows to a tile of several; and instead, to run the calls for each row, and gather what lies apart for it.
constexpr double gather_ns_per_byte = 0.0125, row_ns = 15, call_of_row_ns = 6, gather_of_row_ns = 6;
// Bytes of a line for which a strand folds as it computes; it computes shorter ones all at once: alone, they are hardly whole vectors.
constexpr std::int64_t shortest_strand_line = 1024;
// Elements of a segment that one thread takes at once. Not a function of the thread count: nor is the result then.
constexpr std::int64_t chunk_elements = 128 * 1024;
constexpr std::int64_t enough_segments = 32;
// Lines added one after the other before pairwise addition begins.
constexpr std::int64_t stacked_lines = 128;
// Shorter runs are not worth a pass of their own past the caches.
constexpr std::int64_t streaming_run = 2048;
// What the gathered tiles of a broadcast input may occupy that are kept for the next line: part of a second-level cache.
constexpr std::int64_t kept_bytes = 256 * 1024;

std::int64_t round_up(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }

}  // namespace

void Frame::prepare(const Resolved& p, const Launch& launch, Arrangement arrangement, const Portion& part) {
    portion = part;
    const bool fits = !p.items.any() || (arrangement == Arrangement::natural && items_of(p, launch, part) == p.items);
    decide(fits ? p : *p.otherwise, launch, arrangement);
    if (fits && p.otherwise && !suits_plan()) decide(*p.otherwise, launch, arrangement);
    if (!plan->otherwise) note_seen(launch);
}

void Frame::decide(const Resolved& p, const Launch& launch, Arrangement arrangement) {
    plan = &p;
    const int ninputs = static_cast<int>(p.inputs.size()), nstores = static_cast<int>(p.stores.size());
    inputs.resize(p.inputs.size());
    outputs.resize(p.stores.size());
    results.resize(p.reductions.size());

    order = arrange(launch, ninputs, nstores, arrangement);
    lay_out_operands(launch);
    const auto one_run = [](const auto& operand) { return operand.view.ndim == 1; };
    const bool flat = std::all_of(inputs.begin(), inputs.end(), one_run) && std::all_of(outputs.begin(), outputs.end(), one_run);
    kept_inner = !flat && !plan->items.any() && order.inner == 1 && order.reduced > 1 && order.reduced < shortest_fold && portion.of_all(order.outer) >= shortest_fold;
    if (kept_inner) {
        order = arrange(launch, ninputs, nstores, Arrangement::kept_inner);
        lay_out_operands(launch);
    }
    find_grids();
    choose_tiles();
    choose_calls();
    choose_access(launch);
    rows_in_place = has_rows_in_place();
    place_scratch();
    estimate();
}

void Frame::lay_out_operands(const Launch& launch) {
    const Operand* operand = launch.operands.data();
    Order by_item = order;
    if (plan->items.any()) --by_item.ndim;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        Source& input = inputs[i];
        const Items::Part part = plan->items.part(i);
        input.share = part == Items::Part::one ? plan->items.length() : 1;
        cpu::lay_out(input.view, *operand++, plan->inputs[i], launch, part == Items::Part::one ? by_item : order, false);
        input.run = input.view.inner().length * input.share;
        if (part == Items::Part::same) input.run *= input.view.axes[input.view.ndim - 2].length;
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        outputs[i].value = plan->stores[i];
        cpu::lay_out(outputs[i].view, *operand++, plan->values[plan->stores[i]], launch, order, false);
    }
    for (std::size_t i = 0; i < results.size(); ++i)
        cpu::lay_out(results[i].view, *operand++, plan->reductions[i].dtype, launch, order, true);
}

void Frame::find_grids() {
    grids.clear();
    const auto find = [this](Strided& view) {
        view.grid = -1;
        if (view.ndim == 1 || view.ndim > Grid::most_axes) return;
        const auto known = std::ranges::find_if(grids, [&](const Grid& grid) { return grid.fits(view); });
        view.grid = static_cast<int>(known - grids.begin());
        if (known != grids.end()) return;
        Grid& grid = grids.emplace_back(Grid{view.ndim, {}});
        for (int i = 0; i < view.ndim; ++i) grid.lengths[static_cast<std::size_t>(i)] = view.axes[i].length;
    };
    for (Source& input : inputs) {
        if (input.share == 1) find(input.view);
        else input.view.grid = -1;
    }
    for (Output& output : outputs) find(output.view);
}

std::int64_t Frame::longest_tile() const {
    std::int64_t bytes = plan->tile_slot_bytes;
    for (const Source& input : inputs) bytes += input.view.itemsize;
    for (const Output& output : outputs) bytes += output.view.itemsize;
    for (const Combine& reduction : plan->reductions) bytes += static_cast<std::int64_t>(itemsize(reduction.dtype));
    return std::clamp(tile_bytes / bytes, shortest_tile, longest_tile_elements) & ~std::int64_t{63};
}

void Frame::choose_tiles() {
    in_turn = 1;
    const std::int64_t longest = longest_tile();
    const std::int64_t size = order.size();
    std::int64_t run = size;
    bool flat = true;
    for (const Source& input : inputs) {
        run = std::min(run, input.run);
        flat &= input.view.ndim == 1;
    }
    for (const Output& output : outputs) {
        run = std::min(run, output.view.inner().length);
        flat &= output.view.ndim == 1;
    }
    if (results.empty()) {
        scheme = Scheme::elementwise;
        std::int64_t line = line_between_seams(run);
        in_turn = few_long_rows(line, longest);
        line = std::min(line, size / in_turn);
        tiling = Tiling(size, line, longest, true, rows_alone(line) ? 1 : shortest_row, plan->items.length());
        units = tiling.count;
    } else if (plan->items.joined()) {
        scheme = Scheme::lines;
        tiling = Tiling(size, run, longest, true, rows_alone(run) ? 1 : shortest_row, plan->items.length());
        units = tiling.count;
    } else if (order.reduced == 1) {
        scheme = Scheme::lines;
        tiling = Tiling(size, run, longest, true);
        units = tiling.count;
    } else if (order.inner == 1 && order.reduced <= longest) {
        scheme = Scheme::lines;
        tiling = Tiling(size, order.reduced, longest, !flat);
        units = tiling.count;
    } else {
        scheme = Scheme::segments;
        choose_segments(run, longest);
    }
}

// A run, or so much of it that tiles of most turned operands meet no seam: a line of the axis that is turned.
std::int64_t Frame::line_between_seams(std::int64_t run) const {
    std::int64_t line = run;
    for (const Source& input : inputs) {
        if (!input.view.turned || !input.view.contiguous_runs()) continue;
        for (const Turned::Axis& axis : input.view.turned->axes) {
            const std::int64_t period = axis.period / input.view.itemsize;
            if (period >= shortest_row && line % period == 0) line = period;
        }
    }
    return line;
}

// A stack of few long rows, as of the coordinates of many points, is used as a whole and row by row. Threads then find in their caches what they
// computed before if they divide the stack as they divide its rows.
std::int64_t Frame::few_long_rows(std::int64_t line, std::int64_t longest) const {
    const std::int64_t rows = order.outermost, row = order.size() / rows;
    const bool whole_lines = row % line == 0 || line % row == 0;
    return rows <= most_rows_in_turn && row >= 2 * longest && line >= shortest_row && whole_lines ? rows : 1;
}

// Whether rows that are shorter than usual are computed one by one: as several shifted views of one array, which are then read where they are.
bool Frame::rows_alone(std::int64_t run) const {
    std::int64_t bytes = 0;
    if (has_numbers_by_row(run)) return true;
    double cost = row_ns + call_of_row_ns * static_cast<double>(plan->calls.size());
    const auto look_at = [&](const Strided& view) {
        if (view.ndim == 1 || view.axes[0].stride == 0) return;  // in one piece, or gathered once for all lines
        if (view.contiguous_runs() && view.aligned && view.inner().length % run == 0) bytes += run * view.itemsize;
        else cost += gather_of_row_ns;
    };
    for (const Source& input : inputs) look_at(input.view);
    for (const Output& output : outputs) look_at(output.view);
    return !plan->calls.empty() && gather_ns_per_byte * static_cast<double>(bytes) > cost;
}

void Frame::choose_calls() {
    applied.assign(plan->calls.size(), false);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const Combine& reduction = plan->reductions[i];
        results[i].applied = plan->items.joined();
        results[i].halved = plan->items.any() && scheme == Scheme::segments && !segments.by_line && order.inner == plan->items.length();
        if (results[i].halved) applied.front() = true;
        if (reduction.call < 0) continue;
        const Forms& forms = plan->calls[static_cast<std::size_t>(reduction.call)].forms;
        const bool adds = scheme == Scheme::segments && segments.by_line;
        const bool folds = scheme == Scheme::lines ? is_folded_line(order.reduced, reduction.dtype) && (!forms.added || order.reduced * results[i].view.itemsize >= shortest_strand_line) : order.inner == 1;
        results[i].applied = (folds && forms.folded) || (adds && forms.added);
        if (results[i].applied) applied[static_cast<std::size_t>(reduction.call)] = true;
    }
}

void Frame::choose_segments(std::int64_t run, std::int64_t longest) {
    Segments& s = segments;
    s.by_line = portion.inner_of_all(order, kept_inner) >= shortest_vector;
    const std::int64_t stretch = order.reduced * order.inner;
    if (s.by_line)
        tiling = s.columns = Tiling(order.inner, std::min(run, order.inner), longest, true);
    else if (order.inner > 1)
        tiling = Tiling(stretch, order.inner, longest, false);
    else
        tiling = Tiling(stretch, std::min(run, stretch), longest, true);
    if (!s.by_line) s.columns = Tiling(1, 1, 1, false);
    s.width = s.by_line ? tiling.tile : order.inner;
    s.items = s.by_line ? order.reduced : tiling.count;
    s.chunk = s.items;
    if (portion.of_all(order.outer) * s.columns.count < enough_segments) s.chunk = std::clamp<std::int64_t>(chunk_elements / tiling.tile, 1, s.items);
    s.chunks = (s.items + s.chunk - 1) / s.chunk;
    units = order.outer * s.columns.count * s.chunks;
}

void Frame::choose_access(const Launch& launch) {
    const int end = static_cast<int>(plan->calls.size());
    for (Source& input : inputs) {
        const Strided& view = input.view;
        const auto i = static_cast<std::size_t>(&input - inputs.data());
        const bool one_run = tiling.within_runs(input.run);
        input.repeat = Source::Repeat::never;
        if ((plan->is_number(i) && is_one_number(view)) || plan->items.part(i) == Items::Part::same)
            input.access = Source::Access::in_place;
        else if (view.constant())
            input.access = Source::Access::constant;
        else if (view.aligned && view.contiguous_runs() && one_run)
            input.access = view.turned ? Source::Access::turned : Source::Access::in_place;
        else {
            input.access = Source::Access::gathered;
            bool broadcast = false;
            for (int i = 0; i < view.ndim; ++i) broadcast |= view.axes[i].stride == 0;
            if (broadcast && one_run) {
                input.repeat = Source::Repeat::address;
            } else if (view.axes[0].stride == 0) {
                input.repeat = Source::Repeat::cycle;
                input.cycle = order.size() / view.axes[0].length;
            }
        }
    }

    const auto keep_old_elements = [](Source& input) {
        if (input.access == Source::Access::in_place) input.access = Source::Access::gathered;
    };
    std::int64_t stored_bytes = 0;
    for (const Output& output : outputs) stored_bytes += output.view.itemsize * order.size();
    streaming = false;
    direct.assign(plan->values.size(), false);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        Output& output = outputs[i];
        const Strided& view = output.view;
        const std::int64_t run = view.inner().length;
        const auto updates = [&](std::size_t k) { return launch.operands[k].data == launch.operands[inputs.size() + i].data; };
        bool update = false;
        for (std::size_t k = 0; k < inputs.size(); ++k) update |= updates(k);
        int written = end;
        if (!view.contiguous_runs() || !tiling.within_runs(run)) {
            output.delivery = Output::Delivery::scattered;
        } else if (!update && !has_bit(portion.reread, i) && portion.of_all(stored_bytes) >= streaming_threshold() && run * view.itemsize >= streaming_run) {
            output.delivery = Output::Delivery::streamed;
            streaming = true;
        } else if (output.value < inputs.size() && !update && plan->readers[output.value] == 1 &&
                   inputs[output.value].access == Source::Access::gathered && inputs[output.value].repeat == Source::Repeat::never) {
            output.delivery = Output::Delivery::fetched;
            inputs[output.value].access = Source::Access::unused;
        } else if (output.value < inputs.size() || !view.aligned || direct[output.value]) {
            output.delivery = Output::Delivery::copied;
        } else {
            output.delivery = Output::Delivery::direct;
            direct[output.value] = true;
            written = plan->defined_by[output.value];
        }
        // An output may be an input: what reads the input after the write must find the old elements in a slot.
        for (std::size_t k = 0; update && k < inputs.size(); ++k)
            if (updates(k) && (plan->last_read[k] > written || plan->last_read[k] == end)) keep_old_elements(inputs[k]);
    }
    for (std::size_t i = inputs.size() + outputs.size(); i < launch.operands.size(); ++i)
        for (std::size_t k = 0; k < inputs.size(); ++k)
            if (launch.operands[k].data == launch.operands[i].data && plan->last_read[k] == end) keep_old_elements(inputs[k]);
    // Nor may an input whose store fetches it have been overwritten before.
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        if (inputs[k].access != Source::Access::unused) continue;
        for (std::size_t i = inputs.size(); i < launch.operands.size(); ++i)
            if (launch.operands[k].data == launch.operands[i].data) inputs[k].access = Source::Access::gathered;
        if (inputs[k].access == Source::Access::gathered)
            for (Output& output : outputs)
                if (output.value == k) output.delivery = Output::Delivery::copied;
    }
}

bool Frame::has_rows_in_place() const {
    if (scheme != Scheme::elementwise || plan->items.any() || in_turn > 1 || grids.size() != 1 || plan->calls.empty()) return false;
    const std::int64_t row = grids[0].lengths[static_cast<std::size_t>(grids[0].ndim - 1)];
    const auto has_rows = [](const Strided& view) { return view.ndim == 1 || view.grid == 0; };
    const auto is_there = [](const Source& input) { return input.access == Source::Access::in_place || input.access == Source::Access::constant; };
    return tiling.tile == row && tiling.period % row == 0 &&
           std::ranges::all_of(inputs, [&](const Source& input) { return is_there(input) && has_rows(input.view); }) &&
           std::ranges::all_of(outputs, [&](const Output& output) { return output.delivery == Output::Delivery::direct && has_rows(output.view); });
}

void Frame::place_scratch() {
    arena_bytes = 0;
    const auto take = [this](std::int64_t bytes) {
        const std::int64_t offset = arena_bytes;
        arena_bytes += round_up(bytes, cache_line);
        return offset;
    };
    const std::int64_t revisited = scheme == Scheme::segments && segments.by_line ? order.reduced : 1;
    keys = 0;
    for (Source& input : inputs) {
        if (input.access == Source::Access::in_place || input.access == Source::Access::unused) continue;
        input.way_bytes = round_up(tiling.tile * input.view.itemsize, cache_line);
        input.ways = 1;
        if (input.repeat == Source::Repeat::address && input.view.inner().stride != 0)
            for (const std::int64_t ways : {tiling.pieces, tiling.pieces * revisited})
                if (ways * input.way_bytes <= kept_bytes) input.ways = ways;
        input.first_key = keys;
        keys += input.ways;
        input.offset = take(input.ways * input.way_bytes);
    }
    slot_offset.resize(plan->slots.size());
    for (std::size_t i = 0; i < slot_offset.size(); ++i) slot_offset[i] = take(tiling.tile * plan->slots[i]);
    if (results.empty()) return;

    std::int64_t partial_bytes = 0;
    for (Result& result : results) {
        const std::int64_t item = result.view.itemsize;
        const auto take_stack = [&](std::int64_t width, std::int64_t block, std::int64_t additions) {
            result.level_bytes = round_up(width * item, cache_line);
            result.block = block;
            const auto pushes = static_cast<std::uint64_t>((additions + block - 1) / block);
            result.stack_offset = take(result.level_bytes * (std::bit_width(pushes) + 1));
        };
        if (scheme == Scheme::lines) {
            result.scratch_offset = take(tiling.tile * item);
            continue;
        }
        take_stack(segments.width, segments.by_line ? stacked_lines : 1, segments.chunk);
        result.scratch_offset = take(segments.by_line || order.inner == 1 ? 0 : tiling.tile * item);
        result.partial_offset = partial_bytes;
        if (segments.chunks > 1) partial_bytes += round_up(order.outer * segments.chunks * order.inner * item, cache_line);
    }
    if (partials.size() < static_cast<std::size_t>(partial_bytes)) partials.resize(static_cast<std::size_t>(partial_bytes));
}

}  // namespace asnumpy::cpu
