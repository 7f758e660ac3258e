// Products of vectors, matrices and stacks by the short way, and sums of products over several axes.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/view.hpp"
#include "python/array_object.hpp"
#include "python/bindings.hpp"
#include "python/convert.hpp"
#include "python/error_state.hpp"
#include "python/products.hpp"
#include "runtime/queue.hpp"
#include "runtime/sums.hpp"

namespace asnumpy::python {

namespace {

bool has_inner_product(DType d) {
    return d == DType::float64 || d == DType::float32 || d == DType::float16 || d == DType::boolean || d == DType::complex64 || d == DType::complex128;
}

// The product of two vectors or matrices whose lengths match: a vector is a row on the left, a column on the right.
Array product_of(const Array& a, const Array& b) {
    const auto item = static_cast<std::int64_t>(itemsize(a.dtype));
    const bool row = a.ndim() == 1, column = b.ndim() == 1;
    Array left = a, right = b;
    if (row) left.view = View{a.view.offset, Dims{1, a.view.shape[0]}, Dims{item, a.view.strides[0]}};
    if (column) right.view = View{b.view.offset, Dims{b.view.shape[0], 1}, Dims{b.view.strides[0], item}};
    Array made = matmul(left, right);
    View view{made.view.offset, {}, {}};
    if (!row) view.shape.push_back(made.view.shape[0]), view.strides.push_back(made.view.strides[0]);
    if (!column) view.shape.push_back(made.view.shape[1]), view.strides.push_back(made.view.strides[1]);
    made.view = view;
    return made;
}

// The inner product of two vectors of one dtype and length; None for anything else.
PyObject* inner_product(PyObject*, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        if (count != 2 || !is_exact(given[0]) || !is_exact(given[1])) Py_RETURN_NONE;
        const Array &a = unwrap(given[0])->array, &b = unwrap(given[1])->array;
        const bool vectors = a.ndim() == 1 && b.ndim() == 1 && a.view.shape[0] == b.view.shape[0];
        if (!vectors || a.dtype != b.dtype || &a.pool() != &b.pool() || !has_inner_product(a.dtype)) Py_RETURN_NONE;
        return wrap_result(product_of(a, b));
    });
}

// Dtypes of which NumPy's products are of the same dtype and ours alone; it widens bfloat16.
bool has_product(DType d) {
    return !is_narrow(d) && d != DType::bfloat16 && d != DType::longdouble && d != DType::clongdouble;
}

// Whether these are matrices, or stacks of matrices of which one fits beside the other.
bool are_stacks(const Dims& a, const Dims& b) {
    const auto more_a = a.size() - 2, more_b = b.size() - 2;
    return more_a >= 0 && more_b >= 0 && (more_a == 0 || more_b == 0 || std::equal(a.begin(), a.end() - 2, b.begin(), b.end() - 2));
}

}  // namespace

PyObject* quick_product(const Array& a, const Array& b) {
    const int rows = a.ndim(), columns = b.ndim();
    if (rows < 1 || columns < 1 || a.view.shape[rows - 1] != b.view.shape[std::max(columns - 2, 0)]) return nullptr;
    if (a.dtype != b.dtype || &a.pool() != &b.pool() || !has_product(a.dtype)) return nullptr;
    if (are_stacks(a.view.shape, b.view.shape)) return wrap_result(matmul(a, b));
    if (rows > 2 || columns > 2) return nullptr;
    return wrap_result(product_of(a, b));
}

namespace {

PyObject* product_or_none(PyObject*, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        if (count != 2 || !is_exact(given[0]) || !is_exact(given[1])) Py_RETURN_NONE;
        PyObject* const made = quick_product(unwrap(given[0])->array, unwrap(given[1])->array);
        return made ? made : Py_NewRef(Py_None);
    });
}

