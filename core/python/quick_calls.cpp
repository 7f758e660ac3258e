// Reductions, places of extremes, copies and new arrays whose arguments are arrays of ours, an axis, a shape or a dtype.
#include "python/quick_calls.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/bits.hpp"
#include "python/bindings.hpp"
#include "python/convert.hpp"
#include "python/creation.hpp"
#include "python/devices.hpp"
#include "python/error_state.hpp"
#include "python/number.hpp"
#include "python/numpy_bridge.hpp"

namespace asnumpy::python {

namespace {

struct PlainCall {
    PyObject* const* arguments;
    Py_ssize_t count;
    PyObject* names;

    PyObject* operator[](Py_ssize_t i) const { return arguments[i]; }
    bool is(Py_ssize_t n) const { return count == n && !names; }
    Py_ssize_t keywords() const { return names ? PyTuple_GET_SIZE(names) : 0; }
    bool has_name(Py_ssize_t i, const char* name) const { return PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), name) == 0; }
    PyObject* value(Py_ssize_t i) const { return arguments[count + i]; }
    // The first argument, if it is an array and neither a number nor of a class of a program's own.
    const Array* array() const { return count > 0 && is_plain_array(arguments[0]) ? &unwrap(arguments[0])->array : nullptr; }
};

struct Over {
    int axis = -1;  // -1: all
    bool keepdims = false;
};

// The array and perhaps an axis, by position or keyword, and keepdims where it may be given.
std::optional<Over> read_axis(const PlainCall& call, int ndim, bool may_keep) {
    Over over;
    const auto read = [&](PyObject* axis) {
        if (axis == Py_None) return true;
        if (!PyLong_CheckExact(axis)) return false;
        int overflow = 0;
        const long value = PyLong_AsLongAndOverflow(axis, &overflow);
        if (overflow || value < -ndim || value >= ndim) return false;
        over.axis = static_cast<int>(value < 0 ? value + ndim : value);
        return true;
    };
    if (call.count > 2 || (call.count == 2 && !read(call[1]))) return std::nullopt;
    for (Py_ssize_t i = 0; i < call.keywords(); ++i) {
        if (call.has_name(i, "axis") && call.count == 1) {
            if (!read(call.value(i))) return std::nullopt;
        } else if (call.has_name(i, "keepdims") && may_keep && PyBool_Check(call.value(i))) {
            over.keepdims = call.value(i) == Py_True;
        } else {
            return std::nullopt;
        }
    }
    return over;
}

// A row that reduces, and by dtype of the array the loop in which it does; -1: by another way.
struct Fold {
    RowId row;
    std::array<std::int16_t, dtype_count> loops;

    template <class Accumulates> Fold(std::string_view name, Accumulates in) : row(find_row(name)) {
        loops.fill(-1);
        const std::span<const Signature> all = asnumpy::row(row).loops;
        for (int d = 0; d < dtype_count; ++d) {
            if (!is_common(static_cast<DType>(d))) continue;
            const DType wide = in(static_cast<DType>(d));
            for (std::size_t i = 0; i < all.size(); ++i)
                if (all[i].nin == 2 && all[i].in[0] == wide && all[i].in[1] == wide) loops[static_cast<std::size_t>(d)] = static_cast<std::int16_t>(i);
        }
    }
};

DType sums_in(DType d) {
    if (d == DType::boolean || kind(d) == 'i') return DType::int64;
    return kind(d) == 'u' ? DType::uint64 : d;
}
DType itself(DType d) { return d; }
DType in_truth(DType) { return DType::boolean; }

bool is_in_c_order(const Array& a) { return a.ndim() < 2 || is_c_contiguous(a.view, item_bytes(a)); }

PyArrayObject* ndarray_of(const nb::object& o) { return reinterpret_cast<PyArrayObject*>(o.ptr()); }

std::int64_t count_true(const Array& plain) { return plain.size() - std::count(plain.data(), plain.data() + plain.size(), char{0}); }

enum class Folds { sum, product, largest, smallest, all, any };
// Made at import: see Interned.
std::optional<std::array<Fold, 6>> known_folds;

