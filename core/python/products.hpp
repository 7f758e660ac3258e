// Matrix products by the short way.
#pragma once

#include "python/python.hpp"
#include "runtime/queue.hpp"

namespace asnumpy::python {

// The product of two vectors, matrices or stacks of one dtype whose lengths match, a new reference; null for anything else.
PyObject* quick_product(const Array&, const Array&);

}  // namespace asnumpy::python
