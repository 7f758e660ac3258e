// What a key selects of an array: a view, one element, or what one index array picks.
#pragma once

#include <optional>

#include "python/array_object.hpp"

namespace asnumpy::python {

struct Indexed {
    View view;
    bool element = false;  // integers only: NumPy gives a scalar, not a view
};

// Integers, slices, None and Ellipsis; empty when the key is another.
std::optional<Indexed> index_basic(const View& from, PyObject* key);

// The common keys among the advanced ones: one vector of integers beside slices, None and Ellipsis, or one mask of a vector.
struct Picked {
    View view;      // the rest of the key applied
    Array index;    // of integers, along `axis` of the view; or the mask
    int axis = 0;
};
// The key as one axis where it is an array of integers of several axes that lie in C order; nothing for all else.
std::optional<Array> flat_index(PyObject* key);
// Empty when the key is not one of them.
std::optional<Picked> picked_by(const Array&, PyObject* key);

[[noreturn]] inline void raise_too_many(int ndim, Py_ssize_t indexed) {
    raise(PyExc_IndexError, "too many indices for array: array is %d-dimensional, but %zd were indexed", ndim, indexed);
}

}  // namespace asnumpy::python
