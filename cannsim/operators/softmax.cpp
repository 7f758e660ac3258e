// Softmax and its logarithm, with gradients and with a mask.
#include <algorithm>

#include "operators/lines.hpp"

namespace cannsim {
namespace {

using Line = std::span<double>;
using std::array;

double largest(Line x) {
    double top = x[0];
    for (const double value : x) top = value > top ? value : top;
    return top;
}
double total(Line x) {  // in four parts, which do not wait for each other
    std::array<double, 4> sums{};
    std::size_t i = 0;
    for (; i + 4 <= x.size(); i += 4)
        for (std::size_t k = 0; k < 4; ++k) sums[k] += x[i + k];
    for (; i < x.size(); ++i) sums[0] += x[i];
    return sums[0] + sums[1] + (sums[2] + sums[3]);
}
void softmax(Line x, Line y) {
    const double top = largest(x);
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] - top;
    exponentials(y);
    const double sum = total(y);
    for (double& value : y) value /= sum;
}
void log_softmax(Line x, Line y) {
    const double top = largest(x);
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] - top;
    exponentials(y);
    const double shift = top + std::log(total(y));
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] - shift;
}
void softmax_slope(Line grad, Line y, Line out) {
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += grad[i] * y[i];
    for (std::size_t i = 0; i < y.size(); ++i) out[i] = y[i] * (grad[i] - sum);
}
void log_softmax_slope(Line grad, Line y, Line out) {
    const double sum = total(grad);
    std::ranges::copy(y, out.begin());
    exponentials(out);
    for (std::size_t i = 0; i < y.size(); ++i) out[i] = grad[i] - out[i] * sum;
}

template <auto f> Work plan_forward(Call& call) {
    const Tensor self = call.tensor("self");
    return along_axis<1>(call, array{self}, call.tensor("out"), call.axis("dim", call.integer("dim"), self.ndim()), f);
}
template <auto f> Work plan_softmax_gradient(Call& call) {
    const array both{call.tensor("gradOutput"), call.tensor("output")};
    for (const Tensor& one : both) call.expect(asnumpy::is_float(one.dtype), one.name, text("floats, got ", asnumpy::name(one.dtype)));
    return along_axis<2>(call, both, call.tensor("out"), call.axis("dim", call.integer("dim"), both[1].ndim()), f);
}

// The mask's true elements are left out; a fixed mask is the upper triangle of the last two axes.
constexpr double left_out = -10000;

Work plan_masked(Call& call) {
    const Tensor x = call.tensor("x"), out = call.tensor("y");
    const auto mask = call.optional("mask");
    const double scale = call.real("scale");
    const bool triangle = call.flag("fixedTriuMask");
    call.expect(x.ndim() >= 2, "x", text("at least two axes, got shape ", x.shape()));
    call.expect(triangle || mask, "mask", "a mask where fixedTriuMask is false");
    if (!triangle) {
        const Tensor given = *mask;
        call.expect(joined_shape(call, array{x, given}) == x.shape(), "mask", text("a shape that broadcasts to ", x.shape(), ", got ", given.shape()));
        return along_axis<2>(call, array{x, given}, out, x.ndim() - 1, [scale](Line values, Line masked, Line y) {
            for (std::size_t i = 0; i < values.size(); ++i) values[i] = masked[i] != 0 ? left_out : values[i] * scale;
            softmax(values, y);
        });
    }
    call.expect_shape(out, x.shape());
    Work work;
    work.compute = [=](const Run& run) {
        const Owned values = contiguous(run[x], DType::float64), results = make(DType::float64, x.shape());
        const std::int64_t length = x.length(x.ndim() - 1), rows = x.length(x.ndim() - 2);
        for (std::int64_t line = 0; length && line < x.size() / length; ++line) {
            const Line row(values.as<double>() + line * length, static_cast<std::size_t>(length));
            for (std::int64_t i = 0; i < length; ++i) row[static_cast<std::size_t>(i)] = i > line % rows ? left_out : row[static_cast<std::size_t>(i)] * scale;
            softmax(row, Line(results.as<double>() + line * length, static_cast<std::size_t>(length)));
        }
        copy(results, run[out]);
    };
    return work;
}
Work plan_masked_gradient(Call& call) {
    const Tensor grad = call.tensor("gradOutput"), y = call.tensor("y"), out = call.tensor("out");
    const auto mask = call.optional("mask");
    const double scale = call.real("scale");
    expect_floats(call, y);
    expect_floats(call, grad);
    call.expect(y.ndim() >= 2, "y", text("at least two axes, got shape ", y.shape()));
    const bool triangle = call.flag("fixTriuMask");
    call.expect(triangle || mask, "mask", "a mask where fixTriuMask is false");
    if (!triangle)
        return along_axis<3>(call, array{grad, y, *mask}, out, y.ndim() - 1, [scale](Line g, Line values, Line masked, Line d) {
            softmax_slope(g, values, d);
            for (std::size_t i = 0; i < d.size(); ++i) d[i] = masked[i] != 0 ? 0 : d[i] * scale;
        });
    return along_axis<2>(call, array{grad, y}, out, y.ndim() - 1, [scale](Line g, Line values, Line d) {  // what is masked is as good as zero in y
        softmax_slope(g, values, d);
        for (double& value : d) value *= scale;
    });
}

const Operators softmaxes{
    {"aclnnSoftmax", plan_forward<softmax>},
    {"aclnnLogSoftmax", plan_forward<log_softmax>},
    {"aclnnSoftmaxBackward", plan_softmax_gradient<softmax_slope>},
    {"aclnnLogSoftmaxBackward", plan_softmax_gradient<log_softmax_slope>},
    {"aclnnScaledMaskedSoftmax", plan_masked, {"mask"}},
    {"aclnnScaledMaskedSoftmaxBackward", plan_masked_gradient, {"mask"}},
};

}  // namespace
}  // namespace cannsim
