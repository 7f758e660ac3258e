// Memory orders: C and Fortran, and order="K" of the results of elementwise work, as NumPy's ufuncs and its iterator choose it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/view.hpp"

namespace asnumpy {

enum class MemoryOrder { c, fortran };

// Without gaps in that order, offset 0.
View contiguous(Dims shape, std::int64_t itemsize, MemoryOrder);
// The view with another shape, its elements taken in that order, if no copy is needed, as NumPy decides it.
std::optional<View> reshape(const View&, const Dims& shape, std::int64_t itemsize, MemoryOrder);

struct OrderedOperand {
    const View* view;
    std::int64_t itemsize;
};

// The strides of a new array of that shape beside these operands, which broadcast to it. The result of one array, or of one
// dense order, has that order; else axes are sorted by the operands' strides, and C order wins where these disagree.
Dims result_strides(const Dims& shape, std::span<const OrderedOperand> operands, std::int64_t itemsize);

// Of what goes through the iterator whatever the operands are. Of the axes in the mask `reduced` the array has one element.
Dims iterator_strides(const Dims& shape, std::span<const OrderedOperand> operands, std::int64_t itemsize, std::uint64_t reduced = 0);
// Of what arrays are joined to, which have as many axes: the axes sorted by their strides, C order where these disagree.
Dims joined_strides(const Dims& shape, std::span<const View* const> parts, std::int64_t itemsize);

}  // namespace asnumpy
