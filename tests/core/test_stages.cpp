// Programs that run some lines at a time give the bits that they give one after the other.
#include "cpu/stages.hpp"

#include <algorithm>

#include <optional>

#include "cpu/frame.hpp"
#include "cpu/ordered_stages.hpp"
#include "cpu/overlapped_stages.hpp"
#include "cpu/relayed_stages.hpp"
#include "cpu/threads.hpp"
#include "random_programs.hpp"

namespace asnumpy::testing {
namespace {

using cpu::Resolved;

constexpr DType kind = DType::float32;

std::uint16_t loop_for(const char* name, int inputs) {
    return loop_of(find_row(name), signature(std::vector<DType>(static_cast<std::size_t>(inputs), kind), {kind}));
}

Step step(const char* name, std::vector<ValueId> in, ValueId out) {
    Step made{find_row(name), loop_for(name, static_cast<int>(in.size())), {}, out};
    std::copy(in.begin(), in.end(), made.in.begin());
    return made;
}

Reduction reduction(const char* name, ValueId value) { return {value, find_row(name), loop_for(name, 2)}; }

// The largest of each line; the exponentials of the differences from it, and their sum; the quotients of the two.
struct Softmax {
    std::vector<std::unique_ptr<const Resolved>> plans;
    std::int64_t lines, length;
    std::vector<float> x, largest, powers, sums, shares;

    Softmax(std::int64_t r, std::int64_t n) : lines(r), length(n) {
        const auto size = static_cast<std::size_t>(r * n);
        largest.resize(static_cast<std::size_t>(r));
        sums.resize(static_cast<std::size_t>(r));
        powers.resize(size);
        shares.resize(size);
        for (std::size_t i = 0; i < size; ++i) x.push_back(static_cast<float>(pick(-1000, 1000)) / 64);
        Program one, two, three;
        one.inputs = {kind};
        one.reductions = {reduction("maximum", 0)};
        two.inputs = three.inputs = {kind, kind};
        two.steps = {step("subtract", {0, 1}, 2), step("exp", {2}, 3)};
        two.stores = {Store{3}};
        two.reductions = {reduction("add", 3)};
        three.steps = {step("divide", {0, 1}, 2)};
        three.stores = {Store{2}};
        for (const Program& program : {one, two, three}) {
            check(program);
            plans.push_back(std::make_unique<const Resolved>(program));
        }
    }

    std::vector<const Resolved*> all() const {
        std::vector<const Resolved*> made;
        for (const auto& plan : plans) made.push_back(plan.get());
        return made;
    }

    // hidden: the powers and the sums have no memory.
    Stages stages(bool hidden) {
        const std::int64_t item = sizeof(float);
        const Dims whole{length * item, item}, of_line{item, 0};
        const auto at = [](std::vector<float>& v) { return reinterpret_cast<char*>(v.data()); };
        Stages made;
        made.buffers = {{}, {}, {hidden, length * item}, {hidden, item}, {}};
        const auto add = [&](std::uint64_t reduced, std::vector<Operand> operands, std::vector<Stages::Reach> reach) {
            Stages::Stage& stage = made.stages.emplace_back();
            stage.launch.shape = Dims{lines, length};
            stage.launch.reduced = reduced;
            stage.launch.operands = std::move(operands);
            stage.reach = std::move(reach);
        };
        add(2, {{at(x), whole}, {at(largest), of_line}}, {{0}, {1}});
        add(2, {{at(x), whole}, {at(largest), of_line}, {at(powers), whole}, {at(sums), of_line}}, {{0}, {1}, {2}, {3}});
        add(0, {{at(powers), whole}, {at(sums), of_line}, {at(shares), whole}}, {{2}, {3}, {4}});
        if (hidden)
            for (Stages::Stage& stage : made.stages)
                for (std::size_t k = 0; k < stage.reach.size(); ++k)
                    if (made.buffers[static_cast<std::size_t>(stage.reach[k].buffer)].hidden) stage.launch.operands[k].data = nullptr;
        return made;
    }
};

void compare(std::int64_t lines, std::int64_t length) {
    Softmax softmax(lines, length);
    const Stages plain = softmax.stages(false);
    for (std::size_t s = 0; s < plain.stages.size(); ++s) softmax.plans[s]->run(plain.stages[s].launch);
    const std::vector<float> expected = softmax.shares, powers = softmax.powers, sums = softmax.sums;

    const std::int64_t chosen = cpu::lines_at_once(plain, softmax.all());
    const std::string what = std::to_string(lines) + " lines of " + std::to_string(length);
    const bool shared = lines * length >= 128 * 1024 && length >= 64 && lines >= 64;  // shorter lines are combined side by side
    const bool fits = length < 2500;  // whether two longer lines do is a matter of this machine's cache
    expect((chosen > 0) == shared || (shared && !fits), what + " are run " + std::to_string(chosen) + " at a time");
    if (!shared) return;
    for (const bool hidden : {false, true}) {
        for (const std::int64_t at_once : {std::max(chosen, std::int64_t{1}), std::int64_t{2}, std::int64_t{7}, lines - 1, lines}) {
            for (const int threads : {1, 2, 5}) {
                cpu::oversubscribe(threads);
                std::fill(softmax.shares.begin(), softmax.shares.end(), -1.0f);
                if (!hidden) std::fill(softmax.powers.begin(), softmax.powers.end(), -1.0f);
                cpu::run_stages(softmax.stages(hidden), softmax.all(), at_once);
                const std::string how = what + ", " + std::to_string(at_once) + " at a time, " + std::to_string(threads) + " threads";
                expect(softmax.shares == expected, how + ": the quotients have the same bits");
                expect(hidden || (softmax.powers == powers && softmax.sums == sums), how + ": so has what lies between");
            }
        }
    }
    cpu::set_thread_count(cpu::max_threads());
}

// Three times the sum of the neighbours in place of each line, by way of lines that nobody sees; then the last line is its neighbour's.
struct Sweeps {
    std::vector<std::unique_ptr<const Resolved>> plans;
    std::vector<const Resolved*> all;
    std::int64_t lines, length;
    std::vector<float> u, sums;

