// Programs that run some lines at a time give the bits that they give one after the other.
#include "cpu/stages.hpp"

#include <algorithm>

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

}  // namespace
}  // namespace asnumpy::testing

int main() {
    using namespace asnumpy::testing;
    asnumpy::cpu::set_thread_count(2);
    for (const auto& [lines, length] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {600, 257}, {601, 1000}, {20000, 12}, {20000, 20}, {64, 9000}, {129, 5003}, {10, 10}, {3, 100000}})
        compare(lines, length);
    return failures != 0;
}
