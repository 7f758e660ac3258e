// What the tests of the Ascend backend compare: edge values of every dtype, and two values that may differ by a few last places.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "base/dtype.hpp"
#include "ops/row.hpp"

namespace asnumpy::testing {

using Bytes = std::vector<std::byte>;

template <class T> void append(Bytes& bytes, T value) {
    const auto* const first = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), first, first + sizeof value);
}

inline std::vector<double> edge_floats(DType d) {
    const bool wide = d == DType::float64 || d == DType::complex128 || d == DType::longdouble || d == DType::clongdouble;
    const bool half = d == DType::float16 || d == DType::complex32;
    const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    const double most = wide ? std::numeric_limits<double>::max() : half ? 65504.0 : 3.3895e38, tiny = wide ? 5e-324 : half ? 6e-8 : 1e-40;
    const double small = wide ? std::numeric_limits<double>::min() : half ? 6.104e-5 : 1.1754943508222875e-38;
    return {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.0, 2.5, -2.5, 3.0, -3.0, 0.1, 0.3, -0.7, 10.0, 100.0, 1000.0, -7.25, 88.0, 3.14159, 1e-3, -1e-3,
            inf, -inf, nan, most, -most, tiny, -tiny, small, -small, 12345.0, 0.99, -0.99};
}

template <class T> void append_edges(Bytes& bytes, DType d, bool few) {
    if constexpr (std::is_same_v<T, bool>) {
        append(bytes, false);
        append(bytes, true);
    } else if constexpr (std::is_integral_v<T>) {
        using Limits = std::numeric_limits<T>;
        for (const long long v : {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100})
            append(bytes, static_cast<T>(v));
        for (const long long v : {-1, -2, -3, -4, -7, -8, -16, -100}) append(bytes, static_cast<T>(v));
        for (const T v : {Limits::max(), Limits::min(), static_cast<T>(Limits::max() - 1), static_cast<T>(Limits::min() + 1), static_cast<T>(Limits::max() / 3)})
            append(bytes, v);
    } else if constexpr (is_narrow_v<T>) {
        for (int i = 0; i < 16; ++i) {
            Bytes one(sizeof(T));
            one[0] = static_cast<std::byte>(i);
            bytes.insert(bytes.end(), one.begin(), one.end());
        }
    } else if constexpr (is_complex_v<T>) {
        const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
        const std::vector<double> parts = few ? std::vector<double>{0.0, -1.5, 0.5, 2.0, inf, nan} : std::vector<double>{0.0, -0.0, 1.0, -1.5, 0.3, 3.0, inf, -inf, nan};
        for (const double re : parts)
            for (const double im : parts)
                append(bytes, T(static_cast<typename T::value_type>(re), static_cast<typename T::value_type>(im)));
    } else {
        for (const double v : edge_floats(d)) {
            if constexpr (is_half_v<T>) append(bytes, T(static_cast<float>(v)));
            else append(bytes, static_cast<T>(v));
        }
    }
}

inline Bytes edge_values(const Row& r, const Signature& s, std::size_t k) {
    const DType d = s.in[k];
    Bytes bytes;
    // The cast of a float that no integer of the dtype equals is the machine's own.
    if (r.name == "cast" && (is_float(d) || is_complex(d)) && is_integer(s.out[0])) {
        dispatch(d, [&]<class T>() {
            if constexpr (!is_narrow_v<T>) {
                for (const double v : {0.0, 1.0, 1.9, 2.5, 100.0, 127.0, 0.5}) {
                    if constexpr (is_half_v<T>) append(bytes, T(static_cast<float>(v)));
                    else append(bytes, static_cast<T>(v));
                    if (kind(s.out[0]) == 'i') {
                        if constexpr (is_half_v<T>) append(bytes, T(static_cast<float>(-v)));
                        else append(bytes, static_cast<T>(-v));
                    }
                }
            }
        });
        return bytes;
    }
    dispatch(d, [&]<class T>() { append_edges<T>(bytes, d, s.nin > 1); });
    return bytes;
}

template <class T> double places_between(T a, T b) {  // in units of the larger one's last place
    if (a == b) return std::signbit(a) == std::signbit(b) ? 0 : 1;
    if (a != a && b != b) return 0;
    if (a != a || b != b || std::isinf(a) || std::isinf(b)) return std::numeric_limits<double>::infinity();
    const T larger = std::max(std::fabs(a), std::fabs(b));
    int exponent;
    std::frexp(larger, &exponent);
    const T unit = std::max(std::ldexp(T{1}, exponent - std::numeric_limits<T>::digits), std::numeric_limits<T>::denorm_min());
    return static_cast<double>(std::fabs(a / unit - b / unit));
}

// Equal, NaN equal to NaN, or within so many last places; complex numbers by their modulus.
// Halves: with less than one unit in the last place zeros of both signs are alike, all else is the same to the bit.
inline bool close(const std::byte* want, const std::byte* have, DType d, double places) {
    return dispatch(d, [&]<class T>() -> bool {
        T a, b;
        std::memcpy(static_cast<void*>(&a), want, sizeof(T));
        std::memcpy(static_cast<void*>(&b), have, sizeof(T));
        if constexpr (is_narrow_v<T> || std::is_integral_v<T>) {
            return std::memcmp(&a, &b, sizeof(T)) == 0;
        } else if constexpr (is_half_v<T>) {
            const float x = a, y = b;
            if (x != x && y != y) return true;
            return a.bits == b.bits || (places >= 1 && std::abs(static_cast<int>(a.bits) - static_cast<int>(b.bits)) <= 1) || (places > 0 && x == y);
        } else if constexpr (is_complex_v<T>) {
            using R = typename T::value_type;
            if (places == 0) return places_between(a.real(), b.real()) == 0 && places_between(a.imag(), b.imag()) == 0;
            const auto part = [&](R x, R y, R other) {
                if (x != x && y != y) return true;
                if (places_between(x, y) <= places) return true;
                return std::isfinite(x) && std::isfinite(y) && std::fabs(x - y) <= static_cast<R>(places) * std::numeric_limits<R>::epsilon() * std::max(std::fabs(x), std::fabs(other));
            };
            return part(a.real(), b.real(), a.imag()) && part(a.imag(), b.imag(), a.real());
        } else if constexpr (std::is_same_v<T, long double>) {
            return std::memcmp(&a, &b, 10) == 0;
        } else {
            return places_between(a, b) <= places;
        }
    });
}

inline std::string show(const std::byte* value, DType d) {
    return dispatch(d, [&]<class T>() -> std::string {
        T x;
        std::memcpy(static_cast<void*>(&x), value, sizeof(T));
        char text[96];
        if constexpr (std::is_same_v<T, bool>) return x ? "true" : "false";
        else if constexpr (std::is_integral_v<T>) return std::to_string(x);
        else if constexpr (is_narrow_v<T>) return std::to_string(static_cast<int>(value[0]));
        else if constexpr (is_complex_v<T>) std::snprintf(text, sizeof text, "(%.17g%+.17gj)", static_cast<double>(x.real()), static_cast<double>(x.imag()));
        else if constexpr (is_half_v<T>) std::snprintf(text, sizeof text, "%.9g", static_cast<double>(static_cast<float>(x)));
        else std::snprintf(text, sizeof text, "%.17g", static_cast<double>(x));
        return text;
    });
}

}  // namespace asnumpy::testing
