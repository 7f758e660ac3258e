// The queue itself, for the files that make it up. Internal to this folder.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "base/immortal.hpp"
#include "device/damage.hpp"
#include "runtime/queue.hpp"
#include "runtime/runner.hpp"
#include "runtime/runs.hpp"
#include "runtime/schedule.hpp"

namespace asnumpy {

struct Queue {
    Queue() { spares.reserve(most_spares); }

    std::mutex planning, mirrors, recording;  // what they guard, and their order: runtime/runs.hpp
    // Guarded by `recording`.
    std::vector<Instruction> recorded;
    std::size_t recorded_bytes = 0;
    bool recorded_for_devices = false;               // whose memory the host cannot touch; maybe no more
    std::size_t running = 0;                         // instructions of the lists that run: so many may be recorded again
    static constexpr std::size_t most_spares = 4;
    std::vector<std::vector<Instruction>> spares;    // the storage of lists that have run
    Runs runs;
    // Guarded by `planning`.
    Census census;
    ScheduleCache schedules;

    Runner runner;  // compiled programs, and running them
    Host host;
    std::atomic<bool> eager{false}, origins{false};
    std::atomic<std::int64_t> eager_size{4096};
    std::atomic<Passes> passes{all_passes()};
};

Queue& queue();

// This thread has `planning` for a fork, and Python code that it runs meanwhile may need a value.
bool is_forking();
// Not locked where the thread has it already.
std::unique_lock<std::mutex> lock_planning(Queue&);
void forget_waiting(Queue&);  // in a forked child: who waited is not there

// Work that this thread enqueues is known by the line of the program that wants it.
inline Origin origin(const Queue& q) {
    return (q.origins.load(std::memory_order_relaxed) || (work_fails_late && (q.eager || work_has_failed))) && q.host.origin ? q.host.origin() : Origin{};
}

// After work: what it left to compile or to report. The caller holds the interpreter's lock.
void tell_news(Queue&);

}  // namespace asnumpy
