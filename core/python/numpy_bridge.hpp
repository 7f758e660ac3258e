// Arrays from NumPy and to NumPy.
#pragma once

#include "base/order.hpp"
#include "python/array_object.hpp"

namespace asnumpy::python {

// As new_array, in that order.
Array new_array_in(MemoryOrder, const Dims& shape, DType, Pool&);
// A copy on that device in native byte order, C-ordered unless the source is in Fortran order.
// Unless `blocking` it may return before the elements were read, where they lie in pinned memory.
PyObject* copy_from_numpy(PyObject* source, const char* function, Pool&, bool blocking = true);
// An array on the host over the memory of `source`, which somebody else may read or write: nothing on it is deferred.
PyObject* share_numpy(PyObject* source, const char* function);
// Whether a NumPy array may become one of ours as it is: at the end of its chain of views stands an array that owns the
// memory, so that it is nobody else's but NumPy's.
bool is_fresh(PyArrayObject*);
// The elements of `source`, which nobody else refers to: its memory on the host, a copy on another device.
PyObject* adopt_numpy(PyObject* source, const char* function, Pool&);
// An ndarray over the host's memory, which stays alive for the call; no reference to it may be kept.
nb::object temporary(const Array&, bool writeable = true);
// An ndarray over the array's memory; the buffer counts as exported until the last of its views dies. Where the host may
// not read that memory, a read-only ndarray over a copy.
PyObject* to_numpy(PyArray*, bool writeable);
// An ndarray of its own, in the array's memory order. as_it_lies: that of a device's array has its strides,
// so that elements that overlap each other overlap in the copy, too.
PyObject* numpy_copy(PyArray*, bool as_it_lies = false);
// The elements of a device's array into an ndarray of its shape and dtype, on memory in one piece. False, and nothing was
// done, where either is something else. Unless `blocking` it may return before they are there, as above.
bool download_into(PyArray*, PyObject* out, bool blocking);

}  // namespace asnumpy::python
