// Kernels that follow an index get bad ones, which no check before them has seen: an exception, never a wild access.
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "arrays.hpp"
#include "base/error.hpp"
#include "cpu/backend.hpp"
#include "cpu/threads.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

Tensor tensor(void* data, DType dtype, Dims shape) {
    View view = contiguous(std::move(shape), static_cast<std::int64_t>(itemsize(dtype)));
    return {static_cast<char*>(data), dtype, std::move(view.shape), std::move(view.strides)};
}

template <class E> bool raises(const StructuredCall& call) {
    try {
        cpu::cpu_backend().run(call);
    } catch (const E&) {
        return true;
    }
    return false;
}

StructuredCall make_call(const char* name, std::vector<Tensor> in, Tensor out, std::int64_t axis = 0) {
    StructuredCall call;
    call.row = find_row(name);
    call.in = std::move(in);
    call.out = {std::move(out)};
    call.axis = axis;
    return call;
}

const std::vector<std::int64_t> sizes{1, 3, 1000, 300000};

// take, scatter and bincount with one bad index at each of some places.
void bad_indices() {
    for (const DType dtype : {DType::int8, DType::float32, DType::complex128}) {
        for (const std::int64_t n : sizes) {
            for (const std::int64_t columns : {1, 3}) {
                constexpr std::int64_t length = 50;
                const std::size_t item = itemsize(dtype);
                std::vector<char> table(static_cast<std::size_t>(length * columns) * item), list(static_cast<std::size_t>(n * columns) * item);
                std::vector<std::int64_t> index(static_cast<std::size_t>(n)), counts(length);
                for (std::int64_t i = 0; i < n; ++i) index[static_cast<std::size_t>(i)] = i % length - (i % 2) * length;
                for (const int axis : {0, 1}) {
                    const auto shape = [&](std::int64_t along) { return axis == 0 ? Dims{along, columns} : Dims{columns, along}; };
                    const Tensor where = tensor(index.data(), DType::int64, {n});
                    const StructuredCall take = make_call("take", {tensor(table.data(), dtype, shape(length)), where}, tensor(list.data(), dtype, shape(n)), axis);
                    const StructuredCall scatter = make_call("scatter", {tensor(list.data(), dtype, shape(n)), where}, tensor(table.data(), dtype, shape(length)), axis);
                    expect(!raises<IndexError>(take) && !raises<IndexError>(scatter), "good indices are followed");
                    for (const std::int64_t place : {std::int64_t{0}, n / 2, n - 1}) {
                        std::int64_t& at = index[static_cast<std::size_t>(place)];
                        const std::int64_t before = at;
                        for (const std::int64_t bad : {length, -length - 1, INT64_MAX, INT64_MIN}) {
                            at = bad;
                            expect(raises<IndexError>(take), "take refuses a bad index");
                            expect(raises<IndexError>(scatter), "scatter refuses a bad index");
                        }
                        at = before;
                    }
                }
                for (std::int64_t& i : index) i = i < 0 ? i + length : i;
                const StructuredCall count = make_call("bincount", {tensor(index.data(), DType::int64, {n})}, tensor(counts.data(), DType::int64, {length}));
                expect(!raises<IndexError>(count), "good bins are counted");
                for (const std::int64_t bad : {length, std::int64_t{-1}, INT64_MAX, INT64_MIN}) {
                    index[static_cast<std::size_t>(n / 2)] = bad;
                    expect(raises<IndexError>(count), "bincount refuses a bad bin");
                    StructuredCall fixed = count;  // of a length that was fixed before
                    fixed.option = 1;
                    const bool outside = bad == length ? raises<TracingError>(fixed) : raises<ValueError>(fixed);
                    expect(outside, "counts of a fixed length say what is wrong");
                }
            }
        }
    }
}

// add_at and add_runs with one bad index at each of some places: nothing is added then.
void bad_places_of_sums() {
    for (const std::int64_t n : sizes) {
        constexpr std::int64_t length = 50;
        std::vector<double> sums(length), values(static_cast<std::size_t>(n), 1.0), runs(static_cast<std::size_t>(n));
        std::vector<std::int64_t> index(static_cast<std::size_t>(n));
        for (std::int64_t i = 0; i < n; ++i) index[static_cast<std::size_t>(i)] = i % length - (i % 2) * length;
        const Tensor where = tensor(index.data(), DType::int64, {n});
        const StructuredCall add = make_call("add_at", {tensor(values.data(), DType::float64, {n}), where}, tensor(sums.data(), DType::float64, {length}));
        for (const std::int64_t place : {std::int64_t{0}, n / 2, n - 1}) {
            std::int64_t& at = index[static_cast<std::size_t>(place)];
            const std::int64_t before = at;
            for (const std::int64_t bad : {length, -length - 1, INT64_MAX, INT64_MIN}) {
                at = bad;
                expect(raises<IndexError>(add), "add_at refuses a bad index");
            }
            at = before;
        }
        expect(sums == std::vector<double>(length), "nothing is added where an index is bad");
        expect(!raises<IndexError>(add) && sums[0] > 0, "good indices are followed");
        for (std::int64_t& i : index) i = (i < 0 ? i + length : i) % n;
        const StructuredCall in_runs = make_call("add_runs", {tensor(values.data(), DType::float64, {n}), where}, tensor(runs.data(), DType::float64, {n}));
        expect(!raises<IndexError>(in_runs), "good starts are followed");
        for (const std::int64_t bad : {n, std::int64_t{-1}, INT64_MAX, INT64_MIN}) {
            index[static_cast<std::size_t>(n / 2)] = bad;
            expect(raises<IndexError>(in_runs), "add_runs refuses a bad start");
        }
    }
}

