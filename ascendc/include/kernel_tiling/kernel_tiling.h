// Structures by which a host tells a kernel how the library's functions divide their work, by the name under which kernels
// include them.
#pragma once

#include "ascendc/launch/tiling.hpp"
#include "ascendc/library/matmul_types.hpp"
#include "ascendc/library/normalization.hpp"
#include "ascendc/library/softmax.hpp"
#include "ascendc/library/topk.hpp"
