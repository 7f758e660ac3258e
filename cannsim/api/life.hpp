// Whether the interface is initialised, and what happens when the process ends.
#pragma once

namespace cannsim {

bool initialized();
void report_leaks();
void finish();  // once: leaks, report, log

}  // namespace cannsim
