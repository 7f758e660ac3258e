// The CPU as a backend: host memory in huge pages, programs run by the tile executor, structured operations typed.
#pragma once

#include "device/backend.hpp"

namespace asnumpy::cpu {

Backend& cpu_backend();  // lives until the process ends, after every other object

}  // namespace asnumpy::cpu
