// Methods that give another view of the same elements: ravel, squeeze, swapaxes, diagonal; flatten, conj and flip.
#include <algorithm>
#include <array>
#include <climits>
#include <utility>

#include "python/array_object.hpp"
#include "python/bindings.hpp"
#include "python/convert.hpp"
#include "python/hooks.hpp"
#include "runtime/queue.hpp"

namespace asnumpy::python {

namespace {

PyObject* self_of(PyArray* a) { return Py_NewRef(reinterpret_cast<PyObject*>(a)); }

// The arguments of a call by position and by keyword, in the order of the parameters; those not given stay null.
template <std::size_t n> struct Arguments {
    std::array<PyObject*, n> values{};

    Arguments(const char* function, const std::array<const char*, n>& parameters, PyObject* const* given, Py_ssize_t count, PyObject* names) {
        if (count > static_cast<Py_ssize_t>(n))
            raise(PyExc_TypeError, "%s() takes at most %zu arguments (%zd given)", function, n, count);
        std::copy_n(given, count, values.begin());
        for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i) {
            PyObject* const key = PyTuple_GET_ITEM(names, i);
            std::size_t place = 0;
            while (place < n && PyUnicode_CompareWithASCIIString(key, parameters[place]) != 0) ++place;
            if (place == n) raise(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", function, key);
            if (values[place]) raise(PyExc_TypeError, "%s() got multiple values for argument '%U'", function, key);
            values[place] = given[count + i];
        }
    }
    PyObject* operator[](std::size_t i) const { return values[i]; }
};

// An argument that NumPy reads as a C int.
int int_argument(PyObject* o, int fallback) {
    if (!o) return fallback;
    const std::int64_t value = to_int64(o);
    if (value < INT_MIN || value > INT_MAX) raise(PyExc_OverflowError, "signed integer is %s", value < 0 ? "less than minimum" : "greater than maximum");
    return static_cast<int>(value);
}

int axis_argument(PyObject* o, int fallback, int ndim, const char* parameter) {
    return normalise_axis(int_argument(o, fallback), ndim, parameter);
}

bool is_c_order(PyObject* order) {
    return !order || order == Py_None || (PyUnicode_Check(order) && PyUnicode_CompareWithASCIIString(order, "C") == 0);
}

Array flat_copy(const Array& a) {
    Array copied = cast(a, a.dtype);
    copied.view = contiguous(Dims{a.size()}, static_cast<std::int64_t>(itemsize(a.dtype)));
    return copied;
}

PyObject* ravel(PyObject* self, PyObject* const* given, Py_ssize_t count, PyObject* names) {
    return guarded([&]() -> PyObject* {
        const Arguments<1> arguments("ravel", {"order"}, given, count, names);
        if (!is_c_order(arguments[0])) return of_class(self, call_hook(&Hooks::ravel, "ravel", plain_of(self).ptr(), arguments[0]));
        PyArray* a = unwrap(self);
        const View& from = a->array.view;
        const auto item = static_cast<std::int64_t>(itemsize(a->array.dtype));
        if (!is_c_contiguous(from, item)) return of_class(self, wrap(flat_copy(a->array)));
        View view;
        view.offset = from.offset;
        view.shape.push_back(from.size());
        view.strides.push_back(item);
        return wrap_view(a, std::move(view));
    });
}

PyObject* flatten(PyObject* self, PyObject* const* given, Py_ssize_t count, PyObject* names) {
    return guarded([&]() -> PyObject* {
        const Arguments<1> arguments("flatten", {"order"}, given, count, names);
        const Array& a = unwrap(self)->array;
        if (is_c_order(arguments[0])) return of_class(self, wrap(flat_copy(a)));
        nb::object flat = nb::steal(call_hook(&Hooks::ravel, "ravel", plain_of(self).ptr(), arguments[0]));
        const Array& made = expect_array(flat.ptr(), "ndarray.flatten")->array;
        return of_class(self, made.buffer == a.buffer ? wrap(flat_copy(made)) : flat.release().ptr());
    });
}

PyObject* squeeze(PyObject* self, PyObject* const* given, Py_ssize_t count, PyObject* names) {
    return guarded([&]() -> PyObject* {
        const Arguments<1> arguments("squeeze", {"axis"}, given, count, names);
        PyArray* a = unwrap(self);
        const View& from = a->array.view;
        const int ndim = from.ndim();
        std::uint64_t dropped = 0;
        if (!arguments[0] || arguments[0] == Py_None) {
            for (int axis = 0; axis < ndim; ++axis) dropped |= std::uint64_t{from.shape[axis] == 1} << axis;
        } else {
            const Dims axes = to_integers(arguments[0]);
            if (ndim == 0 && axes.size() == 1 && (axes[0] == 0 || axes[0] == -1)) return self_of(a);
            dropped = mask_of_axes(axes, ndim);
            for (int axis = 0; axis < ndim; ++axis)
                if ((dropped >> axis & 1) && from.shape[axis] != 1)
                    raise(PyExc_ValueError, "cannot select an axis to squeeze out which has size not equal to one");
        }
        if (!dropped) return self_of(a);
        View view;
        view.offset = from.offset;
        for (int axis = 0; axis < ndim; ++axis) {
            if (dropped >> axis & 1) continue;
            view.shape.push_back(from.shape[axis]);
            view.strides.push_back(from.strides[axis]);
        }
        return wrap_view(a, std::move(view));
    });
}

PyObject* swap_axes(PyObject* self, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        if (count != 2) raise(PyExc_TypeError, "swapaxes() takes exactly 2 arguments (%zd given)", count);
        PyArray* a = unwrap(self);
        View view = a->array.view;
        const int first = axis_argument(given[0], 0, view.ndim(), "axis1"), second = axis_argument(given[1], 0, view.ndim(), "axis2");
        std::swap(view.shape[first], view.shape[second]);
        std::swap(view.strides[first], view.strides[second]);
        return wrap_view(a, std::move(view));
    });
}

