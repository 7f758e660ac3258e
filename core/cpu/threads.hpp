// The pool of worker threads of the CPU backend.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/function_ref.hpp"

namespace asnumpy::cpu {

int max_threads();            // what the machine allows (affinity mask and cgroup quota)
int thread_count();           // in use: ASNUMPY_NUM_THREADS, set_thread_count, else max_threads()
int free_threads();           // those that a call from here would have: one within parallel_for
void set_thread_count(int);   // clamped to [1, max_threads()]
void oversubscribe(int);      // set_thread_count without the upper bound, for tests on small machines
void stay_awake(bool);        // whether workers wait without ever sleeping, for tests of what follows while they are awake

// Calls body(begin, end, worker) over [0, n) in chunks of at least `grain`, from the calling thread and workers;
// returns when all have run. Runs inline when one chunk suffices. A nested call runs inline, and so does one that
// finds the workers busy with another thread's call. The first exception is rethrown here after the others have
// stopped. Workers start at first use and again in a forked child.
using Body = FunctionRef<void(std::int64_t begin, std::int64_t end, int worker)>;
void parallel_for(std::int64_t n, std::int64_t grain, Body body);

// The same for a body that overwrites what it reads, and so cannot run again after it has failed half-way. prepare() runs on
// each thread before its first chunk, on the calling one before any other starts, and takes all memory that `body` needs.
// Where there is none for the caller, nothing has run; a worker without memory leaves its chunks to the others.
void parallel_for(std::int64_t n, std::int64_t grain, FunctionRef<void()> prepare, Body body);

// Work that a thread should have before another one gets the rest: where that sleeps, by what waking takes on this machine.
double worth_sharing_ns();

// How many threads shared the calling thread's last work, in whose caches it lies now; one where they sleep again.
int last_participants();
void worked_alone();  // what was no parallel_for is the last work

// How a call divides [0, n): each participant begins with a part of its own, and takes it in chunks; who has none left takes those of the
// next one, around the ring. Chunks are shorter than what a thread is worth sharing for: nobody waits for long for the last one of who came late.
struct Division {
    std::int64_t n, participants, chunk;

    Division(std::int64_t length, std::int64_t grain, std::int64_t count) : n(length), participants(count) {
        const std::int64_t most_chunks = count * chunks_each;
        chunk = std::max((grain + chunks_of_grain - 1) / chunks_of_grain, (n + most_chunks - 1) / most_chunks);
    }
    std::int64_t part_begin(std::int64_t participant) const { return n * participant / participants; }

private:
    static constexpr std::int64_t chunks_each = 8, chunks_of_grain = 8;
};

}  // namespace asnumpy::cpu
