// Indexing with integers, slices, None and Ellipsis, reading and writing; all else goes to the Python package.
#include <cstring>
#include <optional>
#include <vector>

#include "python/convert.hpp"
#include "python/devices.hpp"
#include "python/hooks.hpp"
#include "python/number.hpp"
#include "python/transfer.hpp"
#include "python/ufunc_object.hpp"
#include "runtime/mirror.hpp"
#include "runtime/overlap.hpp"
#include "runtime/pick.hpp"

namespace asnumpy::python {

namespace {

enum class Part { integer, slice, new_axis, ellipsis, advanced };

Part part_of(PyObject* o) {
    if (PyLong_CheckExact(o)) return Part::integer;
    if (PySlice_Check(o)) return Part::slice;
    if (is_number_object(o) && is_integer(as_number(o)->value.dtype)) return Part::integer;
    if (o == Py_None) return Part::new_axis;
    if (o == Py_Ellipsis) return Part::ellipsis;
    // Arrays and lists index element by element, booleans mask; what remains with __index__ is an integer.
    if (PyBool_Check(o) || is_array(o) || PyArray_Check(o) || PySequence_Check(o) || PyArray_IsScalar(o, Bool)) return Part::advanced;
    return PyIndex_Check(o) ? Part::integer : Part::advanced;
}

constexpr const char* invalid_index =
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices";

std::int64_t index_value(PyObject* o) {
    Py_ssize_t value = PyLong_CheckExact(o) ? PyLong_AsSsize_t(o) : PyNumber_AsSsize_t(o, PyExc_OverflowError);
    if (value == -1 && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_OverflowError)) throw_python_error();
        PyErr_Clear();
        // NumPy makes an array of it, of uint64 where that can hold it.
        const nb::object whole = owned(PyNumber_Index(o));
        PyLong_AsUnsignedLongLong(whole.ptr());
        if (!PyErr_Occurred()) raise(PyExc_OverflowError, "Python int too large to convert to C long");
        PyErr_Clear();
        raise(PyExc_IndexError, invalid_index);
    }
    return value;
}

// Builds the view axis by axis.
class Indexer {
public:
    explicit Indexer(const View& from) : from_(from) { view_.offset = from.offset; }

    void integer(PyObject* o) {
        const std::int64_t index = index_value(o), length = from_.shape[axis_];
        const std::int64_t position = index < 0 ? index + length : index;
        if (position < 0 || position >= length)
            raise(PyExc_IndexError, "index %lld is out of bounds for axis %d with size %lld", static_cast<long long>(index),
                  axis_, static_cast<long long>(length));
        view_.offset += position * from_.strides[axis_++];
    }

    void slice(PyObject* o) {
        Py_ssize_t start = 0, stop = 0, step = 0;
        if (PySlice_Unpack(o, &start, &stop, &step) < 0) throw_python_error();
        const std::int64_t stride = from_.strides[axis_];
        const Py_ssize_t length = PySlice_AdjustIndices(from_.shape[axis_++], &start, &stop, step);
        if (length > 0) view_.offset += start * stride;
        push(length, length > 1 ? stride * step : stride * (step < 0 ? -1 : 1));
    }

    void new_axis() { push(1, 0); }
    void keep(int axes) {
        for (int i = 0; i < axes; ++i, ++axis_) push(from_.shape[axis_], from_.strides[axis_]);
    }
    int axes() const { return view_.shape.size(); }
    View finish() {
        keep(from_.ndim() - axis_);
        return std::move(view_);
    }

private:
    void push(std::int64_t length, std::int64_t stride) {
        if (view_.shape.size() == max_ndim)
            raise(PyExc_IndexError, "number of dimensions must be within [0, %d], indexing result would have %d", max_ndim, max_ndim + 1);
        view_.shape.push_back(length);
        view_.strides.push_back(stride);
    }

    const View& from_;
    View view_;
    int axis_ = 0;
};

struct Indexed {
    View view;
    bool element = false;  // integers only: NumPy gives a scalar, not a view
};

[[noreturn]] void raise_too_many(int ndim, Py_ssize_t indexed) {
    raise(PyExc_IndexError, "too many indices for array: array is %d-dimensional, but %zd were indexed", ndim, indexed);
}

