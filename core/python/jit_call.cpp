// The class below asnumpy's jitted functions: a call whose form is known goes from here to the core, without Python.
#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "python/array_object.hpp"
#include "python/bindings.hpp"
#include "python/devices.hpp"
#include "python/error_state.hpp"
#include "python/errors.hpp"
#include "python/jit.hpp"
#include "python/number.hpp"
#include "python/tree.hpp"
#include "runtime/replay.hpp"

namespace asnumpy::python {

namespace {

// A recording whose arguments are the call's.
struct Quick {
    nb::object compiled;   // keeps `replay`
    Replay* replay = nullptr;
    nb::object numbers;    // a list, by array that is made: whether it is a number
    nb::object leaves;     // a list, by leaf of the result: None (the next array that is made), the position of an argument, or (value,)
    nb::object structure;  // of the result
};

struct PyJit {
    PyObject_HEAD
    using Known = std::unordered_map<std::string, Quick>;
    Known* quick;            // these two under the object's critical section
    std::uint64_t settings;  // under which they were recorded
};

std::atomic<std::uint64_t> settings_number{0};  // of all settings: another after each change

PyJit* jit_of(PyObject* o) { return reinterpret_cast<PyJit*>(o); }

// The arguments of a call with nothing but arrays, numbers and None; what the call costs before it runs is mostly this.
struct CallArguments {
    std::string key;
    std::vector<Array> arrays;  // the floats as arrays behind the others
    std::vector<double> floats;

    bool take(PyObject* given) {
        key.clear();
        arrays.clear();
        floats.clear();
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given); ++i) {
            PyObject* const o = PyTuple_GET_ITEM(given, i);
            if (is_exact(o)) {
                const bool number = is_number_object(o);
                PyArray* const a = unwrap(o);
                append_array(key, a->array, number, number || a->writeable, arrays);
                arrays.push_back(a->array);
            } else if (PyFloat_CheckExact(o)) {
                key += 'f';
                floats.push_back(PyFloat_AS_DOUBLE(o));
            } else if (!append_value(key, o)) {
                return false;
            }
        }
        append_word(key, static_cast<std::int64_t>(default_pool().number()));
        return true;
    }
    void add_floats() {
        Pool& pool = arrays.empty() ? default_pool() : arrays[0].pool();
        for (const double value : floats) {
            const nb::object number = nb::steal(number_of(Scalar::of(value), pool));
            arrays.push_back(unwrap(number.ptr())->array);
        }
    }
};

// The argument that is the array of that number.
PyObject* array_argument(PyObject* given, std::size_t which) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given); ++i)
        if (PyObject* const o = PyTuple_GET_ITEM(given, i); is_exact(o) && which-- == 0) return o;
    throw RuntimeFailure("asnumpy.jit: a result names an argument that the call has not");
}

PyObject* made_object(const Quick& quick, std::vector<Array>& made, std::size_t k, PyObject* given) {
    if (PyList_GET_ITEM(quick.numbers.ptr(), static_cast<Py_ssize_t>(k)) == Py_True) return number_of(std::move(made[k]));
    if (const auto of = quick.replay->argument_of(k)) return wrap_view(unwrap(array_argument(given, *of)), std::move(made[k].view), made[k].dtype);
    return wrap(std::move(made[k]));
}

// The recording for calls of that form, under the settings as they are.
std::optional<Quick> find_quick(PyJit* jit, const std::string& key) {
    PyJit::Known outdated;  // destroyed when nobody is kept out
    const nb::ft_object_guard only(reinterpret_cast<PyObject*>(jit));
    if (!jit->quick) return std::nullopt;
    if (jit->settings != settings_number) {
        outdated.swap(*jit->quick);
        return std::nullopt;
    }
    const auto found = jit->quick->find(key);
    return found == jit->quick->end() ? std::nullopt : std::optional(found->second);
}

