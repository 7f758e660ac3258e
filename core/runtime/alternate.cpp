// Arrays that are written in place from what lies around: stencils in time. Each step would compute all that it puts back into memory of its own
// first, as nobody may overwrite what is still read; with two arrays in turns it is one program, which reads the one and writes the other.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/boxes.hpp"
#include "runtime/overlap.hpp"
#include "runtime/passes.hpp"
#include "runtime/record.hpp"
#include "runtime/taken.hpp"
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
                if (found_.size() < most_alternations) look_at(*out.buffer);
            }
        return std::move(found_);
    }

private:
    static constexpr std::uint32_t none = Alternation::none;
    static constexpr int most_attempts = 16;  // for one array
    static constexpr std::size_t most_alternations = longest_list;  // there is room for so many more instructions where a list comes back

    bool is_private(const Buffer& b) const { return !census_[b].outside; }

    // Elementwise writes one after the other, from one that writes most of it.
    void look_at(const Buffer& buffer) {
        const std::span<const std::uint32_t> writes = touches_.writes(buffer);
        std::size_t first = 0;
        for (int attempts = 0; first + fewest_puts <= writes.size() && attempts < most_attempts;) {
            std::size_t end = first;
            if (is_most(writes[first]))
                while (end < writes.size() && goes_on(writes[first], writes[end])) ++end;
            if (end - first < fewest_puts) {
                ++first;
                continue;
            }
            ++attempts;
            const std::size_t done = look_at(buffer, writes, first, end);
            if (done > first) {
                first = done;
                continue;
            }
            const View view = list_[writes[first]].out[0].view;  // nothing turns where this is written
            while (first < end && list_[writes[first]].out[0].view == view) ++first;
        }
    }

    bool is_most(std::uint32_t k) const {
        const Array& part = list_[k].out[0];
        return is_elementwise(list_[k]) && 2 * static_cast<std::size_t>(part.nbytes()) >= part.buffer->bytes();
    }

    bool goes_on(std::uint32_t first, std::uint32_t k) const {
        return is_elementwise(list_[k]) && list_[first].on_stream == list_[k].on_stream && list_[first].out[0].dtype == list_[k].out[0].dtype;
    }

    // Up to which of those writes it is done with them; the first: none turn that write what the first one writes.
    std::size_t look_at(const Buffer& buffer, std::span<const std::uint32_t> writes, std::size_t first, std::size_t end) {
        Steps steps(*this, list_[writes[first]].out[0]);
        for (std::size_t w = first; w < end; ++w)
            if (!steps.expect(list_[writes[w]].out[0])) end = w;
        Alternation made;
        std::size_t turns = 0, until = 0;
        for (std::size_t w = first; w < end; ++w) {
            const std::uint32_t before = w > 0 ? writes[w - 1] : none, k = writes[w];
            const bool turn = list_[k].out[0].view == list_[writes[first]].out[0].view && is_made_of_neighbours(buffer, before, k);
            if (made.puts.empty() && !turn) continue;
            if (!steps.read(readers_between(buffer, before, k)) || !steps.write(k, turn)) {  // those before it, which expect less, may do
                return w - first < fewest_puts ? first : look_at(buffer, writes, first, w);
            }
            made.puts.push_back({k, turn ? maker_of(k, before) : none, turn});
            turns += turn;
            if (turns % 2 == 0 && steps.complete()) until = made.puts.size();
        }
        if (made.puts.empty()) return first;
        made.puts.resize(until);
        if (std::ranges::count_if(made.puts, &Alternation::Put::turns) < static_cast<std::ptrdiff_t>(fewest_puts)) return end;
        const std::uint32_t put = made.puts.front().position;
        const std::span<const std::uint32_t> reads = touches_.reads(buffer), earlier = touches_.writes_before(buffer, put);
        made.begin = earlier.empty() ? reads.front() : *std::ranges::upper_bound(reads, earlier.back());
        find_copies(buffer, made);
        if (alternates(made, list_)) found_.push_back(std::move(made));
        return end;
    }

    std::span<const std::uint32_t> readers_between(const Buffer& buffer, std::uint32_t before, std::uint32_t k) const {
        const std::span<const std::uint32_t> all = touches_.reads(buffer);
        const auto first = before == none ? all.begin() : std::ranges::upper_bound(all, before), end = std::ranges::lower_bound(all, k);
        return {first, std::max(first, end)};
    }

    // Which elements are not yet in the array to which it has turned: what else is written lags behind, until it is written there.
    class Steps {
    public:
        Steps(const PutSearch& search, const Array& target) : search_(search), target_(target), axes_(BoxAxes::of(target)) {
            if (axes_) whole_ = axes_->box(target);
        }
        // False: it cannot be told where such a part lies.
        bool expect(const Array& part) {
            if (part.view == target_.view) return true;
            const std::optional<Box> box = whole_ ? axes_->box(part) : std::nullopt;
            if (!box || overlaps_itself(part)) return false;
            beside_.add(*box);
            beside_.take_away(*whole_);
            return beside_.size() <= most_boxes;
        }
        bool complete() const { return missing_.empty(); }
        bool read(std::span<const std::uint32_t> readers) const {
            return complete() || std::ranges::all_of(readers, [&](std::uint32_t k) { return missing_for(search_.list_[k]).empty(); });
        }
        bool write(std::uint32_t k, bool turn) {
            if (turn) {
                if (!complete()) return false;
                missing_ = beside_;
                return true;
            }
            if (complete()) return true;
            const Instruction& put = search_.list_[k];
            const std::optional<Box> box = axes_->box(put.out[0]);
            const Boxes missing = missing_for(put, &*box);
            missing_.take_away(*box);
            for (const Box& one : missing) missing_.add(one);
            return missing_.size() <= most_boxes;
        }

    private:
        static constexpr std::size_t most_boxes = 64;

        // What it lacks, of where it writes where that is given.
        Boxes missing_for(const Instruction& i, const Box* to = nullptr) const {
            Boxes found;
            for (const Argument& in : i.in) {
                const Array* const read = in.array();
                if (!read || read->buffer != target_.buffer) continue;
                const std::optional<Box> box = axes_->box(*read);
                Boxes lacks = box ? missing_.within(*box) : missing_;
                if (lacks.empty()) continue;
                const bool element_by_element = box && to && same_steps(i.out[0].view, read->view) && lengths(*box) == lengths(*to);
                if (element_by_element) lacks.move(*box, *to);
                if (to && !element_by_element) found.add(*to);
                else for (const Box& one : lacks) found.add(one);
            }
            return found;
        }
        static std::vector<std::int64_t> lengths(const Box& box) {
            std::vector<std::int64_t> made;
            for (const auto& [first, end] : box.axes) made.push_back(end - first);
            return made;
        }

        const PutSearch& search_;
        const Array& target_;
        std::optional<BoxAxes> axes_;
        std::optional<Box> whole_;
        Boxes beside_, missing_;
    };

    // Those whose readers are done before the array that was copied is written again.
    void find_copies(const Buffer& buffer, Alternation& made) const {
        for (const std::uint32_t k : touches_.reads(buffer)) {
            if (k >= made.last()) break;
            if (!copies_original(k, buffer) || (!made.copies.empty() && made.copies.back() == k)) continue;
            const Buffer& copy = *list_[k].out[0].buffer;
            const auto next = std::ranges::upper_bound(made.puts, k, {}, &Alternation::Put::position);
            if (!next->turns || next->maker == k) continue;
            if (next == made.puts.begin()) {
                const std::span<const std::uint32_t> before = touches_.writes_before(buffer, next->position);
                if (!before.empty() && before.back() > k) continue;
            }
            const auto then = std::find_if(next + 1, made.puts.end(), [](const Alternation::Put& put) { return put.turns; });
            const std::uint32_t until = then == made.puts.end() ? made.last() + 1 : std::min(then->position, then->maker);
            const std::span<const std::uint32_t> readers = touches_.reads(copy);
            const auto another = made.copies.empty() ? none : made.copies.back();
            if (another != none && touches_.reads(*list_[another].out[0].buffer).back() > k) continue;
            if (!readers.empty() && readers.front() > k && readers.back() < until) made.copies.push_back(k);
        }
    }

    bool copies_original(std::uint32_t k, const Buffer& buffer) const {
        const Instruction& i = list_[k];
        return !i.on_host && moves_only(i) && i.in[0].array()->buffer.get() == &buffer && is_private(*i.out[0].buffer) && touches_.writes(*i.out[0].buffer).size() == 1;
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
                if (!writers.empty() && (before == none || writers.back() > before) && copies_original(writers.back(), buffer)) {
                    const Instruction& copy = list_[writers.back()];
                    Array original = *a;
                    read_at(original, *copy.in[0].array(), copy.out[0]);
                    if (!is_same(original, list_[put].out[0]) && may_overlap(original, list_[put].out[0])) return true;
                    continue;
                }
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
        if (moved.dtype != i.out[0].dtype || !is_private(*moved.buffer)) return none;
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