PyObject* diagonal(PyObject* self, PyObject* const* given, Py_ssize_t count, PyObject* names) {
    return guarded([&]() -> PyObject* {
        const Arguments<3> arguments("diagonal", {"offset", "axis1", "axis2"}, given, count, names);
        PyArray* a = unwrap(self);
        const View& from = a->array.view;
        const int ndim = from.ndim();
        if (ndim < 2) raise(PyExc_ValueError, "diag requires an array of at least two dimensions");
        const std::int64_t offset = int_argument(arguments[0], 0);
        const int first = axis_argument(arguments[1], 0, ndim, "axis1"), second = axis_argument(arguments[2], 1, ndim, "axis2");
        if (first == second) raise(PyExc_ValueError, "axis1 and axis2 cannot be the same");
        const std::int64_t rows = from.shape[first], columns = from.shape[second];
        // Compared before they are subtracted: the offset may be any number.
        const std::int64_t down = offset < 0 ? (offset < -rows ? rows : -offset) : 0, across = offset > 0 ? std::min(offset, columns) : 0;
        const std::int64_t length = std::min(rows - down, columns - across);
        View view;
        view.offset = from.offset + (length > 0 ? down * from.strides[first] + across * from.strides[second] : 0);
        for (int axis = 0; axis < ndim; ++axis) {
            if (axis == first || axis == second) continue;
            view.shape.push_back(from.shape[axis]);
            view.strides.push_back(from.strides[axis]);
        }
        view.shape.push_back(length);
        view.strides.push_back(from.strides[first] + from.strides[second]);
        PyObject* made = wrap_view(a, std::move(view));
        unwrap(made)->writeable = false;
        return made;
    });
}

PyObject* conjugate(PyObject* self, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        if (count > 1) raise(PyExc_TypeError, "conjugate() takes at most 1 argument (%zd given)", count);
        if (count == 1 && given[0] != Py_None) return call_hook(&Hooks::conjugate, "conjugate", self, given[0]);
        PyArray* a = unwrap(self);
        return is_complex(a->array.dtype) && !is_narrow(a->array.dtype) ? call_hook(&Hooks::conjugate, "conjugate", self) : self_of(a);
    });
}

