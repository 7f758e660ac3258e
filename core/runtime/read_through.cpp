// Copies that nobody sees: while the original keeps its values, it is read in their place.
#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "runtime/passes.hpp"
#include "runtime/record.hpp"

namespace asnumpy {

namespace {

// Where each buffer is read and written: positions in the list, in order, taken before anything is changed.
class Touches {
public:
    Touches(std::span<const Instruction> list, std::size_t buffers) : first_(2 * buffers + 1, 0) {
        const auto each = [&](auto&& f) {
            for (std::uint32_t k = 0; k < list.size(); ++k)
                each_buffer(list[k], [&](const Buffer& b, bool written) { f(k, 2 * std::size_t{b.number} + (written ? 1 : 0)); });
        };
        each([&](std::uint32_t, std::size_t which) { ++first_[which + 1]; });
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        positions_.resize(first_.back());
        std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
        each([&](std::uint32_t k, std::size_t which) { positions_[next[which]++] = k; });
    }
    // After position k; an instruction may be there several times.
    std::span<const std::uint32_t> reads(const Buffer& b, std::uint32_t k) const { return after(2 * std::size_t{b.number}, k); }
    std::span<const std::uint32_t> writes(const Buffer& b, std::uint32_t k) const { return after(2 * std::size_t{b.number} + 1, k); }

private:
    std::span<const std::uint32_t> after(std::size_t which, std::uint32_t k) const {
        const auto all = std::span(positions_).subspan(first_[which], first_[which + 1] - first_[which]);
        return all.subspan(static_cast<std::size_t>(std::ranges::upper_bound(all, k) - all.begin()));
    }

    std::vector<std::size_t> first_;  // by buffer, reads and writes
    std::vector<std::uint32_t> positions_;
};

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
