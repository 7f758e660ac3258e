// The ring of events and its lock.
#include "device/trace.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>

#include "base/fork_mutex.hpp"
#include "base/immortal.hpp"

namespace asnumpy::trace {
namespace {

struct Ring {
    ForkMutex mutex{100};  // taken under any other lock
    std::vector<Event> events;
    std::uint64_t capacity = 0;
    std::uint64_t written = 0;
};

Ring& ring() {
    static Immortal<Ring> r;
    return *r;
}

std::uint64_t thread_number() {
    static std::atomic<std::uint64_t> next{0};
    thread_local const std::uint64_t mine = next.fetch_add(1, std::memory_order_relaxed);
    return mine;
}

}  // namespace

namespace detail {

std::uint64_t now() {
    const auto t = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(t).count());
}

void record(std::string_view name, std::string_view category, std::string_view text, std::string_view lines, std::uint64_t bytes,
            std::uint64_t start, std::uint64_t end) {
    Ring& r = ring();
    const std::uint64_t thread = thread_number();
    std::lock_guard guard(r.mutex);
    if (r.events.empty()) return;  // stopped while the event lasted
    Event& e = r.events[r.written++ % r.events.size()];
    e.name = Text<31>(name);
    e.category = Text<15>(category);
    e.detail = Text<127>(text);
    e.lines = Text<255>(lines);
    e.start_ns = start;
    e.duration_ns = end - start;
    e.bytes = bytes;
    e.thread = thread;
}

}  // namespace detail

void start(std::size_t capacity) {
    Ring& r = ring();
    std::vector<Event> fresh(std::max<std::size_t>(capacity, 1));
    std::lock_guard guard(r.mutex);
    r.events.swap(fresh);
    r.capacity = r.events.size();
    r.written = 0;
    detail::listening.store(true, std::memory_order_relaxed);
}

std::vector<Event> stop() {
    Ring& r = ring();
    std::vector<Event> events;
    std::lock_guard guard(r.mutex);
    detail::listening.store(false, std::memory_order_relaxed);
    events.swap(r.events);
    if (events.empty()) return events;
    if (r.written > r.capacity) {  // the ring has wrapped: the oldest event comes first
        std::rotate(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(r.written % r.capacity), events.end());
    } else {
        events.resize(static_cast<std::size_t>(r.written));
    }
    return events;
}

std::uint64_t lost() {
    Ring& r = ring();
    std::lock_guard guard(r.mutex);
    return r.written > r.capacity ? r.written - r.capacity : 0;
}

}  // namespace asnumpy::trace
