// What goes into a function of NumPy's as it is, and what comes out of it, alone or in lists and tuples, as what a program gets.
#pragma once

#include "python/convert.hpp"

namespace asnumpy::python {

// What goes into such a call as it is, and cannot hold an array.
inline bool is_plain_object(PyObject* o) {
    return o == Py_None || PyBool_Check(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyUnicode_CheckExact(o) || PyType_Check(o) || PyArray_DescrCheck(o);
}

// Whether arrays of ours hold such elements as they are: NumPy's arrays keep other dtypes, and foreign byte orders.
inline bool is_supported(PyArray_Descr* descr) { return dtype_code(descr) >= 0 && PyArray_ISNBO(descr->byteorder); }

// The arrays and scalars as `made_of` makes them of NumPy's; an object without a value, if it gave one for any of them.
template <class F> nb::object with_returned(PyObject* value, F&& made_of) {
    if (PyArray_Check(value) || PyArray_IsScalar(value, Generic)) return made_of(value);
    const bool list = PyList_CheckExact(value), tuple = PyTuple_CheckExact(value);
    if (!list && !tuple && !(PyTuple_Check(value) && PyObject_HasAttrString(value, "_fields"))) return nb::borrow(value);
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(value);
    nb::object items = owned(list ? PyList_New(size) : PyTuple_New(size));
    for (Py_ssize_t i = 0; i < size; ++i) {
        nb::object item = with_returned(PySequence_Fast_GET_ITEM(value, i), made_of);
        if (!item.is_valid()) return item;
        if (list) PyList_SET_ITEM(items.ptr(), i, item.release().ptr());
        else PyTuple_SET_ITEM(items.ptr(), i, item.release().ptr());
    }
    if (list || tuple) return items;
    return owned(PyObject_Call(reinterpret_cast<PyObject*>(Py_TYPE(value)), items.ptr(), nullptr));  // SVDResult and its like take them one by one
}

}  // namespace asnumpy::python
