// Sine and cosine of float64 to less than one unit in the last place, without branches and tables, so that loops are vectorised
// and every instruction set gives the same bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace asnumpy::ops {
namespace {

// The argument less `quadrant` times pi / 2, as an unevaluated sum.
struct Reduced {
    double high, low;
    std::uint64_t quadrant;  // its last two bits count
};

// Of |x| < 1e6: three pieces of pi / 2 have 33 bits each, so that their products by the quotient, of 20 bits, are exact.
constexpr bool has_small_quadrant(double x) { return std::fabs(x) < 1e6; }
constexpr Reduced reduced_angle(double x) {
    constexpr double two_over_pi = 0x1.45f306dc9c883p-1, whole = 0x1.8p52;  // added, it leaves the nearest integer in the last bits
    constexpr double first = 0x1.921fb544p+0, second = 0x1.0b4611a6p-34, third = 0x1.3198a2ep-69, rest = 0x1.b839a252049c1p-104;
    const double shifted = x * two_over_pi + whole, quotient = shifted - whole;
    const double a = x - quotient * first;  // exact: both are multiples of a unit that the difference has room for
    const double b = quotient * second, ab = a - b;
    const double b_taken = a - ab, ab_error = (a - (ab + b_taken)) + (b_taken - b);
    const double c = quotient * third, abc = ab - c;
    const double c_taken = ab - abc, abc_error = (ab - (abc + c_taken)) + (c_taken - c);
    const double tail = (ab_error + abc_error) - quotient * rest, high = abc + tail;
    return {high, (abc - high) + tail, std::bit_cast<std::uint64_t>(shifted)};
}

// Of |x| <= pi / 4 and a little: Taylor's series, economised by Chebyshev polynomials; y is the part of the argument below x.
constexpr double sine_of(double x, double y) {
    const double z = x * x, cube = z * x;
    const double r = 0x1.1111111110bb3p-7 + z * (-0x1.a01a019e83c50p-13 + z * (0x1.71de3796a765cp-19 + z * (-0x1.ae600b1d97ccbp-26 + z * 0x1.5e0b229798997p-33)));
    return x - ((z * (0.5 * y - cube * r) - y) + cube * 0x1.5555555555555p-3);
}
constexpr double cosine_of(double x, double y) {
    const double z = x * x, half = 0.5 * z, w = 1 - half;
    const double r = z * (0x1.5555555555555p-5 + z * (-0x1.6c16c16c16967p-10 + z * 0x1.a01a019f4ebb9p-16)) +
                     z * z * (z * z) * (-0x1.27e4fa17e6f20p-22 + z * (0x1.1eeb68f50aa8dp-29 + z * -0x1.907daaf7c5bebp-37));
    return w + (((1 - w) - half) + (z * r - x * y));
}

// The sine of the angle and `ahead` quadrants more.
constexpr double sine_ahead(double x, std::uint64_t ahead) {
    const Reduced angle = reduced_angle(x);
    const std::uint64_t quadrant = angle.quadrant + ahead;
    const double sine = sine_of(angle.high, angle.low), cosine = cosine_of(angle.high, angle.low);
    const double value = (quadrant & 1) != 0 ? cosine : sine;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ (quadrant & 2) << 62);
}

// What loops over blocks ask of a row with a fast path: which types have one, for which operands it is right, and both ways.
struct FastSine {
    template <class T> static constexpr bool available = std::is_same_v<T, double>;
    static constexpr bool applies(double x) { return has_small_quadrant(x); }
    static constexpr double fast(double x) { return x == 0 ? x : sine_ahead(x, 0); }  // a zero keeps its sign
    static double call(double x) { return applies(x) ? fast(x) : std::sin(x); }
};
struct FastCosine {
    template <class T> static constexpr bool available = std::is_same_v<T, double>;
    static constexpr bool applies(double x) { return has_small_quadrant(x); }
    static constexpr double fast(double x) { return sine_ahead(x, 1); }
    static double call(double x) { return applies(x) ? fast(x) : std::cos(x); }
};

}  // namespace
}  // namespace asnumpy::ops
