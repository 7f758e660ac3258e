// The queue: what is recorded, and running it. Nothing else in the core waits.
#include "runtime/queue.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <mutex>
#include <new>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/immortal.hpp"
#include "cpu/code.hpp"
#include "device/demotion.hpp"
#include "device/trace.hpp"
#include "runtime/damaged.hpp"
#include "runtime/explain.hpp"
#include "runtime/fallback.hpp"
#include "runtime/fuse.hpp"
#include "runtime/mirror.hpp"
#include "runtime/passes.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/record.hpp"
#include "runtime/runner.hpp"
#include "runtime/schedule.hpp"
#include "runtime/tracing.hpp"

namespace asnumpy {

namespace {

constexpr std::size_t longest = 128;  // instructions before the queue runs by itself

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
const Schedule& schedule(Queue& q, std::span<Instruction> list) {
    q.census.take(list);
    const Passes chosen = q.passes.load(std::memory_order_relaxed);
    const bool kept = repeatable(list, chosen);
    if (kept) {
        const Schedule* const found = q.schedules.find(list, q.census, chosen);
        if (found && holds(found->edits, list)) {
            if (!found->edits.redirects.empty()) {
                const std::lock_guard lock(q.recording);
                repeat(found->edits, list);
            }
            if (!found->dead.empty()) release(q, list, found->dead);
            return *found;
        }
    }
    Draft draft(list, q.census, true);
    {
        const std::lock_guard lock(q.recording);
        run_passes(draft, chosen);
    }
    Schedule made = divide(draft);
    const Schedule& result = kept ? q.schedules.keep(std::move(made)) : (q.passing = std::move(made));
    release(q, list, result.dead);
    return result;
}

// What fails is put back before what was recorded meanwhile. There is room for that before anything runs: where memory has run
// out, nothing must be lost.
std::size_t room_beside(const std::vector<Instruction>& list) { return list.size() + 2 * longest; }
void put_back(Queue& q, std::span<Instruction> kept) {
    q.recorded.insert(q.recorded.begin(), std::make_move_iterator(kept.begin()), std::make_move_iterator(kept.end()));
}

constexpr std::chrono::milliseconds between_checks{10};

// Runs what is recorded; alone: what is wanted, and no more. False: it has paused, with the rest recorded again, so that the host can be asked whether
// there was an interrupt. The question runs Python code (signal handlers), which may itself need values: it is asked
// with no lock held and the queue whole. first: it also pauses for code that a program should wait for.
bool run_some(Queue& q, const Buffer* wanted, bool alone, bool first) {
    const std::unique_lock running = lock_running(q);
    std::vector<Instruction> list;
    {
        const std::lock_guard lock(q.recording);
        if (q.recorded.empty()) return true;
        q.spare.reserve(room_beside(q.recorded));
        if (alone) {
            list = take_needed(q.recorded, wanted, q.census, room_beside(q.recorded));
        } else {
            list = std::exchange(q.recorded, std::move(q.spare));
            q.recorded_bytes = 0;
        }
    }
    trace::Span span("flush", "run");
    const Schedule* planned = nullptr;
    std::vector<std::uint32_t>& kept = q.kept;
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
        kept.reserve(list.size());
        if (anything_damaged()) [[unlikely]] {
            Refused refused = refuse_damaged(list, wanted);
            release(q, refused.never);
            if (refused.why) lost = true, failure = std::make_exception_ptr(DeviceFailure(*refused.why));
            cut = !refused.later.empty();
            const std::lock_guard lock(q.recording);
            put_back(q, refused.later);
        }
        planned = &schedule(q, list);
        if (first && !failure && q.host.compile && !forking && cpu::code_mode() == cpu::CodeMode::wait && q.runner.awaits_code(list, *planned, false)) {
            record_again();
            return false;
        }
    } catch (...) {  // out of memory: nothing has run
        record_again();
        throw;
    }

    const bool pauses = planned->parts.size() > 1 && q.host.check_interrupt && !forking;
    const auto start = pauses ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    bool paused = false;
    bool uncomputed = false;          // a device has found that it does not compute something
    std::exception_ptr refusal;
    const std::span parts(planned->parts);
    std::size_t apart = 0;
    for (std::size_t p = 0, count = 1; p < parts.size(); p += count) {
        count = 1;
        bool runs = !paused;
        for (const std::uint32_t member : parts[p].group.members)
            for (const std::uint32_t earlier : kept)
                runs = runs && !conflicts(list[earlier], list[member]);
        if (runs) {
            try {
                count = q.runner.run_from(list, *planned, p, apart);
                for (const Schedule::Part& part : parts.subspan(p, count)) release(q, list, part.group.members);
                paused = pauses && std::chrono::steady_clock::now() - start >= between_checks;
                continue;
            } catch (const Uncomputed&) {
                uncomputed = true;  // it, and what follows, is divided anew
                if (!refusal) refusal = std::current_exception();
                apart = parts.size();
            } catch (...) {
                if (!failure) failure = std::current_exception();
                apart = parts.size();  // what follows may need what failed
                if (is_lost(list[parts[p].group.members.front()])) {
                    for (const std::uint32_t member : parts[p].group.members)
                        each_buffer(list[member], [&](const Buffer& b, bool written) { lost = lost || !wanted || (written && &b == wanted); });
                    release(q, list, parts[p].group.members);
                    continue;
                }
            }
        }
        kept.insert(kept.end(), parts[p].group.members.begin(), parts[p].group.members.end());
    }
    if (kept.empty()) {
        list.clear();
        q.spare = std::move(list);
        if (lost) std::rethrow_exception(failure);
        return !paused && !cut;
    }
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
    {
        const std::lock_guard lock(q.recording);
        for (std::size_t k = 0; k < kept.size(); ++k)
            if (kept[k] != k) list[k] = std::move(list[kept[k]]);
        put_back(q, std::span(list).first(kept.size()));
        if (!paused && !lost && wanted && wanted->pending_writes == 0) return true;  // the failure concerns other arrays
    }
    if (paused && !lost) return false;  // what failed will fail again
    std::rethrow_exception(failure);
}

}  // namespace

