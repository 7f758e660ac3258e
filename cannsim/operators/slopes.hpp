// Functions of one real number from which activations and their gradients are made.
#pragma once

#include <cmath>
#include <numbers>

namespace cannsim {

inline double sigmoid(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
inline double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
inline double silu(double x) { return x * sigmoid(x); }
inline double silu_slope(double x) {
    const double s = sigmoid(x);
    return s * (1 + x * (1 - s));
}

// x times the normal distribution's cumulative function, or the usual approximation of that with tanh.
inline double gelu(double x, bool approximate) {
    if (!approximate) return 0.5 * x * std::erfc(-x / std::numbers::sqrt2);
    return 0.5 * x * (1 + std::tanh(std::numbers::sqrt2 * std::numbers::inv_sqrtpi * (x + 0.044715 * x * x * x)));
}
inline double gelu_slope(double x, bool approximate) {
    constexpr double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
    if (!approximate) return 0.5 * std::erfc(-x / std::numbers::sqrt2) + x * std::exp(-0.5 * x * x) * 0.5 * scale;
    const double t = std::tanh(scale * (x + 0.044715 * x * x * x));
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * scale * (1 + 3 * 0.044715 * x * x);
}

}  // namespace cannsim
