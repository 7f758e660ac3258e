// Which steps of a program an Ascend device runs as one operator: decided from the program and CANN's facts alone.
#include <string>
#include <vector>

#include "ascend/lower/contraction.hpp"
#include "random_programs.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

// A program written step by step; values are its inputs, then the steps.
struct Writer {
    Program program;
    std::vector<bool> constant;

    ValueId input(DType d) {
        program.inputs.push_back(d);
        constant.push_back(false);
        return static_cast<ValueId>(program.inputs.size() - 1);
    }
    ValueId number(DType d) {
        const ValueId v = input(d);
        constant[v] = true;
        return v;
    }
    ValueId apply(const char* name, std::vector<ValueId> in, DType out) {
        const RowId id = find_row(name);
        std::vector<DType> dtypes;
        for (const ValueId v : in) dtypes.push_back(program.dtype(v));
        Step step{id, loop_of(id, signature(dtypes, {out})), {}, static_cast<ValueId>(program.value_count())};
        std::copy(in.begin(), in.end(), step.in.begin());
        program.steps.push_back(step);
        return step.out;
    }
    void store(ValueId v) { program.stores.push_back({v}); }
};

// "aclnnAddcmul" for what is joined, the row's name for a step by itself.
std::string text(const Writer& w, bool round_once) {
    check(w.program);
    std::string result;
    for (const ascend::Unit& unit : ascend::contract(w.program, w.constant, round_once).units) {
        result += result.empty() ? "" : ", ";
        result += unit.contraction ? unit.contraction->recipe.operators() : std::string(row(unit.step->row).name);
    }
    return result;
}

void expect_units(const Writer& w, const std::string& strict, const std::string& once) {
    expect(text(w, false) == strict, "expected " + strict + ", got " + text(w, false));
    expect(text(w, true) == once, "rounded once: expected " + once + ", got " + text(w, true));
}

void test_sums(DType d, bool exact) {
    const auto both = [&](const Writer& w, const std::string& apart, const std::string& joined) { expect_units(w, exact ? joined : apart, joined); };
    for (const char* sum : {"add", "subtract"}) {
        const bool minus = std::string(sum) == "subtract";
        const std::string apart = std::string("multiply, ") + sum;
        Writer product;  // c + a * b
        const ValueId a = product.input(d), b = product.input(d), c = product.input(d);
        product.store(product.apply(sum, {c, product.apply("multiply", {a, b}, d)}, d));
        both(product, apart, "aclnnAddcmul");

        Writer scaled;  // c + 3 * a
        const ValueId x = scaled.input(d), y = scaled.input(d), n = scaled.number(d);
        scaled.store(scaled.apply(sum, {y, scaled.apply("multiply", {n, x}, d)}, d));
        both(scaled, apart, minus ? "aclnnSub" : "aclnnAdd");

        Writer line;  // 3 * a + 2
        const ValueId t = line.input(d), m = line.number(d), k = line.number(d);
        line.store(line.apply(sum, {line.apply("multiply", {t, m}, d), k}, d));
        both(line, apart, "aclnnRsubs");

        Writer chain;  // c + 3 * a * b
        const ValueId p = chain.input(d), q = chain.input(d), r = chain.input(d), f = chain.number(d);
        chain.store(chain.apply(sum, {r, chain.apply("multiply", {chain.apply("multiply", {p, f}, d), q}, d)}, d));
        const bool long_whole = d == DType::int64 || d == DType::uint64;
        both(chain, "multiply, " + apart, long_whole ? "multiply, aclnnAddcmul" : "aclnnAddcmul");

        Writer seen;  // the product is somebody's result
        const ValueId g = seen.input(d), h = seen.input(d), i = seen.input(d), made = seen.apply("multiply", {g, h}, d);
        seen.store(seen.apply(sum, {i, made}, d));
        seen.store(made);
        expect_units(seen, apart, apart);
    }
    Writer twice;  // a * b + a * b: one value read twice
    const ValueId a = twice.input(d), b = twice.input(d), product = twice.apply("multiply", {a, b}, d);
    twice.store(twice.apply("add", {product, product}, d));
    expect_units(twice, "multiply, add", "multiply, add");

    Writer squares;  // a ** 2 + c
    const ValueId s = squares.input(d), c = squares.input(d);
    squares.store(squares.apply("add", {squares.apply("square", {s}, d), c}, d));
    both(squares, "square, add", "aclnnAddcmul");

    Writer numbers;  // the product of two numbers is one: no operator for it
    const ValueId n = numbers.number(d), m = numbers.number(d), x = numbers.input(d);
    numbers.store(numbers.apply("add", {numbers.apply("multiply", {n, m}, d), x}, d));
    expect_units(numbers, "multiply, add", "multiply, add");
}

