// Random programs over random layouts against an interpreter that visits one element at a time; reductions; the thread pool.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cpu/executor.hpp"
#include "cpu/threads.hpp"
#include "random_programs.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

#ifdef __SANITIZE_THREAD__
constexpr bool thread_sanitizer = true;  // it does not follow a fork of a threaded program
#else
constexpr bool thread_sanitizer = false;
#endif

// A launch that is kept, in memory of its own each time, and not always as it was aligned.
void test_kept(Case& c, const cpu::Plan& plan, const std::vector<Memory>& before, const std::vector<Memory>& expected) {
    c.memory = before;
    const std::unique_ptr<PreparedLaunch> kept = plan.prepare(c.launch());
    for (int round = 0; kept && round < 3; ++round) {
        std::vector<Memory> moved = before;
        std::vector<std::size_t> shifts;
        for (Memory& memory : moved) {
            const int shift = round > 0 && chance(40) ? pick(1, 64) : 0;
            memory.bytes.insert(memory.bytes.begin(), static_cast<std::size_t>(shift), 0);
            memory.offset += shift;
            shifts.push_back(static_cast<std::size_t>(shift));
        }
        c.memory = std::move(moved);
        std::vector<char*> data;
        for (const Operand& operand : c.launch().operands) data.push_back(operand.data);
        kept->run(data);
        for (std::size_t k = 0; k < expected.size(); ++k) {
            if (kind(c.operand_dtype(k)) == 'f' && itemsize(c.operand_dtype(k)) == 16) continue;  // has bytes that carry no value
            const bool same = std::equal(expected[k].bytes.begin(), expected[k].bytes.end(), c.memory[k].bytes.begin() + static_cast<std::ptrdiff_t>(shifts[k]));
            expect(same, "a kept launch, run " + std::to_string(round) + ": " + c.description);
        }
    }
}

void test_random(int rounds, std::int64_t limit) {
    for (int i = 0; i < rounds && failures == 0; ++i) {
        Case c = random_case(limit);
        const Expectation e = interpret(c);
        const std::vector<Memory> before = c.memory;
        const cpu::Plan plan(c.program);
        cpu::set_thread_count(1);
        plan.run(c.launch());
        compare(c, e, "one thread");
        std::vector<Memory> alone = std::move(c.memory);
        c.memory = before;
        cpu::oversubscribe(pick(2, 5));
        plan.run(c.launch());
        for (std::size_t k = 0; k < alone.size(); ++k)
            for (std::size_t b = 0; b < alone[k].bytes.size(); ++b)
                if (alone[k].bytes[b] != c.memory[k].bytes[b]) {
                    compare(c, e, "several threads");
                    // long double has bytes that carry no value
                    if (kind(c.operand_dtype(k)) != 'f' || itemsize(c.operand_dtype(k)) != 16) expect(false, "results depend on the thread count: " + c.description);
                    break;
                }
        test_kept(c, plan, before, alone);
    }
}

Program sum_program(DType dtype) {
    const RowId add = find_row("add");
    return Program{{dtype}, {}, {}, {{0, add, loop_of(add, signature({dtype, dtype}, {dtype}))}}};
}

// Sums of 0.1 in single precision: one running sum would be off by thousands of ulps.
void test_accuracy() {
    cpu::oversubscribe(2);
    const cpu::Plan plan(sum_program(DType::float32));
    const std::vector<std::pair<Dims, std::uint64_t>> spaces{{{3000000}, 1}, {{1000000, 3}, 1}, {{3, 1000000}, 2}, {{50000, 60}, 1}, {{10000, 300}, 1},
        {{20, 3000, 50}, 2}, {{3000, 1000}, 3}, {{3000, 1000}, 1}, {{3000, 1000}, 2}, {{1000, 3, 1000}, 5}, {{100000, 48}, 2}, {{500000, 7}, 2}};
    for (const auto& [shape, reduced] : spaces) {
        const View view = contiguous(shape, 4);
        const std::vector<float> input(static_cast<std::size_t>(view.size()), 0.1f);
        Dims out_strides(shape.size());
        std::int64_t nreduced = 1, nkept = 1;
        for (int i = shape.size() - 1; i >= 0; --i) {
            if ((reduced >> i) & 1u)
                nreduced *= shape[i];
            else
                out_strides[i] = 4 * nkept, nkept *= shape[i];
        }
        std::vector<float> output(static_cast<std::size_t>(nkept));
        Launch launch{shape, reduced, {{reinterpret_cast<char*>(const_cast<float*>(input.data())), view.strides},
                                       {reinterpret_cast<char*>(output.data()), out_strides}}};
        plan.run(launch);
        const double exact = static_cast<double>(0.1f) * static_cast<double>(nreduced);
        for (const float x : output) expect(std::abs(static_cast<double>(x) - exact) <= 2e-6 * exact, "sum of 0.1 over " + to_string(shape));
    }
}

void test_empty() {
    const cpu::Plan plan(sum_program(DType::float64));
    double out[3] = {7, 7, 7}, in = 0;
    plan.run({{3, 0}, 2, {{reinterpret_cast<char*>(&in), {0, 8}}, {reinterpret_cast<char*>(out), {8, 0}}}});
    expect(out[0] == 0 && out[2] == 0, "a sum of nothing is 0");
    out[0] = 7;
    plan.run({{0, 3}, 2, {{reinterpret_cast<char*>(&in), {24, 8}}, {reinterpret_cast<char*>(out), {8, 0}}}});
    expect(out[0] == 7, "no results: nothing is written");
}

