// Recorded functions without an interpreter: other arguments, several threads, failures, loops.
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "arrays.hpp"
#include "base/error.hpp"
#include "device/origin.hpp"
#include "device/trace.hpp"
#include "on_threads.hpp"
#include "runtime/replay.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

// b += a; (a * a + b), of arrays like these.
Replay recorded(const Array& a, const Array& b) {
    const Array given[]{a, b};
    Trace trace(given);
    {
        const Array x = trace.argument(0), y = trace.argument(1);
        assign(y, op("add", y, x));
        trace.end({op("add", op("multiply", x, x), y)});
    }
    return Replay(trace.take());
}

void other_arguments() {
    for (const std::int64_t n : {std::int64_t{10}, std::int64_t{50000}}) {
        Replay replay = recorded(iota(n), iota(n));
        for (int round = 0; round < 3; ++round) {
            const Array given[]{iota(n, round), iota(n, 1)};
            const Array made = replay.run(given, {})[0];
            expect(at(made, 5) == (5.0 + round) * (5 + round) + 6 + 5 + round, "the result of these arguments");
            expect(at(given[1], 5) == 6 + 5 + round && at(given[0], 5) == 5 + round, "what it changes, and what it does not");
        }
    }
    expect(!pending(iota(3)) && pending_count() == 0, "nothing of a trace waits in the queue");
}

void what_waits_comes_first() {
    Replay replay = recorded(iota(50000), iota(50000));
    const Array a = op("add", iota(50000), iota(50000)), b = op("multiply", a, a);
    const Array given[]{a, b};
    expect(at(replay.run(given, {})[0], 3) == 6 * 6 + 36 + 6, "arguments are computed before");
}

void values_are_not_there() {
    const Array a = iota(10);
    const Array given[]{a};
    Trace trace(given);
    bool told = false;
    try {
        flush_for(op("add", trace.argument(0), a));
    } catch (const TracingError&) {
        told = true;
    }
    expect(told, "a value that is needed while a function is traced");
    trace.end({});
    expect(at(op("add", a, a), 4) == 8, "arrays from outside are free again");
}

void kept_outside() {
    const Array a = iota(10);
    const Array given[]{a};
    Trace trace(given);
    const Array kept = op("add", trace.argument(0), a);
    trace.end({});
    bool told = false;
    try {
        static_cast<void>(trace.take());
    } catch (const TracingError&) {
        told = true;
    }
    expect(told, "an array that outlives the function");
}

void threads_share_it() {
    Replay replay = recorded(iota(20000), iota(20000));
    std::vector<int> wrong(4, 0);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int k = 0; k < 20; ++k) {
                const Array given[]{iota(20000, t), iota(20000, k)};
                if (at(replay.run(given, {})[0], 7) != (7.0 + t) * (7 + t) + 14 + t + k) ++wrong[static_cast<std::size_t>(t)];
            }
        });
    for (std::thread& thread : threads) thread.join();
    for (const int count : wrong) expect(count == 0, "each thread has its own results");
}

// Of arrays of so many: sums of sums, with values between programs.
Replay sums_of_sums(std::int64_t n) {
    const Array given[]{iota(n)};
    Trace trace(given);
    {
        const Array x = trace.argument(0);
        const RowId add = find_row("add");
        trace.end({op("add", scan(add, scan(add, x, 0), 0), x)});
    }
    return Replay(trace.take());
}

void threads_have_values_between_programs() {
    constexpr std::int64_t n = 1000;
    Replay replay = sums_of_sums(n);
    const std::uint64_t before = default_pool().figures().in_use;
    on_threads([&](int t) {
        for (int k = 0; k < 50; ++k) {
            const Array own[]{iota(n, t)};
            expect(at(replay.run(own, {})[0], 3) == 10 + 11 * t + 3, "sums of each thread's own");
        }
    });
    expect(default_pool().figures().in_use == before, "no memory stays with the function");
}

// The words of a call are those of the streams that it was given, whoever else calls.
void threads_draw() {
    constexpr std::int64_t n = 5000;
    const RowId row = find_row("random_random");
    const auto drawn = [row](const Stream& stream) {
        const Array words = new_array(Dims{n}, DType::float64, default_pool());
        draw(row, stream, {}, words, 0);
        return words;
    };
    const Array given[]{iota(n)};
    Trace trace(given);
    trace.end({op("add", drawn({}), trace.argument(0))});
    Replay replay(trace.take());
    on_threads([&](int t) {
        const Array own[]{iota(n)};
        for (int k = 0; k < 20; ++k) {
            const Stream streams[]{{7, static_cast<std::uint64_t>(n * (100 * t + k)), 0}};
            expect(at(replay.run(own, streams)[0], 9) == at(drawn(streams[0]), 9) + 9, "the numbers of this call");
        }
    });
}

