// Means and largest values of windows over the last one to three axes, and their gradients.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "aclnn/parallel.hpp"
#include "operators/formula.hpp"

namespace cannsim {
namespace {

using std::array;

// One window of an axis: its elements inside the image, and how many it has with the border that counts.
struct Window {
    std::int64_t first, count, step, whole;
};
// The windows of the last axes (those that are missing come first, with one window of one element) of an image of planes.
struct Pool {
    array<std::vector<Window>, 3> windows;
    array<std::int64_t, 3> image{1, 1, 1};
    Dims shape;  // of the result
    std::int64_t planes = 1;

    std::int64_t plane() const { return image[0] * image[1] * image[2]; }
    std::int64_t count() const { return static_cast<std::int64_t>(windows[0].size() * windows[1].size() * windows[2].size()); }
    // f(number of the window, its three windows) for those of a plane.
    template <class F> void each(F f) const {
        std::int64_t number = 0;
        for (const Window& z : windows[0])
            for (const Window& y : windows[1])
                for (const Window& x : windows[2]) f(number++, z, y, x);
    }
    // f(place in the plane) for the elements of a window.
    template <class F> void elements(const Window& z, const Window& y, const Window& x, F f) const {
        for (std::int64_t i = 0; i < z.count; ++i)
            for (std::int64_t j = 0; j < y.count; ++j) {
                const std::int64_t row = ((z.first + i * z.step) * image[1] + y.first + j * y.step) * image[2] + x.first;
                for (std::int64_t k = 0; k < x.count; ++k) f(row + k * x.step);
            }
    }
    template <class F> void each_plane(F f) const {
        parallel(planes, 1, std::max<std::int64_t>(1 + 4096 / std::max<std::int64_t>(plane(), 1), 2), [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t p = first; p < last; ++p) f(p);
        });
    }
};

Pool image_of(const Call& call, const Tensor& self, int axes) {
    call.expect(self.ndim() == axes + 1 || self.ndim() == axes + 2, self.name, text(axes + 1, " or ", axes + 2, " axes, got shape ", self.shape()));
    Pool pool;
    pool.windows.fill({{0, 1, 1, 1}});
    for (int axis = 0; axis < self.ndim() - axes; ++axis) {
        pool.planes *= self.length(axis);
        pool.shape.push_back(self.length(axis));
    }
    for (int axis = 0; axis < axes; ++axis) {
        pool.image[static_cast<std::size_t>(axis + 3 - axes)] = self.length(self.ndim() - axes + axis);
        call.expect(self.length(self.ndim() - axes + axis) > 0, self.name, text("an image of at least one element, got shape ", self.shape()));
    }
    return pool;
}

// Windows of a kernel that moves by a stride; the parameters stand at these places of the call.
Pool sliding(const Call& call, const Tensor& self, int axes, int kernel_at, bool dilated, bool ceil, bool count_border) {
    Pool pool = image_of(call, self, axes);
    const auto read = [&](int at, std::int64_t least, std::int64_t missing) {
        const char* const name = call.params[static_cast<std::size_t>(at)].name;
        const auto given = call.ints(name);
        call.expect(given.size() <= static_cast<std::size_t>(axes) && (given.size() == static_cast<std::size_t>(axes) || given.size() <= 1), name,
                    text("one number or ", axes, ", got ", given.size()));
        std::vector<std::int64_t> result(static_cast<std::size_t>(axes), missing);
        for (std::size_t i = 0; i < result.size() && !given.empty(); ++i) result[i] = given[given.size() == 1 ? 0 : i];
        for (const std::int64_t one : result) call.expect(one >= least || given.empty(), name, text("none below ", least, ", got ", one));
        return result;
    };
    const auto kernel = read(kernel_at, 1, 0);
    call.expect(kernel[0] > 0, call.params[static_cast<std::size_t>(kernel_at)].name, "the lengths of a window, got none");
    auto stride = read(kernel_at + 1, 1, 0);
    const auto padding = read(kernel_at + 2, 0, 0), dilation = dilated ? read(kernel_at + 3, 1, 1) : std::vector<std::int64_t>(static_cast<std::size_t>(axes), 1);
    for (std::size_t i = 0; i < static_cast<std::size_t>(axes); ++i) {
        const std::size_t axis = i + 3 - static_cast<std::size_t>(axes);
        const std::int64_t n = pool.image[axis], p = padding[i], d = dilation[i], s = stride[i] ? stride[i] : kernel[i];
        call.expect(p * 2 <= kernel[i], call.params[static_cast<std::size_t>(kernel_at + 2)].name, text("at most half of the window's length ", kernel[i], ", got ", p));
        const std::int64_t room = n + 2 * p - d * (kernel[i] - 1) - 1;
        call.expect(room >= 0, call.params[static_cast<std::size_t>(kernel_at)].name, text("a window that fits into ", self.shape(), ", got ", kernel[i]));
        std::int64_t count = (room + (ceil ? s - 1 : 0)) / s + 1;
        if (ceil && (count - 1) * s >= n + p) --count;  // one that would begin behind the image
        auto& made = pool.windows[axis];
        made.clear();
        for (std::int64_t w = 0; w < count; ++w) {
            const std::int64_t begin = w * s - p, skipped = begin < 0 ? (-begin + d - 1) / d : 0, first = begin + skipped * d;
            const std::int64_t inside = first >= n ? 0 : std::min(kernel[i] - skipped, (n - 1 - first) / d + 1);
            made.push_back({first, inside, d, count_border ? std::min(begin + kernel[i], n + p) - begin : inside});
        }
        pool.shape.push_back(count);
    }
    return pool;
}
// As many windows as the result has elements, which together cover the image.
Pool adaptive(const Call& call, const Tensor& self, std::span<const std::int64_t> lengths, std::string_view name, int axes) {
    Pool pool = image_of(call, self, axes);
    call.expect(lengths.size() == static_cast<std::size_t>(axes), name, text(axes, " lengths, got ", lengths.size()));
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        call.expect(lengths[i] > 0, name, text("lengths above 0, got ", lengths[i]));
        const std::size_t axis = i + 3 - static_cast<std::size_t>(axes);
        const std::int64_t n = pool.image[axis];
        auto& made = pool.windows[axis];
        made.clear();
        for (std::int64_t w = 0; w < lengths[i]; ++w) {
            const std::int64_t first = w * n / lengths[i], end = ((w + 1) * n + lengths[i] - 1) / lengths[i];
            made.push_back({first, end - first, 1, end - first});
        }
        pool.shape.push_back(lengths[i]);
    }
    return pool;
}

