// Normalising rows and the gradients of that.
#include "operators/normalized_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace cannsim {
namespace {

Dims trailing(const Dims& shape, int axes) {
    Dims result;
    for (int i = shape.size() - axes; i < shape.size(); ++i) result.push_back(shape[i]);
    return result;
}

}  // namespace

NormalizedRows last_axes(const Call& call, const Tensor& x, const Dims& normalized, std::string_view parameter) {
    call.expect(normalized.size() >= 1 && normalized.size() <= x.ndim() && trailing(x.shape(), normalized.size()) == normalized, parameter,
                text("the last lengths of ", x.shape(), ", got ", normalized));
    NormalizedRows rows;
    for (int i = 0; i < x.ndim(); ++i) (i < x.ndim() - normalized.size() ? rows.count : rows.length) *= x.length(i);
    rows.weights = rows.length;
    return rows;
}
NormalizedRows groups(const Call& call, std::int64_t n, std::int64_t channels, std::int64_t inner, std::int64_t groups, const Tensor& x, std::string_view parameter) {
    call.expect(groups > 0 && channels % groups == 0, parameter, text("a divisor of the ", channels, " channels, got ", groups));
    call.expect(x.size() == n * channels * inner, x.name, text(n * channels * inner, " elements, got shape ", x.shape()));
    NormalizedRows rows;
    rows.count = n * groups;
    rows.length = channels / groups * inner;
    rows.kept = Kept::channel;
    rows.weights = channels;
    rows.inner = inner;
    return rows;
}
NormalizedRows batch(const Call& call, const Tensor& x) {
    call.expect(x.ndim() >= 2, x.name, text("at least two axes, got shape ", x.shape()));
    NormalizedRows rows;
    rows.count = rows.weights = x.length(1);
    rows.length = rows.count ? x.size() / rows.count : 0;
    rows.kept = Kept::row;
    rows.order = {1, 0};
    for (int i = 2; i < x.ndim(); ++i) rows.order.push_back(i);
    return rows;
}

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

Work forward(const Call& call, const NormalizedRows& rows, Forward f) {
    expect_floats(call, f.x);
    call.expect_shape(f.y, f.x.shape());
    call.expect_castable(f.x.dtype, f.y);
    for (const Optional& one : {f.weight, f.bias, f.running_mean, f.running_variance}) expect_count(call, one, rows.weights);
    if (f.training)
        for (const Optional& one : {f.mean, f.spread}) expect_count(call, one, rows.count);
    if (f.sum) call.expect_shape(*f.sum, f.x.shape());
    for (const Tensor& one : f.added)
        call.expect(joined_shape(call, std::array{f.x, one}) == f.x.shape(), one.name, text("a shape that broadcasts to ", f.x.shape(), ", got ", one.shape()));
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

Work backward(const Call& call, const NormalizedRows& rows, Backward b) {
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

Optional wanted(const Call& call, std::size_t index, std::string_view name) {
    const std::vector<bool> mask = call.bools("outputMask");
    call.expect(mask.size() == 3, "outputMask", text("3 truth values, got ", mask.size()));
    if (!mask[index]) return std::nullopt;
    const Optional result = call.optional(name);
    call.expect(result.has_value(), name, "a tensor, since outputMask asks for it");
    return result;
}

}  // namespace cannsim
