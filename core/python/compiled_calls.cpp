// Functions that another library compiles, numba's: a call of one with arrays of ours goes another way, at the cost of a look at its arguments.
#include "python/array_object.hpp"
#include "python/bindings.hpp"
#include "python/errors.hpp"

namespace asnumpy::python {

namespace {

constexpr int most_nested = 2;  // tuples and lists in such

// How the library calls one, and what gets (function, arguments, keywords) in its place where something of ours is among them.
ternaryfunc call_theirs = nullptr;
PyObject* call_with_ours = nullptr;

bool holds_ours(PyObject* o, int depth = 0) {
    if (is_array(o)) return true;
    if (depth == most_nested || !(PyTuple_CheckExact(o) || PyList_CheckExact(o))) return false;
    const Items items(o, PyList_CheckExact(o) ? 1 : PY_SSIZE_T_MAX);  // what is in a list is all of one type there
    for (PyObject* const item : items)
        if (holds_ours(item, depth + 1)) return true;
    return false;
}

PyObject* look_and_call(PyObject* self, PyObject* args, PyObject* kwargs) {
    return guarded([&]() -> PyObject* {
        bool ours = false;
        for (Py_ssize_t i = 0; !ours && i < PyTuple_GET_SIZE(args); ++i) ours = holds_ours(PyTuple_GET_ITEM(args, i));
        PyObject *name = nullptr, *value = nullptr;
        for (Py_ssize_t place = 0; !ours && kwargs && PyDict_Next(kwargs, &place, &name, &value);) ours = holds_ours(value);
        if (!ours) return call_theirs(self, args, kwargs);
        const nb::object keywords = kwargs ? nb::borrow(kwargs) : owned(PyDict_New());
        return PyObject_CallFunctionObjArgs(call_with_ours, self, args, keywords.ptr(), nullptr);
    });
}

}  // namespace

void bind_compiled_calls(nb::module_& m) {
    m.def("watch_compiled_calls", [](nb::sequence classes, nb::object function) {
        for (const nb::handle one : classes) {
            auto* const type = reinterpret_cast<PyTypeObject*>(one.ptr());
            const bool fits = PyType_Check(one.ptr()) && PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) && !PyType_HasFeature(type, Py_TPFLAGS_HAVE_VECTORCALL) && type->tp_call;
            if (!fits || (call_theirs && type->tp_call != call_theirs)) raise(PyExc_TypeError, "asnumpy._core.watch_compiled_calls: %R is not called as the others are", one.ptr());
            call_theirs = type->tp_call;
        }
        Py_XSETREF(call_with_ours, function.release().ptr());
        for (const nb::handle one : classes) reinterpret_cast<PyTypeObject*>(one.ptr())->tp_call = look_and_call;
    }, nb::arg("classes"), nb::arg("function"),
          "Objects of these classes, which share one way of being called, are called so without an array of ours among the arguments, or in tuples and "
          "lists of them; else function(object, args, kwargs) is.");
}

}  // namespace asnumpy::python
