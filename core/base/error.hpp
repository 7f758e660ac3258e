// The exceptions of the core; core/python maps each to the Python class named beside it.
#pragma once

#include <stdexcept>
#include <string>

namespace asnumpy {

struct ValueError : std::runtime_error { using runtime_error::runtime_error; };      // ValueError
struct TypeError : std::runtime_error { using runtime_error::runtime_error; };       // TypeError
struct IndexError : std::runtime_error { using runtime_error::runtime_error; };      // IndexError
struct MemoryError : std::runtime_error { using runtime_error::runtime_error; };     // MemoryError
struct RuntimeFailure : std::runtime_error { using runtime_error::runtime_error; };  // RuntimeError
// A Python exception is already set (raised by a callback into Python); only core/python catches it.
struct Interrupted : std::runtime_error { using runtime_error::runtime_error; };

}  // namespace asnumpy
