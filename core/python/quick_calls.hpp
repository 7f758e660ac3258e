// The plainest calls of NumPy's commonest functions and methods, answered before any function of Python's runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>

#include "python/python.hpp"

namespace asnumpy::python {

struct QuickCall {
    std::string_view name;  // a method's begins with "ndarray."
    // A new reference; null, without an exception and with nothing done, for a call that wants a closer look.
    PyObject* (*answer)(QuickCall&, PyObject* const* arguments, Py_ssize_t count, PyObject* names);
    bool counted = false;         // as a call of NumPy's: fallbacks() lists it
    std::atomic<bool> on{true};   // false while a rule of the user's names the function
    PyObject* numpys = nullptr;   // NumPy's function, which lives as long as the process
    std::atomic<std::uint64_t> count{0};  // of the calls that NumPy answered, where they are counted
};

// Null where there is none. `numpys`: NumPy's function of that name.
QuickCall* quick_call(std::string_view name, PyObject* numpys);
// Those that NumPy's own function answers: for few elements that are at hand it is the quickest.
std::span<QuickCall> calls_of_numpy();

}  // namespace asnumpy::python
