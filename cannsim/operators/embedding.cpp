// Rows of a table of weights: their gradients, and rows kept below a norm.
#include <cmath>

#include "operators/places.hpp"

namespace cannsim {
namespace {

// The gradient of each row is the sum of those of the places where it was picked, divided by their number where that is asked for.
Work plan_embedding_gradient(Call& call) {
    const Tensor grad = call.tensor("grad"), indices = call.tensor("indices"), out = call.tensor("out");
    const std::int64_t rows = call.integer("numWeights"), padding = call.integer("paddingIdx");
    const bool mean = call.flag("scaleGradByFreq");
    call.expect(asnumpy::is_float(grad.dtype), "grad", text("a floating dtype, got ", asnumpy::name(grad.dtype)));
    call.expect(asnumpy::is_integer(indices.dtype), "indices", text("an integer dtype, got ", asnumpy::name(indices.dtype)));
    Dims shape = indices.shape();
    call.expect(grad.ndim() > 0, "grad", "at least one axis, got none");
    shape.push_back(grad.length(grad.ndim() - 1));
    call.expect_shape(grad, shape);
    call.expect_dtype(out, grad.dtype);
    call.expect_shape(out, Dims{rows, shape.back()});
    Work work;
    work.operations = static_cast<double>(grad.size());
    work.compute = [=, what = indexed(call, indices)](const Run& run) {
        const Owned from = contiguous(run[grad], DType::float64), sums = make(DType::float64, out.shape());
        std::fill_n(sums.as<double>(), sums.size(), 0.0);
        const std::vector<std::int64_t> table = places(run[indices], rows, what);
        std::vector<std::int64_t> counts(static_cast<std::size_t>(rows));
        for (const std::int64_t row : table)
            if (row >= 0) ++counts[static_cast<std::size_t>(row)];
        const std::int64_t width = shape.back();
        for (std::size_t i = 0; i < table.size(); ++i) {
            const std::int64_t row = table[i];
            if (row < 0 || row == padding) continue;
            const double part = mean ? 1.0 / static_cast<double>(counts[static_cast<std::size_t>(row)]) : 1;
            for (std::int64_t k = 0; k < width; ++k) sums.as<double>()[row * width + k] += part * from.as<double>()[static_cast<std::int64_t>(i) * width + k];
        }
        copy(sums, run[out]);
    };
    return work;
}

// The rows that are picked and whose norm is above the largest allowed are scaled down to it.
Work plan_renorm(Call& call) {
    const Tensor self = call.tensor("selfRef"), indices = call.tensor("indices");
    const double most = call.real("maxNorm"), order = call.real("normType");
    call.expect(self.ndim() == 2, "selfRef", text("2 axes, got shape ", self.shape()));
    call.expect(asnumpy::is_float(self.dtype), "selfRef", text("a floating dtype, got ", asnumpy::name(self.dtype)));
    call.expect(asnumpy::is_integer(indices.dtype), "indices", text("an integer dtype, got ", asnumpy::name(indices.dtype)));
    call.expect(most >= 0, "maxNorm", text("a number not below 0, got ", most));
    Work work;
    work.operations = static_cast<double>(self.size());
    work.compute = [=, what = indexed(call, indices)](const Run& run) {
        const Owned values = contiguous(run[self], DType::float64);
        const std::int64_t width = self.length(1);
        std::vector<bool> done(static_cast<std::size_t>(self.length(0)));
        for (const std::int64_t row : places(run[indices], self.length(0), what)) {
            if (row < 0 || done[static_cast<std::size_t>(row)]) continue;
            done[static_cast<std::size_t>(row)] = true;
            double* const line = values.as<double>() + row * width;
            double norm = 0;
            for (std::int64_t k = 0; k < width; ++k) {
                const double size = std::abs(line[k]);
                norm = std::isinf(order) ? std::max(norm, size) : norm + std::pow(size, order);
            }
            if (!std::isinf(order)) norm = std::pow(norm, 1 / order);
            if (norm > most)
                for (std::int64_t k = 0; k < width; ++k) line[k] *= most / (norm + 1e-7);
        }
        copy(values, run[self]);
    };
    return work;
}

const Operators embedding{
    {"aclnnEmbeddingDenseBackward", plan_embedding_gradient},
    {"aclnnEmbeddingRenorm", plan_renorm},
};

}  // namespace
}  // namespace cannsim
