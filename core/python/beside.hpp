// A function of Python that makes new arrays on the device of its arguments.
#pragma once

#include "python/python.hpp"

namespace asnumpy::python {

// `_core.Beside(function)`: a callable that is like the function in all else. What the core computes lies beside its
// arguments anyhow; this is for arrays that the function makes on its way.
void create_beside_type(nb::module_&);

}  // namespace asnumpy::python
