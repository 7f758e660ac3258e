// Whether the interface is initialised, and what happens when the process ends.
#pragma once

#include <cstddef>

namespace cannsim {

bool initialized();
std::size_t model_count();  // captured models that were not destroyed
void report_leaks();
void finish();  // once: leaks, report, log

}  // namespace cannsim
