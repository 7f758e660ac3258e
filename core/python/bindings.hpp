// The module's functions, in groups.
#pragma once

#include <string_view>

#include "python/python.hpp"

namespace asnumpy::python {

inline nb::str string(std::string_view text) { return nb::str(text.data(), text.size()); }

void take_numpy_solvers();           // likewise: its linear algebra
void take_numpy_loops();             // numpy_loops.cpp: NumPy's loops of elementary functions
void bind_operations(nb::module_&);  // operations.cpp: everything that records
void bind_products(nb::module_&);    // products.cpp: matrix products and sums over axes, by the short way
void bind_solve(nb::module_&);       // solve.cpp: inverses and systems of equations
void bind_sparse(nb::module_&);      // sparse.cpp: products and sums of compressed sparse arrays
void bind_axes(nb::module_&);        // axis_methods.cpp: views by axes
void bind_devices(nb::module_&);     // devices.cpp: devices, moves between them, fallbacks
void bind_streams(nb::module_&);     // streams.cpp: streams, events, pinned memory
void bind_programs(nb::module_&);    // programs.cpp: programs as data, for what writes code for them
void bind_lowering(nb::module_&);    // lowering.cpp: how an Ascend device runs each row
void bind_error_state(nb::module_&); // error_state.cpp: NumPy's floating-point error state
void bind_views(nb::module_&);       // views.cpp: views, exchange with NumPy
void bind_creation(nb::module_&);    // creation.cpp: arrays of one number, ranges
void bind_quick_calls(nb::module_&); // quick_calls.cpp: plain calls of common functions
void bind_calls_of_numpy(nb::module_&);  // calls_of_numpy.cpp: plain calls that NumPy answers
void bind_compiled_calls(nb::module_&);  // compiled_calls.cpp: numba's functions with arrays of ours
void bind_host_door(nb::module_&);   // host_door.cpp: functions of NumPy's on arrays of ours
void bind_runtime(nb::module_&);     // runtime.cpp: the queue, memory, threads, trace
void bind_jit(nb::module_&);         // jit.cpp: recorded functions
void bind_jit_saved(nb::module_&);  // jit_saved.cpp: recorded functions as data
void create_jit_type(nb::module_&);  // jit_call.cpp: the class of jitted functions
void bind_cann(nb::module_&);        // cann.cpp: where CANN is

}  // namespace asnumpy::python