// Empty when the key is not a basic one.
std::optional<Indexed> index_basic(const View& from, PyObject* key) {
    PyObject* const* parts = &key;
    Py_ssize_t count = 1;
    if (PyTuple_Check(key)) {
        parts = &PyTuple_GET_ITEM(key, 0);
        count = PyTuple_GET_SIZE(key);
    }
    Py_ssize_t used = 0;
    bool element = true, ellipsis = false;
    for (Py_ssize_t i = 0; i < count; ++i) {
        switch (part_of(parts[i])) {
            case Part::integer: ++used; break;
            case Part::slice: ++used; element = false; break;
            case Part::new_axis: element = false; break;
            case Part::ellipsis:
                if (ellipsis) raise(PyExc_IndexError, "an index can only have a single ellipsis ('...')");
                ellipsis = true;
                element = false;
                break;
            case Part::advanced: return std::nullopt;
        }
    }
    if (used > from.ndim()) raise_too_many(from.ndim(), used);
    Indexer indexer(from);
    for (Py_ssize_t i = 0; i < count; ++i) {
        switch (part_of(parts[i])) {
            case Part::integer: indexer.integer(parts[i]); break;
            case Part::slice: indexer.slice(parts[i]); break;
            case Part::new_axis: indexer.new_axis(); break;
            case Part::ellipsis: indexer.keep(from.ndim() - static_cast<int>(used)); break;
            case Part::advanced: break;  // found above
        }
    }
    return Indexed{indexer.finish(), element && used == from.ndim()};
}

bool has_value_here(const Buffer& b) { return b.host_visible() && !b.pending_writes && b.materialised(); }

// The buffer's bytes where a program that uses single elements of a device's array finds them; null: on the device.
char* on_host(const Array& a) {
    return a.host_visible() ? nullptr : host_bytes(a, [&a] { return announce_mirror(a); });
}

// One element on its own. NumPy gives a scalar here, so that a later write to the array does not show in it.
PyObject* element_of(PyArray* source, View&& view) {
    const Array& a = source->array;
    if (has_value_here(*a.buffer)) return number_at(a.dtype, a.buffer->data() + view.offset, a.pool());
    if (const char* host = on_host(a)) return number_at(a.dtype, host + view.offset, a.pool());
    return wrap_result(cast(Array{a.buffer, std::move(view), a.dtype}, a.dtype));
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
    char* bytes = nullptr;
    if (!a.host_visible()) bytes = on_host(a);
    else if (has_value_here(buffer) && !buffer.pending_reads) bytes = buffer.data();
    if (!bytes) return false;
    char* const to = bytes + offset;
    if (is_number_object(value)) {
        PyNumber* n = as_number(value);
        if (n->value.dtype != a.dtype || !is_known(n)) return false;
        copy_item(to, n->value.bytes.data(), itemsize(a.dtype));
    } else {
        if (a.dtype != DType::float64 || !PyFloat_CheckExact(value)) return false;
        const double number = PyFloat_AS_DOUBLE(value);
        std::memcpy(to, &number, sizeof number);
    }
    if (buffer.mirror) buffer.mirror->changed = true;
    return true;
}

