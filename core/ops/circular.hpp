// Sine and cosine of float64 to less than one unit in the last place, without branches and tables, so that loops are vectorised
// and every instruction set gives the same bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace asnumpy::ops {
namespace {

// The argument less `quadrant` times pi / 2, as a difference that is not carried out.
struct Reduced {
    double high, low;
    std::uint64_t quadrant;  // its last two bits count
};
inline constexpr double two_over_pi = 0x1.45f306dc9c883p-1, whole = 0x1.8p52;  // added, it leaves the nearest integer in the last bits

// Pieces of pi / 2 are so short that their products by the quotient are exact. Then (a - (a - b)) - b is what rounding loses of a - b,
// whichever is larger: here a is always a multiple of the last place of b.

// Of |x| < 65536: two pieces of 37 bits, a quotient of 16.
constexpr bool has_near_quadrant(double x) { return std::fabs(x) < 65536; }
constexpr Reduced near_angle(double x) {
    constexpr double first = 0x1.921fb5444p+0, second = 0x1.68c234c4cp-39, rest = 0x1.98a2e03707345p-77;
    const double shifted = x * two_over_pi + whole, quotient = shifted - whole;
    const double a = x - quotient * first;  // exact: both are multiples of a unit that the difference has room for
    const double b = quotient * second, ab = a - b, ab_error = (a - ab) - b;
    const double tail = quotient * rest - ab_error, high = ab - tail;
    return {high, tail - (ab - high), std::bit_cast<std::uint64_t>(shifted)};
}

// Of |x| < 1e6: three pieces of 33 bits, a quotient of 20.
constexpr bool has_far_quadrant(double x) { return std::fabs(x) < 1e6; }
constexpr Reduced far_angle(double x) {
    constexpr double first = 0x1.921fb544p+0, second = 0x1.0b4611a6p-34, third = 0x1.3198a2ep-69, rest = 0x1.b839a252049c1p-104;
    const double shifted = x * two_over_pi + whole, quotient = shifted - whole;
    const double a = x - quotient * first;
    const double b = quotient * second, ab = a - b, ab_error = (a - ab) - b;
    const double c = quotient * third, abc = ab - c, abc_error = (ab - abc) - c;
    const double tail = quotient * rest - (ab_error + abc_error), high = abc - tail;
    return {high, tail - (abc - high), std::bit_cast<std::uint64_t>(shifted)};
}

// The sine of the angle and `ahead` quadrants more. Of at most pi / 4 and a little: Taylor's series, economised by Chebyshev
// polynomials. A zero keeps its sign.
constexpr double sine_ahead(Reduced angle, std::uint64_t ahead) {
    const double x = angle.high, y = angle.low, z = x * x, half = 0.5 * z, w = 1 - half;
    const double s = 0x1.5555555555555p-3 + z * (-0x1.1111111110bb3p-7 + z * (0x1.a01a019e83c50p-13 + z * (-0x1.71de3796a765cp-19 + z * (0x1.ae600b1d97ccbp-26 + z * -0x1.5e0b229798997p-33))));
    const double c = 0x1.5555555555555p-5 + z * (-0x1.6c16c16c16967p-10 + z * (0x1.a01a019f4ebb9p-16 + z * (-0x1.27e4fa17e6f20p-22 + z * (0x1.1eeb68f50aa8dp-29 + z * -0x1.907daaf7c5bebp-37))));
    const double sine = x - (z * (x * s) + y * w), cosine = w + (z * (z * c) + (((1 - w) - half) + x * y));
    const std::uint64_t quadrant = angle.quadrant + ahead;
    const double value = (quadrant & 1) != 0 ? cosine : sine;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ (quadrant & 2) << 62);
}

// What loops over blocks ask of a row with a fast path: which types have one, for which operands it is right, and both ways; where
// there is a second one for more operands, a block that holds others than the first's takes it.
template <std::uint64_t ahead> struct FastCircular {
    template <class T> static constexpr bool available() { return std::is_same_v<T, double>; }
    static constexpr bool applies(double x) { return has_near_quadrant(x); }
    static constexpr double fast(double x) { return sine_ahead(near_angle(x), ahead); }
    struct Wider {
        static constexpr bool applies(double x) { return has_far_quadrant(x); }
        static constexpr double fast(double x) {
            const Reduced near = near_angle(x), far = far_angle(x);
            const bool is_near = has_near_quadrant(x);  // the bits of a number do not depend on its neighbours
            return sine_ahead({is_near ? near.high : far.high, is_near ? near.low : far.low, far.quadrant}, ahead);
        }
    };
    static double call(double x) {
        if (Wider::applies(x)) return Wider::fast(x);
        if constexpr (ahead == 0) return std::sin(x);
        else return std::cos(x);
    }
};
using FastSine = FastCircular<0>;
using FastCosine = FastCircular<1>;

}  // namespace
}  // namespace asnumpy::ops
