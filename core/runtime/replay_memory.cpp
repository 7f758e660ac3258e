// One plan of memory for a recorded function: small values lie together in one block, which a call takes once; each is there from the
// first part that touches it to the last.
#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "runtime/record.hpp"
#include "runtime/replay.hpp"
#include "runtime/stages.hpp"

namespace asnumpy {

namespace {

constexpr std::size_t largest = 64 * 1024;  // bytes; a block of more is worth giving back early
constexpr std::int64_t place_unit = 64;

// Room in a block that grows as it must: the first gap that is wide enough.
class Room {
public:
    std::int64_t take(std::int64_t bytes) {
        auto gap = std::ranges::find_if(gaps_, [bytes](const auto& one) { return one.second >= bytes; });
        if (gap == gaps_.end()) {
            const bool at_end = !gaps_.empty() && gaps_.rbegin()->first + gaps_.rbegin()->second == end_;
            gap = at_end ? std::prev(gaps_.end()) : gaps_.emplace(end_, 0).first;
            gap->second = bytes;
            end_ = gap->first + bytes;
        }
        const auto [first, width] = *gap;
        gaps_.erase(gap);
        if (width > bytes) gaps_.emplace(first + bytes, width - bytes);
        return first;
    }

    void give(std::int64_t first, std::int64_t bytes) {
        auto gap = gaps_.emplace(first, bytes).first;
        if (const auto next = std::next(gap); next != gaps_.end() && next->first == first + bytes) {
            gap->second += next->second;
            gaps_.erase(next);
        }
        if (gap == gaps_.begin()) return;
        const auto before = std::prev(gap);
        if (before->first + before->second != first) return;
        before->second += gap->second;
        gaps_.erase(gap);
    }

