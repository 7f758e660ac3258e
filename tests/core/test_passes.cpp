// Each pass by itself, on lists made by hand: what it changes, what it must leave, and that the same is done to the next list of that content.
#include <cmath>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "lists.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

void equal_reductions() {
    const Array a = iota(n), result = empty(1);
    Array one = result;
    one.view = View{0, Dims{}, Dims{}};
    const auto make = [&](const Array& second) {
        return list_of([&](std::vector<Instruction>& list) {
            const Array x = new_array(Dims{}, DType::float64, default_pool()), y = new_array(Dims{}, DType::float64, default_pool());
            list.push_back(total(a, x));
            list.push_back(total(second, y));
            list.push_back(elementwise("subtract", {x, y}, one));
        });
    };
    const Passed same(make(a), share_equal);
    expect(same.found == 1 && same.read(2, 1).buffer == same.written(0).buffer, "the second sum is the first");
    expect(same.edits.redirects.size() == 1 && same.edits.equal.size() == 1, "and that is written down");
    const Passed other(make(iota(n)), share_equal);
    expect(other.found == 0 && other.read(2, 1).buffer == other.written(1).buffer && other.edits.redirects.empty(), "of another array it is another");
    const Passed part(make(slice(a, 0, n / 2)), share_equal);
    expect(part.found == 0, "of another view likewise");
}

// exp(a * b) twice: the products are not kept for each other, but the exponentials of equal products are equal.
void equal_values_of_equal_values() {
    const Array a = iota(n), b = iota(n, 1), u = empty(), v = empty();
    const auto make = [&](const char* second, bool written_between) {
        return list_of([&](std::vector<Instruction>& list) {
            const Array t1 = empty(), e1 = empty(), t2 = empty(), e2 = empty();
            list.push_back(elementwise("multiply", {a, b}, t1));
            list.push_back(elementwise("exp", {t1}, e1));
            list.push_back(elementwise("add", {e1, a}, u));
            if (written_between) list.push_back(elementwise("add", {b, b}, slice(b, 5, 6)));
            list.push_back(elementwise("multiply", {a, b}, t2));
            list.push_back(elementwise(second, {t2}, e2));
            list.push_back(elementwise("add", {e2, b}, v));
        });
    };
    const Passed same(make("exp", false), share_equal);
    expect(same.found == 1 && same.read(5).buffer == same.written(1).buffer, "the exponential is computed once");
    expect(same.read(4).buffer == same.written(3).buffer, "a product is recomputed where it is needed");
    expect(Passed(make("log", false), share_equal).found == 0, "another function is another value");
    std::vector<Instruction> changed = make("exp", true);
    changed[3].shape = Dims{1};
    changed[3].in = {};
    changed[3].in.emplace_back(Scalar::of(1.0));
    changed[3].in.emplace_back(Scalar::of(2.0));
    expect(Passed(std::move(changed), share_equal).found == 0, "a write to an operand makes another value");
}

// How much of a list is shared; made by a call, so that nobody but the list holds what it does not name.
template <class F> std::size_t shared(F&& make) {
    std::vector<Instruction> list = make();
    return Passed(std::move(list), share_equal).found;
}

void equal_only_where_it_is_allowed() {
    const Array a = iota(n), seen = empty(), also_seen = empty(), target = empty();
    const auto exps = [&](const Array& x, const Array& y) {
        std::vector<Instruction> list;
        list.push_back(elementwise("exp", {a}, x));
        list.push_back(elementwise("exp", {a}, y));
        list.push_back(elementwise("add", {y, a}, target));
        return list;
    };
    expect(shared([&] { return exps(empty(), empty()); }) == 1, "equal ones are shared");
    expect(shared([&] { return exps(seen, empty()); }) == 1, "the first may be seen");
    expect(shared([&] { return exps(empty(), also_seen); }) == 0, "results that others see have memory of their own");
    expect(shared([&] {
               std::vector<Instruction> list = exps(also_seen, empty());
               list.push_back(copied(a, also_seen));
               return list;
           }) == 0, "what is written again is no value to keep");
    expect(shared([&] { return exps(empty(), slice(empty(2 * n), 0, n)); }) == 0, "nor part of something larger");
    const Array there = iota(n);
    expect(shared([&] { return exps(there, empty()); }) == 0, "nor where a value was before");
    expect(shared([&] {
               std::vector<Instruction> list = exps(empty(), empty());
               list.insert(list.begin() + 1, elementwise("negative", {a}, a));
               return list;
           }) == 0, "what is written in place is another value before and after");
}

