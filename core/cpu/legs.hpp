// Stages that one thread runs over blocks of lines: what they leave for each other lies in windows of lines.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/frame.hpp"
#include "cpu/ordered_lines.hpp"
#include "cpu/plan.hpp"
#include "device/backend.hpp"

namespace asnumpy::cpu {

// Where the lines of hidden buffers lie: in windows of lines at the same place for each block, where what the next block needs moves to the front,
// or as a whole.
class LinesBetween {
public:
    struct Kept {
        bool whole = false;
        std::int64_t before = 0;  // lines that lie before the window of the first block
    };
    // As often as `copies` says, in memory of the calling thread until it makes others.
    LinesBetween(const Stages&, std::int64_t lines, const std::vector<Kept>& by_buffer, std::size_t copies);

    bool hidden(std::int32_t buffer) const { return is_hidden(stages_, buffer); }
    bool moves(std::int32_t buffer) const { return hidden(buffer) && !places_[static_cast<std::size_t>(buffer)].whole; }
    // Where line 0 of it lies, or would lie, in the first block; in each further one it lies as far before as the lines of a block.
    char* first_line(std::int32_t buffer, std::size_t copy) const;
    void slide(std::size_t buffer, std::size_t copy) const;

private:
    struct Place {
        bool whole;
        std::int64_t most_behind, bytes, offset;  // offset: of the window
    };
    const Stages::Held& held(std::int32_t buffer) const { return stages_.buffers[static_cast<std::size_t>(buffer)]; }
    char* window(std::size_t buffer, std::size_t copy) const { return memory_ + static_cast<std::int64_t>(copy) * total_ + places_[buffer].offset; }

    const Stages& stages_;
    std::int64_t lines_, total_ = 0;
    std::vector<Place> places_;
    char* memory_ = nullptr;
};

// A stage, decided once for all of its lines.
class Leg {
public:
    Leg(const Stages&, std::size_t stage, const Resolved&, const LinesBetween&, std::size_t copy, std::int64_t lines);

    const Stages::Stage& stage() const { return stage_; }
    void reserve() const { frame_.reserve(); }
    void run(LineSpan);
    void go_to(std::int64_t block);  // what lies in windows moves

private:
    const Stages::Stage& stage_;
    Frame frame_;
    std::vector<std::int64_t> moves_;  // by operand: bytes, from block to block
    std::int64_t line_ = 1;            // elements
    std::int64_t block_ = 0;
    bool backwards_ = false;
};

}  // namespace asnumpy::cpu
