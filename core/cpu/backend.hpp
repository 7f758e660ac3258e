// The CPU as a backend: host memory in huge pages, programs run by the tile executor, structured operations typed.
#pragma once

#include "device/backend.hpp"

namespace asnumpy::cpu {

Backend& cpu_backend();  // lives until the process ends, after every other object

// Whether a program had better compute this elementwise row again than read its result, which then needs memory.
bool recomputes(RowId, int loop);

}  // namespace asnumpy::cpu
