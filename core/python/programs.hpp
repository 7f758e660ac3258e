// Programs as Python sees them, for what writes code for them: asnumpy/compiled/_program.py says what the tuples hold.
#pragma once

#include "program/program.hpp"
#include "python/bindings.hpp"

namespace asnumpy::python {

nb::tuple program_data(const Program&);

}  // namespace asnumpy::python
