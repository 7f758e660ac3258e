// Results in the memory of arguments that the caller gives away.
#include <algorithm>
#include <array>

#include "runtime/record.hpp"
#include "runtime/replay.hpp"

namespace asnumpy {

namespace {

bool reads(const Instruction& instruction, const Buffer& b) {
    return std::ranges::any_of(instruction.in, [&](const Argument& in) { return in.array() && in.array()->buffer.get() == &b; });
}

bool writes(const Instruction& instruction, const Buffer& b) {
    return std::ranges::any_of(instruction.out, [&](const Array& out) { return out.buffer.get() == &b; });
}

// Whether each element is read, from one buffer, before the same bytes of another one are written.
bool element_by_element(const Instruction& instruction, const Buffer& from, const Buffer& to) {
    if (instruction.work != Work::elementwise) return false;
    for (const Argument& in : instruction.in)
        for (const Array& out : instruction.out)
            if (in.array() && in.array()->buffer.get() == &from && out.buffer.get() == &to &&
                !(in.array()->view == out.view && in.array()->dtype == out.dtype))
                return false;
    return true;
}

bool fills_its_buffer(const Array& a) {
    return a.view.offset == 0 && static_cast<std::size_t>(a.nbytes()) == a.buffer->bytes() && is_c_contiguous(a.view, item_bytes(a));
}

}  // namespace

// The argument's values are not needed from the first write of the result on.
bool Replay::can_be(std::size_t argument, const Buffer& result) const {
    const Buffer& from = *traced_.arguments[argument].buffer;
    if (&from.pool() != &result.pool() || from.bytes() != result.bytes() || from.bytes() == 0) return false;
    if (std::ranges::any_of(traced_.checks, [&](const RangeCheck& check) { return check.index.buffer.get() == &from; })) return false;
    bool begun = false;
    for (const Instruction& instruction : traced_.list) {
        const bool reads_it = reads(instruction, from), writes_it = writes(instruction, from);
        if (begun && (reads_it || writes_it)) return false;
        if (begun || !writes(instruction, result)) continue;
        if (writes_it || reads(instruction, result) || (reads_it && !element_by_element(instruction, from, result))) return false;
        begun = true;
    }
    return begun;
}

void Replay::reuse_donated() {
    if (!traced_.controls.empty()) return;
    for (const std::size_t argument : donated_) {
        const Array& from = traced_.arguments[argument];
        if (!fills_its_buffer(from) || std::ranges::count(traced_.arguments, from.buffer, &Array::buffer) != 1 ||
            std::ranges::find(traced_.results, from.buffer, &Array::buffer) != traced_.results.end())
            continue;
        for (const Array& result : traced_.results) {
            const BufferPtr b = result.buffer;
            if (!b->trace || b->materialised() || is_argument(*b) || !can_be(argument, *b)) continue;
            rename(b, from.buffer);
            reused_.push_back(argument);
            break;
        }
    }
}

// What anybody else may look at is copied first.
std::vector<Array> Replay::with_memory_of_their_own(std::span<const Array> arguments) const {
    constexpr int holders = 2;  // the caller's array and object
    std::vector<std::size_t> shared;
    for (const std::size_t k : reused_) {
        const Array& a = arguments[k];
        const Buffer& b = *a.buffer;
        if (b.refs() > holders || b.foreign() || b.seen_by_host() || b.given_away || b.mirror || !fills_its_buffer(a)) shared.push_back(k);
    }
    std::vector<Array> own(arguments.begin(), arguments.end());
    for (const std::size_t k : shared) own[k] = cast(arguments[k], arguments[k].dtype);
    for (const std::size_t k : shared) settle(std::array{BufferUse{own[k].buffer.get(), true}});
    return own;
}

}  // namespace asnumpy
