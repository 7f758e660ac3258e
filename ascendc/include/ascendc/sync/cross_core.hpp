// Flags and barriers between the cores of a launch: in hardware, and through words of global memory.
#pragma once

#include "ascendc/sync/flags.hpp"
#include "ascendc/tensor/global_tensor.hpp"

namespace ascendc {

// What a core that reaches this point on `pipe` has certainly done, for other cores.
inline Arrival arrival_of(Core& core, pipe_t pipe, Where where) {
    if (pipe == PIPE_ALL) core.drain();
    const Pipe one = pipe == PIPE_ALL ? Pipe::S : pipe_of(pipe);
    return {core.published(core.after(one)), one == Pipe::S ? core.scalar_time : core.pipe(one).free_at, where};
}

// The scalar unit has waited: nothing is issued before what came is known, and all that it did itself is done.
inline void receive(Core& core, const Arrival& arrival, Where where) {
    PipeState& scalar = core.pipe(Pipe::S);
    scalar.known.join_others(arrival.knowledge);
    scalar.known.own[index(Pipe::S)] = scalar.tick;
    core.stall(Pipe::S, arrival.time, where);
}

constexpr unsigned first_barrier_flag = 11, last_barrier_flag = 14;

inline void check_cross_flag(Instruction& at, std::int64_t id) {
    if (id < 0 || id >= static_cast<std::int64_t>(cross_flags)) at.fail(Rule::flag, "is given flag ", id, "; 0 to 15 are possible");
    at.core.cross_flags_used = static_cast<std::uint16_t>(at.core.cross_flags_used | 1u << id);
    if (at.core.synchronised_all && id >= first_barrier_flag && id <= last_barrier_flag)
        at.fail(Rule::flag, "is given flag ", id, "; SyncAll, which this kernel calls too, takes 11 to 14");
}

inline void set_cross_flag(int mode, pipe_t pipe, std::int64_t id, Where where) {
    Core& core = current();
    if (pipe != PIPE_ALL && core.held(pipe_of(pipe))) return postpone(pipe_of(pipe), [=] { set_cross_flag(mode, pipe, id, where); });
    Instruction at("CrossCoreSetFlag", pipe == PIPE_ALL ? Pipe::S : pipe_of(pipe), where);
    check_cross_flag(at, id);
    if (mode < 0 || mode > 2) at.fail(Rule::unsupported, "is given mode ", mode, "; this device has 0 to 2");
    if (mode == 2 && !is_mixed(core.launch->kind))
        at.fail(Rule::launch, "is given mode 2, between a cube core and its vector cores; the kernel has one kind of core");
    const auto full = core.launch->set_flag(core.name, mode, static_cast<unsigned>(id), arrival_of(core, pipe, where));
    if (full)
        at.fail(Rule::flag, "sets flag ", id, " of ", full->cube ? "AIC" : "AIV", " of block ", full->block, " more than ", cross_flag_limit,
                " times ahead of its CrossCoreWaitFlag; a flag back is missing");
}

inline void wait_cross_flag(std::int64_t id, Where where) {
    Core& core = current();
    Instruction at("CrossCoreWaitFlag", Pipe::S, where);
    check_cross_flag(at, id);
    receive(core, core.launch->wait_flag(core.name, static_cast<unsigned>(id), core.pipe(Pipe::S).tick, where), where);
}

// A word of global memory that cores signal through, at element `offset`. The device polls it; what is read there first must be 0.
inline std::int32_t& signal_word(Instruction& at, const AscendC::GlobalTensor<std::int32_t>& workspace, std::uint64_t offset) {
    return *reinterpret_cast<std::int32_t*>(
        at.core.global(workspace.address() + offset * sizeof(std::int32_t), block_bytes, at.name, at.where));
}

// The core's buffer for copies of such words.
inline void check_signal_buffer(Instruction& at, const AscendC::LocalTensor<std::int32_t>& buffer, std::uint64_t bytes) {
    check_alive(at, buffer.place(), "the buffer");
    if (buffer.place().memory != AscendC::Hardware::UB)
        at.fail(Rule::address, "takes a buffer in ", name_of(buffer.place().memory), "; UB is needed");
    if (buffer.GetLength() < bytes) at.fail(Rule::bounds, "takes a buffer of ", buffer.GetLength(), " bytes; ", bytes, " are needed");
}

constexpr std::uint64_t signal_elements = 8;  // a word each 32 bytes

}  // namespace ascendc

