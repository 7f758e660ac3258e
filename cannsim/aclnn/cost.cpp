// Engines and hidden kernels, from the facts and the tensors of a call.
#include "aclnn/cost.hpp"

#include <algorithm>

namespace cannsim {
namespace {

struct Reading {
    const aclTensor* tensor;
    DType dtype;
};

// The dtype in which it computes: that of the first operand, of elementwise operators the one to which all of them promote. A
// truth value beside numbers is a condition.
std::optional<DType> computed_dtype(const std::vector<Reading>& operands, bool elementwise) {
    if (operands.empty()) return std::nullopt;
    if (!elementwise) return operands.front().dtype;
    std::optional<DType> found;
    for (const Reading& one : operands) {
        if (one.dtype == DType::boolean) continue;
        const int promoted = found ? tensor_tensor[static_cast<int>(*found)][static_cast<int>(one.dtype)] : static_cast<int>(one.dtype);
        if (promoted < 0) return operands.front().dtype;
        found = static_cast<DType>(promoted);
    }
    return found ? found : DType::boolean;
}

}  // namespace

Cost cost_of(const Call& call, const Work& work) {
    Cost cost{0, work.operations, work.engine, work.product};
    std::vector<Reading> operands, results;
    for (const Call::Slot& slot : call.slots()) {
        cost.bytes += static_cast<double>(slot.extent.high - slot.extent.low);
        if (!slot.tensor) continue;
        const Direction direction = call.params[static_cast<std::size_t>(slot.parameter)].direction;
        const auto dtype = dtype_of_acl(slot.tensor->dtype);
        if (!dtype) continue;
        (direction == Direction::out ? results : operands).push_back({slot.tensor.get(), *dtype});
    }
    const auto hide = [&](const aclTensor& tensor, double bytes_an_element) {
        const double size = static_cast<double>(asnumpy::count(tensor.shape));
        if (size <= 1) return;
        ++cost.kernels;
        cost.hidden += size * bytes_an_element;
    };
    const auto computed = computed_dtype(operands, work.elementwise);
    for (const auto* const side : {&operands, &results})
        for (const Reading& one : *side)
            if (!one.tensor->in_c_order()) hide(*one.tensor, 2.0 * static_cast<double>(acl_size(one.tensor->dtype)));
    if (!computed) return cost;
    if (work.elementwise) {
        for (const Reading& one : operands)
            if (one.dtype != *computed && one.dtype != DType::boolean)
                hide(*one.tensor, static_cast<double>(asnumpy::itemsize(one.dtype) + asnumpy::itemsize(*computed)));
    }
    if (work.engine == Engine::vector && is_on_aicpu(call.facts, *computed)) cost.engine = Engine::aicpu;
    return cost;
}

}  // namespace cannsim
