// One launch of a kernel: its cores, what they found, the flags that cross between them, and who waits for whom.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ascendc/base/constants.hpp"
#include "ascendc/machine/crossing.hpp"
#include "ascendc/machine/finding.hpp"
#include "ascendc/machine/global_log.hpp"
#include "ascendc/machine/host.hpp"

namespace ascendc {

// Which cores a block takes: one of a kind, or a cube core with one or two vector cores.
enum class Kind : std::uint8_t { vector, cube, mix_1_1, mix_1_2 };
constexpr bool is_mixed(Kind kind) { return kind == Kind::mix_1_1 || kind == Kind::mix_1_2; }
constexpr std::uint32_t vectors_of(Kind kind) { return kind == Kind::cube ? 0 : kind == Kind::mix_1_2 ? 2 : 1; }
constexpr std::uint32_t cubes_of(Kind kind) { return kind == Kind::vector ? 0 : 1; }

struct Options {
    std::uint32_t vector_cores = 48;
    std::uint32_t cube_cores = 24;
    unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    bool races = true;           // search for uses in no certain order
    bool keeps_infinity = true;  // of half and bfloat16, at the kernel's start
    bool trace = false;          // keep what each pipe did when
    double seconds = 60;         // after which a kernel is ended
    std::uint64_t tiling_key = 0;  // the variant that TILING_KEY_IS asks for
    std::size_t global_uses = 4'000'000;  // kept for the search; later ones are not compared, and the report says so
};

// Its number in the launch, and what it is.
struct CoreName {
    std::uint32_t number = 0;
    std::uint32_t block = 0;
    std::uint32_t sub = 0;  // which of its block's vector cores
    bool cube = false;
};

class Core;
// A kernel's code for one core kind: 0: done, 1: ended by a finding or by another core's end.
using Entry = std::function<int(Core&)>;

struct Event {
    std::uint32_t core;
    Pipe pipe;
    const char* name;
    double begin;  // cycles
    double end;
    Where where;
    double conflicts = 0;  // of these cycles, for banks of UB
    bool stall = false;    // the pipe waited for another one, or for another core
};

class Launch {
public:
    Launch(Host& host, Options options, std::string kernel, Kind kind, std::uint32_t blocks)
        : host(host), options(options), kernel(std::move(kernel)), kind(kind), blocks(blocks), cores(cores_of(kind, blocks)),
          crossing_(cores.size()) {}

    Host& host;
    const Options options;
    const std::string kernel;
    const Kind kind;
    const std::uint32_t blocks;
    const std::vector<CoreName> cores;

    // What this launch gave, complete after run().
    std::vector<Finding> findings;
    std::vector<std::string> notes;
    std::vector<GlobalUse> uses;
    std::vector<Event> events;
    double cycles = 0;

    // How many blocks the device runs at a time.
    std::uint32_t blocks_at_once() const {
        std::uint32_t limit = blocks;
        if (vectors_of(kind)) limit = std::min(limit, options.vector_cores / vectors_of(kind));
        if (cubes_of(kind)) limit = std::min(limit, options.cube_cores);
        return limit;
    }

    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
    void stop() {
        stopped_.store(true);
        changed_.notify_all();
    }
    void report(Finding finding) {
        {
            const std::lock_guard lock(mutex_);
            findings.push_back(std::move(finding));
        }
        stop();
    }

    // An arrival for flag `id` in a mode of CrossCoreSetFlag. Gives the core whose flag would count beyond its limit.
    std::optional<CoreName> set_flag(const CoreName& core, int mode, unsigned id, Arrival arrival) {
        {
            const std::lock_guard lock(mutex_);
            const auto members = meeting_members(core, mode), receivers = meeting_receivers(core, mode, members);
            const std::uint32_t group = mode == 0 ? core.cube : core.block * 2 + core.cube;
            Meeting& meeting = crossing_.meeting(mode, group, id, members, receivers);
            Arrival all;
            if (!meeting.arrive(core.number, std::move(arrival), all)) return std::nullopt;
            for (const std::uint32_t receiver : meeting.receivers) {
                CrossFlag& flag = crossing_.flag(receiver, id);
                if (flag.full(receiver, all)) return cores[receiver];
                ++flag.sets;
                flag.pending.push_back(all);
            }
        }
        changed_.notify_all();
        return std::nullopt;
    }
    // Waits for the flag. Throws Stop where the launch has ended, and reports when every core that could set it waits as well.
    Arrival wait_flag(const CoreName& core, unsigned id, std::uint32_t tick, Where where) {
        std::unique_lock lock(mutex_);
        CrossFlag& flag = crossing_.flag(core.number, id);
        wait(lock, core, [&] { return !flag.pending.empty(); }, join("CrossCoreWaitFlag(", id, ")"), where);
        flag.waits.push_back(tick);
        return take(flag.pending);
    }
    // `members` cores meet here, each after it brought its arrival.
    Arrival meet(const CoreName& core, std::uintptr_t key, std::size_t members, Arrival arrival, const char* name, Where where) {
        std::unique_lock lock(mutex_);
        Barrier& barrier = crossing_.barrier(key);
        barrier.arrivals.push_back(std::move(arrival));
        const std::uint64_t round = barrier.round;
        if (barrier.arrivals.size() == members) {
            barrier.result = together(barrier.arrivals);
            barrier.arrivals.clear();
            ++barrier.round;
            changed_.notify_all();
        }
        wait(lock, core, [&] { return barrier.round != round; }, name, where);
        return barrier.result;  // the next round cannot end before every member has left this one
    }
    // Posts at a word of global memory, once what was posted there before is taken; and takes it.
    void post(const CoreName& core, std::uintptr_t address, Arrival arrival, const char* name, Where where) {
        std::unique_lock lock(mutex_);
        std::deque<Arrival>& posted = crossing_.posted(address);
        wait(lock, core, [&] { return posted.empty(); }, name, where);
        posted.push_back(std::move(arrival));
        changed_.notify_all();
    }
    Arrival take_posted(const CoreName& core, std::uintptr_t address, const char* name, Where where) {
        std::unique_lock lock(mutex_);
        std::deque<Arrival>& posted = crossing_.posted(address);
        wait(lock, core, [&] { return !posted.empty(); }, name, where);
        changed_.notify_all();
        return take(posted);
    }
    // Its number among the launch's cores of its kind, and its name in findings.
    std::uint32_t index_of(const CoreName& core) const { return core.cube ? core.block : core.block * vectors_of(kind) + core.sub; }
    std::string text_of(const CoreName& core) const { return join(core.cube ? "AIC " : "AIV ", index_of(core)); }

