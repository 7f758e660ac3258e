// Reads NumPy's context variable; what a state other than the first means is decided in Python, once for each.
#include "python/error_state.hpp"

#include <utility>

#include "python/convert.hpp"

namespace asnumpy::python {

namespace {

// The references are held for the life of the process.
struct ErrorState {
    PyObject* variable = nullptr;
    PyObject* start = nullptr;   // with which NumPy begins: nothing is reported, because work is deferred
    PyObject* decide = nullptr;
    nb::ft_mutex mutex;          // guards these two
    PyObject* last = nullptr;    // the last other state that was seen, and what it means
    bool last_is_watched = false;
};
ErrorState state;

enum class Watched { no, yes, not_known };
Watched remembered(const PyObject* current) {
    const nb::ft_lock_guard lock(state.mutex);
    if (state.last != current) return Watched::not_known;
    return state.last_is_watched ? Watched::yes : Watched::no;
}

bool ask(const nb::object& current) {
    const nb::object answer = owned(PyObject_CallOneArg(state.decide, current.ptr()));
    const int watched = PyObject_IsTrue(answer.ptr());
    if (watched < 0) throw_python_error();
    PyObject* before = Py_NewRef(current.ptr());
    {
        const nb::ft_lock_guard lock(state.mutex);
        std::swap(state.last, before);
        state.last_is_watched = watched != 0;
    }
    Py_XDECREF(before);
    return watched != 0;
}

}  // namespace

bool errors_are_watched() {
    if (!state.variable) return false;
    PyObject* found = nullptr;
    if (PyContextVar_Get(state.variable, nullptr, &found) < 0) throw_python_error();
    if (!found || found == state.start) {
        Py_XDECREF(found);
        return false;
    }
    const nb::object current = nb::steal(found);
    const Watched known = remembered(found);
    return known == Watched::not_known ? ask(current) : known == Watched::yes;
}

void bind_error_state(nb::module_& m) {
    m.def("errors_are_watched", [] { return errors_are_watched(); });
    m.def("set_error_state", [](nb::handle variable, nb::handle start, nb::handle decide) {
        for (const auto& [place, value] : {std::pair{&ErrorState::variable, variable}, std::pair{&ErrorState::start, start}, std::pair{&ErrorState::decide, decide}})
            Py_XDECREF(std::exchange(state.*place, Py_NewRef(value.ptr())));
    }, nb::arg("variable"), nb::arg("start"), nb::arg("decide"));
}

}  // namespace asnumpy::python
