// TQue and TQueBind: buffers that pass from one pipe to another with the flags in between; TBuf: a buffer without.
#pragma once

#include <deque>

#include "ascendc/tensor/tpipe.hpp"

namespace ascendc {

// The event that EnQue sets and DeQue waits for; the one back is set by FreeTensor and waited for by AllocTensor.
constexpr EventPipes queue_pipes(AscendC::TPosition source, AscendC::TPosition target) {
    using P = AscendC::TPosition;
    if (source == P::VECIN && target == P::VECOUT) return {Pipe::MTE2, Pipe::MTE3};
    switch (target == P::GM ? source : target) {
        case P::VECIN: return {Pipe::MTE2, Pipe::V};
        case P::VECOUT: case P::CO2: return {Pipe::V, Pipe::MTE3};
        case P::A1: case P::B1: case P::C1: case P::TSCM: return {Pipe::MTE2, Pipe::MTE1};
        case P::A2: case P::B2: case P::C2: return {Pipe::MTE1, Pipe::M};
        case P::CO1: return {Pipe::M, Pipe::FIX};
        case P::C2PIPE2GM: return {Pipe::MTE1, Pipe::FIX};
        default: return {Pipe::V, Pipe::V};
    }
}

inline void wait_for(Core& core, Pipe pipe, const Knowledge& known, double time, Where where) {
    core.pipe(pipe).known.join(known);
    core.stall(pipe, time, where);
}

// The flag of a queue's buffer: set by the pipe that is done with it, ...
inline void pass_on(Core& core, Pipe pipe, std::uint32_t number) {
    const auto now = [&core, pipe, number] {
        core.slots[number].known = core.after(pipe);
        core.slots[number].time = core.pipe(pipe).free_at;
    };
    if (!core.held(pipe)) return now();
    ++core.slots[number].signals;
    postpone(pipe, [&core, number, now] {
        now();
        ++core.slots[number].signalled;
    });
}
// ... and waited for by the one that takes it.
inline void take_over(Core& core, Pipe pipe, std::uint32_t number, const char* call, Where where) {
    const Slot& slot = core.slots[number];
    const std::uint32_t signals = slot.signals;
    if (slot.signalled == signals) {
        if (!core.held(pipe)) return wait_for(core, pipe, slot.known, slot.time, where);
        return postpone(pipe, [&core, pipe, known = slot.known, time = slot.time, where] { wait_for(core, pipe, known, time, where); });
    }
    postpone_wait(
        pipe, [&core, number, signals] { return core.slots[number].signalled >= signals; },
        [&core, pipe, number, where] { wait_for(core, pipe, core.slots[number].known, core.slots[number].time, where); },
        join(call, " waits for another pipe that waits itself"), where);
}

}  // namespace ascendc

namespace AscendC {

template <TPosition source, TPosition target, std::int32_t depth, auto config = 0>
class TQueBind {
public:
    template <class T>
    LocalTensor<T> AllocTensor(ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        ascendc::Core& core = ascendc::current();
        if (!number_) core.fail(ascendc::Rule::queue, where, "AllocTensor of a queue without buffers; call InitBuffer first");
        for (std::uint32_t tried = 0; tried < number_; ++tried) {
            const std::uint32_t candidate = first_ + (next_ + tried) % number_;
            ascendc::Slot& slot = core.slots[candidate];
            if (slot.state != ascendc::SlotState::free) continue;
            next_ = (next_ + tried + 1) % number_;
            ascendc::take_over(core, pipes.source, candidate, "AllocTensor", where);
            change(slot, ascendc::SlotState::occupied, where);
            return tensor<T>(core, candidate);
        }
        core.fail(ascendc::Rule::queue, where,
                  ascendc::join("AllocTensor: all ", number_, " buffers of the queue are in use, the last since ",
                                core.slots[first_].where.file, ":", core.slots[first_].where.line, "; FreeTensor is missing"));
    }
    template <class T>
    void AllocTensor(LocalTensor<T>& taken, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        taken = AllocTensor<T>(where);
    }

