// The pipes of a core, and what each is certain of: a vector clock over pipes, and over other cores where flags crossed.
// Instructions run when they are issued, in the program's order; whether that order was certain is asked here, so that a
// missing flag is found whether or not a run's timing would have shown it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "ascendc/base/enumerations.hpp"
#include "ascendc/machine/finding.hpp"

namespace ascendc {

enum class Pipe : std::uint8_t { S, V, M, MTE1, MTE2, MTE3, FIX };
constexpr unsigned pipe_count = 7;
constexpr const char* pipe_names[pipe_count] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
constexpr unsigned index(Pipe pipe) { return static_cast<unsigned>(pipe); }
constexpr const char* name_of(Pipe pipe) { return pipe_names[index(pipe)]; }

// PIPE_ALL has no pipe of its own; its callers treat it before.
constexpr Pipe pipe_of(pipe_t pipe) { return pipe == PIPE_FIX ? Pipe::FIX : static_cast<Pipe>(pipe); }

struct EventPipes {
    Pipe source;
    Pipe target;
};

// In the order of HardEvent.
constexpr EventPipes event_pipes[] = {
    {Pipe::MTE2, Pipe::MTE1}, {Pipe::MTE1, Pipe::MTE2}, {Pipe::MTE1, Pipe::M},    {Pipe::M, Pipe::MTE1},    {Pipe::MTE2, Pipe::V},
    {Pipe::V, Pipe::MTE2},    {Pipe::MTE3, Pipe::V},    {Pipe::V, Pipe::MTE3},    {Pipe::M, Pipe::V},       {Pipe::V, Pipe::M},
    {Pipe::V, Pipe::V},       {Pipe::MTE3, Pipe::MTE1}, {Pipe::MTE1, Pipe::MTE3}, {Pipe::MTE1, Pipe::V},    {Pipe::MTE2, Pipe::M},
    {Pipe::M, Pipe::MTE2},    {Pipe::V, Pipe::MTE1},    {Pipe::M, Pipe::FIX},     {Pipe::FIX, Pipe::M},     {Pipe::MTE3, Pipe::MTE2},
    {Pipe::MTE2, Pipe::MTE3}, {Pipe::S, Pipe::V},       {Pipe::V, Pipe::S},       {Pipe::S, Pipe::MTE2},    {Pipe::MTE2, Pipe::S},
    {Pipe::S, Pipe::MTE3},    {Pipe::MTE3, Pipe::S},    {Pipe::MTE2, Pipe::FIX},  {Pipe::FIX, Pipe::MTE2},  {Pipe::FIX, Pipe::S},
    {Pipe::M, Pipe::S},       {Pipe::FIX, Pipe::MTE3},  {Pipe::MTE1, Pipe::FIX},  {Pipe::FIX, Pipe::MTE1},  {Pipe::FIX, Pipe::FIX}};
static_assert(std::size(event_pipes) == static_cast<std::size_t>(AscendC::HardEvent::MAX), "one pair of pipes an event");
constexpr EventPipes pipes_of(AscendC::HardEvent event) { return event_pipes[static_cast<unsigned>(event)]; }

// For each pipe of one core, the last instruction that is certain to be complete; 0: none. Instructions count from 1.
using Ticks = std::array<std::uint32_t, pipe_count>;

inline void raise(Ticks& ticks, const Ticks& other) {
    for (unsigned i = 0; i < pipe_count; ++i) ticks[i] = std::max(ticks[i], other[i]);
}

struct Knowledge {
    Ticks own{};
    std::shared_ptr<const std::vector<Ticks>> others;  // of the launch's cores, by number; null: no flag came from another core

    void join(const Knowledge& other) {
        raise(own, other.own);
        join_others(other.others);
    }
    void join_others(const std::shared_ptr<const std::vector<Ticks>>& more) {
        if (!more || more == others) return;
        if (!others) {
            others = more;
            return;
        }
        auto joined = std::make_shared<std::vector<Ticks>>(*others);
        for (std::size_t core = 0; core < joined->size(); ++core) raise((*joined)[core], (*more)[core]);
        others = std::move(joined);
    }
};

// One instruction, for the sentence of a finding.
struct Record {
    const char* name;
    Where where;
};

struct PipeState {
    std::uint32_t tick = 0;      // instructions issued
    Knowledge known;             // before the next instruction begins
    double free_at = 0;          // modelled cycles
    double busy = 0;             // modelled cycles of work
    std::vector<Record> history;  // by tick, from `history_start`
    std::uint32_t history_start = 1;

    const Record& record(std::uint32_t number) const { return history[number - history_start]; }
};

}  // namespace ascendc
