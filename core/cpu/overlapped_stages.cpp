// Threads neither wait for each other nor read what another one made: each begins with the lines before its own that its stages read, in windows
// that nobody else sees. So what several stages use must be hidden, or only read.
#include "cpu/overlapped_stages.hpp"

#include <algorithm>
#include <utility>

#include "cpu/legs.hpp"
#include "cpu/ordered_lines.hpp"
#include "cpu/threads.hpp"
#include "ops/integer.hpp"

namespace asnumpy::cpu {
namespace {

constexpr std::int64_t fewest_blocks_alone = 4;  // of a thread
constexpr std::int64_t least_share_again = 8;    // what is computed again is at most an eighth
constexpr std::int64_t fewest_whole_lines = 4, lines_of_strips = 8;  // of a block: with fewer, windows move too often
constexpr int across = 1;  // the axis of columns

// Of a stage, in lines or in columns.
struct Margin {
    std::int64_t behind;  // how far it stays behind the first stage
    std::int64_t before;  // how many before its own a part computes
};

// Nobody else sees, or nobody writes, what several operands reach.
bool may_compute_again(const Stages& stages, std::span<const Resolved* const> plans) {
    std::vector<std::int64_t> uses(stages.buffers.size(), 0), writes(stages.buffers.size(), 0);
    for (std::size_t s = 0; s < stages.stages.size(); ++s) {
        const Stages::Stage& stage = stages.stages[s];
        if (!plans[s]->reductions.empty() || std::ranges::any_of(stage.launch.operands, [](const Operand& o) { return o.turned != nullptr; })) return false;
        for (std::size_t k = 0; k < stage.reach.size(); ++k) {
            if (stage.reach[k].buffer < 0) continue;
            const auto b = static_cast<std::size_t>(stage.reach[k].buffer);
            ++uses[b];
            if (k >= plans[s]->inputs.size()) ++writes[b];
        }
    }
    for (std::size_t b = 0; b < uses.size(); ++b)
        if (!stages.buffers[b].hidden && writes[b] > 0 && uses[b] > 1) return false;
    return true;
}

// f(s, writes, t, reads): for each operand with which a later stage t may read what stage s made, and nobody else sees.
void each_handed(const Stages& stages, std::span<const Resolved* const> plans, auto&& f) {
    for (std::size_t s = 0; s < stages.stages.size(); ++s)
        for (std::size_t k = plans[s]->inputs.size(); k < stages.stages[s].reach.size(); ++k) {
            const std::int32_t made = stages.stages[s].reach[k].buffer;
            if (!is_hidden(stages, made)) continue;
            for (std::size_t t = s + 1; t < stages.stages.size(); ++t)
                for (std::size_t i = 0; i < plans[t]->inputs.size(); ++i)
                    if (stages.stages[t].reach[i].buffer == made) f(s, k, t, i);
        }
}

// By stage: how much before its own later stages need of it, and what these need for theirs; lowest(s, k, t, i): what t reads first for its own first.
void find_before(const Stages& stages, std::span<const Resolved* const> plans, std::vector<Margin>& by_stage, auto&& lowest) {
    struct Need {
        std::size_t made, read;
        std::int64_t lowest;
    };
    std::vector<Need> needs;
    each_handed(stages, plans, [&](std::size_t s, std::size_t k, std::size_t t, std::size_t i) { needs.push_back({s, t, lowest(s, k, t, i)}); });
    for (auto need = needs.rbegin(); need != needs.rend(); ++need) {
        const Margin& later = by_stage[need->read];
        Margin& made = by_stage[need->made];
        made.before = std::max(made.before, later.before + later.behind - made.behind - need->lowest);
    }
}

// What an operand reaches from where it begins, along the axes from `first` on but that of the lines.
Extent reach_of(const Stages::Stage& stage, const Resolved& plan, std::size_t operand, int first) {
    Extent extent{0, static_cast<std::int64_t>(itemsize(plan.dtype_of(operand)))};
    for (int a = first; a < stage.launch.shape.size(); ++a) {
        const std::int64_t reach = stage.launch.operands[operand].strides[a] * (stage.launch.shape[a] - 1);
        if (a != stage.axis) (reach < 0 ? extent.low : extent.high) += reach;
    }
    return extent;
}

std::vector<Margin> lines_again(const Stages& stages, std::span<const Resolved* const> plans) {
    std::vector<Margin> by_stage;
    for (const Stages::Stage& stage : stages.stages) by_stage.push_back({stage.behind, 0});
    find_before(stages, plans, by_stage, [&](std::size_t s, std::size_t k, std::size_t t, std::size_t i) {
        const Stages::Stage& stage = stages.stages[s];
        const std::int64_t end = stage.reach[k].offset + reach_of(stage, *plans[s], k, 0).high;
        const std::int64_t begin = stages.stages[t].reach[i].offset + reach_of(stages.stages[t], *plans[t], i, 0).low;
        return ops::floor_divide(begin - end, stages.buffers[static_cast<std::size_t>(stage.reach[k].buffer)].line_bytes) + 1;
    });
    return by_stage;
}

// Where an operand of a hidden buffer begins.
struct Corner {
    std::int64_t line, column, rest;
};

Corner corner_of(const Stages& stages, const Stages::Stage& stage, std::size_t operand) {
    const Stages::Reach& reach = stage.reach[operand];
    const std::int64_t line = stages.buffers[static_cast<std::size_t>(reach.buffer)].line_bytes, column = stage.launch.operands[operand].strides[across];
    return {reach.offset / line, reach.offset % line / column, reach.offset % line % column};
}

// Whether each operand of hidden buffers lies in columns, alike for all that use one, and no column in two lines.
bool have_columns(const Stages& stages, std::span<const Resolved* const> plans) {
    std::vector<std::int64_t> column_bytes(stages.buffers.size(), 0);
    for (std::size_t s = 0; s < stages.stages.size(); ++s) {
        const Stages::Stage& stage = stages.stages[s];
        if (stage.axis != 0 || stage.launch.shape.size() <= across) return false;
        for (std::size_t k = 0; k < stage.reach.size(); ++k) {
            if (!is_hidden(stages, stage.reach[k].buffer)) continue;
            const auto b = static_cast<std::size_t>(stage.reach[k].buffer);
            const std::int64_t bytes = stage.launch.operands[k].strides[across];
            if (bytes <= 0 || (column_bytes[b] != 0 && column_bytes[b] != bytes)) return false;
            column_bytes[b] = bytes;
            const Corner begin = corner_of(stages, stage, k);
            const Extent in_column = reach_of(stage, *plans[s], k, across + 1);
            if (begin.rest + in_column.low < 0 || begin.rest + in_column.high > bytes) return false;
            if ((begin.column + stage.launch.shape[across]) * bytes > stages.buffers[b].line_bytes) return false;
        }
    }
    return true;
}

std::vector<Margin> columns_again(const Stages& stages, std::span<const Resolved* const> plans) {
    std::vector<Margin> by_stage(stages.stages.size(), {0, 0});
    const auto column = [&](std::size_t s, std::size_t k, std::size_t t, std::size_t i) {
        return corner_of(stages, stages.stages[t], i).column - corner_of(stages, stages.stages[s], k).column;
    };
    each_handed(stages, plans, [&](std::size_t s, std::size_t k, std::size_t t, std::size_t i) {
        by_stage[t].behind = std::max(by_stage[t].behind, by_stage[s].behind + column(s, k, t, i));
    });
    find_before(stages, plans, by_stage, column);
    return by_stage;
}

// Not too much is computed again where `parts` begin, and nothing that others see.
bool is_worth(const Stages& stages, std::span<const Resolved* const> plans, std::span<const Margin> by_stage, bool columns, std::int64_t parts) {
    std::int64_t again = 0, all = 0;
    for (std::size_t s = 0; s < stages.stages.size(); ++s) {
        const Stages::Stage& stage = stages.stages[s];
        again += by_stage[s].before * (parts - 1);
        all += columns ? stage.launch.shape[across] : length_of(stage);
        if (by_stage[s].before == 0) continue;
        for (std::size_t k = plans[s]->inputs.size(); k < stage.reach.size(); ++k)
            if (!is_hidden(stages, stage.reach[k].buffer)) return false;
    }
    return least_share_again * again <= all;
}

std::int64_t end_of_columns(const Stages& stages, std::span<const Margin> by_stage) {
    std::int64_t end = 0;
    for (std::size_t s = 0; s < stages.stages.size(); ++s) end = std::max(end, by_stage[s].behind + stages.stages[s].launch.shape[across]);
    return end;
}

// The columns of windows, from the first one that a stage uses for a strip that begins at column 0.
struct Columns {
    std::int64_t first = 0, behind_last = 0;  // beside those of the strip
    bool used = false;
};

std::vector<Columns> columns_of_windows(const Stages& stages, std::span<const Margin> by_stage) {
    std::vector<Columns> found(stages.buffers.size());
    for (std::size_t s = 0; s < stages.stages.size(); ++s)
        for (std::size_t k = 0; k < stages.stages[s].reach.size(); ++k) {
            const std::int32_t b = stages.stages[s].reach[k].buffer;
            if (!is_hidden(stages, b)) continue;
            Columns& columns = found[static_cast<std::size_t>(b)];
            const std::int64_t last = corner_of(stages, stages.stages[s], k).column - by_stage[s].behind, first = last - by_stage[s].before;
            columns.first = columns.used ? std::min(columns.first, first) : first;
            columns.behind_last = columns.used ? std::max(columns.behind_last, last) : last;
            columns.used = true;
        }
    return found;
}

// Strips of so many columns.
struct Strips {
    std::int64_t width, count;
    std::vector<Margin> by_stage;
    std::vector<Columns> windows;  // by buffer

