// A recorded function as tuples of names and numbers, and one made of such tuples: what a file of it holds.
//
// array     None (no buffer), or (buffer, dtype, offset, shape, strides)
// operand   an array, or (dtype, bytes): a constant
// recording (list, arguments, results, captured buffers, checks, controls); recordings within it have the same buffers
// buffer    (device, bytes, array of its bytes or None)
#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_map>
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
#include "runtime/replay.hpp"
#include "runtime/tracing.hpp"

namespace asnumpy::python {

namespace {

nb::tuple numbers_of(const Dims& dims) {
    nb::list made;
    for (const std::int64_t one : dims) made.append(one);
    return nb::tuple(made);
}

void expect(bool right, const char* what) {
    if (!right) throw ValueError(std::string("expected ") + what);
}

// A list or tuple, of so many parts.
class Parts {
public:
    explicit Parts(nb::handle content) : list_(nb::steal<nb::list>(PySequence_List(content.ptr()))) {
        if (!list_.is_valid()) throw_python_error();
    }
    Parts(nb::handle content, std::size_t size, const char* what) : Parts(content) { expect(nb::len(list_) == size, what); }
    std::size_t size() const { return nb::len(list_); }
    nb::handle operator[](std::size_t k) const { return PyList_GET_ITEM(list_.ptr(), static_cast<Py_ssize_t>(k)); }
    auto begin() const { return list_.begin(); }
    auto end() const { return list_.end(); }

private:
    nb::list list_;
};

Dims dims_of(nb::handle numbers) {
    Dims made;
    for (const nb::handle one : Parts(numbers)) made.push_back(nb::cast<std::int64_t>(one));
    return made;
}

DType dtype_named(nb::handle text) {
    const auto wanted = nb::cast<const char*>(text);
    for (int k = 0; k < dtype_count; ++k)
        if (name(static_cast<DType>(k)) == wanted) return static_cast<DType>(k);
    throw ValueError("there is no dtype " + std::string(wanted));
}

class Saving {
public:
    nb::tuple recording(const Replay& replay) {
        const Traced& traced = replay.traced();
        replay.each_captured([](const Buffer& b, bool written) {
            if (written && !b.trace) throw ValueError("it changes an array that is not among its arguments: take that as an argument, or give the new one back");
        });
        nb::list list, checks, controls;
        for (const Instruction& one : traced.list) list.append(instruction(one));
        for (const RangeCheck& check : traced.checks) checks.append(nb::make_tuple(array(check.inside), array(check.index), check.length, check.axis));
        for (const Control& control : traced.controls) {
            if (control.kind == Control::Kind::call) throw ValueError("it calls " + control.call.name + ", which NumPy computes: a file holds programs alone");
            controls.append(nb::make_tuple(static_cast<int>(control.kind), control.before, part(control.test), part(control.first), part(control.second),
                                           array(control.chosen), arrays(control.in), arrays(control.out)));
        }
        nb::list captured;
        for (const BufferPtr& one : traced.captured) captured.append(number(one));
        return nb::make_tuple(list, arrays(traced.arguments), arrays(traced.results), captured, checks, controls);
    }
    nb::list buffers() {
        nb::list made;
        for (const BufferPtr& buffer : buffers_) {
            nb::object bytes = nb::none();
            if (buffer->materialised() || !buffer->trace) {
                Array whole;
                whole.buffer = buffer;
                whole.dtype = DType::uint8;
                whole.view = contiguous(Dims{static_cast<std::int64_t>(buffer->bytes())}, 1);
                bytes = owned(wrap(std::move(whole)));
            }
            made.append(nb::make_tuple(owned(device_name(buffer->pool())), buffer->bytes(), bytes));
        }
        return made;
    }

private:
    nb::object part(const std::shared_ptr<Replay>& replay) { return replay ? nb::object(recording(*replay)) : nb::none(); }
    std::size_t number(const BufferPtr& buffer) {
        const auto [found, is_new] = numbers_.try_emplace(buffer.get(), buffers_.size());
        if (is_new) buffers_.push_back(buffer);
        return found->second;
    }
    nb::object array(const Array& a) {
        if (!a.buffer) return nb::none();
        return nb::make_tuple(number(a.buffer), string(name(a.dtype)), a.view.offset, numbers_of(a.view.shape), numbers_of(a.view.strides));
    }
    template <class List> nb::list arrays(const List& all) {
        nb::list made;
        for (const Array& one : all) made.append(array(one));
        return made;
    }
    nb::tuple instruction(const Instruction& one) {
        nb::list in;
        for (const Argument& argument : one.in) {
            if (argument.array()) in.append(array(*argument.array()));
            else in.append(nb::make_tuple(string(name(argument.dtype())), nb::bytes(argument.scalar()->bytes.data(), itemsize(argument.dtype()))));
        }
        if (one.work == Work::structured && !one.out.empty() && row(one.row).name.starts_with("random_"))
            throw ValueError("it draws random numbers, whose generator a file cannot hold: draw before, and take them as an argument");
        return nb::make_tuple(static_cast<int>(one.work), string(row(one.row).name), one.loop, string(row(one.op).name), one.axis, one.option,
                              nb::make_tuple(one.numbers[0], one.numbers[1]), one.reduced, one.on_host, numbers_of(one.shape), in, arrays(one.out));
    }