template <Folds which> PyObject* fold(const PlainCall& call) {
    const Array* const a = call.array();
    if (!a || a->ndim() == 0 || errors_are_watched()) return nullptr;
    const Fold& by = (*known_folds)[static_cast<std::size_t>(which)];
    const int loop = by.loops[static_cast<std::size_t>(a->dtype)];
    const std::optional<Over> over = read_axis(call, a->ndim(), true);
    if (loop < 0 || !over || a->size() == 0) return nullptr;
    if (which == Folds::sum && a->dtype == DType::boolean && over->axis < 0 && !over->keepdims && is_for_numpy(*a) && is_plain(*a))
        return number_of(Scalar::of(count_true(*a)), a->pool());
    const std::uint64_t axes = over->axis < 0 ? ~std::uint64_t{0} >> (64 - a->ndim()) : bit(static_cast<std::size_t>(over->axis));
    return wrap_result(reduce(by.row, loop, *a, axes, over->keepdims));
}

// What a function of NumPy's makes of the elements.
template <class F> PyObject* numpys(const Array& a, F&& function) {
    const nb::object elements = temporary(a, false);
    return adopt_numpy(owned(function(ndarray_of(elements))).ptr(), "asarray", a.pool());
}

template <bool maximum> PyObject* place_of_extreme(const PlainCall& call) {
    const Array* const a = call.array();
    if (!a || a->ndim() == 0 || a->size() == 0 || !is_common(a->dtype)) return nullptr;
    const std::optional<Over> over = read_axis(call, a->ndim(), false);
    if (!over) return nullptr;
    if ((over->axis >= 0 && a->ndim() > 1) || !is_for_numpy(*a) || !is_plain(*a)) return wrap_result(argmax(*a, over->axis, maximum));
    const PyArray_ArrFuncs* const functions = PyDataType_GetArrFuncs(descriptor(a->dtype));
    npy_intp place = 0;
    if ((maximum ? functions->argmax : functions->argmin)(a->data(), a->size(), &place, nullptr) < 0) throw_python_error();
    return number_of(Scalar::of(static_cast<std::int64_t>(place)), a->pool());
}

// By the kind and along the axis that are NumPy's defaults.
PyObject* sorted(const PlainCall& call) {
    const Array* const a = call.is(1) ? call.array() : nullptr;
    if (!a || !is_for_numpy(*a) || !is_in_c_order(*a)) return nullptr;
    Array made = cast(*a, a->dtype);
    if (!is_at_hand(made)) return nullptr;
    const nb::object elements = temporary(made);
    if (PyArray_Sort(ndarray_of(elements), -1, NPY_QUICKSORT) < 0) throw_python_error();
    return wrap(std::move(made));
}

PyObject* order_of(const PlainCall& call) {
    const Array* const a = call.is(1) ? call.array() : nullptr;
    if (!a || !is_for_numpy(*a)) return nullptr;
    return numpys(*a, [](PyArrayObject* elements) { return PyArray_ArgSort(elements, -1, NPY_QUICKSORT); });
}

// The vector, and values of its dtype or a number; perhaps the side, by keyword.
PyObject* places_among(const PlainCall& call) {
    const Array* const a = call.count == 2 ? call.array() : nullptr;
    if (!a || a->ndim() != 1 || a->size() == 0 || !is_common(a->dtype) || !is_at_hand(*a)) return nullptr;
    NPY_SEARCHSIDE side = NPY_SEARCHLEFT;
    for (Py_ssize_t i = 0; i < call.keywords(); ++i) {
        if (!call.has_name(i, "side") || !PyUnicode_CheckExact(call.value(i))) return nullptr;
        if (PyUnicode_CompareWithASCIIString(call.value(i), "right") == 0) side = NPY_SEARCHRIGHT;
        else if (PyUnicode_CompareWithASCIIString(call.value(i), "left") != 0) return nullptr;
    }
    nb::object sought;
    if (PyFloat_CheckExact(call[1]) || PyLong_CheckExact(call[1])) {
        sought = nb::borrow(call[1]);
    } else {
        if (!is_plain_array(call[1])) return nullptr;
        const Array& values = unwrap(call[1])->array;
        if (!is_for_numpy(*a) || !is_for_numpy(values) || values.dtype != a->dtype || &values.pool() != &a->pool()) return nullptr;
        sought = temporary(values, false);
    }
    return numpys(*a, [&](PyArrayObject* elements) {
        return PyArray_Return(reinterpret_cast<PyArrayObject*>(PyArray_SearchSorted(elements, sought.ptr(), side, nullptr)));
    });
}

