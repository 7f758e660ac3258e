// Reading and writing what a key selects; keys that the core does not know go to the Python package.
#include <cstring>
#include <optional>

#include "python/convert.hpp"
#include "python/devices.hpp"
#include "python/hooks.hpp"
#include "python/keys.hpp"
#include "python/number.hpp"
#include "python/transfer.hpp"
#include "python/ufunc_object.hpp"
#include "runtime/mirror.hpp"
#include "runtime/overlap.hpp"
#include "runtime/pick.hpp"

namespace asnumpy::python {

namespace {

bool has_value_here(const Buffer& b) { return b.host_visible() && !b.pending_writes && b.materialised() && !current_trace(); }

// Whether a program that uses single elements of a device's array finds them on the host.
bool is_on_host(const Array& a) {
    return !a.host_visible() && !current_trace() && keep_on_host(a, [&a] { return announce_mirror(a); });
}

// One element on its own. NumPy gives a scalar here, so that a later write to the array does not show in it.
PyObject* element_of(PyArray* source, View&& view) {
    const Array& a = source->array;
    if (has_value_here(*a.buffer)) return number_at(a.dtype, a.buffer->data() + view.offset, a.pool());
    Scalar here;
    if (is_on_host(a) && read_element(a, view.offset, here.bytes.data())) return number_at(a.dtype, reinterpret_cast<const char*>(here.bytes.data()), a.pool());
    return wrap_result(cast(Array{a.buffer, std::move(view), a.dtype}, a.dtype));
}

PyObject* view_or_element(PyArray* source, const BasicKey& key) {
    const View& from = source->array.view;
    const bool element = key.names_element(from.ndim());
    if (element || is_number_object(reinterpret_cast<PyObject*>(source))) {
        View view;
        key.select(from, view);
        return element ? element_of(source, std::move(view)) : wrap_view(source, std::move(view));
    }
    NewView made(source, source->array.dtype);
    key.select(from, made.view());
    return made.finish();
}

// The position that an integer names, without its exceptions: nothing for whatever is none, or out of range.
std::optional<std::int64_t> position_on(PyObject* part, std::int64_t length) {
    std::int64_t index = 0;
    if (PyLong_CheckExact(part)) {
        int overflow = 0;
        index = PyLong_AsLongLongAndOverflow(part, &overflow);
        if (overflow) return std::nullopt;
    } else if (is_number_object(part) && as_number(part)->value.dtype == DType::int64 && is_known(as_number(part))) {
        index = as_number(part)->value.get<std::int64_t>();
    } else {
        return std::nullopt;
    }
    if (index < 0) index += length;
    return index < 0 || index >= length ? std::nullopt : std::optional(index);
}

// Where in the buffer the element lies that the commonest keys name: an integer for each axis.
std::optional<std::int64_t> element_offset(const View& from, PyObject* key) {
    const int ndim = from.ndim();
    std::int64_t offset = from.offset;
    if (!PyTuple_CheckExact(key)) {
        if (ndim != 1) return std::nullopt;
        const auto position = position_on(key, from.shape[0]);
        return position ? std::optional(offset + *position * from.strides[0]) : std::nullopt;
    }
    if (PyTuple_GET_SIZE(key) != ndim || ndim == 0) return std::nullopt;
    for (int i = 0; i < ndim; ++i) {
        const auto position = position_on(PyTuple_GET_ITEM(key, i), from.shape[i]);
        if (!position) return std::nullopt;
        offset += *position * from.strides[i];
    }
    return offset;
}

// Stores a number where nothing recorded is in the way; false where it takes more than that.
bool store_element(PyArray* target, std::int64_t offset, PyObject* value) {
    const Array& a = target->array;
    const Buffer& buffer = *a.buffer;
    const bool in_place = has_value_here(buffer) && !buffer.pending_reads;
    if (!in_place && !is_on_host(a)) return false;
    const void* bytes;
    double number;
    if (is_number_object(value)) {
        PyNumber* n = as_number(value);
        if (n->value.dtype != a.dtype || !is_known(n)) return false;
        bytes = n->value.bytes.data();
    } else {
        if (a.dtype != DType::float64 || !PyFloat_CheckExact(value)) return false;
        number = PyFloat_AS_DOUBLE(value);
        bytes = &number;
    }
    if (!in_place) return write_element(a, offset, bytes);
    copy_item(buffer.data() + offset, bytes, itemsize(a.dtype));
    return true;
}

// A value of the array's dtype, where its elements are kept: on the host, if they are there.
void store_scalar(const Array& element, const Scalar& value) {
    const bool here = element.buffer->mirror && !current_trace();
    if (!here || !write_element(element, element.view.offset, cast_scalar(value, element.dtype).bytes.data())) assign_element(element, value);
}

// NumPy refuses to store an array where one element is due; a bool is the truth of an array of one element.
void require_scalar(const Array& value, DType to) {
    if (value.ndim() == 0 || (kind(to) == 'b' && value.size() == 1)) return;
    if (is_complex(to)) raise(PyExc_TypeError, "only 0-dimensional arrays can be converted to Python scalars");
    raise(PyExc_ValueError, "setting an array element with a sequence.");
}

// A signed integer takes a NumPy scalar of another type by its `__int__`, so that NaN and what is too large are errors.
Scalar element_scalar(PyObject* value, DType to) {
    Scalar strong;
    const bool number = is_number_object(value);
    if (number) strong.dtype = as_number(value)->value.dtype;
    if (kind(to) != 'i' || !(number || numpy_scalar(value, strong)) || strong.dtype == to) return assigned_scalar(value, to);
    return assigned_scalar(owned(PyNumber_Long(value)).ptr(), to);
}

// `destination` is a part of `target`.
int assign_value(PyArray* target, const Array& destination, bool element, PyObject* value) {
    // Waiting for one value costs less than the way of the whole array to the device and back.
    if (element && destination.buffer->mirror && !current_trace() && is_number_object(value)) static_cast<void>(value_of(as_number(value)));
    if (is_number_object(value) && is_known(as_number(value))) {
        if (element) store_scalar(destination, element_scalar(value, destination.dtype));
        else assign(destination, assigned_scalar(value, destination.dtype));
    } else if (is_array(value)) {
        if (element) require_scalar(unwrap(value)->array, destination.dtype);
        assign_array(destination, unwrap(value)->array);
    } else if (is_number(value)) {
        if (element) store_scalar(destination, element_scalar(value, destination.dtype));
        else assign(destination, assigned_scalar(value, destination.dtype));
    } else if (PyUnicode_Check(value) || value == Py_None || (element && PySequence_Check(value) && !PyArray_Check(value))) {
        assign(destination, assigned_scalar(value, destination.dtype));
    } else {
        const OnDeviceOf device(target);
        const nb::object converted = nb::steal(call_hook(&Hooks::asarray, "asarray", value));
        assign_array(destination, expect_array(converted.ptr(), "ndarray.__setitem__")->array);
    }
    return 0;
}

// Whether values of this shape are broadcast to the picked part of an array.
bool fits(const Dims& source, const Dims& target, const Picked& picked) {
    if (picked.index.ndim() != 1 || source.size() > target.size()) return false;
    for (int from = source.size(), to = target.size(); from-- > 0;) {
        --to;
        const std::int64_t due = to == picked.axis ? picked.index.size() : target[to];
        if (source[from] != due && source[from] != 1) return false;
    }
    return true;
}

// Values of the array's own dtype, and numbers that it holds; false for others, which need a conversion.
bool assign_picked(const Array& target, const Picked& picked, PyObject* value) {
    const Array& key = picked.index;
    if (target.size() == 0 || overlaps_itself(target)) return false;
    const bool mask = key.dtype == DType::boolean;
    if (is_exact(value)) {
        const Array& source = unwrap(value)->array;
        if (source.dtype != target.dtype || (source.ndim() > 0 && &source.pool() != &target.pool())) return false;
        if (mask) {
            if (source.ndim() != 1 || &key.pool() != &target.pool()) return false;
            if (place(target, key, source)) return true;
            const Array positions = flatnonzero(key);
            if (source.size() != positions.size() && source.size() != 1) return false;
            scatter(target, positions, source, 0);
            return true;
        }
        if (!fits(source.shape(), target.shape(), picked)) return false;
        scatter(target, key, source, picked.axis);
        return true;
    }
    Scalar scalar;
    if (!weak_scalar(value, target.dtype, scalar)) return false;
    if (mask) {
        static const RowId where = find_row("where");
        const DType d = target.dtype;
        const Signature signature{3, 1, {DType::boolean, d, d}, {d}};
        const int loop = find_loop(where, signature);
        if (loop < 0) return false;
        const Input operands[]{key, scalar, target};
        apply_to(target, where, loop, operands);
        return true;
    }
    const Array source = new_array(Dims{}, target.dtype, target.pool());
    source.buffer->materialise();
    assign_element(source, scalar);
    scatter(target, key, source, picked.axis);
    return true;
}

// A list of integers, the commonest index that is no array, as one; nothing for all else, which goes the long way.
nb::object listed_index(const Array& a, PyObject* key) {
    if (!PyList_CheckExact(key) || !a.host_visible() || current_trace()) return {};
    const Items items(key);
    if (items.empty()) return {};
    Array index = new_array(Dims{static_cast<std::int64_t>(items.size())}, DType::int64, a.pool());
    index.buffer->materialise();
    char* to = index.data();
    for (PyObject* const item : items) {
        int overflow = 0;
        const bool exact = PyLong_CheckExact(item);
        const std::int64_t position = exact ? PyLong_AsLongLongAndOverflow(item, &overflow) : 0;
        if (!exact || overflow) return {};
        std::memcpy(to, &position, sizeof position);
        to += sizeof position;
    }
    return nb::steal(wrap(std::move(index)));
}

}  // namespace

PyObject* slots::subscript(PyObject* self, PyObject* key) {
    return guarded([&]() -> PyObject* {
        PyArray* a = unwrap(self);
        if (const auto offset = element_offset(a->array.view, key)) return element_of(a, View{*offset, {}, {}});
        if (const auto basic = BasicKey::of(key)) return view_or_element(a, *basic);
        if (const Array* const index = index_vector(key); index && a->array.ndim() == 1) return of_class(self, wrap(take(a->array, *index, 0)));
        const nb::object listed = listed_index(a->array, key);
        if (std::optional<Picked> picked = picked_by(a->array, listed.is_valid() ? listed.ptr() : key)) {
            const Array from{a->array.buffer, std::move(picked->view), a->array.dtype};
            return of_class(self, wrap(picked->index.dtype == DType::boolean ? compress(from, picked->index) : take(from, picked->index, picked->axis)));
        }
        if (const std::optional<Array> flat = flat_index(key); flat && a->array.ndim() > 0 && &flat->pool() == &a->array.pool()) {
            const Array& index = unwrap(key)->array;
            if (index.ndim() + a->array.ndim() - 1 <= max_ndim) {
                Array made = take(a->array, *flat, 0);
                Dims shape = index.shape();
                for (int axis = 1; axis < a->array.ndim(); ++axis) shape.push_back(a->array.shape()[axis]);
                made.view = contiguous(shape, item_bytes(made));
                if (made.size() == 0) made.view.strides = Dims(shape.size());
                return of_class(self, wrap(std::move(made)));
            }
        }
        return of_class(self, call_hook(&Hooks::getitem, "getitem", plain_of(self).ptr(), key));
    });
}

int slots::assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
    return guarded([&]() -> int {
        if (!value) raise(PyExc_ValueError, "cannot delete array elements");
        PyArray* a = unwrap(self);
        require_writeable(a, "assignment destination is read-only");
        if (const auto offset = element_offset(a->array.view, key)) {
            if (store_element(a, *offset, value)) return 0;
            return assign_value(a, {a->array.buffer, View{*offset, {}, {}}, a->array.dtype}, true, value);
        }
        if (const auto basic = BasicKey::of(key)) {
            Array destination{a->array.buffer, {}, a->array.dtype};
            basic->select(a->array.view, destination.view);
            try {
                return assign_value(a, destination, basic->names_element(a->array.ndim()), value);
            } catch (const Interrupted&) {  // text and objects: NumPy knows which of them are numbers
                if (!PyErr_ExceptionMatches(unsupported_dtype)) throw;
                PyErr_Clear();
            }
        } else {
            const nb::object listed = listed_index(a->array, key);
            if (std::optional<Picked> picked = picked_by(a->array, listed.is_valid() ? listed.ptr() : key)) {
                const Array target{a->array.buffer, std::move(picked->view), a->array.dtype};
                if (assign_picked(target, *picked, value)) return 0;
            }
        }
        Py_DECREF(call_hook(&Hooks::setitem, "setitem", self, key, value));
        return 0;
    });
}

