// Where a full list is cut; and that what is cut runs as it would have: values, failures, beside others.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <thread>
#include <vector>

#include "arrays.hpp"
#include "base/error.hpp"
#include "runtime/cut.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/taken.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

constexpr std::int64_t large = 20'000;

// A loop whose names hold, as those of a program, what they were given last. One turn is four instructions.
struct Loop {
    explicit Loop(double first) : a(iota(large)), x(iota(large, first)), value{7, first + 7} {}

    void step() {
        switch (done++ % 4) {
        case 0: t = op("subtract", x, a); break;
        case 1: s = op("maximum", t, a); break;
        case 2: w = op("subtract", s, t); break;
        default: x = op("minimum", w, x);
        }
        follow();
    }
    void steps(std::size_t n) {
        while (n-- > 0) step();
    }
    void check(const char* what) { expect(at(x, 7) == value[1], what); }

    std::size_t done = 0;

private:
    // The same with the numbers of element 7.
    void follow() {
        double& element = value[1];
        switch ((done - 1) % 4) {
        case 0: difference = element - value[0]; break;
        case 1: larger = std::max(difference, value[0]); break;
        case 2: rest = larger - difference; break;
        default: element = std::min(rest, element);
        }
    }

    Array a, x, t, s, w;
    double value[2];  // of element 7: a's and x's
    double difference = 0, larger = 0, rest = 0;
};

std::size_t cut_of_recorded() {
    Census census;
    return best_cut(queue().recorded, census);
}

void where_the_loop_begins_anew() {
    Loop loop(3);
    for (const std::size_t more : {50u, 1u, 1u, 1u}) {
        loop.steps(more);
        const std::size_t cut = cut_of_recorded();
        expect(cut % 4 == 0 && 2 * cut >= loop.done && cut < loop.done, "after a turn, and not the last, whose names still hold its values");
    }
    loop.check("values of a loop");
}

void where_nothing_is_saved() {
    const Array a = iota(large);
    Array x = iota(large);
    for (int k = 0; k < 40; ++k) x = op("maximum", x, a);
    expect(cut_of_recorded() == 40, "a chain is not cut");
    for (int k = 0; k < 40; ++k) x = op("minimum", x, a);
    expect(cut_of_recorded() == 80 && at(x, 9) == 9, "nor is a longer one");
}

// Full lists begin where the one before was cut: they are of one content.
void lists_recur() {
    flush();
    Loop loop(2);
    std::vector<std::size_t> left;
    while (left.size() < 4) {
        const std::size_t before = pending_count();
        loop.step();
        if (pending_count() <= before) left.push_back(pending_count());
    }
    expect(left[0] > 0 && 2 * left[0] <= longest_list, "at least half has run, and a part of a turn waits");
    expect(left[1] == left[0] && left[2] == left[0] && left[3] == left[0], "each list is cut at the same place");
    loop.check("values across cuts");
}

void failures_stay_in_order() {
    flush();
    Loop loop(5);
    loop.steps(3);
    default_pool().free_all_blocks();
    default_pool().set_limit(default_pool().figures().in_use + 1000);
    std::size_t told = 0;
    for (int k = 0; k < 300; ++k) {
        try {
            loop.step();
        } catch (const MemoryError&) {
            ++told;
        }
    }
    expect(told > 0 && pending_count() > longest_list, "what cannot run is told of, and waits");
    default_pool().set_limit(0);
    loop.check("and runs in its order when there is room");
}

void threads_cut() {
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([t] {
            Loop loop(t);
            for (int round = 0; round < 4; ++round) {
                loop.steps(203);
                loop.check("values of a thread's own");
            }
        });
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

int main() {
    const auto blocks = default_pool().figures().blocks;
    where_the_loop_begins_anew();
    where_nothing_is_saved();
    lists_recur();
    failures_stay_in_order();
    threads_cut();
    flush();
    expect(pending_count() == 0 && default_pool().figures().blocks == blocks, "nothing is left");
    std::puts("cut: ok");
}
