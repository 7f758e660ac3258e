// Connectionist temporal classification: the probability of a text over all ways to spread it along a sequence.
#include <algorithm>
#include <cmath>

#include "aclnn/strided.hpp"

namespace cannsim {
namespace {

double added(double a, double b) {  // of logarithms
    const double most = std::max(a, b);
    return most == -HUGE_VAL ? most : most + std::log(std::exp(a - most) + std::exp(b - most));
}

// Probabilities (steps, batch, classes); texts as rows of a matrix, or one behind the other.
struct Texts {
    Tensor logarithms, targets;
    std::vector<std::int64_t> steps, lengths;
    std::int64_t blank, longest, batch, classes, whole;

    Texts(const Call& call, std::string_view target_lengths) : logarithms(call.tensor("logProbs")), targets(call.tensor("targets")), blank(call.integer("blank")) {
        call.expect(logarithms.ndim() == 3, "logProbs", text("shape (steps, batch, classes), got ", logarithms.shape()));
        call.expect(asnumpy::is_float(logarithms.dtype), "logProbs", text("floats, got ", asnumpy::name(logarithms.dtype)));
        call.expect(asnumpy::is_integer(targets.dtype), "targets", text("integers, got ", asnumpy::name(targets.dtype)));
        whole = logarithms.length(0);
        batch = logarithms.length(1);
        classes = logarithms.length(2);
        call.expect(blank >= 0 && blank < classes, "blank", text("a class below ", classes, ", got ", blank));
        const auto read = [&](std::string_view name) {
            const auto given = call.ints(name);
            call.expect(static_cast<std::int64_t>(given.size()) == batch, name, text("a length for each of ", batch, " sequences, got ", given.size()));
            for (const std::int64_t one : given) call.expect(one >= 0, name, text("lengths, got ", one));
            return std::vector<std::int64_t>(given.begin(), given.end());
        };
        steps = read("inputLengths");
        lengths = read(target_lengths);
        for (const std::int64_t one : steps) call.expect(one <= whole, "inputLengths", text("at most ", whole, ", got ", one));
        longest = batch ? *std::ranges::max_element(lengths) : 0;
        std::int64_t total = 0;
        for (const std::int64_t one : lengths) total += one;
        const bool rows = targets.ndim() == 2;
        call.expect(rows ? targets.length(0) == batch && targets.length(1) >= longest : targets.ndim() == 1 && targets.size() >= total, "targets",
                    text("rows of at least ", longest, " or ", total, " numbers, got shape ", targets.shape()));
    }
    std::int64_t states() const { return 2 * longest + 1; }

