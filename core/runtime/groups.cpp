// Which instructions run together. A group waits for others that began after it, where none of these needs it, for the sake of what can then join it.
#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/bits.hpp"
#include "runtime/record.hpp"
#include "runtime/unmade.hpp"

namespace asnumpy {

namespace {

constexpr std::size_t most_inputs = 24;
constexpr std::size_t most_open = 12;  // groups among which one is sought for an instruction

struct Open {
    Group group;
    const Instruction* first = nullptr;
    std::uint64_t reduced = 0;
    std::size_t inputs = 0;
    std::vector<Touch> touches;
    std::uint32_t before = 0;            // bit g: open group g runs before it
    const Array* overwritten = nullptr;  // of a buffer that the group has read before
};

// What this instruction writes after it, or the group, has read from its buffer, and is not what the group is known to
// overwrite; null: there is nothing.
const Array* overwrites(const Instruction& instruction, const Open& open) {
    const Array* found = nullptr;
    for (const Array& out : instruction.out) {
        const Buffer* const buffer = out.buffer.get();
        const bool read = std::ranges::any_of(instruction.in, [&](const Argument& in) { return in.array() && in.array()->buffer.get() == buffer; }) ||
                          std::ranges::any_of(open.touches, [&](const Touch& touch) { return touch.buffer == buffer && touch.kind == Touch::read; });
        const bool known = open.overwritten && open.overwritten->buffer == out.buffer && open.overwritten->dtype == out.dtype &&
                           same_elements(open.overwritten->view, out.view);
        if (read && !known) found = &out;
    }
    return found;
}

bool stands_alone(const Instruction& instruction) { return instruction.work == Work::structured || instruction.on_host; }

// conflicts: they touch some buffer, and at least one of the two writes it.
bool may_join(const Instruction& instruction, const Open& open, const Unmade& unmade, bool conflicts) {
    if (open.group.alone || stands_alone(instruction)) return false;
    if (open.group.members.size() >= most_members || open.inputs + instruction.in.size() > most_inputs) return false;
    if (!(instruction.shape == open.first->shape) || &instruction.out[0].pool() != &open.first->out[0].pool() ||
        instruction.on_stream != open.first->on_stream)
        return false;
    if (instruction.work == Work::reduction && open.reduced && open.reduced != instruction.reduced) return false;
    // What fails on a device after its first calls runs again: nothing that it reads may be overwritten before the last of
    // them, and only one array can be the last. On the host nothing fails half-way.
    if (open.overwritten && !instruction.out[0].pool().host_visible() && overwrites(instruction, open)) return false;
    if (!conflicts) return true;
    bool legal = true;
    each_touch(instruction, unmade, [&](const Touch& mine) {
        for (const Touch& theirs : open.touches) {
            if (theirs.buffer != mine.buffer || (mine.kind == Touch::read && theirs.kind == Touch::read)) continue;
            if (!mine.array || !theirs.array) {
                legal = false;
                continue;
            }
            const bool exact = mine.kind != Touch::reduced && theirs.kind != Touch::reduced &&
                               mine.array->dtype == theirs.array->dtype && same_elements(mine.array->view, theirs.array->view);
            if (!exact && may_overlap(*mine.array, *theirs.array)) legal = false;
        }
    });
    return legal;
}

// Whether the instruction reads what the group makes, as it makes it.
bool feeds(const Open& open, const Instruction& instruction) {
    return std::ranges::any_of(open.touches, [&](const Touch& made) {
        return made.kind == Touch::write && std::ranges::any_of(instruction.in, [&](const Argument& in) {
            const Array* const read = in.array();
            return read && read->buffer.get() == made.buffer && same_elements(read->view, made.array->view);
        });
    });
}

// Short launches are kept in rounds (rounds.hpp), which are alike where each instruction runs with those near it. For them a group waits only for who
// reads what it makes.
bool is_worth_waiting(const Open& open, const Instruction& instruction) {
    return count(instruction.shape) > longest_in_round || feeds(open, instruction);
}

void join(Open& open, const Instruction& instruction, std::uint32_t position, const Unmade& unmade) {
    open.group.members.push_back(position);
    if (!instruction.out[0].pool().host_visible())
        if (const Array* const array = overwrites(instruction, open)) open.overwritten = array;
    if (instruction.work == Work::reduction) open.reduced = instruction.reduced;
    each_touch(instruction, unmade, [&](const Touch& mine) {
        const auto known = [&](const Touch& theirs) { return theirs.buffer == mine.buffer && theirs.copy == mine.copy; };
        if (mine.kind == Touch::read && std::ranges::none_of(open.touches, known)) ++open.inputs;
        open.touches.push_back(mine);
    });
}

// Groups that are open, and those that are not any more, in the order in which they run. Whenever of two instructions in different groups one has to
// run after the other, so has its group: what runs before what never goes round.
class Grouping {
public:
    explicit Grouping(const Unmade& unmade) : unmade_(unmade) {}

