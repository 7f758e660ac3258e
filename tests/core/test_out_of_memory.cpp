// Allocations that fail on the threads of an update in place: it happens once, or not at all and once when it runs again.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#include "arrays.hpp"
#include "base/error.hpp"
#include "cpu/threads.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

std::atomic<int> failing{0};     // bit 0: on workers, bit 1: on the main thread
std::atomic<int> skipped{0};     // allocations that still succeed there
std::atomic<int> failures{0};
const std::thread::id main_thread = std::this_thread::get_id();

bool fails() {
    const int where = failing.load();
    if (!where || !(where >> (std::this_thread::get_id() == main_thread ? 1 : 0) & 1)) return false;
    if (skipped.fetch_sub(1) > 0) return false;
    ++failures;
    return true;
}

void* allocate(std::size_t bytes, std::size_t alignment) {
    if (fails()) throw std::bad_alloc();
    void* const data = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment + (bytes == 0 ? alignment : 0));
    if (!data) throw std::bad_alloc();
    return data;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return allocate(bytes, static_cast<std::size_t>(alignment)); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    try {
        return allocate(bytes, alignof(std::max_align_t));
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void operator delete(void* data) noexcept { std::free(data); }
void operator delete(void* data, std::size_t) noexcept { std::free(data); }
void operator delete(void* data, std::align_val_t) noexcept { std::free(data); }
void operator delete(void* data, std::size_t, std::align_val_t) noexcept { std::free(data); }

namespace {

// Runs what is recorded, with allocations failing, until it has run.
int flushes_needed(int where, int first) {
    for (int tries = 1;; ++tries) {
        skipped = first;
        failing = where;
        try {
            flush();
            failing = 0;
            return tries;
        } catch (const std::bad_alloc&) {
            failing = 0;
        } catch (const MemoryError&) {
            failing = 0;
        }
        first += 1 + tries;  // the next try comes further
        expect(tries < 200, "what is recorded runs at last");
    }
}

Array transposed(const Array& a, std::int64_t rows, std::int64_t columns) {
    return {a.buffer, View{0, Dims{columns, rows}, Dims{8, 8 * columns}}, a.dtype};
}

// A chain that overwrites its input, in a layout that is cut into pieces, with a reduction at its end.
void updates_in_place(int where, int first, int round) {
    constexpr std::int64_t rows = 515, columns = 1030, n = rows * columns;
    const Array a = iota(n), b = iota(n, 1);
    const RowId add = find_row("add"), subtract = find_row("subtract");
    const int loop = find_loop(add, binary(DType::float64));
    const Array whole{a.buffer, View{0, Dims{rows, columns}, Dims{8 * columns, 8}}, a.dtype};
    const Array other = transposed(b, columns, rows);  // (rows, columns), along its columns
    const Input sum[]{whole, other};
    apply(add, loop, sum, std::span(&whole, 1));
    const Input difference[]{whole, Scalar::of(1.0)};
    apply(subtract, find_loop(subtract, binary(DType::float64)), difference, std::span(&whole, 1));
    const Array total = round % 2 ? reduce(add, loop, whole, round % 4 == 1 ? 1 : 3, false) : Array();
    flushes_needed(where, first);
    make_ready(whole, Access::read);
    for (std::int64_t r = 0; r < rows; r += 7)
        for (std::int64_t c = 0; c < columns; c += 11) {
            const double expected = static_cast<double>(r * columns + c) + static_cast<double>(c * rows + r + 1) - 1;
            expect(*reinterpret_cast<const double*>(whole.data() + (r * columns + c) * 8) == expected, "an update in place happens once");
        }
}

// A product that is added to what is there.
void accumulated_products(int where, int first) {
    constexpr std::int64_t batch = 6, n = 70;
    const auto ones = [](Dims shape) {
        const Array a = new_array(shape, DType::float64, default_pool());
        assign(a, Scalar::of(1.0));
        return a;
    };
    const Array a = ones({batch, n, n}), b = ones({batch, n, n}), c = ones({batch, n, n});
    Array right = b;
    right.view.strides = Dims{8 * n * n, 8, 8 * n};  // a copy is made of it
    flush();
    const Array sum = op("add", matmul(a, right), c);
    flushes_needed(where, first);
    make_ready(sum, Access::read);
    for (std::int64_t i = 0; i < batch * n * n; ++i) expect(reinterpret_cast<const double*>(sum.data())[i] == n + 1, "a product is added once");
}

}  // namespace

int main() {
    set_eager_size(0);
    cpu::oversubscribe(4);
    int seen = 0;
    for (int round = 0; round < 24; ++round) {
        // Threads that have worked before have their memory: new ones begin with none.
        cpu::oversubscribe(2 + round);
        failures = 0;
        updates_in_place(1 + round % 3, round / 3, round);
        seen += failures;
    }
    expect(seen > 0, "allocations have failed");
    for (int round = 0; round < 12; ++round) {
        cpu::oversubscribe(30 + round);
        accumulated_products(1 + round % 3, round / 3);
    }
    return 0;
}
