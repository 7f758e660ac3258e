// Calls of single operators: what is called again, alike in all but addresses, goes to the caller without a second check.
#include "python/cann_calls.hpp"

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ascend/backend.hpp"
#include "ascend/launch/device_state.hpp"
#include "ascend/launch/single.hpp"
#include "base/immortal.hpp"
#include "python/array_object.hpp"
#include "python/bindings.hpp"
#include "python/cann_arguments.hpp"
#include "python/gil.hpp"

namespace asnumpy::python {
namespace {

constexpr std::size_t most_prepared = 512;  // of an operator; then they are checked anew

// A call that was checked: its arguments, their addresses left out.
struct Prepared {
    CallKey key;
    std::vector<ascend::Argument> arguments;
    ascend::DeviceState* device = nullptr;
    std::uint64_t bytes = 0;
};

struct Calls {
    std::size_t place = 0;                     // in cann::operators()
    std::span<const cann::Parameter> parameters{};
    std::vector<nb::object> names;             // of the parameters, interned
    std::vector<std::size_t> written;          // what a call returns: outputs, then what is updated in place
    std::unordered_map<std::uint64_t, std::shared_ptr<const Prepared>> prepared;  // under the operator's critical section
};

struct OperatorHead {
    PyObject_HEAD
    vectorcallfunc call;
};
struct PyOperator : OperatorHead {
    std::unique_ptr<Calls> calls;
};

// A block of the program's whose calls run side by side, and what they use that is not ours to order.
struct PyBatch {
    PyBatch(int device, unsigned streams, bool apart) : batch(ascend::device(device), streams, apart) {}
    ascend::Batch batch;
    nb::list kept;
};
thread_local PyBatch* current_batch = nullptr;
Flag timed;  // calls are to be timed on the device, by Python

Calls& calls_of(PyObject* self) { return *reinterpret_cast<PyOperator*>(self)->calls; }

// The arguments by parameter, null where one is not given; false for what only Python's binding understands or refuses.
bool sort_by_parameter(const Calls& calls, PyObject* const* arguments, std::size_t count, PyObject* names, Given& given) {
    if (count > calls.parameters.size()) return false;
    std::copy_n(arguments, count, given.begin());
    const std::size_t named = names ? static_cast<std::size_t>(PyTuple_GET_SIZE(names)) : 0;
    for (std::size_t n = 0; n < named; ++n) {
        PyObject* const name = PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(n));
        std::size_t i = 0;
        while (i < calls.names.size() && calls.names[i].ptr() != name) ++i;
        if (i == calls.names.size() || given[i]) return false;
        given[i] = arguments[count + n];
    }
    return true;
}

PyObject* results(const Calls& calls, const Given& given) {
    const auto one = [&](std::size_t i) { return Py_NewRef(given[i] ? given[i] : Py_None); };
    if (calls.written.size() == 1) return one(calls.written[0]);
    const nb::object tuple = owned(PyTuple_New(static_cast<Py_ssize_t>(calls.written.size())));
    for (std::size_t i = 0; i < calls.written.size(); ++i) PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), one(calls.written[i]));
    return Py_NewRef(tuple.ptr());
}

nb::tuple bound_tuple(const Calls& calls, const Given& given) {
    nb::list list;
    for (std::size_t i = 0; i < calls.parameters.size(); ++i) list.append(nb::borrow(given[i] ? given[i] : Py_None));
    return nb::tuple(list);
}

// With the arguments ready and their addresses set. What CANN refuses is told in the words of `asnumpy.cann`.
void launch(PyObject* self, const Given& given, ascend::DeviceState& device, std::span<const ascend::Argument> arguments, std::uint64_t bytes, ascend::Marks marks) {
    const Calls& calls = calls_of(self);
    PyBatch* const batch = current_batch;
    if (batch && &batch->batch.device() != &device)
        raise(PyExc_ValueError, "cann.batch: expected arrays on %s, got them on %s", batch->batch.device().name.c_str(), device.name.c_str());
    std::string text, function, message;
    int code = 0;
    try {
        ascend::Operator& op = ascend::find_operator(cann::operators()[calls.place].name);
        without_lock([&] { ascend::call_single(device, op, arguments, batch ? &batch->batch : nullptr, bytes, marks); });
        if (batch) keep_foreign(calls.parameters.size(), given, batch->kept);
        return;
    } catch (const DeviceFailure& failure) {
        if (!failure.code || ascend::ended()) throw;
        text = failure.what(), function = failure.function, code = failure.code, message = failure.message;
    } catch (const MemoryError& failure) {
        text = failure.what();
    }
    const nb::object error = nb::handle(self).attr("failure")(string(text), string(function), code, string(message), bound_tuple(calls, given));
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
    throw_python_error();
}

// Held: another thread may clear the table meanwhile.
std::shared_ptr<const Prepared> find_prepared(PyObject* self, const CallKey& key) {
    const std::uint64_t hash = key.hash();
    const nb::ft_object_guard only(self);
    const auto& prepared = calls_of(self).prepared;
    const auto found = prepared.find(hash);
    return found != prepared.end() && found->second->key == key ? found->second : nullptr;
}

