// Chooses blocks whose stages leave their results in the caches of the threads, and lets each stage follow the first one at its distance.
#include "cpu/ordered_stages.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "cpu/arena.hpp"
#include "cpu/blocking.hpp"
#include "cpu/frame.hpp"
#include "cpu/stages.hpp"
#include "cpu/threads.hpp"

namespace asnumpy::cpu {
namespace {

constexpr std::int64_t kb = 1024, mb = 1024 * kb;
// Less in the operands of a stage is not worth that its threads meet, fewer blocks than this are not worth the way.
constexpr std::int64_t least_stage_bytes = 192 * kb, fewest_ordered_blocks = 4;
// Of what the stages use, so much must have been used by one before.
constexpr std::int64_t least_share_met_again = 8;  // an eighth
// What windows move from block to block is at most this share of what need not come from memory for that.
constexpr std::int64_t most_share_moved = 4;  // a quarter
// Work of a stage that is worth a second thread: it is awake.
constexpr double shared_ns = 8000;

struct CacheBytes {
    std::int64_t second = 1 * mb, last = 16 * mb;
};

const CacheBytes& cache_bytes() {
    static const CacheBytes bytes = [] {
        CacheBytes found;
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

std::int64_t length_of(const Stages::Stage& stage) { return stage.launch.shape[stage.axis]; }

// By buffer: how far the stages that use it stay behind the first one, at least and at most.
struct Distance {
    std::int64_t least = -1, most = 0;
};

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

// Bit i: another stage uses what store i of stage s writes, so that it is in a cache or should stay there.
std::uint64_t used_elsewhere(const Stages& stages, std::size_t s, const Resolved& plan) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(plan.stores.size(), 64); ++i)
        for (std::size_t other = 0; other < stages.stages.size(); ++other)
            for (const Stages::Reach& reach : stages.stages[other].reach)
                if (other != s && reach.buffer == stages.stages[s].reach[plan.inputs.size() + i].buffer) bits |= std::uint64_t{1} << i;
    return bits;
}

// Every element of an operand is aligned, whichever lines a launch takes.
bool all_aligned(const Stages::Stage& stage, const Resolved& plan) {
    for (std::size_t k = 0; k < stage.launch.operands.size(); ++k) {
        const DType dtype = k < plan.inputs.size() ? plan.inputs[k] : plan.values[plan.stores[k - plan.inputs.size()]];
        if (stage.launch.operands[k].strides[stage.axis] % static_cast<std::int64_t>(info(dtype).alignment) != 0) return false;
    }
    return true;
}

bool is_outermost(const Stages::Stage& stage, const Resolved& plan) {
    return arrange(stage.launch, static_cast<int>(plan.inputs.size()), static_cast<int>(plan.stores.size()), Arrangement::natural).axis[0] == stage.axis;
}

// The lines of hidden buffers that a block needs, at the same place for each block: what the next one needs moves to the front.
class Windows {
public:
    Windows(const Stages& stages, std::int64_t lines) : stages_(stages), lines_(lines), distances_(distances_of(stages)) {
        constexpr std::int64_t unit = 4096;
        for (std::size_t b = 0; b < stages.buffers.size(); ++b) {
            const Stages::Held& held = stages.buffers[b];
            const std::int64_t size = held.hidden ? held.line_bytes * (lines - 1 + distances_[b].most - distances_[b].least) + held.reach : 0;
            places_.push_back({total_, size});
            total_ += (size + unit - 1) / unit * unit;
        }
        thread_local Arena arena;  // the tiles have another
        memory_ = arena.reserve(total_);
    }

