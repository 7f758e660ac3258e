// Programs over short innermost axes: with a loop that takes whole items, the bits of the program without, whole and in blocks of lines.
#include <array>
#include <atomic>
#include <set>
#include <string>

#include "cpu/code.hpp"
#include "cpu/frame.hpp"
#include "cpu/reduce.hpp"
#include "random_programs.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

cpu::StrandCode computed;  // by the loop below
std::atomic<int> calls{0};

// Code as it is generated: all that is read of an item before anything is written of it.
void each(void* const* out, const void* const* in, std::size_t n) {
    ++calls;
    const Program& program = computed.program;
    const auto length = static_cast<std::size_t>(computed.items.length());
    std::vector<std::vector<Element>> values(length, std::vector<Element>(static_cast<std::size_t>(program.value_count())));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t c = 0; c < length; ++c) {
            for (std::size_t k = 0; k < program.inputs.size(); ++k) {
                const cpu::Items::Part part = computed.items.part(k);
                const std::size_t from = part == cpu::Items::Part::whole ? i * length + c : part == cpu::Items::Part::one ? i : part == cpu::Items::Part::same ? c : 0;
                const std::size_t size = itemsize(program.inputs[k]);
                std::memcpy(values[c][k].bytes, static_cast<const char*>(in[k]) + from * size, size);
            }
            for (const Step& step : program.steps) {
                void* const to[2] = {values[c][step.out].bytes, nullptr};
                const void* const from[3] = {values[c][step.in[0]].bytes, values[c][step.in[1]].bytes, nullptr};
                cpu::loop(step.row, step.loop)(to, from, 1);
            }
        }
        const auto put = [&](std::size_t operand, std::size_t position, ValueId value, std::size_t c) {
            const std::size_t size = itemsize(program.dtype(value));
            std::memcpy(static_cast<char*>(out[operand]) + position * size, values[c][value].bytes, size);
        };
        for (std::size_t k = 0; k < program.stores.size(); ++k)
            for (std::size_t c = 0; c < length; ++c) put(k, i * length + c, program.stores[k].value, c);
        for (const Reduction& reduction : program.reductions) {
            char* const sum = values[0][reduction.value].bytes;
            const auto combine = [&](const void* first, const void* second) {
                void* const to[2] = {sum, nullptr};
                const void* const from[3] = {first, second, nullptr};
                cpu::loop(reduction.row, reduction.loop)(to, from, 1);
            };
            for (std::size_t c = 1; computed.items.joined() && c < length; ++c) combine(sum, values[c][reduction.value].bytes);
            const DType dtype = program.dtype(reduction.value);
            if (computed.items.joined() && begins_with_identity(reduction.row, dtype)) combine(neutral(reduction.row, dtype).bytes.data(), sum);
            const std::size_t each = computed.items.joined() ? 1 : length;
            for (std::size_t c = 0; c < each; ++c) put(program.stores.size(), i * each + c, reduction.value, c);
        }
    }
}

void folded(void* const* out, const void* const* in, std::size_t n) {
    each(out, in, n);
    const Reduction& reduction = computed.program.reductions.front();
    char* const reduced = static_cast<char*>(out[computed.program.stores.size()]);
    std::vector<char> room(n * 8 * static_cast<std::size_t>(computed.items.length()));
    cpu::halve(cpu::loop(reduction.row, reduction.loop), static_cast<std::int64_t>(itemsize(computed.program.dtype(reduction.value))), reduced, reduced, static_cast<std::int64_t>(n),
               computed.items.length(), room.data());
}

const std::vector<DType> dtypes{DType::float32, DType::float64, DType::int32, DType::int8};

Program random_program(DType dtype, int inputs, bool stores, bool reduces) {
    const std::vector<const char*> names{"add", "subtract", "multiply", "maximum"};
    const auto two = [&](RowId id) { return loop_of(id, signature({dtype, dtype}, {dtype})); };
    Program program;
    program.inputs.assign(static_cast<std::size_t>(inputs), dtype);
    auto next = static_cast<ValueId>(inputs);
    for (int k = 1; k < std::max(inputs, 2); ++k, ++next) {
        const RowId id = find_row(pick(names));
        program.steps.push_back({id, two(id), {static_cast<ValueId>(k == 1 ? 0 : next - 1), static_cast<ValueId>(inputs == 1 ? 0 : k)}, next});
    }
    if (chance(50)) {
        const RowId id = find_row("multiply");
        program.steps.push_back({id, two(id), {static_cast<ValueId>(next - 1), static_cast<ValueId>(next - 1)}, next});
        ++next;
    }
    if (stores) program.stores.push_back({static_cast<ValueId>(reduces && next - 1 > inputs ? next - 2 : next - 1)});
    if (reduces) {
        const RowId id = find_row(chance(70) ? "add" : "minimum");
        program.reductions.push_back({static_cast<ValueId>(next - 1), id, two(id)});
    }
    return program;
}

