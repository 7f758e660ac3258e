// How well many threads are used, by simulation: the division of a call as it is, with what waking and working cost elsewhere.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <queue>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "cpu/threads.hpp"

using asnumpy::cpu::Division;
using asnumpy::testing::expect;

namespace {

struct Machine {
    double call_ns;    // the caller's time for waking one thread, before it works itself
    double wake_ns;    // from then until that thread works
    double spread;     // of the time for a unit: up to so much more, chunk by chunk
};

struct Outcome {
    double ns = 0;          // until all have ended
    double efficiency = 0;  // the work over what all threads had
    std::vector<int> seen;  // how often each unit was done
};

// Every thread takes the next chunk where it is when it is free, in the order of time.
Outcome simulate(const Division& division, double unit_ns, const Machine& machine) {
    const auto count = static_cast<std::size_t>(division.participants);
    std::mt19937 generator(5);
    std::uniform_real_distribution<double> more(0, machine.spread);
    std::vector<std::int64_t> next(count), end(count);
    std::vector<std::size_t> at(count), left(count, count);
    using Free = std::pair<double, std::size_t>;
    std::priority_queue<Free, std::vector<Free>, std::greater<>> free;
    const double all_called = machine.call_ns * static_cast<double>(count - 1);
    for (std::size_t i = 0; i < count; ++i) {
        next[i] = division.part_begin(static_cast<std::int64_t>(i));
        end[i] = division.part_begin(static_cast<std::int64_t>(i) + 1);
        at[i] = i;
        free.emplace(i == 0 ? all_called : machine.call_ns * static_cast<double>(i) + machine.wake_ns, i);
    }
    Outcome outcome;
    outcome.seen.resize(static_cast<std::size_t>(division.n));
    double work = 0;
    while (!free.empty()) {
        const auto [now, thread] = free.top();
        free.pop();
        while (left[thread] > 0 && next[at[thread]] >= end[at[thread]]) {
            at[thread] = (at[thread] + 1) % count;
            --left[thread];
        }
        if (left[thread] == 0) continue;
        const std::size_t seat = at[thread];
        const std::int64_t begin = next[seat], stop = std::min(begin + division.chunk, end[seat]);
        next[seat] = begin + division.chunk;
        for (std::int64_t unit = begin; unit < stop; ++unit) ++outcome.seen[static_cast<std::size_t>(unit)];
        const double ns = static_cast<double>(stop - begin) * unit_ns * (1 + more(generator));
        work += ns;
        outcome.ns = std::max(outcome.ns, now + ns);
        free.emplace(now + ns, thread);
    }
    outcome.efficiency = work / (outcome.ns * static_cast<double>(count));
    return outcome;
}

// A chain of eight on so many float32 is this many tiles of 4,096, of which each takes about 1.2 us on one thread.
constexpr double tile_ns = 1200;
constexpr std::int64_t tile = 4096;
constexpr std::int64_t shortest_chunk = 17;  // tiles that last 20 us
// A thread that sleeps is called in 2 to 5 us and works 30 to 60 us later; one that spins, at once.
constexpr Machine asleep{4000, 50000, 0.2}, awake{200, 500, 0.2};

void report(const char* what, std::int64_t elements, std::int64_t threads, const Machine& machine, double least) {
    const Division division(elements / tile, shortest_chunk, threads);
    const Outcome outcome = simulate(division, tile_ns, machine);
    expect(std::ranges::all_of(outcome.seen, [](int times) { return times == 1; }), "each tile once");
    std::printf("%-24s %11lld elements, %2lld threads: %8.0f us, efficiency %3.0f %%\n", what, static_cast<long long>(elements), static_cast<long long>(threads),
                outcome.ns / 1000, outcome.efficiency * 100);
    expect(outcome.efficiency >= least, (std::string(what) + ": less than the least efficiency").c_str());
}

}  // namespace

int main() {
    for (const std::int64_t threads : {2, 4, 8, 16}) {
        report("workers awake", 10'000'000, threads, awake, 0.7);
        report("workers asleep", 100'000'000, threads, asleep, 0.7);
        report("workers asleep", 10'000'000, threads, asleep, 0.65);  // waking sixteen takes as long as a quarter of the work
    }
    std::printf("division: ok\n");
}