// In C order, whatever the array's, or in the array's.
template <bool reorders> PyObject* copied(const PlainCall& call) {
    const Array* const a = call.is(1) ? call.array() : nullptr;
    return a && (reorders || is_in_c_order(*a)) ? wrap(cast(*a, a->dtype)) : nullptr;
}

PyObject* converted(const PlainCall& call) {
    const Array* const a = call.is(2) ? call.array() : nullptr;
    if (!a || !is_common(a->dtype) || errors_are_watched() || !is_in_c_order(*a)) return nullptr;
    const int code = named_dtype(call[1]);
    if (code < 0 || !is_common(static_cast<DType>(code))) return nullptr;
    const auto dtype = static_cast<DType>(code);
    return is_complex(a->dtype) && !is_complex(dtype) ? nullptr : wrap(cast(*a, dtype));  // a warning
}

// The numbers of a list, where Python's floats and integers are all that it holds.
std::optional<DType> dtype_of_numbers(const Items& items) {
    bool floats = false;
    for (PyObject* const item : items) {
        if (PyFloat_CheckExact(item)) {
            floats = true;
            continue;
        }
        int overflow = 0;
        if (!PyLong_CheckExact(item)) return std::nullopt;
        static_cast<void>(PyLong_AsLongLongAndOverflow(item, &overflow));
        if (overflow) return std::nullopt;
    }
    if (!floats) return DType::int64;
    const int code = dtype_to_make(reinterpret_cast<PyObject*>(&PyFloat_Type));
    return code == static_cast<int>(DType::float64) ? std::optional(DType::float64) : std::nullopt;
}

PyObject* array_of_numbers(PyObject* sequence) {
    const Items items(sequence);
    Pool& pool = default_pool();
    if (items.empty() || !pool.host_visible() || current_trace()) return nullptr;
    const std::optional<DType> dtype = dtype_of_numbers(items);
    if (!dtype) return nullptr;
    Array made = new_array(Dims{static_cast<std::int64_t>(items.size())}, *dtype, pool);
    made.buffer->materialise();
    char* to = made.data();
    for (PyObject* const item : items) {
        if (*dtype == DType::float64) {
            const double value = PyFloat_CheckExact(item) ? PyFloat_AS_DOUBLE(item) : PyLong_AsDouble(item);
            std::memcpy(to, &value, sizeof value);
        } else {
            const std::int64_t value = PyLong_AsLongLong(item);
            std::memcpy(to, &value, sizeof value);
        }
        to += itemsize(*dtype);
    }
    return wrap(std::move(made));
}

PyObject* array(const PlainCall& call) {
    if (!call.is(1)) return nullptr;
    if (PyList_CheckExact(call[0]) || PyTuple_CheckExact(call[0])) return array_of_numbers(call[0]);
    return copied<false>(call);
}

PyObject* array_itself(const PlainCall& call) {
    if (!call.is(1)) return nullptr;
    if (PyList_CheckExact(call[0]) || PyTuple_CheckExact(call[0])) return array_of_numbers(call[0]);
    const Array* const a = call.array();
    return a && &a->pool() == &default_pool() ? Py_NewRef(call[0]) : nullptr;
}

constexpr int nothing = -1;  // in place of the number that fills a new array

template <int number> std::optional<Scalar> filling(DType dtype) {
    return number == nothing ? std::nullopt : std::optional(cast_scalar(Scalar::of(std::int64_t{number}), dtype));
}

// A shape, and perhaps a dtype by position or keyword.
template <int number> PyObject* made(const PlainCall& call) {
    PyObject* dtype = call.count == 2 ? call[1] : Py_None;
    if (call.count < 1 || call.count > 2) return nullptr;
    for (Py_ssize_t i = 0; i < call.keywords(); ++i) {
        if (call.count == 2 || !call.has_name(i, "dtype")) return nullptr;
        dtype = call.value(i);
    }
    const std::optional<Request> request = plain_request(call[0], dtype);
    return request ? wrap(filled(request->shape, request->dtype, expect_pool(Py_None), filling<number>(request->dtype))) : nullptr;
}