void expect_same(const Call& call, const Tensor& self, const Tensor& other) {
    call.expect(asnumpy::is_float(self.dtype), self.name, text("floats, got ", asnumpy::name(self.dtype)));
    call.expect_dtype(other, self.dtype);
}
double divisor_of(const Window& z, const Window& y, const Window& x, std::int64_t given) {
    return static_cast<double>(given ? given : z.whole * y.whole * x.whole);
}

Work means(const Call& call, const Tensor& self, const Tensor& out, const Pool& pool, std::int64_t divisor) {
    expect_same(call, self, out);
    call.expect_shape(out, pool.shape);
    Work work;
    work.operations = static_cast<double>(self.size());
    work.compute = [=](const Run& run) {
        const Owned x = contiguous(run[self], DType::float64), y = make(DType::float64, pool.shape);
        pool.each_plane([&](std::int64_t p) {
            const double* const image = x.as<double>() + p * pool.plane();
            pool.each([&](std::int64_t number, const Window& a, const Window& b, const Window& c) {
                double sum = 0;
                pool.elements(a, b, c, [&](std::int64_t place) { sum += image[place]; });
                y.as<double>()[p * pool.count() + number] = sum / divisor_of(a, b, c, divisor);
            });
        });
        copy(y, run[out]);
    };
    return work;
}
Work means_gradient(const Call& call, const Tensor& grad, const Tensor& self, const Tensor& out, const Pool& pool, std::int64_t divisor) {
    expect_same(call, self, grad);
    expect_same(call, self, out);
    call.expect_shape(grad, pool.shape);
    call.expect_shape(out, self.shape());
    Work work;
    work.operations = static_cast<double>(self.size());
    work.compute = [=](const Run& run) {
        const Owned g = contiguous(run[grad], DType::float64), dx = make(DType::float64, self.shape());
        std::fill_n(dx.as<double>(), dx.size(), 0.0);
        pool.each_plane([&](std::int64_t p) {
            double* const image = dx.as<double>() + p * pool.plane();
            pool.each([&](std::int64_t number, const Window& a, const Window& b, const Window& c) {
                const double part = g.as<double>()[p * pool.count() + number] / divisor_of(a, b, c, divisor);
                pool.elements(a, b, c, [&](std::int64_t place) { image[place] += part; });
            });
        });
        copy(dx, run[out]);
    };
    return work;
}

