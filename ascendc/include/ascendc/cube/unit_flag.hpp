// The order that a unit flag gives Mmad and Fixpipe: the one fills a tile of L0C, the other drains it, with no flag between them.
#pragma once

#include <optional>

#include "ascendc/cube/fractals.hpp"
#include "ascendc/tensor/tque.hpp"

namespace ascendc {

struct UnitRange {
    std::uint32_t address;
    std::uint32_t rows;  // in fractals
    std::uint32_t columns;

    bool meets(const UnitTile& tile) const {
        return address < tile.end() && tile.address < address + std::max(1u, rows * columns) * result_fractal_bytes;
    }
};

// Whether an instruction that is issued now runs later: its own pipe waits, or the one that its unit flag orders it behind.
template <class Again>
bool postponed_by_unit(Pipe pipe, Pipe other, bool has_unit_flag, const char* name, Again again, Where where) {
    Core& core = current();
    if (core.issue() || !(core.held(pipe) || (has_unit_flag && core.held(other)))) return false;
    if (!has_unit_flag) return postpone(pipe, again), true;
    postpone_wait(pipe, [&core, other, number = core.next_number()] { return !core.waits_before(other, number); }, again,
                  join(name, " with a unit flag waits for ", name_of(other), ", which waits itself"), where);
    return true;
}

// Before an Mmad: what lay here must have been drained.
inline void wait_for_drained(Core& core, const UnitRange& range, Where where) {
    auto& tiles = core.unit_tiles;
    for (std::size_t i = tiles.size(); i-- > 0;) {
        if (!range.meets(tiles[i])) continue;
        const UnitTile& tile = tiles[i];
        if (tile.full())
            core.fail(Rule::deadlock, where,
                      join("Mmad with a unit flag waits for a tile of L0C that Mmad at ", tile.where.file, ":", tile.where.line, " completed (",
                           tile.rows, " x ", tile.columns, " fractals) and of which Fixpipe with a unit flag has drained ", tile.drained,
                           " fractals; it must drain what was computed"));
        wait_for(core, Pipe::M, tile.known, tile.time, where);
        tiles.erase(tiles.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

inline void fill_unit(Core& core, const UnitRange& range, Where where) {
    core.unit_tiles.push_back({range.address, range.rows, range.columns, 0, core.after(Pipe::M), core.pipe(Pipe::M).free_at, where});
}

// Before a Fixpipe: the tile must have been completed.
inline UnitTile& wait_for_filled(Core& core, std::uint32_t address, Where where) {
    for (UnitTile& tile : core.unit_tiles)
        if (tile.full() && address >= tile.address && address < tile.end()) {
            wait_for(core, Pipe::FIX, tile.known, tile.time, where);
            return tile;
        }
    core.fail(Rule::deadlock, where, "Fixpipe with a unit flag waits for an Mmad with unitFlag 3 on the same tile, which nothing before it issues");
}

inline void drain_unit(Core& core, UnitTile& tile, std::uint32_t fractals) {
    tile.drained += fractals;
    if (tile.full()) return;
    tile.known = core.after(Pipe::FIX);
    tile.time = core.pipe(Pipe::FIX).free_at;
}

}  // namespace ascendc
