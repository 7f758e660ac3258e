// Erasing, turning, ordering and joining the axes of a launch.
#include "ascend/lower/space.hpp"

#include <cstdlib>
#include <utility>

namespace asnumpy::ascend {

void Space::erase(int axis) {
    const auto without = [axis](const Dims& dims) {
        Dims rest;
        for (int i = 0; i < dims.size(); ++i)
            if (i != axis) rest.push_back(dims[i]);
        return rest;
    };
    shape = without(shape);
    const std::uint64_t below = (std::uint64_t{1} << axis) - 1;
    reduced = (reduced & below) | (reduced >> 1 & ~below);
    for (Operand& operand : operands) operand.strides = without(operand.strides);
}

void Space::swap(int a, int b) {
    std::swap(shape[a], shape[b]);
    for (Operand& operand : operands) std::swap(operand.strides[a], operand.strides[b]);
    const std::uint64_t bits = (std::uint64_t{1} << a) | (std::uint64_t{1} << b);
    if (is_reduced(a) != is_reduced(b)) reduced ^= bits;
}

// The first axes are those of large strides, outputs before inputs.
bool Space::outer(int a, int b) const {
    const auto compare = [&](std::size_t k) { return std::abs(operands[k].strides[a]) - std::abs(operands[k].strides[b]); };
    for (std::size_t k = inputs; k < operands.size(); ++k)
        if (operands[k].strides[a] && operands[k].strides[b])
            if (const auto difference = compare(k)) return difference > 0;
    for (std::size_t k = 0; k < inputs; ++k)
        if (operands[k].strides[a] && operands[k].strides[b])
            if (const auto difference = compare(k)) return difference > 0;
    return true;
}

void Space::normalise() {
    for (int axis = shape.size(); axis-- > 0;)
        if (shape[axis] == 1) erase(axis);
    for (int axis = 0; axis < shape.size(); ++axis) {  // the direction in which most outputs, else inputs, run forwards
        int outputs_forwards = 0, inputs_forwards = 0;
        for (std::size_t k = 0; k < operands.size(); ++k) {
            const std::int64_t stride = operands[k].strides[axis];
            (k < inputs ? inputs_forwards : outputs_forwards) += (stride > 0) - (stride < 0);
        }
        if (outputs_forwards > 0 || (outputs_forwards == 0 && inputs_forwards >= 0)) continue;
        for (Operand& operand : operands) {
            operand.data += operand.strides[axis] * (shape[axis] - 1);
            operand.strides[axis] = -operand.strides[axis];
        }
    }
    for (int i = 1; i < shape.size(); ++i)
        for (int j = i; j > 0 && !outer(j - 1, j); --j) swap(j - 1, j);
    for (int axis = shape.size() - 1; axis-- > 0;) {
        bool one = is_reduced(axis) == is_reduced(axis + 1);
        for (const Operand& operand : operands) one = one && operand.strides[axis] == operand.strides[axis + 1] * shape[axis + 1];
        if (!one) continue;
        shape[axis] *= shape[axis + 1];
        for (Operand& operand : operands) operand.strides[axis] = operand.strides[axis + 1];
        erase(axis + 1);
    }
}

Space space_of(const Launch& launch, std::size_t inputs, std::pmr::memory_resource& memory) {
    return {launch.shape, launch.reduced, {launch.operands.begin(), launch.operands.end(), &memory}, inputs};
}

Tensor Space::tensor(std::size_t operand, DType dtype) const {
    const Operand& o = operands[operand];
    if (shape.empty()) return {o.data, dtype, {1}, {static_cast<std::int64_t>(itemsize(dtype))}};
    return {o.data, dtype, shape, o.strides};
}

}  // namespace asnumpy::ascend