    std::unordered_map<const Buffer*, std::size_t> numbers_;
    std::vector<BufferPtr> buffers_;
};

// Everything that a file says is looked at before it is believed: a wrong one is a ValueError.
class Loading {
public:
    explicit Loading(nb::handle buffers) {
        const Trace mark({});  // what is made now waits for the memory of a call
        for (const nb::handle one : Parts(buffers)) {
            const Parts parts(one, 3, "a buffer");
            if (!parts[2].is_none()) {
                constants_.push_back(expect_array(parts[2].ptr(), "load_compiled")->array.buffer);
                buffers_.push_back(constants_.back());
            } else {
                buffers_.emplace_back(new Buffer(expect_pool(parts[0].ptr()), nb::cast<std::size_t>(parts[1])));
            }
        }
    }
    std::shared_ptr<Replay> recording(nb::handle content, std::span<const std::size_t> donated) {
        Read whole = read(content);
        buffers_.clear();  // what nobody else holds is seen by nobody else: it need not be stored
        constants_.clear();
        for (const std::size_t place : donated) expect(place < whole.traced.arguments.size(), "a donated argument");
        return made(std::move(whole), donated);
    }

private:
    struct Read {
        Traced traced;
        struct Functions { std::unique_ptr<Read> test, first, second; };
        std::vector<Functions> of_controls;
    };

    static std::shared_ptr<Replay> made(Read&& read, std::span<const std::size_t> donated = {}) {
        const auto part = [](std::unique_ptr<Read>& one) { return one ? made(std::move(*one)) : nullptr; };
        for (std::size_t k = 0; k < read.of_controls.size(); ++k) {
            Control& control = read.traced.controls[k];
            control.test = part(read.of_controls[k].test);
            control.first = part(read.of_controls[k].first);
            control.second = part(read.of_controls[k].second);
        }
        return std::make_shared<Replay>(std::move(read.traced), donated);
    }
    std::unique_ptr<Read> function(nb::handle content) { return content.is_none() ? nullptr : std::make_unique<Read>(read(content)); }
    Read read(nb::handle content) {
        const Parts parts(content, 6, "a recording");
        Read found;
        Traced& traced = found.traced;
        for (const nb::handle one : Parts(parts[0])) traced.list.push_back(instruction(Parts(one, 12, "an instruction")));
        traced.arguments = arrays(parts[1]);
        traced.results = arrays(parts[2]);
        for (const nb::handle one : Parts(parts[3])) traced.captured.push_back(buffer(one));
        for (const nb::handle one : Parts(parts[4])) {
            const Parts check(one, 4, "a check");
            traced.checks.push_back({array(check[0]), array(check[1]), nb::cast<std::int64_t>(check[2]), nb::cast<int>(check[3])});
        }
        for (const nb::handle one : Parts(parts[5])) {
            const Parts of(one, 8, "a loop or choice");
            Control control;
            control.kind = nb::cast<int>(of[0]) == static_cast<int>(Control::Kind::loop) ? Control::Kind::loop : Control::Kind::choice;
            control.before = nb::cast<std::size_t>(of[1]);
            expect(control.before <= traced.list.size(), "a place in the list");
            Read::Functions& functions = found.of_controls.emplace_back(function(of[2]), function(of[3]), function(of[4]));
            control.chosen = array(of[5]);
            control.in = arrays(of[6]);
            control.out = arrays(of[7]);
            expect(functions.first && (control.kind == Control::Kind::loop ? functions.test : functions.second), "the functions of a loop or choice");
            traced.controls.push_back(std::move(control));
        }
        return found;
    }
    const BufferPtr& buffer(nb::handle number) const {
        const auto which = nb::cast<std::size_t>(number);
        expect(which < buffers_.size(), "the number of a buffer");
        return buffers_[which];
    }
    Array array(nb::handle content) {
        Array made;
        if (content.is_none()) return made;
        const Parts parts(content, 5, "an array");
        made.buffer = buffer(parts[0]);
        made.dtype = dtype_named(parts[1]);
        made.view = {nb::cast<std::int64_t>(parts[2]), dims_of(parts[3]), dims_of(parts[4])};
        expect(made.view.shape.size() == made.view.strides.size() && std::ranges::all_of(made.view.shape, [](std::int64_t n) { return n >= 0; }), "a shape");
        const auto [low, high] = extent(made.view, item_bytes(made.dtype));
        expect(made.size() == 0 || (low >= 0 && high <= static_cast<std::int64_t>(made.buffer->bytes())), "an array within its buffer");
        return made;
    }
    std::vector<Array> arrays(nb::handle contents) {
        std::vector<Array> made;
        for (const nb::handle one : Parts(contents)) made.push_back(array(one));
        return made;
    }
    Argument operand(nb::handle content) {
        if (PySequence_Size(content.ptr()) == 5) return array(content);
        const Parts parts(content, 2, "a constant");
        Scalar constant;
        constant.dtype = dtype_named(parts[0]);
        const nb::bytes bytes = nb::cast<nb::bytes>(parts[1]);
        expect(bytes.size() == itemsize(constant.dtype), "the bytes of a constant");
        std::memcpy(constant.bytes.data(), bytes.data(), bytes.size());
        return constant;
    }
    Instruction instruction(const Parts& parts) {
        Instruction made;
        const int work = nb::cast<int>(parts[0]);
        expect(work >= 0 && work <= static_cast<int>(Work::structured), "a kind of work");
        made.work = static_cast<Work>(work);
        made.row = find_row(nb::cast<const char*>(parts[1]));
        made.loop = nb::cast<std::uint16_t>(parts[2]);
        made.op = find_row(nb::cast<const char*>(parts[3]));
        made.axis = nb::cast<std::int64_t>(parts[4]);
        made.option = nb::cast<std::int64_t>(parts[5]);
        const Parts numbers(parts[6], 2, "two numbers");
        made.numbers = {nb::cast<double>(numbers[0]), nb::cast<double>(numbers[1])};
        made.reduced = nb::cast<std::uint64_t>(parts[7]);
        made.on_host = nb::cast<bool>(parts[8]);
        made.shape = dims_of(parts[9]);
        const Parts in(parts[10]), out(parts[11]);
        expect(in.size() <= most_read && out.size() <= 2, "at most four operands and two results");
        for (const nb::handle one : in) made.in.emplace_back(operand(one));
        for (const nb::handle one : out) {
            made.out.emplace_back(array(one));
            expect(std::ranges::find(constants_, made.out[made.out.size() - 1].buffer) == constants_.end(), "a result that is no constant");
        }
        check_operands(made);
        if (!made.out.empty()) made.on_stream = current_stream(made.out[0].pool().number());
        return made;
    }
    // Elementwise work and reductions: dtypes are the loop's, shapes those of the space.
    void check_operands(const Instruction& made) {
        if (made.in.empty() && made.out.empty()) return;  // what nobody needed
        const Row& of = row(made.row);
        for (const Array& out : made.out) expect(static_cast<bool>(out.buffer), "results with a buffer");
        if (made.work == Work::structured) return expect(of.kind == RowKind::structured, "a structured row");
        expect(of.kind == RowKind::elementwise && made.loop < of.loops.size() && made.in.size() == (made.work == Work::reduction ? 1u : of.nin) &&
                   made.out.size() == (made.work == Work::reduction ? 1u : of.nout), "an instruction as its row says");
        const Signature& loop = of.loops[made.loop];
        for (std::size_t k = 0; k < made.in.size(); ++k) {
            expect(made.in[k].dtype() == loop.in[k], "the dtypes of the loop");
            if (const Array* const a = made.in[k].array()) expect(a->view.shape == made.shape, "operands of one shape");
        }
        for (std::size_t k = 0; k < made.out.size(); ++k)
            expect(made.out[k].dtype == loop.out[k] && made.out[k].view.shape == made.shape, "results of the shape and dtype");
    }

