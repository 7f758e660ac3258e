// Lists that are kept: what a recorded function is, divided once and run at each call.
#include "cpu/code.hpp"
#include "device/demotion.hpp"
#include "device/trace.hpp"
#include "runtime/explain.hpp"
#include "runtime/fallback.hpp"
#include "runtime/fuse.hpp"
#include "runtime/passes.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/record.hpp"
#include "runtime/replay.hpp"
#include "runtime/single.hpp"
#include "runtime/traffic.hpp"

namespace asnumpy {

namespace {

constexpr std::size_t most_kept = 8192;  // launches of a list, of some kilobytes each

}  // namespace

void count_pending(const Instruction& instruction, int n) {
    const std::lock_guard lock(queue().recording);
    each_buffer(instruction, [n](Buffer& b, bool written) { add_pending(written ? b.pending_writes : b.pending_reads, n); });
}

void add_pending_write(Buffer& buffer, int n) {
    const std::lock_guard lock(queue().recording);
    add_pending(buffer.pending_writes, n);
}

Schedule plan_list(std::span<Instruction> list) {
    Queue& q = queue();
    Schedule made;
    without_lock([&] {
        const std::unique_lock planning = lock_planning(q);
        q.census.take(list);
        Draft draft(list, q.census, false);
        run_passes(draft, q.passes);
        made = divide(draft);
    });
    for (const std::uint32_t k : made.dead) {
        list[k].in.clear();
        list[k].out.clear();
    }
    return made;
}

void make_code(std::span<const Instruction> list, const Schedule& schedule, bool asked) {
    Queue& q = queue();
    if (!q.host.compile || is_forking() || cpu::code_mode() == cpu::CodeMode::off) return;
    bool awaits = false;
    {
        const std::unique_lock planning = lock_planning(q);
        awaits = q.runner.awaits_code(list, schedule, asked);
    }
    if (awaits && cpu::anything_wanted()) q.host.compile(true);
}

void after_run() { tell_news(queue()); }

void ask_for_interrupt() {
    if (const auto& ask = queue().host.check_interrupt; ask && !is_forking()) ask();
}

void run_list(const Run&, std::span<Instruction> list, const Schedule& schedule, Again& again, const std::function<void(std::size_t, std::size_t)>& after) {
    Queue& q = queue();
    const FromHere from(origin(q));
    const trace::Span span("replay", "run");
    const bool first = again.kept.empty();
    if (first) again.kept.resize(std::min(schedule.parts.size(), most_kept));
    std::size_t apart = 0;
    for (std::size_t p = 0, count = 1; p < schedule.parts.size(); p += count) {
        KeptLaunch* const kept = p < again.kept.size() ? &again.kept[p] : nullptr;
        try {
            if (!again.together.empty()) [[unlikely]] {
                count = again.together.run(p, [&](std::size_t part) {
                    std::size_t none = schedule.parts.size();
                    q.runner.run_from(list, schedule, part, none);
                }, [&](std::size_t part) { return traffic_of(list, schedule.parts[part]); });
                if (count) {
                    after(p, count);
                    continue;
                }
            }
            count = 1;
            if (kept && *kept && !again.watched) {
                kept->run(again.bases);
            } else {
                count = q.runner.run_from(list, schedule, p, apart);
                if (kept && first && count == 1 && apart < schedule.parts.size()) *kept = q.runner.keep(list, schedule.parts[p], again.roots);
            }
        } catch (const Uncomputed&) {  // nothing of it has run: its instructions one by one, on the host where that is allowed
            count = 1;
            apart = schedule.parts.size();
            again.together.leave_out(p);
            for (const std::uint32_t member : schedule.parts[p].group.members) {
                static_cast<void>(leave_to_host(list[member]));
                if (list[member].on_host) run_on_host(list[member]);
                else run_now(list[member]);
            }
        }
        after(p, count);
    }
}

std::string explain_list(std::span<const Instruction> list, const Schedule& schedule, ArrayNames& names) {
    Queue& q = queue();
    std::string text;
    without_lock([&] {
        const Run nothing_else{Run::ByItself{}};  // what runs is lent memory, and does not look as it was recorded
        text = explanation_of(list, schedule, q.runner, nullptr, names).text;
    });
    return text;
}

void settle(std::span<const BufferUse> uses) {
    for (const BufferUse& use : uses)
        if (use.buffer->pending_writes > 0 || (use.written && use.buffer->pending_reads > 0)) flush(use.buffer);
}

}  // namespace asnumpy
