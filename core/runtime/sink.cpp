// Work moves down to its only readers where that leaves less to write and to read: what a loop computes from values that it has just put back
// would else be kept for the next turn in memory of its own.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/fuse.hpp"
#include "runtime/queue.hpp"

namespace asnumpy {

namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

class Sinking {
public:
    Sinking(std::span<const Instruction> list, std::vector<Group>& groups, Census& census, std::span<const std::uint32_t> bounds)
        : list_(list), groups_(groups), census_(census), bounds_(bounds), group_of_(list.size(), none), readers_(census.marks().size()), writers_(census.marks().size()) {
        for (std::uint32_t g = 0; g < groups.size(); ++g)
            for (const std::uint32_t member : groups[g].members) {
                group_of_[member] = g;
                for (const Argument& in : list[member].in)
                    if (const Array* a = in.array()) readers_[a->buffer->number].push_back(member);
                for (const Array& out : list[member].out) writers_[out.buffer->number].push_back(member);
            }
    }

    void run() {
        for (std::size_t g = groups_.size(); g-- > 0;) {
            if (groups_[g].alone) continue;
            for (std::size_t k = groups_[g].members.size(); k-- > 0;) {
                const std::uint32_t member = groups_[g].members[k], to = reader_of(member);
                std::vector<std::uint32_t> moved;
                if (to == none || !may_sink(member, to, moved)) continue;
                std::ranges::for_each(moved, [&](std::uint32_t one) { move(one, to); });
                k = groups_[g].members.size();
            }
        }
        std::erase_if(groups_, [](const Group& group) { return group.members.empty(); });
    }

private:
    // The only group that reads what the instruction makes, which nobody else sees.
    std::uint32_t reader_of(std::uint32_t position) const {
        if (list_[position].out.empty()) return none;
        const std::vector<std::uint32_t>& readers = readers_[list_[position].out[0].buffer->number];
        if (readers.empty()) return none;
        const std::uint32_t group = group_of_[readers.front()];
        return group > group_of_[position] && is_for(position, [&](std::uint32_t reader) { return group_of_[reader] == group; }) ? group : none;
    }

    // Whether it alone makes one array, which nobody sees but these, element by element.
    template <class Reader> bool is_for(std::uint32_t position, Reader is_one) const {
        const Instruction& instruction = list_[position];
        if (instruction.work != Work::elementwise || instruction.out.size() != 1) return false;
        const Buffer& made = *instruction.out[0].buffer;
        return !census_[made].outside && writers_[made.number].size() == 1 &&
               std::ranges::all_of(readers_[made.number], [&](std::uint32_t reader) { return is_one(reader) && reads_as_made(reader, instruction.out[0]); });
    }

    // Element by element, where it is made: no neighbours, nothing turned.
    bool reads_as_made(std::uint32_t reader, const Array& made) const {
        return std::ranges::all_of(list_[reader].in, [&](const Argument& in) {
            const Array* const read = in.array();
            return !read || read->buffer != made.buffer || is_same(*read, made);
        });
    }

    static bool is_same(const Array& a, const Array& b) { return a.dtype == b.dtype && a.ndim() == b.ndim() && same_elements(a.view, b.view); }

    // Nothing that it reads is written before it would run, and all of that is at hand there, as it reads it, or made by what sinks as well.
    bool may_sink(std::uint32_t position, std::uint32_t to, std::vector<std::uint32_t>& moved) const {
        const Instruction& instruction = list_[position];
        const Group& group = groups_[to];
        const Instruction& first = list_[group.members.front()];
        moved.push_back(position);
        if (group.alone || group.members.size() + moved.size() > most_members || !(first.shape == instruction.shape) || first.on_stream != instruction.on_stream ||
            &first.out[0].pool() != &instruction.out[0].pool() || between_bounds(position) != between_bounds(group.members.front()))
            return false;
        return std::ranges::all_of(instruction.in, [&](const Argument& in) {
            if (!in.array()) return true;
            if (at_hand(*in.array(), to)) return stays(*in.array()->buffer, position, to);
            const std::uint32_t maker = maker_of(*in.array(), position, to, moved);
            return maker != none && (std::ranges::find(moved, maker) != moved.end() || may_sink(maker, to, moved));
        });
    }

    // Of the same group, where nobody reads what it makes but those that sink.
    std::uint32_t maker_of(const Array& array, std::uint32_t position, std::uint32_t to, const std::vector<std::uint32_t>& moved) const {
        const std::vector<std::uint32_t>& writers = writers_[array.buffer->number];
        if (writers.size() != 1 || group_of_[writers[0]] != group_of_[position] || writers[0] > position) return none;
        return is_for(writers[0], [&](std::uint32_t reader) { return group_of_[reader] == to || std::ranges::find(moved, reader) != moved.end(); }) ? writers[0] : none;
    }

    std::size_t between_bounds(std::uint32_t position) const {
        return static_cast<std::size_t>(std::ranges::upper_bound(bounds_, position) - bounds_.begin());
    }

    // Read there too, or beside what is: its lines are in a cache by then.
    bool at_hand(const Array& array, std::uint32_t to) const {
        bool exact = false, beside = false, written = false;
        for (const std::uint32_t member : groups_[to].members) {
            for (const Argument& in : list_[member].in) {
                const Array* const other = in.array();
                if (!other || other->buffer != array.buffer || other->dtype != array.dtype || !(other->view.strides == array.view.strides)) continue;
                beside = true;
                exact = exact || is_same(*other, array);
            }
            for (const Array& out : list_[member].out) written = written || out.buffer == array.buffer;
        }
        return exact || (beside && !written);
    }

    bool stays(const Buffer& read, std::uint32_t position, std::uint32_t to) const {
        return std::ranges::none_of(writers_[read.number], [&](std::uint32_t writer) {
            return group_of_[writer] < to ? writer > position : group_of_[writer] == to && writer < position;
        });
    }

    void move(std::uint32_t member, std::uint32_t to) {
        std::erase(groups_[group_of_[member]].members, member);
        std::vector<std::uint32_t>& members = groups_[to].members;
        members.insert(std::ranges::upper_bound(members, member), member);
        group_of_[member] = to;
    }

    std::span<const Instruction> list_;
    std::vector<Group>& groups_;
    Census& census_;
    std::span<const std::uint32_t> bounds_;
    std::vector<std::uint32_t> group_of_;  // by position
    std::vector<std::vector<std::uint32_t>> readers_, writers_;  // positions, by number of a buffer
};

}  // namespace

void sink(std::span<const Instruction> list, std::vector<Group>& groups, Census& census, std::span<const std::uint32_t> bounds) {
    Sinking(list, groups, census, bounds).run();
}

}  // namespace asnumpy
