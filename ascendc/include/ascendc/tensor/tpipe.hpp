// TPipe: hands out the local memories of a core, and the ids of its events.
#pragma once

#include "ascendc/tensor/local_tensor.hpp"

namespace ascendc {

constexpr unsigned buffer_limit = 64;

constexpr std::uint32_t capacity_of(AscendC::Hardware memory) {
    switch (memory) {
        case AscendC::Hardware::UB: return AscendC::TOTAL_UB_SIZE;
        case AscendC::Hardware::L1: return AscendC::TOTAL_L1_SIZE;
        case AscendC::Hardware::L0A: return AscendC::TOTAL_L0A_SIZE;
        case AscendC::Hardware::L0B: return AscendC::TOTAL_L0B_SIZE;
        case AscendC::Hardware::L0C: return AscendC::TOTAL_L0C_SIZE;
        case AscendC::Hardware::BIAS: return 1024;
        case AscendC::Hardware::FIXBUF: return 7168;
        default: return 0;
    }
}

}  // namespace ascendc

namespace AscendC {

template <TPosition, TPosition, std::int32_t, auto>
class TQueBind;
template <TPosition>
class TBuf;
template <TPosition, std::uint32_t>
class TBufPool;

class TPipe {
public:
    explicit TPipe(ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) { Init(where); }
    ~TPipe() { Destroy(); }
    TPipe(const TPipe&) = delete;
    TPipe& operator=(const TPipe&) = delete;

    void Init(ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        ascendc::Core& core = ascendc::current();
        if (core.pipe_object && core.pipe_object != this)
            core.fail(ascendc::Rule::buffers, where, "a second TPipe while the first one lives; a core has one");
        core.pipe_object = this;
        Reset();
        alive_ = true;
    }
    void Destroy() {
        if (!alive_) return;
        alive_ = false;
        ascendc::Core& core = ascendc::current();
        if (core.pipe_object == this) core.pipe_object = nullptr;
    }
    // Takes all buffers back.
    void Reset() {
        for (std::uint32_t& next : next_) next = 0;
        buffers_ = 0;
        for (std::uint8_t& ids : reserved_) ids = 0;
        for (ascendc::Slot& slot : ascendc::current().slots) slot.state = ascendc::SlotState::free, ++slot.turn;
    }

    template <TPosition source, TPosition target, std::int32_t depth, auto config>
    bool InitBuffer(TQueBind<source, target, depth, config>& queue, std::uint8_t number, std::uint32_t bytes,
                    ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        queue.reserve(*this, number, bytes, where);
        return true;
    }
    template <TPosition position>
    bool InitBuffer(TBuf<position>& buffer, std::uint32_t bytes, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        buffer.reserve(*this, bytes, where);
        return true;
    }

    // A part of the memory that hands out buffers itself; or the part that another pool has.
    template <TPosition position, std::uint32_t ids>
    bool InitBufPool(TBufPool<position, ids>& pool, std::uint32_t bytes, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        pool.begin(take(ascendc::hardware_of(position), bytes, where), bytes);
        return true;
    }
    template <TPosition position, std::uint32_t ids, class Shared>
    bool InitBufPool(TBufPool<position, ids>& pool, std::uint32_t bytes, Shared& shared,
                     ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        pool.share(shared, bytes, where);
        return true;
    }
    // Called by a queue for each of its buffers.
    void holds(std::uint32_t, ascendc::Pipe) {}

    // The address of `bytes` more of a memory.
    std::uint32_t take(Hardware memory, std::uint32_t bytes, ascendc::Where where) {
        std::uint32_t& next = next_[static_cast<unsigned>(memory)];
        const std::uint32_t rounded = (bytes + ascendc::block_bytes - 1) / ascendc::block_bytes * ascendc::block_bytes;
        const std::uint32_t capacity = ascendc::capacity_of(memory);
        ascendc::Core& core = ascendc::current();
        if (rounded > capacity - next)
            core.fail(ascendc::Rule::buffers, where,
                      ascendc::join("InitBuffer asks for ", rounded, " bytes of ", ascendc::name_of(memory), ", of which ", capacity - next, " of ",
                                    capacity, " are left; use smaller tiles or fewer buffers"));
        if (++buffers_ > ascendc::buffer_limit)
            core.fail(ascendc::Rule::buffers, where, ascendc::join("InitBuffer asks for buffer ", buffers_, "; a pipe has 64"));
        const std::uint32_t address = next;
        next += rounded;
        return address;
    }

    // An id that is free now; nothing reserves it.
    TEventID FetchEventID(HardEvent event) {
        const std::uint8_t taken = reserved_[static_cast<unsigned>(event)];
        const ascendc::EventPipes pipes = ascendc::pipes_of(event);
        for (unsigned id = 0; id < ascendc::event_ids; ++id)
            if (!(taken >> id & 1) && !ascendc::current().flag(pipes.source, pipes.target, id).set) return static_cast<TEventID>(id);
        return 0;
    }
    template <HardEvent event>
    TEventID FetchEventID() { return FetchEventID(event); }
    template <HardEvent event>
    TEventID AllocEventID(ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        std::uint8_t& taken = reserved_[static_cast<unsigned>(event)];
        for (unsigned id = 0; id < ascendc::event_ids; ++id)
            if (!(taken >> id & 1)) {
                taken = static_cast<std::uint8_t>(taken | 1u << id);
                return static_cast<TEventID>(id);
            }
        ascendc::current().fail(ascendc::Rule::flag, where, "AllocEventID: all eight ids of the event are reserved; release one");
    }
    template <HardEvent event>
    void ReleaseEventID(TEventID id) {
        std::uint8_t& taken = reserved_[static_cast<unsigned>(event)];
        taken = static_cast<std::uint8_t>(taken & ~(1u << id));
    }

    // A tensor at a byte offset of a position's memory, whatever buffers lie there.
    template <TPosition position, class T>
    LocalTensor<T> GetAbsAddr(std::int32_t offset, std::int32_t elements) const {
        return LocalTensor<T>(position, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(elements));
    }
    std::uint64_t GetBaseAddr(std::int8_t position) const {
        return reinterpret_cast<std::uint64_t>(
            ascendc::current().memory(ascendc::hardware_of(static_cast<TPosition>(position))).at(0));
    }
    template <TPosition position>
    std::uint64_t GetQueueEndAddress() const {
        const Hardware memory = ascendc::hardware_of(position);
        return reinterpret_cast<std::uint64_t>(ascendc::current().memory(memory).at(next_[static_cast<unsigned>(memory)]));
    }
    std::uint32_t taken(Hardware memory) const { return next_[static_cast<unsigned>(memory)]; }

private:
    std::uint32_t next_[static_cast<unsigned>(Hardware::MAX)] = {};
    std::uint8_t reserved_[static_cast<unsigned>(HardEvent::MAX)] = {};
    unsigned buffers_ = 0;
    bool alive_ = false;
};

}  // namespace AscendC

inline AscendC::TPipe* GetTPipePtr() { return ascendc::current().pipe_object; }
namespace AscendC {
using ::GetTPipePtr;
}
