// From C++ exceptions to Python's. Inside this folder a C++ exception may also mean "a Python exception is set".
#pragma once

#include <type_traits>

#include "base/error.hpp"
#include "python/python.hpp"

namespace asnumpy::python {

// What arrays of ours cannot hold was given or asked for: a TypeError that ends where NumPy can do the work (beside.cpp).
inline PyObject* unsupported_dtype = nullptr;

void load_exceptions(nb::module_&);  // looks up NumPy's exception classes and makes our own; once, at import
void register_translators();  // for functions bound with nanobind

[[noreturn]] void throw_python_error();                                 // a Python exception is set
[[noreturn]] void raise(PyObject* type, const char* format, ...);       // PyErr_Format, then throws
[[noreturn]] void raise_axis_error(long long axis, int ndim, const char* parameter);
void warn_complex_discarded();                                          // NumPy's ComplexWarning

inline PyObject* checked(PyObject* result) {
    if (!result) throw_python_error();
    return result;
}
inline nb::object owned(PyObject* result) { return nb::steal(checked(result)); }

void set_python_error() noexcept;  // call inside a catch block

// Runs a slot's body; an exception becomes Python's, and the result nullptr or -1.
template <class F> auto guarded(F&& body) noexcept -> decltype(body()) {
    try {
        return body();
    } catch (...) {
        set_python_error();
        if constexpr (std::is_pointer_v<decltype(body())>) return nullptr;
        else return -1;
    }
}

}  // namespace asnumpy::python
