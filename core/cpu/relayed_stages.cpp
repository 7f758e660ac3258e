// A stage may always run ahead of those after it, since what it meets of them comes before theirs in the program's order. So a runner waits only
// until the one before it has passed on the same block, and no thread waits for all others. What a runner's stages leave for each other stays
// in its caches.
#include "cpu/relayed_stages.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "cpu/legs.hpp"
#include "cpu/ordered_lines.hpp"
#include "cpu/spinning.hpp"
#include "cpu/threads.hpp"

namespace asnumpy::cpu {
namespace {

// What a block has in the operands of a stage, which takes much longer than to begin with it; what a runner's stages use stays in a second-level cache.
constexpr std::int64_t relayed_bytes = 192 * kb;
// With fewer blocks the first and the last runner wait for most of the time.
constexpr std::int64_t fewest_blocks_each = 6, fewest_stages_each = 2;
// What one runner's stages leave for another's in memory of their own.
constexpr std::int64_t most_handed_bytes = 8 * mb;
constexpr double operand_ns = 0.4;  // of an element, beside what the steps take

// What the stages of each runner take is about the same; near that, ends are where the least is handed on.
std::vector<std::size_t> shared_out(const Stages& stages, std::span<const Resolved* const> plans, const LineBytes& bytes, std::size_t runners) {
    const std::size_t count = stages.stages.size();
    std::vector<double> until(count + 1, 0);
    for (std::size_t s = 0; s < count; ++s) {
        const Stages::Stage& stage = stages.stages[s];
        double ns = plans[s]->cost;
        for (const Operand& operand : stage.launch.operands)
            if (operand.strides[stage.launch.shape.size() - 1] != 0) ns += operand_ns;
        until[s + 1] = until[s] + ns * static_cast<double>(asnumpy::count(stage.launch.shape));
    }
    std::vector<std::int64_t> handed(count + 1, 0);  // where stages from there on are another runner's
    for (std::size_t b = 0; b < stages.buffers.size(); ++b) {
        if (!stages.buffers[b].hidden) continue;
        std::size_t first = count, last = 0;
        for (std::size_t s = 0; s < count; ++s)
            for (const Stages::Reach& reach : stages.stages[s].reach)
                if (reach.buffer == static_cast<std::int32_t>(b)) {
                    first = std::min(first, s);
                    last = s;
                }
        for (std::size_t s = first + 1; s <= last; ++s) handed[s] += bytes_between(stages.buffers[b], bytes.length);
    }
    std::vector<std::size_t> ends;
    for (std::size_t r = 1; r < runners; ++r) {
        const double ideal = until[count] * static_cast<double>(r) / static_cast<double>(runners), near = until[count] / static_cast<double>(8 * runners);
        const std::size_t from = ends.empty() ? 1 : ends.back() + 1;
        std::size_t best = from;
        const auto worse = [&](std::size_t s) { return std::pair(std::max(near, std::abs(until[s] - ideal)), handed[s]); };
        for (std::size_t s = from; s <= count - (runners - r); ++s)
            if (worse(s) < worse(best) || (worse(s) == worse(best) && std::abs(until[s] - ideal) < std::abs(until[best] - ideal))) best = s;
        ends.push_back(best);
    }
    ends.push_back(count);
    return ends;
}

// By buffer: who uses it.
struct Users {
    std::size_t first = ~std::size_t{0}, last = 0;
    bool one() const { return first >= last; }
};

std::vector<Users> users_of(const Stages& stages, std::span<const std::size_t> ends) {
    std::vector<Users> found(stages.buffers.size());
    std::size_t runner = 0;
    for (std::size_t s = 0; s < stages.stages.size(); ++s) {
        while (s >= ends[runner]) ++runner;
        for (const Stages::Reach& reach : stages.stages[s].reach) {
            if (reach.buffer < 0) continue;
            Users& users = found[static_cast<std::size_t>(reach.buffer)];
            users.first = std::min(users.first, runner);
            users.last = runner;
        }
    }
    return found;
}

// How many blocks a runner has passed on.
struct alignas(64) Passed {
    std::atomic<std::int64_t> blocks{0};

