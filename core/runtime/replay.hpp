// A recorded function, planned once and run with other arguments: no recording, no search among schedules.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/kept_launch.hpp"
#include "runtime/recurring_parts.hpp"
#include "runtime/rounds.hpp"
#include "runtime/runs.hpp"
#include "runtime/schedule.hpp"
#include "runtime/tracing.hpp"

namespace asnumpy {

class ArrayNames;  // runtime/explain.hpp

// Of one call. A loop counts as one repetition, a choice as the costlier of the two.
struct Cost {
    std::size_t programs = 0;
    std::int64_t operations = 0;         // on elements
    std::int64_t read = 0, written = 0;  // bytes between programs and memory
    std::int64_t most_memory = 0;        // bytes of results and of what lies between, at a time

    Cost& operator+=(const Cost&);
};

// What the first run of a list leaves to the next ones.
struct Again {
    Roots roots;
    std::vector<char*> bases;      // of this run
    std::vector<KeptLaunch> kept;  // by part; empty before the first run
    std::vector<Rounds> rounds;    // of parts
    bool watched = false;          // each launch of this run is an event: what is kept does not run, and all has to be where the list says
    RecurringParts together;       // on devices
};

class Replay {
public:
    // The callers of `run` have no use for the donated arguments' values afterwards: results take their memory where they fit.
    explicit Replay(Traced&&, std::span<const std::size_t> donated = {});

    // Whether no argument shares memory with what the function has of its own, or with another one that it did not share memory with
    // while it was traced. Where it does, the plan may be wrong.
    bool takes(std::span<const Array> arguments) const;
    // Runs with arguments of the layouts, dtypes and devices of those that were traced. The results are new arrays or views of
    // arguments. The caller holds each array of these, and besides it one object. Random draws take their words from these streams: while it was traced, the key of a draw was the stream's
    // number, its place that from the start of the call.
    std::vector<Array> run(std::span<const Array> arguments, std::span<const Stream> streams);
    // Of which argument a result is a view; nothing: of none that is left.
    std::optional<std::size_t> argument_of(std::size_t result) const;
    std::span<const std::size_t> donated() const { return donated_; }
    bool writes_argument(std::size_t which) const { return argument_written_[which]; }
    // f(buffer, written) for what it uses of others.
    template <class F> void each_captured(F&& f) const {
        for (std::size_t k = 0; k < traced_.captured.size(); ++k) f(*traced_.captured[k], captured_written_[k]);
    }
    std::string text() const;
    Cost cost();  // replay_cost.cpp
    // What was recorded, and what the plan added.
    const Traced& traced() const { return traced_; }
    // Makes machine code for its programs before it returns, where the settings allow any.
    void compile() { make_code_of_all(true); }

private:
    struct Result {
        bool fresh;
        std::size_t which;       // fresh: the first result of the same buffer; else: the argument of which it is a view
        std::int64_t moved = 0;  // its offset less the argument's
    };
    struct Draw {
        std::size_t instruction;
        Stream traced;
    };

    // A stretch of the list without a loop or choice in it, divided.
    struct Stretch {
        std::size_t first = 0, count = 0;
        std::shared_ptr<Schedule> schedule;
        Again again;
        std::vector<std::vector<BufferPtr>> last_used;  // by part: what nothing needs after it
        std::vector<std::vector<BufferPtr>> drops;      // of these, by part: what has memory of its own
    };

    // The same recording with stand-ins of its own, for another call at the same time (replay_doubles.cpp).
    struct Double {};
    Replay(const Replay& of, Double);
    Replay& at_seat(int seat);
    void find_constants();

    bool finds_all_whole(std::span<const Array> arguments) const;  // nothing that it reads is damaged
    Cost counted_cost() const;
    std::string text(ArrayNames&) const;
    void make_code_of_all(bool asked);
    void reuse_donated();  // replay_donated.cpp
    bool can_be(std::size_t argument, const Buffer& result) const;
    std::vector<Array> with_memory_of_their_own(std::span<const Array> arguments) const;
    void keep_constants();
    void divide_list();
    void rename(const BufferPtr& from, const BufferPtr& to);
    std::vector<Array> new_results(std::span<const Array> arguments) const;
    void execute(std::span<const Array> arguments, std::span<const Array> results, std::span<const Stream> streams,
                 const std::span<const BufferUse>* uses);
    void execute_here(std::span<const Array> arguments, std::span<const Array> results, std::span<const Stream> streams, const Run*);
    void run_stretch(const Run&, Stretch&, bool watched);
    void add_uses(std::span<const Array> arguments, std::pmr::vector<BufferUse>&) const;
    void run_control(const Control&);
    std::vector<Array> call(std::span<const Array> arguments);  // within a run of what it is a part of
    void find_results();
    void find_last_uses();
    void place_small();  // replay_memory.cpp
    void find_recurring();
    void find_rounds();
    void find_bases(std::span<const Array> arguments, std::span<const Array> results);
    void find_asked();
    void check_ranges(const Instruction&) const;
    bool is_argument(const Buffer&) const;

    Traced traced_;
    std::vector<std::size_t> donated_, reused_;  // arguments; reused: results lie in their memory
    std::vector<Stretch> stretches_;             // one more than there are controls
    std::vector<Result> results_;
    std::vector<Draw> draws_;
    struct Placed {
        BufferPtr buffer;
        std::int64_t offset;
    };
    std::vector<BufferPtr> dropped_;             // all that may take memory of its own for the time of a run
    std::vector<Placed> placed_;                 // what lies in one block then
    std::vector<std::size_t> asked_;             // of these: for which launches ask in runs that go as the last one did
    BufferPtr block_;
    bool settled_ = false;                       // what is kept of launches, and `asked_`, are known
    std::vector<bool> captured_written_, argument_written_;
    std::atomic<bool> has_run_{false};
    // Stand-ins are lent the memory of one call at a time. A call that is one run (Run) has a seat: at the first one it uses what is here, at the
    // others a double, made when somebody first sits there. Where there are controls, between whose stretches others may run programs, calls
    // come one after the other: this lock is taken before those of the queue.
    bool beside_others_ = false;                 // its runs may be
    Seats seats_;
    std::array<std::unique_ptr<Replay>, Seats::most> doubles_;
    std::vector<BufferPtr> constants_;           // of the tracing, which doubles share
    std::mutex one_run_;
};

// The queue's side (queue_lists.cpp): dividing a list that is kept, and running it.
Schedule plan_list(std::vector<Instruction>&);
// Code that the programs await is made before this returns; `asked`: in the background mode, too. Without the interpreter's lock.
void make_code(std::span<const Instruction>, const Schedule&, const Again&, bool asked);
void after_run();         // what the programs left to compile or to report
void ask_for_interrupt();  // without the interpreter's lock; may throw Interrupted
std::string explain_list(std::span<const Instruction>, const Schedule&, const Again&, ArrayNames&);
// Runs what is recorded and conflicts with one of these.
void settle(std::span<const BufferUse>);
// `after`: so many parts have run.
void run_list(const Run&, std::span<Instruction>, const Schedule&, Again&, const std::function<void(std::size_t part, std::size_t count)>& after);

}  // namespace asnumpy
