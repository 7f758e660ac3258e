// Repeats in sequences, and wrong code for rounds, which is found before it runs.
#include <cstdio>
#include <random>

#include "cpu/rounds.hpp"
#include "ops/row.hpp"
#include "runtime/repeats.hpp"

using namespace asnumpy;

namespace {

int failures = 0;
void expect(bool right, const char* what) {
    if (right) return;
    std::fprintf(stderr, "failed: %s\n", what);
    ++failures;
}

void expect_repeats(const std::vector<std::uint32_t>& sequence, const std::vector<Repeat>& wanted, const char* what) {
    const std::vector<Repeat> found = find_repeats(sequence, 8, 3);
    bool same = found.size() == wanted.size();
    for (std::size_t k = 0; same && k < found.size(); ++k) same = found[k].first == wanted[k].first && found[k].period == wanted[k].period && found[k].count == wanted[k].count;
    expect(same, what);
}

void test_repeats() {
    expect_repeats({}, {}, "nothing");
    expect_repeats({1, 2, 3, 4}, {}, "all different");
    expect_repeats({5, 5}, {}, "too few");
    expect_repeats({5, 5, 5, 5}, {{0, 1, 4}}, "one again and again");
    expect_repeats({9, 1, 2, 1, 2, 1, 2, 1, 8}, {{1, 2, 3}}, "a pair between others, and half of one");
    expect_repeats({1, 1, 2, 1, 1, 2, 1, 1, 2}, {{0, 3, 3}}, "a piece with a repeat in it");
    expect_repeats({1, 1, 1, 1, 7, 2, 3, 2, 3, 2, 3}, {{0, 1, 4}, {5, 2, 3}}, "two of them");
    // What is found is there, and no position is in two.
    std::mt19937 random(5);
    for (int turn = 0; turn < 200; ++turn) {
        std::vector<std::uint32_t> sequence;
        while (sequence.size() < 60) {
            const std::size_t period = 1 + random() % 5, count = 1 + random() % 6;
            std::vector<std::uint32_t> piece;
            for (std::size_t k = 0; k < period; ++k) piece.push_back(random() % 3);
            for (std::size_t k = 0; k < count; ++k) sequence.insert(sequence.end(), piece.begin(), piece.end());
        }
        std::size_t end = 0;
        for (const Repeat& one : find_repeats(sequence, 8, 3)) {
            expect(one.first >= end && one.count >= 3 && one.period <= 8, "repeats in order");
            end = one.first + one.period * one.count;
            expect(end <= sequence.size(), "repeats within the sequence");
            for (std::size_t k = one.first + one.period; k < end && end <= sequence.size(); ++k) expect(sequence[k] == sequence[k - one.period], "a repeat is one");
        }
    }
}

// x + y of lines, then what somebody else runs, then the square root of one element.
cpu::Round a_round() {
    const auto program = [](const char* name, std::size_t reads) {
        const RowId id = find_row(name);
        Program made;
        made.inputs.assign(reads, DType::float64);
        for (std::size_t k = 0; k < row(id).loops.size(); ++k)
            if (row(id).loops[k].out[0] == DType::float64 && row(id).loops[k].in[0] == DType::float64) made.steps = {{id, static_cast<std::uint16_t>(k), {0, static_cast<ValueId>(reads - 1)}, static_cast<ValueId>(reads)}};
        made.stores = {{static_cast<ValueId>(reads)}};
        return made;
    };
    using enum cpu::Stride;
    return {{{program("add", 2), {}, 1, {{next, same}, {some, same}, {next, same}}}, {}, {program("sqrt", 1), {}, 0, {{same, same}, {same, same}}}},
            {-1, -1, 0, -1, 1, -1, -1, -1, -1, -1, 0, -1}};
}

double& at(char* base, std::int64_t offset) { return *reinterpret_cast<double*>(base + offset); }

// As a compiler would have it; `wrong`: 1: a stride is left out, 2: elements come from the end, 3: no square root.
template <int wrong> void run(const std::int64_t* n, const std::int64_t* table, std::size_t rounds, char* const* bases, const cpu::Loop*, const cpu::RunProduct*, cpu::OtherPart other, void* context) {
    for (std::size_t r = 0; r < rounds; ++r, table += 2) {
        const std::int64_t apart = wrong == 1 ? 8 : n[5];
        for (std::int64_t i = 0; i < n[0]; ++i)
            at(bases[n[6]], n[7] + 8 * i) = at(bases[n[1]], n[2] + table[0] + 8 * (wrong == 2 ? n[0] - 1 - i : i)) + at(bases[n[3]], n[4] + table[1] + apart * i);
        other(context, 3 * r + 1);
        const double x = at(bases[n[8]], n[9]);
        at(bases[n[10] + table[0]], n[11]) = wrong == 3 ? x : __builtin_sqrt(x);
    }
}

void test_wrong_code_is_found() {
    const cpu::Round round = a_round();
    expect(cpu::computes_round(round, run<0>), "right code is right");
    expect(!cpu::computes_round(round, run<1>), "a stride that is left out is seen");
    expect(!cpu::computes_round(round, run<2>), "another order of elements is seen");
    expect(!cpu::computes_round(round, run<3>), "another function is seen");
    cpu::Round other = round;
    expect(other == round && other.hash() == round.hash(), "equal rounds are one key");
    other.columns[0] = 1;
    expect(!(other == round), "columns are part of the key");
    other = round;
    other.parts[0].strides[0][0] = cpu::Stride::same;
    expect(!(other == round), "strides are part of the key");
}

}  // namespace

int main() {
    test_repeats();
    test_wrong_code_is_found();
    if (failures) std::fprintf(stderr, "%d failures\n", failures);
    return failures != 0;
}
