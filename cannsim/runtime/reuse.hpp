// The model's cache: which bytes the last tasks of a device have used, as far as they fit in its L2.
#pragma once

#include <span>

#include "runtime/hazard.hpp"

namespace cannsim {

// A task uses these: gives how many of the bytes that it reads are in the cache, and puts all of them there.
double reused_bytes(int device, std::span<const Use>);

}  // namespace cannsim
