// What all normalisations are made of: rows of values, each brought to mean 0 and variance 1, with a weight and a bias that
// are found by a value's row and place.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "operators/formula.hpp"

namespace cannsim {

using Optional = std::optional<Tensor>;

// What chooses the weight: the place in the row, its channel within a group, the row.
enum class Kept : std::uint8_t { place, channel, row };

// How a tensor is cut into rows.
struct NormalizedRows {
    std::int64_t count = 1, length = 1;
    Kept kept = Kept::place;
    std::int64_t weights = 1;       // how many there are
    std::int64_t inner = 1;         // elements of a channel in a row
    std::vector<int> order;         // the tensor's axes, when rows are not in its order

    std::int64_t weight(std::int64_t row, std::int64_t place) const {
        if (kept == Kept::place) return place;
        if (kept == Kept::row) return row % weights;
        const std::int64_t channels = length / inner;
        return row * channels % weights + place / inner;
    }
    Array ordered(const Array& array) const { return order.empty() ? array : permuted(array, order); }
};
NormalizedRows last_axes(const Call&, const Tensor& x, const Dims& normalized, std::string_view parameter);
NormalizedRows groups(const Call&, std::int64_t n, std::int64_t channels, std::int64_t inner, std::int64_t groups, const Tensor& x, std::string_view parameter = "group");
NormalizedRows batch(const Call&, const Tensor& x);

// Values of an optional tensor as float64; without it, `otherwise` for each.
std::vector<double> values(const Run&, const Optional& tensor, std::int64_t count, double otherwise);
void store(const Run&, const std::vector<double>& from, const Optional& to);
void expect_count(const Call&, const Optional& tensor, std::int64_t count);

struct Forward {
    Tensor x{}, y{};
    Optional weight{}, bias{}, mean{}, spread{};
    double epsilon = 0;
    bool centred = true;                  // else the root mean square
    bool inverse = true;                  // `spread` is 1 / deviation; else the variance
    double weight_shift = 0;
    std::vector<Tensor> added{};            // to x, before
    double factor = 1;                    // of x
    Optional sum{};                         // gets x as it was normalised
    std::function<double(double)> after{};  // to y
    Optional running_mean{}, running_variance{};
    double momentum = 0;
    bool training = true;
};
Work forward(const Call&, const NormalizedRows&, Forward);

struct Backward {
    Tensor grad{}, x{};
    Optional mean{}, spread{}, weight{};        // no mean: it is 0
    Optional of_x{}, of_weight{}, of_bias{};
    std::vector<Tensor> added{};            // to x
    Optional more{};                        // added to the gradient of x
    bool constant = false;                // mean and spread do not depend on x
    double epsilon = 0;
    bool inverse = true;                  // as in Forward
};
Work backward(const Call&, const NormalizedRows&, Backward);
// An output that the mask asks for.
Optional wanted(const Call&, std::size_t index, std::string_view name);

}  // namespace cannsim