    bool hidden(std::int32_t buffer) const { return buffer >= 0 && stages_.buffers[static_cast<std::size_t>(buffer)].hidden; }
    char* data(std::int32_t buffer) const { return memory_ + places_[static_cast<std::size_t>(buffer)].offset; }
    // The line at which a window begins in a block.
    std::int64_t base(std::int32_t buffer, std::int64_t block) const { return block * lines_ - distances_[static_cast<std::size_t>(buffer)].most; }
    void slide() const {
        for (std::size_t b = 0; b < places_.size(); ++b) {
            const std::int64_t gone = stages_.buffers[b].line_bytes * lines_;
            char* const window = memory_ + places_[b].offset;
            if (stages_.buffers[b].hidden && places_[b].bytes > gone) std::memmove(window, window + gone, static_cast<std::size_t>(places_[b].bytes - gone));
        }
    }

private:
    struct Place {
        std::int64_t offset, bytes;
    };
    const Stages& stages_;
    std::int64_t lines_;
    std::vector<Distance> distances_;
    std::vector<Place> places_;
    std::int64_t total_ = 0;
    char* memory_ = nullptr;
};

struct Span {
    std::int64_t begin, count;
};

// The lines of its own that a stage runs in a block.
Span own_lines(const Stages::Stage& stage, std::int64_t block, std::int64_t lines) {
    const std::int64_t from = block * lines - stage.behind - stage.first;
    const std::int64_t begin = std::clamp<std::int64_t>(from, 0, length_of(stage)), end = std::clamp<std::int64_t>(from + lines, 0, length_of(stage));
    return {begin, end - begin};
}

// A stage over so many lines, decided once, wherever they begin.
class Piece {
public:
    Piece(const Stages::Stage& stage, const Resolved& plan, const Windows& windows, Span span, std::int64_t block, std::uint64_t reread)
        : stage_(stage), windows_(windows), count_(span.count), begin_(span.begin), block_(block) {
        Launch launch = stage.launch;
        launch.shape[stage.axis] = span.count;
        for (std::size_t k = 0; k < launch.operands.size(); ++k) {
            const Stages::Reach& reach = stage.reach[k];
            char* const start = windows.hidden(reach.buffer) ? windows.data(reach.buffer) + reach.offset : launch.operands[k].data;
            launch.operands[k].data = start + line(k, span.begin, block) * stride(k);
        }
        frame_.prepare(plan, launch, Arrangement::natural, {span.count, length_of(stage), reread});
        for (std::size_t k = 0; k < frame_.inputs.size(); ++k) frame_.inputs[k].view.before += line(k, span.begin, block) * stride(k);
    }

    std::int64_t count() const { return count_; }
    void reserve() const { frame_.reserve(); }

    void run(std::int64_t begin, std::int64_t block) {
        std::size_t k = 0;
        const auto move = [&](auto& operands) {
            for (auto& operand : operands) {
                const std::int64_t bytes = (line(k, begin, block) - line(k, begin_, block_)) * stride(k);
                operand.view.data += bytes;
                operand.view.before += bytes;
                ++k;
            }
        };
        move(frame_.inputs);
        move(frame_.outputs);
        begin_ = begin;
        block_ = block;
        const std::int64_t units = frame_.units, threads = thread_count();
        if (frame_.unit_ns * static_cast<double>(units) < shared_ns) return frame_.run(0, units);
        // The threads keep their lines from stage to stage.
        parallel_for(units, (units + 2 * threads - 1) / (2 * threads), [this] { frame_.reserve(); },
                     [this](std::int64_t from, std::int64_t to, int) { frame_.run(from, to); });
    }

private:
    std::int64_t stride(std::size_t operand) const { return stage_.launch.operands[operand].strides[stage_.axis]; }
    std::int64_t line(std::size_t operand, std::int64_t begin, std::int64_t block) const {
        const std::int32_t buffer = stage_.reach[operand].buffer;
        return windows_.hidden(buffer) ? begin - windows_.base(buffer, block) : begin;
    }

