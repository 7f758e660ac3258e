// Rows of activations, which CANN has and NumPy does not.
#pragma once

#include "ops/definition.hpp"
#include "ops/floating.hpp"

namespace cannsim::rows {
namespace {

using namespace asnumpy::ops;

constexpr std::tuple activation{
    row<Each<Unary, reals>>("relu", []<class T>(T x) -> T { return x > 0 ? x : x == x ? T{0} : x; }),
    row<Each<Unary, floats>>("sigmoid", []<class T>(T x) -> T { return T{1} / (T{1} + std::exp(-x)); }),
    row<Each<Unary, floats>>("silu", []<class T>(T x) -> T { return x / (T{1} + std::exp(-x)); }),
    // x where x > 0, else slope * x
    row<Each<Binary, floats>>("leaky_relu", []<class T>(T x, T slope) -> T { return x > 0 ? x : x * slope; }),
};

}  // namespace
}  // namespace cannsim::rows
