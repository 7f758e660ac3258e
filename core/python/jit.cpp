// What asnumpy.jit is made of: tracing a function, the keys of calls, running what was recorded.
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "device/stream.hpp"
#include "python/array_object.hpp"
#include "python/bindings.hpp"
#include "python/devices.hpp"
#include "python/errors.hpp"
#include "python/jit.hpp"
#include "python/number.hpp"
#include "python/numpy_bridge.hpp"
#include "python/tree.hpp"
#include "runtime/replay.hpp"
#include "runtime/tracing.hpp"

namespace asnumpy::python {

namespace {

std::vector<Array> arrays_of(nb::handle sequence) {
    std::vector<Array> arrays;
    for (const nb::handle one : nb::borrow<nb::sequence>(sequence)) arrays.push_back(expect_array(one.ptr(), "jit")->array);
    return arrays;
}

// The array as an object like `like`: a Number, of its class, as writeable.
nb::object alike(PyObject* like, Array&& array) {
    if (is_number_object(like)) return nb::steal(number_of(std::move(array)));
    nb::object made = owned(wrap(std::move(array)));
    unwrap(made.ptr())->writeable = unwrap(like)->writeable;
    return nb::steal(of_class(like, made.release().ptr()));
}

class PyTrace {
public:
    explicit PyTrace(nb::handle arguments) : trace_(std::make_unique<Trace>(arrays_of(arguments))) {}

    nb::object argument(std::size_t which, nb::handle like, bool weak) {
        nb::object made = alike(like.ptr(), Array(running().argument(which)));
        if (weak) as_number(made.ptr())->weak = true;
        return made;
    }
    // Whether the array has a value only within the trace.
    bool stands_alone(nb::handle array) { return running().is_new(*expect_array(array.ptr(), "jit")->array.buffer); }
    void end(nb::handle results) { running().end(arrays_of(results)); }
    bool meets_arguments() { return running().meets_arguments(); }
    void drop() { trace_.reset(); }
    Traced take() { return running().take(); }
    // The results of a loop or a choice, as objects like those given.
    nb::list add(Control&& control, nb::handle like) {
        const std::vector<Array> arrays = arrays_of(like);
        std::vector<Array> made = running().add_control(std::move(control), arrays);
        nb::list objects;
        for (std::size_t k = 0; k < made.size(); ++k) {
            const nb::object one = owned(PySequence_GetItem(like.ptr(), static_cast<Py_ssize_t>(k)));
            objects.append(is_number_object(one.ptr()) ? nb::steal(number_of(std::move(made[k]))) : owned(wrap(std::move(made[k]))));
        }
        return objects;
    }

private:
    Trace& running() {
        if (!trace_) throw RuntimeFailure("asnumpy.jit: the trace has ended");
        return *trace_;
    }

    std::unique_ptr<Trace> trace_;
};

Stream stream_of(nb::handle place) {
    std::array<std::uint64_t, 3> words{};
    for (std::size_t k = 0; k < words.size(); ++k) {
        words[k] = PyLong_AsUnsignedLongLong(owned(PySequence_GetItem(place.ptr(), static_cast<Py_ssize_t>(k))).ptr());
        if (PyErr_Occurred()) throw_python_error();
    }
    return {words[0], words[1], words[2]};
}

// The results as objects: arrays, views of the arguments, Numbers where the positions are in `numbers`.
nb::object run(const PyReplay& self, nb::handle arguments, nb::handle streams, nb::handle numbers) {
    Replay& replay = *self.replay;
    const std::vector<Array> given = arrays_of(arguments);
    std::vector<Stream> places;
    for (const nb::handle place : nb::borrow<nb::sequence>(streams)) places.push_back(stream_of(place));
    std::vector<Array> made = replay.run(given, places);
    for (const std::size_t which : replay.donated()) give_up(owned(PySequence_GetItem(arguments.ptr(), static_cast<Py_ssize_t>(which))).ptr());
    nb::object list = owned(PyList_New(static_cast<Py_ssize_t>(made.size())));
    for (std::size_t k = 0; k < made.size(); ++k) {
        PyObject* one = nullptr;
        if (PyList_GET_ITEM(numbers.ptr(), static_cast<Py_ssize_t>(k)) == Py_True) {
            one = number_of(std::move(made[k]));
        } else if (const auto of = replay.argument_of(k)) {
            const nb::object whole = owned(PySequence_GetItem(arguments.ptr(), static_cast<Py_ssize_t>(*of)));
            one = wrap_view(unwrap(whole.ptr()), std::move(made[k].view), made[k].dtype);
        } else {
            one = wrap(std::move(made[k]));
        }
        PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(k), one);
    }
    return list;
}

// Of the leaves of a call: (bytes, what is compared as a value..., the arrays). None: a leaf is of a derived class of arrays.
nb::object key_of(nb::handle leaves) {
    std::string key;
    std::vector<Array> before;
    nb::list arrays, values;
    for (const nb::handle leaf : nb::borrow<nb::sequence>(leaves)) {
        PyObject* const o = leaf.ptr();
        if (is_array(o)) {
            const bool number = is_number_object(o);
            const Array& a = unwrap(o)->array;
            append_array(key, a, number, number || unwrap(o)->writeable, before);
            if (!is_exact(o)) values.append(nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(o))));
            before.push_back(a);
            arrays.append(leaf);
        } else if (PyFloat_CheckExact(o)) {
            key += 'f';  // its value is an argument, too
        } else if (!append_value(key, o)) {
            key += 'v';
            values.append(nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(o))));
            values.append(leaf);
        }
    }
    append_word(key, static_cast<std::int64_t>(default_pool().number()));
    return nb::make_tuple(nb::bytes(key.data(), key.size()), nb::tuple(values), arrays);
}

