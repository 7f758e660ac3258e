// NumPy's rules for the order of axes: the short way of dense operands, then the sort of its iterator.
#include "base/order.hpp"

#include <array>
#include <cstdlib>
#include <utility>

namespace asnumpy {

namespace {

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

View contiguous(Dims shape, std::int64_t itemsize, MemoryOrder order) {
    View view;
    const int n = shape.size();
    view.strides = Dims(n);
    std::int64_t stride = itemsize;
    for (int i = 0; i < n; ++i) {
        const int axis = order == MemoryOrder::c ? n - 1 - i : i;
        view.strides[axis] = stride;
        stride *= std::max<std::int64_t>(shape[axis], 1);
    }
    view.shape = std::move(shape);
    return view;
}

std::optional<View> reshape(const View& v, const Dims& shape, std::int64_t itemsize, MemoryOrder order) {
    if (order == MemoryOrder::c ? is_c_contiguous(v, itemsize) : is_f_contiguous(v, itemsize)) {
        View result = contiguous(shape, itemsize, order);
        result.offset = v.offset;
        return result;
    }
    Dims old_shape, old_strides;  // without axes of length 1
    for (int i = 0; i < v.ndim(); ++i) {
        if (v.shape[i] == 1) continue;
        old_shape.push_back(v.shape[i]);
        old_strides.push_back(v.strides[i]);
    }
    View result;
    result.offset = v.offset;
    result.shape = shape;
    result.strides = Dims(shape.size());
    int i = 0, j = 0;  // groups of old axes [i, i_end) and new axes [j, j_end) with equal products
    while (i < old_shape.size() && j < shape.size()) {
        int i_end = i + 1, j_end = j + 1;
        std::int64_t old_size = old_shape[i], new_size = shape[j];
        while (old_size != new_size) {
            if (new_size < old_size) new_size *= shape[j_end++];
            else old_size *= old_shape[i_end++];
        }
        for (int k = i; k + 1 < i_end; ++k) {
            const int outer = order == MemoryOrder::c ? k : k + 1, inner = order == MemoryOrder::c ? k + 1 : k;
            if (old_strides[outer] != old_shape[inner] * old_strides[inner]) return std::nullopt;
        }
        std::int64_t stride = old_strides[order == MemoryOrder::c ? i_end - 1 : i];
        for (int n = 0; n < j_end - j; ++n) {
            const int k = order == MemoryOrder::c ? j_end - 1 - n : j + n;
            result.strides[k] = stride;
            stride *= shape[k];
        }
        i = i_end;
        j = j_end;
    }
    // Axes of length 1 after the last group.
    std::int64_t last = j > 0 ? result.strides[j - 1] : itemsize;
    if (order == MemoryOrder::fortran && j > 0) last *= shape[j - 1];
    for (int k = j; k < shape.size(); ++k) result.strides[k] = last;
    return result;
}

namespace {

// The axes 0 to n-1 or back, each moved before those that `compare` (with one that came before) finds in the wrong order.
template <class Compare> std::array<int, max_ndim> sorted_axes(int n, bool innermost_first, const Compare& compare) {
    std::array<int, max_ndim> order{};
    const auto at = [&order](int i) -> int& { return order[static_cast<std::size_t>(i)]; };
    for (int i = 0; i < n; ++i) at(i) = innermost_first ? n - 1 - i : i;
    for (int i = 1; i < n; ++i) {
        const int axis = at(i);
        int place = i;
        for (int j = i - 1; j >= 0; --j) {  // an axis that says nothing is passed over
            const Order found = innermost_first ? compare(at(j), axis) : compare(axis, at(j));
            if (found == Order::as_it_is) break;
            if (found == Order::swapped) place = j;
        }
        for (int j = i; j > place; --j) at(j) = at(j - 1);
        at(place) = axis;
    }
    return order;
}

}  // namespace

Dims iterator_strides(const Dims& shape, std::span<const OrderedOperand> operands, std::int64_t itemsize, std::uint64_t reduced) {
    const int n = shape.size();
    const auto order = sorted_axes(n, true, [&](int inner, int outer) { return compare(shape, operands, inner, outer); });
    Dims strides(n);
    for (int i = 0; i < n; ++i) {
        const int axis = order[static_cast<std::size_t>(i)];
        strides[axis] = itemsize;
        if (!(reduced >> axis & 1)) itemsize *= std::max<std::int64_t>(shape[axis], 1);
    }
    return strides;
}

Dims joined_strides(const Dims& shape, std::span<const View* const> parts, std::int64_t itemsize) {
    const int n = shape.size();
    const auto order = sorted_axes(n, false, [&](int inner, int outer) {
        Order found = Order::unknown;
        for (const View* const part : parts) {
            if (part->shape[inner] == 1 || part->shape[outer] == 1) continue;
            if (std::abs(part->strides[inner]) <= std::abs(part->strides[outer])) return Order::as_it_is;
            found = Order::swapped;
        }
        return found;
    });
    Dims strides(n);
    for (int i = n - 1; i >= 0; --i) {
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
    if (c || fortran) return contiguous(shape, itemsize, c ? MemoryOrder::c : MemoryOrder::fortran).strides;
    return iterator_strides(shape, operands, itemsize);
}

}  // namespace asnumpy