// A value of the array's dtype, where its elements are kept: on the host, if they are there.
void store_scalar(const Array& element, const Scalar& value) {
    const Buffer& buffer = *element.buffer;
    if (!buffer.mirror) return assign_element(element, value);
    const Scalar same = cast_scalar(value, element.dtype);
    copy_item(buffer.mirror->bytes.get() + element.view.offset, same.bytes.data(), itemsize(element.dtype));
    buffer.mirror->changed = true;
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

int assign_value(PyArray* target, View&& view, bool element, PyObject* value) {
    const Array destination{target->array.buffer, std::move(view), target->array.dtype};
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

// The common keys among the advanced ones: one vector of integers beside slices, None and Ellipsis, or one mask of a vector.
struct Picked {
    View view;      // the rest of the key applied
    Array index;    // int64, along `axis` of the view; or the mask
    int axis = 0;
};

// A vector of integers as an index; nullptr for any other part.
const Array* index_vector(PyObject* part) {
    if (!is_plain_array(part)) return nullptr;
    const Array& a = unwrap(part)->array;
    return a.ndim() == 1 && is_integer(a.dtype) ? &a : nullptr;
}

Array as_positions(const Array& index) { return index.dtype == DType::int64 ? index : cast(index, DType::int64); }

std::optional<Picked> picking_key(const View& from, PyObject* key) {
    if (from.ndim() == 0) return std::nullopt;
    if (const Array* index = index_vector(key)) return Picked{from, as_positions(*index)};
    if (is_plain_array(key)) {
        const Array& mask = unwrap(key)->array;
        const bool fits = mask.ndim() == 1 && mask.dtype == DType::boolean && from.ndim() == 1 && mask.view.shape[0] == from.shape[0];
        return fits ? std::optional(Picked{from, mask}) : std::nullopt;
    }
    if (!PyTuple_CheckExact(key)) return std::nullopt;
    const std::span<PyObject* const> parts(&PyTuple_GET_ITEM(key, 0), static_cast<std::size_t>(PyTuple_GET_SIZE(key)));
    int used = 0, vectors = 0, ellipses = 0;
    for (PyObject* part : parts) {
        const bool vector = index_vector(part) != nullptr;
        if (!vector && !PySlice_Check(part) && part != Py_None && part != Py_Ellipsis) return std::nullopt;
        vectors += vector;
        ellipses += part == Py_Ellipsis;
        used += vector || PySlice_Check(part);
    }
    if (vectors != 1 || ellipses > 1 || used > from.ndim()) return std::nullopt;
    Picked picked;
    Indexer indexer(from);
    for (PyObject* part : parts) {
        if (part == Py_None) {
            indexer.new_axis();
        } else if (part == Py_Ellipsis) {
            indexer.keep(from.ndim() - used);
        } else if (PySlice_Check(part)) {
            indexer.slice(part);
        } else {
            picked.axis = indexer.axes();
            picked.index = as_positions(*index_vector(part));
            indexer.keep(1);
        }
    }
    picked.view = indexer.finish();
    return picked;
}

// Vectors of integers of one length for the leading axes, a[i, j]: those axes joined, and one index along them.
std::optional<Picked> points_key(const Array& a, PyObject* key) {
    if (!PyTuple_CheckExact(key)) return std::nullopt;
    const std::span<PyObject* const> parts(&PyTuple_GET_ITEM(key, 0), static_cast<std::size_t>(PyTuple_GET_SIZE(key)));
    const int count = static_cast<int>(parts.size()), ndim = a.ndim();
    if (count < 2 || count > ndim || count == max_ndim) return std::nullopt;  // NumPy refuses so many
    for (PyObject* part : parts) {
        const Array* index = index_vector(part);
        if (!index || index->size() != index_vector(parts[0])->size() || &index->pool() != &a.pool()) return std::nullopt;
    }
    const Dims& shape = a.shape();
    Dims joined{asnumpy::count(std::span(shape.begin(), parts.size()))};
    for (int axis = count; axis < ndim; ++axis) joined.push_back(shape[axis]);
    std::optional<View> view = reshape(a.view, joined, static_cast<std::int64_t>(itemsize(a.dtype)));
    if (!view || a.size() == 0) return std::nullopt;
    std::vector<Array> indices;
    for (PyObject* part : parts) indices.push_back(as_positions(*index_vector(part)));
    Picked picked;
    if (!join_indices(indices, std::span(shape.begin(), parts.size()), picked.index)) return std::nullopt;
    picked.view = std::move(*view);
    return picked;
}

// One of the two forms of key.
std::optional<Picked> picked_by(const Array& a, PyObject* key) {
    std::optional<Picked> picked = picking_key(a.view, key);
    return picked ? std::move(picked) : points_key(a, key);
}

// Values of the array's own dtype, and numbers that it holds; false for others, which need a conversion.
bool assign_picked(const Array& target, const Picked& picked, PyObject* value) {
    const Array& key = picked.index;
    if (target.size() == 0 || overlaps_itself(target)) return false;
    const bool mask = key.dtype == DType::boolean;
    if (is_exact(value)) {
        const Array& source = unwrap(value)->array;
        const bool fits = source.ndim() == 0 || (target.ndim() == 1 && source.ndim() == 1 &&
                                                 (source.view.shape[0] == key.view.shape[0] || source.view.shape[0] == 1));
        if (mask || !fits || source.dtype != target.dtype) return false;
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
        apply(where, loop, operands, std::span(&target, 1));
        return true;
    }
    const Array source = new_array(Dims{}, target.dtype, target.pool());
    source.buffer->materialise();
    assign_element(source, scalar);
    scatter(target, key, source, picked.axis);
    return true;
}

}  // namespace

PyObject* slots::subscript(PyObject* self, PyObject* key) {
    return guarded([&]() -> PyObject* {
        PyArray* a = unwrap(self);
        if (const auto offset = element_offset(a->array.view, key)) return element_of(a, View{*offset, {}, {}});
        if (std::optional<Picked> picked = picked_by(a->array, key)) {
            const Array from{a->array.buffer, std::move(picked->view), a->array.dtype};
            return wrap(picked->index.dtype == DType::boolean ? compress(from, picked->index) : take(from, picked->index, picked->axis));
        }
        std::optional<Indexed> found = index_basic(a->array.view, key);
        if (!found) return call_hook(&Hooks::getitem, "getitem", self, key);
        if (found->element) return element_of(a, std::move(found->view));
        return wrap_view(a, std::move(found->view));
    });
}

int slots::assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
    return guarded([&]() -> int {
        if (!value) raise(PyExc_ValueError, "cannot delete array elements");
        PyArray* a = unwrap(self);
        require_writeable(a, "assignment destination is read-only");
        if (const auto offset = element_offset(a->array.view, key)) {
            if (store_element(a, *offset, value)) return 0;
            return assign_value(a, View{*offset, {}, {}}, true, value);
        }
        if (std::optional<Picked> picked = picked_by(a->array, key)) {
            const Array target{a->array.buffer, std::move(picked->view), a->array.dtype};
            if (assign_picked(target, *picked, value)) return 0;
        }
        std::optional<Indexed> found = index_basic(a->array.view, key);
        if (found) try {
            return assign_value(a, std::move(found->view), found->element, value);
        } catch (const Interrupted&) {  // text and objects: NumPy knows which of them are numbers
            if (!PyErr_ExceptionMatches(unsupported_dtype)) throw;
            PyErr_Clear();
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
