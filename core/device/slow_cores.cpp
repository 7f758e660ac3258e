// The sum, and the sentence.
#include "device/slow_cores.hpp"

#include <mutex>

#include "base/fork_mutex.hpp"
#include "base/immortal.hpp"

namespace asnumpy {
namespace {

// ESTIMATES, those of the simulator's clock (cannsim/runtime/model.cpp).
constexpr double call_seconds = 30e-6, bytes_per_second = 20e9;
constexpr double much = 0.1;  // seconds

struct Spent {
    ForkMutex mutex{95};
    double seconds = 0;
    std::uint64_t calls = 0;
    bool told = false;
    std::string text;
};
Spent& spent() {
    static Immortal<Spent> instance;
    return *instance;
}

}  // namespace

void note_slow_call(std::string_view device, std::string_view op, std::uint64_t bytes) {
    Spent& s = spent();
    const std::lock_guard lock(s.mutex);
    ++s.calls;
    s.seconds += call_seconds + static_cast<double>(bytes) / bytes_per_second;
    if (s.told || s.seconds < much) return;
    s.told = true;
    s.text = std::string(device) + ": " + std::to_string(s.calls) + " calls so far, " + std::string(op) +
             " the last of them, ran on the AICPU, the few slow cores for dtypes that the AI cores lack; asnumpy.config.float = 'float32' makes "
             "float32 the default of new arrays, and int32, where it is wide enough, is the fast integer";
    detail::slow_untold.store(true, std::memory_order_relaxed);
}

double slow_seconds() {
    const std::lock_guard lock(spent().mutex);
    return spent().seconds;
}

std::optional<std::string> slow_untold() {
    if (!detail::slow_untold.exchange(false)) return std::nullopt;
    const std::lock_guard lock(spent().mutex);
    return spent().text;
}

}  // namespace asnumpy
