// Lines of a compressed sparse array: where each begins among the entries, shared by threads so that each has about as many entries.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/structured.hpp"
#include "cpu/structured_layout.hpp"
#include "cpu/threads.hpp"

namespace asnumpy::cpu {

// I: the dtype of the pointers, which are one more than the lines and rise; whoever shares their memory may change them.
template <class I> class CompressedLines {
public:
    // most: the entries that there are.
    CompressedLines(const Tensor& pointers, std::int64_t most)
        : pointers_(pointers.data), count_(pointers.shape[0] - 1), most_(most), first_(pointer(0)) {
        const std::int64_t end = pointer(count_);
        expect_line(first_, end);
        entries_ = end - first_;
    }

    std::int64_t count() const { return count_; }
    std::int64_t first() const { return first_; }
    std::int64_t entries() const { return entries_; }

    // Calls f(first, last) for lines that threads take: an entry is so much work, and so is a line.
    template <class F> void share(std::int64_t work, const F& f) const {
        parallel_for(entries_ + count_, std::max<std::int64_t>(1, work_of_thread / work), [self = *this, f](std::int64_t begin, std::int64_t end, int) {
            f(self.line_at(begin), self.line_at(end));
        });
    }
    // For how many threads there is enough to do.
    std::int64_t threads(std::int64_t work) const {
        return std::clamp<std::int64_t>(entries_ * work / work_of_thread, 1, free_threads());
    }

    // Calls f(line, begin, end) with the entries of each line.
    template <class F> void each(std::int64_t first, std::int64_t last, const F& f) const {
        const CompressedLines self = *this;  // members would be read anew after every write
        std::int64_t begin = self.pointer(first);
        for (std::int64_t line = first; line < last; ++line) {
            const std::int64_t end = self.pointer(line + 1);
            self.expect_line(begin, end);
            f(line, begin, end);
            begin = end;
        }
    }
    template <class F> void each(const F& f) const { each(0, count_, f); }

private:
    static constexpr std::int64_t work_of_thread = 65536;

    std::int64_t pointer(std::int64_t line) const { return load<I>(pointers_ + line * static_cast<std::int64_t>(sizeof(I))); }
    void expect_line(std::int64_t begin, std::int64_t end) const {
        if (begin < 0 || end < begin || end > most_) [[unlikely]] raise_out_of_bounds(begin < 0 ? begin : end, most_ + 1);
    }
    // The first line that does not begin before this place among the entries, of which each line has one more.
    std::int64_t line_at(std::int64_t place) const {
        std::int64_t low = 0, high = count_;
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            const std::int64_t begin = std::clamp(pointer(middle), first_, most_) - first_;
            if (begin + middle < place) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    const char* pointers_;
    std::int64_t count_, most_, first_, entries_ = 0;
};

}  // namespace asnumpy::cpu
