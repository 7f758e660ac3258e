// _core.CannOperator: an operator of CANN's, called by name; and the batch of the thread.
#pragma once

#include "python/python.hpp"

namespace asnumpy::python {

void create_cann_operator_type(nb::module_&);

}  // namespace asnumpy::python
