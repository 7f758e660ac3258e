// Complex arithmetic as NumPy does it, without the library's operators (they may call out of line, and are shared).
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#include "ops/floating.hpp"

namespace asnumpy::ops {
namespace {

// x * y + z; rounded once where the machine does that at no cost, as NumPy's products of complex numbers are. Written out,
// because left to the compiler it would depend on whether an element lies in the vectorised part of a loop.
template <class T> constexpr T multiply_add(T x, T y, T z) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return std::fma(x, y, z);
#else
    return x * y + z;
#endif
}

// x * y, rounded, and safe from being contracted with the addition that follows: GCC 12 does that to the two parts of a
// complex number in vectorised loops whatever -ffp-contract says.
template <class T> constexpr T rounded_product(T x, T y) { return multiply_add(x, y, T{-0.0}); }

// -x, by its sign alone: GCC 12 makes one instruction of a product and a sum with the minus before them, x * -y - z, which has the other sign
// where the sum is zero.
template <class T> constexpr T opposite(T x) {
    if constexpr (sizeof(T) == 8) return std::bit_cast<T>(std::bit_cast<std::uint64_t>(x) ^ std::uint64_t{1} << 63);
    else if constexpr (sizeof(T) == 4) return std::bit_cast<T>(std::bit_cast<std::uint32_t>(x) ^ std::uint32_t{1} << 31);
    else return -x;
}

template <class C> constexpr C complex_multiply(C x, C y) {
    return {multiply_add(x.real(), y.real(), -(x.imag() * y.imag())), multiply_add(x.real(), y.imag(), x.imag() * y.real())};
}

// Each product rounded before they are added: NumPy's running products, and machines without fused instructions.
template <class C> constexpr C complex_multiply_stepwise(C x, C y) {
    return {rounded_product(x.real(), y.real()) - rounded_product(x.imag(), y.imag()),
            rounded_product(x.real(), y.imag()) + rounded_product(x.imag(), y.real())};
}

// Smith's algorithm: scaled by the larger part of the divisor. Both cases are one computation with the parts in other places,
// and choices instead of branches, which loops of vectors have.
template <class C> constexpr C complex_divide(C x, C y) {
    using T = typename C::value_type;
    const T a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
    const bool by_real = std::fabs(c) >= std::fabs(d), by_zero = (c == 0) & (d == 0);
    const T larger = by_real ? c : d, smaller = by_real ? d : c, with = by_real ? a : b, across = by_real ? b : a;
    const T ratio = smaller / larger;
    const T scale = T{1} / (larger + rounded_product(smaller, ratio));
    const T turned = rounded_product(with, ratio);
    const T real = (with + rounded_product(across, ratio)) * scale, imag = (by_real ? across - turned : turned - across) * scale;
    constexpr T infinity = std::numeric_limits<T>::infinity();
    return {by_zero ? a * infinity : real, by_zero ? b * infinity : imag};
}

template <class C> constexpr C complex_reciprocal(C x) {
    using T = typename C::value_type;
    const bool by_real = std::fabs(x.imag()) <= std::fabs(x.real());
    const T larger = by_real ? x.real() : x.imag(), smaller = by_real ? x.imag() : x.real();
    const T ratio = smaller / larger, divisor = larger + rounded_product(smaller, ratio);
    return {(by_real ? T{1} : ratio) / divisor, (by_real ? -ratio : T{-1}) / divisor};
}

template <class C> constexpr bool complex_isnan(C x) { return (x.real() != x.real()) | (x.imag() != x.imag()); }

// Lexicographic; a NaN in an imaginary part spoils the order of the real parts.
template <class C> constexpr bool complex_less(C x, C y) {
    const bool ordered = (x.imag() == x.imag()) & (y.imag() == y.imag());
    return ((x.real() < y.real()) & ordered) | ((x.real() == y.real()) & (x.imag() < y.imag()));
}
template <class C> constexpr bool complex_less_equal(C x, C y) {
    const bool ordered = (x.imag() == x.imag()) & (y.imag() == y.imag());
    return ((x.real() < y.real()) & ordered) | ((x.real() == y.real()) & (x.imag() <= y.imag()));
}

template <class C> constexpr C complex_sign(C x) {
    using T = typename C::value_type;
    const T modulus = hypotenuse(x.real(), x.imag());
    const T nan = std::numeric_limits<T>::quiet_NaN();
    if (modulus != modulus) return {nan, nan};
    if (is_infinite(modulus)) {
        const bool real = is_infinite(x.real()), imag = is_infinite(x.imag());
        if (real && imag) return {nan, nan};
        return real ? C{std::copysign(T{1}, x.real()), T{0}} : C{T{0}, std::copysign(T{1}, x.imag())};
    }
    if (modulus == 0) return {T{0}, T{0}};
    return {x.real() / modulus, x.imag() / modulus};
}

}  // namespace
}  // namespace asnumpy::ops