// --- the largest; the first of equals, and NaN wins

enum class Where : std::uint8_t { nowhere, index, mask };

// A mask holds a byte for each element of the kernel and each window of a plane: whether that one is the largest. Only its own
// gradient reads it; a device packs it in another way.
struct Mask {
    std::int64_t kernel, length;
};
Mask mask_of(const Call& call, const Tensor& self, const Tensor& indices, const Pool& pool, std::span<const std::int64_t> kernel) {
    const std::int64_t taps = kernel[0] * kernel.back(), length = ((pool.count() + 15) / 16 + 1) * 32;
    Dims shape;
    for (int axis = 0; axis < self.ndim() - 2; ++axis) shape.push_back(self.length(axis));
    shape.push_back(taps);
    shape.push_back(length);
    call.expect_dtype(indices, DType::int8);
    call.expect_shape(indices, shape);
    return {taps, length};
}

template <Where where> Work maxima(const Call& call, const Tensor& self, const Tensor& out, const std::optional<Tensor>& indices, const Pool& pool, Mask mask = {}) {
    expect_same(call, self, out);
    call.expect_shape(out, pool.shape);
    if (where == Where::index) {
        call.expect(indices->dtype == DType::int32 || indices->dtype == DType::int64, indices->name, text("int32 or int64, got ", asnumpy::name(indices->dtype)));
        call.expect_shape(*indices, pool.shape);
    }
    Work work;
    work.operations = static_cast<double>(self.size());
    work.compute = [=](const Run& run) {
        const Owned x = contiguous(run[self], DType::float64), y = make(DType::float64, pool.shape);
        const Owned found = where == Where::index ? make(DType::int64, pool.shape) : Owned();
        const Owned marks = where == Where::mask ? make(DType::int8, indices->shape()) : Owned();
        if (where == Where::mask) std::memset(marks.data, 0, static_cast<std::size_t>(marks.size()));
        pool.each_plane([&](std::int64_t p) {
            const double* const image = x.as<double>() + p * pool.plane();
            pool.each([&](std::int64_t number, const Window& a, const Window& b, const Window& c) {
                std::int64_t best = -1, tap = 0, best_tap = 0;
                pool.elements(a, b, c, [&](std::int64_t place) {
                    if (best < 0 || image[place] > image[best] || (std::isnan(image[place]) && !std::isnan(image[best]))) {
                        best = place;
                        best_tap = tap;
                    }
                    ++tap;
                });
                const std::int64_t at = p * pool.count() + number;
                y.as<double>()[at] = best < 0 ? -HUGE_VAL : image[best];
                if (where == Where::index) found.as<std::int64_t>()[at] = best;
                if (where == Where::mask) marks.as<std::int8_t>()[(p * mask.kernel + best_tap) * mask.length + number] = 1;
            });
        });
        copy(y, run[out]);
        if (where == Where::index) copy(found, run[*indices]);
        if (where == Where::mask) copy(marks, run[*indices]);
    };
    return work;
}
template <Where where> Work largest_gradient(const Call& call, const Tensor& grad, const Tensor& self, const Tensor& indices, const Tensor& out, const Pool& pool, Mask mask = {}) {
    expect_same(call, self, grad);
    expect_same(call, self, out);
    call.expect_shape(grad, pool.shape);
    call.expect_shape(out, self.shape());
    if (where == Where::index) call.expect_shape(indices, pool.shape);
    Work work;
    work.operations = static_cast<double>(self.size());
    work.compute = [=, op = std::string(call.facts.name)](const Run& run) {
        const Owned g = contiguous(run[grad], DType::float64), dx = make(DType::float64, self.shape());
        const Owned given = contiguous(run[indices], where == Where::index ? DType::int64 : DType::int8);
        std::fill_n(dx.as<double>(), dx.size(), 0.0);
        for (std::int64_t p = 0; p < pool.planes; ++p)
            pool.each([&](std::int64_t number, const Window& a, const Window& b, const Window& c) {
                const std::int64_t at = p * pool.count() + number;
                std::int64_t place = -1;
                if constexpr (where == Where::index) {
                    place = given.as<std::int64_t>()[at];
                } else {
                    std::int64_t tap = 0;
                    pool.elements(a, b, c, [&](std::int64_t one) {
                        if (given.as<std::int8_t>()[(p * mask.kernel + tap++) * mask.length + number]) place = one;
                    });
                }
                if (place >= 0 && place < pool.plane()) dx.as<double>()[p * pool.plane() + place] += g.as<double>()[at];
                else if (where == Where::index) note(Fault::out_of_bounds, text(op, ": indices: expected places in a plane of ", pool.plane(), ", got ", place));
            });
        copy(dx, run[out]);
    };
    return work;
}

