// Asks one way after the other.
#include "cpu/ways.hpp"

#include <optional>
#include <utility>

#include "cpu/ordered_stages.hpp"
#include "cpu/plan.hpp"
#include "cpu/stages.hpp"

namespace asnumpy::cpu {

std::shared_ptr<const ChosenWay> way_of(const Stages& stages, Plans plans) {
    auto found = std::make_shared<ChosenWay>();
    if (!stages.in_order) {
        found->lines = lines_at_once(stages, plans);
    } else if (const std::optional<Overlap> overlap = overlap_of(stages, plans)) {
        found->lines = overlap->lines;
        found->by = *overlap;
    } else if (std::optional<Relay> relay = relay_of(stages, plans)) {
        found->lines = relay->lines;
        found->by = *std::move(relay);
    } else {
        found->lines = ordered_lines_at_once(stages, plans);
    }
    if (found->lines == 0) return nullptr;
    found->plans = std::move(plans);
    return found;
}

void run(const Stages& stages, const Plans& plans, const ChosenWay& way) {
    if (!stages.in_order) return run_stages(stages, plans, way.lines);
    // Which stages a thread computes alone, and which for others, depends on what they cost.
    const std::shared_ptr<const ChosenWay> other = plans == way.plans ? nullptr : way_of(stages, plans);
    const ChosenWay& taken = other ? *other : way;
    if (const auto* const overlap = std::get_if<Overlap>(&taken.by)) run_overlapped(stages, plans, *overlap);
    else if (const auto* const relay = std::get_if<Relay>(&taken.by)) run_relayed(stages, plans, *relay);
    else run_ordered_stages(stages, plans, taken.lines);
}

}  // namespace asnumpy::cpu
