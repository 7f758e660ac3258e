// How long a worker without work waits awake, and what it takes to wake one that sleeps.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "cpu/spinning.hpp"

namespace asnumpy::cpu {

using Waited = std::chrono::steady_clock::duration;

// A thread that has worked for longer waits for as long as it has worked, so that waiting at most doubles what it costs: asleep it would come
// late to the next call, the others would do its part, and bring it from memory into caches that are not there for it.
inline constexpr std::chrono::microseconds most_patience{1000};
inline Waited patience_after(Waited work) { return std::clamp<Waited>(work, short_patience, most_patience); }

// Who was called soon after it fell asleep had better stayed awake, and does so for longer next time.
inline Waited patience_after_sleep(Waited before, Waited slept) {
    constexpr std::chrono::microseconds longest{320};
    return slept < longest ? std::min<Waited>(2 * before, longest) : short_patience;
}

// What passes until a worker that sleeps has begun: a mean in which the last few count most. Between machines it differs by ten.
class Waking {
public:
    double ns() const { return static_cast<double>(mean_.load(std::memory_order_relaxed)); }
    void note(Waited took) {
        const std::int64_t before = mean_.load(std::memory_order_relaxed), ns = std::clamp<std::int64_t>(std::chrono::nanoseconds(took).count(), 0, longest);
        mean_.store(before + (ns - before) / 16, std::memory_order_relaxed);  // of two notes at once one may be lost
    }

private:
    static constexpr std::int64_t longest = 200'000;
    std::atomic<std::int64_t> mean_{10'000};
};

}  // namespace asnumpy::cpu