template <int number> PyObject* made_like(const PlainCall& call) {
    const Array* const a = call.is(1) ? call.array() : nullptr;
    if (!a || !is_c_contiguous(a->view, item_bytes(*a))) return nullptr;
    return wrap(filled(a->view.shape, a->dtype, a->pool(), filling<number>(a->dtype)));
}

// A number of Python's as an element of the array.
bool reads_number(PyObject* o, const Array& a, Scalar& number) { return (PyFloat_CheckExact(o) || PyLong_CheckExact(o)) && is_common(a.dtype) && weak_scalar(o, a.dtype, number); }

PyObject* full_like(const PlainCall& call) {
    const Array* const a = call.is(2) ? call.array() : nullptr;
    Scalar number;
    if (!a || !is_c_contiguous(a->view, item_bytes(*a)) || !reads_number(call[1], *a, number)) return nullptr;
    return wrap(filled(a->view.shape, a->dtype, a->pool(), number));
}

PyObject* written(const PlainCall& call) {
    const Array* const a = call.is(2) ? call.array() : nullptr;
    Scalar number;
    if (!a || !unwrap(call[0])->writeable || !reads_number(call[1], *a, number)) return nullptr;
    assign(*a, number);
    Py_RETURN_NONE;
}

// Of a vector, whose only axis is the one that the call leaves out.
PyObject* taken(const PlainCall& call) {
    const Array* const a = call.is(2) ? call.array() : nullptr;
    if (!a || a->ndim() != 1 || !is_plain_array(call[1])) return nullptr;
    const Array& index = unwrap(call[1])->array;
    return index.ndim() == 1 && index.dtype == DType::int64 ? slots::subscript(call[0], call[1]) : nullptr;
}

// The row that selects, by dtype of what it selects from.
struct Selection {
    RowId row = find_row("where");
    std::array<std::int16_t, dtype_count> loops;

    Selection() {
        loops.fill(-1);
        const std::span<const Signature> all = asnumpy::row(row).loops;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (is_common(all[i].out[0])) loops[static_cast<std::size_t>(all[i].out[0])] = static_cast<std::int16_t>(i);
    }
};
std::optional<Selection> selection;

// The dtype of a choice between arrays of one dtype, and numbers of Python's that take it.
std::optional<DType> dtype_of_choice(PyObject* x, PyObject* y) {
    const bool first = is_plain_array(x), second = is_plain_array(y);
    if (first && second) return unwrap(x)->array.dtype == unwrap(y)->array.dtype ? std::optional(unwrap(x)->array.dtype) : std::nullopt;
    const auto takes = [](DType dtype, PyObject* number) { return (PyFloat_CheckExact(number) && !is_integer(dtype)) || PyLong_CheckExact(number); };
    if (first || second) {
        const DType dtype = unwrap(first ? x : y)->array.dtype;
        return dtype != DType::boolean && takes(dtype, first ? y : x) ? std::optional(dtype) : std::nullopt;
    }
    if (PyLong_CheckExact(x) && PyLong_CheckExact(y)) return DType::int64;
    return takes(DType::float64, x) && takes(DType::float64, y) ? std::optional(DType::float64) : std::nullopt;
}

PyObject* selected(const PlainCall& call) {
    const Array* const mask = call.is(3) ? call.array() : nullptr;
    if (!mask || mask->dtype != DType::boolean) return nullptr;
    const std::optional<DType> dtype = dtype_of_choice(call[1], call[2]);
    if (!dtype || selection->loops[static_cast<std::size_t>(*dtype)] < 0) return nullptr;
    Few<Input, 3> in;
    in.emplace_back(*mask);
    for (Py_ssize_t i = 1; i < 3; ++i) {
        Scalar number;
        if (is_plain_array(call[i])) in.emplace_back(unwrap(call[i])->array);
        else if (weak_scalar(call[i], *dtype, number)) in.emplace_back(number);
        else return nullptr;
    }
    return wrap(std::move(apply(selection->row, selection->loops[static_cast<std::size_t>(*dtype)], in)[0]));
}

