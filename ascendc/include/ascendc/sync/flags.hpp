// Flags between the pipes of a core, and barriers of one.
#pragma once

#include "ascendc/base/qualifiers.hpp"
#include "ascendc/tensor/tque.hpp"

namespace ascendc {

// Cube-side pipes on a vector core, and the other way round: the device compiles flags between them to nothing.
constexpr bool exists_here(Pipe pipe, std::int32_t core) {
    if (core == AscendC::AIV) return pipe != Pipe::M && pipe != Pipe::MTE1 && pipe != Pipe::FIX;
    return pipe != Pipe::V;
}

inline std::string flag_text(const char* call, Pipe source, Pipe target, std::int32_t id) {
    return join(call, " from ", name_of(source), " to ", name_of(target), " with id ", id);
}
// The flag that a call names; null: the device compiles the call to nothing.
inline Flag* flag_of(const char* call, Pipe source, Pipe target, std::int32_t id, Where where) {
    if (!exists_here(source, g_coreType) || !exists_here(target, g_coreType)) return nullptr;
    if (id < 0 || id >= static_cast<std::int32_t>(event_ids))
        current().fail(Rule::flag, where, join(flag_text(call, source, target, id), "; 0 to 7 are possible"));
    return &current().flag(source, target, static_cast<unsigned>(id));
}

inline void set_flag(Pipe source, Pipe target, std::int32_t id, Where where) {
    Flag* const flag = flag_of("SetFlag", source, target, id, where);
    if (!flag) return;
    Core& core = current();
    if (core.held(source)) return postpone(source, [=] { set_flag(source, target, id, where); });
    const Signal signal{core.after(source), source == Pipe::S ? core.scalar_time : core.pipe(source).free_at, where};
    if (flag->set) {
        if (flag->awaited <= flag->later.size())
            core.fail(Rule::flag, where, join(flag_text("SetFlag", source, target, id), ", which is set since ", flag->where.file, ":",
                                              flag->where.line, "; WaitFlag is missing between"));
        flag->later.push_back(signal);
        return;
    }
    static_cast<Signal&>(*flag) = signal;
    flag->set = true;
    if (core.any_held()) core.release();
}

inline void take_flag(Flag& flag, Pipe target, Where where) {
    wait_for(current(), target, flag.known, flag.time, where);
    flag.set = !flag.later.empty();
    if (!flag.set) return;
    static_cast<Signal&>(flag) = flag.later.front();
    flag.later.erase(flag.later.begin());
}

// A flag that is not set yet holds its pipe alone: the scalar unit goes on and may issue the SetFlag later.
inline void wait_flag(Pipe source, Pipe target, std::int32_t id, Where where) {
    Flag* const flag = flag_of("WaitFlag", source, target, id, where);
    if (!flag) return;
    Core& core = current();
    if (flag->set && !core.held(target)) return take_flag(*flag, target, where);
    if (target == Pipe::S) {
        core.check_reaches(source, "the scalar unit waits for it");
        core.fail(Rule::deadlock, where, join(flag_text("WaitFlag", source, target, id),
                                              ", which nothing before it in the program sets: the scalar unit would wait for ever"));
    }
    ++flag->awaited;
    postpone_wait(
        target, [=] { return flag->set; },
        [=] {
            --flag->awaited;
            take_flag(*flag, target, where);
        },
        flag_text("WaitFlag", source, target, id), where);
}

inline void pipe_barrier(pipe_t pipe) {
    Core& core = current();
    if (pipe == PIPE_ALL) return core.drain();
    const Pipe one = pipe_of(pipe);
    if (!exists_here(one, g_coreType)) return;
    if (core.held(one)) return postpone(one, [=] { pipe_barrier(pipe); });
    core.pipe(one).known.own[index(one)] = core.pipe(one).tick;
}

}  // namespace ascendc

namespace AscendC {

template <HardEvent event>
void SetFlag(std::int32_t id, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::set_flag(ascendc::pipes_of(event).source, ascendc::pipes_of(event).target, id, where);
}
template <HardEvent event>
void WaitFlag(std::int32_t id, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::wait_flag(ascendc::pipes_of(event).source, ascendc::pipes_of(event).target, id, where);
}
// Flags from one pipe to another, by the pipes' names.
template <pipe_t source, pipe_t target>
class TQueSync {
public:
    static_assert(source != target && source != PIPE_ALL && target != PIPE_ALL, "TQueSync takes two pipes; one alone has PipeBarrier");
    void SetFlag(std::int32_t id, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) const {
        ascendc::set_flag(ascendc::pipe_of(source), ascendc::pipe_of(target), id, where);
    }
    void WaitFlag(std::int32_t id, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) const {
        ascendc::wait_flag(ascendc::pipe_of(source), ascendc::pipe_of(target), id, where);
    }
};
template <pipe_t pipe>
void PipeBarrier() { ascendc::pipe_barrier(pipe); }

inline std::int64_t GetBlockNum() { return ascendc::current().launch->blocks; }
// Of a vector core in a mixed kernel its own number among all vector cores.
inline std::int64_t GetBlockIdx() { return ascendc::current().index_in_kind(); }
inline std::int64_t GetSubBlockIdx() { return ascendc::current().name.sub; }
inline std::int64_t GetSubBlockNum() {
    const ascendc::Kind kind = ascendc::current().launch->kind;
    return kind == ascendc::Kind::mix_1_2 ? 2 : 1;
}
inline std::int64_t GetTaskRation() {
    const ascendc::Core& core = ascendc::current();
    return core.name.cube || core.launch->kind != ascendc::Kind::mix_1_2 ? 1 : 2;
}

}  // namespace AscendC
