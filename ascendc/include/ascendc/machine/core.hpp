// One core while a kernel runs on it: its memories, pipes, flags, registers and books. The code of a kernel reaches it as current().
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ascendc/machine/guard.hpp"
#include "ascendc/machine/launch.hpp"
#include "ascendc/machine/local_memory.hpp"
#include "ascendc/machine/postponed.hpp"

namespace AscendC {
class TPipe;
}

namespace ascendc {

// Flag `id` from one pipe to another: binary, with what its setter knew.
struct Signal {
    Knowledge known;
    double time = 0;
    Where where;
};
struct Flag : Signal {
    bool set = false;
    std::uint32_t awaited = 0;   // waits in the queue of a pipe that is held
    std::vector<Signal> later;   // what was set again while such a wait had yet to take the first
};

// A tile of L0C that an Mmad with unitFlag 3 has completed and that a Fixpipe with unitFlag 3 drains: each waits for the other
// without flags between their pipes.
struct UnitTile {
    std::uint32_t address = 0;
    std::uint32_t rows = 0;     // in fractals
    std::uint32_t columns = 0;
    std::uint32_t drained = 0;  // fractals
    Knowledge known;            // of the pipe that the other one waits for
    double time = 0;
    Where where;

    bool full() const { return drained < rows * columns; }
    std::uint32_t end() const { return address + rows * columns * 1024; }
};

class Core {
public:
    Core()
        : memories_{LocalMemory(AscendC::Hardware::UB, 196608), LocalMemory(AscendC::Hardware::L1, 524288),
                    LocalMemory(AscendC::Hardware::L0A, 65536), LocalMemory(AscendC::Hardware::L0B, 65536),
                    LocalMemory(AscendC::Hardware::L0C, 131072), LocalMemory(AscendC::Hardware::BIAS, 1024),
                    LocalMemory(AscendC::Hardware::FIXBUF, 7168)} {}

    Launch* launch = nullptr;
    CoreName name;
    Registers registers;
    AscendC::TPipe* pipe_object = nullptr;
    double scalar_time = 0;  // modelled cycles of the scalar unit, which issues everything
    std::vector<GlobalUse> global_uses;
    std::vector<Event> events;
    std::uint8_t* system_workspace = nullptr;
    std::vector<Slot> slots;  // of queues; a tensor outside of queues has none
    Guard* guard = nullptr;
    std::vector<UnitTile> unit_tiles;    // of L0C, between an Mmad and a Fixpipe with a unit flag
    std::uint16_t cross_flags_used = 0;  // a bit an id
    bool synchronised_all = false;       // SyncAll was called, which takes ids 11 to 14
    std::map<std::uintptr_t, std::uint32_t> barrier_rounds;  // of SyncAll through global memory, by its workspace

    LocalMemory& memory(AscendC::Hardware kind) { return memories_[static_cast<unsigned>(kind) - 1]; }
    PipeState& pipe(Pipe pipe) { return pipes_[index(pipe)]; }
    Flag& flag(Pipe source, Pipe target, unsigned id) { return flags_[index(source)][index(target)][id]; }

    std::uint32_t index_in_kind() const { return launch->index_of(name); }
    std::string text() const { return launch->text_of(name); }

    // Whether the pipe waits for a flag that is not set: what is issued to it is postponed.
    bool held(Pipe pipe) const { return held_ >> index(pipe) & 1u; }
    bool any_held() const { return held_ != 0; }
    // Whether the pipe has yet to do what was issued before the postponed instruction of this number.
    bool waits_before(Pipe pipe, std::uint64_t number) const {
        const PostponedQueue& queue = postponed_[index(pipe)];
        return queue.first && queue.first->issue.number < number;
    }
    std::uint64_t next_number() const { return postponed_count_ + 1; }
    // Of the postponed instruction that runs now; null: what runs was issued now.
    const Issue* issue() const { return issue_; }

