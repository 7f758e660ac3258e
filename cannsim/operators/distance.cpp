// Distances between rows, and rows kept below a norm.
#include <cmath>
#include <optional>

#include "operators/formula.hpp"
#include "operators/norm.hpp"

namespace cannsim {
namespace {

Norm norm_of(const Call& call, std::string_view name) {
    const double given = call.real(name);
    call.expect(given >= 0 || given == -1, name, text("a number not below 0, or -1 for infinity, got ", given));
    return Norm(given);
}

Dims leading_axes(const Tensor& tensor) {
    Dims shape;
    for (int axis = 0; axis < tensor.ndim() - 2; ++axis) shape.push_back(tensor.length(axis));
    return shape;
}

// All rows of x1 against all of x2, the axes before the last two broadcast.
struct Pairs {
    Tensor first, second;
    Dims batch;
    std::int64_t rows = 0, columns = 0, width = 0;

    explicit Pairs(const Call& call) : first(call.tensor("x1")), second(call.tensor("x2")) {
        for (const Tensor* const one : {&first, &second}) call.expect(one->ndim() >= 2, one->name, text("at least two axes, got shape ", one->shape()));
        call.expect_dtype(second, first.dtype);
        rows = first.length(first.ndim() - 2);
        columns = second.length(second.ndim() - 2);
        width = first.length(first.ndim() - 1);
        call.expect(second.length(second.ndim() - 1) == width, "x2", text("rows of ", width, " numbers, got shape ", second.shape()));
        Tensor outer_first = first, outer_second = second;
        outer_first.view.shape = leading_axes(first);
        outer_second.view.shape = leading_axes(second);
        batch = call.broadcast({&outer_first, &outer_second});
    }
    Dims shape(std::int64_t last_but_one, std::int64_t last) const {
        Dims result = batch;
        result.push_back(last_but_one);
        result.push_back(last);
        return result;
    }
    std::int64_t count() const { return asnumpy::count(batch); }
    Owned left(const Run& run) const { return contiguous(broadcast_to(run[first], shape(rows, width)), DType::float64); }
    Owned right(const Run& run) const { return contiguous(broadcast_to(run[second], shape(columns, width)), DType::float64); }
};

Work plan_distances(Call& call) {
    const Pairs pairs(call);
    const Norm norm = norm_of(call, "p");
    const std::int64_t mode = call.integer("compute_mode");
    call.expect(mode >= 0 && mode <= 2, "compute_mode", text("0, 1 or 2, got ", mode));
    const Tensor out = call.tensor("out");
    call.expect_dtype(out, pairs.first.dtype);
    call.expect_shape(out, pairs.shape(pairs.rows, pairs.columns));
    Work work;
    work.operations = static_cast<double>(out.size()) * static_cast<double>(pairs.width) * 3;
    work.compute = [=](const Run& run) {
        const Owned x = pairs.left(run), y = pairs.right(run), result = make(DType::float64, out.shape());
        double* to = result.as<double>();
        for (std::int64_t b = 0; b < pairs.count(); ++b)
            for (std::int64_t i = 0; i < pairs.rows; ++i)
                for (std::int64_t j = 0; j < pairs.columns; ++j)
                    *to++ = norm.of(x.as<double>() + (b * pairs.rows + i) * pairs.width, y.as<double>() + (b * pairs.columns + j) * pairs.width, pairs.width);
        copy(result, run[out]);
    };
    return work;
}

// The gradient by x1.
Work plan_distances_gradient(Call& call) {
    const Pairs pairs(call);
    const Norm norm = norm_of(call, "p");
    const Tensor grad = call.tensor("grad"), distances = call.tensor("cdist"), out = call.tensor("out");
    const Dims all = pairs.shape(pairs.rows, pairs.columns);
    call.expect_shape(grad, all);
    call.expect_shape(distances, all);
    call.expect_shape(out, pairs.shape(pairs.rows, pairs.width));
    Work work;
    work.operations = static_cast<double>(grad.size()) * static_cast<double>(pairs.width) * 4;
    work.compute = [=](const Run& run) {
        const Owned x = pairs.left(run), y = pairs.right(run), g = contiguous(run[grad], DType::float64), d = contiguous(run[distances], DType::float64);
        const Owned sums = make(DType::float64, out.shape());
        std::fill_n(sums.as<double>(), sums.size(), 0.0);
        std::int64_t place = 0;
        for (std::int64_t b = 0; b < pairs.count(); ++b)
            for (std::int64_t i = 0; i < pairs.rows; ++i)
                for (std::int64_t j = 0; j < pairs.columns; ++j, ++place) {
                    const std::int64_t row = (b * pairs.rows + i) * pairs.width, other = (b * pairs.columns + j) * pairs.width;
                    // Which difference is the largest is asked of the differences: what the forward pass gave was rounded.
                    const double distance = std::isinf(norm.order) ? norm.of(x.as<double>() + row, y.as<double>() + other, pairs.width) : d.as<double>()[place];
                    for (std::int64_t k = 0; k < pairs.width; ++k)
                        sums.as<double>()[row + k] += g.as<double>()[place] * norm.slope(x.as<double>()[row + k] - y.as<double>()[other + k], distance);
                }
        copy(sums, run[out]);
    };
    return work;
}

// Each row against those behind it.
Work plan_pair_distances(Call& call, std::string_view order) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    const Norm norm = norm_of(call, order);
    const std::int64_t rows = self.length(0), width = self.length(1);
    call.expect_dtype(out, self.dtype);
    call.expect_shape(out, Dims{rows * (rows - 1) / 2});
    Work work;
    work.operations = static_cast<double>(out.size()) * static_cast<double>(width) * 3;
    work.compute = [=](const Run& run) {
        const Owned x = contiguous(run[self], DType::float64), result = make(DType::float64, out.shape());
        double* to = result.as<double>();
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = i + 1; j < rows; ++j) *to++ = norm.of(x.as<double>() + i * width, x.as<double>() + j * width, width);
        copy(result, run[out]);
    };
    return work;
}

