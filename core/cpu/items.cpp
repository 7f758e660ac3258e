// Looks over a launch for items.
#include "cpu/items.hpp"

#include <algorithm>
#include <optional>

#include "cpu/frame.hpp"

namespace asnumpy::cpu {
namespace {

// What is the same for fewer elements than this is gathered.
constexpr std::int64_t shortest_same = 32;

// The order of a launch if its last axis may be one of items.
std::optional<Order> order_by_items(const Resolved& plan, const Launch& launch) {
    const auto is_short = [](std::int64_t length) { return length >= 2 && length <= Items::longest; };
    if (plan.inputs.size() > Items::most_inputs || plan.reductions.size() > 1 || std::ranges::none_of(launch.shape, is_short)) return {};
    const Order order = arrange(launch, static_cast<int>(plan.inputs.size()), static_cast<int>(plan.stores.size()), Arrangement::natural);
    if (order.ndim < 2 || !is_short(launch.shape[order.axis[static_cast<std::size_t>(order.ndim - 1)]])) return {};
    return order;
}

}  // namespace

Items items_of(const Resolved& plan, const Launch& launch, const Portion& portion) {
    const std::optional<Order> order = order_by_items(plan, launch);
    if (!order) return {};
    const auto last = static_cast<std::size_t>(order->ndim - 1);
    const int axis = order->axis[last], before = order->axis[last - 1];
    const std::int64_t length = launch.shape[axis];
    // Such short lines are added one element after the other where there are many of them, and so are the elements of an item.
    const bool joined = order->inner == 1 && order->reduced == length && portion.of_all(order->outer) >= shortest_vector;
    const bool kept = !((launch.reduced >> axis) & 1u) && (plan.reductions.empty() || order->reduced > 1);
    // Several results side by side are added by lines, which tiles of items would divide otherwise.
    const bool by_line = !plan.reductions.empty() && portion.inner_of_all(*order, false) >= shortest_vector;
    if (!joined && (!kept || by_line)) return {};

    Items items(length, joined);
    bool saves = joined;
    for (std::size_t i = 0; i < plan.inputs.size() + plan.stores.size(); ++i) {
        const Operand& operand = launch.operands[i];
        const DType dtype = plan.dtype_of(i);
        const auto item = static_cast<std::int64_t>(itemsize(dtype));
        const std::int64_t stride = operand.strides[axis];
        if (!may_be_number(dtype) || operand.turned) return {};
        if (i >= plan.inputs.size() || stride != 0) {
            if (stride != item) return {};
            if (i < plan.inputs.size() && operand.strides[before] == 0 && launch.shape[before] * length >= shortest_same) {
                items.put(i, Items::Part::same);
                saves = true;
            }
            continue;
        }
        const bool constant = std::ranges::all_of(operand.strides, [](std::int64_t of) { return of == 0; });
        items.put(i, constant || (operand.strides[before] == 0 && launch.shape[before] * length >= shortest_same) ? Items::Part::number : Items::Part::one);
        saves = saves || items.part(i) == Items::Part::one;
    }
    return saves ? items : Items();
}

}  // namespace asnumpy::cpu
