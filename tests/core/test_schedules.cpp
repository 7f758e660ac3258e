// Schedules that are kept: which lists find them, and that what a pass did to one is done to the next.
#include <memory>
#include <utility>
#include <vector>

#include "lists.hpp"
#include "runtime/record.hpp"
#include "runtime/replay.hpp"
#include "runtime/runner.hpp"
#include "runtime/schedule.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

constexpr std::int64_t side = 60;

Array square(double start = 0) {
    Array a = iota(side * side, start);
    a.view = contiguous(Dims{side, side}, 8);
    return a;
}

Array empty_square() { return new_array(Dims{side, side}, DType::float64, default_pool()); }

// target = a @ b + term.
std::vector<Instruction> sum_of_product(const Array& a, const Array& b, const Array& term, const Array& target) {
    return list_of([&](auto& list) {
        const Array t = empty_square();
        list.push_back(structured("matmul", {a, b}, t));
        list.push_back(elementwise("add", {t, term}, target));
    });
}

void accumulated_sums() {
    const Array a = square(), b = square(1), term = square(2), target = empty_square();
    for (const bool in_place : {false, true}) {
        const Array& to = in_place ? term : target;
        Passed sum(sum_of_product(a, b, term, to), accumulate_products);
        expect(sum.found == 1 && sum.list[1].option == 1 && sum.written(1).buffer == to.buffer, "the product adds");
        expect(sum.dead[0] == in_place && sum.list[0].out.empty() == in_place, "to a copy, or to what is there");
        expect(sum.edits.sums.size() == 1, "and that is written down");

        Passed again(sum_of_product(a, b, term, to), [](Draft&) { return std::size_t{0}; });
        for (const Instruction& one : again.list) count_pending(one, 1);
        repeat(sum.edits, again.list);
        expect(again.list[1].option == 1 && again.written(1).buffer == to.buffer && again.list[0].out.empty() == in_place, "done again");
        expect(a.buffer->pending_reads == 1 && to.buffer->pending_writes == (in_place ? 1 : 2) && term.buffer->pending_reads == (in_place ? 0 : 1), "and counted");
        for (const Instruction& one : again.list) count_pending(one, -1);
        expect(to.buffer->pending_writes == 0 && term.buffer->pending_reads == 0, "to the end");
    }
    const Passed seen(list_of([&](auto& list) {
        list.push_back(structured("matmul", {a, b}, target));
        list.push_back(elementwise("add", {target, term}, empty_square()));
    }), accumulate_products);
    expect(seen.found == 0, "a product that others see stays");
    const Passed twice(list_of([&](auto& list) {
        const Array t = empty_square(), u = empty_square();
        list.push_back(structured("matmul", {a, b}, t));
        list.push_back(elementwise("add", {t, term}, u));
        list.push_back(elementwise("add", {t, u}, target));
    }), accumulate_products);
    expect(twice.found == 0, "and so does one that is read twice");
    const Passed chain(list_of([&](auto& list) {
        Array so_far = term;
        for (int k = 0; k < 5; ++k) {
            const Array t = empty_square(), next = k == 4 ? target : empty_square();
            list.push_back(structured("matmul", {a, b}, t));
            list.push_back(elementwise("add", {so_far, t}, next));
            so_far = next;
        }
    }), accumulate_products);
    expect(chain.found == 5, "one after the other");
}

// Lists with such sums are found by all their views.
void kept_by_views() {
    const Array a = square(), b = square(1), term = square(2), target = empty_square(), two = new_array(Dims{2, side, side}, DType::float64, default_pool());
    expect(recurs(sum_of_product(a, b, term, target), all_passes()) == Recurs::by_views, "a sum that reads a product");
    expect(recurs(sum_of_product(a, b, term, target), all_passes() & ~pass("accumulate")) == Recurs::by_content, "without the pass it is like any other");
    expect(recurs(list_of([&](auto& list) {
        list.push_back(elementwise("add", {a, b}, target));
        list.push_back(structured("matmul", {target, b}, term));
    }), all_passes()) == Recurs::by_content, "a sum before a product");

    const auto plane = [&](std::int64_t k) {
        Array one = two;
        one.view = View{k * side * side * 8, Dims{side, side}, Dims{side * 8, 8}};
        return one;
    };
    ScheduleCache cache;
    const auto known = [&](std::vector<Instruction>&& list, bool by_views) {
        Census census;
        census.take(list);
        const auto found = cache.find(list, census, all_passes(), by_views);
        if (found) return true;
        Draft draft(list, census, false);
        run_passes(draft, all_passes());
        cache.keep(std::make_shared<const Schedule>(divide(draft)));
        return false;
    };
    expect(!known(sum_of_product(a, b, term, plane(0)), true) && known(sum_of_product(a, b, term, plane(0)), true), "a list that recurs");
    expect(!known(sum_of_product(a, b, term, plane(1)), true) && known(sum_of_product(a, b, term, plane(0)), true), "with other views it is another");
    expect(!known(sum_of_product(a, b, term, plane(0)), false) && known(sum_of_product(a, b, term, plane(1)), false), "by content it is the same");
}

// Through the queue: sums of products in loops, over views that are the same or others each time.
void values() {
    const Array a = square(), b = square(1), whole = new_array(Dims{3, side, side}, DType::float64, default_pool());
    double product = 0;
    for (int k = 0; k < side; ++k) product += (5.0 * side + k) * (k * static_cast<double>(side) + 7 + 1);
    for (const Passes chosen : {all_passes(), all_passes() & ~pass("accumulate")}) {
        set_passes(chosen);
        assign(whole, Scalar::of(1.0));
        for (int round = 0; round < 12; ++round) {
            Array part = whole;
            part.view = View{round / 2 % 3 * side * side * 8, Dims{side, side}, Dims{side * 8, 8}};
            const RowId add = find_row("add");
            const Array made = matmul(a, b);
            const Input in[]{made, part};
            if (round % 2) apply(add, find_loop(add, binary(DType::float64)), in, std::span(&part, 1));
            else part = op("add", made, part);
            flush();
            Array flat = part;
            flat.view = View{part.view.offset, Dims{side * side}, Dims{8}};
            expect(at(flat, 5 * side + 7) == product * (1 + round / 6) + 1, "a product and what was there");
        }
    }
    set_passes(all_passes());
    expect(pending_count() == 0 && a.buffer->pending_reads == 0 && whole.buffer->pending_writes == 0, "nothing is left");
}

// Two small programs that depend on each other gain nothing by running together; then each may be kept by itself, and no program is asked again.
void small_programs_run_apart() {
    const Array a = square(), row = empty(side), half = empty(side / 2);
    Array line = a;
    line.view = View{0, Dims{side}, Dims{8}};
    std::vector<Instruction> list = list_of([&](auto& made) {
        made.push_back(elementwise("add", {line, line}, row));
        made.push_back(elementwise("multiply", {slice(row, 0, side / 2), slice(row, 0, side / 2)}, half));
    });
    const Schedule schedule = plan_list(list);
    expect(schedule.parts.size() == 2 && schedule.parts[1].follows, "two parts, one after the other");
    Runner runner;
    std::size_t apart = 0;
    for (std::size_t p = 0; p < 2; ++p) {
        expect(runner.run_from(list, schedule, p, apart) == 1 && apart == 1, "apart");
        expect(static_cast<bool>(runner.keep(list, schedule.parts[p], Roots{})), "and kept");
    }
    expect(at(half, 5) == 100, "what they compute");
}

}  // namespace

int main() {
    set_eager_size(0);
    accumulated_sums();
    kept_by_views();
    values();
    small_programs_run_apart();
}
