// Losses of a chosen class: of logarithms of probabilities, and of scores.
#include <optional>

#include "operators/formula.hpp"
#include "operators/loss_reduction.hpp"

namespace cannsim {
namespace {

// Scores (N, C, ...) or (C), classes (N, ...) or (), brought to one layout: class the last axis.
struct Classes {
    Tensor self, target;
    std::optional<Tensor> weight;
    std::int64_t count, classes;
    std::vector<int> order;
    std::int64_t ignored;

    Classes(const Call& call, std::string_view scores, std::string_view targets, std::string_view weights, std::string_view ignore)
        : self(call.tensor(scores)), target(call.tensor(targets)), weight(call.optional(weights)), ignored(call.integer(ignore)) {
        expect_floats(call, self);
        call.expect(self.ndim() >= 1, scores, "at least one axis");
        call.expect(target.dtype == DType::int64 || target.dtype == DType::int32 || target.dtype == DType::uint8, targets, text("int64, int32 or uint8, got ", asnumpy::name(target.dtype)));
        const int axis = self.ndim() == 1 ? 0 : 1;
        classes = self.length(axis);
        Dims wanted;
        for (int i = 0; i < self.ndim(); ++i) {
            if (i == axis) continue;
            order.push_back(i);
            wanted.push_back(self.length(i));
        }
        order.push_back(axis);
        count = asnumpy::count(wanted);
        call.expect(target.size() == count && (target.shape() == wanted || wanted.empty()), targets, text("shape ", wanted, ", got ", target.shape()));
        if (weight) call.expect(weight->size() == classes, weight->name, text(classes, " elements, got shape ", weight->shape()));
    }
    Dims each() const {
        Dims shape;
        for (std::size_t i = 0; i + 1 < order.size(); ++i) shape.push_back(self.length(order[i]));
        return shape;
    }
    std::vector<double> weights(const Run& run) const {
        std::vector<double> result(static_cast<std::size_t>(classes), 1.0);
        if (weight) {
            const Owned copied = contiguous(run[*weight], DType::float64);
            std::copy_n(copied.as<double>(), classes, result.data());
        }
        return result;
    }
    // The class of element i; -1: none, it is ignored or out of range.
    std::int64_t chosen(const Owned& targets, std::int64_t i) const {
        const std::int64_t value = targets.as<std::int64_t>()[i];
        return value == ignored || value < 0 || value >= classes ? -1 : value;
    }
};

void store_one(const Run& run, double value, const Tensor& to) {
    const Array one{reinterpret_cast<std::byte*>(&value), DType::float64, {}, {}};
    copy(broadcast_to(one, to.shape()), run[to]);
}
void store_each(const Run& run, std::vector<double>& values, const Tensor& to) {
    const Owned all = make(DType::float64, to.shape());
    std::copy_n(values.data(), all.size(), all.as<double>());
    copy(all, run[to]);
}

std::int64_t reduction_by_name(const Call& call) {
    const std::string name = call.text("reductionOptional");
    call.expect(name.empty() || name == "mean" || name == "sum" || name == "none", "reductionOptional", text("mean, sum or none, got ", name));
    return name == "none" ? Reduction::none : name == "sum" ? Reduction::sum : Reduction::mean;
}

Work plan_likelihood(Call& call) {
    const Classes c(call, "self", "target", "weight", "ignoreIndex");
    const std::int64_t reduction = reduction_of(call);
    const Tensor out = call.tensor("out"), total = call.tensor("totalWeightOut");
    call.expect(total.size() == 1, total.name, text("one element, got shape ", total.shape()));
    if (reduction == Reduction::none) call.expect(out.size() == c.count, out.name, text("shape ", c.each(), ", got ", out.shape()));
    else call.expect(out.size() == 1, out.name, text("one element, got shape ", out.shape()));
    Work work;
    work.operations = static_cast<double>(c.count);
    work.compute = [=](const Run& run) {
        const Owned scores = contiguous(permuted(run[c.self], c.order), DType::float64), targets = contiguous(run[c.target], DType::int64);
        const std::vector<double> weights = c.weights(run);
        std::vector<double> losses;
        double all = 0, weight = 0;
        for (std::int64_t i = 0; i < c.count; ++i) {
            const std::int64_t k = c.chosen(targets, i);
            losses.push_back(k < 0 ? 0 : -weights[static_cast<std::size_t>(k)] * scores.as<double>()[i * c.classes + k]);
            all += losses.back();
            weight += k < 0 ? 0 : weights[static_cast<std::size_t>(k)];
        }
        if (reduction == Reduction::none) store_each(run, losses, out);
        else store_one(run, reduction == Reduction::mean ? all / weight : all, out);
        store_one(run, weight, total);
    };
    return work;
}

Work plan_likelihood_slope(Call& call) {
    const Classes c(call, "self", "target", "weight", "ignoreIndex");
    const std::int64_t reduction = reduction_of(call);
    const Tensor grad = call.tensor("gradOutput"), total = call.tensor("totalWeight"), out = call.tensor("out");
    call.expect_shape(out, c.self.shape());
    call.expect(grad.size() == (reduction == Reduction::none ? c.count : 1), grad.name, text(reduction == Reduction::none ? c.count : 1, " elements, got shape ", grad.shape()));
    Work work;
    work.operations = static_cast<double>(c.count);
    work.compute = [=](const Run& run) {
        const Owned targets = contiguous(run[c.target], DType::int64), grads = contiguous(run[grad], DType::float64), weight = contiguous(run[total], DType::float64);
        const Array place = permuted(run[out], c.order);
        const Owned results = make(DType::float64, place.shape);
        std::fill_n(results.as<double>(), results.size(), 0.0);
        const std::vector<double> weights = c.weights(run);
        for (std::int64_t i = 0; i < c.count; ++i) {
            const std::int64_t k = c.chosen(targets, i);
            if (k < 0) continue;
            const double g = grads.as<double>()[reduction == Reduction::none ? i : 0] / (reduction == Reduction::mean ? weight.as<double>()[0] : 1);
            results.as<double>()[i * c.classes + k] = -weights[static_cast<std::size_t>(k)] * g;
        }
        copy(results, place);
    };
    return work;
}

// Cross entropy of scores: the likelihood of log softmax, part of which may be spread over all classes.
Work plan_cross_entropy(Call& call) {
    const Classes c(call, "input", "target", "weightOptional", "ignoreIndex");
    const std::int64_t reduction = reduction_by_name(call);
    const double smoothing = call.real("labelSmoothing"), square = call.real("lseSquareScaleForZloss");
    const Tensor out = call.tensor("lossOut"), logarithms = call.tensor("logProbOut");
    const bool with_z = call.flag("returnZloss");
    const std::optional<Tensor> z = with_z ? call.optional("zlossOut") : std::nullopt, sums = with_z ? call.optional("lseForZlossOut") : std::nullopt;
    call.expect(c.self.ndim() == 2, "input", text("two axes, got shape ", c.self.shape()));
    call.expect(smoothing >= 0 && smoothing <= 1, "labelSmoothing", text("from 0 to 1, got ", smoothing));
    call.expect_shape(logarithms, c.self.shape());
    call.expect(out.size() == (reduction == Reduction::none ? c.count : 1), out.name, text(reduction == Reduction::none ? c.count : 1, " elements, got shape ", out.shape()));
    Work work;
    work.operations = static_cast<double>(c.self.size()) * 8;
    work.compute = [=](const Run& run) {
        const Owned x = contiguous(run[c.self], DType::float64), targets = contiguous(run[c.target], DType::int64);
        const std::vector<double> weights = c.weights(run);
        std::vector<double> losses, logs, squares;
        double all = 0, weight = 0, all_z = 0, counted = 0;
        for (std::int64_t i = 0; i < c.count; ++i) {
            double* const row = x.as<double>() + i * c.classes;
            const double top = *std::max_element(row, row + c.classes);
            double total = 0, spread = 0;
            for (std::int64_t k = 0; k < c.classes; ++k) total += std::exp(row[k] - top);
            const double level = top + std::log(total);
            for (std::int64_t k = 0; k < c.classes; ++k) {
                row[k] -= level;
                spread -= weights[static_cast<std::size_t>(k)] * row[k];
            }
            const std::int64_t k = c.chosen(targets, i);
            const double own = k < 0 ? 0 : weights[static_cast<std::size_t>(k)];
            losses.push_back(k < 0 ? 0 : -(1 - smoothing) * own * row[k] + smoothing / static_cast<double>(c.classes) * spread);
            logs.push_back(level);
            squares.push_back(k < 0 ? 0 : square * level * level);
            all += losses.back();
            all_z += squares.back();
            weight += own;
            counted += k >= 0;
        }
        copy(x, run[logarithms]);
        if (sums && sums->size() == c.count) store_each(run, logs, *sums);
        if (reduction == Reduction::none) store_each(run, losses, out);
        else store_one(run, reduction == Reduction::mean ? all / weight : all, out);
        if (z && reduction == Reduction::none && z->size() == c.count) store_each(run, squares, *z);
        else if (z && z->size() == 1) store_one(run, reduction == Reduction::mean ? all_z / counted : all_z, *z);
    };
    return work;
}
Work plan_cross_entropy_slope(Call& call) {
    const Classes c(call, "logProb", "target", "weightOptional", "ignoreIndex");
    const std::int64_t reduction = reduction_by_name(call);
    const double smoothing = call.real("labelSmoothing");
    const Tensor grad = call.tensor("gradLoss"), out = call.tensor("out");
    call.expect(c.self.ndim() == 2, "logProb", text("two axes, got shape ", c.self.shape()));
    call.expect_shape(out, c.self.shape());
    call.expect(!call.given("gradZlossOptional"), "gradZlossOptional", "no gradient of the z-loss: the simulator does not have it");
    call.expect(grad.size() == (reduction == Reduction::none ? c.count : 1), grad.name, text(reduction == Reduction::none ? c.count : 1, " elements, got shape ", grad.shape()));
    Work work;
    work.operations = static_cast<double>(c.self.size()) * 4;
    work.compute = [=](const Run& run) {
        const Owned logs = contiguous(run[c.self], DType::float64), targets = contiguous(run[c.target], DType::int64), grads = contiguous(run[grad], DType::float64);
        const std::vector<double> weights = c.weights(run);
        double weight = 0, every = 0;
        for (const double one : weights) every += one;
        for (std::int64_t i = 0; i < c.count; ++i)
            if (const std::int64_t k = c.chosen(targets, i); k >= 0) weight += weights[static_cast<std::size_t>(k)];
        for (std::int64_t i = 0; i < c.count; ++i) {
            double* const row = logs.as<double>() + i * c.classes;
            const std::int64_t k = c.chosen(targets, i);
            const double g = k < 0 ? 0 : grads.as<double>()[reduction == Reduction::none ? i : 0] / (reduction == Reduction::mean ? weight : 1), part = smoothing / static_cast<double>(c.classes);
            const double own = k < 0 ? 0 : (1 - smoothing) * weights[static_cast<std::size_t>(k)];
            for (std::int64_t j = 0; j < c.classes; ++j) {
                const double wanted = part * weights[static_cast<std::size_t>(j)] + (j == k ? own : 0);
                row[j] = g * (std::exp(row[j]) * (own + part * every) - wanted);
            }
        }
        copy(logs, run[out]);
    };
    return work;
}

// Each row names its classes, up to the first number below 0: how far others come near to them.
Work plan_margins(Call& call) {
    const Tensor self = call.tensor("self"), target = call.tensor("target"), out = call.tensor("out"), marks = call.tensor("isTarget");
    const std::int64_t reduction = reduction_of(call);
    expect_floats(call, self);
    call.expect(self.ndim() <= 2, "self", text("at most 2 axes, got shape ", self.shape()));
    call.expect(asnumpy::is_integer(target.dtype), "target", text("integers, got ", asnumpy::name(target.dtype)));
    call.expect_shape(target, self.shape());
    call.expect_shape(marks, self.shape());
    const std::int64_t classes = self.ndim() ? self.shape().back() : 1, rows = self.ndim() == 2 ? self.length(0) : 1;
    call.expect(out.size() == (reduction == Reduction::none ? rows : 1), "out", text(reduction == Reduction::none ? rows : 1, " elements, got shape ", out.shape()));
    Work work;
    work.operations = static_cast<double>(self.size()) * static_cast<double>(classes);
    work.compute = [=](const Run& run) {
        const Owned x = contiguous(run[self], DType::float64), targets = contiguous(run[target], DType::int64), wanted = make(DType::float64, self.shape());
        std::fill_n(wanted.as<double>(), wanted.size(), 0.0);
        std::vector<double> losses;
        double all = 0;
        for (std::int64_t i = 0; i < rows; ++i) {
            const double* const row = x.as<double>() + i * classes;
            double* const mark = wanted.as<double>() + i * classes;
            const std::int64_t* const named = targets.as<std::int64_t>() + i * classes;
            std::int64_t count = 0;
            for (; count < classes && named[count] >= 0; ++count) {
                if (named[count] < classes) mark[named[count]] = 1;
                else note(Fault::out_of_bounds, text("aclnnMultilabelMarginLoss: target: expected classes below ", classes, ", got ", named[count]));
            }
            double sum = 0;
            for (std::int64_t k = 0; k < count; ++k)
                for (std::int64_t j = 0; named[k] < classes && j < classes; ++j)
                    if (mark[j] == 0) sum += std::max(0.0, 1 - row[named[k]] + row[j]);
            losses.push_back(sum / static_cast<double>(classes));
            all += losses.back();
        }
        copy(wanted, run[marks]);
        if (reduction == Reduction::none) store_each(run, losses, out);
        else store_one(run, reduction == Reduction::mean ? all / static_cast<double>(rows) : all, out);
    };
    return work;
}

const Operators class_losses{
    {"aclnnMultilabelMarginLoss", plan_margins},
    {"aclnnNLLLoss", plan_likelihood, {"weight"}},
    {"aclnnNLLLoss2d", plan_likelihood, {"weight"}},
    {"aclnnNLLLossBackward", plan_likelihood_slope, {"weight"}},
    {"aclnnNLLLoss2dBackward", plan_likelihood_slope, {"weight"}},
    {"aclnnCrossEntropyLoss", plan_cross_entropy, {"zlossOut", "lseForZlossOut"}},
    {"aclnnCrossEntropyLossGrad", plan_cross_entropy_slope},
};

}  // namespace
}  // namespace cannsim
