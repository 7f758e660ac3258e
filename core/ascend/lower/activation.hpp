// Activations and normalisations that are one operator of CANN's.
#pragma once

#include "ascend/lower/lowering.hpp"

namespace asnumpy::ascend {

Explanation explain_activation(const StructuredCall&);
void run_activation(Emitter&, const StructuredCall&);
Explanation explain_normalisation(const StructuredCall&);
void run_normalisation(Emitter&, const StructuredCall&);

}  // namespace asnumpy::ascend
