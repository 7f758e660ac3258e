// Runs programs whose lines need lines beside them as a relay: each thread has some of the stages, and blocks of lines go from thread to thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cpu/plan.hpp"
#include "device/backend.hpp"

namespace asnumpy::cpu {

struct Relay {
    std::int64_t lines;             // of a block
    std::vector<std::size_t> ends;  // of each runner's stages; the last one's is that of all
};

// Who runs which stages, with enough for every thread; nothing: threads had better meet at every stage (run_ordered_stages).
std::optional<Relay> relay_of(const Stages&, std::span<const Resolved* const>);
// Any division is right. What runs has begun with all the memory that it needs: nothing can fail half-way.
void run_relayed(const Stages&, std::span<const Resolved* const>, const Relay&);

}  // namespace asnumpy::cpu
