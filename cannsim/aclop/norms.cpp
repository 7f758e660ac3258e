// Norms of any order in two steps, the gradient of distances, and conversions.
#include <algorithm>
#include <cmath>

#include "aclnn/strided.hpp"
#include "aclop/call.hpp"
#include "operators/norm.hpp"

namespace cannsim {
namespace {

// The order of a norm; numbers beyond int32 stand for infinity.
struct NormOrder {
    double p;
    explicit NormOrder(const NamedCall& call) : p(call.real("p", 2)) {}
    bool largest() const { return p >= 2147483647.0; }
    bool smallest() const { return p <= -2147483647.0; }
    bool sum() const { return !largest() && !smallest(); }
};

// The sum of powers of absolute values along axes, or the largest or smallest of them.
Work plan_reduce(const NamedCall& call) {
    const Tensor x = call.input(0), y = call.output(0);
    const NormOrder order(call);
    std::vector<bool> reduced(static_cast<std::size_t>(x.ndim()), false);
    const std::vector<std::int64_t> axes = call.ints("axes");
    for (const std::int64_t axis : axes) {
        const int n = std::max(x.ndim(), 1);  // a number has an axis
        call.expect(axis >= -n && axis < n, "axes", text("axes of shape ", x.shape(), ", got ", axis));
        if (x.ndim()) reduced[static_cast<std::size_t>(axis < 0 ? axis + n : axis)] = true;
    }
    if (axes.empty()) reduced.assign(reduced.size(), true);
    Dims shape, kept;  // of the result, and with the reduced axes of length 1
    const bool keep = call.flag("keepdim", false);
    for (int axis = 0; axis < x.ndim(); ++axis) {
        const bool gone = reduced[static_cast<std::size_t>(axis)];
        if (!gone || keep) shape.push_back(gone ? 1 : x.length(axis));
        kept.push_back(gone ? 1 : x.length(axis));
    }
    call.expect_shape(y, shape, "output 0");
    Work work;
    work.operations = static_cast<double>(x.size()) * 3;
    work.compute = [=](const Run& run) {
        const Owned from = contiguous(run[x], DType::float64), result = make(DType::float64, kept);
        std::fill_n(result.as<double>(), result.size(), order.smallest() ? HUGE_VAL : 0.0);
        const Array places = broadcast_to(result, x.shape());
        Dims index(x.ndim());
        for (std::int64_t i = 0; i < from.size(); ++i) {
            std::byte* at = places.data;
            for (int axis = 0; axis < x.ndim(); ++axis) at += index[axis] * places.strides[axis];
            double& total = *reinterpret_cast<double*>(at);
            const double size = std::abs(from.as<double>()[i]);
            if (order.largest()) total = size > total || size != size ? size : total;
            else if (order.smallest()) total = size < total || size != size ? size : total;
            else total += order.p == 0 ? size != 0 : std::pow(size, order.p);
            for (int axis = x.ndim() - 1; axis >= 0 && ++index[axis] == x.length(axis); --axis) index[axis] = 0;
        }
        Array flat = result;
        flat.shape = shape;
        flat.strides = asnumpy::contiguous(shape, 8).strides;
        copy(flat, run[y]);
    };
    return work;
}

// The root that makes a norm of the sum.
Work plan_update(const NamedCall& call) {
    const Tensor x = call.input(0), y = call.output(0);
    const NormOrder order(call);
    call.expect_shape(y, x.shape(), "output 0");
    Work work;
    work.operations = static_cast<double>(x.size());
    work.compute = [=](const Run& run) {
        const Owned values = contiguous(run[x], DType::float64);
        for (std::int64_t i = 0; i < values.size() && order.sum() && order.p != 0; ++i) values.as<double>()[i] = std::pow(values.as<double>()[i], 1 / order.p);
        copy(values, run[y]);
    };
    return work;
}

Work plan_conversion(const NamedCall& call) {
    const Tensor x = call.input(0), y = call.output(0);
    call.expect_shape(y, x.shape(), "output 0");
    Work work;
    work.elementwise = true;
    work.compute = [=](const Run& run) { copy(run[x], run[y]); };
    return work;
}

// The gradient of the distances of all pairs of rows, by the first of each pair; the inputs are spread to (..., rows, others, width).
Work plan_distance_gradient(const NamedCall& call) {
    const Tensor grad = call.input(0), first = call.input(1), second = call.input(2), distances = call.input(3), out = call.output(0);
    call.expect(first.ndim() >= 3, "x1", text("at least 3 axes, got shape ", first.shape()));
    for (const Tensor* const one : {&grad, &second, &distances}) call.expect_shape(*one, first.shape(), "x2, grad and cdist");
    const int n = first.ndim();
    const std::int64_t others = first.length(n - 2), width = first.length(n - 1);
    std::int64_t rows = 1;  // with nothing beside them their gradients are 0
    for (int axis = 0; axis < n - 2; ++axis) rows *= first.length(axis);
    call.expect(out.size() == rows * width && out.ndim() > 0 && out.shape().back() == width, "output 0", text(rows, " rows of ", width, " numbers, got shape ", out.shape()));
    const Norm norm(call.real("p", 2));
    Work work;
    work.operations = static_cast<double>(first.size()) * 4;
    work.compute = [=](const Run& run) {
        const Owned g = contiguous(run[grad], DType::float64), x = contiguous(run[first], DType::float64), y = contiguous(run[second], DType::float64);
        const Owned d = contiguous(run[distances], DType::float64), sums = make(DType::float64, out.shape());
        std::fill_n(sums.as<double>(), sums.size(), 0.0);
        for (std::int64_t pair = 0; pair < rows * others; ++pair) {
            const double distance = std::isinf(norm.order) ? norm.of(x.as<double>() + pair * width, y.as<double>() + pair * width, width) : d.as<double>()[pair * width];
            for (std::int64_t k = 0, at = pair * width; k < width; ++k, ++at)
                sums.as<double>()[pair / others * width + k] += g.as<double>()[at] * norm.slope(x.as<double>()[at] - y.as<double>()[at], distance);
        }
        copy(sums, run[out]);
    };
    return work;
}

const NamedOperators norms{{"LpNormReduceV2", plan_reduce}, {"LpNormUpdateV2", plan_update}, {"CdistGrad", plan_distance_gradient}, {"Cast", plan_conversion}};

}  // namespace
}  // namespace cannsim