    [[gnu::cold, gnu::noinline]] void postpone(Pipe pipe, Postponed* one) {
        std::unique_ptr<Postponed> owned(one);
        PostponedQueue& queue = postponed_[index(pipe)];
        if (queue.size == most_postponed) fail_held("4096 instructions more are issued to one pipe");
        guard->busy = true;
        one->issue = {++postponed_count_, registers, this->pipe(Pipe::S).known, this->pipe(Pipe::S).tick, scalar_time, slots};
        queue.push(std::move(owned));
        held_ |= 1u << index(pipe);
        scalar_time += 1;
        guard->busy = false;
    }
    // After a flag was set: runs what it was that pipes waited for, and what that lets run.
    [[gnu::cold, gnu::noinline]] void release() {
        if (releasing_) return;
        releasing_ = true;
        for (bool moved = true; moved;) {
            moved = false;
            for (unsigned i = 0; i < pipe_count; ++i)
                for (; postponed_[i].first && postponed_[i].first->ready(); moved = true) run_first(static_cast<Pipe>(i));
        }
        releasing_ = false;
    }
    // The scalar unit waits for what a held pipe has yet to do, and nobody else can set the flag.
    void check_reaches(Pipe pipe, const char* why) {
        if (held(pipe)) fail_held(why);
    }
    // Pipes that wait when nothing more is issued, or when the scalar unit waits for them, wait for ever.
    [[noreturn, gnu::cold, gnu::noinline]] void fail_held(const std::string& why) {
        const Postponed* first = nullptr;
        for (const PostponedQueue& queue : postponed_)
            if (queue.first && (!first || queue.first->issue.number < first->issue.number)) first = queue.first.get();
        std::string others;
        for (unsigned i = 0; i < pipe_count; ++i) {
            const Postponed* each = postponed_[i].first.get();
            while (each && (each == first || !each->waits())) each = each->next.get();
            if (each) others += std::string("; ") + pipe_names[i] + " waits at " + each->where.file + ":" + std::to_string(each->where.line) + " too";
        }
        fail(Rule::deadlock, first->where, first->what + ", which nothing sets before " + why + ": the pipe would wait for ever" + others +
                                               "; a SetFlag of the same round stands before its WaitFlag, or waits itself");
    }
    // Before the kernel's code may go: nothing of it is kept.
    void forget_postponed() {
        for (PostponedQueue& queue : postponed_)
            while (queue.first) queue.pop();
        held_ = 0;
        issue_ = nullptr;
        releasing_ = false;
    }

    [[noreturn]] void fail(Rule rule, Where where, std::string text) {
        launch->report({rule, launch->kernel, this->text(), where, std::move(text)});
        throw Stop{};
    }

    // A new kernel begins: nothing is left of the one before, and all that it did is complete.
    void begin(Launch& with, const CoreName& as) {
        launch = &with;
        name = as;
        registers = {};
        registers.keeps_infinity = with.options.keeps_infinity;
        pipe_object = nullptr;
        scalar_time = 0;
        global_uses.clear();
        events.clear();
        slots.clear();
        system_workspace = nullptr;
        unit_tiles.clear();
        cross_flags_used = 0;
        synchronised_all = false;
        barrier_rounds.clear();
        forget_postponed();
        dirty_.clear();
        allocation_ = {};
        for (LocalMemory& memory : memories_) memory.forget();
        Ticks complete;
        for (unsigned i = 0; i < pipe_count; ++i) complete[i] = pipes_[i].tick;
        for (PipeState& pipe : pipes_) {
            pipe.known = {complete, nullptr};
            pipe.free_at = pipe.busy = 0;
            pipe.history.clear();
            pipe.history_start = pipe.tick + 1;
        }
        for (auto& targets : flags_)
            for (auto& ids : targets)
                for (Flag& flag : ids) flag = {};
    }

    // All that was issued on every pipe is complete before what follows, as after PipeBarrier<PIPE_ALL>.
    void drain() {
        if (held_) fail_held("the scalar unit waits for all pipes");
        PipeState& scalar = pipe(Pipe::S);
        for (unsigned i = 0; i < pipe_count; ++i) {
            if (i != index(Pipe::S)) scalar.known.join(pipes_[i].known);
            scalar.known.own[i] = pipes_[i].tick;
            scalar_time = std::max(scalar_time, pipes_[i].free_at);
        }
        for (PipeState& each : pipes_) each.known.own[&each - pipes_.data()] = each.tick;
    }

    // The pipe has nothing to do until `time`.
    void stall(Pipe on, double time, Where where) {
        double& free = on == Pipe::S ? scalar_time : pipe(on).free_at;
        if (time <= free) return;
        if (launch->options.trace) events.push_back({name.number, on, "waits", free, time, where, 0, true});
        free = time;
    }

