// Random programs in strands: each step once and after what it reads, and, with a loop that computes each strand, the bits of the
// program without strands.
#include <array>
#include <cstdlib>
#include <set>
#include <utility>

#include "cpu/code.hpp"
#include "cpu/executor.hpp"
#include "cpu/plan.hpp"
#include "cpu/strands.hpp"
#include "random_programs.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

constexpr std::size_t most_strands = 32;
std::array<cpu::StrandCode, most_strands> computed;  // by the loops below
std::array<int, 3> reduced_in;                       // by form: calls with a reduction
int calls_with_numbers = 0;

// A strand as generated code computes it: all loads of an element before its stores, and what is reduced last.
void interpret(const cpu::StrandCode& code, cpu::Form form, void* const* out, const void* const* in, std::size_t n) {
    const Program& program = code.program;
    calls_with_numbers += code.numbers != 0;
    std::vector<char> reduced;
    std::vector<Element> values(static_cast<std::size_t>(program.value_count()));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < program.inputs.size(); ++k) {
            const std::size_t size = itemsize(program.inputs[k]);
            std::memcpy(values[k].bytes, static_cast<const char*>(in[k]) + (code.numbers >> k & 1u ? 0 : i * size), size);
        }
        for (const Step& step : program.steps) {
            const Row& r = row(step.row);
            void* const to[2] = {values[step.out].bytes, r.nout > 1 ? values[step.out + 1u].bytes : nullptr};
            const void* const from[3] = {values[step.in[0]].bytes, values[step.in[1]].bytes, values[step.in[2]].bytes};
            cpu::loop(step.row, step.loop)(to, from, 1);
        }
        for (std::size_t k = 0; k < program.stores.size(); ++k) {
            const std::size_t size = itemsize(program.dtype(program.stores[k].value));
            std::memcpy(static_cast<char*>(out[k]) + i * size, values[program.stores[k].value].bytes, size);
        }
        for (const Reduction& reduction : program.reductions) {
            const char* const bytes = values[reduction.value].bytes;
            reduced.insert(reduced.end(), bytes, bytes + itemsize(program.dtype(reduction.value)));
        }
    }
    for (const Reduction& reduction : program.reductions) {
        void* const to[2] = {out[program.stores.size()], nullptr};
        const void* const from[3] = {to[0], reduced.data(), nullptr};
        if (form == cpu::Form::each) std::memcpy(to[0], reduced.data(), reduced.size());
        if (form == cpu::Form::folded) cpu::fold(reduction.row, reduction.loop)(to[0], reduced.data(), n);
        if (form == cpu::Form::added) cpu::loop(reduction.row, reduction.loop)(to, from, n);
        ++reduced_in[static_cast<std::size_t>(form)];
    }
}

template <std::size_t K, cpu::Form form> void run(void* const* out, const void* const* in, std::size_t n) { interpret(computed[K], form, out, in, n); }
template <std::size_t K> constexpr cpu::Forms forms_of{&run<K, cpu::Form::each>, &run<K, cpu::Form::folded>, &run<K, cpu::Form::added>};
constexpr auto loops = []<std::size_t... K>(std::index_sequence<K...>) {
    return std::array<cpu::Forms, most_strands>{forms_of<K>...};
}(std::make_index_sequence<most_strands>{});

