// Steps of optimizers.
#include <optional>

#include "operators/formula.hpp"

namespace cannsim {
namespace {

using std::array;

// The number in a tensor of one element, read when the work runs.
double one_number(const Run& run, const Tensor& tensor) {
    const Owned value = contiguous(run[tensor], DType::float64);
    return value.as<double>()[0];
}
void expect_same(const Call& call, const Tensor& var, std::initializer_list<const Tensor*> others) {
    expect_floats(call, var);
    for (const Tensor* const other : others) {
        expect_floats(call, *other);
        call.expect_shape(*other, var.shape());
    }
}

// Adam with decoupled weight decay; `step` counts the steps already made.
Work plan_adam_w(Call& call) {
    const Tensor var = call.tensor("varRef"), m = call.tensor("mRef"), v = call.tensor("vRef"), grad = call.tensor("grad"), step = call.tensor("step");
    const std::optional<Tensor> top = call.optional("maxGradNormOptionalRef");
    const double lr = call.real("lr"), beta1 = call.real("beta1"), beta2 = call.real("beta2"), decay = call.real("weightDecay"), eps = call.real("eps");
    const bool amsgrad = call.flag("amsgrad"), maximize = call.flag("maximize");
    expect_same(call, var, {&m, &v, &grad});
    call.expect(step.size() == 1, "step", text("one element, got shape ", step.shape()));
    call.expect(!amsgrad || top, "maxGradNormOptionalRef", "a tensor where amsgrad is true");
    if (amsgrad) expect_same(call, var, {&*top});
    Work work;
    work.operations = static_cast<double>(var.size()) * 12;
    work.compute = [=](const Run& run) {
        const double t = one_number(run, step) + 1, first = 1 - std::pow(beta1, t), second = 1 - std::pow(beta2, t);
        const auto next = [=](double x, double m0, double v0, double g, double largest) {
            if (maximize) g = -g;
            x *= 1 - lr * decay;
            const double m1 = beta1 * m0 + (1 - beta1) * g, v1 = beta2 * v0 + (1 - beta2) * g * g, most = amsgrad ? std::max(largest, v1) : v1;
            return array{x - lr * (m1 / first) / (std::sqrt(most / second) + eps), m1, v1, most};
        };
        if (amsgrad)
            return apply_formula<double, 5, 4>(array<Array, 5>{run[var], run[m], run[v], run[grad], run[*top]}, array<Array, 4>{run[var], run[m], run[v], run[*top]}, next);
        apply_formula<double, 4, 3>(array<Array, 4>{run[var], run[m], run[v], run[grad]}, array<Array, 3>{run[var], run[m], run[v]},
                                    [next](double x, double m0, double v0, double g) { return next(x, m0, v0, g, 0); });
    };
    return work;
}

// Adam (mode 0: decay joins the gradient; 1: it is decoupled) with a running average of the weights.
Work plan_ema_adam(Call& call) {
    const Tensor grad = call.tensor("grad"), var = call.tensor("varRef"), m = call.tensor("mRef"), v = call.tensor("vRef"), s = call.tensor("sRef"), step = call.tensor("step");
    const double lr = call.real("lr"), average = call.real("emaDecay"), beta1 = call.real("beta1"), beta2 = call.real("beta2"), eps = call.real("eps"), decay = call.real("weightDecay");
    const bool decoupled = call.integer("mode") != 0, corrected = call.flag("biasCorrection");
    call.expect(call.integer("mode") == 0 || call.integer("mode") == 1, "mode", text("0 or 1, got ", call.integer("mode")));
    expect_same(call, var, {&grad, &m, &v, &s});
    call.expect(step.size() == 1, "step", text("one element, got shape ", step.shape()));
    Work work;
    work.operations = static_cast<double>(var.size()) * 14;
    work.compute = [=](const Run& run) {
        const double t = one_number(run, step), first = corrected ? 1 - std::pow(beta1, t) : 1, second = corrected ? 1 - std::pow(beta2, t) : 1;
        apply_formula<double, 5, 4>(array<Array, 5>{run[grad], run[var], run[m], run[v], run[s]}, array<Array, 4>{run[var], run[m], run[v], run[s]},
                                    [=](double g, double x, double m0, double v0, double s0) {
                                        if (!decoupled) g += decay * x;
                                        const double m1 = beta1 * m0 + (1 - beta1) * g, v1 = beta2 * v0 + (1 - beta2) * g * g;
                                        const double update = m1 / first / (std::sqrt(v1 / second) + eps) + (decoupled ? decay * x : 0), x1 = x - lr * update;
                                        return array{x1, m1, v1, average * s0 + (1 - average) * x1};
                                    });
    };
    return work;
}

const Operators optimizers{{"aclnnApplyAdamWV2", plan_adam_w}, {"aclnnApplyFusedEmaAdam", plan_ema_adam}};

}  // namespace
}  // namespace cannsim
