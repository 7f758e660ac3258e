// Single operators: where a call of a batch runs, and what calls have cost.
#include "ascend/launch/single.hpp"

#include <algorithm>

#include "ascend/launch/device_state.hpp"
#include "ascend/launch/movement.hpp"
#include "base/fork_mutex.hpp"
#include "base/immortal.hpp"

namespace asnumpy::ascend {

namespace {

struct Known {
    ForkMutex mutex{95};
    std::vector<Figures> figures = std::vector<Figures>(cann::operators().size());
};
Known& known() {
    static Immortal<Known> instance;
    return *instance;
}

}  // namespace

void note_call(std::size_t op, std::uint64_t bytes, std::uint64_t workspace, std::uint64_t nanoseconds) {
    const std::lock_guard lock(known().mutex);
    Figures& f = known().figures[op];
    if (f.recent.size() < Figures::most_recent) f.recent.push_back(nanoseconds);
    else f.recent[f.count % Figures::most_recent] = nanoseconds;
    ++f.count;
    f.bytes += bytes;
    f.nanoseconds += nanoseconds;
    f.workspace = std::max(f.workspace, workspace);
}

void note_failure(std::size_t op) {
    const std::lock_guard lock(known().mutex);
    ++known().figures[op].failures;
}

std::vector<std::pair<std::size_t, Figures>> all_figures() {
    const std::lock_guard lock(known().mutex);
    std::vector<std::pair<std::size_t, Figures>> result;
    for (std::size_t op = 0; op < known().figures.size(); ++op)
        if (const Figures& f = known().figures[op]; f.count || f.failures) result.emplace_back(op, f);
    return result;
}

void forget_figures() {
    const std::lock_guard lock(known().mutex);
    std::ranges::fill(known().figures, Figures{});
}

Batch::Batch(DeviceState& device, unsigned streams, bool apart)
    : device_(device), apart_(apart), launched_(streams), begun_(streams), latest_(streams) {
    streams_.reserve(streams);
    try {
        for (unsigned i = 0; i < streams; ++i) streams_.push_back(is_own(i) ? StreamId{0} : device.pool->backend().take_stream(0));
    } catch (...) {
        give();
        throw;
    }
}

Batch::~Batch() { give(); }

void Batch::give() noexcept {
    for (std::size_t i = 0; i < streams_.size(); ++i)
        if (!is_own(i)) device_.pool->backend().give_stream(streams_[i]);
    streams_.clear();
}

void Batch::begin() {
    const Enqueuing enqueuing(device_);
    own_.clear();
    before_ = device_.streams.reached(device_.streams.selected());
    if (!apart_) {
        streams_[0] = before_.stream;
        if (streams_.size() > 1) device_.streams.mark(before_);  // before the stream gets calls of the batch, which the others need not await
    }
    for (std::size_t i = 0; i < streams_.size(); ++i) begun_[i] = device_.streams.enqueued(streams_[i]);
}

void Batch::end() {
    const Enqueuing enqueuing(device_);
    const StreamId after = device_.streams.selected();
    for (std::size_t i = 0; i < streams_.size(); ++i)
        if (launched_[i]) device_.streams.order(streams_[i], after);
}

bool Batch::is_of_batch(std::size_t place, std::uint64_t number) const {
    return is_own(place) ? std::ranges::binary_search(own_, number) : number > begun_[place];
}

void Batch::note_placed() {
    if (is_own(chosen_)) own_.push_back(device_.streams.enqueued(streams_[0]));
}

// Where something that it must come after was put last: what else it depends on has had the most time since.
StreamId Batch::choose(std::span<const Use> uses) {
    conflicts_.clear();
    device_.streams.conflicts(uses, conflicts_);
    std::size_t chosen = streams_.size();
    for (const Point& point : conflicts_) {
        const auto place = static_cast<std::size_t>(std::ranges::find(streams_, point.stream) - streams_.begin());
        if (place == streams_.size() || !is_of_batch(place, point.number)) continue;
        if (chosen == streams_.size() || latest_[place] > latest_[chosen]) chosen = place;
    }
    if (chosen == streams_.size()) {
        chosen = next_;
        next_ = (next_ + 1) % streams_.size();
    }
    device_.streams.wait(streams_[chosen], before_);
    ++launched_[chosen];
    latest_[chosen] = ++placed_;
    chosen_ = chosen;
    return streams_[chosen];
}

void Batch::wait(std::size_t place) { device_.synchronize(streams_.at(place)); }

StreamId Batch::place(const Operator& op, std::span<const Argument> arguments) {
    uses_.clear();
    add_uses(op, arguments, uses_);
    return choose(uses_);
}

void* Batch::place(std::span<const Use> uses) {
    const Enqueuing enqueuing(device_);
    device_.streams.select(choose(uses));
    device_.streams.before(uses);
    note_placed();
    return device_.stream;
}

namespace {

// What is damaged is not read. Returns what the call writes as a whole.
std::vector<Use> expect_whole(const Damage& damage, const Operator& op, std::span<const Argument> arguments) {
    std::vector<Use> whole;
    if (!anything_damaged()) return whole;
    each_tensor(arguments, [&](std::size_t i, const Tensor& t) {
        const Use use = use_of(t, true);
        if (op.parameters[i].direction != cann::Direction::out) damage.expect_whole(use.data, use.bytes);
        else if (is_dense(t)) whole.push_back(use);
    });
    return whole;
}

}  // namespace

OthersCall::OthersCall(DeviceState& device, void* stream, const char* name, std::vector<Use> uses, std::span<const Use> whole)
    : device_(device), name_(name), uses_(std::move(uses)), stream_(device.streams.number_of(stream)) {
    if (!stream_) return;
    const std::lock_guard lock(device_.mutex);
    healed_ = device_.damage.heal_written(whole);
    device_.damage.note_writes(*stream_, name_, uses_);
}

void OthersCall::refused() { device_.damage.damage_again(healed_); }

void OthersCall::launched() {
    if (!stream_) return;
    const std::lock_guard lock(device_.mutex);  // noted once more: others may have enqueued work meanwhile, and waited for that
    device_.damage.enqueue(*stream_, name_, uses_, [] {});
}

void call_single(DeviceState& device, Operator& op, std::span<const Argument> arguments, Batch* batch, std::uint64_t bytes, Marks marks) {
    const auto place = static_cast<std::size_t>(op.facts - cann::operators().data());
    CallCount cost;
    try {
        const Enqueuing enqueuing(device);
        if (batch) device.streams.select(batch->place(op, arguments));
        if (marks.start) device.check(cann().aclrtRecordEvent(marks.start, device.stream), "aclrtRecordEvent");
        device.damage.healing(expect_whole(device.damage, op, arguments), [&] { device.caller.call(op, arguments, nullptr, &cost); });
        if (batch) batch->note_placed();
        if (marks.end) device.check(cann().aclrtRecordEvent(marks.end, device.stream), "aclrtRecordEvent");
    } catch (...) {
        note_failure(place);
        throw;
    }
    note_call(place, bytes, cost.workspace, cost.nanoseconds);
}

}  // namespace asnumpy::ascend