    std::int64_t end() const { return end_; }

private:
    std::map<std::int64_t, std::int64_t> gaps_;  // from where to how many bytes; no two touch
    std::int64_t end_ = 0;
};

std::int64_t room_for(const Buffer& b) { return (static_cast<std::int64_t>(b.bytes()) + place_unit - 1) / place_unit * place_unit; }

}  // namespace

// Values that live within a program have no memory, and nothing to give back. What may lie in a block that a few programs share line by line
// (runtime/stages.hpp) stays by itself, and so does what lies on a device, unless it passes between stretches: that has its place for a whole
// run, and one block of it is more often where it was the last time, as a device wants that keeps work (recurring_parts.hpp).
void Replay::place_small() {
    std::unordered_set<const Buffer*> in_memory, by_itself;
    for (const Stretch& stretch : stretches_) {
        const std::span list = std::span<const Instruction>(traced_.list).subspan(stretch.first, stretch.count);
        for (const Schedule::Part& part : stretch.schedule->parts) {
            const Instruction& first = list[part.group.members.front()];
            const bool shares = first.on_host || (!part.group.alone && may_share_lines(first.shape));
            each_operand(list, part, [&](const Array& a) {
                in_memory.insert(a.buffer.get());
                if (shares || !traced_.controls.empty()) by_itself.insert(a.buffer.get());
            });
        }
    }
    std::unordered_map<const Buffer*, std::int64_t> places;
    Room room;
    Pool* pool = nullptr;
    for (Stretch& stretch : stretches_) {
        const std::span list = std::span<const Instruction>(traced_.list).subspan(stretch.first, stretch.count);
        stretch.drops.resize(stretch.last_used.size());
        const std::unordered_set<const Buffer*> passing = [&] {
            std::unordered_set<const Buffer*> found;
            for (const auto& used : stretch.last_used)
                for (const BufferPtr& b : used) found.insert(b.get());
            return found;
        }();
        for (std::size_t p = 0; p < stretch.last_used.size(); ++p) {
            each_operand(list, stretch.schedule->parts[p], [&](const Array& a) {
                const BufferPtr& b = a.buffer;
                if (places.contains(b.get()) || !passing.contains(b.get()) || by_itself.contains(b.get())) return;
                if (b->bytes() == 0 || b->bytes() > largest || !b->host_visible() || (pool && pool != &b->pool())) return;
                pool = &b->pool();
                const std::int64_t offset = room.take(room_for(*b));
                places.emplace(b.get(), offset);
                placed_.push_back({b, offset});
                stretch.again.roots.emplace(b.get(), Root{0, offset});
            });
            for (const BufferPtr& b : stretch.last_used[p]) {
                if (const auto placed = places.find(b.get()); placed != places.end()) room.give(placed->second, room_for(*b));
                else if (in_memory.contains(b.get()) || !b->host_visible()) stretch.drops[p].push_back(b);
            }
        }
    }
    std::unordered_set<const Buffer*> within;
    for (const Stretch& stretch : stretches_)
        for (const auto& used : stretch.last_used)
            for (const BufferPtr& b : used) within.insert(b.get());
    for (const BufferPtr& b : dropped_) {
        if (b->host_visible() || b->bytes() == 0 || within.contains(b.get()) || (pool && pool != &b->pool())) continue;
        pool = &b->pool();
        const std::int64_t offset = room.take(room_for(*b));
        places.emplace(b.get(), offset);
        placed_.push_back({b, offset});
    }
    std::erase_if(dropped_, [&](const BufferPtr& b) { return places.contains(b.get()) || (b->host_visible() && traced_.controls.empty() && !in_memory.contains(b.get())); });
    if (pool) block_ = BufferPtr(new Buffer(*pool, static_cast<std::size_t>(room.end())));
    if (!traced_.controls.empty()) return;
    Roots& roots = stretches_[0].again.roots;
    std::uint32_t base = 1;
    for (const Array& argument : traced_.arguments) roots.try_emplace(argument.buffer.get(), Root{base++, 0});
    for (const Array& result : traced_.results) roots.try_emplace(result.buffer.get(), Root{base++, 0});
}

// What only parts that go together use is the device's where it keeps them as one.
void Replay::find_recurring() {
    std::unordered_set<const Buffer*> asked;  // by checks, and by stretches that come before
    for (const RangeCheck& check : traced_.checks) {
        asked.insert(check.inside.buffer.get());
        asked.insert(check.index.buffer.get());
    }
    const auto is_checked = [&](const Instruction& i) {
        return std::ranges::any_of(traced_.checks, [&](const RangeCheck& check) { return check.inside.buffer == i.out[0].buffer; });
    };
    for (Stretch& stretch : stretches_) {
        const std::span list = std::span<const Instruction>(traced_.list).subspan(stretch.first, stretch.count);
        stretch.again.together = RecurringParts(list, *stretch.schedule, stretch.last_used, asked, is_checked);
        for (const Instruction& instruction : list) each_buffer(instruction, [&](const Buffer& b, bool) { asked.insert(&b); });
    }
}

// Of the block, of the memory that arguments' stand-ins are lent, of that of results.
void Replay::find_bases(std::span<const Array> arguments, std::span<const Array> results) {
    std::vector<char*>& bases = stretches_[0].again.bases;
    bases.clear();
    bases.push_back(block_ ? block_->data() : nullptr);
    for (std::size_t k = 0; k < arguments.size(); ++k) bases.push_back(arguments[k].data() - traced_.arguments[k].view.offset);
    for (const Array& result : results) bases.push_back(result.buffer->data());
}

// What neither launches that are kept nor rounds ask for need not be lent its place.
void Replay::find_asked() {
    const Stretch& stretch = stretches_[0];
    const std::span list = std::span<const Instruction>(traced_.list).subspan(stretch.first, stretch.count);
    std::vector<bool> asks(stretch.schedule->parts.size(), true);
    for (std::size_t p = 0; p < stretch.again.kept.size(); ++p)
        if (stretch.again.kept[p]) asks[p] = false;
    for (const Rounds& rounds : stretch.again.rounds)
        for (std::size_t p = rounds.first(); p < rounds.first() + rounds.parts(); ++p)
            if (rounds.computes_now(p)) asks[p] = false;
    std::unordered_set<const Buffer*> asked;
    for (std::size_t p = 0; p < asks.size(); ++p)
        if (asks[p]) each_operand(list, stretch.schedule->parts[p], [&](const Array& a) { asked.insert(a.buffer.get()); });
    for (const RangeCheck& check : traced_.checks) {
        asked.insert(check.inside.buffer.get());
        asked.insert(check.index.buffer.get());
    }
    asked_.clear();
    for (std::size_t k = 0; k < placed_.size(); ++k)
        if (asked.contains(placed_[k].buffer.get())) asked_.push_back(k);
}

}  // namespace asnumpy
