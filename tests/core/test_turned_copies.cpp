// Copies that turn axes, on lists made by hand: which of them are not made, and that nothing is lost where their readers fail.
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "lists.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

// The array turned to the left, joined of two pieces, and what reads it.
std::vector<Instruction> turned_list(const Array& a, std::int64_t by, const Array& result, std::vector<Instruction> between = {}, std::int64_t second = 0) {
    return list_of([&](auto& list) {
        const Array copy = empty();
        list.push_back(copied(slice(a, by, n), slice(copy, 0, n - by)));
        list.push_back(copied(slice(a, second, second + by), slice(copy, n - by, n)));
        for (Instruction& one : between) list.push_back(std::move(one));
        list.push_back(elementwise("add", {copy, a}, result));
    });
}

void turned_copies() {
    const Array a = iota(n), b = iota(n, 1), result = empty();
    const Passed turned(turned_list(a, 70, result), read_turned);
    expect(turned.found == 2 && turned.edits.turned.size() == 1 && turned.edits.turned[0].pieces == std::vector<std::uint32_t>{0, 1}, "both pieces are read through");
    expect(turned.edits.turned[0].turned == Turned{{{8 * n, 8 * (n - 70)}}}, "with one seam");
    expect(turned.dead == std::vector<bool>(3, false) && turned.read(2).buffer == turned.written(0).buffer, "and the list stays as it is");
    expect(holds(turned.edits, turned_list(b, 70, result)) && !holds(turned.edits, turned_list(b, 71, result)), "which holds for another one like it");
    const std::vector<Group> groups = form_groups(turned.list, turned.dead, turned.edits.turned);
    expect(groups.size() == 1 && groups[0].members == std::vector<std::uint32_t>{2} && groups[0].unmade == std::vector<std::uint32_t>{0, 1}, "one group is left");
    const auto finds = [](std::vector<Instruction>&& list) { return Passed(std::move(list), read_turned).found; };
    const auto written = [&](const Array& to) { return list_of([&](auto& list) { list.push_back(copied(slice(b, 0, 5), slice(to, 0, 5))); }); };
    expect(finds(turned_list(a, 70, result, written(a))) == 0, "what is written meanwhile is copied");
    expect(finds(turned_list(a, 70, result, written(result))) == 2, "another array may be");
    expect(finds(turned_list(a, 70, a)) == 0, "what the reader overwrites is copied");
    expect(finds(turned_list(a, 70, result, {}, 1)) == 0, "pieces that do not meet are something else");
    expect(finds(list_of([&](auto& list) {
               list = turned_list(a, 70, result);
               list[2].shape = Dims{n - 1};
               for (const Array* x : {list[2].in[0].array(), list[2].in[1].array()}) const_cast<Array*>(x)->view.shape = Dims{n - 1};
               list[2].out[0].view.shape = Dims{n - 1};
           })) == 0, "what is read in part is made");
    expect(finds(list_of([&](auto& list) {
               list = turned_list(a, 70, result);
               list.push_back(total(result, empty(1)));
           })) == 0, "floats are added in the order in which they were");
    std::vector<Instruction> kept = turned_list(a, 70, result);
    const Array seen = kept[0].out[0];
    expect(finds(std::move(kept)) == 0, "a copy that is seen is made");
}

// What reads through fails: pieces and readers stay recorded together, before what is written to the source later.
void failures_of_turned_copies() {
    constexpr std::int64_t m = 100000;
    const Array a = iota(m), b = iota(m, 1);
    for (int round = 0; round < 2; ++round) {
        default_pool().free_all_blocks();
        Array copy = new_array(Dims{m}, DType::float64, default_pool());
        assign(slice(copy, 0, 1), slice(a, m - 1, m));
        assign(slice(copy, 1, m), slice(a, 0, m - 1));
        const Array result = op("add", op("multiply", copy, b), b), other = op("subtract", copy, b);
        copy = Array{};
        default_pool().set_limit(default_pool().figures().in_use + 4000);
        const bool failed = lacks_memory([] { flush(); });
        expect(failed && pending(result) && pending(other), "what failed stays recorded");
        default_pool().set_limit(0);
        assign(slice(a, 0, 100), Scalar::of(-1.0));
        expect(at(result, 3) == 2.0 * 4.0 + 4.0 && at(other, 0) == static_cast<double>(m - 1) - 1.0 && at(a, 3) == -1, "it has the values of its moment");
        assign(slice(a, 0, 100), iota(100));
        expect(at(a, 3) == 3 && a.buffer->pending_reads == 0 && b.buffer->pending_reads == 0, "and nothing is pending");
    }
}

}  // namespace

int main() {
    set_eager_size(0);
    turned_copies();
    failures_of_turned_copies();
}
