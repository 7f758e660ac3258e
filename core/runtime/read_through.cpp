// Copies that nobody sees: while the original keeps its values, it is read in their place.
#include <algorithm>
#include <vector>

#include "runtime/passes.hpp"

namespace asnumpy {

namespace {

bool writes_buffer(const Instruction& i, const Buffer& b) {
    return std::ranges::any_of(i.out, [&](const Array& out) { return out.buffer.get() == &b; });
}

bool reads_buffer(const Argument& in, const Buffer& b) { return in.array() && in.array()->buffer.get() == &b; }

// The last instruction that reads the copy at position k; k where the original is written up to there, by that instruction too.
std::uint32_t last_reader(std::span<const Instruction> list, std::uint32_t k) {
    const Buffer &original = *list[k].in[0].array()->buffer, &copy = *list[k].out[0].buffer;
    std::uint32_t last = k;
    bool changed = false;
    for (std::uint32_t i = k + 1; i < list.size(); ++i) {
        changed = changed || writes_buffer(list[i], original);
        if (!std::ranges::any_of(list[i].in, [&](const Argument& in) { return reads_buffer(in, copy); })) continue;
        if (changed) return k;
        last = i;
    }
    return last;
}

}  // namespace

std::size_t read_through_copies(Draft& draft) {
    const std::vector<std::uint32_t> writes = draft.writes();
    std::size_t found = 0;
    for (std::uint32_t k = 0; k < draft.list.size(); ++k) {
        if (draft.dead[k] || !moves_only(draft.list[k])) continue;
        const BufferPtr copy = draft.list[k].out[0].buffer;
        if (writes[copy->number] != 1 || draft.census[*copy].outside) continue;
        const std::uint32_t last = last_reader(draft.list, k);
        if (last == k) continue;
        draft.edits.copies.push_back(k);
        for (std::uint32_t reader = k + 1; reader <= last; ++reader)
            for (std::uint8_t slot = 0; slot < draft.list[reader].in.size(); ++slot)
                if (reads_buffer(draft.list[reader].in[slot], *copy)) draft.redirect({reader, slot, {k, 0, false}, {k, 0, true}});
        ++found;
    }
    return found;
}

}  // namespace asnumpy
