// The Ascend backend: devices that CANN drives.
#pragma once

#include <string>

#include "device/pool.hpp"

namespace asnumpy::ascend {

int device_count();     // 0 where there is no CANN or no device; cheap then
std::string why_not();  // what was looked for, where device_count() is 0
Pool& pool(int index);  // RuntimeFailure where the device cannot be used

}  // namespace asnumpy::ascend
