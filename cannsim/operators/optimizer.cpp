// Steps of optimizers, and the scaling of losses whose gradients would be too small for 16 bits.
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
void expect_all_same(const Call& call, const Tensor& var, std::initializer_list<const Tensor*> others) {
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
    expect_all_same(call, var, {&m, &v, &grad});
    call.expect(step.size() == 1, "step", text("one element, got shape ", step.shape()));
    call.expect(!amsgrad || top, "maxGradNormOptionalRef", "a tensor where amsgrad is true");
    if (amsgrad) expect_all_same(call, var, {&*top});
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
    expect_all_same(call, var, {&grad, &m, &v, &s});
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

// Stochastic gradient descent with momentum, of all parameters at once.
Work plan_sgd(Call& call) {
    const std::vector<Tensor> params = call.tensors("paramsRef"), grads = call.tensors("gradsRef");
    const std::vector<std::optional<Tensor>> buffers = call.optional_tensors("momentumBufferListOptionalRef");
    const std::optional<Tensor> scale = call.optional("gradScaleOptional");
    const double decay = call.real("weightDecay"), momentum = call.real("momentum"), lr = call.real("lr"), dampening = call.real("dampening");
    const bool nesterov = call.flag("nesterov"), maximize = call.flag("maximize"), first = call.flag("isFirstStep");
    call.expect(!params.empty() && grads.size() == params.size(), "gradsRef", text(params.size(), " tensors as in paramsRef, got ", grads.size()));
    call.expect(momentum == 0 || buffers.size() == params.size(), "momentumBufferListOptionalRef", text(params.size(), " tensors where momentum is not 0, got ", buffers.size()));
    if (scale) call.expect(scale->size() == 1, "gradScaleOptional", text("one element, got shape ", scale->shape()));
    Work work;
    for (std::size_t k = 0; k < params.size(); ++k) {
        expect_all_same(call, params[k], {&grads[k]});
        if (momentum != 0) {
            call.expect(buffers[k].has_value(), "momentumBufferListOptionalRef", "tensors where momentum is not 0, got null");
            expect_all_same(call, params[k], {&*buffers[k]});
        }
        work.operations += static_cast<double>(params[k].size()) * 6;
    }
    work.compute = [=](const Run& run) {
        const double factor = (maximize ? -1 : 1) / (scale ? one_number(run, *scale) : 1);
        const auto next = [=](double x, double g, double buffer) {
            g = g * factor + decay * x;
            const double moved = momentum == 0 ? g : first ? g : momentum * buffer + (1 - dampening) * g;
            return array{x - lr * (nesterov ? g + momentum * moved : moved), moved};
        };
        for (std::size_t k = 0; k < params.size(); ++k) {
            if (momentum != 0)
                apply_formula<double, 3, 2>(array<Array, 3>{run[params[k]], run[grads[k]], run[*buffers[k]]}, array<Array, 2>{run[params[k]], run[*buffers[k]]}, next);
            else
                apply_formula<double, 2, 1>(array<Array, 2>{run[params[k]], run[grads[k]]}, array<Array, 1>{run[params[k]]}, [next](double x, double g) { return next(x, g, 0)[0]; });
        }
    };
    return work;
}

// Gradients of a loss that was scaled up: scaled back, and whether one of them is not finite.
Work plan_unscale(Call& call) {
    const std::vector<Tensor> grads = call.tensors("scaledGrads");
    const Tensor found = call.tensor("foundInf"), scale = call.tensor("invScale");
    for (const Tensor* const one : {&found, &scale}) call.expect(one->size() == 1, one->name, text("one element, got shape ", one->shape()));
    Work work;
    for (const Tensor& grad : grads) {
        expect_floats(call, grad);
        work.operations += static_cast<double>(grad.size()) * 2;
    }
    work.compute = [=](const Run& run) {
        const double factor = one_number(run, scale);
        bool finite = true;
        for (const Tensor& grad : grads) {
            const Owned values = contiguous(run[grad], DType::float64);
            for (std::int64_t i = 0; i < values.size(); ++i) {
                finite = finite && std::isfinite(values.as<double>()[i]);
                values.as<double>()[i] *= factor;
            }
            copy(values, run[grad]);
        }
        if (finite) return;
        double one = 1;
        copy(broadcast_to(Array{reinterpret_cast<std::byte*>(&one), DType::float64, {}, {}}, found.shape()), run[found]);
    };
    return work;
}

// The scale for the next step: smaller after one whose gradients were not finite, larger after many that were.
Work plan_update_scale(Call& call) {
    const Tensor scale = call.tensor("currentScale"), tracker = call.tensor("growthTracker"), found = call.tensor("foundInf");
    const Tensor new_scale = call.tensor("updatedScaleOut"), new_tracker = call.tensor("updatedGrowthTrackerOut");
    for (const Tensor* const one : {&scale, &tracker, &found, &new_scale, &new_tracker}) call.expect(one->size() == 1, one->name, text("one element, got shape ", one->shape()));
    const double growth = call.real("growthFactor"), backoff = call.real("backoffFactor");
    const std::int64_t interval = call.integer("growthInterval");
    Work work;
    work.compute = [=](const Run& run) {
        double value = one_number(run, scale), steps = one_number(run, tracker);
        if (one_number(run, found) != 0) {
            value *= backoff;
            steps = 0;
        } else if (++steps == static_cast<double>(interval)) {
            const auto grown = static_cast<float>(value * growth);
            if (std::isfinite(grown)) value = static_cast<double>(grown);
            steps = 0;
        }
        for (const auto& [number, to] : {std::pair{&value, &new_scale}, {&steps, &new_tracker}})
            copy(broadcast_to(Array{reinterpret_cast<std::byte*>(number), DType::float64, {}, {}}, to->shape()), run[*to]);
    };
    return work;
}

const Operators optimizers{
    {"aclnnApplyAdamWV2", plan_adam_w},
    {"aclnnApplyFusedEmaAdam", plan_ema_adam},
    {"aclnnFusedSgd", plan_sgd, {"momentumBufferListOptionalRef"}},
    {"aclnnForeachNonFiniteCheckAndUnscale", plan_unscale},
    {"aclnnAmpUpdateScale", plan_update_scale},
};

}  // namespace
}  // namespace cannsim
