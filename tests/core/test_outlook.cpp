// Work on few elements that is put off because a lot of it comes in a row: when, until when, and that its values and bits stay.
#include <thread>

#include "arrays.hpp"
#include "runtime/outlook.hpp"
#include "runtime/record.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

constexpr std::int64_t few = 3000, tiny = 10;

// Until the next operation on few elements is put off, however often that has gone wrong before.
void settle_in() {
    const Array a = iota(few);
    for (int i = 0; i < 20000 && !outlook().lasts(); ++i) op("add", a, a);
    expect(outlook().lasts(), "what comes in a row lasts");
}

void in_a_row() {
    const Array a = iota(few), b = iota(tiny);
    expect(!pending(op("add", a, a)), "the first runs at once");
    for (int i = 0; i < 10000; ++i) op("add", b, b);
    expect(!pending(op("add", a, a)), "what is over at once, however much, is no reason to wait");
    settle_in();
    const Array c = op("add", a, a), d = op("multiply", c, a);
    expect(pending(c) && pending(d), "what comes in a row is put off");
    expect(!pending(op("add", b, b)), "what is over at once still runs");
    expect(at(d, 7) == 98, "and has its value when that is wanted");
}

void wanted_soon() {
    const Array a = iota(few);
    settle_in();
    const Array c = op("add", a, a);
    expect(pending(c), "put off");
    expect(at(c, 3) == 6, "a value that is wanted soon");
    for (int i = 0; i < 16; ++i) expect(!pending(op("add", a, a)), "runs at once for a while after that");
}

void goes_on() {
    Array a = iota(few);
    settle_in();
    for (int step = 0; step < 3; ++step) {
        for (int i = 0; i < 20; ++i) a = op("add", a, a);
        expect(pending(a), "what was put off for long enough is put off again");
        at(a, 0);
    }
}

// Each step reads the one before beside itself, which is no work for one program.
Array hardly_fused(Array a, int steps) {
    for (int i = 0; i < steps; ++i) a = op("add", slice(a, 1, a.size()), slice(a, 0, a.size() - 1));
    return a;
}

void fills_in_vain() {
    settle_in();
    const Array a = iota(4090);
    int before = 0;
    for (int attempt = 0; attempt < 10; ++attempt) {
        settle_in();
        hardly_fused(a, 128);  // a full list, which runs
        int needed = 0;
        for (; !outlook().lasts(); ++needed) op("add", a, a);
        expect(needed >= before, "each time that a full list is not fused it waits for longer");
        before = needed;
    }
    expect(before > 10000, "in the end for long");
    const Array first = op("add", a, a);
    expect(pending(first), "put off");
    Array b = first;
    for (int i = 0; i < 128; ++i) b = op("add", b, a);
    expect(!pending(first), "a full list runs");
    expect(outlook().lasts(), "and where it was fused the next is put off");
    at(op("add", b, a), 0);  // wanted at once
    for (int i = 0; i < 40; ++i) op("add", a, a);
    expect(outlook().lasts(), "soon again");
    at(op("add", a, a), 0);
}

void other_work() {
    Array a = iota(few);
    settle_in();
    const Array c = op("add", a, a);
    Array part = slice(c, 0, tiny);
    part = op("add", part, part);
    expect(pending(part), "little work waits for what was put off");
    part = op("add", part, part);
    expect(!pending(part) && !pending(c), "where there is more of it, all runs");
    expect(at(part, 2) == 16, "with its value");
}

void written_in_place() {
    const Array a = iota(few);
    settle_in();
    const Array c = op("add", a, a), d = op("add", a, c);
    assign(a, iota(few, 1));
    expect(pending(c), "a write waits for who reads the old values");
    expect(at(d, 5) == 15 && at(a, 5) == 6, "which are those that it was called with");
}

void seen_by_the_host() {
    const Array a = iota(few);
    settle_in();
    a.buffer->exports = 1;
    expect(!pending(op("add", a, a)), "what the host sees as well is not deferred");
    a.buffer->exports = 0;
}

void reduced() {
    const Array a = iota(few);
    settle_in();
    const Array c = op("multiply", a, a);
    const RowId add = find_row("add");
    const Array sum = reduce(add, find_loop(add, binary(DType::float64)), c, 1, false);
    expect(!pending(c) && !pending(sum), "a sum is that of operands at hand");
}

void large_work_between() {
    const Array a = iota(few), large = iota(100000);
    settle_in();
    const Array c = op("add", a, a), doubled = op("add", large, large);
    const Array part = op("add", slice(doubled, 0, few), c);
    expect(pending(part), "what waits for large work waits");
    const Array again = op("add", part, part);
    expect(pending(again) && !is_put_off(again), "and is not taken for what could have run");
    expect(at(again, 4) == 32, "values");
}

void of_each_thread() {
    settle_in();
    std::thread([] { expect(!outlook().lasts(), "another thread has done nothing yet"); }).join();
}

}  // namespace

int main() {
    in_a_row();
    wanted_soon();
    goes_on();
    fills_in_vain();
    other_work();
    written_in_place();
    seen_by_the_host();
    reduced();
    large_work_between();
    of_each_thread();
}
