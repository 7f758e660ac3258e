// Rows of a table of weights: bags of them, their gradients, and rows kept below a norm.
#include <algorithm>
#include <cmath>
#include <optional>

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

// Sums, means or maxima of the rows that each bag picks; a bag begins where its offset says.
Work plan_bag(Call& call) {
    enum : std::int64_t { sum, mean, largest };
    const Tensor weight = call.tensor("weight"), indices = call.tensor("indices"), offsets = call.tensor("offsets"), out = call.tensor("output");
    const Tensor bag_of = call.tensor("offset2bag"), sizes = call.tensor("bagSize"), found = call.tensor("maxIndices");
    const std::optional<Tensor> factors = call.optional("perSampleWeights");
    const std::int64_t mode = call.integer("mode"), padding = call.integer("paddingIdx"), bags = offsets.size() - call.flag("includeLastOffset");
    call.expect(weight.ndim() == 2, "weight", text("2 axes, got shape ", weight.shape()));
    call.expect(asnumpy::is_float(weight.dtype), "weight", text("a floating dtype, got ", asnumpy::name(weight.dtype)));
    for (const Tensor* const one : {&indices, &offsets}) {
        call.expect(one->ndim() == 1, one->name, text("1 axis, got shape ", one->shape()));
        call.expect(asnumpy::is_integer(one->dtype), one->name, text("an integer dtype, got ", asnumpy::name(one->dtype)));
    }
    call.expect(mode >= sum && mode <= largest, "mode", text("0 sum, 1 mean or 2 max, got ", mode));
    if (factors) {
        call.expect(mode == sum, "perSampleWeights", text("null for mode ", mode));
        call.expect_shape(*factors, indices.shape());
    }
    call.expect(bags >= 0, "offsets", "at least one offset where the last is included");
    const std::int64_t width = weight.length(1);
    call.expect_dtype(out, weight.dtype);
    call.expect_shape(out, Dims{bags, width});
    Work work;
    work.operations = static_cast<double>(indices.size()) * static_cast<double>(width);
    work.compute = [=, what = indexed(call, indices)](const Run& run) {
        const Owned table = contiguous(run[weight], DType::float64), starts = contiguous(run[offsets], DType::int64), result = make(DType::float64, out.shape());
        const Owned given = factors ? contiguous(run[*factors], DType::float64) : Owned();
        const Owned counts = make(DType::int64, Dims{bags}), picked = make(DType::int64, out.shape()), belongs = make(DType::int64, indices.shape());
        std::fill_n(result.as<double>(), result.size(), 0.0);
        std::fill_n(picked.as<std::int64_t>(), picked.size(), std::int64_t{0});
        const std::vector<std::int64_t> rows = places(run[indices], weight.length(0), what);
        for (std::int64_t bag = 0; bag < bags; ++bag) {
            const std::int64_t first = starts.as<std::int64_t>()[bag], last = bag + 1 < starts.size() ? starts.as<std::int64_t>()[bag + 1] : indices.size();
            if (first < 0 || last > indices.size()) note(Fault::out_of_bounds, text(what.op, ": offsets: expected places in ", indices.size(), " indices, got ", first, " to ", last));
            std::int64_t count = 0;
            double* const line = result.as<double>() + bag * width;
            for (std::int64_t i = std::max<std::int64_t>(first, 0); i < std::min(last, indices.size()); ++i) {
                const std::int64_t row = rows[static_cast<std::size_t>(i)];
                belongs.as<std::int64_t>()[i] = bag;
                if (row < 0 || (padding >= 0 && row == padding)) continue;
                const double factor = factors ? given.as<double>()[i] : 1;
                for (std::int64_t k = 0; k < width; ++k) {
                    const double value = table.as<double>()[row * width + k] * factor;
                    if (mode != largest) {
                        line[k] += value;
                    } else if (count == 0 || value > line[k]) {
                        line[k] = value;
                        picked.as<std::int64_t>()[bag * width + k] = row;
                    }
                }
                ++count;
            }
            if (mode == mean && count)
                for (std::int64_t k = 0; k < width; ++k) line[k] /= static_cast<double>(count);
            counts.as<std::int64_t>()[bag] = count;
        }
        copy(result, run[out]);
        // What only the gradient needs: clients make it shorter or empty where it does not.
        if (bag_of.shape() == indices.shape()) copy(belongs, run[bag_of]);
        if (sizes.size() >= bags && sizes.ndim() == 1) {
            Array first = run[sizes];
            first.shape[0] = bags;
            copy(counts, first);
        }
        if (mode == largest && found.shape() == out.shape()) copy(picked, run[found]);
    };
    return work;
}

const Operators embedding{
    {"aclnnEmbeddingBag", plan_bag, {"perSampleWeights"}},
    {"aclnnEmbeddingDenseBackward", plan_embedding_gradient},
    {"aclnnEmbeddingRenorm", plan_renorm},
};

}  // namespace
}  // namespace cannsim
