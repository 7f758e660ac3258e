// Losses and their gradients: a value for each element, kept so, summed, or averaged.
#include <concepts>
#include <optional>

#include "operators/formula.hpp"
#include "operators/loss_reduction.hpp"
#include "operators/slopes.hpp"

namespace cannsim {
namespace {

using std::array;

// f(inputs...) of each element of the inputs' broadcast shape; the sum's divisor is the number of elements, or of the batch.
template <std::size_t N, class F> Work loss(const Call& call, const array<Tensor, N>& ins, const Tensor& out, std::int64_t reduction, F f) {
    for (const Tensor& in : ins) expect_floats(call, in);
    const DType dtype = promoted(call, ins);
    if (reduction == Reduction::none) return formula<double, N, 1>(call, ins, array{out}, dtype, f);
    call.expect(out.size() == 1, out.name, text("one element, got shape ", out.shape()));
    call.expect_castable(dtype, out);
    const Dims shape = joined_shape(call, ins);
    Work work;
    work.operations = static_cast<double>(asnumpy::count(shape)) * 4;
    work.compute = [=](const Run& run) {
        const Owned each = make(DType::float64, shape);
        [&]<std::size_t... K>(std::index_sequence<K...>) { apply_formula<double, N, 1>(array<Array, N>{run[ins[K]]...}, array<Array, 1>{each}, f); }(std::make_index_sequence<N>{});
        double total = 0;
        for (std::int64_t i = 0; i < each.size(); ++i) total += each.as<double>()[i];
        if (reduction == Reduction::mean) total /= static_cast<double>(each.size());
        if (reduction == Reduction::batch_mean) total /= static_cast<double>(shape.empty() ? 1 : shape[0]);
        const Array one{reinterpret_cast<std::byte*>(&total), DType::float64, {}, {}};
        copy(broadcast_to(one, out.shape()), run[out]);
    };
    return work;
}

// The first input is the gradient of the loss: of one element, or of each.
template <std::size_t N, class F> Work slope(const Call& call, const array<Tensor, N>& ins, const Tensor& out, std::int64_t reduction, F f) {
    for (const Tensor& in : ins) expect_floats(call, in);
    const double divisor = reduction == Reduction::mean ? static_cast<double>(out.size()) : reduction == Reduction::batch_mean && out.ndim() ? static_cast<double>(out.length(0)) : 1;
    return formula<double, N, 1>(call, ins, array{out}, promoted(call, ins), [f, divisor](double g, auto... x) { return g * f(x...) / divisor; });
}

template <class F> Operator simple_loss(std::string_view name, F f, const char* out = "out") {
    return {name, [f, out](Call& call) { return loss<2>(call, array{call.tensor("self"), call.tensor("target")}, call.tensor(out), reduction_of(call), f); }};
}
template <class F> Operator simple_slope(std::string_view name, F f) {
    return {name, [f](Call& call) { return slope<3>(call, array{call.tensor_at(0), call.tensor("self"), call.tensor("target")}, first_output(call), reduction_of(call), f); }};
}

constexpr auto square = [](double x, double t) { return (x - t) * (x - t); };

const Operators simple{
    simple_loss("aclnnMseLoss", square),
    simple_loss("aclnnMseLossOut", square),
    simple_slope("aclnnMseLossBackward", [](double x, double t) { return 2 * (x - t); }),
    simple_loss("aclnnL1Loss", [](double x, double t) { return std::abs(x - t); }),
    simple_slope("aclnnL1LossBackward", [](double x, double t) { return static_cast<double>((x > t) - (x < t)); }),
    simple_loss("aclnnSoftMarginLoss", [](double x, double t) { return softplus(-t * x); }),
    simple_slope("aclnnSoftMarginLossBackward", [](double x, double t) { return -t * sigmoid(-t * x); }),
};

// --- losses with parameters of their own ---

Work plan_smooth(Call& call) {
    const double beta = call.real("beta");
    call.expect(beta >= 0, "beta", text("at least 0, got ", beta));
    return loss<2>(call, array{call.tensor("self"), call.tensor("target")}, call.tensor("result"), reduction_of(call), [beta](double x, double t) {
        const double d = std::abs(x - t);
        return d < beta ? 0.5 * d * d / beta : d - 0.5 * beta;
    });
}
Work plan_smooth_slope(Call& call) {
    const double beta = call.real("beta");
    return slope<3>(call, array{call.tensor("gradOut"), call.tensor("self"), call.tensor("target")}, call.tensor("gradInput"), reduction_of(call), [beta](double x, double t) {
        const double d = x - t;
        return d <= -beta ? -1 : d >= beta ? 1 : d / beta;
    });
}

Work plan_divergence(Call& call) {
    const bool logarithms = call.flag("logTarget");
    return loss<2>(call, array{call.tensor("self"), call.tensor("target")}, call.tensor("out"), reduction_of(call, true), [logarithms](double x, double t) {
        if (logarithms) return std::exp(t) * (t - x);
        return (t == 0 ? 0 : t * std::log(t)) - t * x;
    });
}
Work plan_divergence_slope(Call& call) {
    const bool logarithms = call.flag("logTarget");
    return slope<3>(call, array{call.tensor("gradOutput"), call.tensor("self"), call.tensor("target")}, call.tensor("out"), reduction_of(call, true),
                    [logarithms](double, double t) { return -(logarithms ? std::exp(t) : t); });
}
Work plan_divergence_target_slope(Call& call) {
    const bool logarithms = call.flag("logTarget");
    return slope<3>(call, array{call.tensor("gradOutput"), call.tensor("self"), call.tensor("target")}, call.tensor("gradTarget"), reduction_of(call, true),
                    [logarithms](double x, double t) { return logarithms ? std::exp(t) * (t - x + 1) : t > 0 ? std::log(t) - x + 1 : 0; });
}

// f(tensors, first weight, second weight): a weight that is missing is 1.
template <bool gradient, class F>
Work with_weights(const Call& call, std::vector<Tensor> tensors, std::initializer_list<std::string_view> names, const Tensor& out, F f) {
    array<bool, 2> given{};
    for (std::size_t k = 0; const std::string_view name : names) {
        const auto weight = call.optional(name);
        given[k++] = weight.has_value();
        if (weight) tensors.push_back(*weight);
    }
    const auto each = [f, given](std::same_as<double> auto... x) {
        const array<double, sizeof...(x)> all{x...};
        std::size_t next = all.size() - given[0] - given[1];
        const double first = given[0] ? all[next++] : 1, second = given[1] ? all[next] : 1;
        return f(all.data(), first, second);
    };
    const auto planned = [&]<std::size_t N>() {
        array<Tensor, N + gradient> ins;
        std::copy_n(tensors.begin(), ins.size(), ins.begin());
        if constexpr (gradient) return slope(call, ins, out, reduction_of(call), each);
        else return loss(call, ins, out, reduction_of(call), each);
    };
    switch (tensors.size() - gradient) {
        case 2: return planned.template operator()<2>();
        case 3: return planned.template operator()<3>();
        default: return planned.template operator()<4>();
    }
}

double held_log(double x) { return std::max(std::log(x), -100.0); }

Work plan_cross_entropy_of_two(Call& call) {
    return with_weights<false>(call, {call.tensor("self"), call.tensor("target")}, {"weight"}, call.tensor("out"),
                        [](const double* x, double w, double) { return -w * (x[1] * held_log(x[0]) + (1 - x[1]) * held_log(1 - x[0])); });
}
Work plan_cross_entropy_of_two_slope(Call& call) {
    return with_weights<true>(call, {call.tensor("gradOutput"), call.tensor("self"), call.tensor("target")}, {"weightOptional"}, call.tensor("out"),
                        [](const double* x, double w, double) { return w * (x[0] - x[1]) / std::max((1 - x[0]) * x[0], 1e-12); });
}
Work plan_logits(Call& call) {
    return with_weights<false>(call, {call.tensor("self"), call.tensor("target")}, {"weightOptional", "posWeightOptional"}, call.tensor("out"),
                        [](const double* x, double w, double p) { return w * ((1 - x[1]) * softplus(x[0]) + p * x[1] * softplus(-x[0])); });
}
Work plan_logits_slope(Call& call) {
    return with_weights<true>(call, {call.tensor("gradOutput"), call.tensor("self"), call.tensor("target")}, {"weightOptional", "posWeightOptional"}, call.tensor("out"),
                        [](const double* x, double w, double p) { return w * ((1 - x[1]) * sigmoid(x[0]) - p * x[1] * sigmoid(-x[0])); });
}
Work plan_logits_target_slope(Call& call) {
    return with_weights<true>(call, {call.tensor("gradOutput"), call.tensor("self"), call.tensor("target")}, {"weightOptional", "posWeightOptional"}, call.tensor("gradTarget"),
                        [](const double* x, double w, double p) { return w * (p * softplus(-x[0]) - softplus(x[0])); });
}

const Operators with_parameters{
    {"aclnnSmoothL1Loss", plan_smooth},
    {"aclnnSmoothL1LossBackward", plan_smooth_slope},
    {"aclnnKlDiv", plan_divergence},
    {"aclnnKlDivBackward", plan_divergence_slope},
    {"aclnnKlDivTargetBackward", plan_divergence_target_slope},
    {"aclnnBinaryCrossEntropy", plan_cross_entropy_of_two, {"weight"}},
    {"aclnnBinaryCrossEntropyBackward", plan_cross_entropy_of_two_slope},
    {"aclnnBinaryCrossEntropyWithLogits", plan_logits},
    {"aclnnBinaryCrossEntropyWithLogitsBackward", plan_logits_slope},
    {"aclnnBinaryCrossEntropyWithLogitsTargetBackward", plan_logits_target_slope},
};

}  // namespace
}  // namespace cannsim
