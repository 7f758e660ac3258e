// Sorting and searching on the device.
#include "ascend/lower/whole.hpp"

#include <algorithm>
#include <array>

#include "ascend/lower/call.hpp"
#include "ascend/lower/order.hpp"
#include "ops/structured.hpp"

namespace asnumpy::ascend {
namespace {

constexpr std::string_view sort_call = "aclnnSort x true axis false -> out place";

Explanation explain_sort(const StructuredCall& c) { return explain_ordered(sort_call, c.in[0].dtype, ordering_of(sort_call, c.in[0].dtype)); }
void run_sort(Emitter& emitter, const StructuredCall& c) {
    const Tensor &in = c.in[0], &out = c.out[0];
    const Ordering how = ordering_of(sort_call, in.dtype);
    const Tensor x = ordered(emitter, in, how);
    const Tensor sorted = how.same_bits() ? viewed(out, how.as) : emitter.temporary(out.shape, how.as);
    call(emitter, sort_call, {.x = &x, .out = &sorted, .index = &c.out[1], .axis = c.axis});
    if (!how.same_bits()) copy_ordered_back(emitter, sorted, how, out);
}

constexpr std::array whole_ways{
    Way{"sort", explain_sort, run_sort},
};

}  // namespace

const Way* whole_way(std::string_view row) {
    for (const std::span<const Way> ways : {std::span<const Way>(whole_ways), algebra_ways()})
        if (const auto found = std::ranges::find(ways, row, &Way::row); found != ways.end()) return &*found;
    return nullptr;
}

}  // namespace asnumpy::ascend
