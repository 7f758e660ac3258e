// Inverses and systems of equations, where the core has a way for them.
#include "python/array_object.hpp"
#include "python/bindings.hpp"
#include "python/convert.hpp"
#include "python/error_state.hpp"
#include "runtime/solve.hpp"

namespace asnumpy::python {

namespace {

// matrix, and maybe the right side
PyObject* solve(PyObject*, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        if (count < 1 || count > 2 || !is_exact(given[0]) || (count == 2 && !is_exact(given[1]))) Py_RETURN_NONE;
        const Array matrix = unwrap(given[0])->array, right = count == 2 ? unwrap(given[1])->array : Array();
        Array made;
        if (!solve_matrix(matrix, count == 2 ? &right : nullptr, made)) Py_RETURN_NONE;
        return wrap(std::move(made));
    });
}

PyMethodDef solve_functions[] = {
    {"solve", fast(solve), METH_FASTCALL,
     "solve(matrix, right=None, /)\n--\n\nThe inverse of a matrix of the host, or what solves it for a right side; None where NumPy has to be asked."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void bind_solve(nb::module_& m) {
    if (PyModule_AddFunctions(m.ptr(), solve_functions) < 0) throw_python_error();
}

}  // namespace asnumpy::python
