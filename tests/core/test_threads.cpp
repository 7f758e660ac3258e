// Several threads record into one queue and flush it: views, in-place updates, pauses, readers. Made for the thread sanitizer.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "base/error.hpp"
#include "cpu/threads.hpp"
#include "device/trace.hpp"
#include "on_threads.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

Input number(double value) {
    return Scalar::of(value);
}

void add_in_place(const Array& target, const Input& addend) {
    static const RowId add = find_row("add");
    static const int loop = find_loop(add, binary(DType::float64));
    const Input in[]{target, addend};
    apply(add, loop, in, std::span(&target, 1));
}

// Every thread has arrays of its own, and all read one: no lock but the queue's.
void arrays_of_their_own() {
    const std::int64_t n = 6000;
    const Array shared = iota(n);
    on_threads([&](int t) {
        const RowId add = find_row("add");
        for (int round = 0; round < 25; ++round) {
            const Array own = iota(n, t);
            add_in_place(slice(own, 0, n / 2), slice(shared, 0, n / 2));
            assign(slice(own, 1, n), slice(own, 0, n - 1));  // overlaps: all is read first
            const Array before = op("add", own, shared);
            add_in_place(own, number(round));
            const Array sum = reduce(add, find_loop(add, binary(DType::float64)), own, 1, true);
            if (round % 5 == t) flush();
            const auto old = [&](std::int64_t i) { return i < n / 2 ? static_cast<double>(2 * i + t) : static_cast<double>(i + t); };
            for (const std::int64_t i : {std::int64_t{1}, n / 2, n / 2 + 1, n - 1}) {
                expect(at(own, i) == old(i - 1) + round, "an overlapping assignment and an update in place, in a thread");
                expect(at(before, i) == old(i - 1) + static_cast<double>(i), "what was recorded before the update sees the old value");
            }
            double total = old(0) + n * round;
            for (std::int64_t i = 1; i < n; ++i) total += old(i - 1);
            expect(at(sum, 0) == total, "a sum after the update");
        }
    });
}

// Stands for the interpreter's lock: held by whoever records, given up while programs run.
std::mutex interpreter;
std::atomic<int> pauses{0};

struct GivenUp {
    GivenUp() { interpreter.unlock(); }
    ~GivenUp() { interpreter.lock(); }
};

void play_interpreter() {
    set_host({[] {
                  const std::lock_guard lock(interpreter);
                  ++pauses;
                  const Array value = iota(10);
                  expect(at(op("add", value, value), 3) == 6, "a signal handler reads a value");
              },
              [](const std::function<void()>& work) {
                  const GivenUp given_up;
                  work();
              }});
}