// Sums of these depend on their order.
void fill_with_fractions(Memory& m, const Dims& shape, DType dtype) {
    fill(m, shape, dtype);
    if (kind(dtype) != 'f') return;
    for_each_index(shape, [&](const Dims& index) {
        const double value = pick(-4000, 4000) / 777.0;
        const float narrow = static_cast<float>(value);
        std::memcpy(m.data() + position(index, m.strides), dtype == DType::float32 ? static_cast<const void*>(&narrow) : &value, itemsize(dtype));
    });
}

struct Counts {
    int joined = 0, kept_sums = 0, elementwise = 0, taken = 0, blocks = 0;
    std::set<cpu::Items::Part> parts;
} counts;

void run_blocks(const cpu::Resolved& plan, const Launch& launch, std::int64_t lines) {
    const std::int64_t all = launch.shape[0];
    for (std::int64_t first = 0; first < all; first += lines) {
        Launch part = launch;
        part.shape[0] = std::min(lines, all - first);
        for (Operand& operand : part.operands) operand.data += first * operand.strides[0];
        cpu::Frame frame;
        frame.prepare(plan, part, cpu::Arrangement::natural, {part.shape[0], all});
        counts.blocks += frame.plan == &plan;
        frame.reserve();
        frame.run(0, frame.units);
    }
}

void test(const Dims& shape, int kind) {
    const bool reduces = kind != 0, stores = kind == 0 || chance(40);
    const DType dtype = pick(dtypes);
    const int inputs = pick(1, 4), last = shape.size() - 1;
    const Program program = random_program(dtype, inputs, stores, reduces);
    check(program);
    Launch launch;
    launch.shape = shape;
    if (reduces) launch.reduced = std::uint64_t{1} << (kind == 1 ? last : last - 1);
    std::vector<Memory> memory;
    for (int i = 0; i < inputs; ++i) {
        const std::uint64_t all = (std::uint64_t{1} << (last + 1)) - 1, of_items = std::uint64_t{1} << last;
        const std::vector<std::uint64_t> constants{0, 0, of_items, all & ~of_items, all, std::uint64_t{1} << (last - 1), of_items | std::uint64_t{1} << (last - 1)};
        memory.push_back(random_memory(shape, dtype, {false, chance(80), false}, pick(constants)));
    }
    for (std::size_t i = 0; i < program.stores.size(); ++i) memory.push_back(random_memory(shape, dtype, {false, chance(80), false}));
    for (std::size_t i = 0; i < program.reductions.size(); ++i) memory.push_back(random_memory(shape, dtype, {false, true, false}, launch.reduced));
    for (Memory& m : memory) {
        fill_with_fractions(m, shape, dtype);
        launch.operands.push_back({m.data(), m.strides});
    }

    const cpu::Resolved one_by_one(program);
    const std::vector<Memory> before = memory;
    const auto given = [&](const auto& run) {  // what the operands hold after it
        for (std::size_t k = 0; k < memory.size(); ++k) std::ranges::copy(before[k].bytes, memory[k].bytes.begin());
        run();
        return memory;
    };
    const auto expect_same = [&](const std::vector<Memory>& got, const std::vector<Memory>& wanted, const char* how) {
        for (std::size_t k = 0; k < wanted.size(); ++k) expect(got[k].bytes == wanted[k].bytes, std::string(how) + ", operand " + std::to_string(k) + " of " + to_string(program) + " over " + to_string(shape));
    };
    const std::vector<Memory> wanted = given([&] { one_by_one.run(launch); });
    const cpu::Items items = cpu::items_of(one_by_one, launch, {});
    expect(one_by_one.seen.items.load() == items.bits(), "how items lie is noted");
    if (!items.any()) return;
    expect(items.joined() == (kind == 1), "lines of items are joined where they are reduced");
    (kind == 0 ? counts.elementwise : kind == 1 ? counts.joined : counts.kept_sums) += 1;
    for (int i = 0; i < inputs; ++i) counts.parts.insert(items.part(static_cast<std::size_t>(i)));
    const std::optional<cpu::Strand> whole = cpu::whole_strand(program);
    const bool twice = stores && reduces && program.stores.front().value == program.reductions.front().value;
    expect(whole.has_value() != twice, "the program is one strand, unless what is reduced is stored as well");
    if (!whole) return;
    computed = cpu::code_of(*whole, items);
    const cpu::Resolved by_items(program, *whole, {.each = &each, .folded = &folded}, items, one_by_one);
    const int before_calls = calls;
    expect_same(given([&] { by_items.run(launch); }), wanted, "by items");
    counts.taken += calls > before_calls;
    if (shape.size() < 3 || ((launch.reduced & 1u) != 0)) return;
    const std::int64_t lines = std::max<std::int64_t>(2, shape[0] / 3);
    if (shape[0] % lines == 1) return;
    expect_same(given([&] { run_blocks(by_items, launch, lines); }), given([&] { run_blocks(one_by_one, launch, lines); }), "by items in blocks of lines");
}

