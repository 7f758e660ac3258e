// Elementwise functions of one number that are no rows of the core: special functions, rounding, tests, complex numbers from parts.
#include <limits>
#include <numbers>

#include "aclnn/elementwise.hpp"
#include "operators/formula.hpp"

namespace cannsim {
namespace {

using std::array;
constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

constexpr auto sinc = []<class T>(T x, Numbers<0>) {
    using std::sin;
    const T angle = x * std::numbers::pi;
    return choose(x == 0.0, 1.0, sin(angle) / angle);
};

// A rational first guess, right to 2e-3, then Newton's steps on erf, on erfc where it is near 1, in the form that converges cubically.
constexpr auto inverse_erf = []<class T>(T y, Numbers<0>) {
    using std::abs, std::copysign, std::erf, std::erfc, std::exp, std::log1p, std::sqrt;
    const double a = 0.147;
    const T size = abs(y), logarithm = log1p(-y * y), half = 2 / (std::numbers::pi * a) + logarithm / 2;
    T x = sqrt(sqrt(half * half - logarithm / a) - half);
    for (int step = 0; step < 2; ++step) {
        const T off = choose(size < 0.5, erf(x) - size, (1 - size) - erfc(x)), newton = off / (2 * std::numbers::inv_sqrtpi * exp(-x * x));
        x = x - newton / (1 + x * newton);
    }
    return copysign(choose(size < 1.0, x, choose(size == 1.0, infinity, size * nan)), y);
};

double log_gamma(double x) {
    int sign;
    return ::lgamma_r(x, &sign);  // std::lgamma writes a global
}

// Recurrence up to where the asymptotic series holds, reflection below zero.
double digamma(double x) {
    if (x == 0) return std::copysign(infinity, -x);
    if (x < 0) return x == std::floor(x) ? nan : digamma(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * std::fmod(x, 1.0));
    double result = 0;
    for (; x < 6; x += 2) result -= (2 * x + 1) / (x * (x + 1));  // two steps of it: 1 / x + 1 / (x + 1)
    const double z = 1 / (x * x);
    return result + std::log(x) - 0.5 / x - z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 - z / 12))))));
}

constexpr auto fraction = []<class T>(T x, auto) -> T {
    using std::trunc;
    if constexpr (std::is_integral_v<T>) return 0;
    else return x - trunc(x);
};
constexpr auto round_decimals = []<class T>(T x, auto p) -> T {
    if constexpr (std::is_integral_v<T>) {
        if (p[0] >= 0) return x;
        if (p[0] < -18) return 0;
        T unit = 1;
        for (T i = 0; i > p[0]; --i) unit *= 10;
        const T rest = ((x % unit) + unit) % unit, low = x - rest;
        const bool up = rest * 2 == unit ? low / unit % 2 != 0 : rest * 2 > unit;
        return up ? low + unit : low;
    } else {
        using std::nearbyint;
        const double scale = std::pow(10.0, std::abs(p[0]));
        return p[0] >= 0 ? nearbyint(x * scale) / scale : nearbyint(x / scale) * scale;
    }
};
constexpr auto finite = []<class T>(T x, array<T, 3> p) -> T {
    if constexpr (std::is_integral_v<T>) return x;
    else return x != x ? p[0] : x == infinity ? p[1] : x == -infinity ? p[2] : x;
};
Work plan_nan_to_num(Call& call) {
    const Tensor self = call.tensor_at(0), out = first_output(call);
    if (!asnumpy::is_float(self.dtype)) return formula<std::int64_t, 1, 1>(call, array{self}, array{out}, self.dtype, [](std::int64_t x) { return x; });
    const array p{number(call, "nan"), number(call, "posinf"), number(call, "neginf")};
    return formula<double, 1, 1>(call, array{self}, array{out}, self.dtype, [p](double x) { return finite(x, p); });
}

constexpr auto logit = []<class T>(T x, Numbers<1> p) {
    using std::log;
    if (p[0] >= 0) x = smaller(larger(x, p[0]), 1 - p[0]);
    return log(x / (1 - x));
};
constexpr auto logit_slope = [](double x, double dy, Numbers<1> p) {
    if (p[0] < 0) return x < 0 || x > 1 ? nan : x == 0 || x == 1 ? dy * infinity : dy / (x * (1 - x));
    return x < p[0] || x > 1 - p[0] ? 0 : dy / (x * (1 - x));
};

// 1 / x, or of its square root: floats also of integers.
template <bool of_root> Work plan_reciprocal(Call& call) {
    const Tensor self = call.tensor_at(0);
    const DType inner = asnumpy::is_complex(self.dtype) || self.dtype == DType::float64 ? self.dtype : DType::float32;
    Pipeline p(call);
    auto value = p.in(self, inner);
    if constexpr (of_root) value = p.apply("sqrt", value);
    p.out(p.apply("reciprocal", value), first_output(call));
    return p.work();
}