    const Stages::Stage& stage_;
    const Windows& windows_;
    std::int64_t count_, begin_, block_;
    Frame frame_;
};

}  // namespace

std::int64_t ordered_lines_at_once(const Stages& stages, std::span<const Resolved* const> plans) {
    const std::vector<Distance> distances = distances_of(stages);
    std::vector<std::int64_t> bytes(stages.buffers.size(), 0);  // of a line of each buffer
    std::int64_t all = 0, behind = 0, stage_bytes = 0, used = 0, met_again = 0;
    for (std::size_t s = 0; s < stages.stages.size(); ++s) {
        const Stages::Stage& stage = stages.stages[s];
        for (const std::int64_t length : stage.launch.shape)
            if (length == 0) return 0;
        if (!all_aligned(stage, *plans[s]) || !block(stage.launch, static_cast<int>(plans[s]->inputs.size()), static_cast<int>(plans[s]->stores.size())).empty()) return 0;
        if (length_of(stage) > 1 && !is_outermost(stage, *plans[s])) return 0;
        all = std::max(all, length_of(stage));
        behind = std::max(behind, stage.behind);
        std::vector<std::int64_t> here(bytes.size(), 0);
        for (std::size_t k = 0; k < stage.reach.size(); ++k) {
            if (stage.reach[k].buffer < 0) continue;
            std::int64_t& most = here[static_cast<std::size_t>(stage.reach[k].buffer)];
            most = std::max(most, bytes_of_line(stage, *plans[s], k));
        }
        for (std::size_t b = 0; b < bytes.size(); ++b) {
            used += here[b];
            met_again += std::min(bytes[b], here[b]);
            bytes[b] = std::max(bytes[b], here[b]);
        }
        if (length_of(stage) > 1) stage_bytes = std::max(stage_bytes, std::accumulate(here.begin(), here.end(), std::int64_t{0}));
    }
    std::int64_t line = 0, beside = 0, moved = 0;  // of all buffers; what they hold beside the lines of a block; of it, what windows hold
    for (std::size_t b = 0; b < bytes.size(); ++b) {
        line += bytes[b];
        beside += bytes[b] * (distances[b].most - distances[b].least + 1);
        const Stages::Held& held = stages.buffers[b];
        if (held.hidden) moved += held.line_bytes * (distances[b].most - distances[b].least) + held.reach;
    }
    if (line == 0 || stage_bytes == 0 || least_share_met_again * met_again < used) return 0;
    // All of a block stays in the last cache, and what one stage leaves for the next in the threads' own.
    const std::int64_t room = cache_bytes().last / 4 - beside, lines = std::min(room / line, thread_count() * cache_bytes().second / 2 / stage_bytes);
    if (lines < 2 || lines * stage_bytes < least_stage_bytes || all < fewest_ordered_blocks * (lines + behind)) return 0;
    if (most_share_moved * moved > met_again * lines) return 0;
    // What the last cache holds from one stage to the next does not pay for threads that meet at every stage of a block.
    if (stage_bytes * all < cache_bytes().last / 2) return 0;
    return lines;
}

void run_ordered_stages(const Stages& stages, std::span<const Resolved* const> plans, std::int64_t lines) {
    const Windows windows(stages, lines);
    std::int64_t end = 0;
    for (const Stages::Stage& stage : stages.stages) end = std::max(end, stage.first + length_of(stage) + stage.behind);
    const std::int64_t blocks = (end + lines - 1) / lines;
    std::vector<std::vector<Piece>> pieces(stages.stages.size());  // of each number of lines
    const auto piece_of = [&](std::size_t s, std::int64_t count) {
        return std::ranges::find_if(pieces[s], [count](const Piece& piece) { return piece.count() == count; });
    };
    for (std::size_t s = 0; s < pieces.size(); ++s) {
        for (std::int64_t b = 0; b < blocks; ++b) {
            const Span span = own_lines(stages.stages[s], b, lines);
            if (span.count > 0 && piece_of(s, span.count) == pieces[s].end())
                pieces[s].emplace_back(stages.stages[s], *plans[s], windows, span, b, used_elsewhere(stages, s, *plans[s]));
        }
        for (const Piece& piece : pieces[s]) piece.reserve();
    }
    for (std::int64_t b = 0; b < blocks; ++b) {
        for (std::size_t s = 0; s < pieces.size(); ++s)
            if (const Span span = own_lines(stages.stages[s], b, lines); span.count > 0) piece_of(s, span.count)->run(span.begin, b);
        windows.slide();
    }
}

}  // namespace asnumpy::cpu
