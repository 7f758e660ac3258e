// Writing to a view whose elements overlap each other: one after the other, in the order in which NumPy writes them.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "runtime/queue.hpp"

namespace asnumpy {

bool overlaps_itself(const Array&);

// The axes of a target in the order in which its elements are written, the last one fastest.
struct WriteOrder {
    int ndim = 0;
    std::array<std::uint8_t, max_ndim> axis{};
    std::uint64_t flipped = 0;  // axes of the target that are walked from their end
};

// As NumPy assigns: along the target's longer strides first, towards higher addresses. source: before it was copied.
WriteOrder assignment_order(const Array& target, const Array* source);
// As a ufunc of NumPy's walks over its operands, inputs first, that is given an output which none of them overlaps. The views
// have the shape of the output. allocates: another output is made by the call, and no axis is walked from its end then.
// as_listed: nor is one of vectors that need no cast.
WriteOrder iteration_order(std::span<const View> operands, bool allocates, bool as_listed);

// target[...] = source, of one shape and dtype; the source overlaps no element of the target.
void write_in_order(const Array& target, const Array& source, const WriteOrder&);

}  // namespace asnumpy