    Sweeps(std::int64_t n, std::int64_t m) : lines(n), length(m), sums(static_cast<std::size_t>(3 * (n - 2) * m)) {
        for (std::int64_t i = 0; i < n * m; ++i) u.push_back(static_cast<float>(pick(-1000, 1000)) / 64);
        Program add, copy;
        add.inputs = {kind, kind};
        add.steps = {step("add", {0, 1}, 2)};
        add.stores = {Store{2}};
        copy.inputs = {kind};
        copy.stores = {Store{0}};
        for (const Program& program : {add, copy}) plans.push_back(std::make_unique<const Resolved>(program));
        for (int sweep = 0; sweep < 3; ++sweep)
            for (const auto& plan : plans) all.push_back(plan.get());
        all.push_back(plans[1].get());
    }

    Stages stages(bool hidden) {
        const std::int64_t item = sizeof(float), line = length * item;
        const auto row = [&](std::int64_t k) { return reinterpret_cast<char*>(u.data()) + k * line; };
        Stages made;
        made.in_order = true;
        made.buffers = {{}};
        std::int64_t behind = 0;
        const auto add = [&](std::int64_t n, std::vector<char*> at, std::vector<std::int32_t> buffers) {
            Stages::Stage& stage = made.stages.emplace_back();
            stage.launch.shape = Dims{n, length};
            stage.behind = behind++;
            for (std::size_t k = 0; k < at.size(); ++k) {
                stage.launch.operands.push_back({hidden && buffers[k] > 0 ? nullptr : at[k], Dims{line, item}});
                stage.reach.push_back({buffers[k], 0});
            }
        };
        for (std::int32_t sweep = 0; sweep < 3; ++sweep) {
            char* const between = reinterpret_cast<char*>(sums.data()) + sweep * (lines - 2) * line;
            made.buffers.push_back({hidden, line, line});
            add(lines - 2, {row(0), row(2), between}, {0, 0, sweep + 1});
            add(lines - 2, {between, row(1)}, {sweep + 1, 0});
        }
        add(1, {row(lines - 2), row(lines - 1)}, {0, 0});
        made.stages.back().first = lines - 1;
        return made;
    }
};

void compare_ordered(std::int64_t lines, std::int64_t length) {
    Sweeps sweeps(lines, length);
    const std::vector<float> before = sweeps.u;
    const Stages plain = sweeps.stages(false);
    for (std::size_t s = 0; s < plain.stages.size(); ++s) sweeps.all[s]->run(plain.stages[s].launch);
    const std::vector<float> expected = sweeps.u, sums = sweeps.sums;
    const std::optional<cpu::Relay> relay = cpu::relay_of(plain, sweeps.all);
    expect(relay.has_value() || lines < 1000, "many lines have runners");
    if (relay)
        expect(relay->lines * 6 < lines && relay->ends.back() == plain.stages.size() && std::ranges::is_sorted(relay->ends), "runners have blocks and stages");
    expect(cpu::ordered_lines_at_once(plain, sweeps.all) * 4 < std::max<std::int64_t>(lines, 4), "there are several blocks, or none");
    for (const bool hidden : {false, true}) {
        for (const std::int64_t at_once : {std::int64_t{1}, std::int64_t{2}, std::int64_t{7}, lines / 3 + 1, lines - 1, lines + 5}) {
            for (const int threads : {1, 2, 5}) {
                cpu::oversubscribe(threads);
                sweeps.u = before;
                std::fill(sweeps.sums.begin(), sweeps.sums.end(), -1.0f);
                cpu::run_ordered_stages(sweeps.stages(hidden), sweeps.all, at_once);
                const std::string how = std::to_string(lines) + " lines of " + std::to_string(length) + " in order, " + std::to_string(at_once) + " at a time, " +
                                        std::to_string(threads) + " threads";
                expect(sweeps.u == expected, how + ": the same bits");
                expect(hidden || sweeps.sums == sums, how + ": so has what lies between");
                for (const std::vector<std::size_t>& ends : std::vector<std::vector<std::size_t>>{{7}, {4, 7}, {3, 7}, {2, 4, 6, 7}, {1, 2, 3, 4, 5, 6, 7}}) {
                    sweeps.u = before;
                    std::fill(sweeps.sums.begin(), sweeps.sums.end(), -1.0f);
                    cpu::run_relayed(sweeps.stages(hidden), sweeps.all, {at_once, ends});
                    expect(sweeps.u == expected, how + ", " + std::to_string(ends.size()) + " runners: the same bits");
                    expect(hidden || sweeps.sums == sums, how + ", runners: so has what lies between");
                }
            }
        }
    }
    cpu::set_thread_count(cpu::max_threads());
}

// Sums of neighbours along lines and columns, each of those before, in arrays of their own; only the last one is seen.
struct Neighbours {
    static constexpr std::int64_t item = sizeof(float), depth = 3;
    struct View {
        std::int32_t buffer;
        std::int64_t line, column;  // where it begins
    };
    struct Sum {
        View one, two;
        std::int64_t behind, lines_less, columns_less;
    };
    // The last of each is read two lines further on, or a column before: some need lines before theirs of two others.
    static inline const std::vector<Sum> sums{
        {{0, 2, 0}, {0, 0, 0}, 0, 2, 0}, {{1, 0, 1}, {1, 0, 0}, 0, 2, 1}, {{2, 1, 0}, {1, 0, 1}, 1, 3, 1}, {{3, 0, 0}, {3, 0, 2}, 1, 3, 3}, {{4, 2, 1}, {2, 0, 0}, 3, 5, 4}};

