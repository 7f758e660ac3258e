// Batch and instance normalisation, the statistics of a batch, and gradients.
#include <cmath>
#include <span>

#include "operators/normalized_rows.hpp"

namespace cannsim {
namespace {

Work plan_batch(Call& call) {
    const Tensor x = call.tensor("input");
    const bool training = call.flag("training");
    Forward f{.x = x, .y = call.tensor("output"), .weight = call.optional("weight"), .bias = call.optional("bias"), .mean = call.optional("saveMean"),
              .spread = call.optional("saveInvstd"), .epsilon = call.real("eps"), .running_mean = call.optional("runningMean"), .running_variance = call.optional("runningVar"),
              .momentum = call.real("momentum"), .training = training};
    call.expect(training || (f.running_mean && f.running_variance), "runningMean", "running statistics where training is false");
    call.expect(f.running_mean.has_value() == f.running_variance.has_value(), "runningVar", "both running statistics, or none");
    return forward(call, batch(call, x), f);
}
Work plan_batch_gradient(Call& call) {
    const Tensor x = call.tensor("input");
    const bool training = call.flag("training");
    Backward b{.grad = call.tensor("gradOut"), .x = x, .mean = call.optional(training ? "saveMean" : "runningMean"), .spread = call.optional(training ? "saveInvstd" : "runningVar"),
               .weight = call.optional("weight"), .of_x = wanted(call, 0, "gradInput"), .of_weight = wanted(call, 1, "gradWeight"), .of_bias = wanted(call, 2, "gradBias"),
               .constant = !training, .epsilon = call.real("eps"), .inverse = training};
    call.expect(b.mean && b.spread, training ? "saveMean" : "runningMean", "the statistics of the forward pass");
    return backward(call, batch(call, x), b);
}
Work plan_batch_stats(Call& call) {
    const Tensor x = call.tensor("input"), mean = call.tensor("mean"), spread = call.tensor("invstd");
    const NormalizedRows rows = batch(call, x);
    expect_floats(call, x);
    expect_count(call, mean, rows.count);
    expect_count(call, spread, rows.count);
    Work work;
    work.compute = [=, epsilon = call.real("eps")](const Run& run) {
        const Owned values = contiguous(rows.ordered(run[x]), DType::float64);
        std::vector<double> means, spreads;
        for (std::int64_t r = 0; r < rows.count; ++r) {
            const std::span<const double> row(values.as<double>() + r * rows.length, static_cast<std::size_t>(rows.length));
            double sum = 0, squares = 0;
            for (const double one : row) sum += one;
            const double average = sum / static_cast<double>(rows.length);
            for (const double one : row) squares += (one - average) * (one - average);
            means.push_back(average);
            spreads.push_back(1 / std::sqrt(squares / static_cast<double>(rows.length) + epsilon));
        }
        store(run, means, mean);
        store(run, spreads, spread);
    };
    return work;
}

// With statistics that come from elsewhere.
Work plan_batch_elements(Call& call) {
    const Tensor x = call.tensor("input"), y = call.tensor("output"), mean = call.tensor("mean"), spread = call.tensor("invstd");
    const Optional weight = call.optional("weight"), bias = call.optional("bias");
    const NormalizedRows rows = batch(call, x);
    expect_floats(call, x);
    call.expect_shape(y, x.shape());
    call.expect_castable(x.dtype, y);
    for (const Optional& one : {Optional(mean), Optional(spread), weight, bias}) expect_count(call, one, rows.count);
    Work work;
    work.operations = static_cast<double>(x.size()) * 4;
    work.compute = [=](const Run& run) {
        const Owned all = contiguous(rows.ordered(run[x]), DType::float64);
        const std::vector<double> means = values(run, mean, rows.count, 0), spreads = values(run, spread, rows.count, 1), weights = values(run, weight, rows.count, 1),
                                  biases = values(run, bias, rows.count, 0);
        for (std::int64_t i = 0; i < all.size(); ++i) {
            const auto r = static_cast<std::size_t>(i / rows.length);
            all.as<double>()[i] = (all.as<double>()[i] - means[r]) * spreads[r] * weights[r] + biases[r];
        }
        copy(all, rows.ordered(run[y]));
    };
    return work;
}

Work plan_instance(Call& call) {
    const Tensor x = call.tensor("x");
    const std::string format = call.text("dataFormat");
    call.expect(format == "NCHW" || format == "NHWC", "dataFormat", text("NCHW or NHWC, got ", format));
    call.expect(x.ndim() == 4, "x", text("four axes, got shape ", x.shape()));
    const bool last = format == "NHWC";
    NormalizedRows rows;
    rows.count = x.length(0) * x.length(last ? 3 : 1);
    rows.weights = x.length(last ? 3 : 1);
    rows.length = rows.count ? x.size() / rows.count : 0;
    rows.kept = Kept::row;
    if (last) rows.order = {0, 3, 1, 2};
    Forward f{.x = x, .y = call.tensor("y"), .weight = call.tensor("gamma"), .bias = call.tensor("beta"), .mean = call.tensor("mean"), .spread = call.tensor("variance"),
              .epsilon = call.real("eps"), .inverse = false};
    return forward(call, rows, f);
}

const Operators batch_normalizations{
    {"aclnnBatchNorm", plan_batch, {"weight", "bias", "runningMean", "runningVar", "saveMean", "saveInvstd"}},
    {"aclnnBatchNormBackward", plan_batch_gradient, {"weight", "runningMean", "runningVar", "saveMean", "saveInvstd", "gradInput", "gradWeight", "gradBias"}},
    {"aclnnBatchNormStats", plan_batch_stats},
    {"aclnnBatchNormElemt", plan_batch_elements, {"weight", "bias"}},
    {"aclnnInstanceNorm", plan_instance},
};

}  // namespace
}  // namespace cannsim
