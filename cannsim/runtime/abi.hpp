// CANN's interface: what this library implements, and the facts by which it judges calls.
#pragma once

#include "cann/abi.hpp"
#include "cann/codes.hpp"

namespace cannsim {

using namespace asnumpy::cann;

}  // namespace cannsim
