// Floating-point functions with NumPy's special cases, for float, double and the 16-bit floats.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <type_traits>

#include "base/float16.hpp"
#include "ops/definition.hpp"

namespace asnumpy::ops {
namespace {

template <class T> constexpr bool is_infinite(T x) { return std::fabs(x) == std::numeric_limits<T>::infinity(); }

// The larger operand is brought near 1 by a power of two, so that no square overflows or vanishes.
template <class T> constexpr T hypotenuse(T x, T y) {
    using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr int fraction_bits = std::numeric_limits<T>::digits - 1;
    constexpr Word one = Word{1} << fraction_bits, last = one * 2 * (std::numeric_limits<T>::max_exponent - 1);
    const T a = std::fabs(x), b = std::fabs(y);
    const T larger = a > b ? a : b;
    const Word bits = std::bit_cast<Word>(larger) & (last + one);
    const Word exponent = bits < one ? one : bits > last - one ? last - one : bits;
    const T down = std::bit_cast<T>(last - exponent), up = std::bit_cast<T>(exponent);
    const T root = std::sqrt((a * down) * (a * down) + (b * down) * (b * down)) * up;
    return is_infinite(x) | is_infinite(y) ? std::numeric_limits<T>::infinity() : root;
}

// The remainder of a truncated division while the quotient is small: exact, and without the branches that keep fmod from
// being vectorised. (A quotient that rounds up to a whole number leaves a remainder of the wrong sign: one y is given back.)
template <class T> constexpr bool has_small_quotient(T x, T y) {  // and a finite divisor: zero times infinity is NaN
    if constexpr (std::is_same_v<T, float>) return (std::fabs(static_cast<double>(x) / static_cast<double>(y)) < 0x1p28) & !is_infinite(y);
    else return (std::fabs(x / y) < 0x1p52) & !is_infinite(y);
}
template <class T> constexpr T small_fmod(T x, T y) {
    if constexpr (std::is_same_v<T, float>) {
        const double a = x, b = y;  // the quotient times y fits a double
        return std::copysign(static_cast<float>(a - std::trunc(a / b) * b), x);
    } else {
        const T rest = std::fma(-std::trunc(x / y), y, x);
        return std::copysign((rest < 0) != (x < 0) && rest != 0 ? rest + std::copysign(y, x) : rest, x);
    }
}
// Without a machine instruction for it, fma is slower than fmod.
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
template <class> inline constexpr bool has_fast_fmod = true;
#else
template <class T> inline constexpr bool has_fast_fmod = std::is_same_v<T, float>;
#endif

// From the truncated remainder of x / y to the floored one; zeros take the sign of y.
template <class T> constexpr T floored_remainder(T rest, T y) {
    const T moved = (y < 0) != (rest < 0) ? rest + y : rest;
    return rest == 0 ? std::copysign(T{0}, y) : moved;
}
// The quotient is the integer nearest to (x - remainder) / y; a zero has the sign that exact arithmetic would give.
template <class T> constexpr T floored_quotient(T rest, T x, T y) {
    const T quotient = (x - rest) / y - ((rest != 0) & ((y < 0) != (rest < 0)) ? T{1} : T{0});
    const T floored = std::floor(quotient);
    const T nearest = floored + (quotient - floored > T{0.5} ? T{1} : T{0});
    return quotient == 0 ? std::copysign(T{0}, x / y) : nearest;
}

// The operations on floats that start from fmod: `call` is right for all operands, `fast` where the quotient is small.
struct OfSmallQuotient {
    template <class T> static constexpr bool available() { return has_fast_fmod<T>; }
    template <class T> static constexpr bool applies(T x, T y) { return has_small_quotient(x, y); }
};
struct TruncatedRemainder : OfSmallQuotient {
    template <class T> static T call(T x, T y) { return std::fmod(x, y); }
    template <class T> static constexpr T fast(T x, T y) { return small_fmod(x, y); }
};
struct FlooredRemainder : OfSmallQuotient {
    template <class T> static T call(T x, T y) {
        const T rest = std::fmod(x, y);
        return y == 0 ? rest : floored_remainder(rest, y);
    }
    template <class T> static constexpr T fast(T x, T y) { return floored_remainder(small_fmod(x, y), y); }
};
struct FlooredQuotient : OfSmallQuotient {
    template <class T> static T call(T x, T y) { return y == 0 ? x / y : floored_quotient(std::fmod(x, y), x, y); }
    template <class T> static constexpr T fast(T x, T y) { return floored_quotient(small_fmod(x, y), x, y); }
};

template <class T> Two<T, T> floor_divmod(T x, T y) {
    const T rest = std::fmod(x, y);
    if (y == 0) return {x / y, rest};
    return {floored_quotient(rest, x, y), floored_remainder(rest, y)};
}

template <class T> T log_add_exp(T x, T y) {
    if (x == y) return x + std::numbers::ln2_v<T>;
    const T difference = x - y;
    if (difference > 0) return x + std::log1p(std::exp(-difference));
    if (difference <= 0) return y + std::log1p(std::exp(difference));
    return difference;  // NaN
}
template <class T> T log_add_exp2(T x, T y) {
    if (x == y) return x + 1;
    const T difference = x - y;
    if (difference > 0) return x + std::numbers::log2e_v<T> * std::log1p(std::exp2(-difference));
    if (difference <= 0) return y + std::numbers::log2e_v<T> * std::log1p(std::exp2(difference));
    return difference;
}

// The bit patterns of 16-bit floats are ordered like their magnitudes: the neighbours are one apart.
template <class T> inline constexpr std::uint16_t infinity_bits = std::is_same_v<T, float16> ? 0x7c00u : 0x7f80u;

template <class T> T next_after(T x, T y) {
    if constexpr (is_half_v<T>) {
        const float from = x, to = y;
        T result;
        if (from != from || to != to) {
            result.bits = static_cast<std::uint16_t>(infinity_bits<T> | 0x40u | (infinity_bits<T> >> 1 & 0x200u));
        } else if (from == to) {
            result = std::is_same_v<T, float16> ? x : y;  // of the two zeros, as NumPy and ml_dtypes do
        } else if (from == 0) {
            result.bits = static_cast<std::uint16_t>((y.bits & 0x8000u) | 1u);
        } else {
            const bool away = (from < to) == (from > 0);
            result.bits = static_cast<std::uint16_t>(away ? x.bits + 1u : x.bits - 1u);
        }
        return result;
    } else {
        return std::nextafter(x, y);
    }
}

// The distance to the neighbour farther from zero, with the sign of x; of float16 the distance to the neighbour above.
template <class T> T next_spacing(T x) {
    if constexpr (is_half_v<T>) {
        const float value = x;
        T next = x;
        if (std::is_same_v<T, float16> && value < 0) next.bits = static_cast<std::uint16_t>(next.bits - 1u);
        else next.bits = static_cast<std::uint16_t>(next.bits + 1u);
        if (value != value || is_infinite(value)) return T(std::numeric_limits<float>::quiet_NaN());
        const float distance = static_cast<float>(next) - value;
        return T(std::is_same_v<T, float16> ? std::fabs(distance) : distance);
    } else if constexpr (std::numeric_limits<T>::digits <= 53) {
        // The next bit pattern is the next number, of infinity a NaN.
        using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        const T size = std::fabs(x);
        const T distance = std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(size) + 1)) - size;
        return x < 0 ? -distance : distance;
    } else {
        const T far = x < 0 ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
        return is_infinite(x) ? std::numeric_limits<T>::quiet_NaN() : std::nextafter(x, far) - x;
    }
}

template <class T> Two<T, std::int32_t> fraction_exponent(T x) {
    int exponent = 0;
    const T fraction = std::frexp(x, &exponent);
    return {fraction, exponent};
}

template <class T> Two<T, T> fraction_integer(T x) {
    const T whole = std::trunc(x);
    return {std::copysign(is_infinite(x) ? T{0} : x - whole, x), whole};
}

template <class T, class I> T scale_by_power_of_two(T x, I exponent) {
    const I bounded = exponent < -100000 ? I{-100000} : exponent > 100000 ? I{100000} : exponent;
    return std::ldexp(x, static_cast<int>(bounded));
}

}  // namespace
}  // namespace asnumpy::ops
