// The type of the package's functions: a call costs the function itself little more where all arrays are the CPU's.
#include "python/beside.hpp"

#include "python/devices.hpp"
#include "python/errors.hpp"

namespace asnumpy::python {

namespace {

struct PyBeside {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject* function;
    PyObject* attributes;  // functools.update_wrapper fills it
    PyObject* references;
    bool binds;            // becomes a method where it is a class's attribute
};

PyBeside* self_of(PyObject* o) { return reinterpret_cast<PyBeside*>(o); }

PyObject* call(PyObject* self, PyObject* const* arguments, std::size_t count, PyObject* names) {
    PyObject* const function = self_of(self)->function;
    if (!several_devices()) return PyObject_Vectorcall(function, arguments, count, names);
    return guarded([&] {
        const auto all = static_cast<std::size_t>(PyVectorcall_NARGS(count) + (names ? PyTuple_GET_SIZE(names) : 0));
        const OnDeviceOf device(std::span<PyObject* const>(arguments, all));
        return PyObject_Vectorcall(function, arguments, count, names);
    });
}

PyObject* create(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    static char function_name[] = "function", binds_name[] = "binds";
    static char* names[] = {function_name, binds_name, nullptr};
    PyObject* function = nullptr;
    int binds = 1;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|p:Beside", names, &function, &binds)) return nullptr;
    PyObject* const self = type->tp_alloc(type, 0);
    if (!self) return nullptr;
    self_of(self)->vectorcall = call;
    self_of(self)->function = Py_NewRef(function);
    self_of(self)->binds = binds != 0;
    return self;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(self_of(self)->function);
    Py_VISIT(self_of(self)->attributes);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

int clear(PyObject* self) {
    Py_CLEAR(self_of(self)->function);
    Py_CLEAR(self_of(self)->attributes);
    return 0;
}

void deallocate(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (self_of(self)->references) PyObject_ClearWeakRefs(self);
    clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyObject* bind(PyObject* self, PyObject* instance, PyObject*) {
    return instance && self_of(self)->binds ? PyMethod_New(self, instance) : Py_NewRef(self);
}
PyObject* text_of(PyObject* self) { return PyObject_Repr(self_of(self)->function); }
PyObject* reduce(PyObject* self, PyObject*) { return PyObject_GetAttrString(self, "__qualname__"); }  // pickled by name, as functions are

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(PyBeside, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(PyBeside, attributes), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PyBeside, references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyGetSetDef getters[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr}, {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

}  // namespace

void create_beside_type(nb::module_& m) {
    PyType_Slot slots[] = {
        {Py_tp_new, reinterpret_cast<void*>(create)},
        {Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
        {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
        {Py_tp_clear, reinterpret_cast<void*>(clear)},
        {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
        {Py_tp_descr_get, reinterpret_cast<void*>(bind)},
        {Py_tp_repr, reinterpret_cast<void*>(text_of)},
        {Py_tp_members, members},
        {Py_tp_getset, getters},
        {Py_tp_methods, methods},
        {0, nullptr},
    };
    PyType_Spec spec{"asnumpy._core.Beside", sizeof(PyBeside), 0,
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, slots};
    m.attr("Beside") = owned(PyType_FromSpec(&spec));
}

}  // namespace asnumpy::python
