// Arrays that take turns, on lists made by hand: which writes do, what the list is then, that it holds for the next one, and that nothing is lost.
#include <cstdint>
#include <utility>
#include <vector>

#include "lists.hpp"
#include "runtime/boxes.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

// Each step puts the sum of the neighbours among them, by way of an array of its own or by itself.
void add_step(std::vector<Instruction>& list, const Array& u, bool moved, std::int64_t gap = 2) {
    const std::int64_t length = u.view.shape[0];
    const Array sum = empty(length - gap), target = slice(u, gap / 2, length - gap / 2);
    list.push_back(elementwise("add", {slice(u, gap, length), slice(u, 0, length - gap)}, sum));
    list.push_back(moved ? copied(sum, target) : elementwise("subtract", {target, sum}, target));
}

std::vector<Instruction> steps(const Array& u, int count, bool moved, std::vector<Instruction> between = {}) {
    return list_of([&](auto& list) {
        for (int k = 0; k < count; ++k) {
            add_step(list, u, moved);
            if (k == 1)
                for (Instruction& one : between) list.push_back(std::move(one));
        }
    });
}

std::size_t puts(std::vector<Instruction>&& list) { return Passed(std::move(list), alternate_puts).found; }

void what_alternates() {
    const Array u = iota(n);
    const Passed moved(steps(u, 5, true), alternate_puts);
    expect(moved.found == 4 && moved.edits.alternations.size() == 1 && moved.list.size() == 11, "four of five writes turn, and one copy comes");
    const Buffer* const other = moved.written(0).buffer.get();
    expect(other != u.buffer.get() && other->bytes() == u.buffer->bytes() && moved.read(0).buffer == u.buffer && moved.written(0).view.shape[0] == n, "of all of the array");
    expect(moved.written(1).buffer.get() == other && moved.written(1).view == slice(u, 1, n - 1).view && moved.dead[2], "who makes it puts it there itself");
    expect(moved.read(3).buffer.get() == other && moved.written(3).buffer == u.buffer, "the next one reads there and writes here");
    expect(moved.read(9).buffer == u.buffer && !moved.dead[10] && moved.written(10).buffer == u.buffer, "the last one of an odd number stays");
    const Passed itself(steps(u, 4, false), alternate_puts);
    expect(itself.found == 4 && itself.list.size() == 9, "what computes as it puts, too");
    expect(itself.read(2).buffer == u.buffer && itself.written(2).buffer != u.buffer && itself.read(3).buffer == itself.written(2).buffer, "reads here, writes there");
    expect(itself.written(8).buffer == u.buffer, "and all is there at the end");
}

void what_does_not() {
    const Array u = iota(n), v = iota(n, 1);
    expect(puts(steps(u, 3, true)) == 0, "few writes");
    expect(puts(steps(slice(iota(3 * n), 0, n), 6, true)) == 0, "to a small part of an array");
    expect(puts(list_of([&](auto& list) {
               for (int k = 0; k < 6; ++k) list.push_back(elementwise("add", {u, v}, u));
           })) == 0, "where nobody reads around");
    expect(puts(list_of([&](auto& list) {
               for (int k = 0; k < 6; ++k) list.push_back(elementwise("add", {slice(k % 2 ? u : v, 2, n), slice(k % 2 ? u : v, 0, n - 2)}, slice(k % 2 ? v : u, 1, n - 1)));
           })) == 0, "what takes turns already");
    expect(puts(list_of([&](auto& list) {
               for (int k = 0; k < 6; ++k) add_step(list, u, true, k % 2 ? 2 : 4);
           })) == 0, "to parts that differ");
    const auto border = [&] { return list_of([&](auto& list) { list.push_back(copied(slice(v, 0, 1), slice(u, 0, 1))); }); };
    expect(puts(steps(u, 5, true, border())) == 0, "where another part is written once, and is old in the other array");
    expect(puts(steps(u, 6, true, border())) == 4, "those after it do");
    const auto walls = [&](bool first) {
        return list_of([&](auto& list) {
            for (int k = 0; k < 4; ++k) {
                if (first) list.push_back(copied(slice(v, 0, 1), slice(u, 0, 1)));
                add_step(list, u, true);
                if (!first) list.push_back(copied(slice(v, 0, 1), slice(u, 0, 1)));
            }
        });
    };
    expect(puts(walls(false)) == 8, "what is written beside each time goes where the array is");
    expect(puts(walls(true)) == 0, "not where it is written after it could be read, and the last time never");
    const Array sum = empty(n - 2);
    expect(puts(list_of([&](auto& list) {
               for (int k = 0; k < 4; ++k) {
                   list.push_back(elementwise("add", {slice(u, 2, n), slice(u, 0, n - 2)}, sum));
                   list.push_back(copied(sum, slice(u, 1, n - 1)));
               }
           })) == 4, "what others see is put there, and moved from there");
}

