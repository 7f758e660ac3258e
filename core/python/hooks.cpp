// set_hooks: how the Python package makes itself known to the core.
#include "python/hooks.hpp"

#include <string_view>
#include <utility>

#include "python/array_object.hpp"
#include "python/ufunc_object.hpp"

namespace asnumpy::python {

namespace {

constexpr std::pair<std::string_view, PyObject* Hooks::*> table[] = {
    {"resolve", &Hooks::resolve}, {"call_ufunc", &Hooks::call_ufunc}, {"binary", &Hooks::binary},
    {"inplace", &Hooks::inplace}, {"getitem", &Hooks::getitem},       {"setitem", &Hooks::setitem},
    {"asarray", &Hooks::asarray}, {"matmul", &Hooks::matmul},
    {"ravel", &Hooks::ravel},     {"conjugate", &Hooks::conjugate},
    {"report", &Hooks::report},   {"compile", &Hooks::compile},   {"on_numpy", &Hooks::on_numpy},   {"cann_error", &Hooks::cann_error},
    {"derived", &Hooks::derived},
};

void set_one(std::string_view key, PyObject* value) {
    if (key == "array_type") return register_array_type(value);
    if (key == "ufunc_type") return register_ufunc_type(value);
    for (const auto& [name, member] : table) {
        if (name != key) continue;
        if (!PyCallable_Check(value))
            raise(PyExc_TypeError, "asnumpy._core.set_hooks: '%s' must be callable, got %R", name.data(), value);
        Py_INCREF(value);
        PyObject* old = std::exchange(hooks.*member, value);
        Py_XDECREF(old);
        return;
    }
    raise(PyExc_ValueError, "asnumpy._core.set_hooks: there is no hook '%s'", std::string(key).c_str());
}

}  // namespace

void bind_hooks(nb::module_& m) {
    m.def("set_hooks", [](nb::dict given) {
        PyObject *key = nullptr, *value = nullptr;
        Py_ssize_t position = 0;
        while (PyDict_Next(given.ptr(), &position, &key, &value)) {
            Py_ssize_t size = 0;
            const char* text = PyUnicode_AsUTF8AndSize(key, &size);
            if (!text) throw_python_error();
            set_one({text, static_cast<std::size_t>(size)}, value);
        }
    }, nb::arg("hooks"));
}

}  // namespace asnumpy::python
