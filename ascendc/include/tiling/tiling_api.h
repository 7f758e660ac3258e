// Tilings of the library's functions, by the name under which hosts include them.
#pragma once

#include "ascendc/host/function_tiling.hpp"
#include "ascendc/host/library_tiling.hpp"
#include "ascendc/host/matmul_tiling.hpp"
