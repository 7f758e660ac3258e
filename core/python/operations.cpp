// Functions that record: elementwise rows, reductions and structured operations, by name.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/checked.hpp"
#include "base/order.hpp"
#include "cpu/structured.hpp"
#include "ops/random.hpp"
#include "ops/structured.hpp"
#include "python/bindings.hpp"
#include "python/convert.hpp"
#include "python/transfer.hpp"
#include "python/ufunc_object.hpp"

namespace asnumpy::python {

namespace {

nb::object result(Array&& a) { return nb::steal(wrap_result(std::move(a))); }

// Ends with a null character, and lives as long as the object.
std::string_view text_of(nb::handle h) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(h.ptr(), &size);
    if (!data) throw_python_error();
    return {data, static_cast<std::size_t>(size)};
}

std::string name_of(nb::handle h) { return std::string(text_of(h)); }

void expect_count(const char* function, Py_ssize_t count, Py_ssize_t least, Py_ssize_t most) {
    if (count < least || count > most)
        raise(PyExc_TypeError, "asnumpy._core.%s() takes from %zd to %zd arguments (%zd given)", function, least, most, count);
}

nb::object dtype_object(DType d) { return nb::borrow(reinterpret_cast<PyObject*>(descriptor(d))); }

nb::object dtype_tuple(std::span<const DType> dtypes) {
    nb::object tuple = owned(PyTuple_New(static_cast<Py_ssize_t>(dtypes.size())));
    for (std::size_t i = 0; i < dtypes.size(); ++i)
        PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), dtype_object(dtypes[i]).release().ptr());
    return tuple;
}

nb::list list_rows() {
    nb::list all;
    for (const Row& r : rows()) {
        nb::list loops;
        for (const Signature& s : r.loops)
            loops.append(nb::make_tuple(dtype_tuple(std::span(s.in.data(), s.nin)), dtype_tuple(std::span(s.out.data(), s.nout))));
        nb::dict entry;
        entry["name"] = nb::str(r.name.data(), r.name.size());
        entry["kind"] = r.kind == RowKind::elementwise ? "elementwise" : "structured";
        entry["nin"] = static_cast<int>(r.nin);
        entry["nout"] = static_cast<int>(r.nout);
        entry["loops"] = loops;
        entry["symbol"] = nb::str(r.symbol.data(), r.symbol.size());
        entry["reducible"] = r.reducible;
        for (const RandomRow& random : random_rows) {
            if (random.name != r.name) continue;
            entry["words"] = random.words;
            entry["parameters"] = dtype_tuple(random.parameters);
            entry["result"] = dtype_object(random.result);
        }
        all.append(entry);
    }
    return all;
}

// The loop that a tuple of dtypes names; TypeError when the row has none.
int loop_of(RowId id, nb::handle dtypes, const std::string& name) {
    const Row& r = row(id);
    const nb::object sequence = owned(PySequence_Fast(dtypes.ptr(), "the loop's signature must be a tuple of dtypes"));
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence.ptr());
    if (count != r.nin + r.nout)
        raise(PyExc_ValueError, "asnumpy._core.apply: %s has %d inputs and %d outputs, the signature %R does not", name.c_str(), r.nin, r.nout, dtypes.ptr());
    Signature signature;
    signature.nin = r.nin;
    signature.nout = r.nout;
    for (Py_ssize_t i = 0; i < count; ++i) {
        const DType d = expect_dtype(PySequence_Fast_GET_ITEM(sequence.ptr(), i), name.c_str());
        if (i < r.nin) signature.in[static_cast<std::size_t>(i)] = d;
        else signature.out[static_cast<std::size_t>(i - r.nin)] = d;
    }
    const int loop = find_loop(id, signature);
    if (loop < 0) raise(PyExc_TypeError, "asnumpy._core.apply: %s has no loop with signature %R", name.c_str(), dtypes.ptr());
    return loop;
}

