// Numbers: their memory, their value and array, and what becomes one.
#include "python/number.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>

#include "python/devices.hpp"
#include "python/gil.hpp"
#include "python/hooks.hpp"
#include "python/host_read.hpp"
#include "python/ufunc_object.hpp"

namespace asnumpy::python {

namespace {

std::array<PyObject*, 2> truths{};  // the CPU's False and True

// Objects that died lately, with an empty array in each. Not where threads would share them (array_object.cpp).
struct FreeNumbers {
    static constexpr std::size_t capacity = 128;
    std::array<PyObject*, capacity> objects{};
    std::size_t size = 0;
};
FreeNumbers free_numbers;

constexpr NumberKind kind_of(DType d) {
    switch (kind(d)) {
        case 'b': return NumberKind::boolean;
        case 'i':
        case 'u': return NumberKind::integer;
        case 'c': return NumberKind::complex;
        default: return NumberKind::floating;
    }
}

const std::array<PyTypeObject* const*, dtype_count>& types_by_dtype() {
    static const auto table = [] {
        std::array<PyTypeObject* const*, dtype_count> all{};
        for (int d = 0; d < dtype_count; ++d)
            all[static_cast<std::size_t>(d)] = &number_types[static_cast<std::size_t>(kind_of(static_cast<DType>(d)))];
        return all;
    }();
    return table;
}

PyObject* self_as_object(PyNumber* n) { return reinterpret_cast<PyObject*>(n); }

}  // namespace

PyObject* numpy_scalar_of(const Scalar& value) {
    return checked(PyArray_Scalar(const_cast<std::byte*>(value.bytes.data()), descriptor(value.dtype), nullptr));
}

PyNumber* blank_number(DType dtype, Pool& pool) {
    PyTypeObject* type = *types_by_dtype()[static_cast<std::size_t>(dtype)];
    if (!type) [[unlikely]] raise(PyExc_RuntimeError, "asnumpy._core: the classes of numbers are not made; import asnumpy first");
    PyObject* o;
    if (has_interpreter_lock && free_numbers.size > 0) {
        o = free_numbers.objects[--free_numbers.size];
    } else {
        o = static_cast<PyObject*>(PyObject_Malloc(sizeof(PyNumber)));
        if (!o) throw std::bad_alloc();
        std::construct_at(&reinterpret_cast<PyArray*>(o)->array);
    }
    PyNumber* n = as_number(PyObject_Init(o, type));
    n->base = nullptr;
    n->weakrefs = nullptr;
    n->writeable = false;
    n->exported = false;
    n->pool = &pool;
    n->known = false;
    n->weak = false;
    n->value.dtype = dtype;
    return n;
}

void deallocate_number(PyObject* self) {
    PyNumber* n = as_number(self);
    PyTypeObject* type = Py_TYPE(self);
    if (n->weakrefs) PyObject_ClearWeakRefs(self);
    if (n->exported) --n->array.buffer->exports;
    if (n->array.buffer) n->array = Array{};
    if (has_interpreter_lock && free_numbers.size < FreeNumbers::capacity) {
        free_numbers.objects[free_numbers.size++] = self;
    } else {
        std::destroy_at(&n->array);
        PyObject_Free(self);
    }
    Py_DECREF(type);
    if (anything_deferred()) run_deferred();
}

void give_array(PyArray* a) {
    auto* n = static_cast<PyNumber*>(a);
    Array made = new_array({}, n->value.dtype, cpu_pool());
    made.buffer->materialise();
    std::memcpy(made.data(), n->value.bytes.data(), itemsize(n->value.dtype));
    made = moved(made, *n->pool);
    const nb::ft_object_guard only(self_as_object(n));
    if (n->array.buffer) return;  // another thread was quicker
    n->array.view = std::move(made.view);
    n->array.dtype = made.dtype;
    n->array.buffer.publish(std::move(made.buffer));
}

void make_truths() {
    for (const bool value : {false, true}) {
        PyNumber* n = blank_number(DType::boolean, cpu_pool());
        n->value = Scalar::of(value);
        n->known = true;
        truths[value] = self_as_object(n);
    }
}

bool learn(PyNumber* n) {
    const nb::ft_object_guard only(self_as_object(n));
    if (n->known) return true;  // another thread was quicker
    const Buffer& buffer = *n->array.buffer;
    const std::optional<Array> here = as_mirrored(n->array);
    const char* element = here ? here->data() : nullptr;
    if (buffer.host_visible() && !buffer.pending_writes && buffer.materialised()) element = n->array.data();
    if (!element) return false;
    std::memcpy(n->value.bytes.data(), element, itemsize(n->value.dtype));
    return n->known = true;
}

const Scalar& value_of(PyNumber* n) {
    if (!is_known(n)) {
        const HostRead element(n->array);
        const nb::ft_object_guard only(self_as_object(n));
        if (!n->known) {
            std::memcpy(n->value.bytes.data(), element.data(), itemsize(n->value.dtype));
            n->known = true;
        }
    }
    return n->value;
}

PyObject* boolean_number(bool value, Pool& pool) {
    if (gives_numpys()) [[unlikely]] return Py_NewRef(value ? PyArrayScalar_True : PyArrayScalar_False);
    const Scalar scalar = Scalar::of(value);
    if (&pool == &cpu_pool()) return Py_NewRef(truths[value]);
    PyNumber* n = blank_number(DType::boolean, pool);
    n->value = scalar;
    n->known = true;
    return self_as_object(n);
}

PyObject* number_at(DType dtype, const char* element, Pool& pool) {
    if (dtype == DType::boolean) return boolean_number(*element != 0, pool);
    if (gives_numpys()) [[unlikely]] return checked(PyArray_Scalar(const_cast<char*>(element), descriptor(dtype), nullptr));
    PyNumber* n = blank_number(dtype, pool);
    copy_item(n->value.bytes.data(), element, itemsize(dtype));
    n->known = true;
    return self_as_object(n);
}

PyObject* number_of(const Scalar& value, Pool& pool) {
    return number_at(value.dtype, reinterpret_cast<const char*>(value.bytes.data()), pool);
}

PyObject* number_of(Array&& array) {
    PyNumber* n = blank_number(array.dtype, array.pool());
    n->array = std::move(array);
    return gives_numpys() ? exchanged(self_as_object(n)) : self_as_object(n);
}

PyObject* exchanged(PyObject* result) {
    if (!result) return nullptr;
    const nb::object held = nb::steal(result);
    if (is_number_object(result)) return numpy_scalar_of(value_of(as_number(result)));
    if (!PyTuple_Check(result) && !PyList_CheckExact(result)) return Py_NewRef(result);
    const Items items(result);
    if (std::ranges::none_of(items, is_number_object)) return Py_NewRef(result);
    nb::object changed = owned(PyTuple_New(static_cast<Py_ssize_t>(items.size())));
    for (std::size_t i = 0; i < items.size(); ++i) PyTuple_SET_ITEM(changed.ptr(), static_cast<Py_ssize_t>(i), exchanged(Py_NewRef(items[i])));
    if (PyTuple_CheckExact(result)) return changed.release().ptr();
    if (PyList_CheckExact(result)) return checked(PySequence_List(changed.ptr()));
    return checked(PyObject_CallMethod(reinterpret_cast<PyObject*>(Py_TYPE(result)), "_make", "(O)", changed.ptr()));  // a named tuple
}

// What NumPy gives for a method of a scalar: a scalar again, or an array on memory of its own.
PyObject* view_of_number(PyNumber* n, View&& view, DType dtype) {
    if (view.ndim() == 0 && dtype == n->value.dtype) return Py_NewRef(self_as_object(n));
    Array made = cast(n->array, n->array.dtype);
    view.offset -= n->array.view.offset;
    made.view = std::move(view);
    made.dtype = dtype;
    return wrap_result(std::move(made));
}

PyObject* number_subscript(PyNumber* n, PyObject* key) {
    if (PyTuple_Check(key) && PyTuple_GET_SIZE(key) == 0) return Py_NewRef(self_as_object(n));
    if (PyTuple_Check(key) && PyTuple_GET_SIZE(key) == 1) key = PyTuple_GET_ITEM(key, 0);
    if (key == Py_Ellipsis) return wrap(cast(unwrap(self_as_object(n))->array, n->value.dtype));
    if (PyTuple_Check(key) || key == Py_None || PyBool_Check(key) || PyArray_IsScalar(key, Bool) || is_array(key) || PyArray_Check(key)) return nullptr;
    raise(PyExc_IndexError, "invalid index to scalar variable.");
}

void create_number_functions(nb::module_& m) {
    m.def("number_class", [](nb::handle cls, nb::handle kind) {
        return nb::steal(number_class(cls.ptr(), kind.is_none() ? nullptr : PyUnicode_AsUTF8(kind.ptr())));
    }, nb::arg("cls"), nb::arg("kind") = nb::none());
    m.def("number", [](nb::handle value) {
        Scalar scalar;
        if (!numpy_scalar(value.ptr(), scalar)) raise(PyExc_TypeError, "asnumpy._core.number: expected a scalar of NumPy's, got %R", value.ptr());
        return nb::steal(number_of(scalar, default_pool()));
    }, nb::arg("scalar"));
    m.def("returned", [](nb::handle made) -> nb::object {
        if (!is_plain_array(made.ptr()) || unwrap(made.ptr())->array.ndim() > 0) return nb::borrow(made);
        const Array& a = unwrap(made.ptr())->array;
        return nb::steal(number_of(cast(a, a.dtype)));
    }, nb::arg("array"), "What a function of NumPy's returns for an array: a number for one without axes.");
    m.def("set_numpy_scalars", [](bool on) { numpy_scalars = on; }, nb::arg("on"));
    m.def("is_number", [](nb::handle o) { return is_number_object(o.ptr()); }, nb::arg("object").none());
}

}  // namespace asnumpy::python
