// Parts of an array as boxes of elements: what is left of them when others are taken away.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/array.hpp"

namespace asnumpy {

// By axis of the whole: the first element, and the one after the last.
struct Box {
    std::vector<std::array<std::int64_t, 2>> axes;

    bool operator==(const Box&) const = default;
};

// All of the part's buffer, by the axes that its strides show; nothing: they do not divide it.
std::optional<View> whole_by_axes(const Array& part);

// The axes of a whole buffer, longest strides first, as the strides of a part show them.
class BoxAxes {
public:
    // Nothing: the strides do not divide the buffer.
    static std::optional<BoxAxes> of(const Array& part);
    // Nothing: the elements are no box of neighbours.
    std::optional<Box> box(const Array& part) const;

private:
    int axis_of(std::int64_t stride) const;  // -1: none
    std::vector<std::array<std::int64_t, 2>> axes_;  // length, stride
    DType dtype_{};
};

// Boxes that do not meet each other.
class Boxes {
public:
    bool empty() const { return boxes_.empty(); }
    std::size_t size() const { return boxes_.size(); }
    void add(const Box&);
    void take_away(const Box&);
    Boxes within(const Box&) const;
    void move(const Box& from, const Box& to);  // both of one shape
    auto begin() const { return boxes_.begin(); }
    auto end() const { return boxes_.end(); }

private:
    std::vector<Box> boxes_;
};

}  // namespace asnumpy
