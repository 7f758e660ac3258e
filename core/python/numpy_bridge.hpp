// Arrays from NumPy and to NumPy.
#pragma once

#include "python/array_object.hpp"

namespace asnumpy::python {

// A copy in native byte order, C-ordered unless the source is in Fortran order.
PyObject* copy_from_numpy(PyObject* source, const char* function);
// An array over the memory of `source`. `seen`: somebody else may read or write it, so nothing on it is ever deferred.
PyObject* share_numpy(PyObject* source, bool seen, const char* function);
// An ndarray over the array's memory; the buffer counts as exported until the last of its views dies.
PyObject* to_numpy(PyArray*, bool writeable);

}  // namespace asnumpy::python