// Each slice along the axis whose norm is above the largest allowed is scaled down to it.
Work plan_norm_limit(Call& call) {
    const Tensor self = call.tensor_at(0), out = first_output(call);
    const Norm norm = norm_of(call, "p");
    const double most = call.real("maxNorm");
    call.expect(norm.order > 0, "p", text("a number above 0, got ", norm.order));
    call.expect(most >= 0, "maxNorm", text("a number not below 0, got ", most));
    const int axis = call.axis("dim", call.integer("dim"), self.ndim());
    call.expect_dtype(out, self.dtype);
    call.expect_shape(out, self.shape());
    Work work;
    work.operations = static_cast<double>(self.size()) * 4;
    work.compute = [=](const Run& run) {
        std::vector<int> order{axis};
        for (int i = 0; i < self.ndim(); ++i)
            if (i != axis) order.push_back(i);
        const Owned values = contiguous(permuted(run[self], order), DType::float64);
        const std::int64_t width = values.size() / std::max<std::int64_t>(self.length(axis), 1);
        for (std::int64_t i = 0; i < self.length(axis); ++i) {
            double* const slice = values.as<double>() + i * width;
            const double size = norm.of(slice, nullptr, width);
            if (size > most)
                for (std::int64_t k = 0; k < width; ++k) slice[k] *= most / (size + 1e-7);
        }
        copy(values, permuted(run[out], order));
    };
    return work;
}

const Operators distances{
    {"aclnnCdist", plan_distances},
    {"aclnnCdistBackward", plan_distances_gradient},
    {"aclnnPdist", [](Call& call) { return plan_pair_distances(call, "p"); }},
    {"aclnnPdistForward", [](Call& call) { return plan_pair_distances(call, "pScalar"); }},
    {"aclnnRenorm", plan_norm_limit},
    {"aclnnInplaceRenorm", plan_norm_limit},
};

}  // namespace
}  // namespace cannsim
