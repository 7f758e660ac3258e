// Copies between arrays with NumPy's rules of assignment.
#pragma once

#include "runtime/queue.hpp"

namespace asnumpy::python {

// dst[...] = src; leading axes of length 1 of the source are dropped. ValueError in NumPy's words.
void assign_array(const Array& destination, const Array& source);
// A value of its dtype into one element, a 0-d view: at once when nothing recorded touches the memory, else recorded.
void assign_element(const Array& destination, const Scalar& value);

}  // namespace asnumpy::python
