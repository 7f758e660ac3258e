// Integer arithmetic as NumPy defines it: wraps around, and division by zero gives zero.
#pragma once

#include <limits>
#include <type_traits>

namespace asnumpy::ops {
namespace {

// An unsigned type at least as wide as int, so that nothing is promoted to a signed one.
template <class T> using Wide = std::make_unsigned_t<decltype(T{} + T{})>;

template <class T> constexpr T wrap_add(T x, T y) { return static_cast<T>(static_cast<Wide<T>>(x) + static_cast<Wide<T>>(y)); }
template <class T> constexpr T wrap_subtract(T x, T y) {
    return static_cast<T>(static_cast<Wide<T>>(x) - static_cast<Wide<T>>(y));
}
template <class T> constexpr T wrap_multiply(T x, T y) {
    return static_cast<T>(static_cast<Wide<T>>(x) * static_cast<Wide<T>>(y));
}
template <class T> constexpr T wrap_negative(T x) { return static_cast<T>(Wide<T>{0} - static_cast<Wide<T>>(x)); }
template <class T> constexpr T wrap_absolute(T x) {
    if constexpr (std::is_unsigned_v<T>) return x;
    else return x < 0 ? wrap_negative(x) : x;
}

template <class T> constexpr T truncated_divide(T x, T y) {  // y != 0
    if constexpr (std::is_signed_v<T>)
        if (y == -1) return wrap_negative(x);  // the least value has no negative: it wraps
    return static_cast<T>(x / y);
}

template <class T> constexpr T truncated_remainder(T x, T y) {
    if (y == 0) return 0;
    if constexpr (std::is_signed_v<T>)
        if (y == -1) return 0;
    return static_cast<T>(x % y);
}

template <class T> constexpr T floor_divide(T x, T y) {
    if (y == 0) return 0;
    const T quotient = truncated_divide(x, y);
    if constexpr (std::is_signed_v<T>)  // without a branch, since signs may follow no pattern
        return wrap_subtract(quotient, static_cast<T>(((x < 0) != (y < 0)) & (wrap_multiply(quotient, y) != x)));
    return quotient;
}

template <class T> constexpr T floor_remainder(T x, T y) {
    const T rest = truncated_remainder(x, y);
    if constexpr (std::is_signed_v<T>)
        if (rest != 0 && ((rest < 0) != (y < 0))) return static_cast<T>(rest + y);
    return rest;
}

// A count beyond the width, or a negative one, shifts everything out.
template <class T> constexpr T left_shift(T x, T count) {
    using U = std::make_unsigned_t<T>;
    const bool inside = static_cast<U>(count) < std::numeric_limits<U>::digits;
    return inside ? static_cast<T>(static_cast<Wide<T>>(x) << (inside ? count : T{0})) : T{0};
}
template <class T> constexpr T right_shift(T x, T count) {
    using U = std::make_unsigned_t<T>;
    constexpr T last = std::numeric_limits<U>::digits - 1;
    if constexpr (std::is_signed_v<T>) {
        return static_cast<T>(x >> (static_cast<U>(count) < static_cast<U>(last) ? count : last));
    } else {
        const bool inside = count <= last;
        return inside ? static_cast<T>(x >> (inside ? count : T{0})) : T{0};
    }
}

template <class T> constexpr T integer_power(T x, T exponent) {  // exponent >= 0
    T result = 1;
    while (exponent > 0) {
        if (exponent & 1) result = wrap_multiply(result, x);
        x = wrap_multiply(x, x);
        exponent = static_cast<T>(exponent >> 1);
    }
    return result;
}

template <class T> constexpr T integer_reciprocal(T x) {
    if constexpr (std::is_signed_v<T>)
        if (x == -1) return -1;
    if constexpr (std::is_signed_v<T> && sizeof(T) >= 4)
        if (x == 0) return std::numeric_limits<T>::min();  // what NumPy gives: the cast of infinity
    return x == 1 ? 1 : 0;
}

template <class T> constexpr T greatest_common_divisor(T x, T y) {
    using U = std::make_unsigned_t<T>;
    U a = static_cast<U>(wrap_absolute(x)), b = static_cast<U>(wrap_absolute(y));
    while (a != 0) {
        const U rest = static_cast<U>(b % a);
        b = a;
        a = rest;
    }
    return static_cast<T>(b);
}
template <class T> constexpr T least_common_multiple(T x, T y) {
    using U = std::make_unsigned_t<T>;
    const U divisor = static_cast<U>(greatest_common_divisor(x, y));
    if (divisor == 0) return 0;
    const U a = static_cast<U>(wrap_absolute(x)), b = static_cast<U>(wrap_absolute(y));
    return static_cast<T>(wrap_multiply(static_cast<U>(a / divisor), b));
}

}  // namespace
}  // namespace asnumpy::ops