    std::unique_ptr<const Resolved> plan;
    std::vector<const Resolved*> all;
    std::int64_t lines, columns;
    std::vector<std::vector<float>> arrays;  // that of each buffer, as wide as the first one

    Neighbours(std::int64_t n, std::int64_t m) : lines(n), columns(m), arrays(sums.size() + 1, std::vector<float>(static_cast<std::size_t>(n * m * depth))) {
        for (float& x : arrays.front()) x = static_cast<float>(pick(-1000, 1000));
        Program add;
        add.inputs = {kind, kind};
        add.steps = {step("add", {0, 1}, 2)};
        add.stores = {Store{2}};
        plan = std::make_unique<const Resolved>(add);
        all.assign(sums.size(), plan.get());
    }

    std::vector<float>& last() { return arrays.back(); }

    Stages stages(bool hidden) {
        const std::int64_t column = depth * item, line = columns * column;
        Stages made;
        made.in_order = true;
        made.buffers.resize(arrays.size());
        for (std::size_t s = 0; s < sums.size(); ++s) {
            const Sum& sum = sums[s];
            Stages::Stage& stage = made.stages.emplace_back();
            stage.launch.shape = Dims{lines - sum.lines_less, columns - sum.columns_less, depth};
            stage.behind = sum.behind;
            const auto own = static_cast<std::int32_t>(s + 1);
            for (const View& view : {sum.one, sum.two, View{own, 0, 0}}) {
                const auto b = static_cast<std::size_t>(view.buffer);
                const std::int64_t offset = view.line * line + view.column * column;
                Stages::Held& held = made.buffers[b];
                held.hidden = hidden && view.buffer > 0 && b < sums.size();
                if (held.hidden) held = {true, line, std::max(held.reach, offset + (columns - sum.columns_less) * column)};
                stage.launch.operands.push_back({held.hidden ? nullptr : reinterpret_cast<char*>(arrays[b].data()) + offset, Dims{line, column, item}});
                stage.reach.push_back({view.buffer, offset});
            }
        }
        return made;
    }
};

void compare_overlapped(std::int64_t lines, std::int64_t columns) {
    Neighbours sums(lines, columns);
    const Stages plain = sums.stages(false);
    for (std::size_t s = 0; s < plain.stages.size(); ++s) sums.all[s]->run(plain.stages[s].launch);
    const std::vector<float> expected = sums.last();
    expect(!cpu::overlap_of(plain, sums.all), "what others see is not computed again");
    const std::string what = std::to_string(lines) + " lines of " + std::to_string(columns) + " columns";
    const std::optional<cpu::Overlap> chosen = cpu::overlap_of(sums.stages(true), sums.all);
    if (chosen)
        expect(chosen->lines >= 1 && chosen->lines < lines && (columns > 10'000) == (chosen->width > 0), what + ": there are several blocks, and strips of long lines");
    else expect(lines < 100, what + " are enough for each thread");
    std::vector<cpu::Overlap> ways;
    if (chosen) ways.push_back(*chosen);
    if (lines * columns < 50'000)
        for (const std::int64_t at_once : {std::int64_t{1}, std::int64_t{2}, std::int64_t{7}, lines / 3 + 1, lines + 5})
            for (const std::int64_t width : {std::int64_t{0}, columns / 7 + 1, columns / 2, columns - 1, columns + 9}) ways.push_back({at_once, width});
    for (const cpu::Overlap& way : ways) {
        for (const int threads : {1, 2, 5}) {
            cpu::oversubscribe(threads);
            for (std::size_t b = 1; b < sums.arrays.size(); ++b) std::fill(sums.arrays[b].begin(), sums.arrays[b].end(), 0.0f);
            cpu::run_overlapped(sums.stages(true), sums.all, way);
            expect(sums.last() == expected, what + ", " + std::to_string(way.lines) + " lines at a time in strips of " + std::to_string(way.width) + ", " +
                                                std::to_string(threads) + " threads: the same bits");
        }
    }
    cpu::set_thread_count(cpu::max_threads());
}

// Few lines at the end of many are combined side by side as the others are: their sums have the same bits.
void a_few_lines_of_many() {
    Program squares;
    squares.inputs = {kind, kind};
    squares.steps = {step("subtract", {0, 1}, 2), step("multiply", {2, 2}, 3)};
    squares.reductions = {reduction("add", 3)};
    const Resolved plan(squares);
    constexpr std::int64_t all = 30011, length = 7, item = sizeof(float);
    std::vector<float> x(static_cast<std::size_t>(all * length)), means(static_cast<std::size_t>(all)), sums(static_cast<std::size_t>(all));
    Launch launch;
    launch.reduced = 2;
    const auto at = [](std::vector<float>& v) { return reinterpret_cast<char*>(v.data()); };
    launch.operands = {{at(x), Dims{length * item, item}}, {at(means), Dims{item, 0}}, {at(sums), Dims{item, 0}}};
    for (const std::int64_t lines : {std::int64_t{2}, std::int64_t{59}, std::int64_t{255}, std::int64_t{576}, all}) {
        launch.shape = Dims{lines, length};
        cpu::Frame frame;
        frame.prepare(plan, launch, cpu::Arrangement::natural, {lines, all});
        expect(frame.scheme == cpu::Scheme::segments && frame.segments.by_line, std::to_string(lines) + " of many short lines are combined side by side");
    }
}

}  // namespace
}  // namespace asnumpy::testing

int main() {
    using namespace asnumpy::testing;
    asnumpy::cpu::set_thread_count(2);
    a_few_lines_of_many();
    for (const auto& [lines, length] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {600, 257}, {601, 1000}, {20000, 12}, {20000, 20}, {64, 9000}, {129, 5003}, {10, 10}, {3, 100000}})
        compare(lines, length);
    for (const auto& [lines, length] : std::vector<std::pair<std::int64_t, std::int64_t>>{{200, 1}, {40, 3001}, {500, 257}, {5, 20000}, {1600, 700}})
        compare_ordered(lines, length);
    for (const auto& [lines, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{{9, 11}, {40, 30}, {300, 100}, {130, 20'000}}) compare_overlapped(lines, columns);
    return failures != 0;
}