    template <class T>
    bool EnQue(const LocalTensor<T>& tensor, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        ascendc::Core& core = ascendc::current();
        ascendc::Slot& slot = slot_of(core, tensor, "EnQue", where);
        if (slot.state != ascendc::SlotState::occupied && slot.state != ascendc::SlotState::dequeued)
            core.fail(ascendc::Rule::queue, where, ascendc::join("EnQue of a tensor that is ", name_of(slot.state), misplaced(slot)));
        if (waiting_.size() >= (depth > 0 ? static_cast<std::size_t>(depth) : number_))
            core.fail(ascendc::Rule::queue, where,
                      ascendc::join("EnQue number ", waiting_.size() + 1, " without a DeQue; the queue's depth is ", depth));
        change(slot, ascendc::SlotState::enqueued, where);
        ascendc::pass_on(core, pipes.source, tensor.place().slot - 1);
        waiting_.push_back(tensor.place().slot - 1);
        return true;
    }
    template <TPosition, TPosition, class T>
    bool EnQue(const LocalTensor<T>& tensor, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        return EnQue(tensor, where);
    }

    template <class T>
    LocalTensor<T> DeQue(ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        ascendc::Core& core = ascendc::current();
        if (waiting_.empty()) core.fail(ascendc::Rule::queue, where, "DeQue of an empty queue; EnQue is missing before it");
        const std::uint32_t first = waiting_.front();
        waiting_.pop_front();
        ascendc::Slot& slot = core.slots[first];
        ascendc::take_over(core, pipes.target, first, "DeQue", where);
        change(slot, ascendc::SlotState::dequeued, where);
        return tensor<T>(core, first);
    }
    template <class T>
    void DeQue(LocalTensor<T>& taken, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        taken = DeQue<T>(where);
    }
    template <TPosition, TPosition, class T>
    LocalTensor<T> DeQue(ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        return DeQue<T>(where);
    }

    template <class T>
    void FreeTensor(const LocalTensor<T>& tensor, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        ascendc::Core& core = ascendc::current();
        ascendc::Slot& slot = slot_of(core, tensor, "FreeTensor", where);
        if (slot.turn != tensor.place().turn || slot.state == ascendc::SlotState::free)
            core.fail(ascendc::Rule::queue, where, ascendc::join("FreeTensor of a tensor that is free already", misplaced(slot)));
        if (slot.state == ascendc::SlotState::enqueued)
            core.fail(ascendc::Rule::queue, where, ascendc::join("FreeTensor of a tensor that is enqueued", misplaced(slot)));
        change(slot, ascendc::SlotState::free, where);
        ++slot.turn;
        ascendc::pass_on(core, pipes.target, tensor.place().slot - 1);
    }

    bool HasIdleBuffer() const { return in_state(ascendc::SlotState::free) > 0; }
    bool VacantInQue() const { return waiting_.size() < (depth > 0 ? static_cast<std::size_t>(depth) : number_); }
    bool HasTensorInQue() const { return !waiting_.empty(); }
    std::int32_t GetTensorCountInQue() const { return static_cast<std::int32_t>(waiting_.size()); }
    void FreeAllEvent() {
        ascendc::Core& core = ascendc::current();
        for (std::uint32_t i = 0; i < number_; ++i) {
            ascendc::Slot& slot = core.slots[first_ + i];
            if (slot.state != ascendc::SlotState::free) slot.state = ascendc::SlotState::free, ++slot.turn;
        }
        waiting_.clear();
    }

    // Called by InitBuffer of a TPipe or a TBufPool.
    template <class Source>
    void reserve(Source& pipe, std::uint8_t number, std::uint32_t bytes, ascendc::Where where) {
        ascendc::Core& core = ascendc::current();
        if (!number || number > ascendc::event_ids)
            core.fail(ascendc::Rule::buffers, where, ascendc::join("InitBuffer of a queue with ", int{number}, " buffers; 1 to 8 are possible"));
        number_ = number;
        first_ = static_cast<std::uint32_t>(core.slots.size());
        next_ = 0;
        waiting_.clear();
        for (std::uint8_t i = 0; i < number; ++i) {
            ascendc::Slot slot;
            slot.position = position;
            slot.address = pipe.take(ascendc::hardware_of(position), bytes, where);
            slot.bytes = (bytes + ascendc::block_bytes - 1) / ascendc::block_bytes * ascendc::block_bytes;
            core.slots.push_back(slot);
            pipe.holds(first_ + i, pipes.source);
        }
    }

private:
    static constexpr TPosition position = source == TPosition::GM ? target : source;
    static constexpr ascendc::EventPipes pipes = ascendc::queue_pipes(source, target);

