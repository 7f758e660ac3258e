// The host door's way for ordinary arguments: functions of NumPy's see our memory, what they return becomes arrays of ours.
#include <utility>
#include <vector>

#include "python/beside.hpp"
#include "python/bindings.hpp"
#include "python/convert.hpp"
#include "python/devices.hpp"
#include "python/numpy_bridge.hpp"
#include "python/host_values.hpp"

namespace asnumpy::python {

namespace {

// NumPy's plain arrays and mapped files become arrays of ours; a matrix, a masked array and what other packages derive stays what it is.
PyObject* mapped = nullptr;  // numpy.memmap
bool is_numpys_plain_array(PyObject* o) {
    return PyArray_CheckExact(o) || PyObject_TypeCheck(o, reinterpret_cast<PyTypeObject*>(mapped));
}

// What a call has handed out, and with that what its result is.
struct Passage {
    std::vector<std::pair<nb::object, PyObject*>> views;  // each with the array that it shows
    nb::object plain;                                     // NumPy's own arrays among the arguments, a list; may be none
    Pool* beside = nullptr;                               // results lie here

    nb::object out(PyObject* o) {
        if (!is_array(o)) return nb::borrow(o);
        if (!beside) beside = &home_of(o);
        if (is_number_object(o)) return nb::steal(numpy_scalar_of(value_of(as_number(o))));
        PyArray* const a = unwrap(o);
        views.emplace_back(nb::steal(to_numpy(a, a->writeable)), o);
        return views.back().first;
    }

    nb::object back(PyObject* value) const {
        return with_returned(value, [this](PyObject* one) { return PyArray_Check(one) ? nb::steal(array(one)) : scalar(one); });
    }

private:
    nb::object scalar(PyObject* value) const {
        const nb::object descr = owned(reinterpret_cast<PyObject*>(PyArray_DescrFromScalar(value)));
        if (!is_supported(reinterpret_cast<PyArray_Descr*>(descr.ptr()))) return nb::borrow(value);
        return nb::steal(adopt_numpy(value, "array", *beside));
    }
    PyObject* array(PyObject* value) const {
        for (const auto& [view, shown] : views)
            if (view.is(value)) return Py_NewRef(shown);
        if (!is_numpys_plain_array(value)) return Py_NewRef(value);
        nb::object held = nb::borrow(value);
        if (!PyArray_CheckExact(value)) held = owned(PyArray_View(reinterpret_cast<PyArrayObject*>(value), nullptr, &PyArray_Type));
        auto* const made = reinterpret_cast<PyArrayObject*>(held.ptr());
        if (!is_supported(PyArray_DESCR(made)) || !PyArray_ISALIGNED(made)) return held.release().ptr();
        // What owns its memory cannot look into a view of ours, but may be what an argument is a view of.
        if (!is_fresh(made) || shares_with_argument(held.ptr())) return copy_from_numpy(held.ptr(), "array", *beside);
        return adopt_numpy(held.ptr(), "array", *beside);
    }
    bool shares_with_argument(PyObject* made) const {
        if (!plain.is_valid() || PyList_GET_SIZE(plain.ptr()) == 0) return false;
        const nb::object meets = nb::module_::import_("numpy").attr("may_share_memory");
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(plain.ptr()); ++i)
            if (PyObject_IsTrue(meets(nb::handle(made), nb::handle(PyList_GET_ITEM(plain.ptr(), i))).ptr())) return true;
        return false;
    }
};

bool is_ordinary(PyObject* o) { return is_plain_object(o) || (is_array(o) && home_of(o).host_visible()); }

// function, args, kwargs
PyObject* call_on_views(PyObject*, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        if (count != 3 || !PyTuple_CheckExact(given[1]) || !PyDict_CheckExact(given[2])) raise(PyExc_TypeError, "asnumpy._core.call_on_views() takes a function, a tuple and a dict");
        const Py_ssize_t positional = PyTuple_GET_SIZE(given[1]);
        PyObject *key = nullptr, *value = nullptr;
        bool any = false;
        for (Py_ssize_t i = 0; i < positional; ++i) {
            PyObject* const one = PyTuple_GET_ITEM(given[1], i);
            if (!is_ordinary(one)) return Py_NewRef(Py_NotImplemented);
            any = any || is_array(one);
        }
        for (Py_ssize_t place = 0; PyDict_Next(given[2], &place, &key, &value);) {
            if (!is_ordinary(value)) return Py_NewRef(Py_NotImplemented);
            any = any || is_array(value);
        }
        if (!any) return Py_NewRef(Py_NotImplemented);

        Passage passage;
        nb::object args = owned(PyTuple_New(positional)), keywords;
        for (Py_ssize_t i = 0; i < positional; ++i) PyTuple_SET_ITEM(args.ptr(), i, passage.out(PyTuple_GET_ITEM(given[1], i)).release().ptr());
        if (PyDict_GET_SIZE(given[2]) > 0) {
            keywords = owned(PyDict_New());
            for (Py_ssize_t place = 0; PyDict_Next(given[2], &place, &key, &value);)
                if (PyDict_SetItem(keywords.ptr(), key, passage.out(value).ptr()) < 0) throw_python_error();
        }
        const auto call = [&] {
            const Outside outside;
            return owned(PyObject_Call(given[0], args.ptr(), keywords.is_valid() ? keywords.ptr() : nullptr));
        };
        const nb::object result = call();
        return passage.back(result.ptr()).release().ptr();
    });
}

PyMethodDef host_functions[] = {
    {"call_on_views", fast(call_on_views), METH_FASTCALL,
     "call_on_views(function, args, kwargs, /)\n--\n\nThe function's result for views of our arrays, as arrays of ours; NotImplemented, and no call, where "
     "an argument is more than an array on the host, a number, a string, a type or None, or where none is an array."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void bind_host_door(nb::module_& m) {
    if (PyModule_AddFunctions(m.ptr(), host_functions) < 0) throw_python_error();
    mapped = checked(PyObject_GetAttrString(owned(PyImport_ImportModule("numpy")).ptr(), "memmap"));
    m.def("take_back", [](nb::handle result, nb::handle shown, nb::handle plain, nb::handle beside) {
        Passage passage;
        for (const nb::handle pair : shown) passage.views.emplace_back(nb::borrow(pair[0]), nb::object(pair[1]).ptr());
        passage.plain = nb::borrow(plain);
        passage.beside = &expect_pool(beside.ptr());
        return passage.back(result.ptr());
    }, nb::arg("result").none(), nb::arg("views"), nb::arg("plain"), nb::arg("beside").none(), "A function's result as arrays of ours; `views` are pairs of what was handed out and what it shows.");
}

}  // namespace asnumpy::python
