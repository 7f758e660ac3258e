// A launch of a plan, decided: the order of iteration, the tiles, how each operand is reached, where scratch lies.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "cpu/layout.hpp"
#include "cpu/plan.hpp"

namespace asnumpy::cpu {

// How an input is reached.
struct Source {
    enum class Access : std::uint8_t {
        in_place,  // read where it is
        turned,    // likewise, but for tiles that a seam goes through, which are gathered
        constant,  // one element, splatted into its slot before the first tile
        gathered,  // copied into its slot for each tile
        unused,    // its store fetches it
    };
    Strided view;
    std::int64_t run;    // elements of the launch that its innermost axis reaches
    std::int64_t share;  // so many of them have one of its elements
    Access access;
    enum class Repeat : std::uint8_t {
        never,
        address,  // tiles that begin at one address hold the same elements
        cycle,    // tiles whose positions differ by a multiple of `cycle` do
    };
    Repeat repeat;
    std::int64_t cycle;
    std::int64_t ways;        // gathered tiles that are kept to meet them again
    std::int64_t first_key;   // of those tiles, in Arena::fetched
    std::int64_t offset;      // of the slot in the arena
    std::int64_t way_bytes;
};

// How an output is.
struct Output {
    enum class Delivery : std::uint8_t {
        direct,   // the step that defines the value writes it
        copied,   // contiguous over a tile
        streamed, // contiguous over a tile, past the caches
        scattered,
        fetched,  // gathered from an input that nothing else reads
    };
    Strided view;
    ValueId value;
    Delivery delivery;
};

struct Result {
    Strided view;               // over the kept axes
    bool applied;               // Combine::call combines the value as well
    bool halved;                // a call by items has reduced those of a tile to one, at the beginning of the value's slot
    std::int64_t level_bytes;   // of one partial result in the stack of an accumulator
    std::int64_t block;         // partial results added one after the other before pairwise addition begins
    std::int64_t stack_offset, scratch_offset;
    std::int64_t partial_offset;  // in Frame::partials
};

// Shorter lines are combined element by element, all lines of the tile at once. A fold needs elements for all its lanes to
// be worth its end.
constexpr bool is_folded_line(std::int64_t length, DType dtype) {
    return length * std::max<std::int64_t>(4, static_cast<std::int64_t>(itemsize(dtype))) >= 256;
}

// Fewer elements than this are reduced by strided vectors rather than one by one.
inline constexpr std::int64_t shortest_fold = 16;
// At least this many results side by side are worth a vector; fewer, and a tile takes several reduced indices.
inline constexpr std::int64_t shortest_vector = 256;

enum class Scheme : std::uint8_t {
    elementwise,
    lines,      // a tile holds whole lines, each folded to one element
    segments,  // many tiles combine into one vector of results
};

// Segments: the reduced range of one outer index and one range of columns, in chunks. An item is what one tile takes.
struct Segments {
    bool by_line;                         // an item is one reduced index; else a tile of several
    Tiling columns;                      // by_line: of the inner extent; else one
    std::int64_t width;                  // results of one segment, at most
    std::int64_t items, chunk, chunks;   // items of a segment, items of a chunk, chunks of a segment
};

// The launch is `lines` lines of a larger one with `of` lines, and decides as that one would: the results have the same bits.
struct Portion {
    std::int64_t lines = 1, of = 1;
    std::uint64_t reread = 0;  // bit i: what store i writes is read soon

    std::int64_t of_all(std::int64_t n) const { return n / lines * of; }  // what is n in the portion
    // Where the lines of a portion are among the inner axes, so are all lines.
    std::int64_t inner_of_all(const Order& order, bool kept_inner) const {
        const bool lines_are_inner = order.outer == 1 && (lines > 1 || kept_inner || order.reduced * order.inner < shortest_row);
        return lines < of && lines_are_inner ? of_all(order.inner) : order.inner;
    }
};

struct Frame {
    const Resolved* plan = nullptr;
    Order order;
    Tiling tiling;
    std::int64_t in_turn = 1;    // tiles are taken from so many long rows in turn, not from one row after the other
    Scheme scheme = Scheme::elementwise;
    Segments segments{};
    bool kept_inner = false;     // by the launch's own choice: the axis that is reduced is short
    bool streaming = false;
    bool rows_in_place = false;  // tiles are rows of the one grid, read and written where they are
    std::vector<Source> inputs;
    std::vector<Output> outputs;
    std::vector<Grid> grids;     // of inputs and outputs of several axes
    std::vector<Result> results;
    std::vector<bool> applied;   // by call of the plan: it makes the result of a reduction
    std::vector<std::int64_t> slot_offset;
    std::vector<bool> direct;    // by value: the step that defines it writes it to memory
    std::vector<char> partials;
    std::int64_t arena_bytes = 0;
    std::int64_t keys = 0;       // gathered tiles kept, of all inputs
    double unit_ns = 0;          // estimate for one unit of parallel work
    std::int64_t units = 0;

    Portion portion;

    std::int64_t tile_of(std::int64_t unit) const { return in_turn == 1 ? unit : unit % in_turn * (units / in_turn) + unit / in_turn; }

    // Where the launch does not suit the plan, for what that one names instead.
    void prepare(const Resolved&, const Launch&, Arrangement, const Portion& = {});
    void reserve() const;                            // takes all memory that run() needs on this thread
    void run(std::int64_t begin, std::int64_t end);  // units; by one thread

private:
    void lay_out_operands(const Launch&);
    void find_grids();
    std::int64_t longest_tile() const;
    void choose_tiles();
    std::int64_t line_between_seams(std::int64_t run) const;
    std::int64_t few_long_rows(std::int64_t line, std::int64_t longest) const;
    bool rows_alone(std::int64_t run) const;
    void choose_calls();
    void choose_segments(std::int64_t run, std::int64_t longest);
    void choose_access(const Launch&);
    void decide(const Resolved&, const Launch&, Arrangement);
    bool is_one_number(const Strided&) const;
    bool may_be_one_number(const Strided&) const;
    bool has_numbers_by_row(std::int64_t run) const;
    bool suits_plan() const;
    void note_seen(const Launch&) const;
    bool has_rows_in_place() const;
    void place_scratch();
    void estimate();
};

// Shares the units of each frame between threads. Frames overwrite their inputs where a program does. So all their memory is there before the
// first of them runs: what fails has changed nothing, and may run again.
void run_all(std::span<Frame>);

}  // namespace asnumpy::cpu
