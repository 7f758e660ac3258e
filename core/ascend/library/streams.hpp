// The streams of one device: CANN's handles, the one that work goes to, and the order between streams where they use the
// same memory. While a device has its first stream only, nothing is tracked.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <unordered_set>
#include <vector>

#include "ascend/library/turns.hpp"
#include "cann/abi.hpp"
#include "device/hazards.hpp"

namespace asnumpy::ascend {

class Context;

// For each stream, by number, the last work that is known to lie before.
using Clock = std::vector<std::uint64_t>;

class Streams {
public:
    explicit Streams(Context& device) : device_(device) {}

    // --- on the device, with its mutex held ---

    // CANN's stream for a number, once per number; 0 first. Its work comes after all that was enqueued before.
    void make(StreamId, int priority);
    // What is enqueued next goes to the stream. Those that were given up get another of CANN's first.
    void select(StreamId stream) {
        if (broken_.load(std::memory_order_relaxed)) [[unlikely]] replace_broken();
        use(stream);
    }
    StreamId selected() const { return selected_; }
    bool tracking() const { return tracking_; }
    // To be called before work that uses these bytes is enqueued: its stream waits for what it conflicts with.
    void before(std::span<const Use> uses) {
        if (tracking_) [[unlikely]] order_uses(uses);
    }
    void before(std::initializer_list<Use> uses) { before(std::span(uses.begin(), uses.size())); }
    // The stream on which bytes are best read by the host: that of their writer, so that nothing else is waited for.
    StreamId writer_of(const void* data, std::size_t bytes) const;
    // The streams whose work uses bytes that the host wants to read, or to write.
    std::vector<StreamId> users_of(const Use&) const;
    // The work of any stream that these uses conflict with; and the number of the work that a stream got last.
    void conflicts(std::span<const Use>, std::vector<Point>& found) const;
    std::uint64_t enqueued(StreamId stream) const { return all_[stream].number; }
    // What is enqueued later on `after` comes after all of `before`.
    void order(StreamId before, StreamId after);
    // The point after all that the stream has, by whomever, and what others are to come after it: the event is recorded now, or by
    // the first wait, which then comes after later work of the stream, too.
    Point reached(StreamId);
    void mark(Point);
    void wait(StreamId after, Point);
    // What the stream's work up to now comes after, itself included; and what a stream that has waited for such a point knows.
    Clock snapshot(StreamId);
    void learn(StreamId, const Clock&);
    Clock snapshot_of_all() const;
    void has_ended(const Clock&);  // the host has seen it: nobody needs to wait for it any more

    // --- whoever calls, the mutex held or not ---

    void* handle(StreamId stream) const { return handles_[stream].load(std::memory_order_acquire); }
    std::optional<StreamId> number_of(void* handle) const;
    // Its waits fail again and again. False: that of CANN's which replaced another one already does, too.
    bool give_up(StreamId);
    void has_worked(StreamId);  // a wait was good
    // Waits go through turns, which keep a stream from being replaced, as well.
    Turns turns;
    int query(StreamId, std::int32_t& status) const;  // aclrtStreamQuery's code
    unsigned count() const { return made_.load(std::memory_order_acquire); }  // numbers of streams that were made are below
    // Events are known here, so that none is left at the end. The flags are CANN's; `extended` says that an event may be
    // recorded again while a stream still waits for what it captured before.
    void* make_event(std::uint32_t flags = waits);
    static constexpr std::uint32_t waits = cann::ACL_EVENT_SYNC | cann::ACL_EVENT_CAPTURE_STREAM_PROGRESS;  // of streams, of the host
    void destroy_event(void*) noexcept;
    // Events that others wait for only, used again where that can be.
    void* take_event();
    void give_event(void*) noexcept;
    static bool extended();

    // At the end.
    void release() noexcept;

private:
    struct One {
        std::uint64_t number = 0;  // of the work enqueued last
        Clock knows;
        void* event = nullptr;     // recorded after work `marked`, which came after `marked_knows`
        std::uint64_t marked = 0;
        Clock marked_knows;
        int priority = 0;
    };
    enum class State : std::uint8_t { works, broken, replaced };  // replaced: and no wait has been good since

    void order_uses(std::span<const Use>);
    void record(StreamId);
    void forget_done();
    void* create(int priority);
    void use(StreamId);
    void replace_broken();
    void join_all();

    Context& device_;
    std::array<std::atomic<void*>, most_streams> handles_{};
    std::atomic<unsigned> made_{0};
    std::array<std::atomic<State>, most_streams> states_{};
    std::atomic<bool> broken_{false};
    mutable std::shared_mutex replacing_;  // held by who asks about a stream without a turn
    StreamId selected_ = 0;
    bool tracking_ = false;
    std::vector<One> all_;
    Hazards hazards_;
    std::uint64_t joined_ = 0;  // of the first stream, which has waited for all others: what was used before is no longer known
    std::vector<Point> conflicts_;
    std::mutex events_mutex_;
    std::unordered_set<void*> events_;
    std::vector<void*> spare_events_;
};

}  // namespace asnumpy::ascend