void attributes_tell_apart() {
    Array square = iota(n);
    square.view = contiguous(Dims{60, 100}, 8);
    const auto scans = [&](std::int64_t second) {
        return list_of([&](auto& list) {
            const auto place = [] { return new_array(Dims{60, 100}, DType::float64, default_pool()); };
            const Array x = place(), y = place(), z = place();
            for (const auto& [out, axis] : {std::pair{x, std::int64_t{0}}, {y, second}}) {
                list.push_back(structured("scan", {square}, out, axis));
                list.back().op = find_row("add");
            }
            list.push_back(elementwise("add", {x, y}, z));
        });
    };
    expect(Passed(scans(0), share_equal).found == 1, "equal scans are one");
    const Passed other(scans(1), share_equal);
    expect(other.found == 0, "along another axis it is another");
    const Passed same(scans(0), share_equal);
    expect(holds(same.edits, scans(0)) && !holds(same.edits, scans(1)), "which the next list of that content is asked");
    std::vector<Instruction> draws = scans(0);
    for (int k = 0; k < 2; ++k) draws[k].row = find_row("random_choice");
    expect(Passed(std::move(draws), share_equal).found == 0, "random numbers are drawn each time");
    std::vector<Instruction> kept = scans(0);
    for (int k = 0; k < 2; ++k) kept[k].row = find_row("scatter");
    expect(Passed(std::move(kept), share_equal).found == 0, "what keeps some of what was there is no value of its operands");
}

void copies_are_read_through() {
    const Array a = iota(n), b = iota(n, 1), result = empty();
    const auto make = [&](const Array& from, std::vector<Instruction> between = {}) {
        return list_of([&](auto& list) {
            const Array copy = empty(n), other = empty(n);
            list.push_back(copied(from, copy));
            for (Instruction& one : between) list.push_back(std::move(one));
            list.push_back(elementwise("add", {copy, b}, other));
            list.push_back(elementwise("add", {slice(copy, 10, 20), slice(other, 10, 20)}, slice(result, 0, 10)));
        });
    };
    const Array larger = iota(3 * n);
    const Passed through(make(slice(larger, n, 2 * n)), read_through_copies);
    expect(through.found == 1 && through.read(1).buffer == larger.buffer && through.read(1).view.offset == 8 * n, "the original is read");
    expect(through.read(2).buffer == larger.buffer && through.read(2).view.offset == 8 * (n + 10), "through the part that is read of the copy");
    expect(holds(through.edits, make(slice(larger, 5, n + 5))), "of any part of it");
    Array spread = slice(larger, 0, n);
    spread.view.strides[0] = 16;
    expect(Passed(make(spread), read_through_copies).found == 0 && !holds(through.edits, make(spread)), "elements that lie apart are brought together");
    Passed again(make(slice(larger, 5, n + 5)), [](Draft&) { return std::size_t{0}; });
    for (const Instruction& one : again.list) count_pending(one, 1);
    repeat(through.edits, again.list);
    expect(again.read(2).view.offset == 8 * 15 && larger.buffer->pending_reads == 3 && again.written(0).buffer->pending_reads == 0, "done again, and counted");
    for (const Instruction& one : again.list) count_pending(one, -1);
    expect(Passed(make(a, list_of([&](auto& list) { list.push_back(copied(slice(b, 0, 5), slice(a, 0, 5))); })), read_through_copies).found == 0,
           "an original that is written meanwhile keeps its copy");
    const Passed onto(list_of([&](auto& list) {
        const Array copy = empty();
        list.push_back(copied(a, copy));
        list.push_back(elementwise("add", {copy, b}, a));
    }), read_through_copies);
    expect(onto.found == 0, "even by what reads the copy");
    expect(Passed(list_of([&](auto& list) {
               list.push_back(copied(a, result));
               list.push_back(elementwise("add", {result, b}, empty()));
           }), read_through_copies).found == 0, "a copy that is seen is made");
}

void dead_results() {
    const Array a = iota(n), result = empty();
    const Passed some(list_of([&](auto& list) {
        const Array t = empty(), u = empty();
        list.push_back(elementwise("add", {a, a}, t));
        list.push_back(elementwise("add", {t, a}, u));
        list.push_back(elementwise("multiply", {t, a}, result));
        list.push_back(elementwise("add", {u, a}, empty()));
    }), leave_out_dead);
    expect(some.found == 2 && some.dead == std::vector<bool>{false, true, false, true}, "what only dead results read is dead");
}

