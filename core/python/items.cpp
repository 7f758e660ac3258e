// From arrays to Python's values: item, tolist, and the conversions bool, int, float, complex, index.
#include "python/array_object.hpp"
#include "python/convert.hpp"
#include "python/host_read.hpp"

namespace asnumpy::python {

namespace {

PyObject* only_element(const Array& a) { return element_to_python(a.dtype, HostRead(a).data()); }

std::int64_t offset_of(const Array& a, int axis, std::int64_t index) {
    const std::int64_t length = a.shape()[axis];
    const std::int64_t position = index < 0 ? index + length : index;
    if (position < 0 || position >= length)
        raise(PyExc_IndexError, "index %lld is out of bounds for axis %d with size %lld", static_cast<long long>(index), axis,
              static_cast<long long>(length));
    return position * a.view.strides[axis];
}

PyObject* item(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        const Array& a = unwrap(self)->array;
        if (count == 1 && PyTuple_Check(args[0])) {
            count = PyTuple_GET_SIZE(args[0]);
            args = &PyTuple_GET_ITEM(args[0], 0);
        }
        if (count == 0) {
            if (a.size() != 1) raise(PyExc_ValueError, "can only convert an array of size 1 to a Python scalar");
            return only_element(a);
        }
        std::int64_t offset = 0;
        if (count == 1 && a.ndim() != 1) {  // a position in C order
            const std::int64_t index = to_int64(args[0]), size = a.size();
            std::int64_t rest = index < 0 ? index + size : index;
            if (rest < 0 || rest >= size)
                raise(PyExc_IndexError, "index %lld is out of bounds for size %lld", static_cast<long long>(index), static_cast<long long>(size));
            for (int i = a.ndim() - 1; i >= 0; --i) {
                offset += rest % a.shape()[i] * a.view.strides[i];
                rest /= a.shape()[i];
            }
        } else {
            if (count != a.ndim()) raise(PyExc_ValueError, "incorrect number of indices for array");
            for (int i = 0; i < a.ndim(); ++i) offset += offset_of(a, i, to_int64(args[i]));
        }
        return only_element(Array{a.buffer, View{a.view.offset + offset, {}, {}}, a.dtype});
    });
}

nb::object nested_list(const Array& a, const char* data, int axis) {
    const std::int64_t length = a.shape()[axis], stride = a.view.strides[axis];
    nb::object list = owned(PyList_New(length));
    const bool last = axis + 1 == a.ndim();
    for (std::int64_t i = 0; i < length; ++i, data += stride)
        PyList_SET_ITEM(list.ptr(), i, last ? element_to_python(a.dtype, data) : nested_list(a, data, axis + 1).release().ptr());
    return list;
}

PyObject* tolist(PyObject* self, PyObject*) {
    return guarded([&]() -> PyObject* {
        const Array a = unwrap(self)->array;
        if (a.ndim() == 0) return only_element(a);
        if (a.size() == 0) return nested_list(a, nullptr, 0).release().ptr();
        const HostRead elements(a);
        return nested_list(elements.array(), elements.data(), 0).release().ptr();
    });
}

nb::object zero_dimensional(PyObject* self) {
    const Array& a = unwrap(self)->array;
    if (a.ndim() > 0) raise(PyExc_TypeError, "only 0-dimensional arrays can be converted to Python scalars");
    return nb::steal(only_element(a));
}

PyObject* to_float(PyObject* self) {
    return guarded([&] { return checked(PyNumber_Float(zero_dimensional(self).ptr())); });
}

PyObject* to_int(PyObject* self) {
    return guarded([&] { return checked(PyNumber_Long(zero_dimensional(self).ptr())); });
}

PyObject* to_complex(PyObject* self, PyObject*) {
    return guarded([&]() -> PyObject* {
        const nb::object value = zero_dimensional(self);
        const Py_complex parts = PyComplex_AsCComplex(value.ptr());
        if (parts.real == -1.0 && PyErr_Occurred()) throw_python_error();
        return PyComplex_FromCComplex(parts);
    });
}

PyObject* to_index(PyObject* self) {
    return guarded([&]() -> PyObject* {
        const Array& a = unwrap(self)->array;
        if (a.ndim() > 0 || !is_integer(a.dtype)) raise(PyExc_TypeError, "only integer scalar arrays can be converted to a scalar index");
        return only_element(a);
    });
}

int truth(PyObject* self) {
    return guarded([&]() -> int {
        const Array& a = unwrap(self)->array;
        const std::int64_t size = a.size();
        if (size == 0) raise(PyExc_ValueError, "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty.");
        if (size > 1) raise(PyExc_ValueError, "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()");
        const HostRead element(a);
        return dispatch(a.dtype, [&]<class T>() -> int {
            T value;
            std::memcpy(&value, element.data(), sizeof value);
            if constexpr (is_narrow_v<T>) return static_cast<typename T::wide>(value) != typename T::wide(0);
            else if constexpr (is_half_v<T>) return static_cast<float>(value) != 0.0f;
            else return value != T(0);
        });
    });
}

const PyType_Slot conversions[] = {
    slot(Py_nb_bool, truth),
    slot(Py_nb_int, to_int),
    slot(Py_nb_float, to_float),
    slot(Py_nb_index, to_index),
};

}  // namespace

std::span<const PyType_Slot> conversion_slots() { return conversions; }

PyMethodDef item_methods[] = {
    {"item", fast(item), METH_FASTCALL,
     "item($self, /, *args)\n--\n\nOne element as a Python scalar."},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, "ndarray[shape, dtype], for annotations."},
    {"tolist", tolist, METH_NOARGS, "tolist($self, /)\n--\n\nThe elements as nested lists of Python scalars."},
    {"__complex__", to_complex, METH_NOARGS, "__complex__($self, /)\n--\n\nThe element as a complex."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace asnumpy::python
