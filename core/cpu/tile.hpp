// Runs the steps of a frame on one tile after another, in the scratch memory of one thread.
#pragma once

#include "cpu/arena.hpp"
#include "cpu/frame.hpp"

namespace asnumpy::cpu {

class Tiles {
public:
    explicit Tiles(const Frame&);
    // Takes the memory of the calling thread that tiles of this frame need, so that making them takes none.
    static void reserve(const Frame&);

    // Where the next runs put the value of a reduction that the call before it makes.
    void place(ValueId value, char* to) { values_[value] = to; }
    // Gathers, computes and stores n elements from position `flat`; calls that make the result of a reduction in that form.
    void run(std::int64_t flat, std::int64_t n, Form applied = Form::each);
    // The tiles from one to another.
    void run_tiles(std::int64_t begin, std::int64_t end);
    // After run(): the elements of a value in the tile.
    const char* value(ValueId id) const { return values_[id]; }
    char* scratch(std::int64_t offset) const { return memory_ + offset; }

private:
    char* at(const Strided& view, std::int64_t flat) const {
        if (view.ndim == 1) return view.data + flat * view.axes[0].stride;
        return view.grid < 0 ? view.at(flat) : view.at(places_ + view.grid * Grid::most_axes);
    }
    char* at(const Source& input, std::int64_t flat) const { return at(input.view, input.share == 1 ? flat : flat / input.share); }
    void fetch(std::size_t input, std::int64_t flat, std::int64_t n);
    void fold(const Call&, std::int64_t n);
    void run_rows(std::int64_t begin, std::int64_t end);
    void call(const Call&, Loop, std::int64_t n);

    const Frame& frame_;
    char* memory_;
    char** values_;           // by value: its elements in the current tile
    void** operands_;         // of the call that is under way
    Arena::Moving* moving_;   // what goes on from row to row
    std::int64_t* places_;    // of the tile, by the axes of each grid
    Arena::Key* fetched_;     // which elements the slots of inputs hold
};

}  // namespace asnumpy::cpu