PyObject* nonzero_counted(const PlainCall& call) {
    const Array* const a = call.is(1) ? call.array() : nullptr;
    if (!a || a->dtype == DType::boolean) return a ? fold<Folds::sum>(call) : nullptr;
    if (!is_for_numpy(*a)) return nullptr;
    const nb::object elements = temporary(*a, false);
    const npy_intp found = PyArray_CountNonzero(ndarray_of(elements));
    if (found < 0) throw_python_error();
    return number_of(Scalar::of(static_cast<std::int64_t>(found)), a->pool());
}

template <PyObject* (*answer)(const PlainCall&)> PyObject* answered(QuickCall&, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
    return guarded([&] { return answer(PlainCall{arguments, count, names}); });
}

QuickCall quick_calls[] = {
    {"sum", answered<fold<Folds::sum>>}, {"ndarray.sum", answered<fold<Folds::sum>>},
    {"prod", answered<fold<Folds::product>>}, {"ndarray.prod", answered<fold<Folds::product>>},
    {"max", answered<fold<Folds::largest>>}, {"ndarray.max", answered<fold<Folds::largest>>},
    {"min", answered<fold<Folds::smallest>>}, {"ndarray.min", answered<fold<Folds::smallest>>},
    {"all", answered<fold<Folds::all>>}, {"ndarray.all", answered<fold<Folds::all>>},
    {"any", answered<fold<Folds::any>>}, {"ndarray.any", answered<fold<Folds::any>>},
    {"argmax", answered<place_of_extreme<true>>}, {"ndarray.argmax", answered<place_of_extreme<true>>},
    {"argmin", answered<place_of_extreme<false>>}, {"ndarray.argmin", answered<place_of_extreme<false>>},
    {"copy", answered<copied<false>>}, {"ndarray.copy", answered<copied<true>>}, {"ndarray.astype", answered<converted>},
    {"array", answered<array>}, {"asarray", answered<array_itself>},
    {"empty", answered<made<nothing>>}, {"zeros", answered<made<0>>}, {"ones", answered<made<1>>},
    {"empty_like", answered<made_like<nothing>>}, {"zeros_like", answered<made_like<0>>}, {"ones_like", answered<made_like<1>>},
    {"full_like", answered<full_like>}, {"ndarray.fill", answered<written>},
    {"sort", answered<sorted>}, {"argsort", answered<order_of>}, {"ndarray.argsort", answered<order_of>},
    {"where", answered<selected>}, {"searchsorted", answered<places_among>}, {"ndarray.searchsorted", answered<places_among>},
    {"take", answered<taken>}, {"ndarray.take", answered<taken>}, {"count_nonzero", answered<nonzero_counted>},
};

constexpr std::string_view of_methods = "ndarray.";

std::array<std::span<QuickCall>, 2> all_calls() { return {quick_calls, calls_of_numpy()}; }

}  // namespace

QuickCall* quick_call(std::string_view name, PyObject* numpys) {
    for (const std::span<QuickCall> calls : all_calls()) {
        const auto found = std::ranges::find(calls, name, &QuickCall::name);
        if (found == calls.end()) continue;
        Py_XSETREF(found->numpys, Py_XNewRef(numpys));
        return &*found;
    }
    return nullptr;
}

void bind_quick_calls(nb::module_& m) {
    known_folds.emplace(std::array{Fold("add", sums_in), Fold("multiply", sums_in), Fold("maximum", itself), Fold("minimum", itself), Fold("logical_and", in_truth),
                             Fold("logical_or", in_truth)});
    selection.emplace();
    m.def("answer_quickly", [](const char* name, bool on) {
        for (const std::span<QuickCall> calls : all_calls())
            for (QuickCall& each : calls)
                if (each.name == name || (each.name.starts_with(of_methods) && each.name.substr(of_methods.size()) == name)) each.on = on;
    }, nb::arg("name"), nb::arg("on"), "Whether the core may answer plain calls of the function of that name, and of the method, by itself.");
}

}  // namespace asnumpy::python
