// NumPy's floating-point error state, looked at before anything is recorded: where it asks for reports, NumPy computes.
#pragma once

#include "python/bindings.hpp"

namespace asnumpy::python {

// Whether this context wants floating-point errors reported.
bool errors_are_watched();

}  // namespace asnumpy::python
