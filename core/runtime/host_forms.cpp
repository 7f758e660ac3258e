// The activations and normalisations of asnumpy.nn, and products that are added with factors, number by number.
#include "runtime/host_forms.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "ops/structured.hpp"
#include "runtime/record.hpp"
#include "runtime/single.hpp"

namespace asnumpy {
namespace {

using Doubles = std::vector<double>;

Array cast_at_once(const Array& from, const Array& to) {
    Instruction i;
    i.row = cast_row();
    i.loop = static_cast<std::uint16_t>(cast_loop(from.dtype, to.dtype));
    i.shape = to.shape();
    i.in.emplace_back(from);
    i.out.emplace_back(to);
    run_now(i);
    return to;
}

Array as_float64(const Array& a) {
    const Array made = new_array(a.shape(), DType::float64, cpu_pool());
    made.buffer->materialise();
    return a.size() ? cast_at_once(a, made) : made;
}
std::span<double> numbers_of(const Array& a) { return {reinterpret_cast<double*>(a.data()), static_cast<std::size_t>(a.size())}; }

double sigmoid(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }

double activated(std::string_view name, double x, const Instruction& i) {
    const double n = i.numbers[0], m = i.numbers[1], finite = std::max(x, std::numeric_limits<double>::lowest());
    if (name == "sigmoid") return sigmoid(x);
    if (name == "log_sigmoid") return std::min(x, 0.0) - std::log1p(std::exp(-std::abs(x)));
    if (std::isnan(x)) return x;
    if (name == "silu") return finite * sigmoid(x);
    if (name == "gelu" && i.option == 0) return finite * 0.5 * std::erfc(-x / std::numbers::sqrt2);
    if (name == "gelu") return finite * sigmoid(2 * std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x));
    if (name == "softplus") return x * n > m ? x : (std::max(x * n, 0.0) + std::log1p(std::exp(-std::abs(x * n)))) / n;
    if (name == "elu") return x > 0 ? x : n * std::expm1(x);
    if (name == "leaky_relu") return x > 0 ? x : n * x;
    throw RuntimeFailure(std::string(name) + " has no form on the host");
}

// The elements along an axis, for each place beside it: f(the first, the step, how many).
template <class F> void each_line(const Array& a, int axis, F f) {
    std::int64_t inner = 1, outer = 1;
    for (int k = 0; k < a.ndim(); ++k) (k < axis ? outer : inner) *= k == axis ? 1 : a.shape()[k];
    const std::int64_t n = a.shape()[axis];
    for (std::int64_t o = 0; o < outer; ++o)
        for (std::int64_t k = 0; k < inner; ++k) f(numbers_of(a).data() + o * n * inner + k, inner, n);
}

void soften(const Array& a, int axis, bool logarithm) {
    each_line(a, axis, [&](double* x, std::int64_t step, std::int64_t n) {
        double most = -std::numeric_limits<double>::infinity(), sum = 0;
        for (std::int64_t k = 0; k < n; ++k) most = std::isnan(x[k * step]) || x[k * step] > most ? x[k * step] : most;
        for (std::int64_t k = 0; k < n; ++k) sum += std::exp(x[k * step] - most);
        for (std::int64_t k = 0; k < n; ++k) x[k * step] = logarithm ? x[k * step] - most - std::log(sum) : std::exp(x[k * step] - most) / sum;
    });
}

void normalise(const Array& a, const Instruction& i, bool centred) {
    std::int64_t length = 1;
    for (int k = a.ndim() - static_cast<int>(i.axis); k < a.ndim(); ++k) length *= a.shape()[k];
    const bool has_weight = i.option & 1, has_bias = i.option & 2;
    const Array weight = has_weight ? as_float64(*i.in[1].array()) : Array{}, bias = has_bias ? as_float64(*i.in[i.in.size() - 1].array()) : Array{};
    for (double* x = numbers_of(a).data(); x != numbers_of(a).data() + a.size(); x += length) {
        double mean = 0, squares = 0;
        for (std::int64_t k = 0; k < length && centred; ++k) mean += x[k] / static_cast<double>(length);
        for (std::int64_t k = 0; k < length; ++k) squares += (x[k] - mean) * (x[k] - mean) / static_cast<double>(length);
        const double root = std::sqrt(squares + i.numbers[0]);
        for (std::int64_t k = 0; k < length; ++k) {
            x[k] = (x[k] - mean) / root;
            if (has_weight) x[k] *= numbers_of(weight)[static_cast<std::size_t>(k)];
            if (has_bias) x[k] += numbers_of(bias)[static_cast<std::size_t>(k)];
        }
    }
}

Array product_and_sum(const Instruction& i) {
    Instruction product = i;
    product.option = 0;
    product.in.clear();
    for (std::size_t k = 0; k < 2; ++k) {
        const Array wide = as_float64(*i.in[k].array());
        product.in.emplace_back(wide);
    }
    const Array made = new_array(i.out[0].shape(), DType::float64, cpu_pool()), added = as_float64(*i.in[2].array());
    made.buffer->materialise();
    product.out.clear();
    product.out.emplace_back(made);
    run_now(product);
    for (std::size_t k = 0; k < numbers_of(made).size(); ++k) numbers_of(made)[k] = i.numbers[0] * numbers_of(made)[k] + i.numbers[1] * numbers_of(added)[k];
    return made;
}

bool is_form_of_product(const Instruction& i) {
    static const RowId matmul = find_row("matmul");
    return i.row == matmul;
}

}  // namespace

bool has_host_form(const Instruction& i) {
    if (i.work != Work::structured) return false;
    const std::string_view name = row(i.row).name;
    return (is_form_of_product(i) && i.option == 2) || is_activation(name) || is_normalisation(name);
}

void run_host_form(const Instruction& i) {
    const std::string_view name = row(i.row).name;
    const Array made = is_form_of_product(i) ? product_and_sum(i) : as_float64(*i.in[0].array());
    if (name == "softmax" || name == "log_softmax") soften(made, static_cast<int>(i.axis), name == "log_softmax");
    else if (is_normalisation(name)) normalise(made, i, name == "layer_norm");
    else if (!is_form_of_product(i))
        for (double& x : numbers_of(made)) x = activated(name, x, i);
    if (made.size()) cast_at_once(made, i.out[0]);
}

}  // namespace asnumpy