// The axes of a tuple of integers, which must be different ones of an array; nothing where it is anything else.
std::optional<Dims> axes_of(PyObject* o, int ndim) {
    if (!PyTuple_CheckExact(o) || PyTuple_GET_SIZE(o) > ndim) return std::nullopt;
    Dims axes;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); ++i) {
        PyObject* const one = PyTuple_GET_ITEM(o, i);
        int overflow = 0;
        long long axis = PyLong_CheckExact(one) ? PyLong_AsLongLongAndOverflow(one, &overflow) : ndim;
        if (axis < 0) axis += ndim;
        if (overflow || axis < 0 || axis >= ndim || std::find(axes.begin(), axes.end(), axis) != axes.end()) return std::nullopt;
        axes.push_back(axis);
    }
    return axes;
}

// The array as a matrix, of which each row is what lies along the last axes of this order.
Array as_matrix(const Array& a, const Dims& order, std::int64_t rows, std::int64_t columns) {
    std::array<int, max_ndim> axes{};
    std::copy(order.begin(), order.end(), axes.begin());
    const Array turned{a.buffer, transpose(a.view, std::span<const int>(axes.data(), static_cast<std::size_t>(order.size()))), a.dtype};
    const std::int64_t item = item_bytes(a.dtype);
    const Dims shape{rows, columns};
    if (std::optional<View> view = reshape(turned.view, shape, item)) return {a.buffer, std::move(*view), a.dtype};
    Array copied = cast(turned, a.dtype);
    copied.view = contiguous(shape, item);
    return copied;
}

// The sum of products over these axes of two arrays of one dtype; None where it has no axes, is empty, or must be judged.
PyObject* contraction(PyObject*, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        if (count != 4 || !is_exact(given[0]) || !is_exact(given[1])) Py_RETURN_NONE;
        const Array a = unwrap(given[0])->array, b = unwrap(given[1])->array;
        if (a.dtype != b.dtype || &a.pool() != &b.pool() || !has_product(a.dtype) || a.size() == 0 || b.size() == 0) Py_RETURN_NONE;
        const std::optional<Dims> met_a = axes_of(given[2], a.ndim()), met_b = axes_of(given[3], b.ndim());
        if (!met_a || !met_b || met_a->size() != met_b->size()) Py_RETURN_NONE;
        Dims order_a, order_b = *met_b, shape;
        std::int64_t rows = 1, depth = 1, columns = 1;
        for (int i = 0; i < met_a->size(); ++i) {
            const std::int64_t length = a.view.shape[static_cast<int>((*met_a)[i])];
            if (length != b.view.shape[static_cast<int>((*met_b)[i])]) Py_RETURN_NONE;
            depth *= length;
        }
        for (int axis = 0; axis < a.ndim(); ++axis) {
            if (std::find(met_a->begin(), met_a->end(), axis) != met_a->end()) continue;
            order_a.push_back(axis);
            shape.push_back(a.view.shape[axis]);
            rows *= a.view.shape[axis];
        }
        for (const std::int64_t axis : *met_a) order_a.push_back(axis);
        for (int axis = 0; axis < b.ndim(); ++axis) {
            if (std::find(met_b->begin(), met_b->end(), axis) != met_b->end()) continue;
            if (shape.size() == max_ndim) Py_RETURN_NONE;
            order_b.push_back(axis);
            shape.push_back(b.view.shape[axis]);
            columns *= b.view.shape[axis];
        }
        if (shape.size() == 0) Py_RETURN_NONE;
        Array made = matmul(as_matrix(a, order_a, rows, depth), as_matrix(b, order_b, depth, columns));
        made.view = contiguous(shape, item_bytes(made.dtype));
        return wrap(std::move(made));
    });
}

