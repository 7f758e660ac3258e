// Large loops shared between a few threads. The simulator is no benchmark, but a test of a program should not take long.
#pragma once

#include <cstdint>
#include <functional>

namespace cannsim {

// Calls part(first, last) for pieces of [0, size) that begin at multiples of `grain`; at once for a size below `smallest`.
void parallel(std::int64_t size, std::int64_t grain, std::int64_t smallest, const std::function<void(std::int64_t, std::int64_t)>& part);

}  // namespace cannsim
