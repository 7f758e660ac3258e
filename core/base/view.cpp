// Arithmetic on views, with NumPy's rules.
#include "base/view.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <span>

#include "base/error.hpp"
#include "base/order.hpp"

namespace asnumpy {

void Dims::move_to_heap(const Dims& values) {
    auto memory = std::make_unique<std::int64_t[]>(max_ndim);
    std::copy_n(values.data(), values.size_, memory.get());
    heap_ = std::move(memory);
}

std::int64_t count(std::span<const std::int64_t> shape) {
    std::int64_t n = 1;
    for (const std::int64_t length : shape) n *= length;
    return n;
}

std::int64_t View::size() const { return count(shape); }

View contiguous(Dims shape, std::int64_t itemsize) { return contiguous(std::move(shape), itemsize, MemoryOrder::c); }

bool is_c_contiguous(const View& v, std::int64_t itemsize) {
    std::int64_t expected = itemsize;
    for (int i = v.ndim() - 1; i >= 0; --i) {
        if (v.shape[i] == 0) return true;
        if (v.shape[i] == 1) continue;
        if (v.strides[i] != expected) return v.size() == 0;
        expected *= v.shape[i];
    }
    return true;
}

bool is_f_contiguous(const View& v, std::int64_t itemsize) {
    std::int64_t expected = itemsize;
    for (int i = 0; i < v.ndim(); ++i) {
        if (v.shape[i] == 0) return true;
        if (v.shape[i] == 1) continue;
        if (v.strides[i] != expected) return v.size() == 0;
        expected *= v.shape[i];
    }
    return true;
}

Extent extent(const View& v, std::int64_t itemsize) {
    Extent e{v.offset, v.offset};
    for (int i = 0; i < v.ndim(); ++i) {
        if (v.shape[i] == 0) return {v.offset, v.offset};
        const std::int64_t reach = (v.shape[i] - 1) * v.strides[i];
        (reach < 0 ? e.low : e.high) += reach;
    }
    e.high += itemsize;
    return e;
}

namespace {

// Axes of two views by stride: how many elements each view has along it, 1 where it has none.
struct CommonAxes {
    struct Axis {
        std::int64_t stride, lengths[2];
    };
    std::array<Axis, 2 * max_ndim> axes;
    int count = 0;
    std::int64_t starts[2];  // the first element of each view, all strides taken as positive