    static void change(ascendc::Slot& slot, ascendc::SlotState state, ascendc::Where where) {
        slot.state = state;
        slot.where = where;
    }
    static std::string misplaced(const ascendc::Slot& slot) { return ascendc::join(" since ", slot.where.file, ":", slot.where.line); }

    template <class T>
    LocalTensor<T> tensor(ascendc::Core& core, std::uint32_t number) const {
        const ascendc::Slot& slot = core.slots[number];
        return LocalTensor<T>(position, ascendc::Place{ascendc::hardware_of(position), slot.address, slot.bytes, slot.address + slot.bytes,
                                                     number + 1, slot.turn});
    }
    template <class T>
    ascendc::Slot& slot_of(ascendc::Core& core, const LocalTensor<T>& tensor, const char* call, ascendc::Where where) const {
        const std::uint32_t slot = tensor.place().slot;
        if (!slot || slot - 1 < first_ || slot - 1 >= first_ + number_)
            core.fail(ascendc::Rule::queue, where, ascendc::join(call, " of a tensor that this queue did not allocate"));
        return core.slots[slot - 1];
    }
    std::size_t in_state(ascendc::SlotState state) const {
        std::size_t count = 0;
        for (std::uint32_t i = 0; i < number_; ++i) count += ascendc::current().slots[first_ + i].state == state;
        return count;
    }

    std::uint32_t first_ = 0;   // of its slots
    std::uint32_t number_ = 0;
    std::uint32_t next_ = 0;
    std::deque<std::uint32_t> waiting_;
};

template <TPosition position>
inline constexpr TPosition queue_source = position == TPosition::VECOUT || position == TPosition::CO1 || position == TPosition::CO2 ||
                                                  position == TPosition::VECCALC ? position : TPosition::GM;

template <TPosition position, std::int32_t depth, auto config = 0>
class TQue : public TQueBind<queue_source<position>, queue_source<position> == TPosition::GM ? position : TPosition::GM, depth, config> {};

template <TPosition position = TPosition::LCM>
class TBuf {
public:
    template <class T>
    LocalTensor<T> Get() const { return LocalTensor<T>(position, place_); }
    template <class T>
    LocalTensor<T> Get(std::uint32_t elements, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) const {
        return GetWithOffset<T>(elements, 0, where);
    }
    template <class T>
    LocalTensor<T> GetWithOffset(std::uint32_t elements, std::uint32_t offset,
                                 ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) const {
        if (offset + ascendc::bytes_of<T>(elements) > place_.bytes)
            ascendc::current().fail(ascendc::Rule::buffers, where,
                                    ascendc::join("a tensor of ", ascendc::bytes_of<T>(elements), " bytes at offset ", offset,
                                                  " of a buffer of ", place_.bytes, " bytes"));
        ascendc::Place part = place_;
        part.address += offset;
        part.bytes = static_cast<std::uint32_t>(ascendc::bytes_of<T>(elements));
        return LocalTensor<T>(position, part);
    }
    std::uint32_t GetBufLen() const { return place_.bytes; }
    // A buffer has nothing to give back.
    template <class T>
    void FreeTensor(const LocalTensor<T>&) const {}

    // Called by InitBuffer of a TPipe or a TBufPool.
    template <class Source>
    void reserve(Source& pipe, std::uint32_t bytes, ascendc::Where where) {
        const Hardware memory = ascendc::hardware_of(position);
        place_.memory = memory;
        place_.address = pipe.take(memory, bytes, where);
        place_.bytes = (bytes + ascendc::block_bytes - 1) / ascendc::block_bytes * ascendc::block_bytes;
        place_.end = place_.address + place_.bytes;
    }

private:
    ascendc::Place place_;
};

}  // namespace AscendC
