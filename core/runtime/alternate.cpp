// Arrays that are written in place from what lies around: stencils in time. Each step would compute all that it puts back into memory of its own
// first, as nobody may overwrite what is still read; with two arrays in turns it is one program, which reads the one and writes the other.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/passes.hpp"
#include "runtime/record.hpp"
#include "runtime/touches.hpp"

namespace asnumpy {

namespace {

bool is_elementwise(const Instruction& i) { return i.work == Work::elementwise && !i.on_host && i.out.size() == 1; }

bool is_same(const Array& a, const Array& b) { return a.buffer == b.buffer && a.dtype == b.dtype && a.view == b.view; }

class PutSearch {
public:
    explicit PutSearch(Draft& draft) : list_(draft.list), census_(draft.census), touches_(draft.list, draft.census.marks().size()) {}

    std::vector<Alternation> run() {
        std::vector<bool> seen(census_.marks().size(), false);
        for (const Instruction& instruction : list_)
            for (const Array& out : instruction.out) {
                if (seen[out.buffer->number]) continue;
                seen[out.buffer->number] = true;
                look_at(*out.buffer);
            }
        return std::move(found_);
    }

private:
    static constexpr std::uint32_t none = Alternation::none;

    // Writes one after the other, all of them to the same part.
    void look_at(const Buffer& buffer) {
        const std::span<const std::uint32_t> writes = touches_.writes(buffer);
        for (std::size_t first = 0, end = 0; first + fewest_puts <= writes.size(); first = end) {
            for (end = first; end < writes.size() && puts_as(writes[first], writes[end]); ++end) continue;
            if (end - first >= fewest_puts) add(buffer, writes, first, end);
            end = std::max(end, first + 1);
        }
    }

    bool puts_as(std::uint32_t first, std::uint32_t k) const {
        return is_elementwise(list_[first]) && is_elementwise(list_[k]) && is_same(list_[first].out[0], list_[k].out[0]) && list_[first].on_stream == list_[k].on_stream;
    }

    void add(const Buffer& buffer, std::span<const std::uint32_t> writes, std::size_t first, std::size_t end) {
        Alternation made;
        std::size_t turns = 0, until = 0;
        for (std::size_t w = first; w < end; ++w) {
            const std::uint32_t before = w > 0 ? writes[w - 1] : none;
            const bool turn = is_made_of_neighbours(buffer, before, writes[w]);
            if (made.puts.empty() && !turn) continue;
            made.puts.push_back({writes[w], turn ? maker_of(writes[w], before) : none, turn});
            turns += turn;
            if (turn && turns % 2 == 0) until = made.puts.size();
        }
        made.puts.resize(until);
        if (turns >= fewest_puts && alternates(made, list_)) found_.push_back(std::move(made));
    }

    // What is put is made, since the array was written before (none: ever), of elements of it that lie around those which are written: it would have to be
    // there as a whole first.
    bool is_made_of_neighbours(const Buffer& buffer, std::uint32_t before, std::uint32_t put) const {
        std::vector<std::uint32_t> makers{put};
        for (std::size_t next = 0; next < makers.size(); ++next)
            for (const Argument& in : list_[makers[next]].in) {
                const Array* const a = in.array();
                if (!a) continue;
                if (a->buffer.get() == &buffer) {
                    if (!is_same(*a, list_[put].out[0]) && may_overlap(*a, list_[put].out[0])) return true;
                    continue;
                }
                const std::span<const std::uint32_t> writers = touches_.writes_before(*a->buffer, makers[next]);
                if (writers.empty() || (before != none && writers.back() < before) || !is_elementwise(list_[writers.back()]) || !is_same(list_[writers.back()].out[0], *a)) continue;
                if (makers.size() < most_members && std::ranges::find(makers, writers.back()) == makers.end()) makers.push_back(writers.back());
            }
        return false;
    }

    // Who makes what the put moves, which nobody else sees, after the array was written before.
    std::uint32_t maker_of(std::uint32_t put, std::uint32_t before) const {
        const Instruction& i = list_[put];
        if (i.row != cast_row() || i.in.size() != 1 || !i.in[0].array()) return none;
        const Array& moved = *i.in[0].array();
        if (moved.dtype != i.out[0].dtype || census_[*moved.buffer].outside) return none;
        const std::span<const std::uint32_t> writers = touches_.writes(*moved.buffer), readers = touches_.reads(*moved.buffer);
        if (writers.size() != 1 || readers.size() != 1 || writers[0] > put || (before != none && writers[0] < before)) return none;
        const Instruction& maker = list_[writers[0]];
        const bool fits = is_elementwise(maker) && is_same(maker.out[0], moved) && maker.shape == i.shape && maker.on_stream == i.on_stream && !moved.buffer->foreign() &&
                          !moved.buffer->materialised() && &moved.pool() == &i.out[0].pool();
        return fits ? writers[0] : none;
    }

    std::span<const Instruction> list_;
    Census& census_;
    Touches touches_;
    std::vector<Alternation> found_;
};

}  // namespace

std::size_t alternate_puts(Draft& draft) {
    std::vector<Alternation> found = PutSearch(draft).run();
    std::size_t puts = 0;
    for (const Alternation& one : found) puts += one.puts.size();
    if (puts > 0) draft.alternate(std::move(found));
    return puts;
}

}  // namespace asnumpy
