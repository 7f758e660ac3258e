// What happened when: a ring of timed events. While nobody listens an event costs one relaxed load.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace asnumpy::trace {

// Text is kept inside the event, cut to its field, so that recording never allocates.
template <std::size_t N> class Text {
public:
    Text() = default;
    explicit Text(std::string_view s) : size_(static_cast<std::uint8_t>(s.copy(chars_.data(), N))) {}
    std::string_view view() const { return {chars_.data(), size_}; }

private:
    static_assert(N < 256);
    std::array<char, N> chars_{};
    std::uint8_t size_ = 0;
};

struct Event {
    Text<31> name;       // "flush", a row's name, ...
    Text<15> category;   // "run", "pool", "copy", "fallback", ...
    Text<127> detail;
    Text<255> lines;     // of the user's program, that recorded it: "file:1,2"; where origins are kept
    std::uint64_t start_ns = 0;     // monotonic clock
    std::uint64_t duration_ns = 0;
    std::uint64_t bytes = 0;
    std::uint64_t thread = 0;       // small number, one per thread
};

void start(std::size_t capacity);   // forgets earlier events; keeps the latest `capacity`
std::vector<Event> stop();          // in the order in which they ended; empty if not started
std::uint64_t lost();               // events overwritten since the last start

namespace detail {
inline std::atomic<bool> listening{false};
std::uint64_t now();
void record(std::string_view name, std::string_view category, std::string_view text, std::string_view lines, std::uint64_t bytes,
            std::uint64_t start, std::uint64_t end);
}  // namespace detail

inline bool active() { return detail::listening.load(std::memory_order_relaxed); }

// An event without duration.
inline void mark(std::string_view name, std::string_view category, std::uint64_t bytes = 0, std::string_view text = {}) {
    if (!active()) return;
    const std::uint64_t t = detail::now();
    detail::record(name, category, text, {}, bytes, t, t);
}

// An event that lasts as long as the object. `name` and `category` must outlive it.
class Span {
public:
    Span(std::string_view name, std::string_view category, std::uint64_t bytes = 0)
        : name_(name), category_(category), bytes_(bytes), start_(active() ? detail::now() : 0) {}
    ~Span() {
        if (start_) detail::record(name_, category_, detail_.view(), lines_, bytes_, start_, detail::now());
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;
    void forget() { start_ = 0; }                   // it did not happen
    bool listening() const { return start_ != 0; }  // whether it is worth composing a detail
    void set_bytes(std::uint64_t bytes) { bytes_ = bytes; }
    void set_detail(std::string_view text) { if (start_) detail_ = Text<127>(text); }
    void set_lines(std::string text) { if (start_) lines_ = std::move(text); }

private:
    std::string_view name_, category_;
    Text<127> detail_;
    std::string lines_;
    std::uint64_t bytes_, start_;
};

}  // namespace asnumpy::trace