PyObject* slots::item_at(PyObject* self, Py_ssize_t index) {
    const Dims& shape = unwrap(self)->array.shape();
    if (!shape.empty() && (index < 0 || index >= shape[0]))  // not thrown: every iteration ends here
        return PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis 0 with size %lld", index, static_cast<long long>(shape[0]));
    return guarded([&]() -> PyObject* {
        PyArray* a = unwrap(self);
        const View& from = a->array.view;
        if (from.ndim() == 0) raise_too_many(0, 1);
        View view;
        view.offset = from.offset + index * from.strides[0];
        for (int i = 1; i < from.ndim(); ++i) {
            view.shape.push_back(from.shape[i]);
            view.strides.push_back(from.strides[i]);
        }
        return from.ndim() == 1 ? element_of(a, std::move(view)) : wrap_view(a, std::move(view));
    });
}

PyObject* slots::iterate(PyObject* self) {
    if (unwrap(self)->array.ndim() == 0) {
        PyErr_SetString(PyExc_TypeError, "iteration over a 0-d array");
        return nullptr;
    }
    return PySeqIter_New(self);
}

Py_ssize_t slots::length(PyObject* self) {
    const Array& a = unwrap(self)->array;
    if (a.ndim() == 0) {
        PyErr_SetString(PyExc_TypeError, "len() of unsized object");
        return -1;
    }
    return a.shape()[0];
}

}  // namespace asnumpy::python
