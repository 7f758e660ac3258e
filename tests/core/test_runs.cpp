// Which lists run at the same time, and which wait: programs that meet while they run, and programs that see that somebody waits.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "base/error.hpp"
#include "base/immortal.hpp"
#include "cpu/backend.hpp"
#include "cpu/threads.hpp"
#include "device/pool.hpp"
#include "guarded.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/replay.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

// What the calling thread does at the start of each of its programs.
thread_local std::function<void()> at_program;

// The CPU backend, where programs do that first.
class WatchedBackend final : public Backend {
public:
    std::string name() const override { return "watched"; }
    bool host_visible() const override { return true; }
    void* allocate(std::size_t bytes) override { return cpu::cpu_backend().allocate(bytes); }
    void release(void* data, std::size_t bytes) noexcept override { cpu::cpu_backend().release(data, bytes); }
    std::size_t total_memory() const override { return cpu::cpu_backend().total_memory(); }
    std::size_t available_memory() const override { return cpu::cpu_backend().available_memory(); }
    void run(const StructuredCall& call) override { cpu::cpu_backend().run(call); }
    std::unique_ptr<Executable> compile(const Program& program) override { return std::make_unique<Watched>(cpu::cpu_backend().compile(program)); }

private:
    class Watched final : public Executable {
    public:
        explicit Watched(std::unique_ptr<Executable> own) : own_(std::move(own)) {}
        void run(const Launch& launch) const override {
            if (at_program) at_program();
            own_->run(launch);
        }

    private:
        std::unique_ptr<Executable> own_;
    };
};

Pool& watched_pool() {
    static Immortal<WatchedBackend> backend;
    static Immortal<Pool> pool(*backend);
    return *pool;
}

constexpr std::int64_t length = 6000;

Array counting(double start = 0) {
    Array a = new_array(Dims{length}, DType::float64, watched_pool());
    make_ready(a);
    for (std::int64_t i = 0; i < length; ++i) reinterpret_cast<double*>(a.data())[i] = start + static_cast<double>(i);
    return a;
}

void add_to(const Array& target, const Array& addend) {
    const RowId add = find_row("add");
    const Input in[]{target, addend};
    apply(add, find_loop(add, binary(DType::float64)), in, std::span(&target, 1));
}

template <class Condition> bool comes_true(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::yield();
    }
    return true;
}

int waiting() {
    const std::lock_guard lock(queue().recording);
    return queue().runs.waiting;
}

// y += x; x * x + y.
std::unique_ptr<Replay> recorded() {
    const Array given[]{counting(), counting()};
    Trace trace(given);
    {
        const Array x = trace.argument(0), y = trace.argument(1);
        add_to(y, x);
        trace.end({op("add", op("multiply", x, x), y)});
    }
    return std::make_unique<Replay>(trace.take());
}

void call(Replay& replay, const Array& x, const Array& y) {
    const Array given[]{x, y};
    expect(at(replay.run(given, {})[0], 3) == 9 + at(y, 3), "the result of a call");
}

using Work = std::function<void()>;

// Both are inside of their first programs at one moment.
void beside(const char* what, const Work& one, const Work& other) {
    std::atomic<int> inside{0};
    std::atomic<bool> met{true};
    const auto body = [&](const Work& work) {
        bool first = true;
        at_program = [&] {
            if (!std::exchange(first, false)) return;
            ++inside;
            if (!comes_true([&] { return inside == 2; })) met = false;
        };
        work();
        at_program = nullptr;
    };
    std::thread second([&] {
        comes_true([&] { return inside == 1; });  // what is recorded before then belongs to the first
        body(other);
    });
    body(one);
    second.join();
    expect(met && inside == 2, what);
}

// The second does not begin a program before the first has ended its own, though it wants to.
void after(const char* what, const Work& one, const Work& other) {
    std::atomic<bool> begun{false}, inside{false}, right{true};
    std::thread second([&] {
        if (!comes_true([&] { return begun.load(); })) right = false;
        at_program = [&] {
            if (inside) right = false;
        };
        other();
        if (inside) right = false;
        at_program = nullptr;
    });
    at_program = [&] {
        if (begun) return;
        inside = true;
        begun = true;
        if (!comes_true([] { return waiting() == 1; })) right = false;
        inside = false;
    };
    one();
    at_program = nullptr;
    second.join();
    expect(right, what);
}

