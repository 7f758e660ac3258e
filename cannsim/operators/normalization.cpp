// Layer, group, batch, instance and root-mean-square normalisation, and their gradients. All are one: rows of values, each
// brought to mean 0 and variance 1, with a weight and a bias that are found by a value's row and place.
#include <optional>

#include "operators/formula.hpp"
#include "operators/slopes.hpp"

namespace cannsim {
namespace {

using std::array;
using Optional = std::optional<Tensor>;

enum class Kept { place, channel, row };  // what chooses the weight: the place in the row, its channel within a group, the row

// How a tensor is cut into rows.
struct Rows {
    std::int64_t count = 1, length = 1;
    Kept kept = Kept::place;
    std::int64_t weights = 1;       // how many there are
    std::int64_t inner = 1;         // elements of a channel in a row
    std::vector<int> order;         // the tensor's axes, when rows are not in its order

    std::int64_t weight(std::int64_t row, std::int64_t place) const {
        if (kept == Kept::place) return place;
        if (kept == Kept::row) return row % weights;
        const std::int64_t channels = length / inner;
        return row * channels % weights + place / inner;
    }
    Array ordered(const Array& array) const { return order.empty() ? array : permuted(array, order); }
};

Dims trailing(const Dims& shape, int axes) {
    Dims result;
    for (int i = shape.size() - axes; i < shape.size(); ++i) result.push_back(shape[i]);
    return result;
}

Rows last_axes(const Call& call, const Tensor& x, const Dims& normalized, std::string_view parameter) {
    call.expect(normalized.size() >= 1 && normalized.size() <= x.ndim() && trailing(x.shape(), normalized.size()) == normalized, parameter,
                text("the last lengths of ", x.shape(), ", got ", normalized));
    Rows rows;
    for (int i = 0; i < x.ndim(); ++i) (i < x.ndim() - normalized.size() ? rows.count : rows.length) *= x.length(i);
    rows.weights = rows.length;
    return rows;
}
Rows groups(const Call& call, std::int64_t n, std::int64_t channels, std::int64_t inner, std::int64_t groups, const Tensor& x, std::string_view parameter = "group") {
    call.expect(groups > 0 && channels % groups == 0, parameter, text("a divisor of the ", channels, " channels, got ", groups));
    call.expect(x.size() == n * channels * inner, x.name, text(n * channels * inner, " elements, got shape ", x.shape()));
    Rows rows;
    rows.count = n * groups;
    rows.length = channels / groups * inner;
    rows.kept = Kept::channel;
    rows.weights = channels;
    rows.inner = inner;
    return rows;
}
Rows batch(const Call& call, const Tensor& x) {
    call.expect(x.ndim() >= 2, x.name, text("at least two axes, got shape ", x.shape()));
    Rows rows;
    rows.count = rows.weights = x.length(1);
    rows.length = rows.count ? x.size() / rows.count : 0;
    rows.kept = Kept::row;
    rows.order = {1, 0};
    for (int i = 2; i < x.ndim(); ++i) rows.order.push_back(i);
    return rows;
}

// Values of an optional tensor as float64; without it, `otherwise` for each.
std::vector<double> values(const Run& run, const Optional& tensor, std::int64_t count, double otherwise) {
    std::vector<double> result(static_cast<std::size_t>(count), otherwise);
    if (tensor) {
        const Owned copied = contiguous(run[*tensor], DType::float64);
        std::copy_n(copied.as<double>(), count, result.data());
    }
    return result;
}
void store(const Run& run, const std::vector<double>& from, const Optional& to) {
    if (!to || to->size() == 0) return;
    const Owned all = make(DType::float64, to->shape());
    std::copy_n(from.data(), all.size(), all.as<double>());
    copy(all, run[*to]);
}

void expect_count(const Call& call, const Optional& tensor, std::int64_t count) {
    if (tensor) call.expect(tensor->size() == count, tensor->name, text(count, " elements, got shape ", tensor->shape()));
}

struct Forward {
    Tensor x{}, y{};
    Optional weight{}, bias{}, mean{}, spread{};
    double epsilon = 0;
    bool centred = true;                  // else the root mean square
    bool inverse = true;                  // `spread` is 1 / deviation; else the variance
    double weight_shift = 0;
    std::vector<Tensor> added{};            // to x, before
    double factor = 1;                    // of x
    Optional sum{};                         // gets x as it was normalised
    std::function<double(double)> after{};  // to y
    Optional running_mean{}, running_variance{};
    double momentum = 0;
    bool training = true;
};

Work forward(const Call& call, const Rows& rows, Forward f) {
    expect_floats(call, f.x);
    call.expect_shape(f.y, f.x.shape());
    call.expect_castable(f.x.dtype, f.y);
    for (const Optional& one : {f.weight, f.bias, f.running_mean, f.running_variance}) expect_count(call, one, rows.weights);
    if (f.training)
        for (const Optional& one : {f.mean, f.spread}) expect_count(call, one, rows.count);
    if (f.sum) call.expect_shape(*f.sum, f.x.shape());
    for (const Tensor& one : f.added)
        call.expect(joined_shape(call, array{f.x, one}) == f.x.shape(), one.name, text("a shape that broadcasts to ", f.x.shape(), ", got ", one.shape()));
    Work work;
    work.operations = static_cast<double>(f.x.size()) * 8;
    work.compute = [rows, f](const Run& run) {
        const Owned x = contiguous(rows.ordered(run[f.x]), DType::float64);
        double* const v = x.as<double>();
        for (std::int64_t i = 0; f.factor != 1 && i < x.size(); ++i) v[i] *= f.factor;
        for (const Tensor& one : f.added) {
            const Owned other = contiguous(broadcast_to(run[one], f.x.shape()), DType::float64);
            for (std::int64_t i = 0; i < x.size(); ++i) v[i] += other.as<double>()[i];
        }
        if (f.sum) copy(x, run[*f.sum]);
        const std::vector<double> weight = values(run, f.weight, rows.weights, 1), bias = values(run, f.bias, rows.weights, 0);
        std::vector<double> means(static_cast<std::size_t>(rows.count)), spreads(means), inverses(means);
        std::vector<double> running_mean = values(run, f.running_mean, rows.weights, 0), running_variance = values(run, f.running_variance, rows.weights, 1);
        for (std::int64_t r = 0; r < rows.count; ++r) {
            double *const row = v + r * rows.length, n = static_cast<double>(rows.length), sum = 0, squares = 0;
            const auto k = static_cast<std::size_t>(r);
            if (f.training) {
                for (std::int64_t i = 0; f.centred && i < rows.length; ++i) sum += row[i];
                means[k] = f.centred ? sum / n : 0;
                for (std::int64_t i = 0; i < rows.length; ++i) squares += (row[i] - means[k]) * (row[i] - means[k]);
                squares /= n;
                if (f.running_mean) {
                    running_mean[k] += f.momentum * (means[k] - running_mean[k]);
                    running_variance[k] += f.momentum * (squares * n / (n - 1) - running_variance[k]);
                }
            } else {
                means[k] = running_mean[k];
                squares = running_variance[k];
            }
            inverses[k] = 1 / std::sqrt(squares + f.epsilon);
            spreads[k] = f.inverse ? inverses[k] : squares;
            for (std::int64_t i = 0; i < rows.length; ++i) {
                const auto w = static_cast<std::size_t>(rows.weight(r, i));
                row[i] = (row[i] - means[k]) * inverses[k] * (weight[w] + f.weight_shift) + bias[w];
                if (f.after) row[i] = f.after(row[i]);
            }
        }
        copy(x, rows.ordered(run[f.y]));
        if (f.training) {
            store(run, means, f.mean);
            store(run, spreads, f.spread);
            store(run, running_mean, f.running_mean);
            store(run, running_variance, f.running_variance);
        }
    };
    return work;
}

struct Backward {
    Tensor grad{}, x{};
    Optional mean{}, spread{}, weight{};        // no mean: it is 0
    Optional of_x{}, of_weight{}, of_bias{};
    std::vector<Tensor> added{};            // to x
    Optional more{};                        // added to the gradient of x
    bool constant = false;                // mean and spread do not depend on x
    double epsilon = 0;
    bool inverse = true;                  // as in Forward
};

Work backward(const Call& call, const Rows& rows, Backward b) {
    expect_floats(call, b.grad);
    expect_floats(call, b.x);
    call.expect_shape(b.grad, b.x.shape());
    if (b.of_x) call.expect_shape(*b.of_x, b.x.shape());
    for (const Optional& one : {b.weight, b.of_weight, b.of_bias}) expect_count(call, one, rows.weights);
    for (const Optional& one : {b.mean, b.spread}) expect_count(call, one, rows.count);
    Work work;
    work.operations = static_cast<double>(b.x.size()) * 12;
    work.compute = [rows, b](const Run& run) {
        const Owned x = contiguous(rows.ordered(run[b.x]), DType::float64), g = contiguous(rows.ordered(run[b.grad]), DType::float64);
        for (const Tensor& one : b.added) {
            const Owned other = contiguous(run[one], DType::float64);
            for (std::int64_t i = 0; i < x.size(); ++i) x.as<double>()[i] += other.as<double>()[i];
        }
        const std::vector<double> weight = values(run, b.weight, rows.weights, 1), means = values(run, b.mean, rows.count, 0), spreads = values(run, b.spread, rows.count, 1);
        std::vector<double> of_weight(static_cast<std::size_t>(rows.weights)), of_bias(of_weight);
        for (std::int64_t r = 0; r < rows.count; ++r) {
            double *const row = x.as<double>() + r * rows.length, *const grad = g.as<double>() + r * rows.length;
            const auto k = static_cast<std::size_t>(r);
            const double inverse = b.inverse ? spreads[k] : 1 / std::sqrt(spreads[k] + b.epsilon), n = static_cast<double>(rows.length);
            double sum = 0, product = 0;
            for (std::int64_t i = 0; i < rows.length; ++i) {
                const auto w = static_cast<std::size_t>(rows.weight(r, i));
                row[i] = (row[i] - means[k]) * inverse;
                of_weight[w] += grad[i] * row[i];
                of_bias[w] += grad[i];
                grad[i] *= weight[w];
                sum += grad[i];
                product += grad[i] * row[i];
            }
            const double shift = b.constant || !b.mean ? 0 : sum / n, slope = b.constant ? 0 : product / n;
            for (std::int64_t i = 0; i < rows.length; ++i) grad[i] = inverse * (grad[i] - shift - row[i] * slope);
        }
        if (b.more) {
            const Owned other = contiguous(run[*b.more], DType::float64);
            for (std::int64_t i = 0; i < g.size(); ++i) g.as<double>()[i] += other.as<double>()[i];
        }
        if (b.of_x) copy(g, rows.ordered(run[*b.of_x]));
        store(run, of_weight, b.of_weight);
        store(run, of_bias, b.of_bias);
    };
    return work;
}

// An output that the mask asks for.
Optional wanted(const Call& call, std::size_t index, std::string_view name) {
    const std::vector<bool> mask = call.bools("outputMask");
    call.expect(mask.size() == 3, "outputMask", text("3 truth values, got ", mask.size()));
    if (!mask[index]) return std::nullopt;
    const Optional result = call.optional(name);
    call.expect(result.has_value(), name, "a tensor, since outputMask asks for it");
    return result;
}

Dims normalized_shape(const Call& call) { return Dims(call.ints("normalizedShape")); }

// --- layers ---

Work plan_layer(Call& call) {
    const Tensor x = call.tensor("input");
    Forward f{.x = x, .y = call.tensor("out"), .weight = call.optional("weightOptional"), .bias = call.optional("biasOptional"), .mean = call.optional("meanOutOptional"),
              .spread = call.optional("rstdOutOptional"), .epsilon = call.real("eps")};
    return forward(call, last_axes(call, x, normalized_shape(call), "normalizedShape"), f);
}
Work plan_layer_gradient(Call& call) {
    const Tensor x = call.tensor("input");
    Backward b{.grad = call.tensor("gradOut"), .x = x, .mean = call.tensor("mean"), .spread = call.tensor("rstd"), .weight = call.optional("weightOptional"),
               .of_x = wanted(call, 0, "gradInputOut"), .of_weight = wanted(call, 1, "gradWeightOut"), .of_bias = wanted(call, 2, "gradBiasOut")};
    return backward(call, last_axes(call, x, normalized_shape(call), "normalizedShape"), b);
}
Work plan_add_layer(Call& call) {
    const Tensor x = call.tensor("x1"), gamma = call.tensor("gamma");
    Forward f{.x = x, .y = call.tensor("yOut"), .weight = gamma, .bias = call.tensor("beta"), .mean = call.optional("meanOut"), .spread = call.optional("rstdOut"),
              .epsilon = call.real("epsilon"), .added = {call.tensor("x2")}};
    call.expect_shape(f.added[0], x.shape());
    if (const auto bias = call.optional("biasOptional")) f.added.push_back(*bias);
    if (call.flag("additionalOutput")) f.sum = call.tensor("xOut");
    return forward(call, last_axes(call, x, gamma.shape(), "gamma"), f);
}
Work plan_add_layer_gradient(Call& call) {
    const Tensor x = call.tensor("x1"), gamma = call.tensor("gamma");
    Backward b{.grad = call.tensor("dy"), .x = x, .mean = call.tensor("mean"), .spread = call.tensor("rstd"), .weight = gamma, .of_x = call.tensor("dxOut"),
               .of_weight = call.tensor("dgammaOut"), .of_bias = call.tensor("dbetaOut"), .added = {call.tensor("x2")}, .more = call.optional("dsumOptional")};
    call.expect_shape(b.added[0], x.shape());
    if (b.more) call.expect_shape(*b.more, x.shape());
    return backward(call, last_axes(call, x, gamma.shape(), "gamma"), b);
}
Work plan_deep(Call& call) {
    const Tensor x = call.tensor("x"), gamma = call.tensor("gamma");
    Forward f{.x = x, .y = call.tensor("yOut"), .weight = gamma, .bias = call.tensor("beta"), .mean = call.tensor("meanOut"), .spread = call.tensor("rstdOut"),
              .epsilon = call.real("epsilon"), .added = {call.tensor("gx")}, .factor = call.real("alpha")};
    return forward(call, last_axes(call, x, gamma.shape(), "gamma"), f);
}

// --- the root mean square ---

Work root_mean_square(Call& call, std::string_view first, bool add, double shift) {
    const Tensor x = call.tensor(first), gamma = call.tensor("gamma");
    Forward f{.x = x, .y = call.tensor("yOut"), .weight = gamma, .spread = call.tensor("rstdOut"), .epsilon = call.real("epsilon"), .centred = false, .weight_shift = shift};
    if (add) {
        f.added.push_back(call.tensor("x2"));
        call.expect_shape(f.added[0], x.shape());
        f.sum = call.tensor("xOut");
    }
    return forward(call, last_axes(call, x, gamma.shape(), "gamma"), f);
}
Work plan_root_mean_square_gradient(Call& call) {
    const Tensor x = call.tensor("x"), gamma = call.tensor("gamma");
    Backward b{.grad = call.tensor("dy"), .x = x, .spread = call.tensor("rstd"), .weight = gamma, .of_x = call.tensor("dxOut"), .of_weight = call.tensor("dgammaOut")};
    return backward(call, last_axes(call, x, gamma.shape(), "gamma"), b);
}

// --- groups ---

Work plan_group(Call& call) {
    const Tensor x = call.tensor("self");
    Forward f{.x = x, .y = call.tensor("out"), .weight = call.optional("gamma"), .bias = call.optional("beta"), .mean = call.tensor("meanOut"), .spread = call.tensor("rstdOut"),
              .epsilon = call.real("eps")};
    return forward(call, groups(call, call.integer("N"), call.integer("C"), call.integer("HxW"), call.integer("group"), x), f);
}
template <bool flagged> Work plan_group_silu(Call& call) {
    const Tensor x = call.tensor("self");
    call.expect(x.ndim() >= 2, "self", text("at least two axes, got shape ", x.shape()));
    Forward f{.x = x, .y = call.tensor("out"), .weight = call.optional("gamma"), .bias = call.optional("beta"), .mean = call.tensor("meanOut"), .spread = call.tensor("rstdOut"),
              .epsilon = call.real("eps")};
    if (!flagged || call.flag("activateSilu")) f.after = silu<double>;
    const std::int64_t n = x.length(0), channels = x.length(1);
    return forward(call, groups(call, n, channels, n * channels != 0 ? x.size() / (n * channels) : 0, call.integer("group"), x), f);
}
Work plan_group_swish(Call& call) {
    const Tensor x = call.tensor("x");
    call.expect(x.ndim() >= 2, "x", text("at least two axes, got shape ", x.shape()));
    const std::string format = call.text("dataFormatOptional");
    call.expect(format.empty() || format == "NCHW", "dataFormatOptional", text("NCHW, got ", format));
    Forward f{.x = x, .y = call.tensor("yOut"), .weight = call.tensor("gamma"), .bias = call.tensor("beta"), .mean = call.tensor("meanOut"), .spread = call.tensor("rstdOut"),
              .epsilon = call.real("eps")};
    if (call.flag("activateSwish")) f.after = [scale = call.real("swishScale")](double y) { return y * sigmoid(scale * y); };
    const std::int64_t n = x.length(0), channels = x.length(1);
    return forward(call, groups(call, n, channels, n * channels != 0 ? x.size() / (n * channels) : 0, call.integer("numGroups"), x, "numGroups"), f);
}
Work plan_group_gradient(Call& call) {
    const Tensor x = call.tensor("input");
    Backward b{.grad = call.tensor("gradOut"), .x = x, .mean = call.tensor("mean"), .spread = call.tensor("rstd"), .weight = call.optional("gamma"),
               .of_x = wanted(call, 0, "gradInput"), .of_weight = wanted(call, 1, "gradGammaOut"), .of_bias = wanted(call, 2, "gradBetaOut")};
    return backward(call, groups(call, call.integer("N"), call.integer("C"), call.integer("HxW"), call.integer("group"), x), b);
}

// --- batches ---

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
    const Rows rows = batch(call, x);
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
    const Rows rows = batch(call, x);
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
    Rows rows;
    rows.count = x.length(0) * x.length(last ? 3 : 1);
    rows.weights = x.length(last ? 3 : 1);
    rows.length = rows.count ? x.size() / rows.count : 0;
    rows.kept = Kept::row;
    if (last) rows.order = {0, 3, 1, 2};
    Forward f{.x = x, .y = call.tensor("y"), .weight = call.tensor("gamma"), .bias = call.tensor("beta"), .mean = call.tensor("mean"), .spread = call.tensor("variance"),
              .epsilon = call.real("eps"), .inverse = false};
    return forward(call, rows, f);
}

const Operators normalizations{
    {"aclnnLayerNorm", plan_layer},
    {"aclnnLayerNormWithImplMode", plan_layer},
    {"aclnnLayerNormBackward", plan_layer_gradient, {"gradInputOut", "gradWeightOut", "gradBiasOut"}},
    {"aclnnAddLayerNorm", plan_add_layer, {"meanOut", "rstdOut", "xOut"}},
    {"aclnnAddLayerNormGrad", plan_add_layer_gradient},
    {"aclnnDeepNorm", plan_deep},
    {"aclnnRmsNorm", [](Call& call) { return root_mean_square(call, "x", false, 0); }},
    {"aclnnGemmaRmsNorm", [](Call& call) { return root_mean_square(call, "x", false, 1); }},
    {"aclnnAddRmsNorm", [](Call& call) { return root_mean_square(call, "x1", true, 0); }},
    {"aclnnRmsNormGrad", plan_root_mean_square_gradient},
    {"aclnnGroupNorm", plan_group, {"gamma", "beta"}},
    {"aclnnGroupNormSilu", plan_group_silu<false>, {"gamma", "beta"}},
    {"aclnnGroupNormSiluV2", plan_group_silu<true>, {"gamma", "beta"}},
    {"aclnnGroupNormBackward", plan_group_gradient, {"gamma", "gradInput", "gradGammaOut", "gradBetaOut"}},
    {"aclnnBatchNorm", plan_batch, {"weight", "bias", "runningMean", "runningVar", "saveMean", "saveInvstd"}},
    {"aclnnBatchNormBackward", plan_batch_gradient, {"weight", "runningMean", "runningVar", "saveMean", "saveInvstd", "gradInput", "gradWeight", "gradBias"}},
    {"aclnnBatchNormStats", plan_batch_stats},
    {"aclnnBatchNormElemt", plan_batch_elements, {"weight", "bias"}},
    {"aclnnGroupNormSwish", plan_group_swish},
    {"aclnnInstanceNorm", plan_instance},
};

}  // namespace
}  // namespace cannsim
