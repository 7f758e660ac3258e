// One instruction from its issue to its end: what it may touch, what must be complete before, and what it costs by the model.
#pragma once

#include "ascendc/machine/core.hpp"

namespace ascendc {

class Instruction {
public:
    Instruction(const char* name, Pipe pipe, Where where) : core(current()), name(name), pipe(pipe), where(where) {
        core.guard->busy = true;
        if (core.launch->stopped()) throw_stop();
        PipeState& state = core.pipe(pipe);
        tick_ = ++state.tick;
        state.history.push_back({name, where});
        certain_ = state.known.own;
        raise(certain_, core.pipe(Pipe::S).known.own);
        // Copies of one pipe begin in order and may overlap; all other pipes do one thing after the other.
        if (pipe != Pipe::MTE2 && pipe != Pipe::MTE3) certain_[index(pipe)] = tick_;
        if (!core.name.cube && (pipe == Pipe::V || pipe == Pipe::MTE2 || pipe == Pipe::MTE3))
            certain_[index(Pipe::S)] = core.issue() ? core.issue()->tick : ~0u;
    }
    ~Instruction() {
        PipeState& state = core.pipe(pipe);
        const double begin = std::max(state.free_at, core.scalar_time), end = begin + cycles_;
        state.free_at = end;
        state.busy += cycles_;
        core.scalar_time = pipe == Pipe::S ? end : core.scalar_time + 1;
        if (core.launch->options.trace) core.events.push_back({core.name.number, pipe, name, begin, end, where, conflicts_});
        core.guard->busy = false;
    }
    Instruction(const Instruction&) = delete;
    Instruction& operator=(const Instruction&) = delete;

    Core& core;
    const char* const name;
    const Pipe pipe;
    const Where where;

    template <class... Parts>
    [[noreturn]] void fail(Rule rule, const Parts&... parts) const {
        core.fail(rule, where, join(name, " ", parts...));
    }

    // The instruction uses these bytes of a local memory, which the caller knows to lie within it.
    void uses(LocalMemory& memory, std::uint32_t address, std::uint32_t length, bool write) {
        if (!core.launch->options.races) return;
        while (const auto conflict = memory.use(pipe, tick_, certain_, write, address, length)) {
            const PipeState& other = core.pipe(conflict->pipe);
            // To the scalar unit of a vector core the compiler puts the flags itself.
            if (pipe == Pipe::S && !core.name.cube) {
                PipeState& scalar = core.pipe(Pipe::S);
                scalar.known.join(core.after(conflict->pipe));
                raise(certain_, scalar.known.own);
                core.stall(Pipe::S, other.free_at, where);
                continue;
            }
            const Record& record = other.record(conflict->tick);
            fail(Rule::race, "(", name_of(pipe), ") ", write ? "writes " : "reads ", name_of(memory.kind()), " at byte ", conflict->address,
                 " while ", record.name, " (", name_of(conflict->pipe), ") at ", record.where.file, ":", record.where.line, " may still ",
                 conflict->write ? "write" : "read", " it; set a flag from ", name_of(conflict->pipe), " to ", name_of(pipe),
                 conflict->pipe == pipe ? " or a PipeBarrier between them" : " between them");
        }
    }
    // The same for global memory; gives where this process may touch it.
    std::byte* uses_global(const GlobalRange& range, bool write, bool atomic = false) {
        std::byte* const bytes = core.global(range.begin, range.end() - range.begin, name, where);
        if (!core.dirty_lines().empty() && pipe != Pipe::S) check_lines(range);
        if (core.launch->options.races) {
            Knowledge known{certain_, core.pipe(pipe).known.others};
            known.join_others(core.pipe(Pipe::S).known.others);
            core.global_uses.push_back({range, write, atomic, pipe, core.name.cube, core.name.number, tick_, std::move(known), {name, where}});
        }
        return bytes;
    }

    // Modelled cycles of work.
    void takes(double cycles) { cycles_ += cycles; }
    // The same, because operands meet in a bank of UB.
    void waits_for_banks(double cycles) {
        cycles_ += cycles;
        conflicts_ += cycles;
    }

private:
    [[noreturn]] void throw_stop() {
        core.guard->busy = false;
        throw Stop{};
    }
    // What the scalar unit wrote stays in its cache until it is cleaned.
    void check_lines(const GlobalRange& range) const {
        for (std::uint64_t row = 0; row < range.rows; ++row) {
            const std::uintptr_t begin = range.begin + row * range.pitch;
            const auto line = core.dirty_lines().lower_bound(begin / Core::cache_line * Core::cache_line);
            if (line != core.dirty_lines().end() && *line < begin + range.row_bytes)
                fail(Rule::cache, "uses global memory at ", reinterpret_cast<void*>(std::max(*line, begin)),
                     ", which SetValue wrote: that is in the data cache until DataCacheCleanAndInvalid");
        }
    }

    std::uint32_t tick_ = 0;
    Ticks certain_{};
    double cycles_ = 0;
    double conflicts_ = 0;
};

}  // namespace ascendc
