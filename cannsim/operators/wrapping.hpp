// Sums, differences and products of two elements of one dtype: integers wrap around, as a device's do; booleans stay booleans.
#pragma once

#include <type_traits>

#include "ops/integer.hpp"

namespace cannsim {
namespace {

template <class T> inline constexpr bool wraps = std::is_integral_v<T> && !std::is_same_v<T, bool>;

template <class T> T plus(T x, T y) {
    if constexpr (wraps<T>) return asnumpy::ops::wrap_add(x, y);
    else return static_cast<T>(x + y);
}
template <class T> T minus(T x, T y) {
    if constexpr (wraps<T>) return asnumpy::ops::wrap_subtract(x, y);
    else return static_cast<T>(x - y);
}
template <class T> T times(T x, T y) {
    if constexpr (wraps<T>) return asnumpy::ops::wrap_multiply(x, y);
    else return static_cast<T>(x * y);
}

}  // namespace
}  // namespace cannsim
