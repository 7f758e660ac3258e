// The Python object that keeps a buffer exported: the base of the arrays that NumPy is given.
#include "python/exports.hpp"

#include <memory>

#include "python/gil.hpp"

namespace asnumpy::python {

namespace {

struct PyExport {
    PyObject_HEAD
    Export held;
    bool writeable;
};

PyTypeObject* type = nullptr;

void deallocate_export(PyObject* self) {
    PyTypeObject* own = Py_TYPE(self);
    std::destroy_at(&reinterpret_cast<PyExport*>(self)->held);
    own->tp_free(self);
    Py_DECREF(own);
    if (anything_deferred()) run_deferred();
}

int memory_of_export(PyObject* self, Py_buffer* view, int flags) {
    const auto* const own = reinterpret_cast<PyExport*>(self);
    const Buffer& buffer = *own->held.buffer();
    return PyBuffer_FillInfo(view, self, buffer.data(), static_cast<Py_ssize_t>(buffer.bytes()), own->writeable ? 0 : 1, flags);
}

}  // namespace

void create_export_type() {
    static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(deallocate_export)},
                                  {Py_bf_getbuffer, reinterpret_cast<void*>(memory_of_export)}, {0, nullptr}};
    PyType_Spec spec{"asnumpy._core.Export", sizeof(PyExport), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)));
}

nb::object export_object(const BufferPtr& buffer, bool writeable) {
    nb::object o = owned(type->tp_alloc(type, 0));
    auto* const made = reinterpret_cast<PyExport*>(o.ptr());
    std::construct_at(&made->held, buffer);
    made->writeable = writeable;
    return o;
}

}  // namespace asnumpy::python
