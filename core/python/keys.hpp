// What a key selects of an array: a view, one element, or what one index array picks.
#pragma once

#include <optional>
#include <span>

#include "python/array_object.hpp"

namespace asnumpy::python {

// A key of integers, slices, None and Ellipsis alone.
class BasicKey {
public:
    // Nothing where the key is another. It refers to the key.
    static std::optional<BasicKey> of(PyObject* const& key);
    // Integers for all axes: NumPy gives a scalar, not a view.
    bool names_element(int ndim) const { return integers_only_ && used_ == ndim; }
    // Writes what it selects of `from` to `to`, which is a view of nothing so far.
    void select(const View& from, View& to) const;

private:
    explicit BasicKey(std::span<PyObject* const> parts) : parts_(parts) {}

    std::span<PyObject* const> parts_;
    int used_ = 0;  // axes that it names
    bool integers_only_ = true;
};

// A vector of integers as an index; null for any other part of a key.
const Array* index_vector(PyObject* part);

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
