// Chooses blocks of lines that fit in the second-level cache, prepares one frame per stage for all of them, and shares the
// blocks between threads. A block only moves the addresses of the frames.
#include "cpu/stages.hpp"

#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "base/bits.hpp"
#include "cpu/blocking.hpp"
#include "cpu/frame.hpp"
#include "cpu/threads.hpp"
#include "cpu/tile.hpp"

namespace asnumpy::cpu {
namespace {

constexpr std::int64_t kilobyte = 1024;
// Less is not worth the launches of a block; fewer blocks than this, and what is shared is in a cache anyway.
constexpr std::int64_t least_block = 64 * kilobyte, fewest_blocks = 4;
constexpr std::int64_t blocks_per_thread = 4;
constexpr std::int64_t room_unit = 4096;  // hidden buffers begin on pages of their own

// A part of the second-level cache: the rest is for the tiles and for what is fetched ahead.
std::int64_t block_bytes() {
    static const std::int64_t bytes = [] {
        std::int64_t cache = 0;
#ifdef _SC_LEVEL2_CACHE_SIZE
        cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
        return std::clamp(cache / 8, 128 * kilobyte, 512 * kilobyte);
    }();
    return bytes;
}

std::int64_t count_lines(const Stages& stages) { return stages.stages[0].launch.shape[stages.stages[0].axis]; }

// What one line of all buffers together occupies.
std::int64_t bytes_of_all(const Stages& stages, std::span<const Resolved* const> plans) {
    std::vector<std::int64_t> bytes(stages.buffers.size(), 0);
    for (std::size_t s = 0; s < stages.stages.size(); ++s) {
        const Stages::Stage& stage = stages.stages[s];
        for (std::size_t k = 0; k < stage.reach.size(); ++k) {
            if (stage.reach[k].buffer < 0) continue;
            std::int64_t& most = bytes[static_cast<std::size_t>(stage.reach[k].buffer)];
            most = std::max(most, bytes_of_line(stage, *plans[s], k));
        }
    }
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

// The rooms of the hidden buffers, one after the other in a thread's scratch memory.
struct Rooms {
    std::vector<std::int64_t> offset;  // by buffer
    std::int64_t bytes = 0;

    Rooms(const Stages& stages, std::int64_t lines) {
        for (const Stages::Held& held : stages.buffers) {
            offset.push_back(bytes);
            if (held.hidden) bytes += (held.line_bytes * lines + room_unit - 1) / room_unit * room_unit;
        }
    }
    static char* of_this_thread(std::int64_t bytes) {
        thread_local Arena arena;  // the tiles have another
        return arena.reserve(bytes);
    }
};

// A thread keeps those of its last run for their storage.
using Frames = std::vector<Frame>;

// The frames of all stages for lines [first, first + lines), hidden buffers at `scratch`.
void prepare_frames(Frames& frames, const Stages& stages, std::span<const Resolved* const> plans, std::int64_t first, std::int64_t lines,
                    const Rooms& rooms, char* scratch) {
    frames.resize(stages.stages.size());
    const std::int64_t all = count_lines(stages);
    for (std::size_t s = 0; s < frames.size(); ++s) {
        const Stages::Stage& stage = stages.stages[s];
        Launch launch = stage.launch;
        launch.shape[stage.axis] = lines;
        for (std::size_t k = 0; k < launch.operands.size(); ++k) {
            Operand& operand = launch.operands[k];
            const Stages::Reach& reach = stage.reach[k];
            if (reach.buffer >= 0 && stages.buffers[static_cast<std::size_t>(reach.buffer)].hidden)
                operand.data = scratch + rooms.offset[static_cast<std::size_t>(reach.buffer)] + reach.offset;
            else
                operand.data += first * operand.strides[stage.axis];
        }
        frames[s].prepare(*plans[s], launch, Arrangement::natural, {lines, all, stores_met(stages, s, *plans[s], s + 1)});
        for (std::size_t k = 0; k < frames[s].inputs.size(); ++k) frames[s].inputs[k].view.before += first * launch.operands[k].strides[stage.axis];
    }
}

// Short lines are combined in one of two ways, by how many there are where an operand is not one run.
bool folds_lines(const Frame& frame) {
    if (frame.scheme != Scheme::lines || frame.order.reduced == 1 || frame.plan->items.joined()) return true;
    return std::all_of(frame.plan->reductions.begin(), frame.plan->reductions.end(),
                       [&](const Combine& reduction) { return is_folded_line(frame.order.reduced, reduction.dtype); });
}

// Whether blocks of lines along an axis are computed as the whole is: the axis is outermost, or outside it are only short reduced axes, which
// each block has whole and takes one by one.
bool divides(const Frame& frame, const Stages::Stage& stage) {
    int place = 0;
    while (place < frame.order.ndim && frame.order.axis[static_cast<std::size_t>(place)] != stage.axis) {
        if (!((stage.launch.reduced >> frame.order.axis[static_cast<std::size_t>(place)]) & 1u)) return false;
        ++place;
    }
    if (place == 0) return true;
    return frame.scheme == Scheme::segments && frame.segments.by_line && frame.order.outer == 1 && frame.order.reduced < shortest_fold;
}

// Moves a copy of a prepared frame to another block of lines and another thread's scratch memory.
void move_frame(Frame& frame, const Frame& prepared, const Stages& stages, const Stages::Stage& stage, std::int64_t lines, std::int64_t scratch) {
    const auto shift = [&](std::size_t operand) {
        const std::int32_t buffer = stage.reach[operand].buffer;
        if (buffer < 0) return std::int64_t{0};
        return stages.buffers[static_cast<std::size_t>(buffer)].hidden ? scratch : lines * stage.launch.operands[operand].strides[stage.axis];
    };
    std::size_t operand = 0;
    for (std::size_t i = 0; i < frame.inputs.size(); ++i) {
        const std::int64_t bytes = shift(operand++);
        frame.inputs[i].view.data = prepared.inputs[i].view.data + bytes;
        frame.inputs[i].view.before = prepared.inputs[i].view.before + bytes;
    }
    for (std::size_t i = 0; i < frame.outputs.size(); ++i) frame.outputs[i].view.data = prepared.outputs[i].view.data + shift(operand++);
    for (std::size_t i = 0; i < frame.results.size(); ++i) frame.results[i].view.data = prepared.results[i].view.data + shift(operand++);
}

}  // namespace

std::uint64_t stores_met(const Stages& stages, std::size_t s, const Resolved& plan, std::size_t from) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < plan.stores.size(); ++i)
        for (std::size_t other = from; other < stages.stages.size(); ++other)
            for (const Stages::Reach& reach : stages.stages[other].reach)
                if (other != s && reach.buffer == stages.stages[s].reach[plan.inputs.size() + i].buffer) bits |= bit(i);
    return bits;
}

