// When a plan wants machine code, and how it comes to run with it: the steps one after the other and the strands are two
// resolved programs, of which a pointer says which runs. Neither goes before the plan, so whoever runs one may end with it.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "cpu/code.hpp"
#include "cpu/executor.hpp"
#include "cpu/frame.hpp"
#include "cpu/plan.hpp"
#include "cpu/strands.hpp"

namespace asnumpy::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// A program that has run for some time is expected to run that long again. The first look for code that is kept takes a hundredth of a
// second, which a process should be worth: that is asked of all its programs together. Each look after it takes a thousandth. A
// compiler takes about two thirds of a second, beside the program, and what it makes is there for every later process.
constexpr std::uint32_t fewest_runs = 4;
constexpr std::int64_t all_long_enough_to_look = 50'000'000;  // ns
std::atomic<std::int64_t> spent_by_all{0};

std::atomic<std::uint32_t> changes{0};

// Reading the clock twice costs what a short run's smallest differences do, so of short runs one in so many is timed.
constexpr std::int64_t short_run = 100'000;  // ns
constexpr std::uint32_t untimed_runs = 16;

// At most so many runs of each kind are compared, in an order that no alternation of the program's own falls in step with. Fewer
// where all of one kind are quicker than all of the other, and where they differ by more than what so few runs leave open: what
// else the machine does may fall on the runs of one kind, and the less of it, the more of them there are.
constexpr std::size_t most_compared_runs = 31, clear_runs = 5;
constexpr double undecided(std::size_t runs) { return runs < 7 ? 1e9 : runs < 15 ? 0.1 : runs < most_compared_runs ? 0.03 : 0; }
constexpr std::array<bool, 14> in_strands_next{true, false, false, true, false, true, true, false, false, true, true, false, true, false};

using Times = std::span<const double>;  // ns for each point

// What else the machine does makes runs longer, never shorter.
double lower_quartile(Times times) {
    std::array<double, most_compared_runs> sorted{};
    const auto end = std::ranges::copy(times, sorted.begin()).out, quarter = sorted.begin() + static_cast<std::ptrdiff_t>(times.size() / 4);
    std::nth_element(sorted.begin(), quarter, end);
    return *quarter;
}

// Whether the second way is the quicker one; nothing while that is open.
std::optional<bool> is_quicker(Times first, Times second) {
    if (first.size() != second.size() || first.size() < clear_runs) return {};
    if (std::ranges::max(second) < std::ranges::min(first)) return true;
    if (std::ranges::max(first) < std::ranges::min(second)) return false;
    const double before = lower_quartile(first), now = lower_quartile(second);
    if (std::abs(now - before) <= undecided(first.size()) * std::min(before, now) && first.size() < most_compared_runs) return {};
    return now <= before;
}

}  // namespace

struct Plan::State {
    enum class Phase : std::uint8_t {
        counted,   // nothing is wanted yet
        looked,    // what is kept is looked for; counted on
        asked,     // a compiler is wanted
        compared,  // both ways run in turns
        settled,
    };

    Program program;
    Resolved one_by_one;
    std::atomic<const Resolved*> current{&one_by_one};
    std::atomic<Phase> phase{Phase::counted};
    std::atomic<std::uint32_t> runs{0}, untimed{0}, generation{0};
    std::atomic<std::int64_t> spent_ns{0};
    // What follows is guarded by this.
    std::mutex changing;
    Strands strands;
    std::vector<CodeId> codes;
    std::atomic<std::uint64_t> numbers{0};  // inputs that code takes as one number each: what is asked for, or there
    std::atomic<std::uint64_t> items{0};    // likewise: how it takes items
    std::optional<Strand> whole;            // where it takes items
    std::unique_ptr<const Resolved> in_strands;
    std::vector<std::unique_ptr<const Resolved>> former;  // which somebody may be running
    std::size_t turn = 0;
    std::array<std::array<double, most_compared_runs>, 2> times;  // one by one and in strands
    std::array<std::size_t, 2> timed{};

    explicit State(const Program& p) : program(p), one_by_one(p) {
        if (program.steps.empty() || program.steps.size() + program.reductions.size() < 2) phase = Phase::settled;
    }

    // Inputs that code may take as one number (Resolved::Seen).
    std::uint64_t numbers_so_far() const {
        const std::uint64_t seen = one_by_one.seen.numbers.load(std::memory_order_relaxed);
        return seen == ~std::uint64_t{0} ? 0 : seen;  // there was none
    }

