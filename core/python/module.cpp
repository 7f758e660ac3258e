// The extension module: creates the types, then binds the functions.
#define ASNUMPY_IMPORTS_NUMPY
#include "python/array_object.hpp"
#include "python/beside.hpp"
#include "python/bindings.hpp"
#include "python/cann_calls.hpp"
#include "python/convert.hpp"
#include "python/errors.hpp"
#include "python/exports.hpp"
#include "python/gil.hpp"
#include "python/hooks.hpp"
#include "python/number.hpp"
#include "python/shared.hpp"
#include "python/ufunc_object.hpp"

namespace asnumpy::python {

namespace {

// os.fork stops the world first, so that the child's queue is whole.
void watch_forks() {
    const nb::object before = nb::cpp_function([] { lock_for_fork(); });
    const nb::object parent = nb::cpp_function([] { unlock_after_fork(); });
    const nb::object child = nb::cpp_function([] {
        unlock_after_fork();
        forget_lost_work();
    });
    nb::module_::import_("os").attr("register_at_fork")(nb::arg("before") = before, nb::arg("after_in_child") = child,
                                                        nb::arg("after_in_parent") = parent);
}

}  // namespace

void initialise(nb::module_& m) {
    if (PyArray_ImportNumPyAPI() < 0) throw_python_error();
    load_interned();
    load_exceptions(m);
    load_dtypes(m);
    register_translators();
    take_numpy_loops();
    take_numpy_solvers();
    install_host();
    create_export_type();
    create_beside_type(m);
    create_array_type(m);
    create_number_functions(m);
    create_ufunc_type(m);
    bind_hooks(m);
    bind_operations(m);
    bind_products(m);
    bind_solve(m);
    bind_sparse(m);
    bind_axes(m);
    bind_devices(m);
    bind_streams(m);
    bind_programs(m);
    bind_lowering(m);
    bind_error_state(m);
    bind_views(m);
    bind_creation(m);
    bind_quick_calls(m);
    bind_calls_of_numpy(m);
    bind_compiled_calls(m);
    bind_host_door(m);
    bind_runtime(m);
    bind_jit(m);
    bind_jit_saved(m);
    create_jit_type(m);
    bind_cann(m);
    create_cann_operator_type(m);
    watch_forks();
}

}  // namespace asnumpy::python

NB_MODULE(_core, m) {
    m.doc() = "The core of asnumpy: arrays, ufuncs, the queue that runs them.";
    try {
        asnumpy::python::initialise(m);
    } catch (...) {  // an import that fails says which, and why
        asnumpy::python::set_python_error();
        throw nanobind::python_error();
    }
}
