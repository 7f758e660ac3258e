// Figures that were measured on a machine, in the place of the model's own.
#pragma once

#include <string_view>

namespace cannsim {

// From a file that `python -m asnumpy check` has written: its object "profile". False: there is none in it.
bool read_profile(std::string_view path);

}  // namespace cannsim