    void wait_for(std::int64_t block) const {
        const auto there = [&] { return blocks.load(std::memory_order_acquire) > block; };
        while (!spin_until(there, std::chrono::seconds(1))) continue;
    }
};

}  // namespace

std::optional<Relay> relay_of(const Stages& stages, std::span<const Resolved* const> plans) {
    const auto threads = static_cast<std::size_t>(thread_count());
    if (stages.stages.size() < threads * fewest_stages_each || !may_meet(stages)) return {};
    if (std::ranges::any_of(plans, [](const Resolved* plan) { return !plan->reductions.empty(); })) return {};
    const LineBytes bytes(stages, plans);
    if (!bytes.any()) return {};
    Relay relay;
    relay.lines = std::max<std::int64_t>(1, std::min(relayed_bytes / bytes.of_stage, bytes.length / (4 * fewest_blocks_each * static_cast<std::int64_t>(threads))));
    if (bytes.length < fewest_blocks_each * static_cast<std::int64_t>(threads) * relay.lines + bytes.behind) return {};
    relay.ends = shared_out(stages, plans, bytes, threads);
    // All that a runner meets between two blocks stays in the thread's own cache.
    const std::vector<Users> users = users_of(stages, relay.ends);
    const std::vector<Distance> distances = distances_of(stages);
    std::vector<std::int64_t> beside(threads, 0);
    std::int64_t moved = 0, handed = 0;
    for (std::size_t b = 0; b < users.size(); ++b) {
        const std::int64_t lines = distances[b].most - distances[b].least, runners = static_cast<std::int64_t>(users[b].last - users[b].first) + 1;
        if (users[b].first > users[b].last) continue;
        for (std::size_t r = users[b].first; r <= users[b].last; ++r) beside[r] += bytes.of_buffer[b] * (lines / runners + relay.lines);
        const Stages::Held& held = stages.buffers[b];
        if (held.hidden) (users[b].one() ? moved : handed) += bytes_between(held, users[b].one() ? lines + 1 : bytes.length);
    }
    if (*std::ranges::max_element(beside) > cache_bytes().second / 2 || handed > most_handed_bytes) return {};
    if (most_share_moved * moved > bytes.met_again * relay.lines) return {};
    return relay;
}

void run_relayed(const Stages& stages, std::span<const Resolved* const> plans, const Relay& relay) {
    // What one runner uses is a window; what one hands to another is there as a whole.
    const std::vector<Users> users = users_of(stages, relay.ends);
    std::vector<LinesBetween::Kept> kept(users.size());
    std::vector<std::vector<std::size_t>> windows(relay.ends.size());  // by runner
    for (std::size_t b = 0; b < users.size(); ++b) {
        kept[b].whole = !users[b].one();
        if (!kept[b].whole) windows[users[b].last].push_back(b);
    }
    const LinesBetween rooms(stages, relay.lines, kept, 1);
    std::vector<Leg> legs;
    legs.reserve(stages.stages.size());
    for (std::size_t s = 0; s < stages.stages.size(); ++s) legs.emplace_back(stages, s, *plans[s], rooms, 0, relay.lines);
    const auto reserve = [&] {
        for (const Leg& leg : legs) leg.reserve();
    };
    reserve();
    const std::int64_t blocks = (end_of_lines(stages) + relay.lines - 1) / relay.lines;
    std::vector<Passed> passed(relay.ends.size());
    std::atomic<std::size_t> started{0};
    // Who is free takes the next runner's part: the one before it has begun, on a thread that waits for none after it.
    parallel_for(static_cast<std::int64_t>(passed.size()), 1, reserve, [&](std::int64_t begin, std::int64_t end, int) {
        for (; begin < end; ++begin) {
            const std::size_t runner = started.fetch_add(1);
            const std::span<Leg> mine(legs.data() + (runner == 0 ? 0 : relay.ends[runner - 1]), legs.data() + relay.ends[runner]);
            for (std::int64_t b = 0; b < blocks; ++b) {
                if (runner > 0) passed[runner - 1].wait_for(b);
                for (Leg& leg : mine) {
                    leg.go_to(b);
                    if (const LineSpan span = own_lines(leg.stage(), b, relay.lines); span.count > 0) leg.run(span);
                }
                for (const std::size_t window : windows[runner]) rooms.slide(window, 0);
                passed[runner].blocks.store(b + 1, std::memory_order_release);
            }
        }
    });
}

}  // namespace asnumpy::cpu
