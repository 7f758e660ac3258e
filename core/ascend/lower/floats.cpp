// Decompositions of floating-point numbers: NumPy's special cases, and functions that CANN has not, or not of every dtype.
// 16-bit floats come here as float32, unless a rule names them.
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "ascend/lower/term.hpp"

namespace asnumpy::ascend {
namespace of_floats {
namespace {

using In = std::span<const Term>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr DTypes f32 = set_of({DType::float32}), f64 = set_of({DType::float64});

// Where the parts of a float lie in its bits.
struct Layout {
    std::int64_t sign, exponent, one_half;  // masks; the exponent of numbers in [0.5, 1)
    int fraction_bits, bias;
};
Layout layout(DType d) {
    switch (d) {
        case DType::float16: return {-0x8000, 0x7c00, 0x3800, 10, 15};
        case DType::bfloat16: return {-0x8000, 0x7f80, 0x3f00, 7, 127};
        case DType::float32: return {-0x80000000LL, 0x7f800000, 0x3f000000, 23, 127};
        default: return {INT64_MIN, 0x7ff0000000000000, 0x3fe0000000000000, 52, 1023};
    }
}
Term bits_of(Term x) { return x.bits(signed_of(x.dtype())); }

// --- signs and neighbours ---

Term with_sign_of(Term x, Term y) {
    const Layout l = layout(x.dtype());
    return ((bits_of(x) & ~l.sign) | (bits_of(y) & l.sign)).bits(x.dtype());
}
Terms copysign(In in, const Signature&) { return {with_sign_of(in[0], in[1])}; }

// NaN has no sign of its own.
Terms sign(In in, const Signature&) { return {where(is_nan(in[0]), in[0], direct("sign", {in[0]}))}; }

Terms nextafter(In in, const Signature&) {
    const Term x = in[0], y = in[1], bits = bits_of(x);
    const Layout l = layout(x.dtype());
    const Term away = !apply("logical_xor", {x < y, x > 0});
    const Term stepped = bits + where(away, bits.like(std::int64_t{1}), bits.like(std::int64_t{-1}));
    const Term from_zero = ((bits_of(y) & l.sign) | bits.like(std::int64_t{1})).bits(x.dtype());
    const Term moved = where(x == 0, from_zero, stepped.bits(x.dtype()));
    const Term there = where(x == y, x.dtype() == DType::float16 ? x : y, moved);
    return {where(apply("logical_or", {is_nan(x), is_nan(y)}), x + y, there)};
}
// The distance to the neighbour farther from zero; of float16 to the one above.
Terms spacing(In in, const Signature&) {
    const Term x = in[0], bits = bits_of(x);
    if (x.dtype() == DType::float16) {
        const Term next = bits + where(x < 0, bits.like(std::int64_t{-1}), bits.like(std::int64_t{1}));
        const Term distance = absolute(next.bits(x.dtype()) - x);
        return {where(apply("isfinite", {x}), distance, x - x)};
    }
    const Term next = bits + 1;
    if (x.dtype() == DType::bfloat16) return {where(apply("isfinite", {x}), next.bits(x.dtype()) - x, x - x)};
    return {where(x == 0, bits.like(std::int64_t{1}), next).bits(x.dtype()) - x};
}

Terms heaviside(In in, const Signature&) {
    const Term x = in[0];
    return {where(is_nan(x), x, where(x == 0, in[1], (x > 0).as(x.dtype())))};
}

// --- rounding, powers of two ---

Terms truncated(In in, const Signature&) { return {where(in[0] < 0, apply("ceil", {in[0]}), apply("floor", {in[0]}))}; }
Terms modf(In in, const Signature&) {
    const Term x = in[0], whole = apply("trunc", {x});
    return {with_sign_of(where(apply("isinf", {x}), 0, x - whole), x), whole};
}

Term power_of_two(Term exponent, DType dtype) {  // of an exponent that gives a normal number
    const Layout l = layout(dtype);
    return ((exponent + l.bias).as(signed_of(dtype)) * (std::int64_t{1} << l.fraction_bits)).bits(dtype);
}
Term bounded(Term x, std::int64_t low, std::int64_t high) {
    return apply("minimum", {apply("maximum", {x, x.like(low)}), x.like(high)});
}
// In three steps, which reach from the greatest number to below the least. A power that is not the last leaves room for every
// bit of a normal number, so that only the last step can round; after it what was no normal number is nothing.
Terms ldexp(In in, const Signature&) {
    Term x = in[0];
    const Layout l = layout(x.dtype());
    const std::int64_t least = 1 - l.bias, room = least + l.fraction_bits + 1;
    Term rest = bounded(in[1], 3 * room, -3 * room).as(DType::int32);
    for (int step = 0; step < 3; ++step) {
        const Term now = where(rest < least, room, apply("minimum", {rest, rest.like(std::int64_t{l.bias})}));
        x = x * power_of_two(now, x.dtype());
        rest = rest - now;
    }
    return {x};
}

Terms frexp_of_double(In in, const Signature& s) {
    const Term x = in[0];
    const Layout l = layout(DType::float64);
    const Term small = absolute(x) < std::numeric_limits<double>::min();
    const Term bits = bits_of(where(small, x * 0x1p54, x));
    const Term power = direct("floor_divide", {bits & l.exponent, bits.like(std::int64_t{1} << l.fraction_bits)}) - where(small, bits.like(std::int64_t{1022 + 54}), bits.like(std::int64_t{1022}));
    const Term fraction = ((bits & ~l.exponent) | bits.like(l.one_half)).bits(DType::float64);
    const Term ordinary = apply("logical_and", {apply("isfinite", {x}), x != 0});
    return {where(ordinary, fraction, x), where(ordinary, power, 0).as(s.out[1])};
}
// Below the normal numbers the fraction is an integer, whose own exponent tells where it ends.
Terms frexp_of_float(In in, const Signature&) {
    const Term x = in[0], bits = bits_of(x);
    const Layout l = layout(DType::float32);
    const std::int64_t fraction_mask = (std::int64_t{1} << l.fraction_bits) - 1, own = l.bias - 1;
    const Term small = (bits & l.exponent) == 0;
    const Term normal = where(small, bits_of((bits & fraction_mask).as(DType::float32)), bits);
    const Term power = direct("floor_divide", {normal & l.exponent, bits.like(std::int64_t{1} << l.fraction_bits)}) -
                       where(small, bits.like(own + l.bias - 1 + l.fraction_bits), bits.like(own));
    const Term fraction = ((normal & fraction_mask) | (bits & l.sign) | bits.like(l.one_half)).bits(DType::float32);
    const Term ordinary = apply("logical_and", {apply("isfinite", {x}), x != 0});
    return {where(ordinary, fraction, x), where(ordinary, power, 0)};
}

// --- quotients ---

// The integer nearest to (x - remainder) / y, as Python has it: 1.0 // 0.1 is 9.
Terms floored_quotient(In in, const Signature&) {
    const Term x = in[0], y = in[1], ratio = x / y, rest = apply("fmod", {x, y});
    const Term other_sign = apply("logical_xor", {y < 0, rest < 0});
    const Term quotient = (x - rest) / y - apply("logical_and", {rest != 0, other_sign}).as(x.dtype());
    const Term floored = apply("floor", {quotient});
    const Term nearest = floored + (quotient - floored > 0.5).as(x.dtype());
    return {where(y == 0, ratio, where(quotient == 0, ratio * 0.0, nearest))};
}
// CANN's operator would take 16-bit floats, and round the quotient down.
Terms floored_quotient_of_half(In in, const Signature&) {
    return {apply("floor_divide", {in[0].as(DType::float32), in[1].as(DType::float32)}).as(in[0].dtype())};
}
Terms quotient_and_rest(In in, const Signature&) {
    return {apply("floor_divide", {in[0], in[1]}), apply("remainder", {in[0], in[1]})};
}

// --- what only the numbers decide ---

Terms fmax(In in, const Signature&) { return {where(apply("logical_or", {in[0] > in[1], is_nan(in[1])}), in[0], in[1])}; }
Terms fmin(In in, const Signature&) { return {where(apply("logical_or", {in[0] < in[1], is_nan(in[1])}), in[0], in[1])}; }

// Comparisons by others, where CANN lacks their own operators.
Terms differ(In in, const Signature&) { return {!(in[0] == in[1])}; }
Terms no_number(In in, const Signature&) { return {in[0] != in[0]}; }
Terms at_most(In in, const Signature&) { return {apply("logical_or", {in[0] < in[1], in[0] == in[1]})}; }
Terms at_least(In in, const Signature&) { return {apply("logical_or", {in[0] > in[1], in[0] == in[1]})}; }

// The factor has the dtype's own precision.
Terms radians(In in, const Signature&) {
    const bool single = in[0].dtype() == DType::float32;
    return {in[0] * (single ? static_cast<double>(std::numbers::pi_v<float> / 180.0f) : std::numbers::pi / 180)};
}
Terms degrees(In in, const Signature&) {
    const bool single = in[0].dtype() == DType::float32;
    return {in[0] * (single ? static_cast<double>(180.0f / std::numbers::pi_v<float>) : 180 / std::numbers::pi)};
}

// --- roots, exponentials, logarithms ---

// One of Newton's steps makes good what 1/3 lacks; small numbers are made larger, so that no square loses digits.
Terms cube_root(In in, const Signature&) {
    const bool wide = in[0].dtype() == DType::float64;
    const double least = wide ? 0x1p-900 : 0x1p-100, up = wide ? 0x1p600 : 0x1p60, down = wide ? 0x1p-200 : 0x1p-20;
    const Term given = absolute(in[0]), small = given < least, a = where(small, given * up, given), root = apply("power", {a, a.like(1.0 / 3)});
    const Term step = (root - a / (root * root)) * (1.0 / 3);
    const Term better = where(apply("isfinite", {step}), root - step, root);
    return {with_sign_of(where(small, better * down, better), in[0])};
}

// The larger operand is brought near 1 by a power of two, so that no square overflows or vanishes.
Terms hypot(In in, const Signature&) {
    const Term a = absolute(in[0]), b = absolute(in[1]);
    const Layout l = layout(a.dtype());
    const std::int64_t one = std::int64_t{1} << l.fraction_bits, last = l.exponent - one;
    const Term exponent = bounded(bits_of(where(a > b, a, b)) & l.exponent, one, last - one);
    const Term down = (last - exponent).bits(a.dtype()), up = exponent.bits(a.dtype());
    const Term x = a * down, y = b * down;
    const Term root = apply("sqrt", {x * x + y * y}) * up;
    return {where(apply("logical_or", {a == infinity, b == infinity}), infinity, root)};
}

// Near zero in Kahan's form: the error of exp and that of log take each other away.
Terms expm1_of_double(In in, const Signature&) {
    const Term x = in[0], power = apply("exp", {x}), less = power - 1.0;
    const Term near = where(power == 1.0, x, less / apply("log", {power}) * x);
    return {where(absolute(x) > 1.0, less, near)};
}
// The natural logarithm by a constant, and exact for the powers of the base.
Terms log_of_base(Term x, double base, double scale) {
    const Term result = apply("log", {x}) * scale, whole = apply("rint", {result});
    return {where(apply("power", {x.like(base), whole}) == x, whole, result)};
}
Terms log2_of_double(In in, const Signature&) { return log_of_base(in[0], 2.0, std::numbers::log2e); }
Terms log10_of_double(In in, const Signature&) { return log_of_base(in[0], 10.0, std::numbers::log10e); }
Terms tanh_of_double(In in, const Signature&) {
    const Term x = in[0];
    const Term inside = apply("minimum", {apply("maximum", {x, x.like(-22.0)}), x.like(22.0)});
    const Term less = apply("expm1", {inside * 2.0});
    return {less / (less + 2.0)};
}
// The larger one, and what the smaller one adds to it; equal infinities have no difference.
Terms log_of_sum(Term x, Term y, std::string_view power, double log_of_two, double scale) {
    const Term distance = absolute(x - y);
    const Term added = apply("log1p", {apply(power, {-distance})}) * scale;
    return {where(x == y, x + log_of_two, apply("maximum", {x, y}) + added)};
}
Terms logaddexp(In in, const Signature&) { return log_of_sum(in[0], in[1], "exp", std::numbers::ln2, 1); }
Terms logaddexp2(In in, const Signature&) { return log_of_sum(in[0], in[1], "exp2", 1, std::numbers::log2e); }

constexpr std::array rules{
    Rule{"copysign", floats, true, copysign}, Rule{"sign", floats, true, sign},
    Rule{"nextafter", floats, true, nextafter}, Rule{"spacing", floats, true, spacing}, Rule{"heaviside", floats, true, heaviside},
    Rule{"trunc", f64, false, truncated}, Rule{"modf", floats, true, modf},
    Rule{"ldexp", singles, true, ldexp},
    Rule{"frexp", f32, true, frexp_of_float}, Rule{"frexp", f64, true, frexp_of_double},
    Rule{"floor_divide", singles, true, floored_quotient}, Rule{"floor_divide", halves, true, floored_quotient_of_half}, Rule{"divmod", singles, true, quotient_and_rest},
    Rule{"fmax", floats, true, fmax}, Rule{"fmin", floats, true, fmin},
    Rule{"not_equal", floats | complexes, false, differ}, Rule{"isnan", floats | complexes, false, no_number},
    Rule{"less_equal", floats, false, at_most}, Rule{"greater_equal", floats, false, at_least},
    Rule{"deg2rad", singles, true, radians}, Rule{"radians", singles, true, radians},
    Rule{"rad2deg", singles, true, degrees}, Rule{"degrees", singles, true, degrees},
    Rule{"cbrt", singles, true, cube_root}, Rule{"hypot", singles, true, hypot},
    Rule{"expm1", f64, false, expm1_of_double}, Rule{"log2", f64, false, log2_of_double}, Rule{"log10", f64, false, log10_of_double},
    Rule{"tanh", f64, false, tanh_of_double},
    Rule{"logaddexp", f64, false, logaddexp}, Rule{"logaddexp2", f64, false, logaddexp2},
};

}  // namespace
}  // namespace of_floats

std::span<const Rule> float_rules() { return of_floats::rules; }

}  // namespace asnumpy::ascend
