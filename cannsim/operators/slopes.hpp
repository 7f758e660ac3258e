// Functions of one real number, or of each of a pipeline's, from which activations and their gradients are made.
#pragma once

#include <cmath>
#include <numbers>

#include "aclnn/expression.hpp"

namespace cannsim {

template <class T> T sigmoid(T x) {
    using std::exp;
    return 1 / (1 + exp(-x));
}
template <class T> T softplus(T x) {
    using std::abs, std::exp, std::log1p;
    return larger(x, 0.0) + log1p(exp(-abs(x)));
}
template <class T> T silu(T x) { return x * sigmoid(x); }
template <class T> T silu_slope(T x) {
    const T s = sigmoid(x);
    return s * (1 + x * (1 - s));
}
// x > 0: x * positive, else (exp(x * inner) - 1) * negative
template <class T> T elu(T x, double negative, double positive, double inner) {
    using std::expm1;
    return choose(x > 0.0, x * positive, expm1(x * inner) * negative);
}

// x times the normal distribution's cumulative function, or the usual approximation of that with tanh.
inline constexpr double gelu_scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi, gelu_cube = 0.044715;
template <class T> T gelu(T x, bool approximate) {
    using std::erfc, std::tanh;
    if (!approximate) return 0.5 * x * erfc(x * (-1 / std::numbers::sqrt2));
    return 0.5 * x * (1 + tanh(gelu_scale * (x + gelu_cube * x * x * x)));
}
template <class T> T gelu_slope(T x, bool approximate) {
    using std::erfc, std::exp, std::tanh;
    if (!approximate) return 0.5 * erfc(x * (-1 / std::numbers::sqrt2)) + 0.5 * gelu_scale * x * exp(-0.5 * x * x);
    const T t = tanh(gelu_scale * (x + gelu_cube * x * x * x));
    return 0.5 * (1 + t) + 0.5 * gelu_scale * x * (1 - t * t) * (1 + 3 * gelu_cube * x * x);
}

}  // namespace cannsim
