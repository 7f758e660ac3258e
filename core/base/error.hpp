// The exceptions of the core; core/python maps each to the Python class named beside it.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace asnumpy {

struct ValueError : std::runtime_error { using runtime_error::runtime_error; };      // ValueError
struct LinAlgError : ValueError { using ValueError::ValueError; };                  // numpy.linalg.LinAlgError
struct TypeError : std::runtime_error { using runtime_error::runtime_error; };       // TypeError
struct IndexError : std::runtime_error { using runtime_error::runtime_error; };      // IndexError
struct MemoryError : std::runtime_error { using runtime_error::runtime_error; };     // MemoryError
struct RuntimeFailure : std::runtime_error { using runtime_error::runtime_error; };  // RuntimeError
// What a device refused, or the library behind it: its function and code (0: it was not asked), and what it said itself.
struct DeviceFailure : RuntimeFailure {                                              // asnumpy.cann.CannError
    explicit DeviceFailure(const std::string& text, std::string which = {}, int number = 0, std::string said = {})
        : RuntimeFailure(text), function(std::move(which)), code(number), message(std::move(said)) {}
    std::string function;
    int code;
    std::string message;
};
struct TracingError : RuntimeFailure { using RuntimeFailure::RuntimeFailure; };      // asnumpy.TracingError
// A Python exception is already set (raised by a callback into Python); only core/python catches it.
struct Interrupted : std::runtime_error { using runtime_error::runtime_error; };

}  // namespace asnumpy