void memory_runs_out() {
    const std::int64_t n = 100000;
    const Array a = iota(n), b = iota(n);
    Replay replay = recorded(a, b);
    default_pool().free_all_blocks();
    default_pool().set_limit(default_pool().figures().in_use + 1000);
    const Array given[]{a, b};
    const bool failed = lacks_memory([&] { static_cast<void>(replay.run(given, {})); });
    default_pool().set_limit(0);
    expect(failed && at(b, 5) == 5, "a call without memory changes nothing");
    expect(at(replay.run(given, {})[0], 5) == 25 + 10, "and the next one runs");
}

// Small values between programs have their places in a block. A profile that begins when a call has lent them, or has not, finds all as the call left it.
void watched_from_within() {
    constexpr std::int64_t n = 1000;
    Replay replay = sums_of_sums(n);
    const Array given[]{iota(n)};
    const auto call = [&] { expect(at(replay.run(given, {})[0], 3) == 10 + 3, "sums of sums"); };
    call();
    const std::uint64_t before = default_pool().figures().in_use;
    Host host;
    host.origin = [] {
        trace::start(100);
        return Origin{};
    };
    set_host(host);
    work_fails_late = work_has_failed = true;  // so that a call asks where it comes from, between lending and running
    call();
    work_fails_late = work_has_failed = false;
    set_host({});
    expect(!trace::stop().empty(), "the profile has begun within the call");
    expect(default_pool().figures().in_use == before, "no memory stays with the function");
    call();
}

void a_loop() {
    const Array start = iota(5000, 1);
    const Array given[]{start};
    Trace trace(given);
    {
        const Array x = trace.argument(0);
        const Array state[]{x};
        const auto part = [&](auto function) {
            Trace inner(state);
            inner.end({function(inner.argument(0))});
            return std::make_shared<Replay>(inner.take());
        };
        Control loop;
        loop.test = part([](const Array& s) {
            const RowId less = find_row("less"), maximum = find_row("maximum");
            const Array most = reduce(maximum, find_loop(maximum, binary(DType::float64)), s, 1, false);
            Scalar limit = Scalar::of(1e6);
            const Input operands[]{most, limit};
            return apply(less, find_loop(less, {2, 1, {DType::float64, DType::float64}, {DType::boolean}}), operands)[0];
        });
        loop.first = part([](const Array& s) { return op("add", s, s); });
        loop.in = {x};
        trace.end({op("add", trace.add_control(std::move(loop), state)[0], x)});
    }
    Replay replay(trace.take());
    for (const double factor : {1.0, 1000.0}) {
        const Array x = iota(5000, 1);
        for (std::int64_t i = 0; i < x.size(); ++i) reinterpret_cast<double*>(x.data())[i] *= factor;
        const Array of[]{x};
        double expected = 10 * factor;
        for (double most = 5000 * factor; most < 1e6; most *= 2) expected *= 2;
        expect(at(replay.run(of, {})[0], 9) == expected + 10 * factor, "as often as its test says");
    }
}

// The caller holds two references to an argument that it gives away.
void donated_memory() {
    for (const std::int64_t n : {std::int64_t{10}, std::int64_t{50000}}) {
        const Array traced[]{iota(n), iota(n)};
        Trace trace(traced);
        {
            const Array x = trace.argument(0), y = trace.argument(1);
            trace.end({op("add", op("multiply", x, y), x)});
        }
        const std::size_t places[]{0};
        Replay replay(trace.take(), places);
        expect(!replay.argument_of(0), "a result that no argument is left of");
        const Array u = iota(n, 1), v = iota(n, 2), other = v;
        const Array alone[]{u, iota(n)}, shared[]{v, iota(n)};
        const Array made = replay.run(alone, {})[0];
        expect(made.buffer == u.buffer && at(made, 5) == 6 * 5 + 6, "a result in the memory of what was given away");
        const Array copied = replay.run(shared, {})[0];
        expect(!(copied.buffer == v.buffer) && at(copied, 5) == 7 * 5 + 7 && at(other, 5) == 7, "what others hold stays as it was");
        const Cost cost = replay.cost();
        expect(cost.programs == 1 && cost.operations == 2 * n && cost.written == 8 * n, "what a call takes");
    }
}

}  // namespace

int main() {
    other_arguments();
    what_waits_comes_first();
    values_are_not_there();
    kept_outside();
    threads_share_it();
    threads_have_values_between_programs();
    threads_draw();
    memory_runs_out();
    watched_from_within();
    a_loop();
    donated_memory();
    expect(pending_count() == 0, "nothing is left");
    std::puts("replay: ok");
}
