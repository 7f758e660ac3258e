// Operators that do, on demand, what a broken device or driver does: wrong values, work without an end, the end of the process.
#pragma once

#include <cstdint>
#include <string_view>

namespace cannsim {

enum class Misbehaviour : std::uint8_t { none, corrupt, hang, crash };

// From now on, of operators by CANN's names with commas between them; false: no operator has such a name.
bool plan_misbehaviour(Misbehaviour, std::string_view names);
void clear_misbehaviour();
Misbehaviour misbehaviour_of(int op);

}  // namespace cannsim