// Steps of a chain, of which code for items is checked before any program runs it.
template <cpu::Loop loop> void wrong(void* const* out, const void* const* in, std::size_t n) {
    loop(out, in, n);
    static_cast<char*>(out[loop == &folded])[3] ^= 1;
}

void test_checks() {
    for (const int kind : {0, 1, 2}) {
        Program program = random_program(DType::float64, 4, true, kind != 0);
        program.stores.front().value = 4;
        cpu::Items items(3, kind == 1);
        items.put(1, cpu::Items::Part::one);
        items.put(2, cpu::Items::Part::same);
        items.put(3, cpu::Items::Part::number);
        computed = cpu::code_of(*cpu::whole_strand(program), items);
        expect(cpu::computes_strand(computed, {.each = &each, .folded = &folded}), "right code is right");
        expect(!cpu::computes_strand(computed, {.each = &wrong<&each>, .folded = &folded}), "one wrong bit is seen");
        if (kind < 2) continue;
        expect(!cpu::computes_strand(computed, {.each = &each, .folded = &wrong<&folded>}), "in each form");
        expect(!cpu::computes_strand(computed, {.each = &each}), "a form that is missing is seen");
    }
}

// Code is asked for by items, and by elements once a launch of about that size has come whose items lie otherwise.
void test_what_is_asked_for() {
    const Program program = random_program(DType::float64, 3, true, false);
    cpu::set_code_mode(cpu::CodeMode::background);
    const cpu::Plan plan(program);
    std::vector<double> points(3 * 5000), other(3 * 5000), to(3 * 5000);
    const auto at = [](std::vector<double>& v) { return reinterpret_cast<char*>(v.data()); };
    const Dims shape{5000, 3};
    Launch launch{shape, 0, {{at(points), {24, 8}}, {at(other), {8, 0}}, {at(points), {24, 8}}, {at(to), {24, 8}}}};
    plan.look_at(launch);
    expect(plan.awaits_code(true), "it waits for code");
    for (const cpu::WantedCode& wanted : cpu::take_wanted()) {
        expect(std::get<cpu::StrandCode>(wanted.coded).items.part(1) == cpu::Items::Part::one, "which takes items");
        computed = std::get<cpu::StrandCode>(wanted.coded);
        cpu::install_code(wanted.id, {.forms = {.each = &each}});
    }
    expect(!plan.awaits_code(true), "which is there");
    launch.operands[1].strides = {24, 8};
    plan.run(launch);
    static_cast<void>(plan.resolved());
    for (const cpu::WantedCode& wanted : cpu::take_wanted()) expect(!std::get<cpu::StrandCode>(wanted.coded).items.any(), "then elements are taken one by one");
}

}  // namespace

int main() {
    test_checks();
    test_what_is_asked_for();
    const char* const rounds = std::getenv("ASNUMPY_TEST_ROUNDS");
    for (int i = 0; i < (rounds ? std::atoi(rounds) : 600); ++i) {
        const std::int64_t length = pick(2, 4);
        const std::vector<Dims> shapes{{pick(260, 3000), length}, {pick(2, 40), pick(2, 90), length}, {pick(4, 30), pick(100, 700), length}, {pick(2, 5), pick(2, 20), pick(30, 90), length}};
        test(pick(shapes), pick(0, 2));
    }
    expect(counts.joined > 0 && counts.kept_sums > 0 && counts.elementwise > 0 && counts.blocks > 0, "items are found");
    expect(10 * counts.taken > 8 * (counts.joined + counts.kept_sums + counts.elementwise), "and nearly always taken as such");
    expect(counts.parts.size() == 4, "with operands that have them in each way");
    return failures != 0;
}
