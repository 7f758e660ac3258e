// Keys: integers, slices, None and Ellipsis become a view, axis by axis; index arrays and masks beside them what they pick.
#include "python/keys.hpp"

#include <span>
#include <utility>
#include <vector>

#include "python/convert.hpp"
#include "python/number.hpp"
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

// One end of a slice that is an int or left out, which needs no detour over `__index__`; false for others, and for what is out of range.
bool plain_end(PyObject* o, Py_ssize_t& end) {
    if (o == Py_None) return true;
    if (!PyLong_CheckExact(o)) return false;
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
    end = static_cast<Py_ssize_t>(value);
    return !overflow;
}

// Writes a view, empty until then, axis by axis; not to a local one that is moved where it is due, for the processor waits long for what was
// written piece by piece and is then read as a whole.
class Indexer {
public:
    Indexer(const View& from, View& to) : from_(from), to_(to) { to_.offset = from.offset; }

    void integer(PyObject* o) {
        const std::int64_t index = index_value(o), length = from_.shape[axis_];
        const std::int64_t position = index < 0 ? index + length : index;
        if (position < 0 || position >= length)
            raise(PyExc_IndexError, "index %lld is out of bounds for axis %d with size %lld", static_cast<long long>(index),
                  axis_, static_cast<long long>(length));
        to_.offset += position * from_.strides[axis_++];
    }

    void slice(PyObject* o) {
        Py_ssize_t start = 0, stop = PY_SSIZE_T_MAX, step = 1;
        const auto* ends = reinterpret_cast<PySliceObject*>(o);
        const bool plain = ends->step == Py_None && plain_end(ends->start, start) && plain_end(ends->stop, stop);
        if (!plain && PySlice_Unpack(o, &start, &stop, &step) < 0) throw_python_error();
        const std::int64_t stride = from_.strides[axis_];
        const Py_ssize_t length = PySlice_AdjustIndices(from_.shape[axis_++], &start, &stop, step);
        if (length > 0) to_.offset += start * stride;
        std::int64_t stepped = stride;
        if (length > 0) static_cast<void>(__builtin_mul_overflow(stride, static_cast<std::int64_t>(step), &stepped));  // of one element any will do
        push(length, stepped);
    }

    void new_axis() { push(1, 0); }
    void keep(int axes) {
        for (int i = 0; i < axes; ++i, ++axis_) push(from_.shape[axis_], from_.strides[axis_]);
    }
    int axes() const { return to_.shape.size(); }
    void finish() { keep(from_.ndim() - axis_); }

private:
    void push(std::int64_t length, std::int64_t stride) {
        if (to_.shape.size() == max_ndim)
            raise(PyExc_IndexError, "number of dimensions must be within [0, %d], indexing result would have %d", max_ndim, max_ndim + 1);
        to_.shape.push_back(length);
        to_.strides.push_back(stride);
    }

    const View& from_;
    View& to_;
    int axis_ = 0;
};

std::optional<Picked> picking_key(const View& from, PyObject* key) {
    if (from.ndim() == 0) return std::nullopt;
    if (const Array* index = index_vector(key)) return Picked{from, *index};
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
    Indexer indexer(from, picked.view);
    for (PyObject* part : parts) {
        if (part == Py_None) {
            indexer.new_axis();
        } else if (part == Py_Ellipsis) {
            indexer.keep(from.ndim() - used);
        } else if (PySlice_Check(part)) {
            indexer.slice(part);
        } else {
            picked.axis = indexer.axes();
            picked.index = *index_vector(part);
            indexer.keep(1);
        }
    }
    indexer.finish();
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

// A mask of the array's shape: both as vectors, where they lie so.
std::optional<Picked> whole_mask_key(const Array& a, PyObject* key) {
    if (!is_plain_array(key) || a.ndim() < 2) return std::nullopt;
    const Array& mask = unwrap(key)->array;
    if (mask.dtype != DType::boolean || !(mask.shape() == a.shape()) || &mask.pool() != &a.pool()) return std::nullopt;
    std::optional<View> view = reshape(a.view, Dims{a.size()}, static_cast<std::int64_t>(itemsize(a.dtype)));
    std::optional<View> flat = reshape(mask.view, Dims{a.size()}, 1);
    if (!view || !flat || a.size() == 0) return std::nullopt;
    return Picked{std::move(*view), Array{mask.buffer, std::move(*flat), mask.dtype}};
}

}  // namespace

const Array* index_vector(PyObject* part) {
    if (!is_plain_array(part)) return nullptr;
    const Array& a = unwrap(part)->array;
    return a.ndim() == 1 && is_integer(a.dtype) ? &a : nullptr;
}

std::optional<BasicKey> BasicKey::of(PyObject* const& key) {
    BasicKey made(std::span(&key, 1));
    if (PyTuple_Check(key)) made.parts_ = std::span<PyObject* const>(&PyTuple_GET_ITEM(key, 0), static_cast<std::size_t>(PyTuple_GET_SIZE(key)));
    bool ellipsis = false;
    for (PyObject* const part : made.parts_) {
        switch (part_of(part)) {
            case Part::integer: ++made.used_; break;
            case Part::slice: ++made.used_; made.integers_only_ = false; break;
            case Part::new_axis: made.integers_only_ = false; break;
            case Part::ellipsis:
                if (ellipsis) raise(PyExc_IndexError, "an index can only have a single ellipsis ('...')");
                ellipsis = true;
                made.integers_only_ = false;
                break;
            case Part::advanced: return std::nullopt;
        }
    }
    return made;
}

void BasicKey::select(const View& from, View& to) const {
    if (used_ > from.ndim()) raise_too_many(from.ndim(), used_);
    Indexer indexer(from, to);
    for (PyObject* const part : parts_) {
        switch (part_of(part)) {
            case Part::integer: indexer.integer(part); break;
            case Part::slice: indexer.slice(part); break;
            case Part::new_axis: indexer.new_axis(); break;
            case Part::ellipsis: indexer.keep(from.ndim() - used_); break;
            case Part::advanced: break;  // of which it has none
        }
    }
    indexer.finish();
}

std::optional<Array> flat_index(PyObject* key) {
    if (!is_plain_array(key)) return std::nullopt;
    Array index = unwrap(key)->array;
    if (index.ndim() < 2 || !is_integer(index.dtype) || !is_c_contiguous(index.view, item_bytes(index))) return std::nullopt;
    const std::int64_t offset = index.view.offset;
    index.view = contiguous(Dims{index.size()}, item_bytes(index));
    index.view.offset = offset;
    return index;
}

std::optional<Picked> picked_by(const Array& a, PyObject* key) {
    std::optional<Picked> picked = picking_key(a.view, key);
    if (!picked) picked = whole_mask_key(a, key);
    return picked ? std::move(picked) : points_key(a, key);
}

}  // namespace asnumpy::python
