// Norms of differences, and how they change with them.
#pragma once

#include <cmath>
#include <cstdint>

namespace cannsim {

// The norm of order p of x - y; p = -1 stands for infinity, as clients hand it over where the parameter is a float.
struct Norm {
    double order;

    explicit Norm(double given) : order(given == -1 ? HUGE_VAL : given) {}
    double of(const double* x, const double* y, std::int64_t n) const {
        double result = 0;
        for (std::int64_t k = 0; k < n; ++k) {
            const double d = std::abs(y ? x[k] - y[k] : x[k]);
            if (std::isinf(order)) result = d > result || d != d ? d : result;
            else result += order == 0 ? d != 0 : order == 1 ? d : order == 2 ? d * d : std::pow(d, order);
        }
        return order == 0 || order == 1 || std::isinf(order) ? result : order == 2 ? std::sqrt(result) : std::pow(result, 1 / order);
    }
    // The derivative of the distance by one difference.
    double slope(double difference, double distance) const {
        if (order == 0 || distance == 0) return 0;
        const double size = std::abs(difference), sign = static_cast<double>((difference > 0) - (difference < 0));
        if (std::isinf(order)) return size == distance ? sign : 0;
        return order == 1 ? sign : order == 2 ? difference / distance : size == 0 ? 0 : sign * std::pow(size / distance, order - 1);
    }
};

}  // namespace cannsim
