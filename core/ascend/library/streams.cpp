// Waits between streams, by events that are recorded when somebody needs them.
#include "ascend/library/streams.hpp"

#include <algorithm>

#include "ascend/library/cann.hpp"
#include "ascend/library/context.hpp"

namespace asnumpy::ascend {
namespace {

// Ranges that are remembered before what has ended is forgotten, or, if that is not enough, all streams meet.
constexpr std::size_t most_ranges = 8192;

void raise(Clock& clock, StreamId stream, std::uint64_t number) {
    if (clock.size() <= stream) clock.resize(stream + std::size_t{1});
    clock[stream] = std::max(clock[stream], number);
}

void join(Clock& clock, const Clock& other) {
    for (std::size_t s = 0; s < other.size(); ++s) raise(clock, static_cast<StreamId>(s), other[s]);
}

bool knows(const Clock& clock, Point point) { return point.stream < clock.size() && clock[point.stream] >= point.number; }

}  // namespace

bool Streams::extended() { return cann().aclrtCreateEventExWithFlag != nullptr; }

void* Streams::make_event(std::uint32_t flags) {
    const Cann& c = cann();
    void* event = nullptr;
    if (extended()) device_.check(c.aclrtCreateEventExWithFlag(&event, flags), "aclrtCreateEventExWithFlag");
    else device_.check(c.aclrtCreateEventWithFlag(&event, flags), "aclrtCreateEventWithFlag");
    const std::lock_guard lock(events_mutex_);
    events_.insert(event);
    return event;
}

void Streams::destroy_event(void* event) noexcept {
    if (!event || ended()) return;  // the end has taken it
    const std::lock_guard lock(events_mutex_);
    if (events_.erase(event)) cann().aclrtDestroyEvent(event);
}

void* Streams::take_event() {
    {
        const std::lock_guard lock(events_mutex_);
        if (!spare_events_.empty()) {
            void* const event = spare_events_.back();
            spare_events_.pop_back();
            return event;
        }
        spare_events_.reserve(events_.size() + 1);  // so that giving one back never allocates
    }
    return make_event();
}

void Streams::give_event(void* event) noexcept {
    if (ended()) return;
    if (!extended()) return destroy_event(event);
    const std::lock_guard lock(events_mutex_);
    spare_events_.push_back(event);
}

void* Streams::create(int priority) {
    const Cann& c = cann();
    void* made = nullptr;
    if (c.aclrtCreateStreamWithConfig) {
        constexpr auto flags = static_cast<std::uint32_t>(cann::ACL_STREAM_FAST_LAUNCH | cann::ACL_STREAM_FAST_SYNC);
        device_.check(c.aclrtCreateStreamWithConfig(&made, static_cast<std::uint32_t>(priority), flags), "aclrtCreateStreamWithConfig");
    } else {
        device_.check(c.aclrtCreateStream(&made), "aclrtCreateStream");
    }
    return made;
}

void Streams::make(StreamId stream, int priority) {
    if (handle(stream)) return;
    void* const made = create(priority);
    if (all_.size() <= stream) all_.resize(stream + std::size_t{1});
    all_[stream].priority = priority;
    handles_[stream].store(made, std::memory_order_release);
    made_.store(std::max(made_.load(std::memory_order_relaxed), stream + 1u), std::memory_order_release);
    if (stream == 0) return select(0);
    if (!tracking_) all_[0].number = 1;  // all that was enqueued so far
    tracking_ = true;
    try {
        order(0, stream);
    } catch (...) {
        handles_[stream].store(nullptr, std::memory_order_release);
        cann().aclrtDestroyStream(made);
        throw;
    }
}

int Streams::query(StreamId stream, std::int32_t& status) const {
    const std::shared_lock lock(replacing_);
    return cann().aclrtStreamQuery(handle(stream), &status);
}

std::optional<StreamId> Streams::number_of(void* wanted) const {
    for (unsigned s = 0; s < count(); ++s)
        if (wanted && handle(static_cast<StreamId>(s)) == wanted) return static_cast<StreamId>(s);
    return std::nullopt;
}

bool Streams::give_up(StreamId stream) {
    if (states_[stream].load() == State::replaced) return false;
    states_[stream] = State::broken;
    broken_ = true;
    return true;
}

void Streams::has_worked(StreamId stream) {
    State state = State::replaced;
    if (states_[stream].load(std::memory_order_relaxed) == state) states_[stream].compare_exchange_strong(state, State::works);
}

void Streams::replace_broken() {
    broken_ = false;
    for (std::size_t s = 0; s < all_.size(); ++s) {
        const auto stream = static_cast<StreamId>(s);
        if (states_[s].load() != State::broken) continue;
        try {
            if (!device_.damage.settled(stream)) device_.finish(stream);  // what was enqueued there since
            void* const made = create(all_[s].priority);
            const Turns::Turn turn(turns, stream, {});
            const std::lock_guard lock(replacing_);
            cann().aclrtDestroyStream(handles_[s].exchange(made, std::memory_order_acq_rel));  // or all waits for the device would tell its failure
        } catch (...) {
            broken_ = true;
            throw;
        }
        all_[s].marked = 0;
        states_[s] = State::replaced;
    }
}

void Streams::use(StreamId stream) {
    selected_ = stream;
    device_.stream = handle(stream);
}

void Streams::order_uses(std::span<const Use> uses) {
    if (hazards_.size() > most_ranges) forget_done();
    conflicts_.clear();
    for (const Use& use : uses) hazards_.find(use, selected_, conflicts_);
    for (const Point& point : conflicts_) wait(selected_, point);
    const Point mine{selected_, ++all_[selected_].number};
    for (const Use& use : uses) hazards_.note(use, mine);
}

void Streams::record(StreamId stream) {
    One& one = all_[stream];
    if (!extended()) {  // waits for what the event captured before are not to be touched
        destroy_event(one.event);
        one.event = nullptr;
    }
    one.marked = 0;
    if (!one.event) one.event = make_event();
    device_.check(cann().aclrtRecordEvent(one.event, handle(stream)), "aclrtRecordEvent");
    one.marked = one.number;
    one.marked_knows = one.knows;
}

void Streams::wait(StreamId after, Point point) {
    if (after == point.stream || !tracking_ || knows(all_[after].knows, point)) return;
    mark(point);
    One& other = all_[point.stream];
    device_.check(cann().aclrtStreamWaitEvent(handle(after), other.event), "aclrtStreamWaitEvent");
    join(all_[after].knows, other.marked_knows);
    raise(all_[after].knows, point.stream, other.marked);
    device_.damage.ordered(point.stream, after);
}

void Streams::order(StreamId before, StreamId after) {
    if (before != after) wait(after, reached(before));
}

Point Streams::reached(StreamId stream) {
    return {stream, tracking_ ? ++all_[stream].number : 0};  // what others enqueued there has no number of its own
}

void Streams::mark(Point point) {
    if (tracking_ && all_[point.stream].marked < point.number) record(point.stream);
}

Clock Streams::snapshot(StreamId stream) {
    if (!tracking_) return {};
    Clock clock = all_[stream].knows;
    raise(clock, stream, all_[stream].number);
    return clock;
}

void Streams::learn(StreamId stream, const Clock& clock) {
    if (!tracking_) return;
    join(all_[stream].knows, clock);
    for (std::size_t s = 0; s < clock.size(); ++s)
        if (clock[s]) device_.damage.ordered(static_cast<StreamId>(s), stream);
}

Clock Streams::snapshot_of_all() const {
    Clock clock;
    for (std::size_t s = 0; tracking_ && s < all_.size(); ++s) clock.push_back(all_[s].number);
    return clock;
}

void Streams::has_ended(const Clock& clock) {
    if (!tracking_) return;
    hazards_.forget([&](const Point& point) { return knows(clock, point); });
    if (knows(clock, {0, joined_})) joined_ = 0;
}

StreamId Streams::writer_of(const void* data, std::size_t bytes) const {
    if (!tracking_) return selected_;
    std::vector<Point> found;
    hazards_.find({data, bytes, false}, selected_, found);
    return found.size() == 1 ? found[0].stream : selected_;
}

std::vector<StreamId> Streams::users_of(const Use& use) const {
    if (!tracking_) return {0};
    std::vector<StreamId> result;
    std::vector<Point> found;
    hazards_.find(use, most_streams, found);
    for (const Point& point : found) result.push_back(point.stream);
    if (joined_) result.push_back(0);
    return result;
}

void Streams::conflicts(std::span<const Use> uses, std::vector<Point>& found) const {
    for (const Use& use : uses) hazards_.find(use, most_streams, found);
}

// What has ended needs no wait any more.
void Streams::forget_done() {
    Clock done;
    for (std::size_t s = 0; s < all_.size(); ++s) {
        std::int32_t status = cann::ACL_EVENT_RECORDED_STATUS_NOT_READY;
        if (!handle(static_cast<StreamId>(s)) || !all_[s].marked) continue;
        device_.check(cann().aclrtQueryEventStatus(all_[s].event, &status), "aclrtQueryEventStatus");
        if (status == cann::ACL_EVENT_RECORDED_STATUS_COMPLETE) raise(done, static_cast<StreamId>(s), all_[s].marked);
    }
    has_ended(done);
    if (hazards_.size() > most_ranges / 2) join_all();
}

void Streams::join_all() {
    const auto count = static_cast<StreamId>(all_.size());
    for (StreamId s = 1; s < count; ++s)
        if (handle(s)) order(s, 0);
    for (StreamId s = 1; s < count; ++s)
        if (handle(s)) order(0, s);
    hazards_.clear();
    joined_ = all_[0].number;
}

void Streams::release() noexcept {
    const Cann& c = cann();
    {
        const std::lock_guard lock(events_mutex_);
        for (void* const event : events_) c.aclrtDestroyEvent(event);
        events_.clear();
        spare_events_.clear();
    }
    for (auto& one : handles_)
        if (void* const stream = one.exchange(nullptr)) c.aclrtDestroyStream(stream);
    device_.stream = nullptr;
    tracking_ = false;
    made_ = 0;
}

}  // namespace asnumpy::ascend
