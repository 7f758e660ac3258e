// What ways of running stages in order have in common: which lines a stage runs in a block, and what keeps lines from being told apart.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "cpu/plan.hpp"
#include "device/backend.hpp"

namespace asnumpy::cpu {

inline constexpr std::int64_t kb = 1024, mb = 1024 * kb;

struct CacheBytes {
    std::int64_t second, last;
};
const CacheBytes& cache_bytes();

// Of what the stages use, so much must have been used by one before.
inline constexpr std::int64_t least_share_met_again = 8;  // an eighth
// What windows move from block to block is at most this share of what need not come from memory for that.
inline constexpr std::int64_t most_share_moved = 4;  // a quarter

// Elements of the largest stage that are worth it that threads meet, or wait for each other, in every block.
inline constexpr std::int64_t fewest_met = 1024 * 1024;
bool may_meet(const Stages&);

inline std::int64_t length_of(const Stages::Stage& stage) { return stage.launch.shape[stage.axis]; }

// The number of the line after the last one, as the first stage would count on.
std::int64_t end_of_lines(const Stages&);

struct LineSpan {
    std::int64_t begin, count;
};

// Whether only the stages see what an operand reaches.
inline bool is_hidden(const Stages& stages, std::int32_t buffer) { return buffer >= 0 && stages.buffers[static_cast<std::size_t>(buffer)].hidden; }

// From the first byte of so many lines of a hidden buffer to behind the last one.
inline std::int64_t bytes_between(const Stages::Held& held, std::int64_t lines) { return held.line_bytes * (lines - 1) + held.reach; }

// Those of so many lines of a stage that there are.
inline LineSpan lines_from(const Stages::Stage& stage, std::int64_t from, std::int64_t count) {
    const std::int64_t begin = std::clamp<std::int64_t>(from, 0, length_of(stage)), end = std::clamp<std::int64_t>(from + count, 0, length_of(stage));
    return {begin, end - begin};
}

// The lines of its own that a stage runs in a block of so many, and lines before those.
inline LineSpan own_lines(const Stages::Stage& stage, std::int64_t block, std::int64_t lines) {
    return lines_from(stage, block * lines - stage.behind - stage.first, lines);
}
inline LineSpan lines_before_own(const Stages::Stage& stage, std::int64_t block, std::int64_t lines, std::int64_t count) {
    return lines_from(stage, block * lines - stage.behind - stage.first - count, count);
}

// By buffer: how far the stages that use it stay behind the first one, at least and at most.
struct Distance {
    std::int64_t least = -1, most = 0;
};
std::vector<Distance> distances_of(const Stages&);

// What stages use, a line of each buffer.
struct LineBytes {
    std::vector<std::int64_t> of_buffer;
    std::int64_t all = 0;        // of all buffers
    std::int64_t of_stage = 0;   // of the largest stage that has more lines than one
    std::int64_t met_again = 0;  // of what all stages use one after the other, what one before has used
    std::int64_t beside = 0;     // of all buffers, in the lines beside those of a block
    std::int64_t moved = 0;      // what windows move from block to block
    std::int64_t behind = 0;     // lines: the last stage's distance
    std::int64_t length = 0;     // lines: of the longest stage

    // Nothing: lines do not lie outermost in memory, or an element not as its type wants it, or too little is met again.
    bool any() const { return all > 0; }
    LineBytes(const Stages&, std::span<const Resolved* const>);
};

}  // namespace asnumpy::cpu
