// Which lines of the user's program recorded instructions: for who watches the trace, and in the text of what fails later.
#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <string>

#include "runtime/queue.hpp"

namespace asnumpy {

// "file:1,2; other:3", empty where no origins are kept (set_origins).
std::string lines_of(std::span<const Instruction> list, std::span<const std::uint32_t> members);
std::string line_of(const Origin&);

// The failure with the lines that recorded what has failed.
std::exception_ptr told_where(std::exception_ptr failure, std::span<const Instruction> list, std::span<const std::uint32_t> members);

}  // namespace asnumpy