// A swap, and an update whose old input a later step reads: what an output that is an input must keep right.
void test_aliases() {
    const RowId add = find_row("add");
    const std::uint16_t loop = loop_of(add, signature({DType::int32, DType::int32}, {DType::int32}));
    for (const int n : {10, 5000}) {
        std::vector<int> a(static_cast<std::size_t>(n), 1), b(static_cast<std::size_t>(n), 2);
        const auto operand = [](std::vector<int>& v) { return Operand{reinterpret_cast<char*>(v.data()), {4}}; };
        cpu::Plan(Program{{DType::int32, DType::int32}, {}, {{1}, {0}}, {}}).run({{n}, 0, {operand(a), operand(b), operand(a), operand(b)}});
        expect(a.front() == 2 && a.back() == 2 && b.front() == 1 && b.back() == 1, "swap");
        std::vector<int> c(a.size());
        cpu::Plan(Program{{DType::int32, DType::int32}, {{add, loop, {0, 1}, 2}, {add, loop, {2, 0}, 3}}, {{2}, {3}}, {}})
            .run({{n}, 0, {operand(a), operand(b), operand(a), operand(c)}});
        expect(a.back() == 3 && c.back() == 5, "update before the last read");
    }
}

// Outputs large enough to be written past the caches, at addresses that no cache line starts at.
void test_streaming() {
    const RowId add = find_row("add");
    const cpu::Plan plan(Program{{DType::int32, DType::int32}, {{add, loop_of(add, signature({DType::int32, DType::int32}, {DType::int32})), {0, 1}, 2}}, {{2}}, {}});
    const std::int64_t rows = 5003, columns = 4001;  // 80 MB
    std::vector<int> a(static_cast<std::size_t>(rows * columns)), out(a.size() + 1, 0);
    std::iota(a.begin(), a.end(), 0);
    int one = 1;
    plan.run({{rows, columns}, 0, {{reinterpret_cast<char*>(a.data()), {columns * 4, 4}}, {reinterpret_cast<char*>(&one), {0, 0}},
                                   {reinterpret_cast<char*>(out.data() + 1), {columns * 4, 4}}}});
    bool good = out[0] == 0;
    for (std::size_t i = 0; i < a.size(); ++i) good &= out[i + 1] == a[i] + 1;
    expect(good, "streamed output");
}

void test_threads() {
    cpu::oversubscribe(4);
    for (const std::int64_t n : {0, 1, 7, 1000, 100000}) {
        std::vector<std::atomic<int>> seen(static_cast<std::size_t>(n));
        cpu::parallel_for(n, 3, [&](std::int64_t begin, std::int64_t end, int worker) {
            expect(worker >= 0 && worker < 4, "worker index");
            for (; begin < end; ++begin) ++seen[static_cast<std::size_t>(begin)];
        });
        expect(std::all_of(seen.begin(), seen.end(), [](const auto& x) { return x == 1; }), "parallel_for visits each index once");
    }
    for (int i = 0; i < 50; ++i) {
        bool caught = false;
        try {
            cpu::parallel_for(1000, 1, [&](std::int64_t begin, std::int64_t, int) {
                if (begin >= 500) throw std::runtime_error("body");
            });
        } catch (const std::runtime_error& e) {
            caught = std::string(e.what()) == "body";
        }
        expect(caught, "parallel_for rethrows");
    }
    std::atomic<int> inner{0};
    cpu::parallel_for(100, 1, [&](std::int64_t begin, std::int64_t end, int) {
        for (; begin < end; ++begin) cpu::parallel_for(10, 1, [&](std::int64_t b, std::int64_t e, int) { inner += static_cast<int>(e - b); });
    });
    expect(inner == 1000, "nested parallel_for");

    // Several threads run one plan at once.
    const cpu::Plan plan(sum_program(DType::int64));
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            std::vector<std::int64_t> input(300000, t + 1);
            for (int i = 0; i < 20; ++i) {
                std::int64_t sum = 0;
                plan.run({{300000}, 1, {{reinterpret_cast<char*>(input.data()), {8}}, {reinterpret_cast<char*>(&sum), {0}}}});
                if (sum != 300000 * (t + 1)) ++wrong;
            }
        });
    for (std::thread& t : threads) t.join();
    expect(wrong == 0, "one plan on several threads");

    cpu::set_thread_count(1 << 20);
    expect(cpu::thread_count() == cpu::max_threads() && cpu::max_threads() >= 1, "thread count is clamped above");
    cpu::set_thread_count(-3);
    expect(cpu::thread_count() == 1, "thread count is clamped below");
}

void test_fork() {
    cpu::oversubscribe(3);
    const auto sums = [] {
        std::atomic<std::int64_t> sum{0};
        cpu::parallel_for(1000, 1, [&](std::int64_t begin, std::int64_t end, int) {
            for (; begin < end; ++begin) sum += begin;
        });
        return sum == 499500;
    };
    expect(sums(), "before fork");
    const pid_t child = fork();
    if (child == 0) {
        bool good = true;
        for (int i = 0; i < 20; ++i) good = good && sums();
        _exit(good ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "parallel_for in a forked child");
    expect(sums(), "after fork");
}

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : std::random_device{}();
    const char* const asked = argc > 2 ? argv[2] : std::getenv("ASNUMPY_TEST_ROUNDS");
    const int rounds = asked ? std::atoi(asked) : 1500;
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    generator.seed(seed);
    if (!thread_sanitizer) test_fork();
    test_threads();
    test_empty();
    test_aliases();
    test_accuracy();
    test_streaming();
    test_random(rounds, 25000);
    test_random(rounds / 50, 400000);
    if (failures) std::fprintf(stderr, "%d failures; repeat with: test_executor %llu %d\n", failures, static_cast<unsigned long long>(seed), rounds);
    return failures ? 1 : 0;
}
