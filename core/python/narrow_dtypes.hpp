// NumPy dtypes for the narrow types that ml_dtypes has none for.
#pragma once

#include "base/dtype.hpp"
#include "python/errors.hpp"

namespace asnumpy::python {

// Registers hifloat8 and float4_e1m2fn with NumPy, once, at import; their scalar classes become attributes of the module.
void register_narrow_dtypes(nb::module_&);
PyArray_Descr* own_descriptor(DType);  // borrowed; null when it is not one of them

}  // namespace asnumpy::python