nb::object apply_row(nb::str row_name, nb::handle dtypes, nb::handle operands, nb::handle outs) {
    const std::string name = name_of(row_name);
    const RowId id = find_row(name);
    const Row& r = row(id);
    const int loop = loop_of(id, dtypes, name);
    const Signature& signature = r.loops[static_cast<std::size_t>(loop)];
    const nb::object given = owned(PySequence_Fast(operands.ptr(), "the inputs must be a sequence"));
    if (PySequence_Fast_GET_SIZE(given.ptr()) != r.nin)
        raise(PyExc_ValueError, "asnumpy._core.apply: %s takes %d inputs, got %zd", name.c_str(), r.nin, PySequence_Fast_GET_SIZE(given.ptr()));
    std::array<Input, 3> in;
    for (std::size_t i = 0; i < r.nin; ++i)
        in[i] = to_input(PySequence_Fast_GET_ITEM(given.ptr(), static_cast<Py_ssize_t>(i)), signature.in[i], name.c_str());

    std::array<Array, 2> out;
    std::array<PyObject*, 2> targets{};
    nb::object wanted;
    if (!outs.is_none()) {
        wanted = owned(PySequence_Fast(outs.ptr(), "outs must be None or a tuple"));
        if (PySequence_Fast_GET_SIZE(wanted.ptr()) != r.nout)
            raise(PyExc_ValueError, "asnumpy._core.apply: %s has %d outputs, outs has %zd", name.c_str(), r.nout, PySequence_Fast_GET_SIZE(wanted.ptr()));
        for (std::size_t i = 0; i < r.nout; ++i) {
            PyObject* target = PySequence_Fast_GET_ITEM(wanted.ptr(), static_cast<Py_ssize_t>(i));
            if (target == Py_None) continue;
            PyArray* a = expect_array(target, name.c_str());
            require_writeable(a, "output array is read-only");
            targets[i] = target;
            out[i] = a->array;
        }
    }
    Few<Array, 2> made = apply(id, loop, std::span<const Input>(in.data(), r.nin),
                                      outs.is_none() ? std::span<const Array>() : std::span<const Array>(out.data(), r.nout));
    const auto object = [&](std::size_t i) { return targets[i] ? nb::borrow(targets[i]) : result(std::move(made[i])); };
    if (r.nout == 1) return object(0);
    return nb::make_tuple(object(0), object(1));
}

PyObject* assign_to(PyObject*, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        expect_count("assign", count, 2, 2);
        PyArray* target = expect_array(given[0], "assign");
        require_writeable(target, "assignment destination is read-only");
        if (is_array(given[1])) assign_array(target->array, unwrap(given[1])->array);
        else asnumpy::assign(target->array, assigned_scalar(given[1], target->array.dtype));
        Py_RETURN_NONE;
    });
}

template <Array (*convert)(const Array&, DType)> PyObject* cast_to(PyObject*, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        expect_count("cast", count, 2, 2);
        PyArray* a = expect_array(given[0], "cast");
        Array made = convert(a->array, expect_dtype(given[1], "cast"));
        return is_number_object(given[0]) ? wrap_result(std::move(made)) : wrap(std::move(made));
    });
}

std::uint64_t axes_mask(nb::handle axes, int ndim) {
    if (axes.is_none()) return ndim == 0 ? 0 : ~std::uint64_t{0} >> (64 - ndim);
    if (PyLong_Check(axes.ptr())) {
        const unsigned long long mask = PyLong_AsUnsignedLongLong(axes.ptr());
        if (PyErr_Occurred()) throw_python_error();
        return mask;
    }
    return mask_of_axes(to_integers(axes.ptr()), ndim);
}

PyObject* reduce_row(PyObject*, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        expect_count("reduce", count, 3, 5);
        const std::string_view name = text_of(given[0]);
        const RowId id = find_row(name);
        const DType d = expect_dtype(given[1], name.data());
        PyArray* a = expect_array(given[2], name.data());
        const std::uint64_t axes = axes_mask(count > 3 ? given[3] : Py_None, a->array.ndim());
        const std::span<const Signature> loops = row(id).loops;
        for (std::size_t i = 0; i < loops.size(); ++i)
            if (loops[i].nin == 2 && loops[i].in[0] == d && loops[i].in[1] == d)
                return wrap_result(reduce(id, static_cast<int>(i), a->array, axes, count > 4 && given[4] == Py_True));
        raise(PyExc_TypeError, "asnumpy._core.reduce: %s has no loop for dtype %R", name.data(), given[1]);
    });
}