void lists() {
    const Array a = counting(), b = counting(1);
    beside("lists with arrays of their own", [&] { flush(op("add", a, a).buffer.get()); }, [&] { flush(op("add", b, b).buffer.get()); });
    beside("lists that read one array", [&] { expect(at(op("add", a, b), 2) == 5, "a sum"); }, [&] { expect(at(op("multiply", a, b), 2) == 6, "a product"); });

    const auto sums_of_own = [&](double start) {
        return [start] {
            const Array x = counting(start);
            Array y = op("add", x, x);
            for (int k = 0; k < 8; ++k) y = op("subtract", y, x);
            expect(at(y, 5) == -6 * (5 + start), "a chain");
        };
    };
    for (int round = 0; round < 5; ++round) beside("lists of one schedule", sums_of_own(round), sums_of_own(3));
}

void lists_that_conflict() {
    const Array a = counting(), b = counting(1);
    Array sum;
    after("what is read is written first", [&] { add_to(a, b); flush(a.buffer.get()); }, [&] { expect(at(op("add", a, a), 2) == 10, "it is read after"); });
    after("what is written is read first", [&] { sum = op("add", a, b); flush(sum.buffer.get()); }, [&] { add_to(a, b); flush(a.buffer.get()); });
    expect(at(sum, 2) == 8 && at(a, 2) == 8, "a sum from before, and what was written after");
    after("who writes follows who writes", [&] { add_to(a, b); flush(a.buffer.get()); }, [&] { add_to(a, b); flush(a.buffer.get()); });
    expect(at(a, 2) == 14, "both were added");

    const Array wanted = op("multiply", a, b);
    after("whoever wants a value that is under way", [&] { flush(wanted.buffer.get()); }, [&] { expect(at(wanted, 2) == 42, "has it then"); });
    after("nothing runs after a flush of all", [&] { add_to(a, b); flush(a.buffer.get()); }, [&] {
        flush();
        const std::lock_guard lock(queue().recording);
        expect(queue().runs.active == 0 && queue().running == 0, "nothing runs");
    });
}

void calls() {
    const std::unique_ptr<Replay> one = recorded(), other = recorded();
    const Array x = counting(), y = counting(), z = counting();
    beside("calls of two functions", [&] { call(*one, x, y); }, [&] { call(*other, x, z); });
    beside("a call and a list", [&] { call(*one, x, y); }, [&] { expect(at(op("add", x, z), 1) == 3, "a sum"); });
    beside("calls of one function", [&] { call(*one, x, y); }, [&] { call(*one, x, z); });
    after("calls that write one array", [&] { call(*one, x, y); }, [&] { call(*other, x, y); });
    after("a list that reads what a call writes", [&] { call(*one, x, z); }, [&] { expect(at(op("add", z, z), 1) == 8, "a sum"); });
    after("a call that writes what a list reads", [&] { expect(at(op("add", z, x), 1) == 5, "a sum"); }, [&] { call(*one, x, z); });
    expect(at(z, 1) == 5, "its values after all calls");
}

// As many calls of one function as there are seats for; one more waits for one of these.
void seats() {
    const std::unique_ptr<Replay> one = recorded();
    for (int round = 0; round < 2; ++round) {  // where the doubles are made, and where they are there
        std::atomic<int> inside{0};
        std::atomic<bool> full{false};
        std::vector<std::thread> threads;
        for (int t = 0; t < Seats::most; ++t)
            threads.emplace_back([&] {
                bool first = true;
                at_program = [&] {
                    if (!std::exchange(first, false)) return;
                    ++inside;
                    comes_true([&] {
                        if (inside == Seats::most && waiting() == 1) full = true;
                        return full.load();
                    });
                };
                const Array x = counting(), y = counting();
                call(*one, x, y);
                at_program = nullptr;
            });
        comes_true([&] { return inside == Seats::most; });
        const Array x = counting(), y = counting();
        call(*one, x, y);
        for (std::thread& thread : threads) thread.join();
        expect(full && inside == Seats::most, "so many calls of one function at the same time");
    }
}