// The table: passes by themselves, all of them, none; what explain() says; what is kept of a list holds for the next one.
void table_of_passes() {
    expect(passes().size() == 7 && passes()[1].name == "equal" && all_passes() == 127, "the passes");
    const Array a = iota(n);
    const auto work = [&] {
        const RowId exponential = find_row("exp");
        Signature s;
        s.nin = s.nout = 1;
        s.in[0] = s.out[0] = DType::float64;
        const int loop = find_loop(exponential, s);
        const Input in[]{a};
        const Array first = apply(exponential, loop, in)[0], second = apply(exponential, loop, in)[0];
        return op("add", op("multiply", first, a), op("multiply", second, a));
    };
    for (Passes chosen = 0; chosen <= all_passes(); ++chosen) {
        set_passes(chosen);
        for (int round = 0; round < 3; ++round) {
            const Array result = work();
            const std::string text = explain(&result).text;
            expect((text.find("equal: 1 of 5 instructions, computed before") != std::string::npos) == ((chosen & pass("equal")) != 0), "equal, as told");
            expect((text.find("dead: 1 of 5 instructions") != std::string::npos) == ((chosen & pass("equal")) && (chosen & pass("dead"))), "dead, as told");
            expect(std::abs(at(result, 3) / (6 * std::exp(3.0)) - 1) < 1e-14, "the value is the same");
        }
    }
    set_passes(all_passes());
}

// One content, two kinds of views: of results that lie alike, and of one that is part of a larger buffer.
void contents_with_other_views() {
    const Array a = iota(n);
    const auto run = [&](bool apart) {
        const RowId exponential = find_row("exp");
        Signature s;
        s.nin = s.nout = 1;
        s.in[0] = s.out[0] = DType::float64;
        const int loop = find_loop(exponential, s);
        const Input in[]{a};
        const Array first = apply(exponential, loop, in)[0];
        Array second = empty(apart ? n + 8 : n);
        if (apart) second = slice(second, 8, n + 8);
        apply(exponential, loop, in, std::span(&second, 1));
        const Array result = op("subtract", op("add", first, a), op("add", std::exchange(second, Array{}), a));
        expect(at(result, 9) == 0 && at(result, 500) == 0 && std::abs(at(first, 5) / std::exp(5.0) - 1) < 1e-14, "both are exponentials");
    };
    for (const bool apart : {false, true, false, true, true, false}) run(apart);
}

// What fails after passes have changed the list runs again from the list as it is then.
void failures_after_passes() {
    const Array a = iota(100000), b = iota(100000, 1);
    for (const Passes chosen : {Passes{0}, pass("equal"), pass("copies"), pass("dead"), all_passes()}) {
        set_passes(chosen);
        default_pool().free_all_blocks();
        const auto sum = [](const Array& x) {
            const RowId add = find_row("add");
            return reduce(add, find_loop(add, binary(DType::float64)), x, 1, false);
        };
        Array copy = cast(a, DType::float64);
        const Array first = sum(a), difference = op("subtract", first, sum(a));
        const Array result = op("add", op("add", op("multiply", copy, b), difference), b);
        copy = Array{};
        default_pool().set_limit(default_pool().figures().in_use + 4000);
        const bool failed = lacks_memory([] { flush(); });
        expect(failed && pending(result), "what failed stays recorded");
        const bool refused = lacks_memory([&] { make_ready(b, Access::write); });
        expect(refused, "and nobody writes what it still reads");
        default_pool().set_limit(0);
        assign(slice(a, 0, 100), Scalar::of(-1.0));
        expect(at(result, 3) == 3.0 * 4.0 + 4.0, "it has the values of its moment");
        assign(slice(a, 0, 100), iota(100));
        expect(at(a, 3) == 3 && a.buffer->pending_reads == 0 && b.buffer->pending_reads == 0, "and nothing is pending");
    }
    set_passes(all_passes());
}

// Threads whose lists run together: each one's repeated work is shared, and what it changes in place is its own.
void threads_repeat_themselves() {
    const Array common = iota(n);
    const auto exponential = [](const Array& x) {
        static const RowId exp = find_row("exp");
        Signature s;
        s.nin = s.nout = 1;
        s.in[0] = s.out[0] = DType::float64;
        const Input in[]{x};
        return apply(exp, find_loop(exp, s), in)[0];
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            const Array own = iota(n, t);
            for (int i = 0; i < 40; ++i) {
                const Array first = exponential(common), before = op("subtract", first, exponential(common));
                Array copy = cast(own, DType::float64);
                const Array kept = op("add", std::exchange(copy, Array{}), before);
                assign(own, op("add", own, op("subtract", exponential(common), first)));
                assign(slice(own, 0, 10), Scalar::of(static_cast<double>(i)));
                expect(at(kept, 20) == 20 + t && at(kept, 5) == (i ? i - 1 : 5 + t) && at(own, 5) == i, "value in a thread");
            }
        });
    for (std::thread& t : threads) t.join();
    expect(common.buffer->pending_reads == 0 && pending_count() == 0, "and nothing is pending");
}

}  // namespace

int main() {
    set_eager_size(0);
    equal_reductions();
    equal_values_of_equal_values();
    equal_only_where_it_is_allowed();
    attributes_tell_apart();
    copies_are_read_through();
    dead_results();
    table_of_passes();
    contents_with_other_views();
    failures_after_passes();
    threads_repeat_themselves();
}