PyObject* scan_row(PyObject*, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        expect_count("scan", count, 3, 3);
        PyArray* a = expect_array(given[1], "scan");
        return wrap(scan(find_row(text_of(given[0])), a->array, normalise_axis(to_int64(given[2]), a->array.ndim())));
    });
}

Array expect_index(nb::handle h, const char* function) {
    const Array& index = expect_array(h.ptr(), function)->array;
    if (index.dtype != DType::int64 || index.ndim() != 1)
        throw TypeError(std::string("asnumpy._core.") + function + ": the index must be a 1-d int64 array, got " +
                        std::to_string(index.ndim()) + "-d " + std::string(name(index.dtype)));
    return index;
}

Array expect_mask(nb::handle h, const char* function) {
    const Array& mask = expect_array(h.ptr(), function)->array;
    if (mask.dtype != DType::boolean || mask.ndim() != 1)
        throw TypeError(std::string("asnumpy._core.") + function + ": the mask must be a 1-d bool array, got " +
                        std::to_string(mask.ndim()) + "-d " + std::string(name(mask.dtype)));
    return mask;
}

View without_axis(const View& view, int axis) {
    View made{view.offset, Dims(view.ndim() - 1), Dims(view.ndim() - 1)};
    for (int k = 0; k < made.ndim(); ++k) {
        made.shape[k] = view.shape[k < axis ? k : k + 1];
        made.strides[k] = view.strides[k < axis ? k : k + 1];
    }
    return made;
}

// A tuple or list of arrays that fit along the axis and have one dtype, or are cast to the given one, joined; None for any other call.
nb::object join(nb::handle arrays, nb::handle along, nb::handle to) {
    int overflow = 0;
    const long given_axis = PyLong_AsLongAndOverflow(along.ptr(), &overflow);
    if (overflow || given_axis < -max_ndim || given_axis >= max_ndim) return nb::none();
    int axis = static_cast<int>(given_axis);
    PyObject* const given = arrays.ptr();
    if (!PyTuple_CheckExact(given) && !PyList_CheckExact(given)) return nb::none();
    const Items items(given);
    std::vector<Array> parts;
    parts.reserve(items.size());
    Checked length = 0;
    bool c_order = true;
    for (PyObject* const item : items) {
        if (!is_exact(item)) return nb::none();
        const Array& part = parts.emplace_back(unwrap(item)->array);
        const Array& first = parts.front();
        const int ndim = first.ndim();
        if (part.ndim() != ndim || (to.is_none() && part.dtype != first.dtype) || axis < -ndim || axis >= ndim) return nb::none();
        for (int k = 0; k < ndim; ++k)
            if (k != (axis < 0 ? axis + ndim : axis) && part.view.shape[k] != first.view.shape[k]) return nb::none();
        c_order = c_order && is_c_contiguous(part.view, item_bytes(part));
        length += part.view.shape[axis < 0 ? axis + ndim : axis];
    }
    if (parts.empty()) return nb::none();
    if (axis < 0) axis += parts.front().ndim();
    Dims shape = parts.front().view.shape;
    if (!length.fits()) raise(PyExc_ValueError, "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size.");
    shape[axis] = *length.value();
    const DType dtype = to.is_none() ? parts.front().dtype : expect_dtype(to.ptr(), "concatenate");
    Array made = new_array(shape, dtype, parts.front().pool());
    if (!c_order) {
        std::vector<const View*> views;
        for (const Array& part : parts) views.push_back(&part.view);
        made.view.strides = joined_strides(shape, views, item_bytes(dtype));
    }
    std::vector<Array> places;
    places.reserve(parts.size());
    std::int64_t offset = made.view.offset;
    for (const Array& part : parts) {
        Array& place = places.emplace_back(made);
        place.view.shape = part.view.shape;
        place.view.offset = offset;
        offset += part.view.shape[axis] * place.view.strides[axis];
    }
    // Of one row each: without that axis, as what makes the rows was recorded, and may write them there itself.
    if (parts.size() > 1 && parts.front().ndim() > 1 && std::ranges::all_of(parts, [axis](const Array& part) { return part.view.shape[axis] == 1; }))
        for (std::vector<Array>* const arrays : {&places, &parts})
            for (Array& one : *arrays) one.view = without_axis(one.view, axis);
    // The largest first: where that one is recorded, so are the others, and whoever reads all of them may read where they come from (runtime/turned.cpp).
    const auto largest = static_cast<std::size_t>(std::ranges::max_element(parts, {}, &Array::size) - parts.begin());
    asnumpy::assign(places[largest], parts[largest]);
    for (std::size_t k = 0; k < parts.size(); ++k)
        if (k != largest) asnumpy::assign(places[k], parts[k]);
    return nb::steal(wrap(std::move(made)));
}

