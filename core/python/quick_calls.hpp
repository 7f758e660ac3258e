// The plainest calls of NumPy's commonest functions and methods, answered before any function of Python's runs.
#pragma once

#include <atomic>
#include <string_view>

#include "python/python.hpp"

namespace asnumpy::python {

struct QuickCall {
    std::string_view name;  // a method's begins with "ndarray."
    // A new reference; null, without an exception and with nothing done, for a call that wants a closer look.
    PyObject* (*answer)(PyObject* const* arguments, Py_ssize_t count, PyObject* names);
    std::atomic<bool> on{true};  // false while a rule of the user's names the function
};

const QuickCall* quick_call(std::string_view name);  // null where there is none

}  // namespace asnumpy::python