    // What is complete before an instruction that is issued now on `on`.
    Knowledge before(Pipe on) {
        Knowledge known = pipe(on).known;
        known.join(pipe(Pipe::S).known);
        return known;
    }
    // What is complete once a pipe has reached this point.
    Knowledge after(Pipe on) {
        Knowledge known = before(on);
        known.own[index(on)] = pipe(on).tick;
        return known;
    }
    // The same, as other cores keep it.
    std::shared_ptr<const std::vector<Ticks>> published(const Knowledge& known) const {
        auto all = known.others ? std::make_shared<std::vector<Ticks>>(*known.others)
                                : std::make_shared<std::vector<Ticks>>(launch->cores.size());
        raise((*all)[name.number], known.own);
        return all;
    }

    // `bytes` at an address of global memory, as this process may touch them. Fails outside of allocations.
    std::byte* global(std::uintptr_t address, std::uint64_t bytes, const char* instruction, Where where) {
        if (!(address >= allocation_.begin && bytes <= allocation_.end - address && address < allocation_.end)) {
            Allocation found;
            if (!launch->host.find(address, found))
                fail(Rule::bounds, where, join(instruction, " uses global memory at ", reinterpret_cast<void*>(address),
                                               ", where nothing is allocated, or nothing that the launch was given; check the pointer's offset"));
            allocation_ = found;
            if (bytes > found.end - address)
                fail(Rule::bounds, where, join(instruction, " uses ", bytes, " bytes of global memory, ", bytes - (found.end - address),
                                               " of them behind the end of an allocation of ", found.asked_end - found.begin,
                                               " bytes; check the length and the tail"));
        }
        return reinterpret_cast<std::byte*>(address + allocation_.distance);
    }

    // Lines of the data cache that the scalar unit wrote and that were not written back.
    static constexpr std::uintptr_t cache_line = 64;
    std::set<std::uintptr_t>& dirty_lines() { return dirty_; }

private:
    void run_first(Pipe pipe) {
        PostponedQueue& queue = postponed_[index(pipe)];
        const std::unique_ptr<Postponed> one = queue.pop();
        held_ &= ~(1u << index(pipe));
        issue_ = &one->issue;
        const Registers now = registers;
        const Knowledge known = this->pipe(Pipe::S).known;
        const double time = scalar_time;
        registers = one->issue.registers;
        static_cast<VectorRegisters&>(registers) = now;
        this->pipe(Pipe::S).known = one->issue.known;
        scalar_time = one->issue.time;
        one->run();
        const VectorRegisters after = registers;
        registers = now;
        static_cast<VectorRegisters&>(registers) = after;
        this->pipe(Pipe::S).known = known;
        scalar_time = time;
        issue_ = nullptr;
        if (queue.first) held_ |= 1u << index(pipe);
    }

    std::array<LocalMemory, 7> memories_;
    std::array<PipeState, pipe_count> pipes_{};
    std::array<std::array<std::array<Flag, event_ids>, pipe_count>, pipe_count> flags_{};
    std::set<std::uintptr_t> dirty_;
    Allocation allocation_;
    unsigned held_ = 0;  // a bit a pipe
    std::array<PostponedQueue, pipe_count> postponed_;
    std::uint64_t postponed_count_ = 0;
    const Issue* issue_ = nullptr;
    bool releasing_ = false;
};

// The core whose kernel this thread runs. Each compiled kernel has its own; its entry sets it.
inline thread_local Core* current_core = nullptr;
inline Core& current() { return *current_core; }

// Before an instruction: `if (held(pipe)) return postpone(pipe, ...)` with its own call, once more.
inline bool held(Pipe pipe) { return __builtin_expect(current().held(pipe), false); }
template <class Again>
[[gnu::cold, gnu::noinline]] void postpone(Pipe pipe, const Again& again) {
    current().postpone(pipe, new PostponedCall<Again>(again));  // the core owns it
}
// A wait: `again` runs once `ready` holds.
template <class Ready, class Again>
[[gnu::cold, gnu::noinline]] void postpone_wait(Pipe pipe, const Ready& ready, const Again& again, std::string what, Where where) {
    auto* const one = new PostponedWait<Ready, Again>(ready, again);
    one->what = std::move(what);
    one->where = where;
    current().postpone(pipe, one);
}

// A register of the vector unit changes in the order of its instructions.
template <class Change>
void set_vector_register(Change change) {
    if (held(Pipe::V)) return postpone(Pipe::V, [change] { change(current().registers); });
    change(current().registers);
}

}  // namespace ascendc