    // False where a view has two axes of one stride.
    bool add(const View& view, int which) {
        starts[which] = view.offset;
        const int before = count;
        for (int i = 0; i < view.ndim(); ++i) {
            const std::int64_t length = view.shape[i], stride = view.strides[i];
            if (length <= 1 || stride == 0) continue;
            if (stride < 0) starts[which] += (length - 1) * stride;
            const auto end = axes.begin() + count;
            const auto known = std::find_if(axes.begin(), end, [&](const Axis& axis) { return axis.stride == std::abs(stride); });
            if (known == end) {
                axes[static_cast<std::size_t>(count++)] = {std::abs(stride), {1, 1}};
            } else if (known - axes.begin() >= before || known->lengths[which] != 1) {
                return false;
            }
            known->lengths[which] = length;
        }
        return true;
    }
};

// Two views of one grid share an element when their offsets differ by a vector of the grid that both can reach: by so many
// strides of the longest axis, or one more, and by what the shorter ones make up for. True, too, where axes run into each other: that is
// not decided here.
bool may_meet(std::span<const CommonAxes::Axis> axes, std::int64_t difference, std::int64_t itemsize) {
    if (axes.empty()) return std::abs(difference) < itemsize;
    const auto& [stride, lengths] = axes.front();
    const std::span<const CommonAxes::Axis> shorter = axes.subspan(1);
    std::int64_t reach = itemsize;  // bytes that those can span, in either view
    for (const CommonAxes::Axis& axis : shorter) reach += (std::max(axis.lengths[0], axis.lengths[1]) - 1) * axis.stride;
    if (reach > stride) return true;
    std::int64_t steps = difference >= 0 ? difference / stride : -((-difference + stride - 1) / stride);
    for (std::int64_t rest = difference - steps * stride; rest > -reach; rest -= stride, ++steps)
        if (rest < reach && steps < lengths[0] && -steps < lengths[1] && may_meet(shorter, rest, itemsize)) return true;
    return false;
}

bool grids_disjoint(const View& a, const View& b, std::int64_t itemsize) {
    constexpr int most_axes = 8;  // each may double the work
    CommonAxes common;
    if (!common.add(a, 0) || !common.add(b, 1) || common.count > most_axes) return false;
    const auto axes = std::span(common.axes).first(static_cast<std::size_t>(common.count));
    std::ranges::sort(axes, std::greater(), &CommonAxes::Axis::stride);
    return !may_meet(axes, common.starts[1] - common.starts[0], itemsize);
}

// All elements of both lie on one lattice, the multiples of what all strides have in common, but shifted against each other.
bool lattices_disjoint(const View& a, std::int64_t itemsize_a, const View& b, std::int64_t itemsize_b) {
    std::int64_t common = 0;
    for (const View* const view : {&a, &b})
        for (int i = 0; i < view->ndim(); ++i)
            if (view->shape[i] > 1) common = std::gcd(common, view->strides[i]);
    if (common == 0) return false;
    const std::int64_t shift = ((b.offset - a.offset) % common + common) % common;
    return shift >= itemsize_a && common - shift >= itemsize_b;
}

}  // namespace

bool may_overlap(const View& a, std::int64_t itemsize_a, const View& b, std::int64_t itemsize_b) {
    const Extent ea = extent(a, itemsize_a), eb = extent(b, itemsize_b);
    if (ea.low >= eb.high || eb.low >= ea.high || ea.low == ea.high || eb.low == eb.high) return false;
    return !(itemsize_a == itemsize_b && grids_disjoint(a, b, itemsize_a)) && !lattices_disjoint(a, itemsize_a, b, itemsize_b);
}

bool has_internal_overlap(const View& v, std::int64_t itemsize) {
    // Most views nest in C order: each axis steps over all that the ones after it reach.
    std::int64_t inner = itemsize;
    int axis = v.ndim() - 1;
    for (; axis >= 0; --axis) {
        if (v.shape[axis] == 0) return false;
        if (v.shape[axis] == 1) continue;
        const std::int64_t stride = std::abs(v.strides[axis]);
        if (stride < inner) break;
        inner += stride * (v.shape[axis] - 1);
    }
    if (axis < 0) return false;
    std::array<std::pair<std::int64_t, std::int64_t>, max_ndim> axes{};  // (|stride|, length)
    int n = 0;
    for (int i = 0; i < v.ndim(); ++i) {
        if (v.shape[i] == 0) return false;
        if (v.shape[i] > 1) axes[static_cast<std::size_t>(n++)] = {std::abs(v.strides[i]), v.shape[i]};
    }
    std::sort(axes.begin(), axes.begin() + n);
    std::int64_t span = itemsize;
    for (int k = 0; k < n; ++k) {
        const auto [stride, length] = axes[static_cast<std::size_t>(k)];
        if (stride < span) return true;
        span += stride * (length - 1);
    }
    return false;
}

bool broadcast_with(const Dims& other, Dims& shape) {
    if (shape.size() < other.size()) {
        Dims longer(other.size(), 1);
        std::copy(shape.begin(), shape.end(), longer.end() - shape.size());
        shape = std::move(longer);
    }
    std::int64_t* const inner = shape.end() - other.size();
    for (int i = 0; i < other.size(); ++i) {
        if (inner[i] == 1) inner[i] = other[i];
        else if (other[i] != 1 && other[i] != inner[i]) return false;
    }
    return true;
}

Dims broadcast_shapes(std::span<const Dims* const> shapes, const char* function) {
    Dims result;
    for (const Dims* s : shapes) {
        if (broadcast_with(*s, result)) continue;
        std::string text = std::string(function) + ": operands could not be broadcast together with shapes";
        for (const Dims* each : shapes) text += " " + to_string(*each);
        throw ValueError(text);
    }
    return result;
}

View broadcast_to(const View& v, const Dims& shape) {
    View result;
    result.offset = v.offset;
    result.shape = shape;
    result.strides = Dims(shape.size());
    const int shift = shape.size() - v.ndim();
    for (int i = 0; i < v.ndim(); ++i)
        result.strides[i + shift] = v.shape[i] == 1 && shape[i + shift] != 1 ? 0 : v.strides[i];
    return result;
}

View transpose(const View& v, std::span<const int> axes) {
    View result;
    result.offset = v.offset;
    result.shape = Dims(v.ndim());
    result.strides = Dims(v.ndim());
    for (int i = 0; i < v.ndim(); ++i) {
        const int axis = axes[static_cast<std::size_t>(i)];
        result.shape[i] = v.shape[axis];
        result.strides[i] = v.strides[axis];
    }
    return result;
}

std::optional<View> reshape(const View& v, const Dims& shape, std::int64_t itemsize) { return reshape(v, shape, itemsize, MemoryOrder::c); }

std::string to_string(std::span<const std::int64_t> shape) {
    std::string text = "(";
    for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
    return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace asnumpy
