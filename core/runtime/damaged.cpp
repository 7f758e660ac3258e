// An instruction that reads a damaged array damages those that it writes.
#include "runtime/damaged.hpp"

#include <algorithm>
#include <iterator>

#include "runtime/fuse.hpp"
#include "runtime/record.hpp"

namespace asnumpy {
namespace {

struct Reach {
    const char* low;
    std::size_t bytes;
    bool whole;  // all of them are elements
};

// Of an array that has memory.
Reach reach_of(const Array& a) {
    const auto item = static_cast<std::int64_t>(itemsize(a.dtype));
    const Extent extent = asnumpy::extent(a.view, item);
    std::int64_t bytes = item;
    for (int axis = 0; axis < a.ndim(); ++axis)
        if (a.view.strides[axis]) bytes *= a.shape()[axis];
    return {a.buffer->data() + extent.low, static_cast<std::size_t>(extent.high - extent.low), bytes == extent.high - extent.low};
}

Damage* damage_of(const Array& a) { return a.size() ? a.pool().backend().damage() : nullptr; }

Failure damaged_input(const Instruction& instruction) {
    for (const Argument& in : instruction.in) {
        const Array* const a = in.array();
        const Damage* const damage = a && a->buffer->materialised() ? damage_of(*a) : nullptr;
        if (!damage) continue;
        const Reach reach = reach_of(*a);
        if (Failure failure = damage->find(reach.low, reach.bytes)) return failure;
    }
    return nullptr;
}

void heal_outputs(const Instruction& instruction) {
    if (!keeps_nothing(instruction)) return;
    for (const Array& out : instruction.out) {
        Damage* const damage = out.buffer->materialised() ? damage_of(out) : nullptr;
        if (!damage) continue;
        const Reach reach = reach_of(out);
        if (reach.whole) damage->heal(reach.low, reach.bytes);
    }
}

void mark_outputs(const Instruction& instruction, const Failure& why) {
    for (const Array& out : instruction.out) {
        Damage* const damage = damage_of(out);
        if (!damage) continue;
        out.buffer->materialise();
        const Reach reach = reach_of(out);
        damage->mark(reach.low, reach.bytes, why);
    }
}

}  // namespace

Refused refuse_damaged(std::vector<Instruction>& list, const Buffer* wanted) {
    Refused result;
    Failure first;
    std::size_t count = 0, end = 0;
    bool lost = !wanted;
    for (; end < list.size(); ++end) {
        if (const Failure why = damaged_input(list[end])) {
            if (count < end) break;  // those before it may still read or write what it would write
            mark_outputs(list[end], why);
            each_buffer(list[end], [&](const Buffer& b, bool written) { lost = lost || (written && &b == wanted); });
            if (!first) first = why;
            ++count;
        } else {
            heal_outputs(list[end]);
        }
    }
    result.never.reserve(count);
    result.later.reserve(list.size() - end);
    const auto begin = list.begin(), run = begin + static_cast<std::ptrdiff_t>(count), later = begin + static_cast<std::ptrdiff_t>(end);
    std::move(begin, run, std::back_inserter(result.never));
    std::move(later, list.end(), std::back_inserter(result.later));
    list.erase(later, list.end());
    list.erase(begin, run);
    if (lost) result.why = first;
    return result;
}

bool any_damaged(std::span<const Array> arrays, std::span<const BufferPtr> buffers) {
    const auto is_damaged = [](const Buffer& b) {
        const Damage* const damage = b.materialised() ? b.pool().backend().damage() : nullptr;
        return damage && damage->find(b.data(), b.bytes());
    };
    return std::ranges::any_of(arrays, [&](const Array& a) { return is_damaged(*a.buffer); }) ||
           std::ranges::any_of(buffers, [&](const BufferPtr& b) { return is_damaged(*b); });
}

}  // namespace asnumpy