std::int64_t bytes_of_line(const Stages::Stage& stage, const Resolved& plan, std::size_t operand) {
    const Dims& strides = stage.launch.operands[operand].strides;
    if (strides[stage.axis] == 0) return 0;
    auto size = static_cast<std::int64_t>(itemsize(plan.dtype_of(operand)));
    for (int axis = 0; axis < strides.size(); ++axis)
        if (axis != stage.axis && strides[axis] != 0) size *= stage.launch.shape[axis];
    return size;
}

std::int64_t lines_at_once(const Stages& stages, std::span<const Resolved* const> plans) {
    for (const Stages::Stage& stage : stages.stages)
        for (const std::int64_t length : stage.launch.shape)
            if (length == 0) return 0;
    const std::int64_t all = count_lines(stages), line = bytes_of_all(stages, plans);
    if (line == 0) return 0;
    std::int64_t lines = std::min(block_bytes() / line, std::max(all / (blocks_per_thread * thread_count()), least_block / line));
    if (lines >= 16) lines = lines / 16 * 16;  // threads do not meet in a cache line
    while (lines > 16 && all % lines == 1) lines -= 16;  // a line alone has no axis of lines, and is added up in another order where it is short
    if (lines < 2 || lines * line < least_block || all / lines < fewest_blocks) return 0;

    const Rooms rooms(stages, lines);
    alignas(64) static char nowhere[64];
    Frames frames;
    prepare_frames(frames, stages, plans, 0, lines, rooms, nowhere);
    for (std::size_t s = 0; s < frames.size(); ++s) {
        const Stages::Stage& stage = stages.stages[s];
        const bool in_chunks = frames[s].scheme == Scheme::segments && frames[s].segments.chunks > 1;
        if (!divides(frames[s], stage) || in_chunks || !folds_lines(frames[s]) || !block(stage.launch, static_cast<int>(plans[s]->inputs.size()), static_cast<int>(plans[s]->stores.size())).empty())
            return 0;
    }
    return lines;
}

void run_stages(const Stages& stages, std::span<const Resolved* const> plans, std::int64_t lines) {
    const std::int64_t all = count_lines(stages), whole = all / lines, blocks = (all + lines - 1) / lines;
    const Rooms rooms(stages, lines);
    char* const scratch = Rooms::of_this_thread(rooms.bytes);
    thread_local Frames prepared_here, last_here;
    const Frames &prepared = prepared_here, &last = last_here;
    prepare_frames(prepared_here, stages, plans, 0, lines, rooms, scratch);
    if (whole < blocks) prepare_frames(last_here, stages, plans, whole * lines, all - whole * lines, rooms, scratch);

    parallel_for(blocks, 1, [&](std::int64_t begin, std::int64_t end, int) {
        const std::int64_t shift = Rooms::of_this_thread(rooms.bytes) - scratch;
        thread_local Frames frames;
        frames = prepared;
        for (std::int64_t b = begin; b < end; ++b) {
            if (b == whole) frames = last;
            for (std::size_t s = 0; s < frames.size(); ++s) {
                move_frame(frames[s], b == whole ? last[s] : prepared[s], stages, stages.stages[s], b == whole ? 0 : b * lines, shift);
                frames[s].run(0, frames[s].units);
            }
        }
    });
}

}  // namespace asnumpy::cpu
