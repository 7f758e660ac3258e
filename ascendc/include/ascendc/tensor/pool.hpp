// TBufPool: a part of a memory that hands out buffers of its own, and can hand it out again.
#pragma once

#include "ascendc/tensor/tque.hpp"

namespace AscendC {

template <TPosition position, std::uint32_t bufIDSize = 4>
class TBufPool {
public:
    template <TPosition source, TPosition target, std::int32_t depth, auto config>
    bool InitBuffer(TQueBind<source, target, depth, config>& queue, std::uint8_t number, std::uint32_t bytes,
                    ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        queue.reserve(*this, number, bytes, where);
        return true;
    }
    template <TPosition other>
    bool InitBuffer(TBuf<other>& buffer, std::uint32_t bytes, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        buffer.reserve(*this, bytes, where);
        return true;
    }
    template <TPosition other, std::uint32_t ids>
    bool InitBufPool(TBufPool<other, ids>& pool, std::uint32_t bytes, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        pool.begin(take(ascendc::hardware_of(other), bytes, where), bytes);
        return true;
    }
    template <TPosition other, std::uint32_t ids, class Shared>
    bool InitBufPool(TBufPool<other, ids>& pool, std::uint32_t bytes, Shared& shared,
                     ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        pool.share(shared, bytes, where);
        return true;
    }
    // Takes all buffers back, once the pipes that used them are done.
    void Reset(ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        ascendc::Core& core = ascendc::current();
        for (const auto& [number, pipe] : held_) {
            ascendc::Slot& slot = core.slots[number];
            if (slot.state != ascendc::SlotState::free)
                core.fail(ascendc::Rule::queue, where,
                          ascendc::join("Reset of a pool with a tensor that is ", name_of(slot.state), " since ", slot.where.file, ":",
                                        slot.where.line, "; FreeTensor is missing"));
            ++slot.turn;
            ascendc::take_over(core, pipe, number, "Reset", where);
        }
        held_.clear();
        next_ = begin_;
    }

    // Called by InitBufPool and by InitBuffer.
    void begin(std::uint32_t address, std::uint32_t bytes) {
        begin_ = next_ = address;
        end_ = address + bytes;
        held_.clear();
    }
    template <class Shared>
    void share(const Shared& shared, std::uint32_t bytes, ascendc::Where where) {
        if (shared.memory() != memory() || bytes > shared.bytes())
            ascendc::current().fail(ascendc::Rule::buffers, where,
                                    ascendc::join("InitBufPool asks for ", bytes, " bytes of ", ascendc::name_of(memory()), " in a pool of ",
                                                  shared.bytes(), " bytes of ", ascendc::name_of(shared.memory())));
        begin(shared.address(), bytes);
    }
    std::uint32_t take(Hardware memory, std::uint32_t asked, ascendc::Where where) {
        const std::uint32_t rounded = (asked + ascendc::block_bytes - 1) / ascendc::block_bytes * ascendc::block_bytes;
        if (memory != this->memory() || rounded > end_ - next_)
            ascendc::current().fail(ascendc::Rule::buffers, where,
                                    ascendc::join("a pool is asked for ", rounded, " bytes of ", ascendc::name_of(memory), "; it has ",
                                                  end_ - next_, " of ", bytes(), " bytes of ", ascendc::name_of(this->memory()), " left"));
        const std::uint32_t address = next_;
        next_ += rounded;
        return address;
    }
    void holds(std::uint32_t slot, ascendc::Pipe pipe) { held_.push_back({slot, pipe}); }

    static constexpr Hardware memory() { return ascendc::hardware_of(position); }
    std::uint32_t address() const { return begin_; }
    std::uint32_t bytes() const { return end_ - begin_; }

private:
    std::uint32_t begin_ = 0, next_ = 0, end_ = 0;
    std::vector<std::pair<std::uint32_t, ascendc::Pipe>> held_;
};

}  // namespace AscendC
