// A box less another one is at most two boxes for each axis.
#include "runtime/boxes.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <utility>

namespace asnumpy {

namespace {

std::optional<Box> common(const Box& a, const Box& b) {
    Box both = a;
    for (std::size_t i = 0; i < both.axes.size(); ++i) {
        both.axes[i] = {std::max(a.axes[i][0], b.axes[i][0]), std::min(a.axes[i][1], b.axes[i][1])};
        if (both.axes[i][0] >= both.axes[i][1]) return std::nullopt;
    }
    return both;
}

}  // namespace

std::optional<View> whole_by_axes(const Array& part) {
    std::vector<int> axes(static_cast<std::size_t>(part.ndim()));
    std::iota(axes.begin(), axes.end(), 0);
    std::ranges::stable_sort(axes, std::greater(), [&](int axis) { return part.view.strides[axis]; });
    View view{0, Dims(part.ndim()), part.view.strides};
    auto left = static_cast<std::int64_t>(part.buffer->bytes());
    for (const int axis : axes) {
        const std::int64_t stride = part.view.strides[axis];
        if (stride <= 0 || left % stride != 0) return std::nullopt;
        view.shape[axis] = left / stride;
        left = stride;
    }
    return left == item_bytes(part) ? std::optional(std::move(view)) : std::nullopt;
}

std::optional<BoxAxes> BoxAxes::of(const Array& part) {
    const std::optional<View> whole = whole_by_axes(part);
    if (!whole) return std::nullopt;
    BoxAxes found;
    found.dtype_ = part.dtype;
    for (int axis = 0; axis < whole->ndim(); ++axis) found.axes_.push_back({whole->shape[axis], whole->strides[axis]});
    std::ranges::stable_sort(found.axes_, [](const auto& a, const auto& b) { return std::pair(a[1], a[0]) > std::pair(b[1], b[0]); });
    return found;
}

int BoxAxes::axis_of(std::int64_t stride) const {
    const auto found = std::ranges::find(axes_, std::abs(stride), [](const auto& axis) { return axis[1]; });
    return found == axes_.end() ? -1 : static_cast<int>(found - axes_.begin());
}

std::optional<Box> BoxAxes::box(const Array& part) const {
    if (part.dtype != dtype_) return std::nullopt;
    std::int64_t rest = part.view.offset;
    std::vector<std::int64_t> lengths(axes_.size(), 1);
    for (int axis = 0; axis < part.ndim(); ++axis) {
        const std::int64_t length = part.view.shape[axis], stride = part.view.strides[axis];
        if (length == 0) return std::nullopt;
        if (length == 1 || stride == 0) continue;
        const int which = axis_of(stride);
        if (which < 0 || lengths[static_cast<std::size_t>(which)] != 1) return std::nullopt;
        lengths[static_cast<std::size_t>(which)] = length;
        if (stride < 0) rest += stride * (length - 1);
    }
    Box made;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        const std::int64_t first = rest / axes_[i][1];
        rest -= first * axes_[i][1];
        if (first < 0 || first + lengths[i] > axes_[i][0]) return std::nullopt;
        made.axes.push_back({first, first + lengths[i]});
    }
    return rest == 0 ? std::optional(std::move(made)) : std::nullopt;
}

void Boxes::add(const Box& box) {
    take_away(box);
    boxes_.push_back(box);
}

void Boxes::take_away(const Box& box) {
    std::vector<Box> left;
    for (Box& one : boxes_) {
        const std::optional<Box> both = common(one, box);
        if (!both) {
            left.push_back(std::move(one));
            continue;
        }
        for (std::size_t i = 0; i < one.axes.size(); ++i) {
            for (const auto& [first, end] : {std::array{one.axes[i][0], both->axes[i][0]}, std::array{both->axes[i][1], one.axes[i][1]}}) {
                if (first >= end) continue;
                left.push_back(one);
                left.back().axes[i] = {first, end};
            }
            one.axes[i] = both->axes[i];
        }
    }
    boxes_ = std::move(left);
}

Boxes Boxes::within(const Box& box) const {
    Boxes found;
    for (const Box& one : boxes_)
        if (std::optional<Box> both = common(one, box)) found.boxes_.push_back(std::move(*both));
    return found;
}

void Boxes::move(const Box& from, const Box& to) {
    for (Box& one : boxes_)
        for (std::size_t i = 0; i < one.axes.size(); ++i)
            for (std::int64_t& place : one.axes[i]) place += to.axes[i][0] - from.axes[i][0];
}

}  // namespace asnumpy