Queue& queue() {
    static Immortal<Queue> q;
    return *q;
}

namespace {

void run(Queue& q, const Buffer* wanted, bool alone) {
    const FromHere from(origin(q));
    const auto run_all = [&] {
        for (bool first = true; !run_some(q, wanted, alone, first); first = false) {
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

void flush(const Buffer* wanted) {
    if (const Trace* const trace = wanted ? current_trace() : nullptr) [[unlikely]] trace->expect_value(*wanted, Access::read);
    run(queue(), wanted, false);
    tell_news(queue());
}

void flush_for(const Array& array) {
    if (const Trace* const trace = current_trace()) [[unlikely]] trace->expect_value(*array.buffer, Access::read);
    if (pending(array)) run(queue(), array.buffer.get(), true);
    tell_news(queue());
}

void record(Instruction&& instruction) {
    each_buffer(instruction, [](const Buffer& b, bool) { b.expect_there(); });
    if (Trace* const trace = current_trace()) [[unlikely]] return trace->add(std::move(instruction));
    Queue& q = queue();
    bool now = eager();
    const Buffer* out = instruction.out[0].buffer.get();
    Few<BufferPtr, 2> behind;
    const std::uint64_t most_bytes = out->pool().total_memory() / 4;
    if (!out->host_visible()) {
        for (bool all = false; !all;) {  // taking one back may wait, and another thread use the elements of the next meanwhile
            each_buffer(instruction, take_back);
            all = true;
            each_buffer(instruction, [&](const Buffer& b, bool written) { all = all && !(b.mirror && (b.mirror->changed || (written && !b.mirror->behind))); });
        }
        for (const Array& target : instruction.out) {
            if (target.size() > 1) target.buffer->elements_alone = 0;
            if (target.buffer->mirror) behind.emplace_back(target.buffer);
        }
    }
    {
        const std::lock_guard lock(q.recording);
        each_buffer(instruction, [&](Buffer& b, bool written) {
            add_pending(written ? b.pending_writes : b.pending_reads, 1);
            if (b.exports.load(std::memory_order_relaxed) > 0) now = true;
            if (written) b.writes.fetch_add(1, std::memory_order_relaxed);
            if (written && !b.materialised()) q.recorded_bytes += b.bytes();
        });
        q.recorded.push_back(std::move(instruction));
        if (q.recorded.size() >= longest || q.recorded_bytes > most_bytes) now = true;
    }
    if (!now) return;
    try {
        flush(out);
        for (const BufferPtr& buffer : behind) bring_up(*buffer);
    } catch (...) {
        for (const BufferPtr& buffer : behind) buffer->mirror.reset();  // what it shows is not the array any more
        throw;
    }
}

bool may_run_now(const Instruction& instruction) {
    bool free = !instruction.out.empty();
    each_buffer(instruction, [&](const Buffer& b, bool written) {
        if (b.pending_writes || (written && b.pending_reads)) free = false;
    });
    return free;
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
    take_back(buffer, access == Access::write);
    if (access == Access::write && !buffer.host_visible()) {
        buffer.given_away = true;
        buffer.mirror.reset();
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

Explanation explain(const Array* array) {
    Queue& q = queue();
    Explanation found;
    without_lock([&] {
        const std::unique_lock running = lock_running(q);
        const std::lock_guard lock(q.recording);
        q.census.take(q.recorded);
        std::vector<Instruction> list = q.recorded;  // which stays as it was recorded
        Draft draft(list, q.census, false);
        const std::vector<Done> done = run_passes(draft, q.passes);
        found = explanation_of(list, divide(draft), q.runner, array);
        if (!done.empty()) found.text.insert(0, to_string(done, list.size()));
    });
    return found;
}

void set_eager(bool value) {
    queue().eager = value;
    if (value) flush();
}
bool eager() { return queue().eager.load(std::memory_order_relaxed); }
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

void lock_for_fork() {
    Queue& q = queue();
    without_lock([&q] { q.running.lock(); });
    forking = true;
    // `recording` is free at the fork itself, for whoever records holds the interpreter's lock, as the forking thread
    // then does; where there is none, the interpreter has stopped all threads that record by then, and none stops within
    // the core. Taking it here would block recorders that come between now and the fork.
}

void unlock_after_fork() {
    forking = false;
    queue().running.unlock();
}

void forget_lost_work() {
    Queue& q = queue();
    const std::unique_lock running = lock_running(q);
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
