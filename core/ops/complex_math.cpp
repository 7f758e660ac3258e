// The complex functions on top of the C library's; where NumPy defines one by others, so do we.
#include "ops/complex_math.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "ops/complex.hpp"

namespace asnumpy::ops {
namespace {

template <class T> std::complex<T> scaled(std::complex<T> z, T factor) { return {z.real() * factor, z.imag() * factor}; }

template <class T> std::complex<T> expm1_of(std::complex<T> z) {
    const T half = std::sin(z.imag() / 2);
    return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * half * half, std::exp(z.real()) * std::sin(z.imag())};
}

template <class T> std::complex<T> log1p_of(std::complex<T> z) {
    return {std::log(std::hypot(z.real() + 1, z.imag())), std::atan2(z.imag(), z.real() + 1)};
}

template <class T> std::complex<T> power_of(std::complex<T> x, std::complex<T> y) {
    using C = std::complex<T>;
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    if (y.real() == 0 && y.imag() == 0) return {1, 0};
    if (x.real() == 0 && x.imag() == 0) {
        if (y.real() > 0) return {0, 0};
        return {nan, nan};
    }
    if (y.imag() == 0 && std::fabs(y.real()) < 100 && y.real() == std::trunc(y.real())) {
        const int exponent = static_cast<int>(y.real());
        if (exponent == 1) return x;
        if (exponent == 2) return complex_multiply(x, x);
        if (exponent == 3) return complex_multiply(x, complex_multiply(x, x));
        C result{1, 0}, square = x;
        for (unsigned rest = static_cast<unsigned>(exponent < 0 ? -exponent : exponent);;) {
            if (rest & 1u) result = complex_multiply(result, square);
            rest >>= 1;
            if (rest == 0) break;
            square = complex_multiply(square, square);
        }
        return exponent < 0 ? complex_divide(C{1, 0}, result) : result;
    }
    return std::pow(x, y);
}

}  // namespace

#define ASNUMPY_COMPLEX(name, expression)                               \
    std::complex<float> name(std::complex<float> z) { using T [[maybe_unused]] = float; return expression; }    \
    std::complex<double> name(std::complex<double> z) { using T [[maybe_unused]] = double; return expression; }
ASNUMPY_COMPLEX(complex_sqrt, std::sqrt(z))
ASNUMPY_COMPLEX(complex_exp, std::exp(z))
ASNUMPY_COMPLEX(complex_exp2, std::exp(scaled(z, std::numbers::ln2_v<T>)))
ASNUMPY_COMPLEX(complex_expm1, expm1_of(z))
ASNUMPY_COMPLEX(complex_log, std::log(z))
ASNUMPY_COMPLEX(complex_log2, scaled(std::log(z), std::numbers::log2e_v<T>))
ASNUMPY_COMPLEX(complex_log10, scaled(std::log(z), std::numbers::log10e_v<T>))
ASNUMPY_COMPLEX(complex_log1p, log1p_of(z))
ASNUMPY_COMPLEX(complex_sin, std::sin(z))
ASNUMPY_COMPLEX(complex_cos, std::cos(z))
ASNUMPY_COMPLEX(complex_tan, std::tan(z))
ASNUMPY_COMPLEX(complex_asin, std::asin(z))
ASNUMPY_COMPLEX(complex_acos, std::acos(z))
ASNUMPY_COMPLEX(complex_atan, std::atan(z))
ASNUMPY_COMPLEX(complex_sinh, std::sinh(z))
ASNUMPY_COMPLEX(complex_cosh, std::cosh(z))
ASNUMPY_COMPLEX(complex_tanh, std::tanh(z))
ASNUMPY_COMPLEX(complex_asinh, std::asinh(z))
ASNUMPY_COMPLEX(complex_acosh, std::acosh(z))
ASNUMPY_COMPLEX(complex_atanh, std::atanh(z))
#undef ASNUMPY_COMPLEX

std::complex<float> complex_power(std::complex<float> x, std::complex<float> y) { return power_of(x, y); }
std::complex<double> complex_power(std::complex<double> x, std::complex<double> y) { return power_of(x, y); }

}  // namespace asnumpy::ops