void test_quotients() {
    for (const char* sum : {"add", "subtract"}) {
        Writer w;
        const ValueId a = w.input(DType::float32), b = w.input(DType::float32), c = w.input(DType::float32);
        w.store(w.apply(sum, {c, w.apply("divide", {a, b}, DType::float32)}, DType::float32));
        expect_units(w, std::string("divide, ") + sum, "aclnnAddcdiv");
    }
}

void test_bounds() {
    for (const DType d : {DType::int16, DType::int32, DType::float16, DType::float32, DType::float64}) {
        for (const bool low_first : {true, false}) {
            Writer w;
            const ValueId x = w.input(d), one = w.number(d), other = w.number(d);
            const ValueId first = w.apply(low_first ? "maximum" : "minimum", {x, one}, d);
            w.store(w.apply(low_first ? "minimum" : "maximum", {first, other}, d));
            expect_units(w, "aclnnClamp", "aclnnClamp");
        }
        Writer w;  // bounds that are arrays
        const ValueId x = w.input(d), low = w.input(d), high = w.input(d);
        w.store(w.apply("minimum", {w.apply("maximum", {x, low}, d), high}, d));
        expect_units(w, "maximum, minimum", "maximum, minimum");
        Writer sum;
        const ValueId a = sum.input(d), b = sum.input(d), zero = sum.number(d);
        sum.store(sum.apply("maximum", {sum.apply("add", {a, b}, d), zero}, d));
        const std::string joined = d == DType::float16 || d == DType::float32 ? "aclnnAddRelu" : "add, maximum";
        expect_units(sum, joined, joined);
    }
}

void test_casts() {
    const auto operand = [](DType from, DType to, const std::string& expected) {
        Writer w;
        const ValueId x = w.input(from), y = w.input(to);
        w.store(w.apply("multiply", {w.apply("cast", {x}, to), y}, to));
        expect_units(w, expected, expected);
    };
    operand(DType::boolean, DType::float32, "aclnnMul");
    operand(DType::float16, DType::float32, "aclnnMul");
    operand(DType::int32, DType::float64, "aclnnMul");
    operand(DType::int8, DType::int32, "aclnnMul");
    operand(DType::int64, DType::float32, "cast, multiply");   // rounds
    operand(DType::float32, DType::int32, "cast, multiply");   // CANN would compute in float32
    operand(DType::uint8, DType::uint16, "cast, multiply");    // CANN promotes uint16 with nothing else
    const auto summed = [](DType from, DType to, const std::string& expected) {
        Writer w;
        const ValueId x = w.input(from), made = w.apply("cast", {x}, to);
        const RowId add = find_row("add");
        w.program.reductions.push_back({made, add, loop_of(add, signature({to, to}, {to}))});
        expect_units(w, expected, expected);
        const ValueId read = ascend::contract(w.program, w.constant, false).reduced.at(0);
        expect(read == (expected.empty() ? x : made), "the sum of " + std::string(name(from)) + " as " + std::string(name(to)));
    };
    summed(DType::boolean, DType::int64, "");
    summed(DType::int32, DType::int64, "");
    summed(DType::float16, DType::float32, "");
    summed(DType::int64, DType::float32, "cast");
    Writer result;
    const ValueId x = result.input(DType::float32), y = result.input(DType::float32);
    result.store(result.apply("cast", {result.apply("add", {x, y}, DType::float32)}, DType::float16));
    expect_units(result, "aclnnAdd", "aclnnAdd");
    Writer wider;
    const ValueId a = wider.input(DType::float16), b = wider.input(DType::float16);
    wider.store(wider.apply("cast", {wider.apply("add", {a, b}, DType::float16)}, DType::float32));
    expect_units(wider, "add, cast", "add, cast");  // rounded to float16 in between
}

}  // namespace

int main() {
    for (const DType d : {DType::int8, DType::uint8, DType::int32, DType::uint32, DType::int64, DType::uint64}) test_sums(d, true);
    for (const DType d : {DType::float16, DType::bfloat16, DType::float32, DType::float64}) test_sums(d, false);
    test_quotients();
    test_bounds();
    test_casts();
    if (failures) std::fprintf(stderr, "%d failures\n", failures);
    return failures ? 1 : 0;
}