    // How the items of launches lie (Resolved::Seen).
    Items items_so_far() const {
        const std::uint64_t seen = one_by_one.seen.items.load(std::memory_order_relaxed);
        return seen == Resolved::Seen::unseen ? Items() : Items::from(seen);
    }

    void change_to(const Resolved* other) {
        current.store(other, std::memory_order_release);
        changes.fetch_add(1, std::memory_order_release);
    }

    void forget_code() {
        numbers.store(0, std::memory_order_relaxed);
        items.store(0, std::memory_order_relaxed);
    }

    // Whether strands save a loop, or the lines in which numbers that differ from tile to tile are spread.
    bool worth_strands() const {
        const std::size_t then = loops_then(), now = one_by_one.loops();
        if (then != now) return then < now;
        const std::uint64_t changing = one_by_one.seen.changing.load(std::memory_order_relaxed) & numbers_so_far();
        return std::ranges::any_of(strands.strands, [&](const Strand& strand) { return code_of(strand, program, changing).numbers != 0; });
    }

    // The loops that a tile takes in strands.
    std::size_t loops_then() const {
        const auto joined = std::ranges::count_if(strands.strands, [](const Strand& strand) { return strand.reduction.has_value(); });
        return strands.order.size() + program.reductions.size() - static_cast<std::size_t>(joined);
    }

    void ask(Effort effort) {
        const std::lock_guard lock(changing);
        ask_locked(effort);
    }

    void ask_locked(Effort effort) {
        const Phase now = phase.load(std::memory_order_relaxed), then = effort == Effort::look ? Phase::looked : Phase::asked;
        if (now >= then) return;
        if (now == Phase::counted) {
            strands = divide_into_strands(program);
            const Items by = items_so_far();
            whole = by.any() ? whole_strand(program) : std::nullopt;
            items.store(whole ? by.bits() : 0, std::memory_order_relaxed);
            if (!whole && !worth_strands()) {
                phase.store(Phase::settled, std::memory_order_release);
                return;
            }
        }
        generation.store(code_generation() - 1, std::memory_order_relaxed);  // some of them may be there
        codes.clear();
        if (whole) {
            codes.push_back(want_code(code_of(*whole, Items::from(items.load(std::memory_order_relaxed))), effort));
        } else {
            const std::uint64_t wanted = numbers_so_far();
            for (const Strand& strand : strands.strands) codes.push_back(want_code(code_of(strand, program, wanted), effort));
            numbers.store(wanted, std::memory_order_relaxed);
        }
        phase.store(then, std::memory_order_release);
    }

    // Whether a launch has come in which something is no number that code would take for one, or whose items lie otherwise.
    bool misfits() const {
        const std::uint64_t by = items.load(std::memory_order_relaxed);
        if (by != 0 && by != one_by_one.seen.items.load(std::memory_order_relaxed)) return true;
        return (numbers.load(std::memory_order_relaxed) & ~one_by_one.seen.numbers.load(std::memory_order_relaxed)) != 0;
    }

    // Other code then, which takes fewer numbers, or no items.
    void ask_anew() {
        const std::lock_guard lock(changing);
        if (!misfits()) return;
        change_to(&one_by_one);
        if (in_strands) former.push_back(std::move(in_strands));
        const bool looked = phase.load(std::memory_order_relaxed) == Phase::looked;
        phase.store(Phase::counted, std::memory_order_release);
        timed = {};
        forget_code();
        ask_locked(looked ? Effort::look : Effort::compile);
    }

    bool waits() const {
        const Phase now = phase.load(std::memory_order_acquire);
        return now == Phase::looked || now == Phase::asked;
    }

    void take() {
        const std::uint32_t now = code_generation();
        if (generation.load(std::memory_order_relaxed) == now) return;
        const std::lock_guard lock(changing);
        if (!waits()) return;
        generation.store(now, std::memory_order_relaxed);
        const FoundCode found = find_code(codes);
        if (found.state == CodeState::coming) return;
        if (found.state == CodeState::refused) {
            forget_code();
            return phase.store(Phase::settled, std::memory_order_release);
        }
        std::vector<Forms> forms;
        for (const Code& code : found.codes) forms.push_back(code.forms);
        if (whole) in_strands = std::make_unique<const Resolved>(program, *whole, forms.front(), Items::from(items.load(std::memory_order_relaxed)), one_by_one);
        else in_strands = std::make_unique<const Resolved>(program, strands, forms, one_by_one, numbers.load(std::memory_order_relaxed));
        if (code_mode() == CodeMode::wait) return settle(true);
        phase.store(Phase::compared, std::memory_order_release);
    }