    std::vector<BufferPtr> buffers_, constants_;
};

}  // namespace

void bind_jit_saved(nb::module_& m) {
    m.def("saved_replay", [](const PyReplay& self) {
        Saving saving;
        const nb::tuple content = saving.recording(*self.replay);
        return nb::make_tuple(saving.buffers(), content);
    }, nb::arg("replay"));
    m.def("loaded_replay", [](nb::handle buffers, nb::handle content, nb::handle donated) {
        std::vector<std::size_t> places;
        for (const nb::handle one : Parts(donated)) places.push_back(nb::cast<std::size_t>(one));
        Loading loading(buffers);
        return PyReplay{loading.recording(content, places)};
    }, nb::arg("buffers"), nb::arg("content"), nb::arg("donated"));
    // Arrays of the forms that it takes, which have no values.
    m.def("forms_taken", [](const PyReplay& self, nb::handle numbers, nb::handle writeable) {
        nb::list made;
        const Parts is_number(numbers, nb::len(numbers), "truths"), is_writeable(writeable, is_number.size(), "as many truths");
        expect(is_number.size() <= self.replay->traced().arguments.size(), "as many arrays as the recording takes");
        for (std::size_t k = 0; k < is_number.size(); ++k) {
            Array argument = self.replay->traced().arguments[k];
            const nb::object one = nb::cast<bool>(is_number[k]) ? nb::steal(number_of(std::move(argument))) : owned(wrap(std::move(argument)));
            if (!nb::cast<bool>(is_writeable[k])) unwrap(one.ptr())->writeable = false;
            made.append(one);
        }
        return made;
    }, nb::arg("replay"), nb::arg("numbers"), nb::arg("writeable"));
}

}  // namespace asnumpy::python
