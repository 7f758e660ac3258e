// What products of matrices add up, element by element: numbers as they lie in memory, and a sum with one more product.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cpu/structured_layout.hpp"
#include "ops/integer.hpp"

namespace asnumpy::cpu {

// Of a bool any byte but 0 is true.
template <class T> T number_at(const char* at) {
    if constexpr (std::is_same_v<T, bool>) return load<std::uint8_t>(at) != 0;
    else return load<T>(at);
}

// sum + x * y, each rounded; integers wrap around. A product of complex numbers is written out, which no rule for what is not finite follows.
template <class T> T multiply_add(T sum, T x, T y) {
    if constexpr (std::is_same_v<T, bool>) return sum | (x & y);
    else if constexpr (std::is_integral_v<T>) return ops::wrap_add(sum, ops::wrap_multiply(x, y));
    else if constexpr (is_complex_v<T>)
        return {sum.real() + (x.real() * y.real() - x.imag() * y.imag()), sum.imag() + (x.real() * y.imag() + x.imag() * y.real())};
    else return sum + x * y;
}

}  // namespace asnumpy::cpu