void test_order(const Program& program, const cpu::Strands& strands, const std::string& description) {
    std::set<ValueId> known;
    for (std::size_t i = 0; i < program.inputs.size(); ++i) known.insert(static_cast<ValueId>(i));
    std::size_t steps = 0;
    for (const cpu::Strands::Part& part : strands.order) {
        if (part.strand == cpu::Strands::single) {
            const Step& step = program.steps[part.step];
            for (std::size_t i = 0; i < row(step.row).nin; ++i) expect(known.contains(step.in[i]), "a step reads what is known: " + description);
            for (std::size_t o = 0; o < row(step.row).nout; ++o) known.insert(static_cast<ValueId>(step.out + o));
            ++steps;
            continue;
        }
        const cpu::Strand& strand = strands.strands[static_cast<std::size_t>(part.strand)];
        check(strand.program);
        expect(strand.program.steps.size() + strand.program.reductions.size() > 1, "a strand has several steps, or a reduction: " + description);
        expect(strand.out.size() == strand.program.stores.size() + strand.program.reductions.size(), "all that it gives has a name: " + description);
        for (const Step& step : strand.program.steps) expect(cpu::is_plain(step.row, step.loop), "its steps are plain: " + description);
        for (const ValueId value : strand.in) expect(known.contains(value), "a strand reads what is known: " + description);
        known.insert(strand.out.begin(), strand.out.end());
        steps += strand.program.steps.size();
    }
    expect(steps <= program.steps.size(), "each step is in one place: " + description);
    for (const Store& store : program.stores) expect(known.contains(store.value), "what is stored is known: " + description);
    for (const Reduction& reduction : program.reductions) expect(known.contains(reduction.value), "what is reduced is known: " + description);
}

bool has_padding(DType dtype) { return dtype == DType::longdouble || dtype == DType::clongdouble; }  // bytes that carry no value

void test_random(int rounds, std::int64_t limit) {
    int with_strands = 0;
    for (int i = 0; i < rounds && failures == 0; ++i) {
        Case c = random_case(limit);
        const cpu::Strands strands = cpu::divide_into_strands(c.program);
        test_order(c.program, strands, c.description);
        if (strands.strands.empty() || strands.strands.size() > most_strands) continue;
        ++with_strands;
        const cpu::Resolved one_by_one(c.program);
        const std::vector<Memory> before = c.memory;
        one_by_one.run(c.launch());
        // What is one number in each tile, or more than that: then the launch does not suit the code.
        const std::uint64_t numbers = i % 4 == 0 ? ~std::uint64_t{0} : one_by_one.seen.numbers.load();
        for (std::size_t k = 0; k < strands.strands.size(); ++k) computed[k] = cpu::code_of(strands.strands[k], c.program, numbers);
        const cpu::Resolved together(c.program, strands, std::span(loops).first(strands.strands.size()), one_by_one, numbers);
        std::vector<Memory> wanted = std::move(c.memory);
        c.memory = before;
        together.run(c.launch());
        for (std::size_t k = 0; k < wanted.size(); ++k)
            if (!has_padding(c.operand_dtype(k))) expect(wanted[k].bytes == c.memory[k].bytes, "operand " + std::to_string(k) + " has the same bits: " + c.description);
    }
    expect(with_strands > rounds / 10, "strands are found");
    expect(calls_with_numbers > 0, "some of which take numbers");
    for (const int count : reduced_in) expect(count > 0, "with reductions, in every form");
}

// exp(a * b + a) * b is a strand, the exponential, and a step; what only the last one needs is computed with it.
void test_levels() {
    const DType f = DType::float32;
    const RowId multiply = find_row("multiply"), add = find_row("add"), exp = find_row("exp");
    const auto two = [&](RowId id) { return loop_of(id, signature({f, f}, {f})); };
    Program program{{f, f}, {{multiply, two(multiply), {0, 1}, 2}, {add, two(add), {0, 0}, 3}, {add, two(add), {2, 0}, 4},
                             {exp, loop_of(exp, signature({f}, {f})), {4}, 5}, {multiply, two(multiply), {5, 3}, 6}}, {{6}}, {}};
    const cpu::Strands strands = cpu::divide_into_strands(program);
    expect(strands.strands.size() == 2 && strands.order.size() == 3, "a strand, a vector function, a strand");
    expect(strands.strands[0].in == std::vector<ValueId>{0, 1} && strands.strands[0].out == std::vector<ValueId>{4}, "the first gives the argument alone");
    expect(strands.strands[1].in.size() == 2 && strands.strands[1].out == std::vector<ValueId>{6}, "a sum that only the last step needs is made beside it");
}

