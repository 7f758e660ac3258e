// Who used which bytes last, so that work of one stream waits for what it conflicts with on others, and for no more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "device/stream.hpp"

namespace asnumpy {

// Work of a stream, by its place in the stream's order: 1, 2, ...; 0 is no work.
struct Point {
    StreamId stream = 0;
    std::uint64_t number = 0;
    bool operator==(const Point&) const = default;
};

// Bytes that one piece of work uses.
struct Use {
    const void* data;
    std::size_t bytes;
    bool written;
};

// Ranges of addresses, each with the work that wrote it last and what has read it since. Not locked.
class Hazards {
public:
    // Adds the work of other streams that a use by this stream must come after.
    void find(const Use&, StreamId by, std::vector<Point>& after) const;
    // The work uses the bytes, and comes after what find() gave.
    void note(const Use&, Point by);
    // Forgets the work for which f(Point) is true.
    template <class F> void forget(F&& f);
    void clear() { ranges_.clear(); }
    std::size_t size() const { return ranges_.size(); }

private:
    struct Range {
        std::uintptr_t high = 0;
        Point writer;
        std::vector<Point> readers;  // since it was written, the latest of each stream
        bool operator==(const Range&) const = default;
        void read(Point by);
    };
    using Ranges = std::map<std::uintptr_t, Range>;  // by the lowest address; they do not overlap

    // The first range that reaches beyond the address.
    Ranges::const_iterator reaching(std::uintptr_t address) const;
    // Cuts the range around the address, if there is one, in two.
    void cut(std::uintptr_t address);

    Ranges ranges_;
};

template <class F> void Hazards::forget(F&& f) {
    for (auto it = ranges_.begin(); it != ranges_.end();) {
        Range& range = it->second;
        if (range.writer.number && f(range.writer)) range.writer = {};
        std::erase_if(range.readers, f);
        it = range.writer.number || !range.readers.empty() ? std::next(it) : ranges_.erase(it);
    }
}

}  // namespace asnumpy
