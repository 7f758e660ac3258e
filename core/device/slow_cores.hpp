// How much of a program a device spends on the cores that it has for what its fast ones lack: told once, when it is much.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace asnumpy {

namespace detail {
inline std::atomic<bool> slow_untold{false};
}

// One call there, over so many bytes.
void note_slow_call(std::string_view device, std::string_view op, std::uint64_t bytes);
// ESTIMATED seconds of all calls so far.
double slow_seconds();
inline bool any_slow_untold() { return detail::slow_untold.load(std::memory_order_relaxed); }
// What to tell, once in a process.
std::optional<std::string> slow_untold();

}  // namespace asnumpy
