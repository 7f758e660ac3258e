// Rounds among instructions that are not yet divided: elements one by one, and lines one after the other.
#include <algorithm>
#include <array>
#include <map>

#include "base/function_ref.hpp"
#include "runtime/fuse.hpp"
#include "runtime/repeats.hpp"
#include "runtime/rounds.hpp"

namespace asnumpy {

namespace {

constexpr std::size_t longest = 512, fewest = 8, enough = 12;  // instructions of a round; rounds, and those of lines that should be left

// What code of a round computes.
bool is_short(const Instruction& one) {
    const auto common = [](const Argument& in) { return cpu::is_common(in.array() ? in.array()->dtype : in.scalar()->dtype); };
    return one.work == Work::elementwise && !one.on_host && one.out[0].host_visible() && count(one.shape) <= longest_in_lines && std::ranges::all_of(one.in, common) &&
           std::ranges::all_of(one.out, [](const Array& out) { return cpu::is_common(out.dtype); });
}
bool is_single(const Instruction& one) { return count(one.shape) == 1; }

// The repeats among the instructions at these positions, as places among them; those that do not take part are alike to no other.
std::vector<Repeat> repeats_of(std::span<const Instruction> list, std::span<const std::uint32_t> positions, FunctionRef<bool(const Instruction&)> takes_part) {
    std::vector<std::uint32_t> sequence;
    std::map<std::array<std::uint64_t, 4>, std::uint32_t> known;
    std::uint32_t next = 0;
    for (const std::uint32_t k : positions) {
        const Instruction& one = list[k];
        if (!takes_part(one)) {
            sequence.push_back(next++);
            continue;
        }
        std::uint64_t operands = one.in.size(), shape = 0;
        for (const Argument& in : one.in) operands = operands << 8 | (in.array() ? 64 + static_cast<std::uint64_t>(in.array()->dtype) : static_cast<std::uint64_t>(in.scalar()->dtype));
        for (const std::int64_t length : one.shape) shape = shape * (longest_in_lines + 1) + static_cast<std::uint64_t>(length);
        const auto [found, added] = known.try_emplace({one.row, one.loop, operands, shape}, next);
        if (added) ++next;
        sequence.push_back(found->second);
    }
    return find_repeats(sequence, longest, fewest);
}

}  // namespace

std::vector<std::uint32_t> starts_of_rounds(std::span<const Instruction> list, const std::vector<bool>& dead) {
    std::vector<std::uint32_t> positions, starts;
    for (std::uint32_t k = 0; k < list.size(); ++k)
        if (!dead[k]) positions.push_back(k);
    const auto add = [&](const Repeat& repeat, std::size_t together) {
        for (std::size_t r = 0; r <= repeat.count; r += together)
            if (const std::size_t at = repeat.first + r * repeat.period; at < positions.size()) starts.push_back(positions[at]);
    };
    for (const Repeat& repeat : repeats_of(list, positions, [](const Instruction& one) { return is_short(one) && is_single(one); })) add(repeat, 1);
    // Some of the rounds of lines are one program, in which values go from one to the next; all programs begin where a round does, or none is like another.
    const auto is_line = [](const Instruction& one) { return is_short(one) && !is_single(one) && cpu::is_plain(one.row, one.loop); };
    for (const Repeat& repeat : repeats_of(list, positions, is_line)) {
        const std::span<const std::uint32_t> round = std::span(positions).subspan(repeat.first, repeat.period);
        const bool one_shape = std::ranges::all_of(round, [&](std::uint32_t k) { return list[k].shape == list[round.front()].shape; });
        if (one_shape && repeat.period <= most_members) add(repeat, std::clamp<std::size_t>(repeat.count / enough, 1, most_members / repeat.period));
    }
    std::ranges::sort(starts);
    return starts;
}

}  // namespace asnumpy
