// The reductions of a frame.
#pragma once

#include "cpu/tile.hpp"

namespace asnumpy::cpu {

// A stack of partial results that are combined in pairs of equal count, as the digits of a binary counter carry:
// the rounding error of a sum grows with the logarithm of the number of pushes.
class Accumulator {
public:
    Accumulator() = default;
    Accumulator(const Combine& combine, char* stack, std::int64_t level_bytes, std::int64_t block)
        : combine_(&combine), stack_(stack), level_bytes_(level_bytes), block_(block) {}

    // Combines `width` results at once. add: the elements are the next line; top and added: the caller has put them there, or
    // has combined them with what was there; top and push: the caller has put a partial result at top().
    void add(const char* elements, std::int64_t width);
    void added(std::int64_t width);
    bool empty_top() const { return rows_ == 0; }
    char* top() { return stack_ + depth_ * level_bytes_; }
    void push(std::int64_t width);
    char* finish(std::int64_t width);  // the result, valid until the next use; at least one add or push came before

private:
    void combine(char* into, const char* other, std::int64_t width) const;

    const Combine* combine_ = nullptr;
    char* stack_ = nullptr;
    std::int64_t level_bytes_ = 0, block_ = 1;
    std::int64_t depth_ = 0, pushed_ = 0, rows_ = 0;
};

// `lines` lines of `width` elements, the first half and the second one, and so on, to one line at `to`. scratch: room for half of them.
void halve(Loop, std::int64_t itemsize, char* to, const char* from, std::int64_t lines, std::int64_t width, char* scratch);

void reduce_lines(const Frame&, std::int64_t begin, std::int64_t end);      // units of Scheme::lines
void reserve_accumulators(const Frame&);                                   // of this thread, for Scheme::segments
void reduce_segments(Frame&, std::int64_t begin, std::int64_t end);        // units of Scheme::segments
void combine_chunks(Frame&);                                               // after all units of Scheme::segments

}  // namespace asnumpy::cpu
