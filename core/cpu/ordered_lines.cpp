// Looks over stages once, for both ways in which they run in order.
#include "cpu/ordered_lines.hpp"

#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "cpu/blocking.hpp"
#include "cpu/stages.hpp"

namespace asnumpy::cpu {
namespace {

// Every element of an operand is aligned, whichever lines a launch takes.
bool all_aligned(const Stages::Stage& stage, const Resolved& plan) {
    for (std::size_t k = 0; k < stage.launch.operands.size(); ++k) {
        if (stage.launch.operands[k].strides[stage.axis] % static_cast<std::int64_t>(info(plan.dtype_of(k)).alignment) != 0) return false;
    }
    return true;
}

bool is_outermost(const Stages::Stage& stage, const Resolved& plan) {
    return arrange(stage.launch, static_cast<int>(plan.inputs.size()), static_cast<int>(plan.stores.size()), Arrangement::natural).axis[0] == stage.axis;
}

bool lies_in_lines(const Stages::Stage& stage, const Resolved& plan) {
    for (const std::int64_t length : stage.launch.shape)
        if (length == 0) return false;
    if (!all_aligned(stage, plan) || !block(stage.launch, static_cast<int>(plan.inputs.size()), static_cast<int>(plan.stores.size())).empty()) return false;
    return length_of(stage) <= 1 || is_outermost(stage, plan);
}

}  // namespace

const CacheBytes& cache_bytes() {
    static const CacheBytes bytes = [] {
        CacheBytes found{1 * mb, 16 * mb};
#ifdef _SC_LEVEL2_CACHE_SIZE
        if (const std::int64_t size = sysconf(_SC_LEVEL2_CACHE_SIZE); size > 0) found.second = std::clamp(size, 256 * kb, 4 * mb);
#endif
#ifdef _SC_LEVEL3_CACHE_SIZE
        if (const std::int64_t size = sysconf(_SC_LEVEL3_CACHE_SIZE); size > 0) found.last = std::clamp(size, 4 * mb, 64 * mb);
#endif
        return found;
    }();
    return bytes;
}

bool may_meet(const Stages& stages) {
    return std::ranges::any_of(stages.stages, [](const Stages::Stage& stage) { return count(stage.launch.shape) >= fewest_met; });
}

std::int64_t end_of_lines(const Stages& stages) {
    std::int64_t end = 0;
    for (const Stages::Stage& stage : stages.stages) end = std::max(end, stage.first + length_of(stage) + stage.behind);
    return end;
}

std::vector<Distance> distances_of(const Stages& stages) {
    std::vector<Distance> found(stages.buffers.size());
    for (const Stages::Stage& stage : stages.stages) {
        for (const Stages::Reach& reach : stage.reach) {
            if (reach.buffer < 0) continue;
            Distance& one = found[static_cast<std::size_t>(reach.buffer)];
            one.least = one.least < 0 ? stage.behind : std::min(one.least, stage.behind);
            one.most = std::max(one.most, stage.behind);
        }
    }
    return found;
}

LineBytes::LineBytes(const Stages& stages, std::span<const Resolved* const> plans) : of_buffer(stages.buffers.size(), 0) {
    std::int64_t used = 0;
    for (std::size_t s = 0; s < stages.stages.size(); ++s) {
        const Stages::Stage& stage = stages.stages[s];
        if (!lies_in_lines(stage, *plans[s])) return;
        length = std::max(length, length_of(stage));
        behind = std::max(behind, stage.behind);
        std::vector<std::int64_t> here(of_buffer.size(), 0);
        for (std::size_t k = 0; k < stage.reach.size(); ++k) {
            if (stage.reach[k].buffer < 0) continue;
            std::int64_t& most = here[static_cast<std::size_t>(stage.reach[k].buffer)];
            most = std::max(most, bytes_of_line(stage, *plans[s], k));
        }
        for (std::size_t b = 0; b < here.size(); ++b) {
            used += here[b];
            met_again += std::min(of_buffer[b], here[b]);
            of_buffer[b] = std::max(of_buffer[b], here[b]);
        }
        if (length_of(stage) > 1) of_stage = std::max(of_stage, std::accumulate(here.begin(), here.end(), std::int64_t{0}));
    }
    const std::vector<Distance> distances = distances_of(stages);
    for (std::size_t b = 0; b < distances.size(); ++b) {
        const std::int64_t lines = distances[b].most - distances[b].least;
        beside += of_buffer[b] * lines;
        if (stages.buffers[b].hidden) moved += bytes_between(stages.buffers[b], lines + 1);
    }
    if (of_stage > 0 && least_share_met_again * met_again >= used) all = std::accumulate(of_buffer.begin(), of_buffer.end(), std::int64_t{0});
}

}  // namespace asnumpy::cpu