// name, axis, option, two numbers, arrays: a row that only some devices have; None where the first array's has not.
PyObject* offered_by_device(PyObject*, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        constexpr Py_ssize_t first = 5;
        if (count <= first) throw TypeError("offered: expected a name, an axis, an option, two numbers and arrays");
        if (expect_array(given[first], "offered")->array.host_visible()) Py_RETURN_NONE;
        for (const Py_ssize_t k : {3, 4})
            if (!PyFloat_Check(given[k]) && !PyLong_Check(given[k])) Py_RETURN_NONE;  // a number that only a composition takes
        Few<Array, 3> arrays;
        for (Py_ssize_t k = first; k < count; ++k) arrays.emplace_back(expect_array(given[k], "offered")->array);
        const std::array<double, 2> numbers{PyFloat_AsDouble(given[3]), PyFloat_AsDouble(given[4])};
        const std::int64_t axis = PyLong_AsLongLong(given[1]), option = PyLong_AsLongLong(given[2]);
        if (PyErr_Occurred()) throw_python_error();
        std::optional<Array> made = offered(find_row(name_of(given[0])), std::span(arrays.begin(), arrays.size()), axis, option, numbers);
        if (!made) Py_RETURN_NONE;
        return wrap_result(std::move(*made));
    });
}

template <bool maximum> PyObject* argument_of_extreme(PyObject*, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        constexpr const char* function = maximum ? "argmax" : "argmin";
        expect_count(function, count, 1, 2);
        PyArray* a = expect_array(given[0], function);
        return wrap_result(argmax(a->array, count > 1 ? static_cast<int>(to_int64(given[1])) : -1, maximum));
    });
}

