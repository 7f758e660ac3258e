// Compressed sparse arrays as Python's classes hold them: their parts, one by one.
#include "python/array_object.hpp"
#include "python/bindings.hpp"
#include "python/convert.hpp"
#include "python/error_state.hpp"
#include "runtime/sparse.hpp"

namespace asnumpy::python {

namespace {

bool are_exact(PyObject* const* given, Py_ssize_t count) {
    for (Py_ssize_t k = 0; k < count; ++k)
        if (!is_exact(given[k])) return false;
    return true;
}

// pointers, indices, length
PyObject* pattern(PyObject*, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        if (count != 3 || !are_exact(given, 2) || !PyLong_CheckExact(given[2])) Py_RETURN_FALSE;
        const Array pointers = unwrap(given[0])->array, indices = unwrap(given[1])->array;
        return PyBool_FromLong(is_sparse_pattern(pointers, indices, PyLong_AsLongLong(given[2])));
    });
}

// pointers, indices, values, dense, added, rows
PyObject* product(PyObject*, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        if (count != 6 || !are_exact(given, 4) || !PyBool_Check(given[4]) || !PyLong_CheckExact(given[5])) Py_RETURN_NONE;
        const Array pointers = unwrap(given[0])->array, indices = unwrap(given[1])->array, values = unwrap(given[2])->array, dense = unwrap(given[3])->array;
        Array made;
        if (!sparse_product(pointers, indices, values, dense, given[4] == Py_True, PyLong_AsLongLong(given[5]), made)) Py_RETURN_NONE;
        return wrap(std::move(made));
    });
}

// pointers, values
PyObject* sums(PyObject*, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        if (count != 2 || !are_exact(given, 2) || errors_are_watched()) Py_RETURN_NONE;
        const Array pointers = unwrap(given[0])->array, values = unwrap(given[1])->array;
        Array made;
        if (!sparse_sums(pointers, values, made)) Py_RETURN_NONE;
        return wrap(std::move(made));
    });
}

PyMethodDef sparse_functions[] = {
    {"is_sparse_pattern", fast(pattern), METH_FASTCALL,
     "is_sparse_pattern(pointers, indices, length, /)\n--\n\nWhether pointers rise within the host's indices, and these are places of so many."},
    {"sparse_product", fast(product), METH_FASTCALL,
     "sparse_product(pointers, indices, values, dense, added, rows, /)\n--\n\n"
     "A compressed array times a dense one: its lines, or where added their values at the indices; None for what is not the host's or of another dtype."},
    {"sparse_sums", fast(sums), METH_FASTCALL, "sparse_sums(pointers, values, /)\n--\n\nThe sums of a compressed array's lines; None as above."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void bind_sparse(nb::module_& m) {
    if (PyModule_AddFunctions(m.ptr(), sparse_functions) < 0) throw_python_error();
}

}  // namespace asnumpy::python
