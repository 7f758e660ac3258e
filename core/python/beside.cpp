// The type of the package's functions: a call costs the function itself little more where all arrays are the CPU's.
#include "python/beside.hpp"

#include <algorithm>
#include <atomic>

#include "python/convert.hpp"
#include "python/devices.hpp"
#include "python/errors.hpp"
#include "python/hooks.hpp"
#include "python/number.hpp"
#include "python/numpy_bridge.hpp"
#include "python/quick_calls.hpp"

namespace asnumpy::python {

namespace {

struct PyBeside {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject* function;
    PyObject* attributes;  // functools.update_wrapper fills it
    PyObject* references;
    QuickCall* quick;  // answers plain calls; may be null
    bool asks;             // first whether an object of another library answers the call itself
};

PyTypeObject* bound_type = nullptr;  // of those that become a method where they are a class's attribute

PyBeside* beside_of(PyObject* o) { return reinterpret_cast<PyBeside*>(o); }

// Borrowed: what another one has replaced lives on, since a thread may be about to call it.
PyObject* function_of(PyObject* o) { return std::atomic_ref(beside_of(o)->function).load(std::memory_order_acquire); }
PyObject* get_function(PyObject* self, void*) { return Py_NewRef(function_of(self)); }
int set_function(PyObject* self, PyObject* value, void*) {
    if (!value) {
        PyErr_SetString(PyExc_TypeError, "asnumpy._core.Beside: its function cannot be deleted");
        return -1;
    }
    std::atomic_ref(beside_of(self)->function).store(Py_NewRef(value), std::memory_order_release);
    return 0;
}

// Whether a keyword says that another function does the work: `out`, an array of NumPy's, or `like`.
bool is_for_another(PyObject* const* arguments, std::size_t count, PyObject* names) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
        PyObject* const name = PyTuple_GET_ITEM(names, i);
        PyObject* const value = arguments[PyVectorcall_NARGS(count) + i];
        const Py_ssize_t length = PyUnicode_GET_LENGTH(name);
        if (length == 3 && PyUnicode_CompareWithASCIIString(name, "out") == 0) return PyArray_Check(value);
        if (length == 4 && value != Py_None && PyUnicode_CompareWithASCIIString(name, "like") == 0) return true;
    }
    return false;
}

// A hook that is given the call: the function, its arguments and keywords, and what else it asks for.
template <class... More>
PyObject* call_with(PyObject* Hooks::*which, const char* name, PyObject* self, PyObject* const* arguments, std::size_t count, PyObject* names,
                    More*... more) {
    return guarded([&]() -> PyObject* {
        const Py_ssize_t positional = PyVectorcall_NARGS(count);
        const nb::object args = owned(PyTuple_New(positional)), keywords = owned(PyDict_New());
        for (Py_ssize_t i = 0; i < positional; ++i) PyTuple_SET_ITEM(args.ptr(), i, Py_NewRef(arguments[i]));
        for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i)
            if (PyDict_SetItem(keywords.ptr(), PyTuple_GET_ITEM(names, i), arguments[positional + i]) < 0) throw_python_error();
        return call_hook(which, name, self, args.ptr(), keywords.ptr(), more...);
    });
}

// The call, made by NumPy's function of that name, or by what `like` names; the error rises where there is none. NotImplemented in its
// place asks whether the first argument answers it, and comes back where it does not.
PyObject* call_numpy(PyObject* self, PyObject* const* arguments, std::size_t count, PyObject* names, PyObject* error) {
    return call_with(&Hooks::on_numpy, "on_numpy", self, arguments, count, names, error);
}

PyObject* call_on_devices(PyObject* function, PyObject* const* arguments, std::size_t count, PyObject* names) {
    if (!several_devices()) return PyObject_Vectorcall(function, arguments, count, names);
    return guarded([&] {
        const auto all = static_cast<std::size_t>(PyVectorcall_NARGS(count) + (names ? PyTuple_GET_SIZE(names) : 0));
        const OnDeviceOf device(std::span<PyObject* const>(arguments, all));
        return PyObject_Vectorcall(function, arguments, count, names);
    });
}

bool is_of_another_library(PyObject* o) {
    if (is_array(o) || weak_kind(o) != Weak::none || PyList_CheckExact(o) || PyTuple_CheckExact(o)) return false;
    return !PyArray_Check(o) && !PyArray_IsScalar(o, Generic);
}

