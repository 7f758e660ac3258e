// Arithmetic on views, with NumPy's rules.
#include "base/view.hpp"

#include <cstdlib>
#include <numeric>

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

// Two views of one grid (equal strides): they share an element when their offsets differ by a vector of the grid that
// both can reach. Decided axis by axis, largest stride first, when the strides nest without carrying into each other.
bool grids_disjoint(const View& a, const View& b, std::int64_t itemsize) {
    if (!(a.strides == b.strides) || a.ndim() == 0) return false;
    std::array<int, max_ndim> order{};
    int n = 0;
    for (int i = 0; i < a.ndim(); ++i) {
        if (a.shape[i] <= 1 && b.shape[i] <= 1) continue;
        if (a.strides[i] <= 0) return false;
        order[static_cast<std::size_t>(n++)] = i;
    }
    std::sort(order.begin(), order.begin() + n, [&](int i, int j) { return a.strides[i] > a.strides[j]; });
    std::int64_t difference = b.offset - a.offset;
    for (int k = 0; k < n; ++k) {
        const int axis = order[static_cast<std::size_t>(k)];
        const std::int64_t stride = a.strides[axis];
        std::int64_t inner = itemsize;  // bytes that the finer axes can span, in either view
        for (int j = k + 1; j < n; ++j) {
            const int finer = order[static_cast<std::size_t>(j)];
            inner += (std::max(a.shape[finer], b.shape[finer]) - 1) * a.strides[finer];
        }
        if (inner > stride) return false;  // rows run into each other: not decided here
        std::int64_t steps = difference >= 0 ? difference / stride : -((-difference + stride - 1) / stride);
        std::int64_t rest = difference - steps * stride;
        if (rest >= inner) {  // nearer to the next row; between the two, the gap separates the views
            if (rest <= stride - inner) return true;
            ++steps;
            rest -= stride;
        } else if (stride - rest < inner) {
            return false;  // either row may be the one: not decided here
        }
        if (steps >= a.shape[axis] || -steps >= b.shape[axis]) return true;
        difference = rest;
    }
    return difference >= itemsize || -difference >= itemsize;
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

Dims broadcast_shapes(std::span<const Dims* const> shapes, const char* function) {
    int ndim = 0;
    for (const Dims* s : shapes) ndim = std::max(ndim, s->size());
    Dims result(ndim, 1);
    for (const Dims* s : shapes) {
        const int shift = ndim - s->size();
        for (int i = 0; i < s->size(); ++i) {
            std::int64_t& length = result[i + shift];
            const std::int64_t own = (*s)[i];
            if (length == 1) {
                length = own;
            } else if (own != 1 && own != length) {
                std::string text = std::string(function) + ": operands could not be broadcast together with shapes";
                for (const Dims* each : shapes) text += " " + to_string(*each);
                throw ValueError(text);
            }
        }
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
