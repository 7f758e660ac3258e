// Whether programs that recur become code of their own: never, beside the work that goes on, or before it goes on.
#pragma once

#include <atomic>
#include <cstdint>

namespace asnumpy {

enum class MachineCode : std::uint8_t { off, background, wait };
inline std::atomic<MachineCode> machine_code{MachineCode::off};

}  // namespace asnumpy