// function(operands, results), over the memory of this run: NumPy's arrays (`views`, all of it is the host's) or ours.
void call_on_host(const nb::object& function, bool views, const std::vector<bool>& written, std::span<const Array> in, std::span<const Array> out) {
    const nb::gil_scoped_acquire lock;
    const auto object = [views](const Array& one, bool writeable) {
        if (!views) return owned(wrap(Array(one)));
        one.buffer->materialise();
        return temporary(one, writeable);
    };
    nb::list operands, results;
    for (std::size_t k = 0; k < in.size(); ++k) operands.append(object(in[k], written[k]));
    for (const Array& one : out) results.append(object(one, true));
    owned(PyObject_CallFunctionObjArgs(function.ptr(), operands.ptr(), results.ptr(), nullptr));
}

}  // namespace

void give_up(PyObject* array) {
    if (is_number_object(array)) return;
    PyArray* const a = unwrap(array);
    if (a->exported) return;  // it is seen by its address
    a->array.buffer = BufferPtr(new Buffer(a->array.pool(), a->array.buffer->bytes()));
    a->array.buffer->gone = true;
}

void bind_jit(nb::module_& m) {
    using nb::arg;
    nb::class_<PyTrace>(m, "Trace")
        .def(nb::init<nb::handle>(), arg("arguments"))
        .def("argument", &PyTrace::argument, arg("which"), arg("like"), arg("weak") = false)
        .def("stands_alone", &PyTrace::stands_alone, arg("array"))
        .def("end", &PyTrace::end, arg("results"))
        .def("meets_arguments", &PyTrace::meets_arguments)
        .def("drop", &PyTrace::drop)
        .def("add_loop", [](PyTrace& trace, nb::handle test, nb::handle body, nb::handle state) {
            Control loop;
            loop.test = replay_of(test);
            loop.first = replay_of(body);
            loop.in = arrays_of(state);
            return trace.add(std::move(loop), state);
        }, arg("test"), arg("body"), arg("state"))
        .def("add_choice", [](PyTrace& trace, nb::handle chosen, nb::handle first, nb::handle second, nb::handle operands, nb::handle like) {
            Control choice;
            choice.kind = Control::Kind::choice;
            choice.first = replay_of(first);
            choice.second = replay_of(second);
            choice.chosen = expect_array(chosen.ptr(), "cond")->array;
            choice.in = arrays_of(operands);
            return trace.add(std::move(choice), like);
        }, arg("chosen"), arg("first"), arg("second"), arg("operands"), arg("like"))
        .def("add_call", [](PyTrace& trace, nb::str name, nb::handle function, nb::handle operands, nb::handle written, nb::handle like, bool views) {
            Control call;
            call.kind = Control::Kind::call;
            call.in = arrays_of(operands);
            call.call.name = name.c_str();
            for (const nb::handle one : nb::borrow<nb::sequence>(written)) call.call.written.push_back(nb::cast<bool>(one));
            call.call.run = [held = nb::borrow(function), views, changed = call.call.written](std::span<const Array> in, std::span<const Array> out) {
                call_on_host(held, views, changed, in, out);
            };
            return trace.add(std::move(call), like);
        }, arg("name"), arg("function"), arg("operands"), arg("written"), arg("like"), arg("views"));
    nb::class_<PyReplay>(m, "Replay")
        .def("__init__", [](PyReplay* made, PyTrace& trace, nb::handle donated) {
            std::vector<std::size_t> places;
            for (const nb::handle one : nb::borrow<nb::sequence>(donated)) places.push_back(nb::cast<std::size_t>(one));
            new (made) PyReplay{std::make_shared<Replay>(trace.take(), places)};
        }, arg("trace"), arg("donated"))
        .def("takes", [](const PyReplay& self, nb::handle arguments) { return self.replay->takes(arrays_of(arguments)); }, arg("arguments"))
        .def("run", run, arg("arguments"), arg("streams"), arg("numbers"))
        .def("compile", [](const PyReplay& self) { self.replay->compile(); })
        .def("cost", [](const PyReplay& self) {
            const Cost cost = self.replay->cost();
            return nb::make_tuple(cost.programs, cost.operations, cost.read, cost.written, cost.most_memory);
        })
        .def("text", [](const PyReplay& self) { return string(self.replay->text()); });
    m.def("call_key", key_of, arg("leaves"));
    m.def("unflatten", [](nb::handle structure, nb::handle leaves) {
        const nb::object all = owned(PyObject_GetIter(leaves.ptr()));
        const auto leaf = [&]() -> PyObject* {
            PyObject* const next = PyIter_Next(all.ptr());
            if (!next && !PyErr_Occurred()) raise(PyExc_ValueError, "expected a leaf for each place of the structure");
            return next;
        };
        return unflattened(structure.ptr(), leaf);
    }, arg("structure").none(), arg("leaves"));
    m.def("number_beside", [](double value, nb::handle array) {
        return nb::steal(number_of(Scalar::of(value), array.is_none() ? default_pool() : home_of(array.ptr())));
    }, arg("value"), arg("array") = nb::none());
    m.def("tracing", [] { return current_trace() != nullptr; });
}

}  // namespace asnumpy::python