Program chain_of(DType dtype, const char* last) {
    const RowId multiply = find_row("multiply"), add = find_row("add"), other = find_row(last);
    const auto two = [&](RowId id) { return loop_of(id, signature({dtype, dtype}, {dtype})); };
    return {{dtype, dtype}, {{multiply, two(multiply), {0, 1}, 2}, {add, two(add), {2, 0}, 3}, {other, two(other), {3, 1}, 4}}, {{4}}, {}};
}

void run_once(const cpu::Plan& plan, std::chrono::nanoseconds time) {
    const cpu::Plan::Turn turn = plan.next();
    if (turn.timed) plan.note(turn, 1000, time);
}

using namespace std::chrono_literals;

// A plan whose strand is there: in code that takes so long where the steps take 1 ms.
void test_settling(const Program& program, std::chrono::nanoseconds in_code, bool quicker) {
    const cpu::Plan plan(program);
    const cpu::Resolved* const before = &plan.resolved();
    computed[quicker] = {cpu::divide_into_strands(program).strands.front().program};
    for (int i = 0; i < 100 && !cpu::anything_wanted(); ++i) run_once(plan, 20ms);
    for (const cpu::WantedCode& wanted : cpu::take_wanted()) cpu::install_code(wanted.id, {.forms = loops[quicker]});
    int both[2] = {0, 0};
    for (int i = 0; i < 40; ++i) {
        const cpu::Plan::Turn turn = plan.next();
        ++both[turn.plan != before];
        if (turn.timed) plan.note(turn, 1000, turn.plan == before ? 1ms : in_code);
    }
    expect(both[0] >= 5 && both[1] >= 5, "both ways run in turns");
    const bool changed = &plan.resolved() != before;
    expect(changed == quicker, "the quicker way stays");
}

// What the machine does besides falls on the first turns of code that is quicker.
void test_a_busy_beginning() {
    const Program program = chain_of(DType::int16, "multiply");
    const cpu::Plan plan(program);
    const cpu::Resolved* const before = &plan.resolved();
    computed[2] = {cpu::divide_into_strands(program).strands.front().program};
    for (int i = 0; i < 100 && !cpu::anything_wanted(); ++i) run_once(plan, 20ms);
    for (const cpu::WantedCode& wanted : cpu::take_wanted()) cpu::install_code(wanted.id, {.forms = loops[2]});
    for (int i = 0, in_code = 0; i < 200; ++i) {
        const cpu::Plan::Turn turn = plan.next();
        const bool code = turn.plan != before;
        if (turn.timed) plan.note(turn, 1000, !code ? 1000us : in_code < 4 ? 3000us : in_code % 3 ? 960us : 5000us);
        in_code += code;
    }
    expect(&plan.resolved() != before, "code that is a little quicker stays, though the first runs with it were disturbed");
}