void another_list() {
    const Array u = iota(n), v = iota(n, 1);
    const Passed first(steps(u, 4, true), alternate_puts);
    std::vector<Instruction> second = steps(v, 4, true);
    expect(alternates(first.edits.alternations[0], second), "it holds for a list like it");
    expect(!alternates(first.edits.alternations[0], steps(slice(iota(3 * n), 5, n + 5), 4, true)), "not for a small part of an array");
    for (const Instruction& one : second) count_pending(one, 1);
    const std::vector<Buffer*> others = put_in_turns(first.edits.alternations, second, true);
    expect(others.size() == 1 && second.size() == first.list.size() && second[3].in[0].array()->buffer.get() == others[0], "where the same is done");
    expect(v.buffer->pending_writes == 2 && others[0]->pending_writes == 3 && v.buffer->pending_reads == 5 && others[0]->pending_reads == 4, "and counted");
    for (const Instruction& one : second) count_pending(one, -1);
    expect(v.buffer->pending_writes == 0 && others[0]->pending_reads == 0 && others[0]->pending_writes == 0, "by who releases it");
}

// Sets of elements of a small array, as boxes and one by one.
void boxes() {
    const Array all = new_array(Dims{5, 6, 4}, DType::float64, default_pool());
    const BoxAxes axes = *BoxAxes::of(all);
    std::uint32_t seed = 7;
    const auto any = [&](std::int64_t below) { return static_cast<std::int64_t>((seed = seed * 1664525 + 1013904223) >> 16) % below; };
    const auto part = [&](Box& box) {
        Array a = all;
        box = {};
        for (int i = 0; i < 3; ++i) {
            const std::int64_t first = any(all.view.shape[i]), length = 1 + any(all.view.shape[i] - first);
            box.axes.push_back({first, first + length});
            a.view.offset += first * a.view.strides[i];
            a.view.shape[i] = length;
        }
        return a;
    };
    using Set = std::vector<bool>;
    const auto each = [](const Box& box, auto&& f) {
        for (std::int64_t i = box.axes[0][0]; i < box.axes[0][1]; ++i)
            for (std::int64_t j = box.axes[1][0]; j < box.axes[1][1]; ++j)
                for (std::int64_t k = box.axes[2][0]; k < box.axes[2][1]; ++k) f(static_cast<std::size_t>((i * 6 + j) * 4 + k));
    };
    for (int round = 0; round < 300; ++round) {
        Boxes made;
        Set right(120);
        for (int step = 0; step < 8; ++step) {
            Box box;
            expect(axes.box(part(box)) == box, "a part is a box");
            const bool more = any(3) > 0;
            if (more) made.add(box);
            else made.take_away(box);
            each(box, [&](std::size_t k) { right[k] = more; });
            Set found(120);
            for (const Box& one : made) each(one, [&](std::size_t k) { expect(!found[k], "boxes do not meet"), found[k] = true; });
            expect(found == right, "and together they are what was added and not taken away");
            bool meets = false;
            each(box, [&](std::size_t k) { meets = meets || right[k]; });
            expect(made.within(box).empty() == !meets, "so is what lies within another box");
        }
    }
    Array strided = all;
    strided.view.shape[1] = 3;
    strided.view.strides[1] *= 2;
    expect(!axes.box(strided), "what leaves elements out is none");
    Array turned = all;
    turned.view.offset = all.view.strides[0] * 4;
    turned.view.strides[0] *= -1;
    expect(axes.box(turned) == axes.box(all), "from its end it is the same one");
}

double value_after(int steps, std::int64_t at) {
    std::vector<double> u(32);
    for (std::size_t k = 0; k < u.size(); ++k) u[k] = static_cast<double>(k) * static_cast<double>(k);
    for (int s = 0; s < steps; ++s) {
        const std::vector<double> old = u;
        for (std::size_t k = 1; k + 1 < u.size(); ++k) u[k] = old[k] - (old[k + 1] + old[k - 1]);
    }
    return u[static_cast<std::size_t>(at)];
}

// Through the queue, which keeps what was done by content; and where memory runs out on the way.
void values() {
    for (int round = 0; round < 6; ++round) {
        const Array u = op("multiply", iota(100000), iota(100000)), target = slice(u, 1, 99999);
        flush();
        default_pool().free_all_blocks();
        const int count = 4 + round % 3;
        for (int k = 0; k < count; ++k) {
            const RowId subtract = find_row("subtract");
            const Array sum = op("add", slice(u, 2, 100000), slice(u, 0, 99998));
            const Input in[]{target, sum};
            apply(subtract, find_loop(subtract, binary(DType::float64)), in, std::span(&target, 1));
        }
        if (round >= 3) {
            default_pool().set_limit(default_pool().figures().in_use + 4000);
            expect(lacks_memory([] { flush(); }) && pending(u), "what lacks memory stays recorded");
            default_pool().set_limit(0);
        }
        expect(at(u, 0) == 0 && at(u, 10) == value_after(count, 10) && at(u, 12) == value_after(count, 12), "each step reads what the one before it has left");
        expect(pending_count() == 0 && u.buffer->pending_reads == 0 && u.buffer->pending_writes == 0, "and nothing is pending");
    }
}

}  // namespace

int main() {
    set_eager_size(0);
    what_alternates();
    what_does_not();
    another_list();
    boxes();
    values();
}
