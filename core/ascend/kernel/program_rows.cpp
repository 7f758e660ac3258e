// The rows of generated kernels: what each is on a core, for floats, integers and bits.
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ascend/kernel/program_writer.hpp"

namespace asnumpy::ascend {
namespace {

using RowRule = void (*)(ProgramWriter&, const Step&);

void expect(const Step& s, bool possible) {
    if (!possible) throw Unwritten(std::string(row(s.row).name) + " has no instructions for these dtypes");
}

// `instruction` of one tile or of two.
void unary(ProgramWriter& w, const Step& s, std::string_view instruction) {
    const std::string x = w.tile(s.in[0]);
    w.call(instruction, {w.target(s.out), x});
}
void binary(ProgramWriter& w, const Step& s, std::string_view instruction) {
    const std::string x = w.tile(s.in[0]), y = w.tile(s.in[1]);
    w.call(instruction, {w.target(s.out), x, y});
}
void with_number(ProgramWriter& w, const Step& s, std::string_view instruction, ValueId x, const std::string& number) {
    const std::string tile = w.tile(x);
    w.call(instruction, {w.target(s.out), tile, number});
}
std::string_view word(const ProgramWriter& w, ValueId v) { return w.held(v) == Held::shorts ? "int16_t" : "int32_t"; }

template <auto& instruction> void float_function(ProgramWriter& w, const Step& s) {
    expect(s, w.held(s.in[0]) == Held::floats);
    unary(w, s, instruction);
    w.round(s.out);
}
// A function that the device makes of instructions, in memory that it is given.
template <auto& instruction> void composed_function(ProgramWriter& w, const Step& s) {
    expect(s, w.held(s.in[0]) == Held::floats);
    const std::string x = w.tile(s.in[0]), scratch = w.spare_bytes();
    w.call(instruction, {w.target(s.out), x, scratch});
    w.round(s.out);
}
template <auto& mode> void rounding(ProgramWriter& w, const Step& s) {
    if (w.held(s.in[0]) != Held::floats) return unary(w, s, "Same");
    const std::string x = w.tile(s.in[0]);
    w.call("Cast", {w.target(s.out), x, mode});
}

void add(ProgramWriter& w, const Step& s) {
    if (w.held(s.out) == Held::bits) return binary(w, s, "Either");
    if (w.is_number(s.in[1])) with_number(w, s, "Adds", s.in[0], w.number(s.in[1]));
    else if (w.is_number(s.in[0])) with_number(w, s, "Adds", s.in[1], w.number(s.in[0]));
    else binary(w, s, "Add");
    w.round(s.out);
}
void subtract(ProgramWriter& w, const Step& s) {
    expect(s, w.held(s.out) != Held::bits);
    if (w.is_number(s.in[1]) && w.held(s.out) == Held::floats) with_number(w, s, "Adds", s.in[0], "-" + w.number(s.in[1]));
    else binary(w, s, "Sub");
    w.round(s.out);
}
void write_product(ProgramWriter& w, const Step& s) {
    if (w.held(s.out) == Held::bits) return binary(w, s, "Both");
    if (w.is_number(s.in[1])) with_number(w, s, "Muls", s.in[0], w.number(s.in[1]));
    else if (w.is_number(s.in[0])) with_number(w, s, "Muls", s.in[1], w.number(s.in[0]));
    else binary(w, s, "Mul");
    w.round(s.out);
}
void write_quotient(ProgramWriter& w, const Step& s) {
    expect(s, w.held(s.out) == Held::floats);
    binary(w, s, "Div");
    w.round(s.out);
}
void reciprocal(ProgramWriter& w, const Step& s) {
    expect(s, w.held(s.out) == Held::floats);
    const std::string x = w.tile(s.in[0]), ones = w.one_floats();
    w.call("Div", {w.target(s.out), ones, x});
    w.round(s.out);
}
void negative(ProgramWriter& w, const Step& s) {
    expect(s, w.held(s.out) != Held::bits);
    with_number(w, s, "Muls", s.in[0], w.held(s.out) == Held::floats ? "-1.0f" : "static_cast<" + std::string(word(w, s.out)) + ">(-1)");
}
void positive(ProgramWriter& w, const Step& s) { unary(w, s, "Same"); }
void write_absolute(ProgramWriter& w, const Step& s) { unary(w, s, w.held(s.in[0]) == Held::floats ? "Abs" : w.held(s.in[0]) == Held::bits ? "Same" : "Magnitude"); }
void square(ProgramWriter& w, const Step& s) {
    expect(s, w.held(s.out) != Held::bits);
    const std::string x = w.tile(s.in[0]);
    w.call("Mul", {w.target(s.out), x, x});
    w.round(s.out);
}
void sign(ProgramWriter& w, const Step& s) {
    expect(s, w.held(s.out) == Held::floats);
    const std::string x = w.tile(s.in[0]), bits = w.spare_bits();
    w.call("Sign", {w.target(s.out), x, bits});
}

// Of equal numbers the second one; of float16's the first, as NumPy has it.
template <bool larger, bool numbers> void extremum(ProgramWriter& w, const Step& s) {
    switch (w.held(s.out)) {
        case Held::bits: return binary(w, s, larger ? "Either" : "Both");
        case Held::floats: break;
        default: return binary(w, s, larger ? "Max" : "Min");
    }
    const bool first = w.dtype(s.out) == DType::float16;
    const std::string_view mode = larger ? (first ? "CMPMODE::GE" : "CMPMODE::GT") : first ? "CMPMODE::LE" : "CMPMODE::LT";
    const std::string x = w.tile(s.in[0]), y = w.tile(s.in[1]), bits = w.spare_bits();
    w.call(numbers ? "NumberExtremum" : "Extremum", {w.target(s.out), x, y, mode, bits});
}

// A comparison by its mode, that of the operands the other way round, and what it is made of where only some exist.
struct Comparing {
    std::string_view mode, turned;
    std::string_view of_ints;  // a function of program.asc
    bool swapped, inverted;    // of integers: the operands, the result
};
constexpr Comparing comparings[] = {
    {"CMPMODE::EQ", "CMPMODE::EQ", "Equal", false, false},     {"CMPMODE::NE", "CMPMODE::NE", "Equal", false, true},
    {"CMPMODE::LT", "CMPMODE::GT", "Less", false, false},      {"CMPMODE::LE", "CMPMODE::GE", "LessEqual", false, false},
    {"CMPMODE::GT", "CMPMODE::LT", "Less", true, false},       {"CMPMODE::GE", "CMPMODE::LE", "LessEqual", true, false},
};

// int16 as floats, which have all of its numbers.
std::string widened(ProgramWriter& w, ValueId v) {
    const std::string x = w.tile(v), wide = w.spare_floats();
    w.call("Cast", {wide, x, "RoundMode::CAST_NONE"});
    return wide;
}

void compare_bits(ProgramWriter& w, const Step& s, const Comparing& how) {
    const std::string x = w.tile(s.in[how.swapped]), y = w.tile(s.in[!how.swapped]), spare = w.spare_bits(), out = w.target(s.out);
    if (how.of_ints == "Equal") {
        w.call("Differ", {out, x, y, spare});
        if (!how.inverted) w.call("Invert", {out, out});
        return;
    }
    w.call("Invert", {spare, x});  // less: the first is not set, and the second is
    w.call(how.of_ints == "Less" ? "Both" : "Either", {out, spare, y});
}

template <int which> void compare(ProgramWriter& w, const Step& s) {
    constexpr const Comparing& how = comparings[which];
    ValueId a = s.in[0], b = s.in[1];
    switch (w.held(a)) {
        case Held::bits: return compare_bits(w, s, how);
        case Held::shorts: {
            const std::string x = widened(w, a), y = widened(w, b);
            return w.call("Compare", {w.target(s.out), x, y, how.mode});
        }
        case Held::floats: {
            const bool turned = w.is_number(a) && !w.is_number(b);
            if (turned) std::swap(a, b);
            const std::string_view mode = turned ? how.turned : how.mode;
            const std::string x = w.tile(a);
            if (w.is_number(b)) return w.call("CompareScalar", {w.target(s.out), x, w.number(b), mode});
            const std::string y = w.tile(b);
            return w.call("Compare", {w.target(s.out), x, y, mode});
        }
        default: break;
    }
    if (how.swapped) std::swap(a, b);
    const std::string x = w.tile(a), y = w.tile(b), out = w.target(s.out);
    if (how.of_ints == "Equal") w.call("Equal", {out, x, y});
    else w.call(how.of_ints, {out, x, y, w.spare_floats() + ".ReinterpretCast<int32_t>()"});
    if (how.inverted) w.call("Invert", {out, out});
}

// Whether it is not 0, as bits.
std::string truth(ProgramWriter& w, ValueId v) {
    if (w.held(v) == Held::bits) return w.tile(v);
    const std::string bits = w.spare_bits();
    if (w.held(v) == Held::ints) {
        const std::string x = w.tile(v);
        w.call("CompareScalar", {bits, x, "0", "CMPMODE::EQ"});
        w.call("Invert", {bits, bits});
    } else {
        const std::string x = w.held(v) == Held::shorts ? widened(w, v) : w.tile(v);
        w.call("CompareScalar", {bits, x, "0.0f", "CMPMODE::NE"});
    }
    return bits;
}
template <auto& instruction> void logical(ProgramWriter& w, const Step& s) {
    const std::string x = truth(w, s.in[0]), y = truth(w, s.in[1]);
    w.call(instruction, {w.target(s.out), x, y});
}
void logical_xor(ProgramWriter& w, const Step& s) {
    const std::string x = truth(w, s.in[0]), y = truth(w, s.in[1]), spare = w.spare_bits();
    w.call("Differ", {w.target(s.out), x, y, spare});
}
void logical_not(ProgramWriter& w, const Step& s) {
    const std::string x = truth(w, s.in[0]);
    w.call("Invert", {w.target(s.out), x});
}
void bitwise_and(ProgramWriter& w, const Step& s) { binary(w, s, w.held(s.out) == Held::bits ? "Both" : "BitsOfBoth"); }
void bitwise_or(ProgramWriter& w, const Step& s) { binary(w, s, w.held(s.out) == Held::bits ? "Either" : "BitsOfEither"); }
void bitwise_xor(ProgramWriter& w, const Step& s) {
    if (w.held(s.out) == Held::bits) return logical_xor(w, s);
    const std::string x = w.tile(s.in[0]), y = w.tile(s.in[1]);
    const std::string spare = w.held(s.out) == Held::shorts ? w.spare_shorts() : w.spare_floats() + ".ReinterpretCast<int32_t>()";
    w.call("BitsOfOne", {w.target(s.out), x, y, spare});
}
void invert(ProgramWriter& w, const Step& s) { unary(w, s, w.held(s.out) == Held::bits ? "Invert" : "OtherBits"); }

void write_where(ProgramWriter& w, const Step& s) {
    const std::string bits = w.tile(s.in[0]), x = w.tile(s.in[1]);
    if (w.held(s.out) == Held::floats && w.is_number(s.in[2])) return w.call("Choose", {w.target(s.out), bits, x, w.number(s.in[2])});
    const std::string y = w.tile(s.in[2]);
    if (w.held(s.out) == Held::bits) w.call("Choose", {w.target(s.out), bits, x, y, w.spare_bits()});
    else w.call("Choose", {w.target(s.out), bits, x, y});
}
void isnan(ProgramWriter& w, const Step& s) {
    expect(s, w.held(s.in[0]) == Held::floats);
    const std::string x = w.tile(s.in[0]), out = w.target(s.out);
    w.call("Compare", {out, x, x, "CMPMODE::EQ"});
    w.call("Invert", {out, out});
}
template <auto& mode> void against_infinity(ProgramWriter& w, const Step& s) {
    expect(s, w.held(s.in[0]) == Held::floats);
    const std::string x = w.tile(s.in[0]), magnitude = w.spare_floats();
    w.call("Abs", {magnitude, x});
    w.call("CompareScalar", {w.target(s.out), magnitude, "INFINITE", mode});
}

void write_cast(ProgramWriter& w, const Step& s) {
    const ValueId x = s.in[0], out = s.out;
    const Held from = w.held(x), to = w.held(out);
    if (to == Held::bits && from != Held::bits) {
        const std::string bits = truth(w, x);
        return w.call("Same", {w.target(out), bits});
    }
    if (from == to) {
        unary(w, s, "Same");
        if (to == Held::floats && w.dtype(x) != w.dtype(out)) w.round(out);
        return;
    }
    if (from == Held::bits && to == Held::floats) {
        const std::string bits = w.tile(x), ones = w.one_floats();
        return w.call("Choose", {w.target(out), bits, ones, "0.0f"});
    }
    const std::string target = w.target(out);
    if (from == Held::bits) {
        const std::string bits = w.tile(x), ones = w.one_floats(), wide = w.spare_floats();
        w.call("Choose", {wide, bits, ones, "0.0f"});
        return w.call("Cast", {target, wide, "RoundMode::CAST_RINT"});
    }
    const std::string tile = w.tile(x);
    if (from == Held::ints && w.dtype(out) == DType::float32) return w.call("Cast", {target, tile, "RoundMode::CAST_RINT"});
    if (from == Held::shorts && to == Held::floats) {
        w.call("Cast", {target, tile, "RoundMode::CAST_NONE"});
        return w.round(out);
    }
    expect(s, from == Held::shorts && to == Held::ints);  // other casts of integers wrap, and those of floats have no value beyond
    const std::string wide = widened(w, x);
    w.call("Cast", {target, wide, "RoundMode::CAST_RINT"});
}

constexpr std::string_view exp_ = "Exp", log_ = "Ln", sqrt_ = "Sqrt", fabs_ = "Abs", tanh_ = "Tanh", sin_ = "Sin", cos_ = "Cos", erf_ = "Erf";
constexpr std::string_view floor_ = "RoundMode::CAST_FLOOR", ceil_ = "RoundMode::CAST_CEIL", trunc_ = "RoundMode::CAST_TRUNC", rint_ = "RoundMode::CAST_RINT";
constexpr std::string_view both = "Both", either = "Either", equal = "CMPMODE::EQ", less = "CMPMODE::LT";

const std::unordered_map<std::string_view, RowRule>& rules() {
    static const std::unordered_map<std::string_view, RowRule> all{
        {"add", add}, {"subtract", subtract}, {"multiply", write_product}, {"divide", write_quotient}, {"reciprocal", reciprocal},
        {"negative", negative}, {"positive", positive}, {"conjugate", positive}, {"absolute", write_absolute}, {"fabs", float_function<fabs_>},
        {"square", square}, {"sign", sign},
        {"maximum", extremum<true, false>}, {"minimum", extremum<false, false>}, {"fmax", extremum<true, true>}, {"fmin", extremum<false, true>},
        {"equal", compare<0>}, {"not_equal", compare<1>}, {"less", compare<2>}, {"less_equal", compare<3>}, {"greater", compare<4>}, {"greater_equal", compare<5>},
        {"logical_and", logical<both>}, {"logical_or", logical<either>}, {"logical_xor", logical_xor}, {"logical_not", logical_not},
        {"bitwise_and", bitwise_and}, {"bitwise_or", bitwise_or}, {"bitwise_xor", bitwise_xor}, {"invert", invert},
        {"where", write_where}, {"isnan", isnan}, {"isinf", against_infinity<equal>}, {"isfinite", against_infinity<less>},
        {"floor", rounding<floor_>}, {"ceil", rounding<ceil_>}, {"trunc", rounding<trunc_>}, {"rint", rounding<rint_>},
        {"exp", float_function<exp_>}, {"log", float_function<log_>}, {"sqrt", float_function<sqrt_>},
        {"tanh", composed_function<tanh_>}, {"sin", composed_function<sin_>}, {"cos", composed_function<cos_>}, {"erf", composed_function<erf_>},
        {"cast", write_cast},
    };
    return all;
}

}  // namespace

void write_step(ProgramWriter& writer, const Step& step) {
    const auto found = rules().find(row(step.row).name);
    if (found == rules().end()) throw Unwritten(std::string(row(step.row).name) + " has no instructions");
    found->second(writer, step);
}

}  // namespace asnumpy::ascend
