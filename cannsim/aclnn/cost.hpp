// What a call costs the model of the chip.
#pragma once

#include "aclnn/call.hpp"

namespace cannsim {

// Its own kernel on the engine that has one for the dtype, and the kernels that it starts before and after: a copy for each tensor
// that does not lie in C order, a cast for each that an elementwise operator does not compute in. Before Call::take_slots().
Cost cost_of(const Call&, const Work&);

}  // namespace cannsim