// Whether arrays of derived classes are among the values, or within lists and tuples no deeper than an array has axes.
bool find_derived(PyObject* const* values, Py_ssize_t count, int level = 0) {
    return std::any_of(values, values + count, [level](PyObject* value) {
        if (!PyList_CheckExact(value) && !PyTuple_CheckExact(value)) return is_derived(value);
        if (level == max_ndim) return false;
        const Items items(value);
        return find_derived(items.data(), static_cast<Py_ssize_t>(items.size()), level + 1);
    });
}

// -1: a Python exception is set. By itself: few programs come here, and every call of a function would pay for its frame.
[[gnu::noinline]] int holds_derived(PyObject* const* values, Py_ssize_t count) {
    return guarded([&]() -> int { return find_derived(values, count); });
}

PyObject* call(PyObject* self, PyObject* const* arguments, std::size_t count, PyObject* names) {
    if (QuickCall* const quick = beside_of(self)->quick; quick && quick->on.load(std::memory_order_relaxed) && !gives_numpys()) {
        PyObject* const answer = quick->answer(*quick, arguments, PyVectorcall_NARGS(count), names);
        if (answer || PyErr_Occurred()) return answer;
    }
    if (has_derived && depth == 0) [[unlikely]] {
        const Py_ssize_t all = PyVectorcall_NARGS(count) + (names ? PyTuple_GET_SIZE(names) : 0);
        const int found = holds_derived(arguments, all);
        if (found != 0) return found < 0 ? nullptr : call_with(&Hooks::derived, "derived", self, arguments, count, names);
    }
    if (beside_of(self)->asks && depth == 0 && PyVectorcall_NARGS(count) > 0 && is_of_another_library(arguments[0])) {
        PyObject* const answer = call_numpy(self, arguments, count, names, Py_NotImplemented);
        if (answer != Py_NotImplemented) return answer;
        Py_DECREF(answer);
    }
    if (names && depth == 0 && is_for_another(arguments, count, names)) return call_numpy(self, arguments, count, names, Py_None);
    PyObject* result = nullptr;
    {
        const Inside inside;
        result = call_on_devices(function_of(self), arguments, count, names);
    }
    if (result && gives_numpys()) [[unlikely]] return guarded([&] { return exchanged(result); });
    if (result || depth > 0 || !PyErr_ExceptionMatches(unsupported_dtype)) return result;
    PyObject *type = nullptr, *error = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &error, &trace);
    PyErr_NormalizeException(&type, &error, &trace);
    const nb::object held_type = nb::steal(type), held = nb::steal(error), held_trace = nb::steal(trace);
    return call_numpy(self, arguments, count, names, held.ptr());
}

// function, args, kwargs
PyObject* call_back(PyObject*, PyObject* const* given, Py_ssize_t count) {
    return guarded([&] {
        if (count != 3 || !PyTuple_CheckExact(given[1]) || !PyDict_CheckExact(given[2])) raise(PyExc_TypeError, "asnumpy._core.call_back() takes a function, a tuple and a dict");
        const Outside outside;
        const nb::object arguments = numpy_scalars ? nb::steal(exchanged(Py_NewRef(given[1]))) : nb::borrow(given[1]);
        return PyObject_Call(given[0], arguments.ptr(), given[2]);
    });
}

PyObject* holds_derived_of(PyObject*, PyObject* values) {
    if (!PyTuple_Check(values)) return PyErr_Format(PyExc_TypeError, "asnumpy._core.holds_derived() takes a tuple, not %.200s", Py_TYPE(values)->tp_name);
    const int found = has_derived ? holds_derived(&PyTuple_GET_ITEM(values, 0), PyTuple_GET_SIZE(values)) : 0;
    return found < 0 ? nullptr : PyBool_FromLong(found);
}

PyMethodDef beside_functions[] = {
    {"holds_derived", holds_derived_of, METH_O, "holds_derived(values, /)\n--\n\nWhether arrays of derived classes are among the values, or within lists and tuples."},
    {"call_back", fast(call_back), METH_FASTCALL,
     "call_back(function, args, kwargs, /)\n--\n\nCalls a program's own function from within one of the package's."},
    {nullptr, nullptr, 0, nullptr},
};

