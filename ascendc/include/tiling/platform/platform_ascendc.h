// The chip to a host, by the name under which hosts include it.
#pragma once

#include "ascendc/host/platform.hpp"
