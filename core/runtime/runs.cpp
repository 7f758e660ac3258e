// Beginning, waiting and ending of runs; and the moment of a fork, in which nothing runs.
#include "runtime/runs.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "runtime/queue_state.hpp"
#include "runtime/record.hpp"

namespace asnumpy {

namespace {

constexpr int patience = 8;  // changes that somebody waits through before others wait for it

// This thread has `planning` for a fork, and Python code that it runs meanwhile may need a value.
thread_local bool forking_here = false;

// What is recorded of each buffer, so that the rest of what is pending is known to run.
class RecordedCounts {
public:
    explicit RecordedCounts(Queue& q) : census_(q.census) {
        census_.take(q.recorded);
        writes_.resize(census_.marks().size());
        for (const Instruction& instruction : q.recorded)
            for (const Array& out : instruction.out) ++writes_[out.buffer->number];
    }

    // Whether what runs conflicts with this use.
    bool meets(const Buffer& b, bool written) const {
        const Census::Mark* const mark = census_.find(b);
        const int all = mark ? mark->held : 0, writes = mark ? writes_[b.number] : 0;
        return b.pending_writes > writes || (written && b.pending_writes + b.pending_reads > all);
    }
    bool any_meets() const {
        return std::ranges::any_of(census_.marks(), [this](const Census::Mark& mark) { return meets(*mark.buffer, writes_[mark.buffer->number] > 0); });
    }

private:
    Census& census_;
    std::vector<int> writes_;  // by the buffer's number
};

}  // namespace

bool is_forking() { return forking_here; }

std::unique_lock<std::mutex> lock_planning(Queue& q) {
    std::unique_lock lock(q.planning, std::defer_lock);
    if (!forking_here) lock.lock();
    return lock;
}

Turn::Turn(Queue& q) : planning_(lock_planning(q)), queue_(q), recording_(q.recording) {}

Turn::~Turn() {
    if (recording_.owns_lock()) end_recording();
}

void Turn::end_recording() {
    if (std::exchange(at_gate_, false)) {
        --queue_.runs.gates;
        queue_.runs.tell();
    }
    recording_.unlock();
}

bool Turn::may_begin(bool alone) const {
    const Runs& runs = queue_.runs;
    return !runs.by_itself && !(alone && runs.active > 0) && (runs.gates == 0 || at_gate_ || forking_here);
}

void Turn::wait(bool impatient) {
    Runs& runs = queue_.runs;
    if (!at_gate_ && (impatient || ++waits_ >= patience)) {
        at_gate_ = true;
        ++runs.gates;
    }
    ++runs.waiting;
    const std::uint32_t seen = runs.changes.load(std::memory_order_relaxed);
    recording_.unlock();
    planning_.unlock();
    runs.changes.wait(seen, std::memory_order_acquire);
    planning_.lock();
    recording_.lock();
    --runs.waiting;
}

Run::Run(ByItself) {
    Queue& q = queue();
    Turn turn(q);
    while (!turn.may_begin(true)) turn.wait(true);
    begin(q, true);
}

Run::Run(std::span<const BufferUse> uses, Seats& seats) : uses_(uses) {
    Queue& q = queue();
    Turn turn(q);
    const auto conflicts = [&] {
        if (q.runs.active == 0) return false;
        const RecordedCounts counts(q);
        return std::ranges::any_of(uses_, [&](const BufferUse& use) { return counts.meets(*use.buffer, use.written); });
    };
    while (!seats.any_free() || !turn.may_begin(false) || conflicts()) turn.wait(false);
    seats_ = &seats;
    seat_ = std::countr_one(seats.taken);
    seats.taken |= 1u << seat_;
    count_uses(1);
    begin(q, false);
}

Run::~Run() {
    if (!queue_) return;
    const std::lock_guard lock(queue_->recording);
    end();
}

void Run::begin(Queue& q, bool by_itself) {
    queue_ = &q;
    ++q.runs.active;
    q.runs.by_itself = by_itself;
}

void Run::end() {
    Runs& runs = std::exchange(queue_, nullptr)->runs;
    --runs.active;
    runs.by_itself = false;
    if (seats_) seats_->taken &= ~(1u << seat_);
    count_uses(-1);
    runs.tell();
}

void Run::count_uses(int n) const {
    for (const BufferUse& use : uses_) add_pending(use.written ? use.buffer->pending_writes : use.buffer->pending_reads, n);
}

bool conflicts_with_runs(Queue& q, const Buffer* wanted) {
    if (q.runs.active == 0) return false;
    const RecordedCounts counts(q);
    return (wanted && counts.meets(*wanted, true)) || counts.any_meets();
}

void lock_for_fork() {
    Queue& q = queue();
    without_lock([&q] {
        Turn turn(q);
        while (!turn.may_begin(true)) turn.wait(true);
        turn.keep_planning();  // so that nothing begins
    });
    forking_here = true;
    // `recording` is free at the fork itself, for whoever records holds the interpreter's lock, as the forking thread
    // then does. Taking it here would block recorders that get that lock between now and the fork.
}

void unlock_after_fork() {
    forking_here = false;
    queue().planning.unlock();
}

void forget_waiting(Queue& q) {
    const std::lock_guard lock(q.recording);
    q.runs.gates = q.runs.waiting = 0;
}

}  // namespace asnumpy