namespace AscendC {

template <std::uint8_t mode, pipe_t pipe>
void CrossCoreSetFlag(std::uint16_t id, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::set_cross_flag(mode, pipe, id, where);
}
// Whatever pipe is named, the scalar unit waits.
template <std::uint8_t mode = 0, pipe_t pipe = PIPE_S>
void CrossCoreWaitFlag(std::uint16_t id, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::wait_cross_flag(id, where);
}

// Vector cores alone, or all cores of a mixed kernel.
template <bool isAIVOnly = true>
void SyncAll(ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::Instruction at("SyncAll", ascendc::Pipe::S, where);
    constexpr unsigned taken = ((1u << (ascendc::last_barrier_flag + 1)) - 1) & ~((1u << ascendc::first_barrier_flag) - 1);
    if (at.core.cross_flags_used & taken) at.fail(ascendc::Rule::flag, "takes flags 11 to 14, one of which this kernel uses itself");
    at.core.synchronised_all = true;
    ascendc::Arrival mine = ascendc::arrival_of(at.core, PIPE_ALL, where);
    const std::uintptr_t key = isAIVOnly ? at.core.name.cube : 2;
    ascendc::receive(at.core, at.core.launch->meet(at.core.name, key, at.core.launch->cores_like(at.core.name, !isAIVOnly), std::move(mine),
                                                   "SyncAll", where), where);
}

// Through global memory: a word of 32 bytes for each of `cores` cores (0: all), zeroed before the launch.
template <bool isAIVOnly = true>
void SyncAll(const GlobalTensor<std::int32_t>& workspace, const LocalTensor<std::int32_t>& buffer, const std::int32_t cores = 0,
             ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::Instruction at("SyncAll", ascendc::Pipe::S, where);
    ascendc::Core& core = at.core;
    const std::size_t members = cores ? static_cast<std::size_t>(cores) : core.launch->cores_like(core.name, !isAIVOnly);
    ascendc::check_signal_buffer(at, buffer, members * ascendc::block_bytes);
    if (core.index_in_kind() >= members) at.fail(ascendc::Rule::launch, "of ", members, " cores is called by core ", core.index_in_kind());
    core.global(workspace.address(), members * ascendc::block_bytes, at.name, where);
    std::int32_t& word = ascendc::signal_word(at, workspace, core.index_in_kind() * ascendc::signal_elements);
    const std::uint32_t round = core.barrier_rounds[workspace.address()]++;
    if (word != static_cast<std::int32_t>(round))
        at.fail(ascendc::Rule::launch, "finds ", word, " in its word of the workspace instead of ", round,
                "; the workspace must be zero before the launch, and no one else's");
    ++word;
    ascendc::Arrival mine = ascendc::arrival_of(core, PIPE_ALL, where);
    ascendc::receive(core, core.launch->meet(core.name, workspace.address(), members, std::move(mine), "SyncAll", where), where);
}

// One core signals that it has come to a point; another waits for it. `blockIdx`: the core that signals.
template <bool isAIVOnly = true>
void IBSet(const GlobalTensor<std::int32_t>& workspace, const LocalTensor<std::int32_t>& buffer, std::int32_t blockIdx, std::int32_t eventID,
           ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::Instruction at("IBSet", ascendc::Pipe::S, where);
    ascendc::check_signal_buffer(at, buffer, ascendc::block_bytes);
    const auto offset = static_cast<std::uint64_t>(GetBlockNum() * eventID + blockIdx) * ascendc::signal_elements;
    ascendc::Arrival mine = ascendc::arrival_of(at.core, PIPE_ALL, where);
    if (ascendc::signal_word(at, workspace, offset))
        at.fail(ascendc::Rule::launch, "finds its word of the workspace set; the workspace must be zero before the launch, and no one else's");
    at.core.launch->post(at.core.name, workspace.address() + offset * sizeof(std::int32_t), std::move(mine), "IBSet", where);
}
template <bool isAIVOnly = true>
void IBWait(const GlobalTensor<std::int32_t>& workspace, const LocalTensor<std::int32_t>& buffer, std::int32_t blockIdx, std::int32_t eventID,
            ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::Instruction at("IBWait", ascendc::Pipe::S, where);
    ascendc::check_signal_buffer(at, buffer, ascendc::block_bytes);
    const auto offset = static_cast<std::uint64_t>(GetBlockNum() * eventID + blockIdx) * ascendc::signal_elements;
    at.core.drain();
    ascendc::signal_word(at, workspace, offset);
    ascendc::receive(at.core, at.core.launch->take_posted(at.core.name, workspace.address() + offset * sizeof(std::int32_t), "IBWait", where), where);
}

// Cores take turns by their number, so that what they add up comes in one order: WaitPreBlock, the work, NotifyNextBlock.
inline void InitDetermineComputeWorkspace(const GlobalTensor<std::int32_t>& workspace, const LocalTensor<std::int32_t>& buffer,
                                          ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::Instruction at("InitDetermineComputeWorkspace", ascendc::Pipe::S, where);
    ascendc::check_signal_buffer(at, buffer, ascendc::block_bytes);
    ascendc::signal_word(at, workspace, at.core.index_in_kind() * ascendc::signal_elements) = 0;
    if (at.core.index_in_kind() == 0)
        at.core.launch->post(at.core.name, workspace.address(), ascendc::arrival_of(at.core, PIPE_ALL, where), at.name, where);
}
inline void WaitPreBlock(const GlobalTensor<std::int32_t>& workspace, const LocalTensor<std::int32_t>& buffer,
                         ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::Instruction at("WaitPreBlock", ascendc::Pipe::S, where);
    ascendc::check_signal_buffer(at, buffer, ascendc::block_bytes);
    at.core.drain();
    ascendc::receive(at.core, at.core.launch->take_posted(at.core.name, workspace.address() + at.core.index_in_kind() * ascendc::block_bytes,
                                                          at.name, where), where);
}
inline void NotifyNextBlock(const GlobalTensor<std::int32_t>& workspace, const LocalTensor<std::int32_t>& buffer,
                            ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::Instruction at("NotifyNextBlock", ascendc::Pipe::S, where);
    ascendc::check_signal_buffer(at, buffer, ascendc::block_bytes);
    const std::uint64_t next = (at.core.index_in_kind() + 1) % at.core.launch->cores_like(at.core.name, false);
    at.core.launch->post(at.core.name, workspace.address() + next * ascendc::block_bytes, ascendc::arrival_of(at.core, PIPE_ALL, where), at.name,
                         where);
}

// The device's address for flags between cores: a host has none.
inline void SetSyncBaseAddr(std::uint64_t) {}

}  // namespace AscendC
