// What a function of the interface does that means nothing in a simulator.
#pragma once

namespace cannsim {

int absent(const char* function);  // ACL_ERROR_RT_FEATURE_NOT_SUPPORT; the thread's message names the function

}  // namespace cannsim
