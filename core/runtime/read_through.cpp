// Copies that nobody sees: while the original keeps its values, it is read in their place.
#include <span>
#include <vector>

#include "runtime/passes.hpp"
#include "runtime/record.hpp"
#include "runtime/touches.hpp"

namespace asnumpy {

namespace {

bool reads_buffer(const Argument& in, const Buffer& b) { return in.array() && in.array()->buffer.get() == &b; }

}  // namespace

std::size_t read_through_copies(Draft& draft) {
    const std::vector<std::uint32_t> writes = draft.writes();
    const Touches touches(draft.list, draft.census.marks().size());
    std::size_t found = 0;
    for (std::uint32_t k = 0; k < draft.list.size(); ++k) {
        if (draft.dead[k] || !moves_only(draft.list[k])) continue;
        const BufferPtr copy = draft.list[k].out[0].buffer;
        if (writes[copy->number] != 1 || draft.census[*copy].outside) continue;
        const std::span<const std::uint32_t> readers = touches.reads(*copy, k), changes = touches.writes(*draft.list[k].in[0].array()->buffer, k);
        // The original keeps its values until the last reader has run: that one may not write it either.
        if (readers.empty() || (!changes.empty() && changes.front() <= readers.back())) continue;
        draft.edits.copies.push_back(k);
        for (std::size_t r = 0; r < readers.size(); ++r) {
            if (r > 0 && readers[r] == readers[r - 1]) continue;
            Instruction& reader = draft.list[readers[r]];
            for (std::uint8_t slot = 0; slot < reader.in.size(); ++slot)
                if (reads_buffer(reader.in[slot], *copy)) draft.redirect({readers[r], slot, {k, 0, false}, {k, 0, true}});
        }
        ++found;
    }
    return found;
}

}  // namespace asnumpy
