// What Ascend C kernels include: the device's language on a host, run strictly.
#pragma once

#include "ascendc/base/constants.hpp"
#include "ascendc/base/qualifiers.hpp"
#include "ascendc/launch/entry.hpp"
#include "ascendc/move/data_copy.hpp"
#include "ascendc/sync/flags.hpp"
#include "ascendc/tensor/global_tensor.hpp"
#include "ascendc/tensor/tque.hpp"
#include "ascendc/vector/arithmetic.hpp"
