// The queue: what is recorded, and running it. Nothing else in the core waits.
#include "runtime/queue.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/immortal.hpp"
#include "cpu/code.hpp"
#include "device/demotion.hpp"
#include "device/trace.hpp"
#include "runtime/damaged.hpp"
#include "runtime/fallback.hpp"
#include "runtime/fuse.hpp"
#include "runtime/mirror.hpp"
#include "runtime/outlook.hpp"
#include "runtime/passes.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/record.hpp"
#include "runtime/recorded_at.hpp"
#include "runtime/runner.hpp"
#include "runtime/schedule.hpp"
#include "runtime/taken.hpp"
#include "runtime/tracing.hpp"

namespace asnumpy {

namespace {

// Forgets instructions that have run or that nobody needs.
void release(Queue& q, std::span<Instruction> list, std::span<const std::uint32_t> positions) {
    {
        const std::lock_guard lock(q.recording);
        for (const std::uint32_t position : positions)
            each_buffer(list[position], [](Buffer& b, bool written) { add_pending(written ? b.pending_writes : b.pending_reads, -1); });
    }
    for (const std::uint32_t position : positions) {
        list[position].in.clear();
        list[position].out.clear();
    }
}

void release(Queue& q, std::span<Instruction> list) {
    std::vector<std::uint32_t> positions(list.size());
    std::iota(positions.begin(), positions.end(), 0u);
    release(q, list, positions);
}

bool is_lost(const Instruction& instruction) { return !instruction.out[0].pool().backend().usable(); }

// Lets the passes over the list and divides it into programs, or finds how that was done before, and releases what does not run.
std::shared_ptr<const Schedule> schedule(Queue& q, std::vector<Instruction>& list) {
    q.census.take(list);
    const Passes chosen = q.passes.load(std::memory_order_relaxed);
    const Recurs recurring = recurs(list, chosen);
    bool is_new = recurring != Recurs::never;
    if (is_new) {
        std::shared_ptr<const Schedule> found = q.schedules.find(list, q.census, chosen, recurring == Recurs::by_views);
        if (found && std::ranges::all_of(found->edits.alternations, [&](const Alternation& one) { return alternates(one, list); })) {
            if (!found->edits.alternations.empty()) {
                const std::lock_guard lock(q.recording);
                put_in_turns(found->edits.alternations, list, true);
                is_new = false;  // not the list that came
            }
            if (holds(found->edits, list)) {
                if (!found->edits.empty()) {
                    const std::lock_guard lock(q.recording);
                    repeat(found->edits, list);
                }
                if (!found->dead.empty()) release(q, list, found->dead);
                return found;
            }
            if (!is_new) q.census.take(list);
        }
    }
    Draft draft(list, q.census, true);
    {
        const std::lock_guard lock(q.recording);
        run_passes(draft, chosen);
    }
    auto made = std::make_shared<const Schedule>(divide(draft));
    if (is_new) q.schedules.keep(made);
    release(q, list, made->dead);
    return made;
}

constexpr std::chrono::milliseconds between_checks{10};

// Runs what is recorded, or a part of it. False: it has paused, with the rest recorded again, so that the host can be asked whether
// there was an interrupt. The question runs Python code (signal handlers), which may itself need values: it is asked
// with no lock held and the queue whole. first: it also pauses for code that a program should wait for.
bool run_some(Queue& q, const Buffer* wanted, Take what, bool first) {
    std::optional<Turn> turn(std::in_place, q);
    Taken taken(q, *turn, wanted, what);
    turn->end_recording();
    std::vector<Instruction>& list = taken.list;
    if (list.empty()) return true;
    trace::Span span("flush", "run");
    if (span.listening()) span.set_lines(line_of(origin_of_work));
    std::shared_ptr<const Schedule> planned;
    thread_local std::vector<std::uint32_t> kept;  // what failed, what depends on it, and what a pause leaves
    kept.clear();
    std::exception_ptr failure;
    bool lost = false;                // what was wanted can never be had
    bool cut = false;                 // more waits for this to have run
    const auto record_again = [&] {
        std::erase_if(list, [](const Instruction& i) { return i.out.empty(); });  // those that nobody needs are gone already
        const std::lock_guard lock(q.recording);
        put_back(q, list);
    };
    try {
        if (anything_damaged()) [[unlikely]] {
            Refused refused = refuse_damaged(list, wanted);
            release(q, refused.never);
            if (refused.why) lost = true, failure = std::make_exception_ptr(DeviceFailure(*refused.why));
            cut = !refused.later.empty();
            const std::lock_guard lock(q.recording);
            put_back(q, refused.later);
        }
        planned = schedule(q, list);
        outlook().divided(list.size(), planned->parts.size());
        kept.reserve(list.size());
        if (first && !failure && q.host.compile && cpu::code_mode() == cpu::CodeMode::wait && !is_forking() && q.runner.awaits_code(list, *planned, false)) {
            record_again();
            return false;
        }
    } catch (...) {  // out of memory: nothing has run
        record_again();
        throw;
    }
    turn.reset();

    const bool pauses = planned->parts.size() > 1 && q.host.check_interrupt && !is_forking();
    const auto start = pauses ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    bool paused = false;
    bool uncomputed = false;          // a device has found that it does not compute something
    std::exception_ptr refusal;
    const std::span parts(planned->parts);
    std::size_t apart = 0;
    for (std::size_t p = 0, count = 1; p < parts.size(); p += count) {
        count = 1;
        const Group& group = parts[p].group;
        bool runs = !paused;
        for (const auto* positions : {&group.members, &group.through})
            for (const std::uint32_t position : *positions)
                for (const std::uint32_t earlier : kept) runs = runs && !conflicts(list[earlier], list[position]);
        if (runs) {
            try {
                count = q.runner.run_from(list, *planned, p, apart);
                for (const Schedule::Part& part : parts.subspan(p, count)) {
                    release(q, list, part.group.members);
                    if (!part.group.unmade.empty()) release(q, list, part.group.unmade);
                }
                paused = pauses && std::chrono::steady_clock::now() - start >= between_checks;
                continue;
            } catch (const Uncomputed&) {
                uncomputed = true;  // it, and what follows, is divided anew
                if (!refusal) refusal = std::current_exception();
                apart = parts.size();
            } catch (...) {
                if (!failure) failure = told_where(std::current_exception(), list, parts[p].group.members);
                apart = parts.size();  // what follows may need what failed
                if (is_lost(list[group.members.front()])) {
                    for (const std::uint32_t member : group.members)
                        each_buffer(list[member], [&](const Buffer& b, bool written) { lost = lost || !wanted || (written && &b == wanted); });
                    release(q, list, group.members);
                    continue;
                }
            }
        }
        for (const auto* positions : {&group.members, &group.unmade}) kept.insert(kept.end(), positions->begin(), positions->end());
    }
    if (kept.empty() && lost) std::rethrow_exception(failure);
    if (kept.empty()) return !paused && !cut;
    std::sort(kept.begin(), kept.end());
    if (uncomputed) {
        bool left = false;
        try {
            for (const std::uint32_t k : kept) left = leave_to_host(list[k]) || left;
        } catch (const RuntimeFailure&) {  // it is not allowed
            refusal = std::current_exception();
            left = false;
        }
        if (left) paused = true;  // goes on where it is allowed; never twice for the same instruction
        else if (!failure) failure = refusal;
    }
    bool of_wanted = false;
    for (const std::uint32_t k : kept) each_buffer(list[k], [&](const Buffer& b, bool written) { of_wanted = of_wanted || (written && &b == wanted); });
    {
        const std::lock_guard lock(q.recording);
        for (std::size_t k = 0; k < kept.size(); ++k)
            if (kept[k] != k) list[k] = std::move(list[kept[k]]);
        put_back(q, std::span(list).first(kept.size()));
    }
    if (!paused && !lost && wanted && !of_wanted) return true;  // the failure concerns other arrays
    if (paused && !lost) return false;  // what failed will fail again
    std::rethrow_exception(failure);
}

}  // namespace

Queue& queue() {
    static Immortal<Queue> q;
    return *q;
}

namespace {

void run(Queue& q, const Buffer* wanted, Take what) {
    const FromHere from(origin(q));
    const auto run_all = [&] {
        for (bool first = true; !run_some(q, wanted, what, first); first = false) {
            if (q.host.compile && cpu::code_mode() == cpu::CodeMode::wait && cpu::anything_wanted()) q.host.compile(true);
            if (q.host.check_interrupt) q.host.check_interrupt();
        }
    };
    without_lock(run_all);
}

}  // namespace

void tell_news(Queue& q) {
    if (cpu::anything_newly_wanted() && q.host.compile) [[unlikely]] q.host.compile(false);
    report_news();
}

Outlook& outlook() {
    static thread_local Outlook mine;
    return mine;
}

void flush(const Buffer* wanted) {
    outlook().wanted();
    if (const Trace* const trace = wanted ? current_trace() : nullptr) [[unlikely]] trace->expect_value(*wanted, Access::read);
    run(queue(), wanted, Take::all);
    tell_news(queue());
}

void flush_for(const Array& array) {
    if (const Trace* const trace = current_trace()) [[unlikely]] trace->expect_value(*array.buffer, Access::read);
    if (pending(array)) {
        outlook().wanted();
        run(queue(), array.buffer.get(), Take::needed);
    }
    tell_news(queue());
}

Array brought_up(const Array& array) {
    const Array held = array;  // whoever runs meanwhile may give the caller's another shape
    flush_for(held);
    return held;
}

void record(Instruction&& instruction, bool put_off) {
    each_buffer(instruction, [](const Buffer& b, bool) { b.expect_there(); });
    Queue& q = queue();
    if (q.origins.load(std::memory_order_relaxed) && q.host.origin) [[unlikely]] instruction.origin = q.host.origin();
    if (Trace* const trace = current_trace()) [[unlikely]] return trace->add(std::move(instruction));
    bool now = eager(), full = false;
    const Buffer* out = instruction.out[0].buffer.get();
    Few<BufferPtr, 2> behind;
    const std::uint64_t most_bytes = out->pool().total_memory() / 4;
    std::unique_lock<std::mutex> mirrors;
    if (!out->host_visible()) {
        mirrors = take_back(instruction);
        for (const Array& target : instruction.out) {
            if (target.size() > 1) target.buffer->elements_alone = 0;
            if (target.buffer->mirror) behind.emplace_back(target.buffer);
        }
    }
    {
        const std::lock_guard lock(q.recording);
        each_buffer(instruction, [&](Buffer& b, bool written) {
            if (!put_off || (!b.pending_reads && !b.pending_writes)) b.put_off.store(put_off, std::memory_order_relaxed);
            add_pending(written ? b.pending_writes : b.pending_reads, 1);
            if (b.seen_by_host()) now = true;
            if (written) b.writes.fetch_add(1, std::memory_order_relaxed);
            if (written && !b.materialised()) q.recorded_bytes += b.bytes();
        });
        q.recorded_for_devices = q.recorded_for_devices || !out->host_visible();
        q.recorded.push_back(std::move(instruction));
        if (q.recorded_bytes > most_bytes) now = true;
        full = q.recorded.size() >= longest_list;
    }
    if (mirrors) mirrors.unlock();
    if (!now && !full) return;
    if (full) outlook().filled();
    try {
        run(q, out, now || !behind.empty() ? Take::all : Take::first);  // what is brought up has to have run
        tell_news(q);
        for (const BufferPtr& buffer : behind) bring_up(*buffer);
    } catch (...) {
        for (const BufferPtr& buffer : behind) drop_mirror(*buffer);
        throw;
    }
}

// While a function is traced, nothing runs at once.
std::int64_t eager_size() { return current_trace() ? -1 : queue().eager_size.load(std::memory_order_relaxed); }

void make_ready(const Array& array, Access access) {
    if (const Trace* const trace = current_trace()) [[unlikely]] trace->expect_value(*array.buffer, access);
    Queue& q = queue();
    Buffer& buffer = *array.buffer;
    bool conflict;
    {
        const std::lock_guard lock(q.recording);
        conflict = buffer.pending_writes > 0 || (access == Access::write && buffer.pending_reads > 0);
    }
    if (conflict) flush(&buffer);
    if (access == Access::write && buffer.pending_reads > 0) flush();  // what reads it has failed, and says why: it runs again with these values
    if (!buffer.host_visible()) {
        const auto mirrors = take_back(buffer, access == Access::write);
        if (access == Access::write) {
            buffer.given_away = true;
            buffer.mirror.drop();
        }
    }
    buffer.materialise();
}

bool pending(const Array& array) {
    const std::lock_guard lock(queue().recording);
    return array.buffer->pending_writes > 0;
}

std::size_t pending_count() {
    const std::lock_guard lock(queue().recording);
    return queue().recorded.size();
}

void set_eager(bool value) {
    queue().eager = value;
    if (value) flush();
}
bool eager() { return queue().eager.load(std::memory_order_relaxed); }
void set_origins(bool value) { queue().origins = value; }
void set_passes(Passes chosen) { queue().passes = chosen; }
void set_eager_size(std::int64_t elements) { queue().eager_size = elements; }
void set_host(Host host) { queue().host = std::move(host); }

void without_lock(const std::function<void()>& body) {
    if (queue().host.without_lock) queue().host.without_lock(body);
    else body();
}

void report(const std::string& text) {
    if (queue().host.report) queue().host.report(text);
}

void forget_lost_work() {
    Queue& q = queue();
    forget_waiting(q);
    const std::unique_lock planning = lock_planning(q);
    std::vector<Instruction> lost;
    {
        const std::lock_guard lock(q.recording);
        const auto rest = std::stable_partition(q.recorded.begin(), q.recorded.end(), [](const Instruction& i) { return !is_lost(i); });
        lost.assign(std::make_move_iterator(rest), std::make_move_iterator(q.recorded.end()));
        q.recorded.erase(rest, q.recorded.end());
    }
    release(q, lost);
}

}  // namespace asnumpy
