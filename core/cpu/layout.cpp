// Sorts and merges the axes of a launch, and cuts the space into tiles.
#include "cpu/layout.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace asnumpy::cpu {
namespace {

bool is_reduced(const Launch& launch, int axis) { return (launch.reduced >> axis) & 1u; }

// > 0: axis a belongs outside axis b, < 0: inside, 0: no operand can tell. Stores decide before inputs.
int compare(const Launch& launch, int inputs, int stores, int a, int b) {
    const auto ask = [&](int operand) {
        const Dims& strides = launch.operands[static_cast<std::size_t>(operand)].strides;
        const std::int64_t x = std::abs(strides[a]), y = std::abs(strides[b]);
        return x == 0 || y == 0 || x == y ? 0 : (x > y ? 1 : -1);
    };
    for (int i = inputs; i < inputs + stores; ++i)
        if (const int answer = ask(i)) return answer;
    for (int i = 0; i < inputs; ++i)
        if (const int answer = ask(i)) return answer;
    return 0;
}

void sort_axes(Order& order, const Launch& launch, int inputs, int stores) {
    for (int i = 1; i < order.ndim; ++i) {
        const std::uint8_t axis = order.axis[i];
        int place = i;
        for (int j = i - 1; j >= 0; --j) {
            const int answer = compare(launch, inputs, stores, order.axis[j], axis);
            if (answer > 0) break;
            if (answer < 0) place = j;
        }
        std::move_backward(order.axis.begin() + place, order.axis.begin() + i, order.axis.begin() + i + 1);
        order.axis[place] = axis;
    }
}

}  // namespace

char* Strided::at(std::int64_t flat) const {
    char* p = data;
    for (int i = ndim - 1; i > 0; --i) {
        const Axis& axis = axes[i];
        p += flat % axis.length * axis.stride;
        flat /= axis.length;
    }
    return p + flat * axes[0].stride;
}

bool Grid::fits(const Strided& view) const {
    if (view.ndim != ndim) return false;
    for (int i = 0; i < ndim; ++i)
        if (view.axes[i].length != lengths[static_cast<std::size_t>(i)]) return false;
    return true;
}

Tiling::Tiling(std::int64_t stretch, std::int64_t unit, std::int64_t longest, bool cut_runs, std::int64_t shortest, std::int64_t item) {
    if (cut_runs && unit >= shortest) {
        period = unit;
        pieces = (unit + longest - 1) / longest;
        // Multiples of 64 elements keep the starts of tiles on the cache lines of an aligned operand.
        const std::int64_t step = std::lcm(std::int64_t{64}, item);
        tile = std::min(((unit + pieces - 1) / pieces + step - 1) / step * step, unit);
        pieces = (unit + tile - 1) / tile;
    } else {
        period = stretch;
        tile = std::min(std::max<std::int64_t>(1, longest / unit) * unit, stretch);
        pieces = (stretch + tile - 1) / tile;
    }
    count = stretch / period * pieces;
}

Order arrange(const Launch& launch, int inputs, int stores, Arrangement arrangement) {
    Order order;
    for (int axis = 0; axis < launch.shape.size(); ++axis) {
        if (launch.shape[axis] == 1) continue;
        order.axis[order.ndim++] = static_cast<std::uint8_t>(axis);
        bool negative = false, positive = false;
        for (const Operand& operand : launch.operands) {
            negative |= operand.strides[axis] < 0;
            positive |= operand.strides[axis] > 0;
        }
        if (negative && !positive) order.flipped |= std::uint64_t{1} << axis;
    }
    if (order.ndim > 1 && arrangement != Arrangement::given) sort_axes(order, launch, inputs, stores);
    if (order.ndim > 1) order.outermost = launch.shape[order.axis[0]];

    const auto begin = order.axis.begin(), end = begin + order.ndim;
    const auto reduced = [&](std::uint8_t axis) { return is_reduced(launch, axis); };
    const auto lengths = [&](auto from, auto to) {
        std::int64_t product = 1;
        for (; from != to; ++from) product *= launch.shape[*from];
        return product;
    };
    if (std::none_of(begin, end, reduced)) {
        order.inner = lengths(begin, end);
        return order;
    }
    auto inner = end;
    while (inner != begin && !reduced(inner[-1])) --inner;
    auto split = std::stable_partition(begin, inner, [&](std::uint8_t axis) { return !reduced(axis); });
    const std::int64_t run = lengths(split, end);
    if (arrangement == Arrangement::kept_inner || (inner != end && split != begin && run < shortest_row)) {
        split = begin;
        inner = std::stable_partition(begin, end, reduced);
    }
    order.outer = lengths(begin, split);
    order.reduced = lengths(split, inner);
    order.inner = lengths(inner, end);
    return order;
}

void lay_out(Strided& view, const Operand& operand, DType dtype, const Launch& launch, const Order& order, bool kept_only) {
    const std::int64_t alignment = info(dtype).alignment;
    view.data = operand.data;
    view.itemsize = static_cast<std::int64_t>(itemsize(dtype));
    view.ndim = 0;
    std::uint64_t bits = 0;
    for (int i = 0; i < order.ndim; ++i) {
        const int axis = order.axis[static_cast<std::size_t>(i)];
        if (kept_only && is_reduced(launch, axis)) continue;
        const std::int64_t length = launch.shape[axis];
        std::int64_t stride = operand.strides[axis];
        if ((order.flipped >> axis) & 1u) {
            view.data += stride * (length - 1);
            stride = -stride;
        }
        bits |= static_cast<std::uint64_t>(stride);
        if (view.ndim > 0 && view.inner().stride == stride * length)
            view.axes.set(view.ndim - 1, {view.inner().length * length, stride});
        else
            view.axes.set(view.ndim++, {length, stride});
    }
    if (view.ndim == 0) view.axes.set(view.ndim++, {1, view.itemsize});
    bits |= reinterpret_cast<std::uintptr_t>(view.data);
    view.turned = operand.turned;
    view.before = view.data - operand.data;
    view.aligned = (bits & static_cast<std::uint64_t>(alignment - 1)) == 0;
}

}  // namespace asnumpy::cpu