    std::size_t cores_like(const CoreName& core, bool all_kinds) const {
        return static_cast<std::size_t>(
            std::count_if(cores.begin(), cores.end(), [&](const CoreName& each) { return all_kinds || each.cube == core.cube; }));
    }

    // Runs the kernel on every core, on this host's threads; what was found lies in `findings`.
    void run(const Entry& vector_entry, const Entry& cube_entry);

private:
    struct Waiting {
        CoreName core;
        std::string what;
        Where where;
        std::function<bool()> ready;
    };

    static std::vector<CoreName> cores_of(Kind kind, std::uint32_t blocks) {
        std::vector<CoreName> cores;
        for (std::uint32_t block = 0; block < blocks; ++block) {
            if (cubes_of(kind)) cores.push_back({static_cast<std::uint32_t>(cores.size()), block, 0, true});
            for (std::uint32_t sub = 0; sub < vectors_of(kind); ++sub)
                cores.push_back({static_cast<std::uint32_t>(cores.size()), block, sub, false});
        }
        return cores;
    }

    // Mode 0: all of one kind; 1: the vector cores of a block; 2: who sets it is the cube core, or the block's vector cores together.
    std::vector<std::uint32_t> meeting_members(const CoreName& core, int mode) const {
        std::vector<std::uint32_t> members;
        for (const CoreName& each : cores)
            if (each.cube == core.cube && (mode == 0 || each.block == core.block)) members.push_back(each.number);
        return members;
    }
    std::vector<std::uint32_t> meeting_receivers(const CoreName& core, int mode, const std::vector<std::uint32_t>& members) const {
        if (mode != 2) return members;
        std::vector<std::uint32_t> receivers;
        for (const CoreName& each : cores)
            if (each.cube != core.cube && each.block == core.block) receivers.push_back(each.number);
        return receivers;
    }

    static Arrival take(std::deque<Arrival>& arrivals) {
        Arrival first = std::move(arrivals.front());
        arrivals.pop_front();
        return first;
    }
    // Waits under the lock until `ready`; throws Stop at the launch's end. Lets another core begin on this thread's share of the host.
    void wait(std::unique_lock<std::mutex>& lock, const CoreName& core, std::function<bool()> ready, std::string what, Where where) {
        if (ready()) return;
        const auto mine = waiting_.insert(waiting_.end(), {core, std::move(what), where, std::move(ready)});
        begin_more();
        end_when_stuck();
        changed_.wait(lock, [&] { return stopped() || mine->ready(); });
        const bool done = mine->ready();
        waiting_.erase(mine);
        if (!done) throw Stop{};
    }
    // Every core that has begun waits for what has not come, and none may begin: nobody will ever come.
    void end_when_stuck() {
        if (stopped() || waiting_.empty() || waiting_.size() != running_ || starting_ || may_begin()) return;
        for (const Waiting& each : waiting_)
            if (each.ready()) return;
        for (const Waiting& each : waiting_) findings.push_back(stuck(each));
        stop();
    }
    Finding stuck(const Waiting& waiting) const {
        const std::string beyond = begun_ < cores.size() ? join("; ", blocks, " blocks were launched on ", blocks_at_once(),
                                                                " cores: the rest begin when these end") : "";
        return {Rule::deadlock, kernel, text_of(waiting.core), waiting.where,
                join(waiting.what, " waits, and every core that could end the wait waits too or has ended", beyond)};
    }

    bool may_begin() const { return begun_ < cores.size() && cores[begun_].block < ended_blocks() + blocks_at_once(); }
    std::uint32_t ended_blocks() const { return static_cast<std::uint32_t>(ended_ / (cores.size() / blocks)); }
    // By the launcher's own code: a compiled kernel, which waits with a copy of this class, has no threads of its own.
    void begin_more() { begin_threads_(*this); }
    void begin_threads();
    void work();
    void run_core(const CoreName&);
    bool guarded(Core&, const Entry&);
    void search_races();
    void check_flags();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::atomic<bool> stopped_{false};
    Crossing crossing_;
    std::list<Waiting> waiting_;
    std::size_t begun_ = 0, running_ = 0, ended_ = 0;
    void (*begin_threads_)(Launch&) = nullptr;
    std::vector<std::thread> threads_;
    std::size_t starting_ = 0;  // threads without a core yet
    std::size_t alive_ = 0;     // threads that have not ended
    const Entry* vector_entry_ = nullptr;
    const Entry* cube_entry_ = nullptr;

    friend class Core;
};

}  // namespace ascendc