PyObject* flip(PyObject*, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        if (count != 2) raise(PyExc_TypeError, "asnumpy._core.flip() takes exactly 2 arguments (%zd given)", count);
        PyArray* a = expect_array(given[0], "flip");
        View view = a->array.view;
        const int ndim = view.ndim();
        if (PyLong_Check(given[1])) int_argument(given[1], 0);
        const std::uint64_t mask = given[1] == Py_None ? ~std::uint64_t{0} : mask_of_axes(to_integers(given[1]), ndim, "repeated axis");
        for (int axis = 0; axis < ndim; ++axis) {
            if (!(mask >> axis & 1)) continue;
            if (view.shape[axis] > 0) view.offset += (view.shape[axis] - 1) * view.strides[axis];
            view.strides[axis] = -view.strides[axis];
        }
        return wrap_view(a, std::move(view));
    });
}

// Arrays of ours as they are; whatever else becomes one by the hook, as does what is to lie on a device that is named.
PyObject* as_array(PyObject*, PyObject* const* given, Py_ssize_t count, PyObject* names) {
    if (count == 1 && !names && is_array(given[0]) && !is_number_object(given[0])) return Py_NewRef(given[0]);
    return guarded([&]() -> PyObject* {
        const Arguments<2> arguments("asarray", {"value", "device"}, given, count, names);
        PyObject* const device = arguments[1] ? arguments[1] : Py_None;
        if (!arguments[0]) raise(PyExc_TypeError, "asarray() takes at least 1 argument (0 given)");
        if (device == Py_None && is_number_object(arguments[0])) {
            const Array& number = unwrap(arguments[0])->array;
            return wrap(cast(number, number.dtype));
        }
        if (device == Py_None && is_array(arguments[0])) return Py_NewRef(arguments[0]);
        return call_hook(&Hooks::asarray, "asarray", arguments[0], device);
    });
}

PyMethodDef axis_functions[] = {
    {"flip", fast(flip), METH_FASTCALL, "flip(array, axes, /)\n--\n\nView with these axes (None: all) in reverse order."},
    {"asarray", fast(as_array), METH_FASTCALL | METH_KEYWORDS, "asarray(value, device=None)\n--\n\nAn array of ours: the value itself, or made of it."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyMethodDef axis_methods[] = {
    {"ravel", fast(ravel), METH_FASTCALL | METH_KEYWORDS,
     "ravel($self, /, order='C')\n--\n\nThe elements along one axis: a view where that is possible."},
    {"flatten", fast(flatten), METH_FASTCALL | METH_KEYWORDS, "flatten($self, /, order='C')\n--\n\nA copy of the elements along one axis."},
    {"squeeze", fast(squeeze), METH_FASTCALL | METH_KEYWORDS,
     "squeeze($self, /, axis=None)\n--\n\nView without the axes of length one: all of them, or those that are named."},
    {"swapaxes", fast(swap_axes), METH_FASTCALL, "swapaxes($self, axis1, axis2, /)\n--\n\nView with two axes in each other's place."},
    {"diagonal", fast(diagonal), METH_FASTCALL | METH_KEYWORDS,
     "diagonal($self, /, offset=0, axis1=0, axis2=1)\n--\n\n"
     "The elements a[i, i + offset] of two axes, as a read-only view whose last axis runs along them."},
    {"conj", fast(conjugate), METH_FASTCALL, "conj($self, /)\n--\n\nThe complex conjugates; the array itself where it is not complex."},
    {"conjugate", fast(conjugate), METH_FASTCALL, "conjugate($self, /)\n--\n\nThe complex conjugates; the array itself where it is not complex."},
    {nullptr, nullptr, 0, nullptr},
};

void bind_axes(nb::module_& m) {
    if (PyModule_AddFunctions(m.ptr(), axis_functions) < 0) throw_python_error();
}

}  // namespace asnumpy::python
