// Decompositions of complex numbers, into their parts or into functions that CANN has of them; and casts.
#include <limits>
#include <numbers>

#include "ascend/lower/term.hpp"

namespace asnumpy::ascend {
namespace of_complex_numbers {
namespace {

using In = std::span<const Term>;

Term re(Term z) { return z.part(0); }
Term im(Term z) { return z.part(1); }
Term either(Term x, Term y) { return apply("logical_or", {x, y}); }
Term both(Term x, Term y) { return apply("logical_and", {x, y}); }

Terms real(In in, const Signature&) { return {re(in[0])}; }
Terms imag(In in, const Signature&) { return {im(in[0])}; }
Terms conjugate(In in, const Signature&) { return {joined(re(in[0]), -im(in[0]))}; }
Terms modulus(In in, const Signature&) { return {apply("hypot", {re(in[0]), im(in[0])})}; }
Terms rint(In in, const Signature&) { return {joined(apply("rint", {re(in[0])}), apply("rint", {im(in[0])}))}; }

// The direction; of an infinite part its sign.
Terms sign(In in, const Signature&) {
    const Term a = re(in[0]), b = im(in[0]), length = apply("hypot", {a, b});
    const Term far_a = apply("isinf", {a}), far_b = apply("isinf", {b}), far = either(far_a, far_b);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto part = [&](Term x, Term own, Term other) {
        const Term at_infinity = where(own, apply("copysign", {x.like(1.0), x}), 0.0);
        const Term finite = where(length == 0.0, 0.0, x / length);
        return where(both(own, other), nan, where(far, at_infinity, finite));
    };
    return {joined(where(is_nan(length), nan, part(a, far_a, far_b)), where(is_nan(length), nan, part(b, far_b, far_a)))};
}

// --- order: by the real parts, then by the imaginary ones; a NaN in an imaginary part spoils that of the real ones ---

Term ordered(Term x, Term y, bool or_equal) {
    const Term numbers = both(im(x) == im(x), im(y) == im(y));
    const Term tail = or_equal ? im(x) <= im(y) : im(x) < im(y);
    return either(both(re(x) < re(y), numbers), both(re(x) == re(y), tail));
}
Terms less(In in, const Signature&) { return {ordered(in[0], in[1], false)}; }
Terms less_equal(In in, const Signature&) { return {ordered(in[0], in[1], true)}; }
Terms greater(In in, const Signature&) { return {ordered(in[1], in[0], false)}; }
Terms greater_equal(In in, const Signature&) { return {ordered(in[1], in[0], true)}; }

// `which` is the operand whose NaN gives the first one.
Term chosen(In in, bool largest, int which) {
    const Term first = largest ? ordered(in[1], in[0], true) : ordered(in[0], in[1], true);
    return where(either(first, apply("isnan", {in[static_cast<std::size_t>(which)]})), in[0], in[1]);
}
Terms maximum(In in, const Signature&) { return {chosen(in, true, 0)}; }
Terms minimum(In in, const Signature&) { return {chosen(in, false, 0)}; }
Terms fmax(In in, const Signature&) { return {chosen(in, true, 1)}; }
Terms fmin(In in, const Signature&) { return {chosen(in, false, 1)}; }

Terms logical_not(In in, const Signature&) { return {in[0] == 0.0}; }
Terms logical_or(In in, const Signature&) { return {either(in[0] != 0.0, in[1] != 0.0)}; }
Terms isinf(In in, const Signature&) { return {either(apply("isinf", {re(in[0])}), apply("isinf", {im(in[0])}))}; }
Terms isfinite(In in, const Signature&) { return {both(apply("isfinite", {re(in[0])}), apply("isfinite", {im(in[0])}))}; }

// --- functions by others, as NumPy has them ---

Terms exp2(In in, const Signature&) {
    const double scale = in[0].dtype() == DType::complex64 ? static_cast<double>(std::numbers::ln2_v<float>) : std::numbers::ln2;
    return {apply("exp", {joined(re(in[0]) * scale, im(in[0]) * scale)})};
}
// The natural logarithm's parts, each by the constant in the precision of the parts.
Terms scaled_log(Term z, double scale) {
    const Term natural = apply("log", {z});
    return {joined(re(natural) * scale, im(natural) * scale)};
}
Terms log2(In in, const Signature&) {
    return scaled_log(in[0], in[0].dtype() == DType::complex64 ? static_cast<double>(std::numbers::log2e_v<float>) : std::numbers::log2e);
}
Terms log10(In in, const Signature&) {
    return scaled_log(in[0], in[0].dtype() == DType::complex64 ? static_cast<double>(std::numbers::log10e_v<float>) : std::numbers::log10e);
}
// Far from zero the plain difference has the smaller error.
Terms expm1(In in, const Signature&) {
    const Term a = re(in[0]), b = im(in[0]), half = apply("sin", {b * 0.5}), power = apply("exp", {a}), cosine = apply("cos", {b});
    const Term near = apply("expm1", {a}) * cosine - half * half * 2.0;
    return {joined(where(absolute(a) > 0.5, power * cosine - 1.0, near), power * apply("sin", {b}))};
}
Terms log1p(In in, const Signature&) {
    const Term a = re(in[0]) + 1.0, b = im(in[0]);
    return {joined(apply("log", {apply("hypot", {a, b})}), apply("arctan2", {b, a}))};
}
// cosh(z) = cos(-iz), tanh(z) = i tan(-iz)
Term turned(Term z) { return joined(im(z), -re(z)); }
Terms cosh(In in, const Signature&) { return {apply("cos", {turned(in[0])})}; }
Terms tanh(In in, const Signature&) {
    const Term t = apply("tan", {turned(in[0])});
    return {joined(-im(t), re(t))};
}

constexpr DTypes with_long = complexes | set_of({DType::clongdouble});
constexpr std::array rules{
    Rule{"real", with_long, true, real}, Rule{"imag", with_long, true, imag}, Rule{"conjugate", complexes, true, conjugate},
    Rule{"absolute", complexes, false, modulus}, Rule{"rint", complexes, false, rint}, Rule{"sign", complexes, true, sign},
    Rule{"less", complexes, false, less}, Rule{"less_equal", complexes, false, less_equal},
    Rule{"greater", complexes, false, greater}, Rule{"greater_equal", complexes, false, greater_equal},
    Rule{"maximum", complexes, false, maximum}, Rule{"minimum", complexes, false, minimum},
    Rule{"fmax", complexes, false, fmax}, Rule{"fmin", complexes, false, fmin},
    Rule{"logical_not", complexes, false, logical_not}, Rule{"logical_or", complexes, false, logical_or},
    Rule{"isinf", complexes, false, isinf}, Rule{"isfinite", complexes, false, isfinite},
    Rule{"exp2", complexes, false, exp2}, Rule{"expm1", complexes, false, expm1}, Rule{"log1p", complexes, false, log1p},
    Rule{"log2", complexes, false, log2}, Rule{"log10", complexes, false, log10},
    Rule{"cosh", complexes, false, cosh}, Rule{"tanh", complexes, false, tanh},
};

// Equal dtypes copy; a bool is the comparison with zero, which all agree on; a complex number gives its real part.
Terms cast(In in, const Signature& s) {
    if (s.in[0] == s.out[0]) return {in[0]};
    if (s.out[0] == DType::boolean) return {in[0] != 0};
    if (is_complex(s.in[0]) && !is_complex(s.out[0])) return {re(in[0]).as(s.out[0])};
    return in[0].builder().operators_of(row(find_row("cast")), s, in);
}
constexpr std::array casts{Rule{"cast", every, true, cast}};

}  // namespace
}  // namespace of_complex_numbers

std::span<const Rule> complex_rules() { return of_complex_numbers::rules; }
std::span<const Rule> cast_rules() { return of_complex_numbers::casts; }

}  // namespace asnumpy::ascend
