// Calls of one recorded function at the same time: the second one uses a double of the recording, which has the same plan and other stand-ins.
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "runtime/record.hpp"
#include "runtime/replay.hpp"

namespace asnumpy {

namespace {

// Stand-ins of a double by those that they are made after.
class StandIns {
public:
    StandIns(const Traced& traced, std::span<const BufferPtr> constants) {
        for (const auto& shared : {std::span<const BufferPtr>(traced.captured), constants})
            for (const BufferPtr& b : shared) made_.emplace(b.get(), b);
    }
    void change(BufferPtr& b) {
        if (!b || !b->trace) return;
        BufferPtr& one = made_[b.get()];
        if (!one) {
            one = BufferPtr(new Buffer(b->pool(), b->bytes()));
            one->trace = b->trace;
        }
        b = one;
    }
    void change(std::vector<Array>& arrays) {
        for (Array& a : arrays) change(a.buffer);
    }
    void change(std::vector<BufferPtr>& buffers) {
        for (BufferPtr& b : buffers) change(b);
    }
    const Buffer* of(const Buffer* b) const { return made_.at(b).get(); }

private:
    std::unordered_map<const Buffer*, BufferPtr> made_;
};

}  // namespace

// A call may run by `of` meanwhile: what that changes is not read. Only of a recording without controls.
Replay::Replay(const Replay& of, Double)
    : traced_(of.traced_), donated_(of.donated_), reused_(of.reused_), results_(of.results_), draws_(of.draws_), dropped_(of.dropped_) {
    StandIns stand_ins(traced_, of.constants_);
    for (Instruction& instruction : traced_.list) {
        for (Argument& in : instruction.in)
            if (Array* const a = in.array()) stand_ins.change(a->buffer);
        for (Array& out : instruction.out) stand_ins.change(out.buffer);
    }
    stand_ins.change(traced_.arguments);
    stand_ins.change(traced_.results);
    for (RangeCheck& check : traced_.checks) {
        stand_ins.change(check.inside.buffer);
        stand_ins.change(check.index.buffer);
    }
    stand_ins.change(dropped_);
    for (const Placed& placed : of.placed_) {
        placed_.push_back(placed);
        stand_ins.change(placed_.back().buffer);
    }
    if (of.block_) block_ = BufferPtr(new Buffer(of.block_->pool(), of.block_->bytes()));
    for (const Stretch& stretch : of.stretches_) {
        Stretch& made = stretches_.emplace_back();
        made.first = stretch.first;
        made.count = stretch.count;
        made.schedule = stretch.schedule;
        made.drops = stretch.drops;
        for (std::vector<BufferPtr>& after_part : made.drops) stand_ins.change(after_part);
        for (const auto& [buffer, root] : stretch.again.roots) made.again.roots.emplace(stand_ins.of(buffer), root);
    }
    find_rounds();
}

// What the host made while the function was traced, and the list only reads.
void Replay::find_constants() {
    std::unordered_set<const Buffer*> seen;
    const auto add = [&](Buffer& b) {
        if (b.trace && b.materialised() && seen.insert(&b).second) constants_.emplace_back(&b);
    };
    for (const Instruction& instruction : traced_.list) each_buffer(instruction, [&](Buffer& b, bool) { add(b); });
    for (const RangeCheck& check : traced_.checks) add(*check.index.buffer);
}

// Places of draws are written into the list: where there are any, nobody runs by the original.
Replay& Replay::at_seat(int seat) {
    if (seat == 0 && draws_.empty()) return *this;
    std::unique_ptr<Replay>& found = doubles_[static_cast<std::size_t>(seat)];
    if (!found) found.reset(new Replay(*this, Double{}));
    return *found;
}

}  // namespace asnumpy