// The call where one like it was prepared; null, and no exception, where Python must see to it.
PyObject* call_prepared(PyObject* self, PyObject* const* arguments, std::size_t count, PyObject* names) {
    Calls& calls = calls_of(self);
    Given given{};
    CallKey key;
    if (timed || !sort_by_parameter(calls, arguments, count, names, given) || !key.add_all(calls.parameters.size(), given)) return nullptr;
    const std::shared_ptr<const Prepared> known = find_prepared(self, key);
    if (!known) return nullptr;
    std::vector<ascend::Argument> ready = known->arguments;
    if (!set_addresses(calls.parameters, given, ready)) return nullptr;
    if (current_batch && &current_batch->batch.device() != known->device) return nullptr;
    launch(self, given, *known->device, ready, known->bytes, {});
    return results(calls, given);
}

PyObject* call_operator(PyObject* self, PyObject* const* arguments, std::size_t flagged, PyObject* names) {
    return guarded([&]() -> PyObject* {
        const auto count = static_cast<std::size_t>(PyVectorcall_NARGS(flagged));
        if (PyObject* const result = call_prepared(self, arguments, count, names)) return result;
        const std::size_t all = count + (names ? static_cast<std::size_t>(PyTuple_GET_SIZE(names)) : 0);
        std::vector<PyObject*> stack{self};
        stack.insert(stack.end(), arguments, arguments + all);
        return PyObject_VectorcallMethod(interned.call_checked, stack.data(), count + 1, names);
    });
}

// Of a call that Python has checked: its values by parameter, as given and as checked. False where the caller has no words for it.
bool launch_checked(nb::handle self, nb::tuple bound, nb::tuple checked_values, std::uint64_t bytes, int device, std::uintptr_t start, std::uintptr_t end) {
    Calls& calls = calls_of(self.ptr());
    Given given{}, values{};
    for (std::size_t i = 0; i < calls.parameters.size(); ++i) {
        given[i] = PyTuple_GET_ITEM(bound.ptr(), static_cast<Py_ssize_t>(i));
        values[i] = PyTuple_GET_ITEM(checked_values.ptr(), static_cast<Py_ssize_t>(i));
    }
    std::vector<ascend::Argument> arguments;
    if (!to_arguments(calls.parameters, values, arguments)) return false;
    auto made = std::make_shared<Prepared>();
    const bool names_tensors = made->key.add_all(calls.parameters.size(), given) && made->key.has_tensors();
    made->arguments = arguments;
    made->device = &ascend::device(device);
    made->bytes = bytes;
    if (!set_addresses(calls.parameters, values, arguments)) return false;
    launch(self.ptr(), given, *made->device, arguments, bytes, {reinterpret_cast<void*>(start), reinterpret_cast<void*>(end)});
    if (!names_tensors) return true;  // of one without tensors, the thread's device decides where it runs
    const std::uint64_t hash = made->key.hash();
    decltype(calls.prepared) outdated;  // destroyed when nobody is kept out, as is what had the place
    std::shared_ptr<const Prepared> ready = std::move(made);
    const nb::ft_object_guard only(self);
    if (calls.prepared.size() >= most_prepared) outdated.swap(calls.prepared);
    calls.prepared[hash].swap(ready);
    return true;
}

PyObject* create_operator(PyTypeObject* type, PyObject* arguments, PyObject*) {
    return guarded([&]() -> PyObject* {
        const char* name = nullptr;
        PyObject* ignored = nullptr;
        if (!PyArg_ParseTuple(arguments, "s|O:CannOperator", &name, &ignored)) throw_python_error();
        const int place = cann::find_operator(name);
        if (place < 0) raise(PyExc_ValueError, "CannOperator: CANN has no operator '%s'", name);
        auto calls = std::make_unique<Calls>();
        calls->place = static_cast<std::size_t>(place);
        calls->parameters = cann::parameters(cann::operators()[calls->place]);
        if (calls->parameters.size() > most_parameters) raise(PyExc_ValueError, "CannOperator: %s has too many parameters", name);
        for (const bool updated : {false, true}) {
            for (std::size_t i = 0; i < calls->parameters.size(); ++i) {
                const cann::Parameter& p = calls->parameters[i];
                if (is_tensor(p) && p.direction == (updated ? cann::Direction::inout : cann::Direction::out)) calls->written.push_back(i);
            }
        }
        for (const cann::Parameter& p : calls->parameters) calls->names.push_back(owned(PyUnicode_InternFromString(p.name)));
        auto* const self = reinterpret_cast<PyOperator*>(checked(type->tp_alloc(type, 0)));
        self->call = call_operator;
        std::construct_at(&self->calls, std::move(calls));
        return reinterpret_cast<PyObject*>(self);
    });
}

void deallocate_operator(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    std::destroy_at(&reinterpret_cast<PyOperator*>(self)->calls);
    type->tp_free(self);
    Py_DECREF(type);
}

PyMemberDef operator_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OperatorHead, call), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

// A name for as long as the process: an operator's of CANN's, or of a kernel of the user's own.
const char* lasting(const char* name) {
    static Immortal<std::unordered_set<std::string>> names;
    static nb::ft_mutex mutex;
    const nb::ft_lock_guard lock(mutex);
    return names->insert(name).first->c_str();
}

