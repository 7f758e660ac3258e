// Views with checked arguments.
#pragma once

#include <optional>

#include "runtime/array.hpp"

namespace asnumpy::python {

View transposed(const View&, const Dims& axes);             // ValueError, AxisError
void expect_size(const Dims& shape, std::int64_t itemsize);  // ValueError where no memory could hold such an array
std::optional<View> reshaped(const Array&, Dims shape);     // one length may be -1; empty when a copy is needed

}  // namespace asnumpy::python
