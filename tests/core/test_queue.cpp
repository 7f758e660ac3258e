// The queue without an interpreter: fusion, order, overlap, failures, threads.
#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

#include "arrays.hpp"
#include "base/error.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

void fused_chain() {
    const Array a = iota(10000), b = iota(10000, 1);
    Array t = op("multiply", a, b);
    for (int i = 0; i < 3; ++i) t = op("multiply", op("add", t, a), b);
    expect(explain(&t).find("program 1") == std::string::npos, "a chain is one program");
    expect(explain(&t).find("7 instructions") != std::string::npos, "with all its instructions");
    const double x = 7, y = 8;
    double expected = x * y;
    for (int i = 0; i < 3; ++i) expected = (expected + x) * y;
    expect(at(t, 7) == expected, "value of a fused chain");
}

void overlapping_assignment() {
    const std::int64_t n = 5000;
    const Array a = iota(n);
    assign(slice(a, 1, n), slice(a, 0, n - 1));
    const Array shifted = op("add", a, a);
    assign(slice(a, 0, n - 1), slice(a, 1, n));
    expect(at(a, 0) == 0 && at(a, 1) == 1 && at(a, 100) == 100, "there and back again");
    expect(at(shifted, 100) == 198 && at(shifted, 0) == 0, "a reader between two writes sees the first");
}

void reductions_join() {
    const Array a = iota(20000);
    const RowId add = find_row("add");
    const Array squared = op("multiply", a, a);
    const Array sum = reduce(add, find_loop(add, binary(DType::float64)), squared, 1, false);
    expect(explain(&sum).find("program 1") == std::string::npos, "a reduction is its program's tail");
    const double n = 20000;
    expect(std::abs(at(Array{sum.buffer, View{0, Dims{1}, Dims{8}}, sum.dtype}, 0) / ((n - 1) * n * (2 * n - 1) / 6) - 1) < 1e-14, "sum of squares");
}

void failure_keeps_the_rest() {
    const Array a = iota(100000);
    default_pool().free_all_blocks();
    default_pool().set_limit(default_pool().figures().in_use + 900000);
    const Array small = op("add", slice(a, 0, 50000), slice(a, 0, 50000));
    const Array large = op("multiply", a, a);
    const Array after = op("add", large, a);
    bool failed = false;
    try {
        flush();
    } catch (const MemoryError&) {
        failed = true;
    }
    expect(failed, "the limit is reported");
    expect(at(small, 3) == 6, "another array has its value");
    expect(pending(after), "what failed stays recorded");
    default_pool().set_limit(0);
    expect(at(after, 3) == 12, "and runs when there is room");
}

void products_accumulate() {
    Array a = iota(10000), b = iota(10000);
    a.view = contiguous(Dims{100, 100}, 8);
    b.view = contiguous(Dims{100, 100}, 8);
    const Array c = op("add", matmul(a, b), a);
    expect(explain(&c).find("matmul") != std::string::npos, "a product is pending");
    double expected = 3;
    for (int k = 0; k < 100; ++k) expected += k * (k * 100.0 + 3);
    expect(at(Array{c.buffer, View{0, Dims{10000}, Dims{8}}, c.dtype}, 3) == expected, "a @ b + c");
}

void threads_record_together() {
    const Array shared = iota(6000);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&shared, t] {
            for (int i = 0; i < 50; ++i) {
                const Array own = iota(6000, t);
                const Array sum = op("add", op("multiply", own, shared), shared);
                expect(at(sum, 10) == (10 + t) * 10 + 10, "value in a thread");
            }
        });
    for (std::thread& t : threads) t.join();
}

}  // namespace

int main() {
    const auto blocks = default_pool().figures().blocks;
    fused_chain();
    overlapping_assignment();
    reductions_join();
    failure_keeps_the_rest();
    products_accumulate();
    threads_record_together();
    expect(pending_count() == 0, "nothing is left");
    expect(default_pool().figures().blocks == blocks, "all memory has come back");
    std::puts("queue: ok");
}
