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
#include "runtime/schedule.hpp"

namespace asnumpy {

struct Queue {
    // Two locks: `recording` is held for moments; `running` is held by whoever runs programs, and taken first. Nobody
    // waits for the interpreter's lock, or runs Python code, while holding one of them (but see lock_for_fork). All that threads share
    // here is under one of them or atomic: the interpreter's lock guards none of it, so that threads may record at the same time.
    // `recording` guards `recorded`, `recorded_bytes` and the counts of what is pending of every buffer.
    std::mutex recording;
    std::mutex running;
    std::vector<Instruction> recorded;
    std::size_t recorded_bytes = 0;
    // The rest is guarded by `running`.
    std::vector<Instruction> spare;   // the storage of the list that ran last
    std::vector<std::uint32_t> kept;  // of that list: what failed, what depends on it, and what a pause left
    Census census;
    Runner runner;     // compiled programs, and running them
    ScheduleCache schedules;
    Schedule passing;  // the schedule of a list that is not kept
    Host host;
    std::atomic<bool> eager{false};
    std::atomic<std::int64_t> eager_size{4096};
    std::atomic<Passes> passes{all_passes()};
};

Queue& queue();

// This thread holds `running` for a fork, and Python code that it runs meanwhile may need a value.
inline thread_local bool forking = false;

inline std::unique_lock<std::mutex> lock_running(Queue& q) {
    std::unique_lock lock(q.running, std::defer_lock);
    if (!forking) lock.lock();
    return lock;
}

// Work that this thread enqueues is known by the line of the program that wants it.
inline Origin origin(const Queue& q) {
    return work_fails_late && (q.eager || work_has_failed) && q.host.origin ? q.host.origin() : Origin{};
}

// After work: what it left to compile or to report. The caller holds the interpreter's lock.
void tell_news(Queue&);

}  // namespace asnumpy