PyObject* create_beside(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    static char function_name[] = "function", binds_name[] = "binds", asks_name[] = "asks", quick_name[] = "quick", numpys_name[] = "numpys";
    static char* names[] = {function_name, binds_name, asks_name, quick_name, numpys_name, nullptr};
    PyObject* function = nullptr;
    int binds = 1, asks = 0;
    const char* quick = "";
    PyObject* numpys = nullptr;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|ppsO:Beside", names, &function, &binds, &asks, &quick, &numpys)) return nullptr;
    if (binds) type = bound_type;
    PyObject* const self = type->tp_alloc(type, 0);
    if (!self) return nullptr;
    beside_of(self)->vectorcall = call;
    beside_of(self)->function = Py_NewRef(function);
    beside_of(self)->asks = asks != 0;
    beside_of(self)->quick = quick_call(quick, numpys);
    return self;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(beside_of(self)->function);
    Py_VISIT(beside_of(self)->attributes);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

int clear(PyObject* self) {
    Py_CLEAR(beside_of(self)->function);
    Py_CLEAR(beside_of(self)->attributes);
    return 0;
}

void deallocate_beside(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (beside_of(self)->references) PyObject_ClearWeakRefs(self);
    clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyObject* bind(PyObject* self, PyObject* instance, PyObject*) { return instance ? PyMethod_New(self, instance) : Py_NewRef(self); }
// NumPy's function of that name, borrowed; null where there is none.
PyObject* theirs_of(PyObject* self) {
    PyObject* const attributes = beside_of(self)->attributes;
    PyObject* const found = attributes ? PyDict_GetItemWithError(attributes, interned.numpy) : nullptr;
    return found == Py_None ? nullptr : found;
}
// Equal to NumPy's: overrides find in their tables either under the other.
PyObject* compare(PyObject* self, PyObject* other, int operation) {
    if (operation != Py_EQ && operation != Py_NE) Py_RETURN_NOTIMPLEMENTED;
    PyObject* const theirs = theirs_of(self);
    if (!theirs && PyErr_Occurred()) return nullptr;
    if (self != other && theirs != other) Py_RETURN_NOTIMPLEMENTED;
    return PyBool_FromLong(operation == Py_EQ);
}
Py_hash_t hash_of(PyObject* self) {
    PyObject* const theirs = theirs_of(self);
    if (!theirs && PyErr_Occurred()) return -1;
    return theirs ? PyObject_Hash(theirs) : PyBaseObject_Type.tp_hash(self);
}
PyObject* represent(PyObject* self) { return PyObject_Repr(function_of(self)); }
PyObject* reduce_beside(PyObject* self, PyObject*) { return PyObject_GetAttrString(self, "__qualname__"); }  // pickled by name, as functions are

PyMemberDef beside_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(PyBeside, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(PyBeside, attributes), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PyBeside, references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyGetSetDef beside_getters[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {"_function", get_function, set_function, "what is called", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMethodDef methods[] = {{"__reduce__", reduce_beside, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

}  // namespace

void create_beside_type(nb::module_& m) {
    PyType_Slot slots[] = {
        {Py_tp_new, reinterpret_cast<void*>(create_beside)},
        {Py_tp_dealloc, reinterpret_cast<void*>(deallocate_beside)},
        {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
        {Py_tp_clear, reinterpret_cast<void*>(clear)},
        {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
        {Py_tp_repr, reinterpret_cast<void*>(represent)},
        {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
        {Py_tp_hash, reinterpret_cast<void*>(hash_of)},
        {Py_tp_members, beside_members},
        {Py_tp_getset, beside_getters},
        {Py_tp_methods, methods},
        {0, nullptr},
    };
    constexpr unsigned flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL;
    PyType_Spec spec{"asnumpy._core.Beside", sizeof(PyBeside), 0, flags | Py_TPFLAGS_BASETYPE, slots};
    const nb::object type = owned(PyType_FromSpec(&spec));
    m.attr("Beside") = type;
    // Python calls a method without a bound object in between where its type says that it takes the instance first.
    PyType_Slot bound_slots[] = {
        {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
        {Py_tp_clear, reinterpret_cast<void*>(clear)},
        {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
        {Py_tp_descr_get, reinterpret_cast<void*>(bind)},
        {0, nullptr},
    };
    PyType_Spec bound{"asnumpy._core.BoundBeside", sizeof(PyBeside), 0, flags | Py_TPFLAGS_METHOD_DESCRIPTOR, bound_slots};
    bound_type = reinterpret_cast<PyTypeObject*>(owned(PyType_FromSpecWithBases(&bound, type.ptr())).release().ptr());
    if (PyModule_AddFunctions(m.ptr(), beside_functions) < 0) throw_python_error();
}

}  // namespace asnumpy::python