// --- operators: 2 or 3 axes

template <int axes> Work plan_average(Call& call) {
    const Tensor self = call.tensor_at(0);
    return means(call, self, first_output(call), sliding(call, self, axes, 1, false, call.flag("ceilMode"), call.flag("countIncludePad")), call.integer("divisorOverride"));
}
template <int axes> Work plan_average_gradient(Call& call) {
    const Tensor grad = call.tensor_at(0), self = call.tensor_at(1);
    return means_gradient(call, grad, self, first_output(call), sliding(call, self, axes, 2, false, call.flag("ceilMode"), call.flag("countIncludePad")), call.integer("divisorOverride"));
}
template <int axes> Work plan_adaptive_average(Call& call) {
    const Tensor self = call.tensor_at(0);
    return means(call, self, first_output(call), adaptive(call, self, call.ints("outputSize"), "outputSize", axes), 0);
}
template <int axes> Pool adaptive_of(const Call& call, const Tensor& grad, const Tensor& self) {
    call.expect(grad.ndim() == self.ndim() && grad.ndim() > axes, grad.name, text(self.ndim(), " axes as ", self.name, ", got shape ", grad.shape()));
    return adaptive(call, self, {grad.shape().data() + grad.ndim() - axes, axes}, grad.name, axes);
}
template <int axes> Work plan_adaptive_average_gradient(Call& call) {
    const Tensor grad = call.tensor_at(0), self = call.tensor_at(1);
    return means_gradient(call, grad, self, first_output(call), adaptive_of<axes>(call, grad, self), 0);
}
template <int axes> Work plan_adaptive_largest(Call& call) {
    const Tensor self = call.tensor_at(0);
    return maxima<Where::index>(call, self, call.tensor("outputOut"), call.tensor("indicesOut"), adaptive(call, self, call.ints("outputSize"), "outputSize", axes));
}
Work plan_adaptive_largest_gradient(Call& call) {
    const Tensor grad = call.tensor_at(0), self = call.tensor_at(1);
    return largest_gradient<Where::index>(call, grad, self, call.tensor("indices"), first_output(call), adaptive_of<3>(call, grad, self));
}
template <int axes> Work plan_largest(Call& call) {
    const Tensor self = call.tensor_at(0);
    return maxima<Where::index>(call, self, call.tensor("out"), call.tensor("indices"), sliding(call, self, axes, 1, true, call.flag("ceilMode"), false));
}
template <int axes> Work plan_largest_gradient(Call& call) {
    const Tensor grad = call.tensor_at(0), self = call.tensor_at(1);
    return largest_gradient<Where::index>(call, grad, self, call.tensor("indices"), first_output(call), sliding(call, self, axes, 3, true, call.flag("ceilMode"), false));
}
Work plan_masked_largest(Call& call) {
    const Tensor self = call.tensor_at(0), indices = call.tensor("indices");
    const Pool pool = sliding(call, self, 2, 1, true, call.flag("ceilMode"), false);
    return maxima<Where::mask>(call, self, call.tensor("out"), indices, pool, mask_of(call, self, indices, pool, call.ints("kernelSize")));
}
Work plan_masked_largest_gradient(Call& call) {
    const Tensor grad = call.tensor_at(0), self = call.tensor_at(1), indices = call.tensor("indices");
    const Pool pool = sliding(call, self, 2, 3, true, call.flag("ceilMode"), false);
    return largest_gradient<Where::mask>(call, grad, self, indices, first_output(call), pool, mask_of(call, self, indices, pool, call.ints("kernelSize")));
}

