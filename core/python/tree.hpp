// Nested containers put together again, from the structure that asnumpy.runtime.tree has found.
#pragma once

#include "python/errors.hpp"
#include "python/python.hpp"

namespace asnumpy::python {

// A value of the structure: None for a leaf, else (class, detail, the structures of its parts). leaf(): the next leaf, a new reference.
template <class Leaf> nb::object unflattened(PyObject* structure, Leaf& leaf) {
    if (structure == Py_None) return owned(leaf());
    if (!PyTuple_CheckExact(structure) || PyTuple_GET_SIZE(structure) != 3 || !PyTuple_CheckExact(PyTuple_GET_ITEM(structure, 2)))
        raise(PyExc_TypeError, "expected the structure of a value, got a %s", Py_TYPE(structure)->tp_name);
    PyObject *const kind = PyTuple_GET_ITEM(structure, 0), *const detail = PyTuple_GET_ITEM(structure, 1), *const parts = PyTuple_GET_ITEM(structure, 2);
    const Py_ssize_t count = PyTuple_GET_SIZE(parts);
    const auto part = [&](Py_ssize_t k) { return unflattened(PyTuple_GET_ITEM(parts, k), leaf); };
    const auto filled = [&](nb::object sequence, auto set) {
        for (Py_ssize_t k = 0; k < count; ++k) set(sequence.ptr(), k, part(k).release().ptr());
        return sequence;
    };
    const auto list = [&] {
        return filled(owned(PyList_New(count)), [](PyObject* made, Py_ssize_t k, PyObject* one) { PyList_SET_ITEM(made, k, one); });
    };
    if (kind == reinterpret_cast<PyObject*>(&PyList_Type)) return list();
    if (kind == reinterpret_cast<PyObject*>(&PyTuple_Type))
        return filled(owned(PyTuple_New(count)), [](PyObject* made, Py_ssize_t k, PyObject* one) { PyTuple_SET_ITEM(made, k, one); });
    if (detail == Py_None) return owned(PyObject_CallMethod(kind, "_make", "(O)", list().ptr()));  // a named tuple
    const bool is_dict = kind == reinterpret_cast<PyObject*>(&PyDict_Type);
    if (!PyTuple_CheckExact(detail) || PyTuple_GET_SIZE(detail) != count)
        raise(PyExc_TypeError, "expected as many names as parts, for a %s", is_dict ? "dict" : "dataclass");
    // A dataclass as it was, whatever its __init__ would compute.
    const nb::object made = owned(is_dict ? PyDict_New() : PyObject_CallMethod(reinterpret_cast<PyObject*>(&PyBaseObject_Type), "__new__", "O", kind));
    for (Py_ssize_t k = 0; k < count; ++k) {
        PyObject* const name = PyTuple_GET_ITEM(detail, k);
        const nb::object one = part(k);
        if ((is_dict ? PyDict_SetItem(made.ptr(), name, one.ptr()) : PyObject_GenericSetAttr(made.ptr(), name, one.ptr())) != 0) throw_python_error();
    }
    return made;
}

}  // namespace asnumpy::python
