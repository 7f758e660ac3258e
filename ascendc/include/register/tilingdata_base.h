// The host's macros for tiling structures, by the name under which hosts include them.
#pragma once

#include "ascendc/launch/tiling.hpp"