// One window: all of the image behind the first two axes.
template <bool mean> Work plan_global(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    call.expect(self.ndim() >= 3 && self.ndim() <= 5, "self", text("from 3 to 5 axes, got shape ", self.shape()));
    const int axes = self.ndim() - 2;
    const std::vector<std::int64_t> ones(static_cast<std::size_t>(axes), 1);
    const Pool pool = adaptive(call, self, ones, "self", axes);
    return mean ? means(call, self, out, pool, 0) : maxima<Where::nowhere>(call, self, out, std::nullopt, pool);
}

const Operators pooling{
    {"aclnnAvgPool2d", plan_average<2>},
    {"aclnnAvgPool3d", plan_average<3>},
    {"aclnnAvgPool2dBackward", plan_average_gradient<2>},
    {"aclnnAvgPool3dBackward", plan_average_gradient<3>},
    {"aclnnAdaptiveAvgPool2d", plan_adaptive_average<2>},
    {"aclnnAdaptiveAvgPool3d", plan_adaptive_average<3>},
    {"aclnnAdaptiveAvgPool2dBackward", plan_adaptive_average_gradient<2>},
    {"aclnnAdaptiveAvgPool3dBackward", plan_adaptive_average_gradient<3>},
    {"aclnnAdaptiveMaxPool2d", plan_adaptive_largest<2>},
    {"aclnnAdaptiveMaxPool3d", plan_adaptive_largest<3>},
    {"aclnnAdaptiveMaxPool3dBackward", plan_adaptive_largest_gradient},
    {"aclnnMaxPool2dWithIndices", plan_largest<2>},
    {"aclnnMaxPool3dWithArgmax", plan_largest<3>},
    {"aclnnMaxPool2dWithIndicesBackward", plan_largest_gradient<2>},
    {"aclnnMaxPool3dWithArgmaxBackward", plan_largest_gradient<3>},
    {"aclnnMaxPool2dWithMask", plan_masked_largest},
    {"aclnnMaxPool2dWithMaskBackward", plan_masked_largest_gradient},
    {"aclnnGlobalAveragePool", plan_global<true>},
    {"aclnnGlobalMaxPool", plan_global<false>},
};

}  // namespace
}  // namespace cannsim