// A new reference, or null without an exception where the call has to go the long way.
PyObject* call_quickly(PyJit* jit, PyObject* given) {
    if (current_trace() || errors_are_watched()) return nullptr;
    thread_local CallArguments kept;
    CallArguments taken;
    std::swap(taken, kept);  // its storage: what runs may call again
    if (!taken.take(given)) return nullptr;
    const std::optional<Quick> found = find_quick(jit, taken.key);
    if (!found) return nullptr;
    const Quick& quick = *found;  // a copy: others may come while this one runs
    taken.add_floats();
    if (!quick.replay->takes(taken.arrays)) return nullptr;
    std::vector<Array> made = quick.replay->run(taken.arrays, {});
    for (const std::size_t which : quick.replay->donated()) give_up(array_argument(given, which));
    std::size_t next = 0;
    Py_ssize_t place = 0;
    const auto leaf = [&]() -> PyObject* {
        PyObject* const is = PyList_GET_ITEM(quick.leaves.ptr(), place++);
        if (is == Py_None) return made_object(quick, made, next++, given);
        return Py_NewRef(PyTuple_Check(is) ? PyTuple_GET_ITEM(is, 0) : array_argument(given, PyLong_AsSize_t(is)));
    };
    nb::object result = unflattened(quick.structure.ptr(), leaf);
    taken.arrays.clear();
    std::swap(taken, kept);
    return result.release().ptr();
}

PyObject* call_jit(PyObject* self, PyObject* given, PyObject* keywords) {
    return guarded([&]() -> PyObject* {
        if (!keywords || PyDict_GET_SIZE(keywords) == 0)
            if (PyObject* const result = call_quickly(jit_of(self), given)) return result;
        const nb::object slow = owned(PyObject_GetAttr(self, interned.call));
        return checked(PyObject_Call(slow.ptr(), given, keywords));
    });
}

// _quicken(arguments, compiled, replay, numbers, leaves, structure): calls with such positional arguments run this recording.
PyObject* quicken(PyObject* self, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        if (count != 6) raise(PyExc_TypeError, "_quicken: expected 6 arguments, got %zd", count);
        PyJit* const jit = jit_of(self);
        CallArguments taken;
        if (!taken.take(given[0])) Py_RETURN_NONE;
        Quick quick{nb::borrow(given[1]), replay_of(given[2]).get(), nb::borrow(given[3]), nb::borrow(given[4]), nb::borrow(given[5])};
        PyJit::Known outdated;  // destroyed when nobody is kept out
        const nb::ft_object_guard only(self);
        if (!jit->quick) jit->quick = new PyJit::Known();
        if (jit->settings != settings_number) outdated.swap(*jit->quick);
        jit->settings = settings_number;
        Quick& place = (*jit->quick)[taken.key];
        std::swap(place, quick);
        Py_RETURN_NONE;
    });
}

int traverse_jit(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (jit_of(self)->quick)
        for (const auto& [key, quick] : *jit_of(self)->quick) {
            Py_VISIT(quick.compiled.ptr());
            Py_VISIT(quick.leaves.ptr());
            Py_VISIT(quick.structure.ptr());
        }
    return 0;
}

int clear_jit(PyObject* self) {
    delete std::exchange(jit_of(self)->quick, nullptr);
    return 0;
}

void deallocate_jit(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear_jit(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyMethodDef jit_methods[] = {
    {"_quicken", fast(quicken), METH_FASTCALL, "Runs a recording for positional arguments of this form, without asking Python."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void append_array(std::string& key, const Array& a, bool number, bool writeable, std::span<const Array> before) {
    key += number ? 'n' : writeable ? 'a' : 'r';
    key += static_cast<char>(a.dtype);
    key += static_cast<char>(a.ndim());
    key += static_cast<char>(a.pool().number());
    append_word(key, current_stream(a.pool().number()));
    for (const std::int64_t length : a.shape()) append_word(key, length);
    for (const std::int64_t stride : a.view.strides) append_word(key, stride);
    for (std::size_t k = 0; k < before.size(); ++k) {
        if (before[k].buffer != a.buffer) continue;
        append_word(key, static_cast<std::int64_t>(k));
        return append_word(key, a.view.offset - before[k].view.offset);
    }
}

bool append_value(std::string& key, PyObject* o) {
    if (o == Py_None || PyBool_Check(o)) {
        key += o == Py_None ? '-' : o == Py_True ? '1' : '0';
        return true;
    }
    if (!PyLong_CheckExact(o)) return false;
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow) return false;
    key += 'i';
    append_word(key, value);
    return true;
}

void create_jit_type(nb::module_& m) {
    PyType_Slot slots[] = {
        slot(Py_tp_dealloc, deallocate_jit), slot(Py_tp_call, call_jit), slot(Py_tp_traverse, traverse_jit), slot(Py_tp_clear, clear_jit),
        {Py_tp_methods, jit_methods}, {0, nullptr},
    };
    PyType_Spec spec{"asnumpy._core.JitFunction", sizeof(PyJit), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
    m.attr("JitFunction") = owned(PyType_FromSpec(&spec));
    m.def("settings_changed", [] { ++settings_number; });
}

}  // namespace asnumpy::python
