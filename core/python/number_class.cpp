// The classes of Numbers: Python's conversions, attributes and methods.
#include <array>
#include <cmath>
#include <cstring>
#include <span>

#include "python/devices.hpp"
#include "python/gil.hpp"
#include "python/hooks.hpp"
#include "python/number.hpp"
#include "python/ufunc_object.hpp"

namespace asnumpy::python {
namespace numbers {  // whose methods have the names of an array's
namespace {

PyTypeObject* number_type = nullptr;  // the class that all kinds share

// --- Python's numbers. NumPy's scalars say what is an error; the text is theirs. ---

PyObject* python_value(PyNumber* n) {
    const Scalar& v = value_of(n);
    return element_to_python(v.dtype, reinterpret_cast<const char*>(v.bytes.data()));
}

PyObject* to_float(PyObject* self) {
    PyNumber* n = as_number(self);
    if (n->known && n->value.dtype == DType::float64) return PyFloat_FromDouble(n->value.get<double>());
    return guarded([&]() -> PyObject* {
        const nb::object value = nb::steal(is_complex(n->value.dtype) ? numpy_scalar_of(value_of(n)) : python_value(n));
        return checked(PyNumber_Float(value.ptr()));
    });
}

PyObject* to_int(PyObject* self) {
    return guarded([&]() -> PyObject* {
        PyNumber* n = as_number(self);
        const nb::object value = nb::steal(is_complex(n->value.dtype) ? numpy_scalar_of(value_of(n)) : python_value(n));
        return checked(PyNumber_Long(value.ptr()));
    });
}

PyObject* to_complex(PyObject* self, PyObject*) {
    return guarded([&]() -> PyObject* {
        const nb::object value = nb::steal(python_value(as_number(self)));
        const Py_complex parts = PyComplex_AsCComplex(value.ptr());
        if (parts.real == -1.0 && PyErr_Occurred()) throw_python_error();
        return PyComplex_FromCComplex(parts);
    });
}

PyObject* to_index(PyObject* self) {
    return guarded([&] { return python_value(as_number(self)); });
}

int truth(PyObject* self) {
    PyNumber* n = as_number(self);
    if (n->known && n->value.dtype == DType::boolean) return n->value.get<bool>();
    return guarded([&]() -> int {
        return dispatch(n->value.dtype, [&]<class T>() -> int {
            const T value = value_of(n).get<T>();
            if constexpr (is_narrow_v<T>) return static_cast<typename T::wide>(value) != typename T::wide(0);
            else if constexpr (is_half_v<T>) return static_cast<float>(value) != 0.0f;
            else return value != T(0);
        });
    });
}

Py_hash_t hash(PyObject* self) {
    try {
        PyNumber* n = as_number(self);
        if (n->known && n->value.dtype == DType::int64) {  // below its modulus a number is its own hash; -1 stands for an error
            const auto value = n->value.get<std::int64_t>();
            if (constexpr std::int64_t most = (std::int64_t{1} << 61) - 2; value >= 0 && value <= most) return value;
        }
        const bool real = n->known && n->value.dtype == DType::float64;
        const nb::object value = real ? owned(PyFloat_FromDouble(n->value.get<double>())) : nb::steal(python_value(n));
        if (PyFloat_CheckExact(value.ptr()) && std::isnan(PyFloat_AS_DOUBLE(value.ptr()))) return PyBaseObject_Type.tp_hash(self);  // as Python's
        return PyObject_Hash(value.ptr());
    } catch (...) {
        set_python_error();
        return -1;
    }
}

PyObject* item(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        const bool tuple = count == 1 && PyTuple_Check(args[0]);
        const Py_ssize_t given = tuple ? PyTuple_GET_SIZE(args[0]) : count;
        const bool first = given == 1 && to_int64(tuple ? PyTuple_GET_ITEM(args[0], 0) : args[0]) + 1 <= 1;
        if (given == 1 && !first) raise(PyExc_IndexError, "index %R is out of bounds for size 1", tuple ? PyTuple_GET_ITEM(args[0], 0) : args[0]);
        if (given > 1) raise(PyExc_ValueError, "incorrect number of indices for array");
        return python_value(as_number(self));
    });
}

PyObject* tolist(PyObject* self, PyObject*) {
    return guarded([&] { return python_value(as_number(self)); });
}

PyObject* as_numpy_scalar(PyObject* self, PyObject*) {
    return guarded([&] { return numpy_scalar_of(value_of(as_number(self))); });
}

// Programs for the array API standard, SciPy's among them, assign to 0-d arrays: the number becomes another. Nobody else
// has its memory. The two truths, which all share, stay what they are.
int assign_item(PyObject* self, PyObject* key, PyObject* value) {
    PyNumber* n = as_number(self);
    if (!value || n->value.dtype == DType::boolean) {
        PyErr_Format(PyExc_TypeError, "'%.200s' object does not support item %s", Py_TYPE(self)->tp_name, value ? "assignment" : "deletion");
        return -1;
    }
    return guarded([&]() -> int {
        const nb::object changed = nb::steal(wrap(cast(unwrap(self)->array, n->value.dtype)));
        if (slots::assign_subscript(changed.ptr(), key, value) < 0) throw_python_error();
        Array before = unwrap(changed.ptr())->array;
        {
            const nb::ft_object_guard only(self);
            if (n->exported) --n->array.buffer->exports;
            n->exported = false;
            n->known = false;
            std::swap(n->array, before);
        }
        return 0;
    });
}

PyObject* copied(PyObject* self, PyObject*) {
    return guarded([&]() -> PyObject* {
        PyNumber* n = as_number(self);
        return is_known(n) ? number_of(n->value, *n->pool) : number_of(cast(n->array, n->value.dtype));
    });
}

// --- attributes, for which no array is needed ---

PyObject* empty_tuple(PyObject*, void*) { return PyTuple_New(0); }
PyObject* zero(PyObject*, void*) { return PyLong_FromLong(0); }
PyObject* one(PyObject*, void*) { return PyLong_FromLong(1); }
PyObject* yes(PyObject*, void*) { Py_RETURN_TRUE; }
PyObject* no(PyObject*, void*) { Py_RETURN_FALSE; }
PyObject* none(PyObject*, void*) { Py_RETURN_NONE; }
PyObject* get_self(PyObject* self, void*) { return Py_NewRef(self); }
PyObject* item_size(PyObject* self, void*) { return PyLong_FromSize_t(itemsize(as_number(self)->value.dtype)); }
PyObject* dtype(PyObject* self, void*) { return Py_NewRef(reinterpret_cast<PyObject*>(descriptor(as_number(self)->value.dtype))); }
PyObject* device(PyObject* self, void*) {
    return guarded([&] { return device_name(*as_number(self)->pool); });
}
PyObject* is_host_visible(PyObject* self, void*) { return PyBool_FromLong(as_number(self)->pool->host_visible()); }
PyObject* is_pending(PyObject* self, void*) {
    return guarded([&] { return PyBool_FromLong(!as_number(self)->known && pending(as_number(self)->array)); });
}

bool has_parts(const PyNumber* n) { return is_complex(n->value.dtype) && !is_narrow(n->value.dtype); }

PyObject* part(PyObject* self, std::int64_t which) {
    return guarded([&]() -> PyObject* {
        PyNumber* n = as_number(self);
        if (!has_parts(n)) {
            if (which == 0) return Py_NewRef(self);
            return number_of(cast_scalar(Scalar::of(std::int64_t{0}), n->value.dtype), *n->pool);
        }
        const DType d = n->value.dtype == DType::complex64 ? DType::float32 : n->value.dtype == DType::complex128 ? DType::float64 : DType::longdouble;
        const std::int64_t offset = which * static_cast<std::int64_t>(itemsize(d));
        if (is_known(n)) return number_at(d, reinterpret_cast<const char*>(n->value.bytes.data()) + offset, *n->pool);
        return number_of(cast(Array{n->array.buffer, View{n->array.view.offset + offset, {}, {}}, d}, d));
    });
}
PyObject* real(PyObject* self, void*) { return part(self, 0); }
PyObject* imag(PyObject* self, void*) { return part(self, 1); }

PyGetSetDef number_attributes[] = {
    {"shape", empty_tuple, nullptr, "Tuple of the lengths of the axes.", nullptr},
    {"strides", empty_tuple, nullptr, "Tuple of the steps of the axes in bytes.", nullptr},
    {"ndim", zero, nullptr, "Number of axes.", nullptr},
    {"size", one, nullptr, "Number of elements.", nullptr},
    {"itemsize", item_size, nullptr, "Bytes of one element.", nullptr},
    {"nbytes", item_size, nullptr, "Bytes of all elements.", nullptr},
    {"dtype", dtype, nullptr, "The type of the value, a numpy.dtype.", nullptr},
    {"base", none, nullptr, "None: a number is no view.", nullptr},
    {"T", get_self, nullptr, "The number itself.", nullptr},
    {"real", real, nullptr, "The real part.", nullptr},
    {"imag", imag, nullptr, "The imaginary part.", nullptr},
    {"_flags_c_contiguous", yes, nullptr, nullptr, nullptr},
    {"_flags_f_contiguous", yes, nullptr, nullptr, nullptr},
    {"_flags_writeable", no, nullptr, "False: a number does not change.", nullptr},
    {"_owns_data", yes, nullptr, nullptr, nullptr},
    {"_pending", is_pending, nullptr, "Whether work on this number is recorded and not yet run.", nullptr},
    {"_device_name", device, nullptr, "Name of the device that the number belongs to.", nullptr},
    {"_host_visible", is_host_visible, nullptr, "Whether the host may read that device's memory.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef number_methods[] = {
    {"item", fast(item), METH_FASTCALL,
     "item($self, /, *args)\n--\n\nThe value as a Python scalar."},
    {"tolist", tolist, METH_NOARGS, "tolist($self, /)\n--\n\nThe value as a Python scalar."},
    {"__complex__", to_complex, METH_NOARGS, "__complex__($self, /)\n--\n\nThe value as a complex."},
    {"__copy__", copied, METH_NOARGS, "A number of the same value."},
    {"__deepcopy__", copied, METH_O, "A number of the same value."},
    {"_numpy_scalar", as_numpy_scalar, METH_NOARGS, "_numpy_scalar()\n--\n\nThe value as NumPy's scalar."},
    {nullptr, nullptr, 0, nullptr},
};

// An attribute that the class sets to None is one that numbers lack and arrays have: hasattr() must say so too.
PyObject* get_attribute(PyObject* self, PyObject* name) {
    PyObject* found = PyObject_GenericGetAttr(self, name);
    if (found != Py_None) return found;
    PyObject* const in_class = _PyType_Lookup(Py_TYPE(self), name);
    if (in_class != Py_None) return found;
    Py_DECREF(found);
    return PyErr_Format(PyExc_AttributeError, "'%.200s' object has no attribute '%U'", Py_TYPE(self)->tp_name, name);
}

// Number(value): the value as a Number of the dtype that NumPy gives it.
PyObject* create(PyTypeObject*, PyObject* arguments, PyObject* keywords) {
    return guarded([&]() -> PyObject* {
        static const char* names[] = {"value", nullptr};
        PyObject* given = nullptr;
        if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O:Number", const_cast<char**>(names), &given)) throw_python_error();
        if (is_number_object(given)) return Py_NewRef(given);
        // A fraction, say, which statistics.mean() gives back to the class of its data.
        const bool foreign = !is_array(given) && !PyArray_Check(given) && !is_number(given) && !PySequence_Check(given) && PyNumber_Check(given);
        const Inside inside;  // a Number is what was asked for
        const nb::object value = foreign ? owned(PyNumber_Float(given)) : nb::borrow(given);
        const nb::object array = nb::steal(call_hook(&Hooks::asarray, "asarray", value.ptr()));
        const Array& made = expect_array(array.ptr(), "Number")->array;
        if (made.ndim() > 0) raise(PyExc_TypeError, "asnumpy.Number: expected one number, got an array of shape %R", dims_to_tuple(made.shape()).ptr());
        return number_of(cast(made, made.dtype));
    });
}

// Slots that a class inherits although numbers have nothing to answer there: an operator in place makes a new number, and
// Python takes nothing for a sequence that has no item.
void drop_slots(PyTypeObject* type, bool indexes) {
    auto* heap = reinterpret_cast<PyHeapTypeObject*>(type);
    type->tp_iter = nullptr;
    heap->as_mapping.mp_length = nullptr;
    heap->as_sequence = {};
    PyNumberMethods& n = heap->as_number;
    n.nb_inplace_add = n.nb_inplace_subtract = n.nb_inplace_multiply = n.nb_inplace_remainder = nullptr;
    n.nb_inplace_lshift = n.nb_inplace_rshift = n.nb_inplace_and = n.nb_inplace_or = n.nb_inplace_xor = nullptr;
    n.nb_inplace_floor_divide = n.nb_inplace_true_divide = n.nb_inplace_matrix_multiply = n.nb_matrix_multiply = nullptr;
    n.nb_inplace_power = nullptr;
    if (!indexes) n.nb_index = nullptr;
    PyType_Modified(type);
}

PyObject* subscript(PyObject* self, PyObject* key) {
    return guarded([&]() -> PyObject* {
        PyObject* made = number_subscript(as_number(self), key);
        return made ? made : slots::subscript(self, key);
    });
}

PyObject* make_class(PyObject* cls, const char* which) {
    static const PyType_Slot table[] = {
        slot(Py_tp_dealloc, deallocate_number), slot(Py_tp_new, create),         slot(Py_tp_hash, hash),
        slot(Py_tp_richcompare, slots::compare), slot(Py_tp_getattro, get_attribute),
        slot(Py_nb_float, to_float),             slot(Py_nb_int, to_int),         slot(Py_nb_bool, truth),
        slot(Py_nb_index, to_index),             slot(Py_mp_subscript, subscript), slot(Py_mp_ass_subscript, assign_item),
        {Py_tp_getset, number_attributes},       {Py_tp_methods, number_methods},
    };
    constexpr std::array names{"boolean", "integer", "floating", "complex"};
    if (!which) {
        PyObject* made = class_without_collector(cls, array_type, sizeof(PyNumber), table, Py_TPFLAGS_BASETYPE);
        number_type = reinterpret_cast<PyTypeObject*>(made);
        drop_slots(number_type, true);
        return Py_NewRef(made);  // kept for the life of the process
    }
    std::size_t k = 0;
    while (k < names.size() && std::strcmp(names[k], which) != 0) ++k;
    if (!number_type || k == names.size()) raise(PyExc_ValueError, "asnumpy._core.number_class: there is no kind of number '%s'", which);
    PyObject* made = class_without_collector(cls, number_type, sizeof(PyNumber), std::span(table).first(5), 0);
    drop_slots(reinterpret_cast<PyTypeObject*>(made), k == static_cast<std::size_t>(NumberKind::integer));
    number_types[k] = reinterpret_cast<PyTypeObject*>(made);
    if (k == static_cast<std::size_t>(NumberKind::boolean)) make_truths();
    return Py_NewRef(made);
}

}  // namespace
}  // namespace numbers

PyObject* number_class(PyObject* cls, const char* which) { return numbers::make_class(cls, which); }

}  // namespace asnumpy::python