const Operators functions{
    {"aclnnRsqrt", plan_reciprocal<true>},
    {"aclnnInplaceRsqrt", plan_reciprocal<true>},
    {"aclnnReciprocal", plan_reciprocal<false>},
    {"aclnnInplaceReciprocal", plan_reciprocal<false>},
    real_operator<1>("aclnnSinc", no_names, sinc),
    real_operator<1>("aclnnInplaceSinc", no_names, sinc),
    real_operator<1>("aclnnErfinv", no_names, inverse_erf),
    real_operator<1>("aclnnInplaceErfinv", no_names, inverse_erf),
    real_operator<1>("aclnnLgamma", no_names, [](double x, Numbers<0>) { return log_gamma(x); }),
    real_operator<1>("aclnnDigamma", no_names, [](double x, Numbers<0>) { return digamma(x); }),
    real_operator<1>("aclnnLogit", array{"eps"}, logit),
    real_operator<2>("aclnnLogitGrad", array{"eps"}, logit_slope),
    number_operator<1, Precision::own>("aclnnFrac", no_names, fraction),
    number_operator<1, Precision::own>("aclnnInplaceFrac", no_names, fraction),
    number_operator<1, Precision::own>("aclnnRoundDecimals", array{"decimals"}, round_decimals),
    number_operator<1, Precision::own>("aclnnInplaceRoundDecimals", array{"decimals"}, round_decimals),
    real_operator<2, Precision::own>("aclnnHeaviside", no_names, [](double x, double at_zero, Numbers<0>) { return x != x ? x : x == 0 ? at_zero : x > 0 ? 1.0 : 0.0; }),
    {"aclnnNanToNum", plan_nan_to_num},
    {"aclnnInplaceNanToNum", plan_nan_to_num},
};

// --- tests ---

Work plan_is_infinite(Call& call, double which) {
    const Tensor self = call.tensor("self");
    return formula<double, 1, 1>(call, array{self}, array{call.tensor("out")}, DType::boolean, [which](auto x) { return x == which; });
}
Work plan_is_close(Call& call) {
    const array both{call.tensor("self"), call.tensor("other")};
    call.expect_dtype(both[1], both[0].dtype);
    const double relative = call.real("rtol"), absolute = call.real("atol");
    const bool equal_nan = call.flag("equal_nan");
    call.expect(relative >= 0, "rtol", text("a tolerance of at least 0, got ", relative));
    call.expect(absolute >= 0, "atol", text("a tolerance of at least 0, got ", absolute));
    return formula<double, 2, 1>(call, both, array{call.tensor("out")}, DType::boolean, [=](double x, double y) {
        if (x == y) return true;
        if (x != x || y != y) return equal_nan && x != x && y != y;
        return std::abs(y) != infinity && std::abs(x) != infinity && std::abs(x - y) <= absolute + relative * std::abs(y);
    });
}
const Operators tests{
    {"aclnnIsPosInf", [](Call& call) { return plan_is_infinite(call, infinity); }},
    {"aclnnIsNegInf", [](Call& call) { return plan_is_infinite(call, -infinity); }},
    {"aclnnIsClose", plan_is_close},
};

// --- complex numbers: their parts are tensors of floats of twice the strides' items ---

array<Tensor, 2> parts(const Call& call, const Tensor& out) {
    call.expect(asnumpy::is_complex(out.dtype), out.name, text("complex64 or complex128, got ", asnumpy::name(out.dtype)));
    array both{out, out};
    for (Tensor& part : both) part.dtype = out.dtype == DType::complex64 ? DType::float32 : DType::float64;
    both[1].view.offset += static_cast<std::int64_t>(asnumpy::itemsize(both[1].dtype));
    return both;
}
Work plan_angle(Call& call) {
    const Tensor x = call.tensor("x"), out = call.tensor("out");
    if (asnumpy::is_complex(x.dtype)) {
        call.expect_dtype(out, DType::float32);
        return formula<double, 2, 1>(call, parts(call, x), array{out}, DType::float32, [](double real, double imaginary) { return std::atan2(imaginary, real); });
    }
    call.expect_dtype(out, asnumpy::is_float(x.dtype) ? x.dtype : DType::float32);
    return formula<double, 1, 1>(call, array{x}, array{out}, out.dtype, [](double one) { return one != one ? one : one < 0 ? std::numbers::pi : 0; });
}
const Operators from_parts{
    {"aclnnAngleV2", plan_angle},
    {"aclnnComplex", [](Call& call) {
        const array both{call.tensor("real"), call.tensor("imag")};
        call.expect_dtype(both[1], both[0].dtype);
        return formula<double, 2, 2>(call, both, parts(call, call.tensor("out")), both[0].dtype, [](double x, double y) { return array{x, y}; });
    }},
    {"aclnnPolar", [](Call& call) {
        const array both{call.tensor("input"), call.tensor("angle")};
        call.expect_dtype(both[1], both[0].dtype);
        return formula<double, 2, 2>(call, both, parts(call, call.tensor("out")), both[0].dtype,
                                     [](double r, double angle) { return array{r * std::cos(angle), r * std::sin(angle)}; });
    }},
};

}  // namespace
}  // namespace cannsim
