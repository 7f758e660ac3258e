// Invariants of the table of rows: names, signatures, loops, folds, neutral values and casts.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "kernels/kernels.hpp"
#include "kernels/table.hpp"
#include "ops/row.hpp"

using namespace asnumpy;

namespace {

int failures = 0;

void check(bool holds, const std::string& what) {
    if (holds) return;
    std::fprintf(stderr, "failed: %s\n", what.c_str());
    ++failures;
}

std::string text(const Row& row, std::size_t index) {
    std::string result = std::string(row.name) + "(";
    const Signature& s = row.loops[index];
    for (std::size_t i = 0; i < s.nin; ++i) result += std::string(i ? ", " : "") + std::string(name(s.in[i]));
    return result + ")";
}

void check_rows() {
    std::set<std::string_view> names;
    for (std::size_t id = 0; id < rows().size(); ++id) {
        const Row& r = rows()[id];
        check(names.insert(r.name).second, "unique name " + std::string(r.name));
        check(find_row(r.name) == id, "find_row of " + std::string(r.name));
        check((r.kind == RowKind::elementwise) == !r.loops.empty(), "only elementwise rows have loops: " + std::string(r.name));
        for (std::size_t index = 0; index < r.loops.size(); ++index) {
            const Signature& s = r.loops[index];
            check(s.nin == r.nin && s.nout == r.nout, "operand counts of " + text(r, index));
            check(find_loop(static_cast<RowId>(id), s) == static_cast<int>(index), "one loop per signature: " + text(r, index));
            check(cpu::loop(static_cast<RowId>(id), static_cast<int>(index)) != nullptr, "loop of " + text(r, index));
            const bool folds = r.reducible && s.nin == 2 && s.nout == 1 && s.in[0] == s.in[1] && s.in[0] == s.out[0];
            check((cpu::fold(static_cast<RowId>(id), static_cast<int>(index)) != nullptr) == folds, "fold of " + text(r, index));
        }
    }
    Signature nonsense{2, 1, {DType::boolean, DType::complex64}, {DType::int8}};
    check(find_loop(find_row("add"), nonsense) == -1, "no loop for a signature that is not there");
    try {
        find_row("no such row");
        check(false, "find_row of an unknown name");
    } catch (const ValueError& error) {
        check(std::strstr(error.what(), "no such row") != nullptr, "the error names the row");
    }
}

void check_sets() {
    for (const cpu::InstructionSet& set : cpu::instruction_sets()) {
        std::set<std::string_view> seen;
        for (const cpu::KernelTable* table : set.tables) {
            for (const cpu::RowKernels& kernels : table->rows) {
                const Row& r = row(find_row(kernels.row));
                check(seen.insert(kernels.row).second, "one compilation of " + std::string(kernels.row));
                check(kernels.loops.size() == r.loops.size() && kernels.folds.size() == r.loops.size(),
                      "as many loops as signatures: " + std::string(kernels.row));
                for (const cpu::Loop loop : kernels.loops) check(loop != nullptr, "loops of " + std::string(kernels.row));
            }
        }
        for (const Row& r : rows())
            if (r.kind == RowKind::elementwise) check(seen.contains(r.name), std::string(r.name) + " in " + std::string(set.name));
    }
}

// The best that runs, or the one that was asked for; what cannot be had is said with what can.
void check_choice() {
    const auto runs = [] { return true; };
    const auto does_not = [] { return false; };
    const cpu::InstructionSet sets[] = {{"wide", does_not, {}, {}}, {"middle", runs, {}, {}}, {"narrow", runs, {}, {}}};
    check(cpu::choose(sets, "").name == "middle", "the best set that runs");
    check(cpu::choose(sets, "narrow").name == "narrow", "the set that was asked for");
    const auto refusal = [&](std::span<const cpu::InstructionSet> of, std::string_view wanted) -> std::string {
        try {
            cpu::choose(of, wanted);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "";
    };
    for (const char* const wanted : {"wide", "unknown"})
        check(refusal(sets, wanted).find("(middle, narrow), got '" + std::string(wanted)) != std::string::npos, "the choices are named");
    const std::string none = refusal(std::span(sets).first(1), "");
    check(none.find("kernels for wide, which this processor does not run") != std::string::npos, "a build for other processors says so");
}

// Loops whose bits are those of another dtype are that dtype's; others are not.
void check_aliases() {
    const auto of = [](const char* name, DType in, DType out, int nin = 2) {
        const Signature signature{static_cast<std::uint8_t>(nin), 1, {in, nin > 1 ? in : DType{}}, {out}};
        return cpu::loop(find_row(name), find_loop(find_row(name), signature));
    };
    check(of("add", DType::int32, DType::int32) == of("add", DType::uint32, DType::uint32), "sums wrap");
    check(of("equal", DType::int64, DType::boolean) == of("equal", DType::uint64, DType::boolean), "equality wraps");
    check(of("less", DType::int64, DType::boolean) != of("less", DType::uint64, DType::boolean), "order does not wrap");
    check(of("positive", DType::float32, DType::float32, 1) == of("positive", DType::int32, DType::int32, 1), "moves");
    const auto cast = [](DType from, DType to) { return cpu::loop(find_row("cast"), cast_loop(from, to)); };
    check(cast(DType::int8, DType::int64) == cast(DType::int8, DType::uint64), "a result's sign does not count");
    check(cast(DType::int8, DType::int64) != cast(DType::uint8, DType::int64), "the sign of a narrower operand does");
    check(cast(DType::uint64, DType::int16) == cast(DType::int64, DType::uint16), "the low bits");
    check(cast(DType::float32, DType::float32) == cast(DType::int32, DType::uint32), "copies");
    check(cast(DType::float64, DType::uint8) == cast(DType::float64, DType::int8), "through int32");
    check(cast(DType::float64, DType::uint32) != cast(DType::float64, DType::int32), "not through int32");
    check(cast(DType::boolean, DType::boolean) != cast(DType::uint8, DType::uint8), "a bool is made 0 or 1");
}

// n values converted by as many loops as it takes.
std::vector<std::byte> converted(std::vector<std::byte> values, std::size_t n, DType from, DType to) {
    const RowId cast = find_row("cast");
    for (int steps = 0; from != to || steps == 0; ++steps) {
        const DType next = cast_step(from, to);
        const int index = cast_loop(from, next);
        const bool known = index >= 0 && row(cast).loops[static_cast<std::size_t>(index)].in[0] == from &&
                           row(cast).loops[static_cast<std::size_t>(index)].out[0] == next;
        check(known && steps < 4, "cast from " + std::string(name(from)) + " to " + std::string(name(to)));
        if (!known || steps == 4) return {};
        std::vector<std::byte> result(n * itemsize(next));
        void* out[] = {result.data()};
        const void* in[] = {values.data()};
        cpu::loop(cast, index)(out, in, n);
        values = std::move(result);
        from = next;
    }
    return values;
}

// A few values of each dtype, as bytes, made from small numbers.
std::vector<std::byte> sample(DType dtype, const std::vector<double>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(double));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return converted(std::move(bytes), values.size(), DType::float64, dtype);
}

void check_casts() {
    for (int from = 0; from < dtype_count; ++from) {
        for (int to = 0; to < dtype_count; ++to) {
            const DType a = static_cast<DType>(from), b = static_cast<DType>(to);
            // The only number that every narrow dtype holds is 1.
            const std::vector<double> values = is_narrow(a) || is_narrow(b) ? std::vector<double>(4, 1.0) : std::vector<double>{0, 1, 2, 100};
            const auto target = converted(sample(a, values), values.size(), a, b);
            auto expected = sample(b, values);
            if (a == DType::boolean && b != DType::boolean && !is_narrow(b)) expected = sample(b, {0, 1, 1, 1});
            // Ten bytes of a longdouble carry its value.
            const bool padded = b == DType::longdouble || b == DType::clongdouble;
            check(padded || target == expected, "values of the cast from " + std::string(name(a)) + " to " + std::string(name(b)));
        }
    }
}

// op(e, x) == x for a few x of every foldable loop, and the fold of many x against one by one.
void check_neutrals_and_folds() {
    for (std::size_t id = 0; id < rows().size(); ++id) {
        const Row& r = rows()[id];
        if (!r.reducible) continue;
        for (std::size_t index = 0; index < r.loops.size(); ++index) {
            const cpu::Fold fold = cpu::fold(static_cast<RowId>(id), static_cast<int>(index));
            if (!fold) continue;
            const cpu::Loop loop = cpu::loop(static_cast<RowId>(id), static_cast<int>(index));
            const DType dtype = r.loops[index].in[0];
            const std::size_t size = itemsize(dtype);
            const Scalar e = neutral(static_cast<RowId>(id), dtype);
            check(e.dtype == dtype, "dtype of the neutral value of " + text(r, index));
            std::vector<double> numbers(3000);
            for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = (i * 7 + 3) % 11 < 2 ? 2 : 1;
            std::vector<std::byte> x = sample(dtype, numbers), result(size), expected(size);
            void* out[] = {result.data()};
            for (std::size_t i = 0; i < 10; ++i) {
                const void* in[] = {e.bytes.data(), x.data() + i * size};
                loop(out, in, 1);
                check(std::memcmp(result.data(), in[1], size) == 0, "neutral value of " + text(r, index));
            }
            if (r.name == "multiply" && info(dtype).kind != 'b') continue;  // overflows
            for (const std::size_t n : {1, 2, 3, 63, 64, 65, 127, 700}) {
                std::memcpy(expected.data(), x.data(), size);
                for (std::size_t i = 1; i < n; ++i) {
                    void* to[] = {expected.data()};
                    const void* in[] = {expected.data(), x.data() + i * size};
                    loop(to, in, 1);
                }
                fold(result.data(), x.data(), n);
                const bool rounds = is_float(dtype) && (r.name == "hypot" || r.name.starts_with("logaddexp") || is_half(dtype));
                check(rounds || result == expected, "fold of " + std::to_string(n) + " by " + text(r, index));
            }
        }
    }
}

// A long sum of float32 keeps almost every digit.
void check_sum() {
    const std::size_t n = 1 << 22;
    std::vector<float> x(n, 0.1f);
    float total = 0;
    const int index = find_loop(find_row("add"), {2, 1, {DType::float32, DType::float32}, {DType::float32}});
    cpu::fold(find_row("add"), index)(&total, x.data(), n);
    check(std::fabs(total / (static_cast<double>(n) * 0.1f) - 1) < 1e-6, "the sum of many 0.1");
}

}  // namespace

int main() {
    check_rows();
    check_sets();
    check_choice();
    check_aliases();
    check_casts();
    check_neutrals_and_folds();
    check_sum();
    std::printf("%zu rows, %s, %d failures\n", rows().size(), std::string(cpu::instruction_set()).c_str(), failures);
    return failures == 0 ? 0 : 1;
}
