// Threads record, run and read at the same time with no lock of an interpreter's around them, as in a Python without one: what they
// share is the queue's to guard, and elements that nobody else writes have their values. Made for the thread sanitizer.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "arrays.hpp"
#include "base/error.hpp"
#include "cpu/threads.hpp"
#include "guarded.hpp"
#include "on_threads.hpp"
#include "runtime/copies.hpp"
#include "runtime/mirror.hpp"
#include "runtime/replay.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

Input number(double value) { return Scalar::of(value); }

void add_in_place(const Array& target, const Input& addend) {
    static const RowId add = find_row("add");
    static const int loop = find_loop(add, binary(DType::float64));
    const Input in[]{target, addend};
    apply(add, loop, in, std::span(&target, 1));
}

double sum_of(const Array& a) {
    static const RowId add = find_row("add");
    static const int loop = find_loop(add, binary(DType::float64));
    return at(reduce(add, loop, a, 1, true), 0);
}

// While a thread lives, it asks for all that tells about the queue.
class Watcher {
public:
    Watcher() : thread_([this] {
        while (!ended_) {
            static_cast<void>(explain(nullptr));
            static_cast<void>(pending_count());
            static_cast<void>(default_pool().figures());
            std::this_thread::yield();
        }
    }) {}
    ~Watcher() {
        ended_ = true;
        thread_.join();
    }
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;

private:
    std::atomic<bool> ended_{false};
    std::thread thread_;
};

// Each thread has a part of one array: on both sides of what runs at once, one part is written at its call while another waits in the queue.
void parts_of_one_array() {
    for (const std::int64_t length : {std::int64_t{40}, std::int64_t{6000}}) {
        const Array whole = iota(thread_number * length);
        const Watcher watcher;
        on_threads([&](int t) {
            const Array part = slice(whole, t * length, (t + 1) * length);
            double added = 0;
            for (int round = 0; round < 60; ++round) {
                const bool all = round % 3 != t % 3;
                add_in_place(all ? part : slice(part, 0, length / 2), number(round));
                if (all) add_in_place(slice(part, 0, length / 2), number(-round));
                added += all ? round : 0;
                if (!all) add_in_place(slice(part, 0, length / 2), number(-round));
                if (round % 7 == t) expect(at(part, length - 1) == static_cast<double>((t + 1) * length - 1) + added, "a part while others change theirs");
                if (round % 11 == t) flush();
            }
            const double first = static_cast<double>(t * length), count = static_cast<double>(length), half = static_cast<double>(length / 2);
            expect(sum_of(part) == count * first + count * (count - 1) / 2 + added * (count - half), "the sum of a part");
        });
    }
}

// Recorded in one thread, wanted in all at the same moment; what each makes of it is its own.
void pending_arrays_are_read_by_all() {
    for (int round = 0; round < 40; ++round) {
        const std::int64_t n = round % 2 ? 3000 : 9000;
        const Array a = iota(n, round), b = op("multiply", op("add", a, a), a);
        std::atomic<int> waiting{thread_number};
        on_threads([&](int t) {
            --waiting;
            while (waiting > 0) std::this_thread::yield();
            const double x = static_cast<double>(round + t);
            if (t % 2) expect(at(op("add", b, a), t) == 2 * x * x + x, "made of a pending array");
            expect(at(b, t) == 2 * x * x, "a pending array");
        });
    }
}

// The last holder of an array may be any thread, or the queue.
void arrays_die_anywhere() {
    const Array kept = iota(7000);
    std::array<std::atomic<Array*>, 3> places{};
    on_threads([&](int t) {
        std::mt19937 generator(static_cast<unsigned>(t));
        for (int round = 0; round < 400; ++round) {
            const std::int64_t n = generator() % 2 ? 7000 : 12;
            auto mine = std::make_unique<Array>(op("add", slice(kept, 0, n), slice(kept, 0, n)));
            if (generator() % 4 == 0) add_in_place(*mine, number(0));
            const std::unique_ptr<Array> other(places[generator() % places.size()].exchange(mine.release()));
            if (other) expect(at(*other, 5) == 10, "an array that another thread has made");
        }
    });
    for (std::atomic<Array*>& place : places) delete place.exchange(nullptr);
}

