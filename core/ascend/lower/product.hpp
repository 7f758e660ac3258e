// Products of matrices on a 910B, whose matrix unit has 16-bit floats and float32.
#pragma once

#include "ascend/lower/lowering.hpp"

namespace asnumpy::ascend {

Explanation explain_product(const StructuredCall&);
void run_product(Emitter&, const StructuredCall&);

}  // namespace asnumpy::ascend
