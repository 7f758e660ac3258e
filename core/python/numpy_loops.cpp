// Hands NumPy's loops of elementary functions to the CPU's kernels.
#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "kernels/vector_math.hpp"
#include "ops/definition.hpp"
#include "python/bindings.hpp"
#include "python/convert.hpp"

#define PY_UFUNC_UNIQUE_SYMBOL asnumpy_numpy_ufunc_api
#include <numpy/ufuncobject.h>
#undef PY_UFUNC_UNIQUE_SYMBOL  // none of its functions is called here

namespace asnumpy::python {

namespace {

using ops::Vector;

constexpr std::array loop_functions{
    std::pair{Vector::exp, "exp"},         std::pair{Vector::exp2, "exp2"},       std::pair{Vector::expm1, "expm1"},
    std::pair{Vector::log, "log"},         std::pair{Vector::log2, "log2"},       std::pair{Vector::log10, "log10"},
    std::pair{Vector::log1p, "log1p"},     std::pair{Vector::sin, "sin"},         std::pair{Vector::cos, "cos"},
    std::pair{Vector::tan, "tan"},         std::pair{Vector::asin, "arcsin"},     std::pair{Vector::acos, "arccos"},
    std::pair{Vector::atan, "arctan"},     std::pair{Vector::sinh, "sinh"},       std::pair{Vector::cosh, "cosh"},
    std::pair{Vector::tanh, "tanh"},       std::pair{Vector::asinh, "arcsinh"},   std::pair{Vector::acosh, "arccosh"},
    std::pair{Vector::atanh, "arctanh"},   std::pair{Vector::cbrt, "cbrt"},       std::pair{Vector::pow, "power"},
    std::pair{Vector::atan2, "arctan2"},
};

}  // namespace

void take_numpy_loops() {
    const nb::object numpy = owned(PyImport_ImportModule("numpy"));
    const nb::object ufunc_type = owned(PyObject_GetAttrString(numpy.ptr(), "ufunc"));
    for (const auto& [function, name] : loop_functions) {
        const nb::object found = owned(PyObject_GetAttrString(numpy.ptr(), name));
        if (!Py_IS_TYPE(found.ptr(), reinterpret_cast<PyTypeObject*>(ufunc_type.ptr()))) continue;  // somebody replaced it
        const auto* const u = reinterpret_cast<const PyUFuncObject*>(found.ptr());
        for (int i = u->ntypes - 1; i >= 0; --i) {  // of several loops of the same types the first is used
            const char* const types = u->types + i * u->nargs;
            for (const char type : {NPY_FLOAT, NPY_DOUBLE})
                if (std::all_of(types, types + u->nargs, [type](char t) { return t == type; }))
                    cpu::set_numpy_loop(static_cast<int>(function), type == NPY_DOUBLE, {u->functions[i], u->data ? const_cast<void*>(u->data[i]) : nullptr});
        }
    }
}

void take_numpy_solvers() {
    const nb::object module = owned(PyImport_ImportModule("numpy.linalg._umath_linalg"));
    using cpu::Solver;
    for (const auto& [which, name, types] : {std::tuple{Solver::inverse, "inv", 2}, std::tuple{Solver::solve, "solve", 3}, std::tuple{Solver::solve_vector, "solve1", 3}}) {
        const nb::object found = owned(PyObject_GetAttrString(module.ptr(), name));
        const auto* const u = reinterpret_cast<const PyUFuncObject*>(found.ptr());
        for (int i = 0; i < u->ntypes && u->nargs == types; ++i)
            for (const char type : {NPY_DOUBLE, NPY_CDOUBLE})
                if (std::all_of(u->types + i * types, u->types + (i + 1) * types, [type](char t) { return t == type; }))
                    cpu::set_solver(which, type == NPY_CDOUBLE, {u->functions[i], u->data ? const_cast<void*>(u->data[i]) : nullptr});
    }
}

}  // namespace asnumpy::python
