// Windows of lines, and stages that run over them.
#include "cpu/legs.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/arena.hpp"
#include "cpu/stages.hpp"
#include "cpu/tile.hpp"
#include "cpu/transfer.hpp"

namespace asnumpy::cpu {

LinesBetween::LinesBetween(const Stages& stages, std::int64_t lines, const std::vector<Kept>& by_buffer, std::size_t copies) : stages_(stages), lines_(lines) {
    constexpr std::int64_t unit = 4096;
    const std::vector<Distance> distances = distances_of(stages);
    std::int64_t length = 0;
    for (const Stages::Stage& stage : stages.stages) length = std::max(length, length_of(stage));
    for (std::size_t b = 0; b < stages.buffers.size(); ++b) {
        const Stages::Held& held = stages.buffers[b];
        std::int64_t before = 0, bytes = 0;
        if (held.hidden) {
            before = held.line_bytes * by_buffer[b].before;
            bytes = bytes_between(held, by_buffer[b].whole ? length : lines_ + distances[b].most - distances[b].least);
        }
        places_.push_back({by_buffer[b].whole, distances[b].most, bytes, total_ + before});
        total_ += (before + bytes + unit - 1) / unit * unit;
    }
    thread_local Arena arena;  // the tiles have another
    memory_ = arena.reserve(total_ * static_cast<std::int64_t>(copies));
}

char* LinesBetween::first_line(std::int32_t buffer, std::size_t copy) const {
    const auto b = static_cast<std::size_t>(buffer);
    char* const start = window(b, copy);
    return moves(buffer) ? start + places_[b].most_behind * held(buffer).line_bytes : start;
}

void LinesBetween::slide(std::size_t buffer, std::size_t copy) const {
    if (!moves(static_cast<std::int32_t>(buffer))) return;
    const std::int64_t gone = stages_.buffers[buffer].line_bytes * lines_, bytes = places_[buffer].bytes;
    char* const start = window(buffer, copy);
    if (bytes > gone) std::memmove(start, start + gone, static_cast<std::size_t>(bytes - gone));
}

Leg::Leg(const Stages& stages, std::size_t s, const Resolved& plan, const LinesBetween& rooms, std::size_t copy, std::int64_t lines) : stage_(stages.stages[s]) {
    Launch launch = stage_.launch;
    for (std::size_t k = 0; k < launch.operands.size(); ++k) {
        const Stages::Reach& reach = stage_.reach[k];
        if (rooms.hidden(reach.buffer)) launch.operands[k].data = rooms.first_line(reach.buffer, copy) + reach.offset;
        moves_.push_back(rooms.moves(reach.buffer) ? lines * launch.operands[k].strides[stage_.axis] : 0);
    }
    frame_.prepare(plan, launch, Arrangement::natural, {1, 1, stores_met(stages, s, plan)});
    line_ = frame_.order.size() / length_of(stage_);
    backwards_ = frame_.order.flipped >> stage_.axis & 1u;
}

void Leg::run(LineSpan span) {
    if (backwards_) span.begin = length_of(stage_) - span.begin - span.count;
    const Tiling& tiling = frame_.tiling;
    const std::int64_t end = (span.begin + span.count) * line_, origin = tiling.pieces == tiling.count ? span.begin * line_ : 0;
    Tiles tiles(frame_);
    if (frame_.rows_in_place && line_ % tiling.tile == 0) return tiles.run_tiles(span.begin * line_ / tiling.tile, end / tiling.tile);  // nothing is streamed
    for (std::int64_t flat = span.begin * line_; flat < end;) {
        const std::int64_t at = (flat - origin) % tiling.period;
        const std::int64_t n = std::min({tiling.tile - at % tiling.tile, tiling.period - at, end - flat});
        tiles.run(flat, n);
        flat += n;
    }
    if (frame_.streaming) finish_streaming();
}

void Leg::go_to(std::int64_t block) {
    const std::int64_t blocks = block - block_;
    block_ = block;
    std::size_t k = 0;
    for (Source& input : frame_.inputs) {
        input.view.data -= blocks * moves_[k];
        input.view.before -= blocks * moves_[k++];
    }
    for (Output& output : frame_.outputs) output.view.data -= blocks * moves_[k++];
}

}  // namespace asnumpy::cpu
