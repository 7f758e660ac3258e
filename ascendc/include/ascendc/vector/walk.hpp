// How a vector instruction goes over its operands: repeats of 256 bytes in eight blocks, lanes chosen by a mask, strides in blocks.
#pragma once

#include <tuple>
#include <utility>

#include "ascendc/tensor/local_tensor.hpp"

namespace ascendc {

// The strides of one operand, in blocks of 32 bytes, heads to heads.
struct Strides {
    std::uint32_t block = 1;
    std::uint32_t repeat = 8;
};

// `lanes` of a repeat are addressed, of which `mask` are worked on; `last` of the last repeat, where that is a part.
struct Walk {
    std::uint32_t repeats = 1;
    std::uint32_t lanes = 64;
    Mask mask;
    std::uint32_t total = 0;  // elements, counted: the mask is then a prefix of each repeat; 0: the mask decides

    bool counted() const { return total != 0; }
    std::uint32_t lanes_of(std::uint32_t repeat) const { return counted() ? std::min(lanes, total - repeat * lanes) : lanes; }
    // Up to the last lane that is worked on.
    std::uint32_t used_lanes(std::uint32_t repeat) const {
        std::uint32_t used = lanes_of(repeat);
        if (!counted())
            while (used && !lane(used - 1)) --used;
        return used;
    }
    bool works_on(std::uint32_t repeat, std::uint32_t i) const { return counted() ? i < lanes_of(repeat) : lane(i); }
    bool lane(std::uint32_t i) const { return (i < 64 ? mask.low >> i : mask.high >> (i - 64)) & 1u; }
};

// A walk over n elements side by side.
inline Walk counted_walk(std::uint32_t n, std::uint32_t lanes) { return {(n + lanes - 1) / lanes, lanes, {}, n}; }

template <class T>
struct Operand {
    using type = T;
    static constexpr std::uint32_t width = sizeof(T);
    LocalMemory* memory;
    std::uint32_t address;
    Strides strides;
    const char* name;

    T* at(std::uint32_t byte) const { return reinterpret_cast<T*>(memory->at(byte)); }
    std::uint32_t byte(std::uint32_t repeat, std::uint32_t lane) const {
        const std::uint32_t offset = lane * static_cast<std::uint32_t>(sizeof(T));
        return address + (repeat * strides.repeat + offset / block_bytes * strides.block) * block_bytes + offset % block_bytes;
    }
};

// Which memory a vector operand lies in, and that it may be used now.
template <class T>
Operand<T> operand(const Instruction& at, const AscendC::LocalTensor<T>& tensor, const char* name, Strides strides = {},
                   std::uint32_t alignment = block_bytes) {
    const Place& place = tensor.place();
    check_alive(at, place, name);
    if (place.memory != AscendC::Hardware::UB)
        at.fail(Rule::address, "takes ", name, " from ", name_of(place.memory), "; vector instructions work on UB");
    if (place.address % alignment)
        at.fail(Rule::address, "takes ", name, " at byte ", place.address, "; its address must be a multiple of ", alignment, " bytes");
    return {&at.core.memory(place.memory), place.address, strides, name};
}

// Fails where an operand is used up to a byte behind its buffer.
template <class T, class U>
void check_end(const Instruction& at, const AscendC::LocalTensor<T>& tensor, const Operand<U>& operand, std::uint64_t end) {
    if (end > tensor.place().end || end > operand.memory->size())
        at.fail(Rule::bounds, "uses ", operand.name, " up to byte ", end - operand.address, " of a tensor whose buffer ends after byte ",
                tensor.place().end - operand.address);
}
template <class T>
void check_reach(const Instruction& at, const AscendC::LocalTensor<T>& tensor, const Operand<T>& operand, const Walk& walk) {
    if (!walk.repeats) return;
    std::uint32_t end = 0;
    for (const std::uint32_t repeat : {0u, walk.repeats >= 2 ? walk.repeats - 2 : 0, walk.repeats - 1})
        if (const std::uint32_t used = walk.used_lanes(repeat)) end = std::max(end, operand.byte(repeat, used - 1) + operand.width);
    check_end(at, tensor, operand, end);
}

// body(repeat, lane, n): n lanes from `lane` on that lie side by side in every operand.
template <class Body, class... Operands>
void each_run(const Walk& walk, Body body, const Operands&... operands) {
    const bool blocks_joined = ((operands.strides.block == 1) && ...);
    const bool repeats_joined =
        blocks_joined && ((operands.strides.repeat * block_bytes == walk.lanes * sizeof(typename Operands::type)) && ...);
    const bool all = walk.counted() || [&] {
        for (std::uint32_t lane = 0; lane < walk.lanes; ++lane)
            if (!walk.lane(lane)) return false;
        return true;
    }();
    if (repeats_joined && all) {
        const std::uint32_t n = walk.counted() ? walk.total : walk.repeats * walk.lanes;
        if (n) body(0u, 0u, n);
        return;
    }
    constexpr std::size_t widest = std::max({sizeof(typename Operands::type)...});
    const std::uint32_t step = blocks_joined ? walk.lanes : block_bytes / static_cast<std::uint32_t>(widest);
    for (std::uint32_t repeat = 0; repeat < walk.repeats; ++repeat) {
        const std::uint32_t lanes = walk.lanes_of(repeat);
        for (std::uint32_t block = 0; block < lanes; block += step) {
            const std::uint32_t end = std::min(block + step, lanes);
            for (std::uint32_t lane = block; lane < end;) {
                if (!walk.counted() && !walk.lane(lane)) {
                    ++lane;
                    continue;
                }
                std::uint32_t last = lane + 1;
                while (last < end && (walk.counted() || walk.lane(last))) ++last;
                body(repeat, lane, last - lane);
                lane = last;
            }
        }
    }
}

// After a run: what was computed from bytes that nobody wrote counts as not written, element by element.
template <class D, class... S>
void pass_unwritten(const Operand<D>& dst, std::uint32_t to, std::uint32_t n, const std::pair<const Operand<S>*, std::uint32_t>&... from) {
    if (!(from.first->memory->any_unwritten(from.second, n * sizeof(S)) || ...)) {
        dst.memory->set_written(to, n * sizeof(D));
        return;
    }
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t element = to + i * sizeof(D);
        if ((from.first->memory->any_unwritten(from.second + i * sizeof(S), sizeof(S)) || ...)) dst.memory->set_unwritten(element, sizeof(D));
        else dst.memory->set_written(element, sizeof(D));
    }
}

}  // namespace ascendc
