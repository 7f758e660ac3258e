// Elementary functions of the random distributions: sums, products, quotients and square roots only, which IEEE 754
// defines to the bit, so that a seed gives the same numbers with every compiler, instruction set and C library.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

// In an unnamed namespace, as all that is compiled once for each instruction set.
namespace asnumpy {
namespace {
namespace random_math {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double pi = 3.141592653589793;
inline constexpr double ln2_high = 0x1.62e42fefp-1, ln2_low = 0x1.473de6af278edp-34;

inline std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
inline double value(std::uint64_t x) { return std::bit_cast<double>(x); }

// c[0] + c[1] x + c[2] x^2 ..., without a loop, which would keep the loop around it from running on vectors.
template <std::size_t first = 0, std::size_t n> inline double polynomial(double x, const double (&c)[n]) {
    if constexpr (first + 1 == n) return c[first];
    else return polynomial<first + 1>(x, c) * x + c[first];
}

// An integer below 2^53 as a double, in steps that every instruction set has for vectors.
inline double exact(std::uint64_t n) {
    const double high = value((n >> 32) | 0x4530000000000000), low = value((n & 0xffffffff) | 0x4330000000000000);
    return (high - 0x1.00000001p84) + low;
}

// For normal positive x; within two units in the last place.
inline double log_positive(double x) {
    // x = 2^e m with m between sqrt(1/2) and sqrt(2)
    const std::uint64_t shifted = bits(x) - 0x3fe6a09e667f3bcd;
    const std::uint64_t biased = (shifted + 0x3ff0000000000000) >> 52;
    const double e = value(biased | 0x4330000000000000) - 0x1.00000000003ffp52;
    const double m = value(bits(x) - ((biased - 1023) << 52));
    const double s = (m - 1) / (m + 1), z = s * s;
    static constexpr double p[]{0.666666666666667, 0.3999999999989937, 0.28571428626007084, 0.2222221113075294,
                                0.18182889401610952, 0.15331712543935389, 0.14616560832756986};
    return e * ln2_high + (2 * s + (s * z * polynomial(z, p) + e * ln2_low));
}

// For every x.
inline double log(double x) {
    const bool tiny = x < 0x1p-1022;
    const double result = log_positive(tiny ? x * 0x1p54 : x) - (tiny ? 54 * (ln2_high + ln2_low) : 0);
    const double special = x == 0 ? -infinity : x > 0 ? infinity : std::numeric_limits<double>::quiet_NaN();
    return x > 0 && x < infinity ? result : special;
}

inline double exp(double x) {
    constexpr double round = 0x1.8p52;  // adding it leaves an integer in the low bits
    const double limited = x > 750 ? 750 : x < -750 ? -750 : x;
    const double k = (limited * 1.4426950408889634 + round) - round;
    const double r = (limited - k * ln2_high) - k * ln2_low;
    static constexpr double p[]{0.5, 0.16666666666666646, 0.041666666666624344, 0.00833333333335314,
                                0.0013888888917124472, 0.00019841269793830413, 2.4801521414883785e-05,
                                2.7557345340512568e-06, 2.762003892670794e-07, 2.5071928837199283e-08};
    const double power = 1 + (r + r * r * polynomial(r, p));
    // 2^k in two factors, for k beyond the range of exponents
    const double half = k * 0.5 + round, first = half - round, second = (k - first) + round;
    return power * value((bits(half) + 1023) << 52) * value((bits(second) + 1023) << 52);
}

inline double log1p(double x) {
    const double u = 1 + x;
    return u == 1 ? x : log(u) * (x / (u - 1));
}

inline double expm1(double x) {
    const double u = exp(x), minus = u - 1;
    const double corrected = u == 1 ? x : minus * (x / log(u));
    return x < -40 ? -1 : x > 40 ? u : corrected;
}

inline double power(double x, double y) { return exp(y * log(x)); }

// sin(pi x) and cos(pi x) for 0 <= x <= 1/4.
inline double sine(double x) {
    static constexpr double p[]{3.141592653589793, -5.167712780049954, 2.550164039873264, -0.5992645289320716,
                                0.08214586894752958, -0.007370018290968075, 0.0004615143157579704};
    return x * polynomial(x * x, p);
}
inline double cosine(double x) {
    static constexpr double p[]{1.0, -4.934802200544679, 4.058712126416745, -1.335262768851715, 0.23533063018169847,
                                -0.025806885438629242, 0.0019294632629850547, -0.00010355618010197531};
    return polynomial(x * x, p);
}

// cot(pi x) for 0 < x < 1/2.
inline double cotangent(double x) {
    const bool low = x < 0.25;
    const double y = low ? x : 0.5 - x, s = sine(y), c = cosine(y);
    return low ? c / s : s / c;
}

// For x >= 0.
inline double arctangent(double x) {
    const bool large = x > 1;
    const double y = large ? 1 / x : x;
    const bool middle = y > 0.41421356237309503;
    const double t = middle ? (y - 1) / (y + 1) : y, z = t * t;
    static constexpr double p[]{-0.3333333333333325, 0.19999999999898346, -0.14285714266076965, 0.1111110963476437,
                                -0.09090852486581516, 0.07691053677856045, -0.06649596191533147, 0.0573621490394371,
                                -0.04482919564307887, 0.02274449984338064};
    const double angle = (middle ? pi / 4 : 0) + (t + t * z * polynomial(z, p));
    return large ? pi / 2 - angle : angle;
}

// log n! less Stirling's n log n - n + log(2 pi n) / 2, for whole n >= 1.
inline double stirling_error(double n) {
    static constexpr double first[]{0.08106146679532726, 0.0413406959554093, 0.02767792568499834, 0.020790672103765093, 0.016644691189821193,
                                    0.013876128823070748, 0.01189670994589177, 0.010411265261972096, 0.009255462182712733};
    if (n < 10) return first[static_cast<int>(n) - 1];
    const double x = 1 / n, z = x * x;
    static constexpr double p[]{1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156};
    return x * polynomial(z, p);
}

// x log(x / m) + m - x without cancellation where x is near m (Loader's deviance); x, m > 0.
inline double deviance(double x, double m) {
    const double distance = x - m;
    if (std::fabs(distance) >= 0.1 * (x + m)) return x * log(x / m) + m - x;
    // The series of the logarithm in v, |v| < 0.1.
    const double v = distance / (x + m), z = v * v;
    static constexpr double p[]{1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17};
    return v * (distance + 2 * x * z * polynomial(z, p));
}

// Logarithms of probabilities, accurate for the largest counts too: Loader's forms.
inline double log_poisson(double k, double lam) {
    if (k == 0) return -lam;
    return -stirling_error(k) - deviance(k, lam) - 0.5 * log(2 * pi * k);
}
inline double log_binomial(double k, double n, double p, double q) {
    if (k == 0) return n == 0 ? 0 : n * log1p(-p);
    if (k == n) return n * log1p(-q);
    return stirling_error(n) - stirling_error(k) - stirling_error(n - k) - deviance(k, n * p) - deviance(n - k, n * q) +
           0.5 * log(n / (2 * pi * k * (n - k)));
}
inline double log_hypergeometric(double k, double good, double bad, double sample) {
    const double p = sample / (good + bad), q = (good + bad - sample) / (good + bad);
    return log_binomial(k, good, p, q) + log_binomial(sample - k, bad, p, q) - log_binomial(sample, good + bad, p, q);
}

// --- from words to numbers ---

inline double unit(std::uint64_t word) { return exact(word >> 11) * 0x1p-53; }            // [0, 1)
inline double open_unit(std::uint64_t word) { return (exact(word >> 12) + 0.5) * 0x1p-52; }  // (0, 1)
inline double exponential(std::uint64_t word) { return -log_positive(open_unit(word)); }

// The normal quantile: erfinv(x) / x as a rational function of w = -log(1 - x^2), or of its root far from the centre; the
// fits are within 3e-14 and 5e-12. Bits 12 to 63 of the word give |x|, bit 0 the sign.
inline constexpr double normal_tail = 6.25;  // w beyond it: one word in 500

struct NormalPoint {
    double x, w;
};
inline NormalPoint normal_point(std::uint64_t word) {
    const double v = open_unit(word);
    return {1 - v, -log_positive(v * (2 - v))};
}
inline double with_sign(double magnitude, std::uint64_t word) { return value(bits(magnitude) ^ (word << 63)); }
inline double normal_centre(NormalPoint at, std::uint64_t word) {
    static constexpr double a[]{1.2533141373154706, 0.48889063294446156, 0.14340191648043438, 0.028408061817848402,
                                0.0040502622347179116, 0.00042191776465157156, 2.985765049299991e-05,
                                1.1329647120325264e-06};
    static constexpr double b[]{1.0, 0.12827890014612126, 0.06780280070892879, 0.005878766676718769,
                                0.0012914571470084408, 6.651622175923408e-05, 5.8401128857685005e-06,
                                4.3247346100827104e-08};
    return with_sign(at.x * (polynomial(at.w, a) / polynomial(at.w, b)), word);
}
inline double normal(std::uint64_t word) {
    const NormalPoint at = normal_point(word);
    if (at.w <= normal_tail) return normal_centre(at, word);
    static constexpr double a[]{3.303525614478418, 4.911987052173985, 5.110308654225046, 3.6408710095054615,
                                2.0188115663943837, 0.8627619749613799, 0.25579426548844153, 0.03520913748082291};
    static constexpr double b[]{1.0, 1.0663889041427779, 1.0834406788302557, 0.6438023695379339,
                                0.33028090351833883, 0.12071295792989434, 0.024798751653787976,
                                2.7622915436978147e-06};
    const double t = std::sqrt(at.w) - 2.5;
    return with_sign(at.x * (polynomial(t, a) / polynomial(t, b)), word);
}

}  // namespace random_math
}  // namespace
}  // namespace asnumpy