// A mask with other numbers of true elements than the output has room for.
void bad_masks() {
    for (const std::int64_t n : sizes) {
        std::vector<char> mask(static_cast<std::size_t>(n), 1), data(static_cast<std::size_t>(n) * 16), out(static_cast<std::size_t>(n + 1) * 16);
        for (const std::int64_t room : {n - 1, n + 1}) {
            if (room == 0) continue;
            for (const DType dtype : {DType::int8, DType::int16, DType::float32, DType::float64, DType::complex128}) {
                const StructuredCall compress = make_call("compress", {tensor(data.data(), dtype, {n}), tensor(mask.data(), DType::boolean, {n})}, tensor(out.data(), dtype, {room}));
                expect(raises<RuntimeFailure>(compress), "compress refuses a mask that does not fit");
            }
            expect(raises<RuntimeFailure>(make_call("flatnonzero", {tensor(mask.data(), DType::boolean, {n})}, tensor(out.data(), DType::int64, {room}))),
                   "flatnonzero refuses a mask that does not fit");
        }
    }
}

// Somebody writes to the index, or the mask, while kernels read it: what they write is good or an exception, and stays inside.
[[maybe_unused]] void changing_meanwhile() {
    constexpr std::int64_t n = 200000, length = 1000, guard = 64;
    std::vector<std::int64_t> index(n, 0), table(length, 1), list(n, 0), out(n + guard, 7);
    std::vector<std::uint8_t> mask(n, 0);
    for (std::int64_t i = 0; i < n; i += 2) mask[static_cast<std::size_t>(i)] = 1;
    std::atomic<bool> ends{false};
    std::thread writer([&] {
        for (std::int64_t round = 0; !ends; ++round) {
            const auto place = static_cast<std::size_t>(round * 7919 % n);
            std::atomic_ref(index[place]).store(round % 3 == 0 ? INT64_MAX : round % length, std::memory_order_relaxed);
            std::atomic_ref(mask[place]).store(static_cast<std::uint8_t>(round % 2), std::memory_order_relaxed);
        }
    });
    const Tensor where = tensor(index.data(), DType::int64, {n}), whole = tensor(table.data(), DType::int64, {length});
    for (int round = 0; round < 60; ++round) {
        raises<IndexError>(make_call("take", {whole, where}, tensor(out.data(), DType::int64, {n})));
        raises<IndexError>(make_call("scatter", {tensor(list.data(), DType::int64, {n}), where}, whole));
        raises<IndexError>(make_call("bincount", {where}, tensor(table.data(), DType::int64, {length})));
        const Tensor chosen = tensor(mask.data(), DType::boolean, {n});
        raises<RuntimeFailure>(make_call("compress", {tensor(list.data(), DType::int64, {n}), chosen}, tensor(out.data(), DType::int64, {n / 2})));
        raises<RuntimeFailure>(make_call("flatnonzero", {chosen}, tensor(out.data(), DType::int64, {n / 2})));
        for (std::int64_t i = 0; i < guard; ++i) expect(out[static_cast<std::size_t>(n + i)] == 7, "nothing is written behind the output");
    }
    ends = true;
    writer.join();
}

// However many threads share it, the last of equal targets is what stays.
void last_of_equal_targets() {
    constexpr std::int64_t n = 700000;
    for (const std::int64_t length : {std::int64_t{5}, std::int64_t{1000}, n}) {
        std::vector<std::int64_t> index(n), list(n), table(static_cast<std::size_t>(length), -1), expected = table;
        std::uint64_t state = 1;
        for (std::int64_t i = 0; i < n; ++i) {
            state = state * 6364136223846793005 + 1442695040888963407;
            const auto target = static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(length));
            index[static_cast<std::size_t>(i)] = i % 3 ? target : target - length;
            list[static_cast<std::size_t>(i)] = i;
            expected[static_cast<std::size_t>(target)] = i;
        }
        cpu::cpu_backend().run(make_call("scatter", {tensor(list.data(), DType::int64, {n}), tensor(index.data(), DType::int64, {n})}, tensor(table.data(), DType::int64, {length})));
        expect(table == expected, "the last of equal targets wins");
    }
}

// The queue: a range check neither runs what the index does not need, nor is outdated when the index is used.
void checks_leave_the_rest_alone() {
    set_eager_size(0);
    const Array x = iota(100);
    const Array unrelated = op("add", x, x);
    const Array index = cast(op("multiply", slice(x, 0, 10), slice(x, 0, 10)), DType::int64);
    const Array taken = take(x, index, 0);
    expect(pending(unrelated), "what the index does not need stays recorded");
    expect(!pending(index), "what it needs has run");
    expect(at(taken, 9) == 81 && at(unrelated, 99) == 198, "both have their values");
    bool refused = false;
    try {
        take(x, cast(op("add", unrelated, unrelated), DType::int64), 0);
    } catch (const IndexError& e) {
        refused = std::string(e.what()).find("out of bounds") != std::string::npos;
    }
    expect(refused, "a bad index is refused at the call");
    set_eager_size(4096);
}

}  // namespace

int main() {
    checks_leave_the_rest_alone();
    for (const int threads : {1, 4}) {
        cpu::oversubscribe(threads);
        bad_indices();
        bad_places_of_sums();
        last_of_equal_targets();
        bad_masks();
    }
#ifndef __SANITIZE_THREAD__  // the race is what is tested: kernels must stand it, the sanitizer reports it
    changing_meanwhile();
#endif
    return 0;
}