// index, weights or None, least length: np.bincount where its own loop is the quickest; None for anything else.
PyObject* bincount_now(PyObject*, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        const bool weighted = count == 3 && given[1] != Py_None;
        if (count != 3 || !is_exact(given[0]) || (weighted && !is_exact(given[1])) || !PyLong_CheckExact(given[2])) Py_RETURN_NONE;
        int overflow = 0;
        const long long least = PyLong_AsLongLongAndOverflow(given[2], &overflow);
        if (overflow || least < 0) Py_RETURN_NONE;
        const Array index = unwrap(given[0])->array, weights = weighted ? unwrap(given[1])->array : Array{};
        Array made;
        if (!count_each(index, weighted ? &weights : nullptr, least, made)) Py_RETURN_NONE;
        return wrap(std::move(made));
    });
}

// A Python number as NumPy adds it to elements of that dtype; nothing where it would be another number there.
std::optional<Scalar> number_added(PyObject* o, DType dtype) {
    int overflow = 0;
    if (PyFloat_CheckExact(o) ? dtype != DType::float64 : !PyLong_CheckExact(o) || (dtype != DType::float64 && dtype != DType::int64)) return std::nullopt;
    if (PyLong_CheckExact(o) && (PyLong_AsLongLongAndOverflow(o, &overflow), overflow)) return std::nullopt;
    return assigned_scalar(o, dtype);
}

// array, index, values or a number: np.add.at of vectors; False, and nothing is done, for anything else.
PyObject* add_at_places(PyObject*, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        if (count != 3 || !is_exact(given[0]) || !is_exact(given[1]) || !unwrap(given[0])->writeable || errors_are_watched()) Py_RETURN_FALSE;
        const Array vector = unwrap(given[0])->array, index = unwrap(given[1])->array;
        if (is_exact(given[2])) return PyBool_FromLong(add_at(vector, index, Array(unwrap(given[2])->array)));
        const std::optional<Scalar> number = number_added(given[2], vector.dtype);
        return PyBool_FromLong(number && add_at(vector, index, *number));
    });
}

// Two vectors to one; None, and nothing is done, for anything else.
template <bool (*make)(const Array&, const Array&, Array&)> PyObject* of_two_vectors(PyObject*, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        if (count != 2 || !is_exact(given[0]) || !is_exact(given[1]) || errors_are_watched()) Py_RETURN_NONE;
        const Array first = unwrap(given[0])->array, second = unwrap(given[1])->array;
        Array made;
        if (!make(first, second, made)) Py_RETURN_NONE;
        return wrap(std::move(made));
    });
}

PyMethodDef product_functions[] = {
    {"dot", fast(inner_product), METH_FASTCALL,
     "dot(a, b, /)\n--\n\nThe inner product of two vectors of one dtype and length; None for anything else."},
    {"product", fast(product_or_none), METH_FASTCALL,
     "product(a, b, /)\n--\n\nThe product of two vectors, matrices or stacks of one dtype whose lengths match; None for anything else."},
    {"contraction", fast(contraction), METH_FASTCALL,
     "contraction(a, b, axes_a, axes_b, /)\n--\n\nThe sum of products over these axes, tuples; None where a sum has no axes or must be judged."},
    {"add_at", fast(add_at_places), METH_FASTCALL, "add_at(array, index, values, /)\n--\n\nnp.add.at of vectors, True; False, and nothing is done, for anything else."},
    {"add_runs", fast(of_two_vectors<add_runs>), METH_FASTCALL,
     "add_runs(array, starts, /)\n--\n\nnp.add.reduceat of a vector; None for anything else."},
    {"bin_places", fast(of_two_vectors<bin_places>), METH_FASTCALL,
     "bin_places(array, edges, /)\n--\n\nThe bins, between edges at equal distances, in which floats lie, their number where in none; None for anything else."},
    {"bincount_now", fast(bincount_now), METH_FASTCALL,
     "bincount_now(index, weights, least, /)\n--\n\nnp.bincount of few integers, or with weights; None for anything else."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void bind_products(nb::module_& m) {
    if (PyModule_AddFunctions(m.ptr(), product_functions) < 0) throw_python_error();
}

}  // namespace asnumpy::python
