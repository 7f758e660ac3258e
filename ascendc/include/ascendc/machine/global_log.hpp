// Every use of global memory by the cores of one launch, and the search for two whose order is not certain. The search runs
// once, after the last core has ended: what it finds depends on flags and barriers alone, never on how threads ran.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ascendc/machine/pipes.hpp"

namespace ascendc {

// `rows` pieces of `row_bytes`, `pitch` bytes apart.
struct GlobalRange {
    std::uintptr_t begin = 0;
    std::uint64_t row_bytes = 0;
    std::uint64_t rows = 1;
    std::uint64_t pitch = 0;

    std::uintptr_t end() const { return begin + (rows - 1) * pitch + row_bytes; }
};

struct GlobalUse {
    GlobalRange range;
    bool write = false;
    bool atomic = false;
    Pipe pipe = Pipe::S;
    bool cube = false;       // on a cube core
    std::uint32_t core = 0;  // its number in the launch
    std::uint32_t tick = 0;
    Knowledge known;
    Record record;
};

inline bool happens_before(const GlobalUse& first, const GlobalUse& second) {
    if (first.core == second.core) {
        // Between the scalar unit and the copies of a vector core the compiler puts the flags.
        if (!first.cube && (first.pipe == Pipe::S) != (second.pipe == Pipe::S)) return true;
        return second.known.own[index(first.pipe)] >= first.tick;
    }
    return second.known.others && (*second.known.others)[first.core][index(first.pipe)] >= first.tick;
}

// Whether two ranges share a byte; exact: rows are compared one by one where the ranges interleave.
inline bool overlap(const GlobalRange& a, const GlobalRange& b) {
    if (a.end() <= b.begin || b.end() <= a.begin) return false;
    if (a.rows > b.rows) return overlap(b, a);
    for (std::uint64_t row = 0; row < a.rows; ++row) {
        const std::uintptr_t begin = a.begin + row * a.pitch, end = begin + a.row_bytes;
        if (b.rows == 1 || b.pitch == 0) {
            if (begin < b.begin + b.row_bytes && b.begin < end) return true;
            continue;
        }
        // The last row of b that begins before `end`.
        if (end <= b.begin) continue;
        const std::uint64_t last = std::min<std::uint64_t>((end - 1 - b.begin) / b.pitch, b.rows - 1);
        if (b.begin + last * b.pitch + b.row_bytes > begin) return true;
    }
    return false;
}

// Two uses of one launch, at least one of them a write, in no certain order. A write by several cores with the same atomic is in
// order whatever theirs is.
inline std::optional<std::pair<GlobalUse, GlobalUse>> find_race(std::vector<GlobalUse> uses) {
    std::sort(uses.begin(), uses.end(), [](const GlobalUse& a, const GlobalUse& b) { return a.range.begin < b.range.begin; });
    std::vector<const GlobalUse*> writes, reads;  // those that reach beyond the present begin
    const auto races = [](const GlobalUse& a, const GlobalUse& b) {
        return !(a.atomic && b.atomic) && !happens_before(a, b) && !happens_before(b, a) && overlap(a.range, b.range);
    };
    for (const GlobalUse& use : uses) {
        const auto passed = [&](const GlobalUse* earlier) { return earlier->range.end() <= use.range.begin; };
        writes.erase(std::remove_if(writes.begin(), writes.end(), passed), writes.end());
        for (const GlobalUse* write : writes)
            if (races(*write, use)) return std::pair{*write, use};
        if (use.write) {
            reads.erase(std::remove_if(reads.begin(), reads.end(), passed), reads.end());
            for (const GlobalUse* read : reads)
                if (races(*read, use)) return std::pair{*read, use};
            writes.push_back(&use);
        } else {
            reads.push_back(&use);
        }
    }
    return std::nullopt;
}

}  // namespace ascendc