void bind_batches(nb::module_& m) {
    using nb::arg;
    nb::class_<PyBatch>(m, "CannBatch")
        .def(nb::init<int, unsigned, bool>(), arg("device"), arg("streams"), arg("apart"))
        .def("begin", [](PyBatch& self) { self.batch.begin(); }, nb::call_guard<nb::gil_scoped_release>())
        .def("end", [](PyBatch& self) { self.batch.end(); }, nb::call_guard<nb::gil_scoped_release>())
        .def("place", [](PyBatch& self, nb::list spans) {
            const std::vector<Use> uses = uses_of(spans);
            void* stream = nullptr;
            without_lock([&] { stream = self.batch.place(uses); });
            return reinterpret_cast<std::uintptr_t>(stream);
        }, arg("spans"), "CANN's stream for work that uses these bytes (low, high, written), which waits there for what it must.")
        .def("wait", [](PyBatch& self, std::size_t place) { self.batch.wait(place); }, arg("place"), nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("latest", [](PyBatch& self) { return self.batch.latest(); }, "The place of the stream that got work last.")
        .def_prop_ro("launched", [](PyBatch& self) {
            nb::list counts;
            for (const std::uint64_t count : self.batch.launched()) counts.append(count);
            return counts;
        })
        .def_ro("kept", &PyBatch::kept);
    nb::class_<ascend::OthersCall>(m, "CannCall")
        .def("__init__", [](ascend::OthersCall* self, int device, std::uintptr_t stream, const char* op, nb::list spans, nb::list whole) {
            const char* const name = lasting(op);
            std::vector<Use> uses = uses_of(spans), overwritten = uses_of(whole);
            without_lock([&] {
                std::construct_at(self, ascend::device(device), reinterpret_cast<void*>(stream), name, std::move(uses), overwritten);
            });
        }, arg("device"), arg("stream"), arg("operator"), arg("spans"), arg("whole"),
             "A call that is about to be enqueued by others than the core.")
        .def("launched", &ascend::OthersCall::launched, nb::call_guard<nb::gil_scoped_release>())
        .def("refused", &ascend::OthersCall::refused, nb::call_guard<nb::gil_scoped_release>());
    m.def("cann_exchange_batch", [](PyBatch* batch) { return std::exchange(current_batch, batch); }, arg("batch").none(), nb::rv_policy::reference,
          "This thread's batch from now on, None for none; returns the one it had.");
}

}  // namespace

void create_cann_operator_type(nb::module_& m) {
    using nb::arg;
    static PyMethodDef none[] = {{nullptr, nullptr, 0, nullptr}};
    PyType_Slot slots[] = {
        slot(Py_tp_new, create_operator), slot(Py_tp_dealloc, deallocate_operator), slot(Py_tp_call, PyVectorcall_Call),
        {Py_tp_members, operator_members}, {Py_tp_methods, none}, {0, nullptr},
    };
    PyType_Spec spec{"asnumpy._core.CannOperator", sizeof(PyOperator), 0,
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL, slots};
    m.attr("CannOperator") = owned(PyType_FromSpec(&spec));
    m.def("cann_launch", launch_checked, arg("operator"), arg("bound"), arg("values"), arg("bytes"), arg("device"), arg("start"), arg("end"),
          "Calls an operator with checked values and remembers the call; False where it must be called in another way.");
    m.def("set_cann_timed", [](bool on) { timed = on; }, arg("on"));
    m.def("register_cann", [](nb::handle operator_type, nb::handle tensor, nb::handle formats) {
        auto* const type = reinterpret_cast<PyTypeObject*>(operator_type.ptr());
        type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;  // before Python 3.12 a class made in Python loses it
        set_tensor_type(tensor, formats);
    }, arg("operator"), arg("tensor"), arg("formats"), "The classes asnumpy.cann.Operator and Tensor, and what gives the numbers of formats.");
    m.def("cann_note_call", [](const char* op, std::uint64_t bytes, std::uint64_t workspace, double seconds) {
        ascend::note_call(place_of(op), bytes, workspace, static_cast<std::uint64_t>(seconds * 1e9));
    }, arg("operator"), arg("bytes"), arg("workspace"), arg("seconds"));
    m.def("cann_note_failure", [](const char* op) { ascend::note_failure(place_of(op)); }, arg("operator"));
    m.def("cann_forget_figures", ascend::forget_figures);
    m.def("cann_figures", [] {
        nb::dict all;
        for (const auto& [op, f] : ascend::all_figures()) {
            nb::list recent;
            for (const std::uint64_t nanoseconds : f.recent) recent.append(static_cast<double>(nanoseconds) / 1e9);
            all[cann::operators()[op].name] = nb::make_tuple(f.count, f.failures, f.bytes, static_cast<double>(f.nanoseconds) / 1e9, f.workspace, recent);
        }
        return all;
    }, "By operator: calls, failures, bytes, seconds of the host, the largest workspace, and the seconds of the latest calls.");
    bind_batches(m);
}

}  // namespace asnumpy::python