// All threads update windows of one array, copy it, and read it; a plain vector is changed with it, in the order of recording.
void one_array() {
    const std::int64_t n = 9000;
    Array total;
    std::vector<double> model(static_cast<std::size_t>(n), 0);
    {
        const std::lock_guard lock(interpreter);
        total = iota(n);
        assign(total, number(0));
    }
    std::atomic<bool> done{false};
    std::thread watcher([&] {
        while (!done) {
            {
                const std::lock_guard lock(interpreter);
                expect(!explain(nullptr).text.empty(), "explain while others record and run");
                static_cast<void>(pending_count());
            }
            expect(default_pool().figures().in_use > 0, "figures while others allocate");
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    on_threads([&](int t) {
        std::mt19937 generator(static_cast<unsigned>(t));
        const auto pick = [&](std::int64_t below) { return static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(below)); };
        std::vector<std::pair<Array, std::vector<double>>> copies;
        for (int round = 0; round < 120; ++round) {
            const std::lock_guard lock(interpreter);
            const std::int64_t length = round % 3 ? 1 + pick(n) : 1 + pick(100);  // both sides of what runs at once
            const std::int64_t start = pick(n - length + 1);
            const Array window = slice(total, start, start + length);
            const double value = static_cast<double>(pick(100));
            // One instruction each: between two, a flush may let another thread in, as between two Python operators.
            const bool adds = round % 2;
            for (std::int64_t i = start; i < start + length; ++i) {
                double& x = model[static_cast<std::size_t>(i)];
                x = adds ? x + value : value;
            }
            if (adds) add_in_place(window, number(value));
            else assign(window, number(value));
            if (pick(4) == 0) {
                std::vector<double> expected = model;
                copies.emplace_back(op("add", total, total), std::move(expected));
            }
            if (pick(20) == 0) flush();
            if (copies.size() > 3) {
                const auto [copy, expected] = std::move(copies[static_cast<std::size_t>(pick(3))]);
                copies.clear();
                make_ready(copy, Access::read);
                const auto* values = reinterpret_cast<const double*>(copy.data());
                for (std::size_t i = 0; i < expected.size(); ++i) expect(values[i] == 2 * expected[i], "a copy has the values of its moment");
            }
        }
        const std::lock_guard lock(interpreter);
        copies.clear();
    });
    done = true;
    watcher.join();
    const std::lock_guard lock(interpreter);
    make_ready(total, Access::read);
    for (std::int64_t i = 0; i < n; ++i) expect(at(total, i) == model[static_cast<std::size_t>(i)], "updates in the order in which they were recorded");
}

// Flushes that pause to ask about interrupts, while other threads go on recording.
void pauses_between_programs() {
    const int before = pauses;
    for (int products = 12; products < 5000 && pauses == before; products *= 2) {  // as many as last long enough here
        on_threads([&](int t) {
            const std::lock_guard lock(interpreter);
            work_across_pauses(t, products);
        });
    }
    expect(pauses > before, "a long flush asks about interrupts");
}

// Arrays made in one thread, last used in another; the pool and the buffers' lists of freed ones see both.
void arrays_change_hands() {
    std::mutex mutex;
    std::vector<Array> parked;
    on_threads([&](int t) {
        for (int round = 0; round < 200; ++round) {
            Array mine = round % 2 ? iota(5000, t) : iota(8, t);
            Array other;
            {
                const std::lock_guard lock(mutex);
                parked.push_back(std::move(mine));
                other = std::move(parked.front());
                parked.erase(parked.begin());
                if (parked.size() < thread_number && round % 3) parked.push_back(op("add", other, other));
            }
            const double first = at(other, 0);
            expect(at(op("add", other, other), 0) == 2 * first, "an array of another thread");
        }
    });
}

// Calls of several threads at the same time: each index once, whoever has the workers, and whatever fails.
void calls_at_the_same_time() {
    on_threads([](int t) {
        for (int round = 0; round < 300; ++round) {
            const std::int64_t n = 1 + (t * 37 + round * 13) % 400;
            std::vector<std::atomic<int>> seen(static_cast<std::size_t>(n));
            const bool fails = round % 7 == t;
            bool caught = false;
            try {
                cpu::parallel_for(n, 2, [&](std::int64_t begin, std::int64_t end, int) {
                    if (fails && end == n) throw ValueError("the last part");
                    for (; begin < end; ++begin) ++seen[static_cast<std::size_t>(begin)];
                });
            } catch (const ValueError&) {
                caught = true;
            }
            expect(caught == fails, "who fails is told, and nobody else");
            for (const auto& count : seen) expect(count <= 1 && (fails || count == 1), "each index once");
        }
    });
}

// Two calls that can end only if both have more threads than their callers at one time.
void calls_share_the_workers() {
    using namespace std::chrono_literals;
    std::atomic<int> helped{0};
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    const auto call = [&] {
        std::atomic<bool> counted{false};
        cpu::parallel_for(2, 1, [&](std::int64_t, std::int64_t, int participant) {
            if (participant != 0 && !counted.exchange(true)) ++helped;
            while (helped < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(1ms);
        });
    };
    std::thread other(call);
    call();
    other.join();
    expect(helped == 2, "two calls at one time have a worker each");
}

// Little work is shared where it follows work that was, while the threads that shared that are awake, and only there.
void work_follows_work() {
    const Array much = iota(200'000), some = iota(30'000), copy = iota(30'000);
    const auto added = [&] {
        const Array sum = op("add", much, much);
        flush();
        return cpu::last_participants();
    };
    const auto copied = [&] {
        assign(copy, some);
        flush();
        return cpu::last_participants();
    };
    const auto alone = [] {  // twice: after the first time others may have been woken for what follows
        cpu::worked_alone();
        cpu::worked_alone();
    };
    cpu::stay_awake(true);  // however late other programs let a worker come
    alone();
    expect(copied() == 1, "a short copy is for one thread");
    expect(added() == 2, "much work is shared");
    expect(copied() == 2, "what follows shared work is shared");
    expect(copied() == 2, "and so is what follows that");
    alone();
    expect(copied() == 1, "where the values lie in one cache they stay");
    cpu::stay_awake(false);
    for (std::int64_t i = 0; i < copy.size(); i += 997) expect(at(copy, i) == static_cast<double>(i), "a copied element");
}

}  // namespace

int main() {
    trace::start(1000);  // its ring of events is written by all threads
    cpu::oversubscribe(2);
    work_follows_work();
    cpu::oversubscribe(5);
    calls_at_the_same_time();
    calls_share_the_workers();
    cpu::oversubscribe(3);
    arrays_of_their_own();
    arrays_change_hands();
    play_interpreter();
    one_array();
    pauses_between_programs();
    set_host({});
    expect(pending_count() == 0, "nothing is left");
    std::printf("threads: ok, %d pauses\n", pauses.load());
}
