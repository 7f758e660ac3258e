// Rounds among instructions that are not yet divided: elements one by one.
#include <algorithm>
#include <array>
#include <map>

#include "runtime/repeats.hpp"
#include "runtime/rounds.hpp"

namespace asnumpy {

namespace {

constexpr std::size_t longest = 512, fewest = 8;  // instructions of a round; rounds

// An element that code of a round computes.
bool is_single(const Instruction& one) {
    const auto common = [](const Argument& in) { return cpu::is_common(in.array() ? in.array()->dtype : in.scalar()->dtype); };
    return one.work == Work::elementwise && !one.on_host && one.out[0].host_visible() && count(one.shape) == 1 && std::ranges::all_of(one.in, common) &&
           std::ranges::all_of(one.out, [](const Array& out) { return cpu::is_common(out.dtype); });
}

}  // namespace

std::vector<std::uint32_t> starts_of_rounds(std::span<const Instruction> list, const std::vector<bool>& dead) {
    std::vector<std::uint32_t> sequence, positions, starts;
    std::map<std::array<std::uint64_t, 3>, std::uint32_t> known;
    std::uint32_t next = 0;
    for (std::uint32_t k = 0; k < list.size(); ++k) {
        if (dead[k]) continue;
        const Instruction& one = list[k];
        positions.push_back(k);
        if (!is_single(one)) {
            sequence.push_back(next++);
            continue;
        }
        std::uint64_t operands = one.in.size();
        for (const Argument& in : one.in) operands = operands << 8 | (in.array() ? 64 + static_cast<std::uint64_t>(in.array()->dtype) : static_cast<std::uint64_t>(in.scalar()->dtype));
        const auto [found, added] = known.try_emplace({one.row, one.loop, operands}, next);
        if (added) ++next;
        sequence.push_back(found->second);
    }
    for (const Repeat& repeat : find_repeats(sequence, longest, fewest))
        for (std::size_t r = 0; r <= repeat.count; ++r)
            if (const std::size_t at = repeat.first + r * repeat.period; at < positions.size()) starts.push_back(positions[at]);
    return starts;
}

}  // namespace asnumpy
