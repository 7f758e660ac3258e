// What code may count on: which inputs of a launch are one number for each tile, and how its items lie.
#include "base/bits.hpp"
#include "cpu/frame.hpp"

namespace asnumpy::cpu {
namespace {

// A row that is shorter is not worth a call for the sake of a number beside it.
constexpr std::int64_t shortest_row_of_number = 32;

}  // namespace

// Of each tile, which lies in one run of it.
bool Frame::is_one_number(const Strided& view) const {
    return view.constant() || (tiling.within_runs(view.inner().length) && (view.inner().stride == 0 || view.inner().length == 1));
}

// If a tile is a row. Where lines are reduced a tile is not.
bool Frame::may_be_one_number(const Strided& view) const {
    return is_one_number(view) || (results.empty() && view.inner().stride == 0 && view.inner().length >= shortest_row_of_number);
}

bool Frame::has_numbers_by_row(std::int64_t run) const {
    if (run < shortest_row_of_number) return false;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (plan->items.part(i) == Items::Part::same || (plan->is_number(i) && !inputs[i].view.constant() && inputs[i].view.inner().stride == 0)) return true;
    return false;
}

bool Frame::suits_plan() const {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Source& input = inputs[i];
        if (has_bit(plan->numbers, i) && (input.view.turned || !input.view.aligned || !is_one_number(input.view))) return false;
        if (plan->items.part(i) == Items::Part::same && (!input.view.aligned || !tiling.within_runs(input.run))) return false;
    }
    return true;
}

void Frame::note_seen(const Launch& launch) const {
    // Smaller launches by this factor take little of the time; and rows that are only too short, in a loop that makes them shorter and shorter.
    constexpr std::int64_t counts = 8, short_rows_count = 2;
    Resolved::Seen& seen = plan->seen;
    const std::int64_t size = order.size(), largest = seen.largest.load(std::memory_order_relaxed);
    if (size * counts < largest) return;
    std::uint64_t found = 0, changing = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Strided& view = inputs[i].view;
        const bool too_short = size * short_rows_count < largest && view.inner().stride == 0 && results.empty();
        if (view.turned || !view.aligned || !(too_short || may_be_one_number(view))) continue;
        found |= bit(i);
        if (view.ndim > 1) changing |= bit(i);
    }
    const std::uint64_t items = items_of(*plan, launch, portion).bits();
    const std::uint64_t before = seen.items.load(std::memory_order_relaxed);
    if (before == Resolved::Seen::unseen || size > largest * counts) seen.items.store(items, std::memory_order_relaxed);
    else if (before != items && before != 0) seen.items.store(0, std::memory_order_relaxed);
    if (size > largest) seen.largest.store(size, std::memory_order_relaxed);
    if (size > largest * counts) seen.numbers.store(found, std::memory_order_relaxed);
    else if ((seen.numbers.load(std::memory_order_relaxed) & ~found) != 0) seen.numbers.fetch_and(found, std::memory_order_relaxed);
    if ((changing & ~seen.changing.load(std::memory_order_relaxed)) != 0) seen.changing.fetch_or(changing, std::memory_order_relaxed);
}

}  // namespace asnumpy::cpu
