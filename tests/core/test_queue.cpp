// The queue without an interpreter: fusion, order, overlap, failures, threads.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

#include "arrays.hpp"
#include "base/error.hpp"
#include "device/trace.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

void fused_chain() {
    const Array a = iota(10000), b = iota(10000, 1);
    Array t = op("multiply", a, b);
    for (int i = 0; i < 3; ++i) t = op("multiply", op("add", t, a), b);
    expect(explain(&t).text.find("program 1") == std::string::npos, "a chain is one program");
    expect(explain(&t).text.find("7 instructions") != std::string::npos, "with all its instructions");
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
    expect(explain(&sum).text.find("program 1") == std::string::npos, "a reduction is its program's tail");
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
    const bool failed = lacks_memory([] { flush(); });
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
    expect(explain(&c).text.find("matmul") != std::string::npos, "a product is pending");
    double expected = 3;
    for (int k = 0; k < 100; ++k) expected += k * (k * 100.0 + 3);
    expect(at(Array{c.buffer, View{0, Dims{10000}, Dims{8}}, c.dtype}, 3) == expected, "a @ b + c");
}

// Equal products of one list are one, unless something was written in between, or both results live.
void equal_products() {
    const auto square = [](double start) {
        Array a = iota(10000, start);
        a.view = contiguous(Dims{100, 100}, 8);
        return a;
    };
    const auto products = [](const std::function<Array()>& work) {
        trace::start(1000);
        const Array result = work();
        make_ready(result, Access::read);
        const auto events = trace::stop();
        return std::ranges::count_if(events, [](const trace::Event& e) { return e.name.view() == "matmul" && e.category.view() == "structured"; });
    };
    const Array a = square(0), b = square(1);
    const auto sum = [&](int times, const std::function<void()>& between) {
        Array total = op("add", matmul(a, b), matmul(a, b));
        for (int i = 2; i < times; ++i) {
            between();
            total = op("add", op("add", total, matmul(a, b)), total);
        }
        return total;
    };
    expect(products([&] { return sum(9, [] {}); }) == 1, "equal products are one");
    expect(products([&] { return sum(4, [&] { assign(slice(a, 0, 1), Scalar::of(2.0)); }); }) == 3, "a write makes a product another one");
    std::vector<Array> kept;
    expect(products([&] {
               for (int i = 0; i < 3; ++i) kept.push_back(matmul(b, a));
               return op("add", kept[0], kept[2]);
           }) == 3, "results that live have memory of their own");
    expect(kept[0].data() != kept[1].data() && at(Array{kept[1].buffer, View{0, Dims{10000}, Dims{8}}, kept[1].dtype}, 7) ==
           at(Array{kept[0].buffer, View{0, Dims{10000}, Dims{8}}, kept[0].dtype}, 7), "and the same values");
    expect(products([&] {
               Array first = matmul(a, b);
               const Array before = op("add", first, b);
               assign(first, Scalar::of(1.0));  // and so is what reads the second
               return op("add", op("add", matmul(a, b), first), before);
           }) == 2, "a result that is written again is not read in another's place");
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
    equal_products();
    threads_record_together();
    expect(pending_count() == 0, "nothing is left");
    expect(default_pool().figures().blocks == blocks, "all memory has come back");
    std::puts("queue: ok");
}
