// Rounds whose launches go along one axis, and in which no line along it needs what another one holds: a block of lines goes through all rounds before
// the next one begins, so that what it touches stays in a cache, and threads share the blocks. The code is that of the rounds, for fewer lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cpu/rounds.hpp"

namespace asnumpy::cpu {

class RoundLines {
public:
    // Nothing where lines need each other.
    static std::optional<RoundLines> find(const Round&, std::span<const std::int64_t> numbers, std::span<const std::int64_t> table, std::size_t rounds);

    // How many lines a block has; 0: all lines run in one go.
    std::int64_t at_once() const;
    // What has one base lies apart from what has another.
    void run(std::int64_t lines, RunRounds, std::span<const std::int64_t> numbers, std::span<const std::int64_t> table, std::size_t rounds, std::span<char* const> bases) const;

private:
    struct Moved {
        std::size_t number;   // an offset
        std::int64_t stride;  // by which it moves from line to line
    };
    class Finding;

    std::vector<std::size_t> lengths_;  // the numbers that say how many lines there are
    std::vector<Moved> moved_;
    std::int64_t lines_ = 0;
    std::int64_t line_bytes_ = 0;  // in the caches
    std::int64_t line_work_ = 0;   // steps on elements
};

}  // namespace asnumpy::cpu