    // One sequence: its text with blanks between and around.
    struct One {
        const Texts& all;
        std::int64_t n;
        const double* logs;
        std::vector<std::int64_t> labels;
        double log(std::int64_t t, std::int64_t state) const { return logs[(t * all.batch + n) * all.classes + labels[static_cast<std::size_t>(state)]]; }
        bool skips(std::int64_t state) const {  // from two states before: over a blank between different labels
            return state >= 2 && labels[static_cast<std::size_t>(state)] != all.blank && labels[static_cast<std::size_t>(state)] != labels[static_cast<std::size_t>(state - 2)];
        }
    };
    One one(std::int64_t n, const double* logs, const Owned& texts) const {
        std::int64_t first = targets.ndim() == 2 ? n * targets.length(1) : 0;
        for (std::int64_t k = 0; targets.ndim() == 1 && k < n; ++k) first += lengths[static_cast<std::size_t>(k)];
        One result{*this, n, logs, {blank}};
        for (std::int64_t k = 0; k < lengths[static_cast<std::size_t>(n)]; ++k) {
            std::int64_t label = texts.as<std::int64_t>()[first + k];
            if (label < 0 || label >= classes) {
                note(Fault::out_of_bounds, text("aclnnCtcLoss: targets: expected classes below ", classes, ", got ", label));
                label = blank;
            }
            result.labels.push_back(label);
            result.labels.push_back(blank);
        }
        return result;
    }
};

Work plan_loss(Call& call) {
    const Texts texts(call, "targetlengths");
    const Tensor loss = call.tensor("negLogLikelihoodOut"), alphas = call.tensor("logAlphaOut");
    const bool zero_infinity = call.flag("zeroInfinity");
    call.expect_shape(loss, Dims{texts.batch});
    call.expect(alphas.ndim() == 3 && alphas.length(0) == texts.batch && alphas.length(1) == texts.whole && alphas.length(2) >= texts.states(), alphas.name,
                text("shape (", texts.batch, ", ", texts.whole, ", at least ", texts.states(), "), got ", alphas.shape()));
    Work work;
    work.operations = static_cast<double>(alphas.size()) * 8;
    work.compute = [=](const Run& run) {
        const Owned logs = contiguous(run[texts.logarithms], DType::float64), labels = contiguous(run[texts.targets], DType::int64);
        const Owned losses = make(DType::float64, loss.shape()), alpha = make(DType::float64, alphas.shape());
        std::fill_n(alpha.as<double>(), alpha.size(), -HUGE_VAL);
        for (std::int64_t n = 0; n < texts.batch; ++n) {
            const Texts::One one = texts.one(n, logs.as<double>(), labels);
            const auto count = static_cast<std::int64_t>(one.labels.size()), last = texts.steps[static_cast<std::size_t>(n)];
            const auto at = [&](std::int64_t t, std::int64_t s) -> double& { return alpha.as<double>()[(n * texts.whole + t) * alphas.length(2) + s]; };
            for (std::int64_t t = 0; t < last; ++t)
                for (std::int64_t s = 0; s < count; ++s) {
                    double sum = t == 0 ? (s < 2 ? 0 : -HUGE_VAL) : at(t - 1, s);
                    if (t > 0 && s > 0) sum = added(sum, at(t - 1, s - 1));
                    if (t > 0 && one.skips(s)) sum = added(sum, at(t - 1, s - 2));
                    at(t, s) = sum + one.log(t, s);
                }
            const double all = last == 0 ? (count == 1 ? 0 : -HUGE_VAL) : count == 1 ? at(last - 1, 0) : added(at(last - 1, count - 1), at(last - 1, count - 2));
            losses.as<double>()[n] = zero_infinity && all == -HUGE_VAL ? 0 : -all;
        }
        copy(losses, run[loss]);
        copy(alpha, run[alphas]);
    };
    return work;
}

// By the probabilities' scores before the logarithm of the softmax: its own gradient leaves this as it is.
Work plan_loss_gradient(Call& call) {
    const Texts texts(call, "targetLengths");
    const Tensor grad = call.tensor("gradOut"), loss = call.tensor("negLogLikelihood"), alphas = call.tensor("logAlpha"), out = call.tensor("out");
    const bool zero_infinity = call.flag("zeroInfinity");
    for (const Tensor* const one : {&grad, &loss}) call.expect_shape(*one, Dims{texts.batch});
    call.expect(alphas.ndim() == 3 && alphas.length(0) == texts.batch && alphas.length(1) == texts.whole && alphas.length(2) >= texts.states(), alphas.name,
                text("shape (", texts.batch, ", ", texts.whole, ", at least ", texts.states(), "), got ", alphas.shape()));
    call.expect_shape(out, texts.logarithms.shape());
    Work work;
    work.operations = static_cast<double>(alphas.size()) * 16;
    work.compute = [=](const Run& run) {
        const Owned logs = contiguous(run[texts.logarithms], DType::float64), labels = contiguous(run[texts.targets], DType::int64), alpha = contiguous(run[alphas], DType::float64);
        const Owned slopes = contiguous(run[grad], DType::float64), result = make(DType::float64, out.shape());
        std::fill_n(result.as<double>(), result.size(), 0.0);
        for (std::int64_t n = 0; n < texts.batch; ++n) {
            const Texts::One one = texts.one(n, logs.as<double>(), labels);
            const auto count = static_cast<std::int64_t>(one.labels.size()), last = texts.steps[static_cast<std::size_t>(n)];
            const auto before = [&](std::int64_t t, std::int64_t s) { return alpha.as<double>()[(n * texts.whole + t) * alphas.length(2) + s]; };
            const double all = last == 0 ? -HUGE_VAL : count == 1 ? before(last - 1, 0) : added(before(last - 1, count - 1), before(last - 1, count - 2));
            if (last == 0 || (zero_infinity && all == -HUGE_VAL)) continue;
            std::vector<double> beta(static_cast<std::size_t>(count), -HUGE_VAL), next(beta);
            for (std::int64_t t = last - 1; t >= 0; --t) {
                for (std::int64_t s = 0; s < count; ++s) {
                    double sum = t == last - 1 ? (s >= count - 2 ? 0 : -HUGE_VAL) : beta[static_cast<std::size_t>(s)];
                    if (t < last - 1 && s + 1 < count) sum = added(sum, beta[static_cast<std::size_t>(s + 1)]);
                    if (t < last - 1 && s + 2 < count && one.skips(s + 2)) sum = added(sum, beta[static_cast<std::size_t>(s + 2)]);
                    next[static_cast<std::size_t>(s)] = sum + one.log(t, s);
                }
                std::swap(beta, next);
                std::vector<double> both(static_cast<std::size_t>(texts.classes), -HUGE_VAL);
                for (std::int64_t s = 0; s < count; ++s) {
                    double& sum = both[static_cast<std::size_t>(one.labels[static_cast<std::size_t>(s)])];
                    sum = added(sum, before(t, s) + beta[static_cast<std::size_t>(s)]);
                }
                for (std::int64_t c = 0; c < texts.classes; ++c) {
                    const std::int64_t place = (t * texts.batch + n) * texts.classes + c;
                    const double log = logs.as<double>()[place];
                    result.as<double>()[place] = (std::exp(log) - std::exp(both[static_cast<std::size_t>(c)] - all - log)) * slopes.as<double>()[n];
                }
            }
        }
        copy(result, run[out]);
    };
    return work;
}

const Operators alignment_losses{{"aclnnCtcLoss", plan_loss}, {"aclnnCtcLossBackward", plan_loss_gradient}};

}  // namespace
}  // namespace cannsim