// One recording: all call it with arguments of their own, and read an array that it has from outside.
void one_recording() {
    for (const std::int64_t n : {std::int64_t{50}, std::int64_t{20000}}) {
        const Array outside = iota(n);
        const Array given[]{iota(n)};
        Trace trace(given);
        {
            const Array x = trace.argument(0);
            add_in_place(x, number(1));
            trace.end({op("multiply", op("add", x, outside), x)});
        }
        Replay replay(trace.take());
        on_threads([&](int t) {
            for (int round = 0; round < 30; ++round) {
                const Array own[]{op("add", iota(n, t), iota(n, round))};
                const Array made = replay.run(own, {})[0];
                const double x = 2.0 * 7 + t + round + 1;
                expect(at(made, 7) == (x + 7) * x && at(own[0], 7) == x, "a recorded function, called by several threads");
            }
        });
    }
}

// Each thread has a part of one array of a device, which lies on the host while elements are used, and on the device while work is.
void elements_beside_work() {
    const auto announce = [] { return true; };
    const auto mine = [&](const Array& whole, std::int64_t place) {
        double value;
        const Array element = slice(whole, place, place + 1);
        if (!keep_on_host(whole, announce) || !read_element(whole, element.view.offset, &value)) value = value_of(element).get<double>();
        return value;
    };
    const auto set = [&](const Array& whole, std::int64_t place, double value) {
        const Array element = slice(whole, place, place + 1);
        if (!keep_on_host(whole, announce) || !write_element(whole, element.view.offset, &value)) assign(element, number(value));
    };
    for (const std::int64_t length : {std::int64_t{20}, std::int64_t{6000}}) {
        const Array whole = moved(iota(thread_number * length), guarded_pool(0));
        const Array given[]{slice(whole, 0, length)};
        Trace trace(given);
        add_in_place(trace.argument(0), number(2));
        trace.end({});
        Replay replay(trace.take());
        on_threads([&](int t) {
            const Array part = slice(whole, t * length, (t + 1) * length);
            const std::int64_t first = t * length, last = first + length - 1;
            double added = 0, at_first = 0;
            for (int round = 0; round < 60; ++round) {
                for (int k = 0; k < 20; ++k) {
                    expect(mine(whole, last) == static_cast<double>(last) + added, "an element beside work on others");
                    set(whole, first, at_first = round + k);
                }
                if (round % 3 == t % 3) add_in_place(part, number(1)), added += 1, at_first += 1;
                if (round % 4 == t) {
                    const Array own[]{part};
                    static_cast<void>(replay.run(own, {}));
                    added += 2;
                    at_first += 2;
                }
                add_in_place(slice(part, 0, 1), number(1));
                expect(mine(whole, first) == at_first + 1, "an element that work has changed");
                if (round % 5 == t) expect(at(to_host(part), 0) == at_first + 1 && at(to_host(part), length - 1) == static_cast<double>(last) + added, "a part on the host");
            }
        });
    }
    expect(guarded_pool(0).figures().in_use == 0, "all memory has come back");
}

// A failure is told to whose work it was, or to whoever runs it for all; what has nothing to do with it goes on.
void errors() {
    on_threads([&](int t) {
        const Array a = iota(5000, t), wrong = iota(4999);
        for (int round = 0; round < 100; ++round) {
            bool told = false;
            try {
                static_cast<void>(op("add", a, wrong));
            } catch (const ValueError&) {
                told = true;
            }
            expect(told, "shapes that do not fit");
            expect(at(op("add", a, a), 1) == 2.0 * (t + 1), "work beside errors");
        }
    });
}

// A flush that pauses to ask about interrupts computes a value there, while others record.
void pauses() {
    std::atomic<int> asked{0};
    set_host({[&asked] {
                  ++asked;
                  const Array value = iota(10);
                  expect(at(op("add", value, value), 3) == 6, "a signal handler reads a value");
              },
              {}});
    for (int products = 4; products < 5000 && asked == 0; products *= 2) {
        on_threads([&](int t) { work_across_pauses(t, products); });
    }
    set_host({});
    expect(asked > 0, "a long flush asks about interrupts");
}

}  // namespace

int main() {
    cpu::oversubscribe(3);
    for (const bool at_once : {false, true}) {
        set_eager(at_once);
        parts_of_one_array();
        pending_arrays_are_read_by_all();
        arrays_die_anywhere();
        one_recording();
        elements_beside_work();
        errors();
    }
    set_eager(false);
    pauses();
    expect(pending_count() == 0, "nothing is left");
    std::puts("free threads: ok");
}
