// The Matmul object, by the name under which kernels include it.
#pragma once

#include "ascendc/library/matmul.hpp"
