// Functions of the Python package that the core calls for what is not worth writing in C++.
#pragma once

#include "python/devices.hpp"

namespace asnumpy::python {

struct Hooks {
    PyObject* resolve = nullptr;
    PyObject* call_ufunc = nullptr;
    PyObject* binary = nullptr;
    PyObject* inplace = nullptr;
    PyObject* getitem = nullptr;
    PyObject* setitem = nullptr;
    PyObject* asarray = nullptr;
    PyObject* matmul = nullptr;
    PyObject* ravel = nullptr;      // in another order than C
    PyObject* conjugate = nullptr;  // of complex numbers
    PyObject* report = nullptr;
    PyObject* compile = nullptr;    // makes machine code that is wanted
    PyObject* on_numpy = nullptr;   // a call of the package's that only NumPy can answer
    PyObject* derived = nullptr;     // a call of the package's with arrays of classes that a program has derived
    PyObject* cann_error = nullptr;  // makes the exception for what a device refused
};
inline Hooks hooks;

// Calls a hook, on the device of its arguments; a new reference.
template <class... A> PyObject* call_hook(PyObject* Hooks::*which, const char* name, A*... arguments) {
    PyObject* function = hooks.*which;
    if (!function) raise(PyExc_RuntimeError, "asnumpy._core: the hook '%s' is not set; import asnumpy first", name);
    const OnDeviceOf device(arguments...);
    PyObject* stack[] = {nullptr, reinterpret_cast<PyObject*>(arguments)...};
    PyObject* result = nullptr;
    {
        const InHook within;
        result = checked(PyObject_Vectorcall(function, stack + 1, sizeof...(A) | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
    }
    return gives_numpys() ? exchanged(result) : result;
}

void bind_hooks(nb::module_&);

}  // namespace asnumpy::python
