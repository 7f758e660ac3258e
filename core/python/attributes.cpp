// Attributes of arrays.
#include "python/array_object.hpp"
#include "python/convert.hpp"
#include "python/devices.hpp"
#include "python/exports.hpp"
#include "python/numpy_bridge.hpp"
#include "python/shapes.hpp"
#include "runtime/copies.hpp"
#include "runtime/queue.hpp"

namespace asnumpy::python {

namespace {

template <class F> PyObject* with_array(PyObject* self, F&& f) {
    return guarded([&]() -> PyObject* { return f(unwrap(self)); });
}

PyObject* shape(PyObject* self, void*) {
    return with_array(self, [](PyArray* a) { return dims_to_tuple(a->array.shape()).release().ptr(); });
}
int set_shape(PyObject* self, PyObject* value, void*) {
    return guarded([&]() -> int {
        if (!value) raise(PyExc_AttributeError, "Cannot delete array shape");
        PyArray* a = unwrap(self);
        std::optional<View> view = reshaped(a->array, to_dims(value));
        if (!view)
            raise(PyExc_AttributeError, "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape.");
        a->array.view = std::move(*view);
        return 0;
    });
}
PyObject* strides(PyObject* self, void*) {
    return with_array(self, [](PyArray* a) { return dims_to_tuple(a->array.view.strides).release().ptr(); });
}
PyObject* ndim(PyObject* self, void*) { return PyLong_FromLong(unwrap(self)->array.ndim()); }
PyObject* size(PyObject* self, void*) { return PyLong_FromLongLong(unwrap(self)->array.size()); }
PyObject* item_size(PyObject* self, void*) { return PyLong_FromLongLong(item_bytes(unwrap(self)->array)); }
PyObject* nbytes(PyObject* self, void*) { return PyLong_FromLongLong(unwrap(self)->array.nbytes()); }
PyObject* dtype(PyObject* self, void*) {
    return Py_NewRef(reinterpret_cast<PyObject*>(descriptor(unwrap(self)->array.dtype)));
}
PyObject* base(PyObject* self, void*) {
    PyObject* owner = unwrap(self)->base;
    return Py_NewRef(owner ? owner : Py_None);
}
PyObject* transposed_array(PyObject* self, void*) {
    return with_array(self, [](PyArray* a) {
        const View& from = a->array.view;
        const int n = from.ndim();
        View view;
        view.offset = from.offset;
        view.shape = Dims(n);
        view.strides = Dims(n);
        for (int i = 0; i < n; ++i) {
            view.shape[i] = from.shape[n - 1 - i];
            view.strides[i] = from.strides[n - 1 - i];
        }
        return wrap_view(a, std::move(view));
    });
}
PyObject* matrix_transposed_array(PyObject* self, void*) {
    return with_array(self, [](PyArray* a) {
        View view = a->array.view;
        const int n = view.ndim();
        if (n < 2) raise(PyExc_ValueError, "matrix transpose with ndim < 2 is undefined");
        std::swap(view.shape[n - 1], view.shape[n - 2]);
        std::swap(view.strides[n - 1], view.strides[n - 2]);
        return wrap_view(a, std::move(view));
    });
}

// complex32 is none of NumPy's complex dtypes: its real part is the array itself there too.
bool has_parts(const PyArray* a) { return is_complex(a->array.dtype) && !is_narrow(a->array.dtype); }

DType component_of(DType complex) {
    switch (complex) {
        case DType::complex64: return DType::float32;
        case DType::complex128: return DType::float64;
        default: return DType::longdouble;
    }
}
PyObject* component(PyArray* a, std::int64_t which) {
    const DType part = component_of(a->array.dtype);
    View view = a->array.view;
    view.offset += which * static_cast<std::int64_t>(itemsize(part));
    return wrap_view(a, std::move(view), part);
}
PyObject* real(PyObject* self, void*) {
    return with_array(self, [&](PyArray* a) { return has_parts(a) ? component(a, 0) : Py_NewRef(self); });
}
PyObject* imag(PyObject* self, void*) {
    return with_array(self, [](PyArray* a) {
        if (has_parts(a)) return component(a, 1);
        Array zeros = new_array_like(a->array.view, a->array.dtype, a->array.pool());
        asnumpy::assign(zeros, cast_scalar(Scalar::of<std::int64_t>(0), a->array.dtype));
        PyObject* made = wrap(std::move(zeros));
        unwrap(made)->writeable = false;
        return of_class(reinterpret_cast<PyObject*>(a), made);
    });
}
int set_component(PyObject* self, PyObject* value, PyObject* (*get)(PyObject*, void*), const char* name) {
    return guarded([&]() -> int {
        if (!value) raise(PyExc_AttributeError, "Cannot delete array %s part", name);
        const nb::object part = owned(get(self, nullptr));
        return PyObject_SetItem(part.ptr(), Py_Ellipsis, value);
    });
}
int set_real(PyObject* self, PyObject* value, void*) { return set_component(self, value, real, "real"); }
int set_imag(PyObject* self, PyObject* value, void*) {
    if (value && !has_parts(unwrap(self))) {
        PyErr_SetString(PyExc_TypeError, "array does not have imaginary part to set");
        return -1;
    }
    return set_component(self, value, imag, "imaginary");
}
PyObject* c_contiguous(PyObject* self, void*) {
    const Array& a = unwrap(self)->array;
    return PyBool_FromLong(is_c_contiguous(a.view, item_bytes(a)));
}
PyObject* f_contiguous(PyObject* self, void*) {
    const Array& a = unwrap(self)->array;
    return PyBool_FromLong(is_f_contiguous(a.view, item_bytes(a)));
}
PyObject* writeable(PyObject* self, void*) { return PyBool_FromLong(unwrap(self)->writeable); }
int set_writeable(PyObject* self, PyObject* value, void*) {
    return guarded([&]() -> int {
        if (!value) raise(PyExc_AttributeError, "cannot delete _flags_writeable");
        const int truth = PyObject_IsTrue(value);
        if (truth < 0) throw_python_error();
        PyArray* a = unwrap(self);
        // A view of something read-only stays so: NumPy asks the owner.
        if (truth && a->base) {
            const bool allowed = is_array(a->base) ? unwrap(a->base)->writeable
                                                   : PyArray_Check(a->base) && PyArray_ISWRITEABLE(reinterpret_cast<PyArrayObject*>(a->base));
            if (!allowed && !a->writeable) raise(PyExc_ValueError, "cannot set WRITEABLE flag to True of this array");
        }
        a->writeable = truth == 1;
        return 0;
    });
}
PyObject* owns_data(PyObject* self, void*) { return PyBool_FromLong(!unwrap(self)->base); }
PyObject* is_pending(PyObject* self, void*) {
    return with_array(self, [](PyArray* a) { return PyBool_FromLong(pending(a->array)); });
}

void require_code(DType d, const char* attribute) {
    if (d == DType::bfloat16 || is_narrow(d)) raise(PyExc_AttributeError, "%s has no code for %s", attribute, std::string(name(d)).c_str());
}

// The address is given away for as long as the array lives.
void export_for_life(PyArray* a) {
    const nb::ft_object_guard only(reinterpret_cast<PyObject*>(a));
    if (a->exported) return;
    ++a->array.buffer->exports;
    a->exported = true;
}

PyObject* given_address(PyObject* self, void*) {
    return with_array(self, [](PyArray* a) {
        export_for_life(a);  // before the memory is made ready, so that nothing is deferred in between
        make_ready(a->array);
        if (!a->array.host_visible()) without_lock([a] { a->array.pool().backend().synchronize(); });  // for kernels on other streams
        return checked(PyLong_FromVoidPtr(a->array.data()));
    });
}

// An address in it is one that the host may read. Where there is none the protocol says: no data, then the buffer's, which is a copy in C order.
PyObject* array_interface(PyObject* self, void*) {
    return with_array(self, [self](PyArray* a) -> PyObject* {
        const DType d = a->array.dtype;
        require_code(d, "__array_interface__");
        const bool here = a->array.host_visible();
        const nb::object data = here ? owned(Py_BuildValue("(NO)", given_address(self, nullptr), a->writeable ? Py_False : Py_True)) : nb::none();
        const nb::object type = owned(PyObject_GetAttrString(reinterpret_cast<PyObject*>(descriptor(d)), "str"));
        const nb::object description = owned(PyObject_GetAttrString(reinterpret_cast<PyObject*>(descriptor(d)), "descr"));
        const nb::object steps = !here || is_c_contiguous(a->array.view, item_bytes(a->array)) ? nb::none() : dims_to_tuple(a->array.view.strides);
        return checked(Py_BuildValue("{s:O,s:O,s:O,s:O,s:O,s:i}", "data", data.ptr(), "strides", steps.ptr(), "descr", description.ptr(), "typestr", type.ptr(),
                                     "shape", dims_to_tuple(a->array.shape()).ptr(), "version", 3));
    });
}

// NumPy asks for this before the array interface, whose address it would read: where the host may not, it ends here.
PyObject* array_struct(PyObject* self, void*) {
    return with_array(self, [](PyArray* a) -> PyObject* {
        if (!a->array.host_visible()) allow_implicit_copy(a->array, "numpy.asarray");
        require_code(a->array.dtype, "__array_struct__");
        if (!a->array.host_visible()) {
            static_cast<void>(to_host(a->array));  // says why the buffer protocol could not
            raise(PyExc_BufferError, "asnumpy: an array of a device has no __array_struct__; use asnumpy.to_numpy(a)");
        }
        export_for_life(a);
        const nb::object view = nb::steal(to_numpy(a, a->writeable));
        return checked(PyObject_GetAttrString(view.ptr(), "__array_struct__"));
    });
}

PyObject* device(PyObject* self, void*) {
    return with_array(self, [](PyArray* a) { return device_name(a->array.pool()); });
}
PyObject* host_visible(PyObject* self, void*) { return PyBool_FromLong(unwrap(self)->array.host_visible()); }
PyObject* address(PyObject* self, void*) {
    return with_array(self, [](PyArray* a) {
        make_ready(a->array);
        return checked(PyLong_FromVoidPtr(a->array.data()));
    });
}

}  // namespace

PyGetSetDef attributes[] = {
    {"shape", shape, set_shape, "Tuple of the lengths of the axes.", nullptr},
    {"strides", strides, nullptr, "Tuple of the steps of the axes in bytes.", nullptr},
    {"ndim", ndim, nullptr, "Number of axes.", nullptr},
    {"size", size, nullptr, "Number of elements.", nullptr},
    {"itemsize", item_size, nullptr, "Bytes of one element.", nullptr},
    {"nbytes", nbytes, nullptr, "Bytes of all elements.", nullptr},
    {"dtype", dtype, nullptr, "The elements' type, a numpy.dtype.", nullptr},
    {"base", base, nullptr, "The object that owns the memory of a view, else None.", nullptr},
    {"T", transposed_array, nullptr, "View with the axes reversed.", nullptr},
    {"mT", matrix_transposed_array, nullptr, "View with the last two axes in each other's place.", nullptr},
    {"real", real, set_real, "The real parts, a view; the array itself where it is not complex.", nullptr},
    {"imag", imag, set_imag, "The imaginary parts, a view; read-only zeros where the array is not complex.", nullptr},
    {"_flags_c_contiguous", c_contiguous, nullptr, "Whether the elements lie in C order without gaps.", nullptr},
    {"_flags_f_contiguous", f_contiguous, nullptr, "Whether the elements lie in Fortran order without gaps.", nullptr},
    {"_flags_writeable", writeable, set_writeable, "Whether elements may be assigned.", nullptr},
    {"_owns_data", owns_data, nullptr, "Whether the memory is the array's own.", nullptr},
    {"_pending", is_pending, nullptr, "Whether work on this array is recorded and not yet run.", nullptr},
    {"_device_name", device, nullptr, "Name of the device whose memory holds the elements.", nullptr},
    {"_host_visible", host_visible, nullptr, "Whether the host may read and write the memory.", nullptr},
    {"_address", address, nullptr, "Address of the first element on its device.", nullptr},
    {"_given_address", given_address, nullptr, "The same for others to keep: what concerns the array has run, and runs at once from now on.", nullptr},
    {"__array_struct__", array_struct, nullptr, "NumPy's array interface as a structure of C.", nullptr},
    {"__array_interface__", array_interface, nullptr, "NumPy's array interface, version 3.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

}  // namespace asnumpy::python
