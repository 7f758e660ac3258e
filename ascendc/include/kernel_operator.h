// What Ascend C kernels include: the device's language on a host, run strictly.
#pragma once

#include "ascendc/base/constants.hpp"
#include "ascendc/base/qualifiers.hpp"
#include "ascendc/launch/entry.hpp"
#include "ascendc/library/activations.hpp"
#include "ascendc/library/functions.hpp"
#include "ascendc/library/normalization.hpp"
#include "ascendc/library/quantisation.hpp"
#include "ascendc/library/rows.hpp"
#include "ascendc/library/softmax.hpp"
#include "ascendc/library/topk.hpp"
#include "ascendc/move/data_copy.hpp"
#include "ascendc/sync/flags.hpp"
#include "ascendc/tensor/global_tensor.hpp"
#include "ascendc/tensor/tque.hpp"
#include "ascendc/vector/arithmetic.hpp"
