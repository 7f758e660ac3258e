// Figures in the place of the model's own: of another kind of client, or measured on a machine.
#pragma once

#include <string_view>

namespace cannsim {

// "backend": the model's own figures. "eager": a client that makes both phases of each call anew, by interpreted code. Else a file
// that `python -m asnumpy check` has written: its object "profile". False: there is none in it.
bool choose_profile(std::string_view name);

}  // namespace cannsim
