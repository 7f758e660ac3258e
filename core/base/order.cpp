// NumPy's rules for the order of axes: the short way of dense operands, then the sort of its iterator.
#include "base/order.hpp"

#include <array>
#include <cstdlib>

namespace asnumpy {

namespace {

Dims dense_strides(const Dims& shape, bool fortran, std::int64_t itemsize) {
    Dims strides(shape.size());
    for (int i = 0; i < shape.size(); ++i) {
        const int axis = fortran ? i : shape.size() - 1 - i;
        strides[axis] = itemsize;
        itemsize *= std::max<std::int64_t>(shape[axis], 1);
    }
    return strides;
}

// How an operand moves along an axis of the result: not at all where either has length 1.
std::int64_t step(const View& view, const Dims& shape, int axis) {
    const int own = axis - (shape.size() - view.ndim());
    return own < 0 || shape[axis] == 1 || view.shape[own] == 1 ? 0 : std::abs(view.strides[own]);
}

enum class Order { unknown, as_it_is, swapped };

Order compare(const Dims& shape, std::span<const OrderedOperand> operands, int inner, int outer) {
    Order found = Order::unknown;
    for (const OrderedOperand& operand : operands) {
        const std::int64_t in = step(*operand.view, shape, inner), out = step(*operand.view, shape, outer);
        if (in == 0 || out == 0) continue;
        if (in <= out) return Order::as_it_is;  // one operand in C order decides
        found = Order::swapped;
    }
    return found;
}

}  // namespace

Dims iterator_strides(const Dims& shape, std::span<const OrderedOperand> operands, std::int64_t itemsize) {
    const int n = shape.size();
    std::array<int, max_ndim> order{};  // innermost first
    for (int i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = n - 1 - i;
    for (int i = 1; i < n; ++i) {
        const int axis = order[static_cast<std::size_t>(i)];
        int place = i;
        for (int j = i - 1; j >= 0; --j) {  // an axis that says nothing is passed over
            const Order found = compare(shape, operands, order[static_cast<std::size_t>(j)], axis);
            if (found == Order::as_it_is) break;
            if (found == Order::swapped) place = j;
        }
        for (int j = i; j > place; --j) order[static_cast<std::size_t>(j)] = order[static_cast<std::size_t>(j - 1)];
        order[static_cast<std::size_t>(place)] = axis;
    }
    Dims strides(n);
    for (int i = 0; i < n; ++i) {
        const int axis = order[static_cast<std::size_t>(i)];
        strides[axis] = itemsize;
        itemsize *= std::max<std::int64_t>(shape[axis], 1);
    }
    return strides;
}

Dims result_strides(const Dims& shape, std::span<const OrderedOperand> operands, std::int64_t itemsize) {
    bool c = true, fortran = true;
    for (const OrderedOperand& operand : operands) {
        if (operand.view->ndim() == 0) continue;
        const bool alike = operand.view->shape == shape;
        c = c && alike && is_c_contiguous(*operand.view, operand.itemsize);
        fortran = fortran && alike && is_f_contiguous(*operand.view, operand.itemsize);
    }
    if (c || fortran) return dense_strides(shape, !c, itemsize);
    return iterator_strides(shape, operands, itemsize);
}

}  // namespace asnumpy
