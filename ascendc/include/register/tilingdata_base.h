// The host's macros for tiling structures, by the name under which hosts include them.
#pragma once

#include "ascendc/base/tiling_structures.hpp"
#include "ascendc/launch/tiling.hpp"
#include "ascendc/library/normalization.hpp"
#include "ascendc/library/topk.hpp"

// Hosts declare their structures in this namespace, and kernels name them without it.
namespace optiling {

using AscendC::RmsNormTiling;
using AscendC::SoftMaxTiling;
using AscendC::TCubeTiling;
using AscendC::TopkTiling;

}  // namespace optiling
using namespace optiling;
