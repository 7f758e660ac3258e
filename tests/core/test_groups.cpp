// Which instructions run together, and in which order: what a hazard lies between keeps its order, whatever joins what.
#include <algorithm>
#include <random>
#include <vector>

#include "lists.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

std::vector<Group> groups_of(const std::vector<Instruction>& list, std::span<const std::uint32_t> bounds = {}) {
    Census census;
    census.take(list);
    return form_groups(list, std::vector<bool>(list.size(), false), {}, bounds);
}

using Members = std::vector<std::uint32_t>;

// Repeats the number at the start of a short array.
Array spread(Array short_one) {
    short_one.view = View{0, Dims{n}, Dims{0}};
    return short_one;
}

void waits_for_what_began_later() {
    const Array a = iota(n), little = iota(8), x = empty(), y = empty(8), z = empty();
    const std::vector<Group> groups = groups_of(list_of([&](auto& list) {
        list.push_back(elementwise("add", {a, a}, x));
        list.push_back(elementwise("multiply", {little, little}, y));
        list.push_back(elementwise("add", {x, spread(y)}, z));
    }));
    expect(groups.size() == 2 && groups[0].members == Members{1} && groups[1].members == Members{0, 2}, "the first waits for the second");
}

void goes_nowhere_round() {
    const Array a = iota(n), x = empty(), y = empty(8), z = empty();
    const std::vector<Group> groups = groups_of(list_of([&](auto& list) {
        list.push_back(elementwise("add", {a, a}, x));
        list.push_back(elementwise("multiply", {slice(x, 0, 8), slice(x, 0, 8)}, y));
        list.push_back(elementwise("add", {x, spread(y)}, z));
    }));
    expect(groups.size() == 3, "what needs the second, which needs the first, does not run with the first");
}

// a < b < c by what they need, where b joins last: nothing may run before itself by way of others either.
void goes_nowhere_round_by_way_of_others() {
    const Array a = iota(n), x = empty(), y = empty(8), w = empty(16), z = empty(), v = empty();
    const std::vector<Group> groups = groups_of(list_of([&](auto& list) {
        list.push_back(elementwise("add", {a, a}, x));                                       // over n
        list.push_back(elementwise("multiply", {slice(x, 0, 8), slice(x, 0, 8)}, y));         // needs it
        list.push_back(elementwise("multiply", {slice(spread(y), 0, 16), slice(spread(y), 0, 16)}, w));  // needs that
        list.push_back(elementwise("add", {a, spread(w)}, z));                               // and this needs all, by the last one alone
        list.push_back(elementwise("add", {a, x}, v));
    }));
    expect(groups.size() == 4 && groups[0].members == Members{0} && groups[3].members == Members{3, 4}, "by way of others");
}

void nothing_passes_a_bound() {
    const Array a = iota(n), little = iota(8), x = empty(), y = empty(8), z = empty();
    const std::vector<std::uint32_t> bounds{2};
    const std::vector<Group> groups = groups_of(list_of([&](auto& list) {
        list.push_back(elementwise("add", {a, a}, x));
        list.push_back(elementwise("multiply", {little, little}, y));
        list.push_back(elementwise("add", {x, spread(y)}, z));
    }), bounds);
    expect(groups.size() == 3 && groups[0].members == Members{0} && groups[2].members == Members{2}, "what comes before a bound has run there");
}

// A short launch waits for nothing that its reader alone needs.
void short_ones_wait_for_their_readers_only() {
    for (const std::int64_t length : {n, std::int64_t{64}}) {
        const Array a = iota(length), little = iota(8), x = empty(length), y = empty(8), z = empty(length);
        Array repeated = spread(y);
        repeated.view.shape[0] = length;
        const std::vector<Group> groups = groups_of(list_of([&](auto& list) {
            list.push_back(elementwise("add", {a, a}, x));
            list.push_back(elementwise("multiply", {little, little}, y));
            list.push_back(elementwise("add", {a, repeated}, z));
        }));
        expect(groups.size() == (length > longest_in_round ? 2 : 3), "beside others, if long");
    }
}

// Instructions over three shapes, on parts of few arrays, in place at times.
std::vector<Instruction> any_list(std::mt19937& random, std::int64_t unit) {
    const auto pick = [&](int below) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(below)); };
    std::vector<Array> arrays;
    for (int k = 0; k < 6; ++k) arrays.push_back(empty(8 * unit));
    return list_of([&](auto& list) {
        for (int k = 0; k < 40; ++k) {
            const std::int64_t length = unit << pick(3);
            const auto part = [&] {
                const Array& whole = arrays[static_cast<std::size_t>(pick(6))];
                const std::int64_t start = unit * pick(static_cast<int>(8 - length / unit + 1));
                return slice(whole, start, start + length);
            };
            const Array to = part();
            list.push_back(elementwise(pick(2) ? "add" : "multiply", {pick(4) ? part() : to, part()}, to));
        }
    });
}

void order_of_hazards() {
    std::mt19937 random(7);
    std::size_t several = 0, waited = 0;
    for (int round = 0; round < 400; ++round) {
        const std::vector<Instruction> list = any_list(random, round % 2 ? 8 : longest_in_round + 8);
        const std::vector<Group> groups = groups_of(list);
        std::vector<std::size_t> group_of(list.size(), groups.size());
        for (std::size_t g = 0; g < groups.size(); ++g) {
            expect(std::ranges::is_sorted(groups[g].members), "members in their order");
            several += groups[g].members.size() > 1;
            waited += g > 0 && groups[g].members.front() < groups[g - 1].members.front();
            for (const std::uint32_t member : groups[g].members) {
                expect(group_of[member] == groups.size() && list[member].shape == list[groups[g].members.front()].shape, "once, with those of its shape");
                group_of[member] = g;
            }
        }
        for (std::size_t k = 0; k < list.size(); ++k) {
            expect(group_of[k] < groups.size(), "all of them");
            for (std::size_t earlier = 0; earlier < k; ++earlier)
                expect(!conflicts(list[earlier], list[k]) || group_of[earlier] <= group_of[k], "the earlier one first");
        }
    }
    expect(several > 400 && waited > 100, "some run together, and some wait");
}

}  // namespace

int main() {
    waits_for_what_began_later();
    goes_nowhere_round();
    goes_nowhere_round_by_way_of_others();
    nothing_passes_a_bound();
    short_ones_wait_for_their_readers_only();
    order_of_hazards();
}