PyMethodDef operation_functions[] = {
    {"assign", fast(assign_to), METH_FASTCALL, "assign(dst, src, /)\n--\n\nWrites an array, or a number, broadcast and cast."},
    {"cast", fast(cast_to<asnumpy::cast>), METH_FASTCALL, "cast(array, dtype, /)\n--\n\nA new array in C order."},
    {"cast_alike", fast(cast_to<cast_alike>), METH_FASTCALL, "cast_alike(array, dtype, /)\n--\n\nA new array in the order in which the array lies."},
    {"reduce", fast(reduce_row), METH_FASTCALL,
     "reduce(name, dtype, array, axes=None, keepdims=False, /)\n--\n\nReduces over axes, None: all, by the loop of that dtype."},
    {"scan", fast(scan_row), METH_FASTCALL, "scan(name, array, axis, /)\n--\n\nRunning results along an axis."},
    {"argmax", fast(argument_of_extreme<true>), METH_FASTCALL, "argmax(array, axis=-1, /)\n--\n\nThe place of the largest; axis -1: among all elements."},
    {"argmin", fast(argument_of_extreme<false>), METH_FASTCALL, "argmin(array, axis=-1, /)\n--\n\nThe place of the smallest; axis -1: among all elements."},
    {"offered", fast(offered_by_device), METH_FASTCALL,
     "offered(name, axis, option, n, m, x, /, *arrays)\n--\n\nA function of x that its device has as one operation; None where it has not."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void bind_operations(nb::module_& m) {
    using nb::arg;
    if (PyModule_AddFunctions(m.ptr(), operation_functions) < 0) throw_python_error();
    m.def("rows", list_rows);
    m.def("apply", apply_row, arg("name"), arg("loop_signature"), arg("inputs"), arg("outs") = nb::none());
    m.def("join", join, arg("arrays"), arg("axis"), arg("dtype") = nb::none());
    m.def("deviations", [](nb::handle array) {
        std::optional<Array> made = deviations(expect_array(array.ptr(), "deviations")->array);
        return made ? result(std::move(*made)) : nb::none();
    }, arg("array"));
    m.def("matmul", [](nb::handle a, nb::handle b) {
        return result(matmul(expect_array(a.ptr(), "matmul")->array, expect_array(b.ptr(), "matmul")->array));
    }, arg("a"), arg("b"));
    m.def("take", [](nb::handle array, nb::handle index, int axis) {
        const Array& a = expect_array(array.ptr(), "take")->array;
        return nb::steal(wrap(take(a, expect_index(index, "take"), normalise_axis(axis, a.ndim()))));
    }, arg("array"), arg("index"), arg("axis"));
    m.def("scatter", [](nb::handle dst, nb::handle index, nb::handle src, int axis) {
        PyArray* target = expect_array(dst.ptr(), "scatter");
        require_writeable(target, "assignment destination is read-only");
        scatter(target->array, expect_index(index, "scatter"), expect_array(src.ptr(), "scatter")->array,
                normalise_axis(axis, target->array.ndim()));
    }, arg("dst"), arg("index"), arg("src"), arg("axis"));
    m.def("compress", [](nb::handle flat, nb::handle mask) {
        return nb::steal(wrap(compress(expect_array(flat.ptr(), "compress")->array, expect_mask(mask, "compress"))));
    }, arg("flat"), arg("mask"));
    m.def("flatnonzero", [](nb::handle mask) { return nb::steal(wrap(flatnonzero(expect_mask(mask, "flatnonzero")))); }, arg("mask"));
    m.def("draw", [](nb::str name, std::uint64_t key, std::uint64_t low, std::uint64_t high, nb::handle out, nb::sequence parameters, std::int64_t option) {
        PyArray* target = expect_array(out.ptr(), "draw");
        require_writeable(target, "draw: output array is read-only");
        std::vector<Array> arrays;
        for (const nb::handle parameter : parameters) arrays.push_back(expect_array(parameter.ptr(), "draw")->array);
        draw(find_row(name_of(name)), {key, low, high}, arrays, target->array, option);
    }, arg("name"), arg("key"), arg("low"), arg("high"), arg("out"), arg("parameters") = nb::tuple(), arg("option") = 0);
    m.def("draw_one", [](nb::str name, std::uint64_t key, std::uint64_t low, std::uint64_t high, nb::args parameters) {
        const RowId id = find_row(name_of(name));
        std::array<Scalar, 3> values;
        std::size_t n = 0;
        for (const RandomRow& random : random_rows)
            if (random.name == row(id).name)
                for (const nb::handle parameter : parameters)
                    if (n < random.parameters.size()) {
                        values[n] = assigned_scalar(parameter.ptr(), random.parameters[n]);
                        ++n;
                    }
        const Scalar drawn = draw_one(id, {key, low, high}, std::span(values.data(), n));
        return nb::steal(element_to_python(drawn.dtype, reinterpret_cast<const char*>(drawn.bytes.data())));
    }, arg("name"), arg("key"), arg("low"), arg("high"), arg("parameters"));
    m.def("offered_at_once", [](const char* name, std::int64_t axis, std::int64_t option, nb::sequence inputs, nb::sequence outputs) -> nb::object {
        std::vector<Array> in;
        for (nb::handle each : inputs) in.push_back(expect_array(each.ptr(), name)->array);
        std::vector<Outline> outlines;
        for (nb::handle each : outputs) outlines.push_back({to_dims(nb::object(each[0]).ptr()), expect_dtype(nb::object(each[1]).ptr(), name)});
        const std::optional<std::vector<Array>> made = offered_at_once(find_row(name), in, outlines, axis, option);
        if (!made) return nb::none();
        nb::list all;
        for (const Array& each : *made) all.append(result(Array(each)));
        return nb::tuple(all);
    }, "Arrays of these shapes and dtypes, made of the inputs by their device, which runs it before this returns; None where it has no such operation.");
    m.def("expect_counts", [](std::int64_t low, std::int64_t high, nb::object length) {
        cpu::expect_counts(low, high, length.is_none() ? std::nullopt : std::optional(nb::cast<std::int64_t>(length)));
    }, arg("low"), arg("high"), arg("length") = nb::none());
    m.def("bincount", [](nb::handle index, std::int64_t length) {
        return nb::steal(wrap(bincount(expect_index(index, "bincount"), length)));
    }, arg("index"), arg("length"));
}

}  // namespace asnumpy::python
