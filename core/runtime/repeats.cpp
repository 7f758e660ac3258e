// From each position on the pieces that come again, of which the shortest that covers nearly the most is taken.
#include "runtime/repeats.hpp"

#include <algorithm>

namespace asnumpy {

std::vector<Repeat> find_repeats(std::span<const std::uint32_t> sequence, std::size_t longest, std::size_t fewest) {
    std::vector<Repeat> found;
    const std::size_t size = sequence.size();
    std::vector<Repeat> here;
    for (std::size_t first = 0; first < size;) {
        here.clear();
        std::size_t covered = 0;
        for (std::size_t period = 1; period <= longest && first + fewest * period <= size; ++period) {
            if (sequence[first] != sequence[first + period]) continue;
            std::size_t alike = 1;
            while (first + period + alike < size && sequence[first + alike] == sequence[first + period + alike]) ++alike;
            const std::size_t count = alike / period + 1;
            if (count < fewest) continue;
            here.push_back({first, period, count});
            covered = std::max(covered, period * count);
        }
        // A multiple of a period covers about as much, with a longer piece.
        const auto best = std::ranges::find_if(here, [covered](const Repeat& one) { return one.period * one.count * 8 >= covered * 7; });
        if (best == here.end()) {
            ++first;
            continue;
        }
        found.push_back(*best);
        first += best->period * best->count;
    }
    return found;
}

}  // namespace asnumpy