// Work of a device runs by itself, and who comes after one that waits for that waits too.
void by_itself() {
    const Array a = counting(), b = counting();
    const Array far = new_array(Dims{length}, DType::float64, guarded_pool(0));
    assign(far, Scalar::of(2.0));
    flush();
    after("a device's list", [&] { flush(op("add", a, a).buffer.get()); }, [&] { flush(op("add", far, far).buffer.get()); });

    std::atomic<int> place{0}, of_one{0}, of_list{0};
    std::thread one, list;
    bool first = true, right = true;
    at_program = [&] {
        if (!std::exchange(first, false)) return;
        one = std::thread([&] {
            const Run alone{Run::ByItself{}};
            of_one = ++place;
        });
        right = comes_true([] { return waiting() == 1; });
        list = std::thread([&] {
            at_program = [&] { of_list = ++place; };
            flush(op("add", b, b).buffer.get());
            at_program = nullptr;
        });
        right = right && comes_true([] { return waiting() == 2; });
    };
    flush(op("add", a, a).buffer.get());
    at_program = nullptr;
    one.join();
    list.join();
    expect(right && of_one == 1 && of_list == 2, "who has to run alone is not overtaken");
}

// One of two that run at the same time fails: it is recorded again, and only who wants it is told.
void failures() {
    const Array a = counting(), b = counting(1), x = counting(2);
    const Array failing = op("add", a, x), before = counting();
    std::atomic<int> inside{0};
    bool told = false, met = true;
    std::thread other([&] {
        comes_true([&] { return inside == 1; });
        at_program = [&] {
            ++inside;
            met = comes_true([&] { return inside == 3; });
        };
        const Array sum = op("multiply", b, x);
        flush(sum.buffer.get());
        at_program = nullptr;
        expect(at(sum, 1) == 6, "what does not fail has its value");
    });
    at_program = [&] {
        ++inside;
        comes_true([&] { return inside == 2; });
        throw MemoryError("none for this program");
    };
    try {
        flush(failing.buffer.get());
    } catch (const MemoryError&) {
        told = true;
    }
    at_program = nullptr;
    expect(told && pending(failing) && pending_count() == 1, "what fails is recorded again");
    ++inside;
    other.join();
    expect(met, "the other one was inside meanwhile");
    expect(at(failing, 1) == 4, "it runs later");
    expect(at(before, 1) == 1 && pending_count() == 0, "nothing is left");
}

// Lists and calls of many threads, over arrays of their own and one that all change under a lock.
void many() {
    const std::unique_ptr<Replay> shared_function = recorded();
    const Array total = counting();
    std::mutex changing;
    std::vector<std::thread> threads;
    constexpr int count = 4, rounds = 40;
    for (int t = 0; t < count; ++t)
        threads.emplace_back([&, t] {
            const std::unique_ptr<Replay> own_function = recorded();
            const Array own = counting(t);
            double expected = 3 + t;
            for (int k = 0; k < rounds; ++k) {
                const Array x = counting(k), y = counting(t);
                Replay& function = k % 3 ? *own_function : *shared_function;
                const Array given[]{x, y};
                const Array made = function.run(given, {})[0];
                const Array twice = op("add", made, y);
                add_to(own, x);
                expected += 3 + k;
                {
                    const std::lock_guard lock(changing);
                    add_to(total, x);
                }
                if (k % 7 == t) flush();
                const double y3 = 3 + t + 3 + k, made3 = (3.0 + k) * (3 + k) + y3;
                expect(at(twice, 3) == made3 + y3, "a call and what follows it");
                if (k % 5 == 0) expect(at(own, 3) == expected, "an array that a thread changes");
            }
        });
    for (std::thread& thread : threads) thread.join();
    double expected = 3;
    for (int k = 0; k < rounds; ++k) expected += count * (3 + k);
    expect(at(total, 3) == expected, "an array that all change");
}

}  // namespace

int main() {
    alarm(600);  // who is never woken would wait without end
    set_eager_size(0);
    lists();
    lists_that_conflict();
    calls();
    seats();
    by_itself();
    failures();
    many();
    expect(pending_count() == 0, "nothing is left");
    std::printf("runs: ok\n");
}
