// Decompositions of integers and bools: what CANN's operators do not promise (division by zero, shifts beyond the width)
// or do not have (counts of bits, least common multiples, 64 bits without a sign).
#include <cstdint>

#include "ascend/lower/term.hpp"

namespace asnumpy::ascend {
namespace of_integers {
namespace {

using In = std::span<const Term>;

Term minimum_of(Term like) { return like.like(static_cast<std::int64_t>(std::uint64_t{1} << (itemsize(like.dtype()) * 8 - 1))).as(like.dtype()); }
std::int64_t width(Term x) { return static_cast<std::int64_t>(itemsize(x.dtype())) * 8; }

// Reads and makes integers of any dtype as int64.
std::int64_t value_of(const Scalar& number) { return cast_number(number, DType::int64).get<std::int64_t>(); }
Scalar integer(std::int64_t value, DType dtype) { return cast_number(Scalar::of(value), dtype); }

// --- bools ---

Terms either(In x, const Signature&) { return {apply("logical_or", {x[0], x[1]})}; }
Terms both(In x, const Signature&) { return {apply("logical_and", {x[0], x[1]})}; }
Terms same(In x, const Signature&) { return {x[0]}; }
Terms never(In x, const Signature&) { return {x[0].like(std::int64_t{0}).computed([](const Scalar&, DType) { return Scalar::of(false); }, DType::boolean)}; }
Terms bool_less(In x, const Signature&) { return {apply("logical_and", {x[1], !x[0]})}; }
Terms bool_at_most(In x, const Signature&) { return {apply("logical_or", {x[1], !x[0]})}; }
Terms bool_greater(In x, const Signature&) { return {apply("logical_and", {x[0], !x[1]})}; }
Terms bool_at_least(In x, const Signature&) { return {apply("logical_or", {x[0], !x[1]})}; }
Terms always(In x, const Signature&) { return {x[0].like(std::int64_t{0}).computed([](const Scalar&, DType) { return Scalar::of(true); }, DType::boolean)}; }

// --- division: a divisor of zero gives zero ---

// The divisor with 1 in the place of 0.
Term safe_divisor(Term y) {
    if (y.is_number()) return y.computed([](const Scalar& n, DType d) { return value_of(n) ? n : integer(1, d); }, y.dtype());
    return where(y == 0, 1, y);
}
Terms floored_quotient(In in, const Signature&) {
    const Term x = in[0], y = in[1], quotient = direct("floor_divide", {x, safe_divisor(y)});
    if (!y.is_number()) return {where(y == 0, 0, quotient)};
    return {quotient * y.computed([](const Scalar& n, DType d) { return integer(value_of(n) != 0, d); }, y.dtype())};
}
Terms floored_rest(In in, const Signature&) { return {direct("remainder", {in[0], safe_divisor(in[1])})}; }
Terms truncated_rest(In in, const Signature&) { return {direct("fmod", {in[0], safe_divisor(in[1])})}; }
Terms quotient_and_rest(In in, const Signature&) { return {apply("floor_divide", {in[0], in[1]}), apply("remainder", {in[0], in[1]})}; }

// Without a sign, 64 bits: half of x, which has a sign to spare, is divided; the rest of it is at most one more divisor.
// A divisor above the middle goes into x once or never.
struct Division {
    Term quotient, rest;
};
Term logical_half(Term x) {  // x >> 1 of a uint64, as int64
    return direct("floor_divide", {x.bits(DType::int64), x.bits(DType::int64).like(std::int64_t{2})}) & INT64_MAX;
}
Division divide_unsigned(Term x, Term y) {
    const Term divisor = y.bits(DType::int64), large = divisor < 0;
    const Term small = where(large | (divisor == 0), 1, divisor);
    const Term doubled = direct("floor_divide", {logical_half(x), small}) * 2;
    const Term rest = x.bits(DType::int64) - doubled * small;
    const Term fits = rest.bits(DType::uint64) >= small.bits(DType::uint64);
    const Term once = x >= y, zero = y == 0;
    const Term quotient = where(large, once.as(DType::int64), doubled + fits.as(DType::int64));
    const Term safe = where(zero, 0, quotient);
    const Term left = x.bits(DType::int64) - safe * divisor;
    return {safe.bits(DType::uint64), where(zero, 0, left).bits(DType::uint64)};
}
Terms unsigned_quotient(In in, const Signature&) { return {divide_unsigned(in[0], in[1]).quotient}; }
Terms unsigned_rest(In in, const Signature&) { return {divide_unsigned(in[0], in[1]).rest}; }

Terms integer_reciprocal(In in, const Signature&) {
    const Term x = in[0];
    const Term one = (x == 1).as(x.dtype());
    if (holds(unsigned_integers, x.dtype())) return {one};
    const Term result = one - (x == -1).as(x.dtype());
    if (itemsize(x.dtype()) < 4) return {result};
    return {where(x == 0, minimum_of(x), result)};
}

// x ** y by x ** 2 and the upper bits of y, so that no exponent looks negative.
Terms unsigned_power(In in, const Signature&) {
    const Term x = in[0].bits(DType::int64), y = in[1].bits(DType::int64);
    const Term half = logical_half(in[1]);
    return {(direct("power", {x * x, half}) * where((y & 1) == 0, 1, x)).bits(DType::uint64)};
}

// --- shifts: as multiplication and division by powers of two, in two steps so that none leaves the dtype ---

Scalar power_of_two(std::int64_t exponent, DType dtype) { return integer(static_cast<std::int64_t>(std::uint64_t{1} << exponent), dtype); }
std::int64_t digits(DType d) { return static_cast<std::int64_t>(itemsize(d)) * 8; }
bool inside(const Scalar& count, std::int64_t width) { return value_of(count) >= 0 && value_of(count) < width; }

struct Powers {
    Term low, high;
};
Powers powers(Term count) {  // 0 <= count < width: two powers of two whose product is 2 ** count
    const Term half = direct("floor_divide", {count, count.like(std::int64_t{2})}), two = count.like(std::int64_t{2});
    return {apply("power", {two, half}), apply("power", {two, count - half})};
}

Terms shifted_left(In in, const Signature&) {
    const Term x = in[0], n = in[1];
    if (n.is_number())
        return {x * n.computed([](const Scalar& count, DType d) { return inside(count, digits(d)) ? power_of_two(value_of(count), d) : integer(0, d); }, n.dtype())};
    const Term fits = n.bits(unsigned_of(n.dtype())) < width(x);
    const Powers p = powers(where(fits, n, 0));
    return {where(fits, x * p.low * p.high, 0)};
}
Terms shifted_left_unsigned(In in, const Signature&) {
    const DType d = signed_of(in[0].dtype());
    return {apply("left_shift", {in[0].bits(d), in[1].bits(d)}).bits(in[0].dtype())};
}
Terms shifted_right(In in, const Signature&) {
    const Term x = in[0], n = in[1];
    if (n.is_number()) {
        const auto half = [](const Scalar& count, DType d) { return power_of_two((inside(count, digits(d)) ? value_of(count) : digits(d) - 1) / 2, d); };
        const auto other = [](const Scalar& count, DType d) {
            const std::int64_t all = inside(count, digits(d)) ? value_of(count) : digits(d) - 1;
            return power_of_two(all - all / 2, d);
        };
        return {direct("floor_divide", {direct("floor_divide", {x, n.computed(half, n.dtype())}), n.computed(other, n.dtype())})};
    }
    const Powers p = powers(where(n.bits(unsigned_of(n.dtype())) < width(x) - 1, n, width(x) - 1));
    return {direct("floor_divide", {direct("floor_divide", {x, p.low}), p.high})};
}
Terms shifted_right_unsigned(In in, const Signature&) {
    const Term n = in[1].bits(DType::int64);
    const Term shifted = apply("right_shift", {logical_half(in[0]), n - 1}).bits(DType::uint64);
    return {where(n == 0, in[0], shifted)};
}

// --- comparison ---

Terms at_most(In in, const Signature&) { return {!(in[0] > in[1])}; }
Terms larger(In in, const Signature&) { return {where(in[0] > in[1], in[0], in[1])}; }
Terms smaller(In in, const Signature&) { return {where(in[0] < in[1], in[0], in[1])}; }
Terms maximum(In in, const Signature&) { return {apply("maximum", {in[0], in[1]})}; }
Terms minimum(In in, const Signature&) { return {apply("minimum", {in[0], in[1]})}; }

// int64 with uint64: a negative one is less than all; else both are compared as uint64.
struct Mixed {
    Term negative, x, y;  // of in[0] and in[1]; `negative` belongs to the one with a sign
    bool first;           // which is in[0]
};
Mixed mixed(In in) {
    const bool first = in[0].dtype() == DType::int64;
    const Term with_sign = in[first ? 0 : 1];
    return {with_sign < 0, in[0].bits(DType::uint64), in[1].bits(DType::uint64), first};
}
Term mixed_equal(In in) {
    const Mixed m = mixed(in);
    return apply("logical_and", {m.x == m.y, !m.negative});
}
Term mixed_less(In in) {
    const Mixed m = mixed(in);
    return m.first ? apply("logical_or", {m.negative, m.x < m.y}) : apply("logical_and", {m.x < m.y, !m.negative});
}
bool is_mixed(const Signature& s) { return s.in[0] != s.in[1]; }
// Of one dtype: the sign of the difference, which is that of x where the two have different ones; it stands in the upper word.
Term difference_negative(In in) {
    const bool with_sign = in[0].dtype() == DType::int64;
    const auto order = [&](Term t) { return with_sign ? t : apply("bitwise_xor", {t.bits(DType::int64), t.bits(DType::int64).like(INT64_MIN)}); };
    const auto turned_where = [](Term a, Term b) { return apply("bitwise_xor", {a, b}); };
    const Term x = order(in[0]), y = order(in[1]), difference = x - y;
    const Term sign = turned_where(difference, turned_where(x, y) & turned_where(difference, x));
    return sign.bits(DType::complex64).part(1).bits(DType::int32) < 0;
}
Term less_of_64(In in) { return in[0].dtype() == in[1].dtype() ? difference_negative(in) : mixed_less(in); }
template <Term (*compare)(In), bool swapped, bool negated> Terms compared(In in, const Signature& s) {
    if (!is_mixed(s) && compare == mixed_equal) throw Unlowerable("");
    const std::array<Term, 2> order{in[swapped ? 1 : 0], in[swapped ? 0 : 1]};
    const Term result = compare(order);
    return {negated ? !result : result};
}
Terms at_most_64(In in, const Signature& s) { return is_mixed(s) ? compared<less_of_64, true, true>(in, s) : at_most(in, s); }
constexpr DTypes wide_integers = set_of({DType::int64, DType::uint64});

// --- signs ---

Terms opposite(In in, const Signature&) { return {0 - in[0]}; }
Terms flipped(In in, const Signature&) { return {apply("bitwise_xor", {in[0], in[0].like(std::int64_t{-1})})}; }
Terms sign_without_sign(In in, const Signature&) { return {(in[0] != 0).as(in[0].dtype())}; }

// --- bits, divisors ---

// Sums of neighbouring bits, pairs, nibbles, then of all bytes by a product.
Terms count_of_bits(In in, const Signature& s) {
    Term x = holds(signed_integers, in[0].dtype()) ? absolute(in[0]) : in[0];
    x = x.bits(unsigned_of(x.dtype()));
    x = itemsize(x.dtype()) == 8 ? x.bits(DType::int64) : itemsize(x.dtype()) == 4 ? x.bits(DType::int32) : x.as(DType::int32);
    const int bits = static_cast<int>(itemsize(x.dtype())) * 8;
    const auto upper = [](Term t, std::int64_t divisor) { return direct("floor_divide", {t, t.like(divisor)}); };
    const auto each_byte = [bits](std::int64_t byte) { return byte * (bits == 64 ? 0x0101010101010101 : 0x01010101); };
    x = x - (upper(x, 2) & each_byte(0x55));
    x = (x & each_byte(0x33)) + (upper(x, 4) & each_byte(0x33));
    x = (x + upper(x, 16)) & each_byte(0x0f);
    return {upper(x * each_byte(1), std::int64_t{1} << (bits - 8)).as(s.out[0])};
}

// Two of Euclid's steps leave numbers that have a sign to spare: what a division leaves is less than half of the larger one.
Terms unsigned_divisor(In in, const Signature&) {
    const Term larger = apply("maximum", {in[0], in[1]}), smaller = apply("minimum", {in[0], in[1]});
    const Term first = apply("remainder", {larger, smaller}), second = apply("remainder", {smaller, first});
    const Term divisor = direct("gcd", {first.bits(DType::int64), second.bits(DType::int64)}).bits(DType::uint64);
    return {where(first == 0, where(smaller == 0, larger, smaller), divisor)};
}
Terms unsigned_multiple(In in, const Signature&) {
    return {apply("floor_divide", {in[0], apply("gcd", {in[0], in[1]})}) * in[1]};  // no divisor: both are 0
}

Terms common_multiple(In in, const Signature&) {
    const Term divisor = direct("gcd", {in[0], in[1]});
    const Term part = direct("floor_divide", {in[0], where(divisor == 0, 1, divisor)});
    return {absolute(part) * absolute(in[1])};
}

constexpr DTypes u64 = set_of({DType::uint64}), with_operator = signed_integers | set_of({DType::uint8});
constexpr DTypes uncounted = integers | booleans;
constexpr std::array rules{
    Rule{"add", booleans, true, either}, Rule{"multiply", booleans, true, both},
    Rule{"maximum", booleans, true, either}, Rule{"minimum", booleans, true, both},
    Rule{"less", booleans, false, bool_less}, Rule{"less_equal", booleans, false, bool_at_most},
    Rule{"greater", booleans, false, bool_greater}, Rule{"greater_equal", booleans, false, bool_at_least},
    Rule{"fmax", uncounted, true, maximum}, Rule{"fmin", uncounted, true, minimum},
    Rule{"maximum", u64, false, larger}, Rule{"minimum", u64, false, smaller},
    Rule{"absolute", booleans | unsigned_integers, true, same}, Rule{"conjugate", integers | floats | set_of({DType::longdouble}), true, same},
    Rule{"floor", uncounted, true, same}, Rule{"ceil", uncounted, true, same}, Rule{"trunc", uncounted, true, same},
    Rule{"isnan", uncounted, true, never}, Rule{"isinf", uncounted, true, never}, Rule{"isfinite", uncounted, true, always},
    Rule{"negative", signed_integers, false, opposite}, Rule{"sign", unsigned_integers, true, sign_without_sign},
    Rule{"floor_divide", with_operator, true, floored_quotient}, Rule{"remainder", with_operator, true, floored_rest},
    Rule{"fmod", set_of({DType::int8, DType::uint8, DType::int32, DType::int64}), true, truncated_rest},
    Rule{"divmod", integers, true, quotient_and_rest},
    Rule{"floor_divide", u64, true, unsigned_quotient}, Rule{"remainder", u64, true, unsigned_rest}, Rule{"fmod", u64, true, unsigned_rest},
    Rule{"reciprocal", integers, true, integer_reciprocal}, Rule{"power", u64, true, unsigned_power},
    Rule{"left_shift", signed_integers, true, shifted_left}, Rule{"left_shift", unsigned_integers, true, shifted_left_unsigned},
    Rule{"right_shift", signed_integers, true, shifted_right}, Rule{"right_shift", u64, true, shifted_right_unsigned},
    Rule{"equal", wide_integers, false, compared<mixed_equal, false, false>}, Rule{"not_equal", wide_integers, false, compared<mixed_equal, false, true>},
    Rule{"less", wide_integers, false, compared<less_of_64, false, false>}, Rule{"greater", wide_integers, false, compared<less_of_64, true, false>},
    Rule{"less_equal", wide_integers, false, at_most_64}, Rule{"greater_equal", wide_integers, false, compared<less_of_64, false, true>},
    Rule{"invert", signed_integers, false, flipped},
    Rule{"bitwise_count", integers, true, count_of_bits}, Rule{"lcm", with_operator, true, common_multiple},
    Rule{"gcd", u64, true, unsigned_divisor}, Rule{"lcm", u64, true, unsigned_multiple},
};

}  // namespace
}  // namespace of_integers

std::span<const Rule> integer_rules() { return of_integers::rules; }

}  // namespace asnumpy::ascend
