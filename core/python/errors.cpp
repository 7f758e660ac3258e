// From C++ exceptions to Python's.
#include "python/errors.hpp"

#include <cstdarg>
#include <new>

#include "python/ending.hpp"
#include "python/hooks.hpp"

namespace asnumpy::python {

namespace {

PyObject* axis_error = nullptr;
PyObject* complex_warning = nullptr;
PyObject* tracing_error = nullptr;
PyObject* linalg_error = nullptr;

void set_cann_error(const DeviceFailure& e) {
    stop_after_the_end();
    if (!hooks.cann_error) return PyErr_SetString(PyExc_RuntimeError, e.what());
    PyObject* const error = PyObject_CallFunction(hooks.cann_error, "ssis", e.what(), e.function.c_str(), e.code, e.message.c_str());
    if (!error) return;
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error)), error);
    Py_DECREF(error);
}

void translate(const std::exception_ptr& error, void*) {
    try {
        std::rethrow_exception(error);
    } catch (...) {
        set_python_error();
    }
}

}  // namespace

void load_exceptions(nb::module_& m) {
    unsupported_dtype = checked(PyErr_NewExceptionWithDoc(
        "asnumpy._core.UnsupportedDtype", "Elements that only NumPy's arrays can hold.", PyExc_TypeError, nullptr));
    m.attr("UnsupportedDtype") = nb::borrow(unsupported_dtype);
    tracing_error = checked(PyErr_NewExceptionWithDoc(
        "asnumpy.TracingError", "What a function asks for while `asnumpy.jit` traces it cannot be recorded.", PyExc_RuntimeError, nullptr));
    m.attr("TracingError") = nb::borrow(tracing_error);
    const nb::object module = owned(PyImport_ImportModule("numpy.exceptions"));
    const nb::object linalg = owned(PyImport_ImportModule("numpy.linalg"));
    linalg_error = checked(PyObject_GetAttrString(linalg.ptr(), "LinAlgError"));
    axis_error = checked(PyObject_GetAttrString(module.ptr(), "AxisError"));
    complex_warning = checked(PyObject_GetAttrString(module.ptr(), "ComplexWarning"));
}

void register_translators() { nb::register_exception_translator(translate); }

void throw_python_error() { throw Interrupted("a Python exception is set"); }

void raise(PyObject* type, const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    PyErr_FormatV(type, format, arguments);
    va_end(arguments);
    throw_python_error();
}

void raise_axis_error(long long axis, int ndim, const char* parameter) {
    const nb::object error = owned(PyObject_CallFunction(axis_error, "Liz", axis, ndim, parameter));
    PyErr_SetObject(axis_error, error.ptr());
    throw_python_error();
}

void warn_complex_discarded() {
    if (PyErr_WarnEx(complex_warning, "Casting complex values to real discards the imaginary part", 1) < 0)
        throw_python_error();
}

void set_python_error() noexcept {
    try {
        throw;
    } catch (nb::python_error& e) {
        e.restore();
    } catch (const Interrupted& e) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_KeyboardInterrupt, e.what());
    } catch (const LinAlgError& e) {
        PyErr_SetString(linalg_error, e.what());
    } catch (const ValueError& e) {
        PyErr_SetString(PyExc_ValueError, e.what());
    } catch (const TypeError& e) {
        PyErr_SetString(PyExc_TypeError, e.what());
    } catch (const IndexError& e) {
        PyErr_SetString(PyExc_IndexError, e.what());
    } catch (const MemoryError& e) {
        PyErr_SetString(PyExc_MemoryError, e.what());
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (const TracingError& e) {
        PyErr_SetString(tracing_error, e.what());
    } catch (const DeviceFailure& e) {
        set_cann_error(e);
    } catch (const std::exception& e) {
        PyErr_SetString(PyExc_RuntimeError, e.what());
    } catch (...) {
        PyErr_SetString(PyExc_SystemError, "asnumpy: an exception of unknown type left the core");
    }
}

}  // namespace asnumpy::python
