// The content of a list as a row of words. What can change the schedule is in it, and no more: buffers, shapes and
// constants only by which of them are the same; a view's numbers only where its buffer is seen through several.
#include "runtime/schedule.hpp"

#include "base/hash.hpp"
#include "runtime/record.hpp"

namespace asnumpy {

namespace {

constexpr std::size_t most_schedules = 512;

// The first byte says what a word, and those that belong to it, describe: no list can read as another.
std::uint64_t tagged(std::uint64_t tag, std::uint64_t a, std::uint64_t b = 0) { return tag << 56 | a << 24 | b; }

void append(std::vector<std::uint64_t>& key, const View& view) {
    key.push_back(tagged(6, static_cast<std::uint64_t>(view.ndim())));
    key.push_back(static_cast<std::uint64_t>(view.offset));
    for (const std::int64_t length : view.shape) key.push_back(static_cast<std::uint64_t>(length));
    for (const std::int64_t stride : view.strides) key.push_back(static_cast<std::uint64_t>(stride));
}

}  // namespace

Schedule divide(const Draft& draft) {
    const std::span<const Instruction> list = draft.list;
    Census& census = draft.census;
    Schedule made;
    made.edits = draft.edits;
    made.done = draft.done;
    for (std::uint32_t k = 0; k < list.size(); ++k)
        if (draft.dead[k]) made.dead.push_back(k);
    std::vector<Group> groups = form_groups(list, draft.dead, draft.edits.turned, draft.bounds);
    if (draft.edits.turned.empty()) sink(list, groups, census, draft.bounds);
    std::vector<Fused> fused = fuse(list, groups, draft.edits.turned, census);
    constexpr std::uint32_t never = ~std::uint32_t{0};
    std::vector<std::uint32_t> touched_by(census.marks().size(), never);
    std::uint32_t run = 0;  // the first of the parts that follow one another up to here
    for (std::uint32_t g = 0; g < groups.size(); ++g) {
        Schedule::Part& part = made.parts.emplace_back();
        part.group = std::move(groups[g]);
        part.fused = std::move(fused[g]);
        for (const Place& place : part.fused.outputs) {
            const Census::Mark& mark = census[*list[place.instruction].out[place.slot].buffer];
            part.last_touch.push_back(mark.outside ? Schedule::outside : mark.last_group);
        }
        const Pool* const pool = &list[part.group.members[0]].out[0].pool();
        bool shares = false;
        for (const std::uint32_t member : part.group.members) {
            each_buffer(list[member], [&](const Buffer& b, bool) {
                std::uint32_t& last = touched_by[b.number];
                shares = shares || (last != never && last >= run && last < g);
                last = g;
            });
        }
        part.follows = draft.shares_lines && shares && !part.group.alone && !made.parts[g - 1].group.alone && pool == &list[made.parts[g - 1].group.members[0]].out[0].pool();
        if (!part.follows) run = g;
    }
    return made;
}

std::size_t ScheduleCache::Hash::operator()(const Key& key) const { return word_hash(key); }

void ScheduleCache::describe(std::span<const Instruction> list, const Census& census, Passes passes) {
    key_.clear();
    key_.push_back(passes);
    shapes_.clear();
    scalars_.clear();
    seen_.assign(census.marks().size(), {});
    const auto operand = [this](const Array& a) {
        Seen& seen = seen_[a.buffer->number];
        key_.push_back(tagged(1, a.buffer->number, static_cast<std::uint64_t>(a.dtype)));
        if (by_views_) return append(key_, a.view);
        if (!seen.first) {
            seen.first = &a;
        } else if (a.dtype != seen.first->dtype || !(a.view == seen.first->view)) {
            if (!seen.differs) append(key_, seen.first->view);
            seen.differs = true;
            append(key_, a.view);
        }
    };
    for (const Instruction& i : list) {
        std::size_t shape = 0;
        if (i.work != Work::structured) {
            while (shape < shapes_.size() && !(*shapes_[shape] == i.shape)) ++shape;
            if (shape == shapes_.size()) shapes_.push_back(&i.shape);
        }
        static_assert(most_devices <= 64 && most_streams <= 1024 && sizeof i.row == 2);  // 6, 10 and 16 bits
        const std::uint64_t place = std::uint64_t{i.out[0].pool().number()} << 10 | i.on_stream;
        static_assert(sizeof i.loop == 2);
        key_.push_back(tagged(2 + static_cast<std::uint64_t>(i.work), place << 16 | i.row, std::uint64_t{i.on_host} << 16 | i.loop));
        key_.push_back(shape);
        if (i.work == Work::reduction) key_.push_back(i.reduced);
        if (by_views_) key_.insert(key_.end(), {static_cast<std::uint64_t>(i.axis), static_cast<std::uint64_t>(i.option)});
        for (const Argument& in : i.in) {
            if (const Array* a = in.array()) {
                operand(*a);
                continue;
            }
            const Scalar& s = *in.scalar();
            std::size_t which = 0;
            while (which < scalars_.size() && !(scalars_[which]->dtype == s.dtype && scalars_[which]->bytes == s.bytes)) ++which;
            if (which == scalars_.size()) scalars_.push_back(&s);
            key_.push_back(tagged(5, which, static_cast<std::uint64_t>(s.dtype)));
        }
        for (const Array& out : i.out) operand(out);
    }
    std::uint64_t outside = 0;
    std::size_t bits = 0;
    for (const Census::Mark& mark : census.marks()) {
        outside = outside << 1 | (mark.outside ? 1u : 0u);
        if (++bits % 64 == 0) key_.push_back(std::exchange(outside, 0));
    }
    key_.push_back(outside);
}

std::shared_ptr<const Schedule> ScheduleCache::find(std::span<const Instruction> list, const Census& census, Passes passes, bool by_views) {
    by_views_ = by_views;
    describe(list, census, passes);
    const auto& schedules = schedules_[by_views_];
    const auto found = schedules.find(key_);
    return found == schedules.end() ? nullptr : found->second;
}

void ScheduleCache::keep(std::shared_ptr<const Schedule> schedule) {
    auto& schedules = schedules_[by_views_];
    if (schedules.size() >= most_schedules) schedules.clear();
    schedules.insert_or_assign(key_, std::move(schedule));
}

}  // namespace asnumpy
