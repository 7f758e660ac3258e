// When a plan wants machine code, and how it comes to run with it: the steps one after the other and the strands are two
// resolved programs, of which a pointer says which runs. Neither goes before the plan, so whoever runs one may end with it.
#include <atomic>
#include <mutex>
#include <vector>

#include "cpu/code.hpp"
#include "cpu/executor.hpp"
#include "cpu/plan.hpp"
#include "cpu/strands.hpp"

namespace asnumpy::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// A compiler takes about a second, beside the program. One that has run for a third of that, several times, is expected to
// run that long again; then half of what it takes is soon more than the second.
constexpr std::uint32_t fewest_runs = 4;
constexpr std::chrono::nanoseconds long_enough = std::chrono::milliseconds(300);

}  // namespace

struct Plan::State {
    enum class Phase : std::uint8_t { counted, asked, settled };

    Program program;
    Resolved one_by_one;
    std::atomic<const Resolved*> current{&one_by_one};
    std::atomic<Phase> phase{Phase::counted};
    std::atomic<std::uint32_t> runs{0}, generation{0};
    std::atomic<std::int64_t> spent_ns{0};
    // What follows is guarded by this.
    std::mutex changing;
    Strands strands;
    std::vector<CodeId> codes;
    std::unique_ptr<const Resolved> in_strands;

    explicit State(const Program& p) : program(p), one_by_one(p) {
        if (program.steps.size() < 2) phase = Phase::settled;
    }

    // Calls that run, but for those whose operands a reduction takes itself.
    std::size_t calls_now() const {
        std::size_t count = one_by_one.calls.size();
        for (const Combine& reduction : one_by_one.reductions) count -= reduction.pair_fold ? 1 : 0;
        return count;
    }

    void ask() {
        const std::lock_guard lock(changing);
        if (phase.load(std::memory_order_relaxed) != Phase::counted) return;
        strands = divide_into_strands(program);
        if (strands.order.size() >= calls_now()) {  // nothing is saved
            phase.store(Phase::settled, std::memory_order_release);
            return;
        }
        generation.store(code_generation() - 1, std::memory_order_relaxed);  // some of them may be there
        for (const Strand& strand : strands.strands) codes.push_back(want_code(strand.program));
        phase.store(Phase::asked, std::memory_order_release);
    }

    void take() {
        const std::uint32_t now = code_generation();
        if (generation.load(std::memory_order_relaxed) == now) return;
        const std::lock_guard lock(changing);
        if (phase.load(std::memory_order_relaxed) != Phase::asked) return;
        generation.store(now, std::memory_order_relaxed);
        const FoundCode found = find_code(codes);
        if (found.state == CodeState::coming) return;
        if (found.state == CodeState::there) {
            in_strands = std::make_unique<const Resolved>(program, strands, found.loops, one_by_one);
            current.store(in_strands.get(), std::memory_order_release);
        }
        phase.store(Phase::settled, std::memory_order_release);
    }
};

Plan::Plan(const Program& program) : state_(std::make_unique<State>(program)) {}
Plan::~Plan() = default;
Plan::Plan(Plan&&) noexcept = default;

const Resolved& Plan::resolved() const {
    const CodeMode mode = code_mode();
    if (mode == CodeMode::off) return state_->one_by_one;
    if (state_->phase.load(std::memory_order_acquire) == State::Phase::asked) state_->take();
    return *state_->current.load(std::memory_order_acquire);
}

bool Plan::awaits_code(bool asked) const {
    if (code_mode() == CodeMode::off || (code_mode() == CodeMode::background && !asked)) return false;
    if (state_->phase.load(std::memory_order_acquire) == State::Phase::counted) state_->ask();
    if (state_->phase.load(std::memory_order_acquire) == State::Phase::asked) state_->take();
    return state_->phase.load(std::memory_order_acquire) == State::Phase::asked;
}

bool Plan::is_timed() const {
    return state_->phase.load(std::memory_order_relaxed) == State::Phase::counted && code_mode() == CodeMode::background;
}

void Plan::note_run(std::chrono::nanoseconds time) const {
    const std::uint32_t runs = state_->runs.fetch_add(1, std::memory_order_relaxed) + 1;
    const std::int64_t spent = state_->spent_ns.fetch_add(time.count(), std::memory_order_relaxed) + time.count();
    if (runs >= fewest_runs && spent >= long_enough.count()) state_->ask();
}

void Plan::run(const Launch& launch) const {
    const Resolved& plan = resolved();
    if (!is_timed()) return plan.run(launch);
    const Clock::time_point begin = Clock::now();
    plan.run(launch);
    note_run(Clock::now() - begin);
}

}  // namespace asnumpy::cpu