    Strips(const Stages& stages, std::span<const Resolved* const> plans, std::int64_t columns)
        : width(columns), by_stage(columns_again(stages, plans)), windows(columns_of_windows(stages, by_stage)) {
        count = (end_of_columns(stages, by_stage) + width - 1) / width;
    }
};

// The stages for so many columns from `first` on.
Stages strip_of(const Stages& stages, const Strips& strips, std::int64_t first) {
    Stages strip = stages;
    for (std::size_t s = 0; s < strip.stages.size(); ++s) {
        Stages::Stage& stage = strip.stages[s];
        const Margin& own = strips.by_stage[s];
        const std::int64_t length = stage.launch.shape[across], end = std::clamp<std::int64_t>(first - own.behind + strips.width, 0, length);
        const std::int64_t begin = std::clamp<std::int64_t>(first - own.behind - own.before, 0, length);
        stage.launch.shape[across] = end - begin;
        for (std::size_t k = 0; k < stage.reach.size(); ++k) {
            Operand& operand = stage.launch.operands[k];
            const std::int32_t b = stage.reach[k].buffer;
            if (!is_hidden(stages, b)) {
                if (operand.data) operand.data += begin * operand.strides[across];
                continue;
            }
            const Columns& window = strips.windows[static_cast<std::size_t>(b)];
            const std::int64_t line_bytes = (strips.width + window.behind_last - window.first) * operand.strides[across];
            const Corner place = corner_of(stages, stages.stages[s], k);
            const Stages::Held& whole = stages.buffers[static_cast<std::size_t>(b)];
            operand.strides[stage.axis] = line_bytes;
            stage.reach[k].offset = place.line * line_bytes + (place.column + begin - first - window.first) * operand.strides[across] + place.rest;
            strip.buffers[static_cast<std::size_t>(b)] = {true, line_bytes, line_bytes * (whole.reach / whole.line_bytes + 1)};
        }
    }
    return strip;
}

// What a thread has of the strip in which it is.
struct Alone {
    struct Part {
        Leg leg;
        std::int64_t before;
    };
    std::int64_t strip = -1, next = -1;  // next: the block before it was the last one that ran here
    Stages stages;
    std::vector<Part> parts;  // those that have columns here
};

}  // namespace

std::optional<Overlap> overlap_of(const Stages& stages, std::span<const Resolved* const> plans) {
    if (!may_compute_again(stages, plans)) return {};
    const LineBytes bytes(stages, plans);
    if (!bytes.any()) return {};
    const std::int64_t threads = thread_count();
    if (!is_worth(stages, plans, lines_again(stages, plans), false, threads)) return {};
    const std::int64_t room = cache_bytes().second / 2;
    Overlap found{(room - bytes.beside) / bytes.all, 0};
    std::int64_t strips = 1;
    if (found.lines < fewest_whole_lines && have_columns(stages, plans)) {
        const std::vector<Margin> by_column = columns_again(stages, plans);
        const std::int64_t lines = std::max(lines_of_strips, most_share_moved * bytes.moved / std::max<std::int64_t>(bytes.met_again, 1) + 1), columns = end_of_columns(stages, by_column);
        const std::int64_t wanted = (bytes.beside + lines * bytes.all + room - 1) / room;
        if (wanted <= columns && is_worth(stages, plans, by_column, true, wanted)) {
            strips = wanted;
            found = {lines, (columns + strips - 1) / strips};
        }
    }
    found.lines = std::min(found.lines, std::max<std::int64_t>(1, strips * bytes.length / (fewest_blocks_alone * threads)));
    if (found.lines < 1 || most_share_moved * bytes.moved > bytes.met_again * found.lines) return {};
    return found;
}

void run_overlapped(const Stages& stages, std::span<const Resolved* const> plans, const Overlap& overlap) {
    const std::vector<Distance> distances = distances_of(stages);
    const std::vector<Margin> by_line = lines_again(stages, plans);
    const std::optional<Strips> strips = overlap.width > 0 ? std::optional<Strips>(std::in_place, stages, plans, overlap.width) : std::nullopt;
    std::vector<LinesBetween::Kept> kept(stages.buffers.size());
    for (std::size_t s = 0; s < stages.stages.size(); ++s)
        for (const Stages::Reach& reach : stages.stages[s].reach) {
            if (reach.buffer < 0) continue;
            const auto b = static_cast<std::size_t>(reach.buffer);
            kept[b].before = std::max(kept[b].before, by_line[s].behind + by_line[s].before - distances[b].most);
        }
    const auto strip_at = [&](std::int64_t i) { return strips ? strip_of(stages, *strips, i * overlap.width) : stages; };
    std::vector<Alone> each(static_cast<std::size_t>(thread_count()));
    const Stages first = strip_at(0);
    const LinesBetween rooms(first, overlap.lines, kept, each.size());  // those of all strips are alike
    const auto enter = [&](Alone& mine, std::int64_t strip) {
        mine.parts.clear();
        mine.stages = strip_at(strip);
        mine.strip = strip;
        mine.next = -1;
        for (std::size_t s = 0; s < plans.size(); ++s)
            if (!strips || mine.stages.stages[s].launch.shape[across] > 0)
                mine.parts.push_back({Leg(mine.stages, s, *plans[s], rooms, static_cast<std::size_t>(&mine - each.data()), overlap.lines), by_line[s].before});
    };
    const std::int64_t blocks = (end_of_lines(stages) + overlap.lines - 1) / overlap.lines;
    const std::int64_t all = (strips ? strips->count : 1) * blocks, threads = std::ssize(each);
    // No more of them take part, whatever another thread sets meanwhile.
    parallel_for(all, std::max(fewest_blocks_alone, all / (threads + 1) + 1), [&](std::int64_t begin, std::int64_t end, int worker) {
        Alone& mine = each[static_cast<std::size_t>(worker)];
        for (std::int64_t at = begin; at < end; ++at) {
            const std::int64_t b = at % blocks;
            if (mine.strip != at / blocks) enter(mine, at / blocks);
            const auto run_all = [&](auto&& lines_of) {
                for (Alone::Part& part : mine.parts) {
                    part.leg.go_to(b);
                    if (const LineSpan span = lines_of(part); span.count > 0) part.leg.run(span);
                }
            };
            if (b != mine.next) run_all([&](const Alone::Part& part) { return lines_before_own(part.leg.stage(), b, overlap.lines, part.before); });
            run_all([&](const Alone::Part& part) { return own_lines(part.leg.stage(), b, overlap.lines); });
            for (std::size_t buffer = 0; buffer < stages.buffers.size(); ++buffer) rooms.slide(buffer, static_cast<std::size_t>(worker));
            mine.next = b + 1;
        }
    });
}

}  // namespace asnumpy::cpu