    void add(const Instruction& instruction, std::uint32_t position) {
        const std::uint32_t needed = needed_by(instruction);
        std::uint32_t past = 0;  // the groups that it has been compared with
        const auto may_be_home = [&](std::size_t g) {
            const bool waits = (past & needed) != 0;  // the group would, for what it does not need itself
            past |= mask(g);
            return !has_bit(all_before(needed & ~mask(g)), g) && may_join(instruction, open_[g], unmade_, has_bit(needed, g)) && (!waits || is_worth_waiting(open_[g], instruction));
        };
        const auto found = std::find_if(order_.rbegin(), order_.rend(), may_be_home);
        const std::size_t home = found == order_.rend() ? new_group(instruction) : *found;
        Open& group = open_[home];
        group.before |= (needed | all_before(needed)) & all_open() & ~mask(home);
        for (const std::size_t other : order_)
            if (has_bit(open_[other].before, home)) open_[other].before |= group.before;
        join(group, instruction, position, unmade_);
        each_touch(instruction, unmade_, [&](const Touch& touch) { users_[touch.buffer->number][touch.kind != Touch::read] |= mask(home); });
    }

    void close_all() {
        while (!order_.empty()) close_one();
    }

    std::vector<Group> take() {
        close_all();
        return std::move(closed_);
    }

private:
    static std::uint32_t mask(std::size_t group) { return std::uint32_t{1} << group; }

    // The open groups that run before the instruction.
    std::uint32_t needed_by(const Instruction& instruction) {
        std::uint32_t needed = 0;
        each_touch(instruction, unmade_, [&](const Touch& touch) {
            if (users_.size() <= touch.buffer->number) users_.resize(std::size_t{touch.buffer->number} + 1);
            const auto& [readers, writers] = users_[touch.buffer->number];
            needed |= touch.kind == Touch::read ? writers : readers | writers;
        });
        return needed;
    }

    // Those that run before some of these.
    std::uint32_t all_before(std::uint32_t groups) const {
        std::uint32_t found = 0;
        for (; groups; groups &= groups - 1) found |= open_[static_cast<std::size_t>(std::countr_zero(groups))].before;
        return found;
    }

    std::uint32_t all_open() const {
        std::uint32_t all = 0;
        for (const std::size_t g : order_) all |= mask(g);
        return all;
    }

    std::size_t new_group(const Instruction& first) {
        if (order_.size() == most_open) close_one();
        const auto free = static_cast<std::size_t>(std::countr_one(all_open()));
        order_.push_back(free);
        open_[free].first = &first;
        open_[free].group.alone = stands_alone(first);
        return free;
    }

    // The first one that waits for no other.
    void close_one() {
        const auto next = std::ranges::find_if(order_, [this](std::size_t g) { return open_[g].before == 0; });
        const std::size_t which = *next;
        order_.erase(next);
        Open done = std::exchange(open_[which], {});
        for (const Touch& touch : done.touches)
            for (std::uint32_t& groups : users_[touch.buffer->number]) groups &= ~mask(which);
        for (const std::size_t other : order_) open_[other].before &= ~mask(which);
        closed_.push_back(std::move(done.group));
    }

    const Unmade& unmade_;
    std::array<Open, most_open> open_;
    std::vector<std::size_t> order_;                   // of those that there are, as they began
    std::vector<std::array<std::uint32_t, 2>> users_;  // by number of a buffer: the open groups that read it, and that write it
    std::vector<Group> closed_;
};

}  // namespace

std::vector<Group> form_groups(std::span<const Instruction> list, const std::vector<bool>& dead, std::span<const TurnedCopy> copies, std::span<const std::uint32_t> bounds) {
    const Unmade unmade(list, copies);
    std::vector<bool> left_out = dead;
    for (const TurnedCopy& copy : copies)
        for (const std::uint32_t piece : copy.pieces) left_out[piece] = true;
    Grouping grouping(unmade);
    for (std::uint32_t position = 0; position < list.size(); ++position) {
        for (; !bounds.empty() && bounds.front() <= position; bounds = bounds.subspan(1)) grouping.close_all();
        if (!left_out[position]) grouping.add(list[position], position);
    }
    std::vector<Group> groups = grouping.take();
    if (copies.empty()) return groups;
    std::vector<bool> done(list.size(), false);
    for (std::size_t g = groups.size(); g-- > 0;) {
        Group& group = groups[g];
        for (const std::uint32_t member : group.members)
            for (const Argument& in : list[member].in)
                if (const TurnedCopy* const copy = unmade.find(in); copy && std::ranges::find(group.through, copy->pieces[0]) == group.through.end())
                    group.through.insert(group.through.end(), copy->pieces.begin(), copy->pieces.end());
        for (const std::uint32_t piece : group.through) {
            if (!done[piece]) group.unmade.push_back(piece);
            done[piece] = true;
        }
    }
    return groups;
}

}  // namespace asnumpy