    void settle(bool quicker) {
        if (quicker) change_to(in_strands.get());
        else forget_code();
        (quicker ? code_use().quicker : code_use().slower).fetch_add(1, std::memory_order_relaxed);
        phase.store(Phase::settled, std::memory_order_release);
    }

    void compare(const Turn& done, double ns) {
        const std::lock_guard lock(changing);
        if (phase.load(std::memory_order_relaxed) != Phase::compared) return;
        const std::size_t which = done.plan == in_strands.get();
        if (timed[which] == most_compared_runs) return;
        times[which][timed[which]++] = ns;
        if (const auto quicker = is_quicker(Times(times[0]).first(timed[0]), Times(times[1]).first(timed[1]))) settle(*quicker);
    }

    Turn next_of_compared() {
        const std::lock_guard lock(changing);
        if (phase.load(std::memory_order_relaxed) != Phase::compared) return {current.load(std::memory_order_relaxed), false};
        const bool strands_next = in_strands_next[turn++ % in_strands_next.size()];
        return {strands_next ? in_strands.get() : &one_by_one, true, true};
    }
};

std::uint32_t plan_changes() { return changes.load(std::memory_order_acquire); }

Plan::Plan(const Program& program) : state_(std::make_unique<State>(program)) {}
Plan::~Plan() = default;
Plan::Plan(Plan&&) noexcept = default;

const Resolved& Plan::resolved() const {
    if (code_mode() == CodeMode::off) return state_->one_by_one;
    if (state_->misfits()) [[unlikely]] state_->ask_anew();
    if (state_->waits()) state_->take();
    return *state_->current.load(std::memory_order_acquire);
}

Plan::Turn Plan::next() const {
    const Resolved& plan = resolved();
    const State::Phase phase = state_->phase.load(std::memory_order_acquire);
    if (phase == State::Phase::settled || phase == State::Phase::asked || code_mode() != CodeMode::background) [[likely]] return {&plan, false};
    if (phase == State::Phase::compared) return state_->next_of_compared();
    const std::uint32_t untimed = state_->untimed.load(std::memory_order_relaxed);
    if (untimed == 0) return {&plan, true};
    state_->untimed.store(untimed - 1, std::memory_order_relaxed);
    return {&plan, false};
}

void Plan::note(const Turn& turn, std::int64_t points, std::chrono::nanoseconds time) const {
    if (state_->phase.load(std::memory_order_acquire) == State::Phase::compared) return state_->compare(turn, static_cast<double>(time.count()) / static_cast<double>(std::max<std::int64_t>(points, 1)));
    const std::uint32_t runs = state_->runs.fetch_add(1, std::memory_order_relaxed) + 1;
    // The first run brings memory into being, and stands for itself alone.
    const bool stands_for_more = runs > 1 && time.count() < short_run;
    const std::int64_t now = stands_for_more ? time.count() * (1 + untimed_runs) : time.count();
    if (stands_for_more) state_->untimed.store(untimed_runs, std::memory_order_relaxed);
    const std::int64_t spent = state_->spent_ns.fetch_add(now, std::memory_order_relaxed) + now;
    const std::int64_t all_spent = spent_by_all.fetch_add(now, std::memory_order_relaxed) + now;
    if (runs < fewest_runs || spent < long_enough_to_look || all_spent < all_long_enough_to_look) return;
    try {
        state_->ask(spent < long_enough_to_compile ? Effort::look : Effort::compile);
    } catch (const std::bad_alloc&) {  // the program has run and must not run again for that: its next run asks
    }
}

void Plan::look_at(const Launch& launch) const {
    if (std::ranges::find(launch.shape, 0) != launch.shape.end()) return;
    thread_local Frame frame;  // kept for its vectors
    frame.prepare(state_->one_by_one, launch, Arrangement::natural);
}

bool Plan::awaits_code(bool asked) const {
    if (code_mode() == CodeMode::off || (code_mode() == CodeMode::background && !asked)) return false;
    state_->ask(Effort::compile);
    if (state_->waits()) state_->take();
    return state_->waits();
}

void Plan::run(const Launch& launch) const {
    const Turn turn = next();
    if (!turn.timed) return turn.plan->run(launch);
    const Clock::time_point begin = Clock::now();
    turn.plan->run(launch);
    note(turn, count(launch.shape), Clock::now() - begin);
}

}  // namespace asnumpy::cpu