// Looking comes before compiling, short runs count for those that are not timed, and code that is slower goes again.
void test_when_code_is_wanted() {
    const Program other = chain_of(DType::float64, "subtract");
    const cpu::Plan short_runs(other);
    int runs = 0;
    while (!cpu::anything_wanted() && runs < 100000) run_once(short_runs, 10us), ++runs;
    expect(runs > 4500 && runs < 5500, "50 ms of short runs of all programs, of which there is one");
    std::vector<cpu::WantedCode> taken = cpu::take_wanted();
    expect(taken.size() == 1 && taken.front().effort == cpu::Effort::look, "first it is looked for");
    cpu::leave_code(taken.front().id);
    while (!cpu::anything_wanted() && runs < 100000) run_once(short_runs, 10us), ++runs;
    expect(runs > 14000 && runs < 16000, "then, after 150 ms, a compiler is wanted");
    taken = cpu::take_wanted();
    expect(taken.size() == 1 && taken.front().effort == cpu::Effort::compile, "of the same strand");
    cpu::refuse_code(taken.front().id);

    const Program later = chain_of(DType::uint64, "subtract");
    const cpu::Plan later_runs(later);
    runs = 0;
    while (!cpu::anything_wanted() && runs < 100000) run_once(later_runs, 10us), ++runs;
    expect(runs > 150 && runs < 250, "another program is looked for after 2 ms");
    taken = cpu::take_wanted();
    expect(taken.size() == 1 && taken.front().effort == cpu::Effort::look, "and has no compiler yet");
    cpu::refuse_code(taken.front().id);

    const Program program = chain_of(DType::float32, "subtract");
    const cpu::Plan plan(program);
    run_once(plan, 10s);
    for (int i = 0; i < 2; ++i) run_once(plan, 1ms);
    expect(!cpu::anything_wanted(), "a program that has run three times may never run again");
    run_once(plan, 1ms);
    taken = cpu::take_wanted();
    expect(taken.size() == 1 && taken.front().effort == cpu::Effort::compile && cpu::anything_newly_wanted(), "after the fourth run a compiler is wanted");
    expect(!cpu::anything_newly_wanted(), "which is said once");
    cpu::refuse_code(taken.front().id);
    expect(!plan.next().timed, "a program without code is not timed any more");

    test_settling(chain_of(DType::int32, "multiply"), 2ms, false);
    test_settling(chain_of(DType::int64, "multiply"), 500us, true);
    expect(cpu::code_use().slower == 1 && cpu::code_use().quicker == 1, "which is counted");
    test_a_busy_beginning();
}

template <cpu::Form form> void add_one_bit(void* const* out, const void* const* in, std::size_t n) {
    run<0, form>(out, in, n);
    static_cast<char*>(out[0])[form == cpu::Form::folded ? 0 : n / 2] ^= 1;
}

void test_wrong_code_is_found() {
    for (const DType dtype : {DType::int8, DType::uint64, DType::float32, DType::float64, DType::complex64}) {
        const Program program = chain_of(dtype, "subtract");
        const cpu::Strands strands = cpu::divide_into_strands(program);
        computed[0] = {strands.strands.front().program};
        expect(cpu::computes_strand(computed[0], loops[0]), "right code is right");
        expect(!cpu::computes_strand(computed[0], {&add_one_bit<cpu::Form::each>}), "one wrong bit is seen");
        Program sum = program;
        sum.stores.clear();
        const RowId add = find_row("add");
        sum.reductions.push_back({4, add, static_cast<std::uint16_t>(loop_of(add, signature({dtype, dtype}, {dtype})))});
        const cpu::Strand strand = cpu::divide_into_strands(sum).strands.front();
        expect(strand.reduction == 0u && strand.out == std::vector<ValueId>{4}, "a strand ends in a reduction");
        computed[0] = {strand.program};
        expect(cpu::computes_strand(computed[0], loops[0]), "right code for a reduction is right");
        for (const cpu::Form form : {cpu::Form::each, cpu::Form::folded, cpu::Form::added}) {
            cpu::Forms wrong = loops[0];
            if (form == cpu::Form::each) wrong.each = &add_one_bit<cpu::Form::each>;
            if (form == cpu::Form::folded) wrong.folded = &add_one_bit<cpu::Form::folded>;
            if (form == cpu::Form::added) wrong.added = &add_one_bit<cpu::Form::added>;
            expect(!cpu::computes_strand(computed[0], wrong), "one wrong bit of each form is seen");
        }
        expect(!cpu::computes_strand(computed[0], {loops[0].each}), "a form that is missing is seen");
    }
}

}  // namespace

int main() {
    test_when_code_is_wanted();
    test_wrong_code_is_found();
    const char* const given = std::getenv("ASNUMPY_TEST_ROUNDS");
    test_levels();
    test_random(given ? std::atoi(given) : 600, 6000);
    test_random(given ? std::atoi(given) / 10 : 30, 200000);
    if (failures) std::fprintf(stderr, "%d failures\n", failures);
    return failures != 0;
}
