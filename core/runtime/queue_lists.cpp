// Lists that are kept: what a recorded function is, divided once and run at each call.
#include <chrono>

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

constexpr std::size_t most_kept = 32768;  // launches of a list, of some kilobytes each

}  // namespace

void count_pending(const Instruction& instruction, int n) {
    const std::lock_guard lock(queue().recording);
    each_buffer(instruction, [n](Buffer& b, bool written) { add_pending(written ? b.pending_writes : b.pending_reads, n); });
}

void add_pending_write(Buffer& buffer, int n) {
    const std::lock_guard lock(queue().recording);
    add_pending(buffer.pending_writes, n);
}

Schedule plan_list(std::vector<Instruction>& list) {
    Queue& q = queue();
    Schedule made;
    without_lock([&] {
        const std::unique_lock planning = lock_planning(q);
        q.census.take(list);
        Draft draft(list, q.census, false);
        run_passes(draft, q.passes);
        draft.bounds = starts_of_rounds(list, draft.dead);
        made = divide(draft);
    });
    for (const std::uint32_t k : made.dead) {
        list[k].in.clear();
        list[k].out.clear();
    }
    return made;
}

void make_code(std::span<const Instruction> list, const Schedule& schedule, const Again& again, bool asked) {
    Queue& q = queue();
    if (!q.host.compile || is_forking() || cpu::code_mode() == cpu::CodeMode::off) return;
    bool awaits = false;
    std::vector<bool> in_rounds;
    if (asked || cpu::code_mode() == cpu::CodeMode::wait) {
        in_rounds.resize(schedule.parts.size());
        for (const Rounds& rounds : again.rounds) {
            if (rounds.awaits_code()) awaits = true;
            for (std::size_t p = rounds.first(); p < rounds.first() + rounds.parts(); ++p) in_rounds[p] = !rounds.is_others(p);
        }
    }
    {
        const std::unique_lock planning = lock_planning(q);
        if (q.runner.awaits_code(list, schedule, asked, in_rounds)) awaits = true;
    }
    if (awaits && cpu::anything_wanted()) q.host.compile(true);
}

void after_run() { tell_news(queue()); }

void ask_for_interrupt() {
    if (const auto& ask = queue().host.check_interrupt; ask && !is_forking()) ask();
}

namespace {

// A list that is kept, on its way through its parts.
class ListRun {
public:
    ListRun(std::span<Instruction> list, const Schedule& schedule, Again& again, const std::function<void(std::size_t, std::size_t)>& after)
        : list_(list), schedule_(schedule), again_(again), after_(after), first_(again.kept.empty()) {
        if (first_) again.kept.resize(std::min(schedule.parts.size(), most_kept));
    }

    void run() {
        std::size_t next = 0;  // of the rounds
        for (std::size_t p = 0; p < schedule_.parts.size();) {
            if (next < again_.rounds.size() && again_.rounds[next].first() == p && !again_.watched) {
                p = run_rounds(again_.rounds[next++]);
            } else {
                while (next < again_.rounds.size() && again_.rounds[next].first() <= p) ++next;
                p += run_one(p);
            }
        }
    }

private:
    using Clock = std::chrono::steady_clock;

    // The part after the last one that ran.
    std::size_t run_rounds(Rounds& rounds) {
        const std::size_t first = rounds.first(), end = first + rounds.parts();
        if (!rounds.ready()) {
            std::size_t p = first;
            while (p < end) p += run_one(p);
            return p;
        }
        const Clock::time_point begin = rounds.has_code() ? Clock::time_point{} : Clock::now();
        rounds.run(again_.bases, [&](std::size_t part) { run_one(part, true); });
        if (!rounds.has_code() && !first_) rounds.note(std::chrono::nanoseconds(Clock::now() - begin).count());
        for (const std::size_t p : rounds.giving_back())
            if (rounds.computes_now(p)) after_(p, 1);
        return end;
    }

    // The part at p, or several from there together; how many. alone: what comes after it runs in another way.
    std::size_t run_one(std::size_t p, bool alone = false) {
        Queue& q = queue();
        KeptLaunch* const kept = p < again_.kept.size() ? &again_.kept[p] : nullptr;
        std::size_t count = 1;
        try {
            if (!again_.together.empty()) [[unlikely]] {
                count = again_.together.run(p, [&](std::size_t part) {
                    std::size_t none = schedule_.parts.size();
                    q.runner.run_from(list_, schedule_, part, none);
                }, [&](std::size_t part) { return traffic_of(list_, schedule_.parts[part]); });
                if (count) {
                    after_(p, count);
                    return count;
                }
            }
            count = 1;
            if (kept && *kept && !again_.watched) {
                kept->run(again_.bases);
            } else {
                std::size_t none = schedule_.parts.size();
                count = q.runner.run_from(list_, schedule_, p, alone ? none : apart_, true);
                if (kept && first_ && count == 1 && apart_ < schedule_.parts.size()) *kept = q.runner.keep(list_, schedule_.parts[p], again_.roots);
            }
        } catch (const Uncomputed&) {  // nothing of it has run: its instructions one by one, on the host where that is allowed
            count = 1;
            apart_ = schedule_.parts.size();
            again_.together.leave_out(p);
            for (const std::uint32_t member : schedule_.parts[p].group.members) {
                static_cast<void>(leave_to_host(list_[member]));
                if (list_[member].on_host) run_on_host(list_[member]);
                else run_now(list_[member]);
            }
        }
        after_(p, count);
        return count;
    }

    std::span<Instruction> list_;
    const Schedule& schedule_;
    Again& again_;
    const std::function<void(std::size_t, std::size_t)>& after_;
    const bool first_;
    std::size_t apart_ = 0;
};

}  // namespace

void run_list(const Run&, std::span<Instruction> list, const Schedule& schedule, Again& again, const std::function<void(std::size_t, std::size_t)>& after) {
    const FromHere from(origin(queue()));
    const trace::Span span("replay", "run");
    ListRun(list, schedule, again, after).run();
}

std::string explain_list(std::span<const Instruction> list, const Schedule& schedule, const Again& again, ArrayNames& names) {
    Queue& q = queue();
    std::string text;
    without_lock([&] {
        const Run nothing_else{Run::ByItself{}};  // what runs is lent memory, and does not look as it was recorded
        text = explanation_of(list, schedule, q.runner, nullptr, names).text;
        std::string rounds;
        for (const Rounds& one : again.rounds) rounds += one.text();
        text.insert(0, rounds);
    });
    return text;
}

void settle(std::span<const BufferUse> uses) {
    for (const BufferUse& use : uses)
        if (use.buffer->pending_writes > 0 || (use.written && use.buffer->pending_reads > 0)) flush(use.buffer);
}

}  // namespace asnumpy
