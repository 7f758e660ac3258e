// reshape and transpose.
#include <cstring>

#include "base/checked.hpp"
#include "base/order.hpp"
#include "python/array_object.hpp"
#include "python/convert.hpp"
#include "python/shapes.hpp"

namespace asnumpy::python {

namespace {

std::string wanted_text(const Dims& shape) {  // as NumPy writes it: the unknown length is newaxis
    std::string text = "(";
    for (int i = 0; i < shape.size(); ++i) text += (i ? "," : "") + (shape[i] < 0 ? "newaxis" : std::to_string(shape[i]));
    return text + (shape.size() == 1 ? ",)" : ")");
}

// Replaces the one negative length by what fits.
void complete(Dims& shape, const Array& a) {
    const std::int64_t size = a.size();
    int unknown = -1;
    std::int64_t known = 1;
    bool overflow = false;
    for (int i = 0; i < shape.size(); ++i) {
        if (shape[i] < 0) {
            if (unknown >= 0) raise(PyExc_ValueError, "can only specify one unknown dimension");
            unknown = i;
        } else {
            overflow |= __builtin_mul_overflow(known, shape[i], &known);
        }
    }
    const bool fits = !overflow && (unknown < 0 ? known == size : known > 0 && size % known == 0);
    if (!fits) throw ValueError("cannot reshape array of size " + std::to_string(size) + " into shape " + wanted_text(shape));
    if (unknown >= 0) shape[unknown] = size / known;
    if (size == 0) expect_size(shape, static_cast<std::int64_t>(itemsize(a.dtype)));  // beside the zero there may be any lengths
}

View reversed(const View& v) {
    View result = v;
    std::reverse(result.shape.begin(), result.shape.end());
    std::reverse(result.strides.begin(), result.strides.end());
    return result;
}

MemoryOrder parse_order(PyObject* o, const Array& a) {
    if (o == Py_None) return MemoryOrder::c;
    const char* text = PyUnicode_Check(o) ? PyUnicode_AsUTF8(o) : nullptr;
    if (!text) raise(PyExc_TypeError, "order must be str, not %.200s", Py_TYPE(o)->tp_name);
    const char letter = text[0] && !text[1] ? static_cast<char>(text[0] & ~0x20) : '\0';
    if (letter == 'C') return MemoryOrder::c;
    if (letter == 'F') return MemoryOrder::fortran;
    const auto item = static_cast<std::int64_t>(itemsize(a.dtype));
    if (letter == 'A') return is_f_contiguous(a.view, item) && !is_c_contiguous(a.view, item) ? MemoryOrder::fortran : MemoryOrder::c;
    if (letter == 'K') raise(PyExc_ValueError, "order 'K' is not permitted for reshaping");
    raise(PyExc_ValueError, "order must be one of 'C', 'F', 'A', or 'K' (got %R)", o);
}

enum class Copy { if_needed, always, never };

PyObject* reshape_to(PyArray* a, Dims shape, MemoryOrder order, Copy copy) {
    if (copy != Copy::always && shape == a->array.shape()) return wrap_view(a, View(a->array.view));
    complete(shape, a->array);
    const auto item = static_cast<std::int64_t>(itemsize(a->array.dtype));
    std::optional<View> view;
    if (copy != Copy::always) view = reshape(a->array.view, shape, item, order);
    if (view) return wrap_view(a, std::move(*view));
    if (copy == Copy::never) raise(PyExc_ValueError, "Unable to avoid creating a copy while reshaping.");
    // Fortran order is C order with all axes reversed.
    const View from = order == MemoryOrder::fortran ? reversed(a->array.view) : a->array.view;
    Array copied = cast(Array{a->array.buffer, from, a->array.dtype}, a->array.dtype);
    copied.view = contiguous(std::move(shape), item, order);
    return of_class(reinterpret_cast<PyObject*>(a), wrap(std::move(copied)));
}

Dims shape_arguments(PyObject* const* args, Py_ssize_t count) {
    if (count == 1) return to_dims(args[0]);
    if (count > max_ndim) raise(PyExc_ValueError, "maximum supported dimension for an ndarray is currently %d, found %zd", max_ndim, count);
    Dims dims;
    for (Py_ssize_t i = 0; i < count; ++i) dims.push_back(to_int64(args[i]));
    return dims;
}

PyObject* reshape_method(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    return guarded([&]() -> PyObject* {
        PyArray* a = unwrap(self);
        MemoryOrder order = MemoryOrder::c;
        Copy copy = Copy::if_needed;
        PyObject* shape = nullptr;
        for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i) {
            PyObject *key = PyTuple_GET_ITEM(names, i), *value = args[count + i];
            if (PyUnicode_CompareWithASCIIString(key, "order") == 0) order = parse_order(value, a->array);
            else if (PyUnicode_CompareWithASCIIString(key, "shape") == 0 && count == 0) shape = value;
            else if (PyUnicode_CompareWithASCIIString(key, "copy") == 0) {
                const int truth = value == Py_None ? -1 : PyObject_IsTrue(value);
                if (truth < 0 && PyErr_Occurred()) throw_python_error();
                copy = truth < 0 ? Copy::if_needed : truth ? Copy::always : Copy::never;
            } else {
                raise(PyExc_TypeError, "reshape() got an unexpected keyword argument '%U'", key);
            }
        }
        if (count == 0 && !shape) raise(PyExc_TypeError, "reshape() takes exactly 1 argument (0 given)");
        if (count == 1 && args[0] == Py_None) return wrap_view(a, View(a->array.view));
        return reshape_to(a, shape ? to_dims(shape) : shape_arguments(args, count), order, copy);
    });
}

PyObject* transpose_method(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        PyArray* a = unwrap(self);
        const View& from = a->array.view;
        if (count == 0 || (count == 1 && args[0] == Py_None)) return wrap_view(a, reversed(from));
        return wrap_view(a, transposed(from, shape_arguments(args, count)));
    });
}

}  // namespace

View transposed(const View& from, const Dims& axes) {
    if (axes.size() != from.ndim()) raise(PyExc_ValueError, "axes don't match array");
    std::array<int, max_ndim> order{};
    std::array<bool, max_ndim> seen{};
    for (int i = 0; i < axes.size(); ++i) {
        const int axis = normalise_axis(axes[i], from.ndim());
        if (std::exchange(seen[static_cast<std::size_t>(axis)], true)) raise(PyExc_ValueError, "repeated axis in transpose");
        order[static_cast<std::size_t>(i)] = axis;
    }
    return transpose(from, std::span<const int>(order.data(), static_cast<std::size_t>(axes.size())));
}

void expect_size(const Dims& shape, std::int64_t itemsize) {
    if (!checked_bytes(shape, itemsize))
        raise(PyExc_ValueError, "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size.");
}

std::optional<View> reshaped(const Array& a, Dims shape) {
    complete(shape, a);
    return reshape(a.view, shape, static_cast<std::int64_t>(itemsize(a.dtype)));
}

PyMethodDef shape_methods[] = {
    {"reshape", fast(reshape_method), METH_FASTCALL | METH_KEYWORDS,
     "reshape($self, /, *shape, order='C', copy=None)\n--\n\nThe same elements in another shape: a view where that is possible."},
    {"transpose", fast(transpose_method), METH_FASTCALL, "transpose($self, /, *axes)\n--\n\nView with the axes in another order."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace asnumpy::python
