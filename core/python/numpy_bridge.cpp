// Arrays from NumPy and to NumPy.
#include "python/numpy_bridge.hpp"

#include <array>
#include <cstring>

#include "base/copy_bytes.hpp"
#include "cpu/threads.hpp"
#include "device/trace.hpp"
#include "python/convert.hpp"
#include "python/exports.hpp"
#include "python/gil.hpp"
#include "python/number.hpp"
#include "runtime/copies.hpp"

namespace asnumpy::python {

namespace {

constexpr std::int64_t large = 1 << 20;  // bytes from which a copy is worth several threads

PyArrayObject* expect_ndarray(PyObject* o, const char* function) {
    if (!PyArray_Check(o))
        raise(PyExc_TypeError, "asnumpy.%s: expected a numpy.ndarray, got %.200s", function, Py_TYPE(o)->tp_name);
    return reinterpret_cast<PyArrayObject*>(o);
}

DType dtype_of_array(PyArrayObject* a, const char* function) {
    const int code = dtype_code(PyArray_DESCR(a));
    if (code < 0) raise_unsupported(reinterpret_cast<PyObject*>(PyArray_DESCR(a)), function);
    return static_cast<DType>(code);
}

View view_of(PyArrayObject* a) {
    View view;
    for (int i = 0; i < PyArray_NDIM(a); ++i) {
        view.shape.push_back(PyArray_DIM(a, i));
        view.strides.push_back(PyArray_STRIDE(a, i));
    }
    return view;
}

bool native(PyArrayObject* a) { return PyArray_ISNOTSWAPPED(a) && PyArray_ISALIGNED(a); }

// The memory of a NumPy array as a core array; `release` runs when the last reference to it is gone.
Array foreign(PyArrayObject* a, DType dtype, std::function<void()> release) {
    View view = view_of(a);
    const auto item = static_cast<std::int64_t>(itemsize(dtype));
    const Extent reach = extent(view, item);
    const std::int64_t low = reach.low - view.offset;
    char* data = static_cast<char*>(PyArray_DATA(a)) + low;
    return foreign_array(data, static_cast<std::size_t>(reach.high - reach.low), std::move(view), dtype, cpu_pool(), std::move(release));
}

std::function<void()> keep(PyObject* o) {
    Py_INCREF(o);
    return [o] { defer([o] { Py_DECREF(o); }); };
}

void copy_on_threads(char* to, const char* from, std::int64_t bytes) {
    if (bytes < large) {
        copy_bytes(to, from, static_cast<std::size_t>(bytes));
        return;
    }
    const GilRelease released;
    cpu::parallel_for(bytes, large / 4, [to, from](std::int64_t begin, std::int64_t end, int) {
        copy_bytes(to + begin, from + begin, static_cast<std::size_t>(end - begin));
    });
}

}  // namespace

nb::object temporary(const Array& a, bool writeable) {
    const int n = a.ndim();
    Py_INCREF(reinterpret_cast<PyObject*>(descriptor(a.dtype)));
    return owned(PyArray_NewFromDescr(&PyArray_Type, descriptor(a.dtype), n, reinterpret_cast<const npy_intp*>(a.shape().data()),
                                      reinterpret_cast<const npy_intp*>(a.view.strides.data()), a.data(),
                                      writeable ? NPY_ARRAY_WRITEABLE : 0, nullptr));
}

Array new_array_in(MemoryOrder order, const Dims& shape, DType dtype, Pool& pool) {
    Array made = new_array(shape, dtype, pool);
    if (made.size() > 0) made.view = contiguous(shape, static_cast<std::int64_t>(itemsize(dtype)), order);
    return made;
}

PyObject* copy_from_numpy(PyObject* source, const char* function, Pool& pool, bool blocking) {
    nb::object held;
    if (PyArray_IsScalar(source, Generic)) {
        held = owned(PyArray_FromScalar(source, nullptr));
        source = held.ptr();
    }
    PyArrayObject* from = expect_ndarray(source, function);
    const DType dtype = dtype_of_array(from, function);
    const View layout = view_of(from);
    const auto item = static_cast<std::int64_t>(itemsize(dtype));
    const bool c = is_c_contiguous(layout, item);
    const bool fortran = !c && is_f_contiguous(layout, item);
    const MemoryOrder order = fortran ? MemoryOrder::fortran : MemoryOrder::c;
    const std::int64_t bytes = layout.size() * item;

    if (!pool.host_visible() && (c || fortran) && native(from)) {
        // The strides of a new array: those of an axis of length 1 say nothing of the memory, and may be others.
        const auto whole = [&] {
            Array given = foreign(from, dtype, keep(source));
            given.view.strides = contiguous(layout.shape, item, order).strides;
            return given;
        };
        Array uploaded = moved(whole(), pool, blocking);
        run_deferred();
        return wrap(std::move(uploaded));
    }
    if (!c && !fortran && native(from) && bytes >= large) {
        // The queue's executor copies with all threads; it has run before the source can change.
        Array copied = cast(foreign(from, dtype, keep(source)), dtype);
        make_ready(copied);
        run_deferred();
        return wrap(moved(copied, pool));
    }
    Array to = new_array_in(order, layout.shape, dtype, cpu_pool());
    if (bytes > 0) {
        to.buffer->materialise();
        if ((c || fortran) && PyArray_ISNOTSWAPPED(from)) {
            copy_on_threads(to.data(), static_cast<const char*>(PyArray_DATA(from)), bytes);
        } else {
            const nb::object destination = temporary(to);
            if (PyArray_CopyInto(reinterpret_cast<PyArrayObject*>(destination.ptr()), from) < 0) throw_python_error();
        }
    }
    return wrap(pool.host_visible() ? std::move(to) : moved(to, pool));
}

PyObject* adopt_numpy(PyObject* source, const char* function, Pool& pool) {
    if (PyArray_IsScalar(source, Generic)) {
        Scalar value;
        if (numpy_scalar(source, value)) return number_of(value, pool);  // what a function of NumPy's gave stands for the scalar that it is
        return copy_from_numpy(source, function, pool);
    }
    PyArrayObject* from = expect_ndarray(source, function);
    const DType dtype = dtype_of_array(from, function);
    if (!native(from)) return copy_from_numpy(source, function, pool);
    constexpr npy_intp few = 4096;  // bytes that are sooner copied than kept track of
    if (PyArray_NBYTES(from) <= few && PyArray_IS_C_CONTIGUOUS(from) && pool.host_visible() && !current_trace()) {
        Array copied = new_array(view_of(from).shape, dtype, pool);
        copied.buffer->materialise();
        std::memcpy(copied.data(), PyArray_DATA(from), static_cast<std::size_t>(PyArray_NBYTES(from)));
        return wrap(std::move(copied));
    }
    Array made = moved(foreign(from, dtype, keep(source)), pool);
    if (anything_deferred()) run_deferred();
    return wrap(std::move(made));
}

bool is_fresh(PyArrayObject* array) {
    PyArrayObject* root = array;
    while (PyArray_BASE(root) && PyArray_Check(PyArray_BASE(root))) root = reinterpret_cast<PyArrayObject*>(PyArray_BASE(root));
    return !PyArray_BASE(root) && PyArray_CHKFLAGS(root, NPY_ARRAY_OWNDATA) && PyArray_ISWRITEABLE(array) && PyArray_ISNOTSWAPPED(array);
}

PyObject* share_numpy(PyObject* source, const char* function) {
    PyArrayObject* from = expect_ndarray(source, function);
    const DType dtype = dtype_of_array(from, function);
    if (!native(from))
        raise(unsupported_dtype, "asnumpy.%s: memory can only be shared with an aligned array in native byte order; make a copy", function);
    Array shared = foreign(from, dtype, keep(source));
    ++shared.buffer->exports;  // for ever: nobody says when the other side is done
    PyObject* o = wrap(std::move(shared));
    unwrap(o)->base = Py_NewRef(source);
    unwrap(o)->writeable = PyArray_ISWRITEABLE(from);
    return o;
}

PyObject* to_numpy(PyArray* a, bool writeable) {
    const bool shares = a->array.host_visible();
    const Array array = shares ? a->array : to_host(a->array);
    writeable = writeable && shares;
    PyArray_Descr* descr = descriptor(array.dtype);
    const int flags = writeable ? NPY_ARRAY_WRITEABLE : 0;
    const auto* shape = reinterpret_cast<const npy_intp*>(array.shape().data());
    const auto* strides = reinterpret_cast<const npy_intp*>(array.view.strides.data());
    if (array.size() == 0) {  // no memory to share; NumPy takes the strides of memory only
        alignas(64) static std::array<std::byte, 64> nothing;
        Py_INCREF(reinterpret_cast<PyObject*>(descr));
        return checked(PyArray_NewFromDescr(&PyArray_Type, descr, array.ndim(), shape, strides, nothing.data(), flags, nullptr));
    }
    nb::object held = export_object(array.buffer, writeable);
    make_ready(array);
    Py_INCREF(reinterpret_cast<PyObject*>(descr));
    nb::object view = owned(PyArray_NewFromDescr(&PyArray_Type, descr, array.ndim(), shape, strides, array.data(), flags, nullptr));
    if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(view.ptr()), held.release().ptr()) < 0) throw_python_error();
    return view.release().ptr();
}

PyObject* numpy_copy(PyArray* a, bool as_it_lies) {
    if (as_it_lies && !a->array.host_visible() && a->array.size() > 0) {
        make_ready(a->array, Access::read);
        Array copy;
        without_lock([&] { copy = downloaded_range(a->array); });
        const nb::object held = nb::steal(wrap(std::move(copy)));
        return to_numpy(unwrap(held.ptr()), true);
    }
    const auto item = static_cast<std::int64_t>(itemsize(a->array.dtype));
    const bool c = is_c_contiguous(a->array.view, item), fortran = !c && is_f_contiguous(a->array.view, item);
    if (a->array.host_visible()) {
        const nb::object view = nb::steal(to_numpy(a, false));
        return checked(PyArray_NewCopy(reinterpret_cast<PyArrayObject*>(view.ptr()), NPY_KEEPORDER));
    }
    const Array source = c || fortran ? a->array : cast(a->array, a->array.dtype);
    PyArray_Descr* descr = descriptor(source.dtype);
    Py_INCREF(reinterpret_cast<PyObject*>(descr));
    nb::object made = owned(PyArray_Empty(source.ndim(), reinterpret_cast<const npy_intp*>(source.shape().data()), descr, fortran));
    if (source.size() > 0) {
        make_ready(source, Access::read);
        trace::Span span("download", "copy", static_cast<std::uint64_t>(source.nbytes()));
        void* const to = PyArray_DATA(reinterpret_cast<PyArrayObject*>(made.ptr()));
        without_lock([&] { source.pool().backend().download(to, source.data(), static_cast<std::size_t>(source.nbytes())); });
    }
    return made.release().ptr();
}

bool download_into(PyArray* a, PyObject* out, bool blocking) {
    if (a->array.host_visible() || !PyArray_Check(out)) return false;
    auto* const to = reinterpret_cast<PyArrayObject*>(out);
    if (!native(to) || !PyArray_ISWRITEABLE(to) || dtype_code(PyArray_DESCR(to)) != static_cast<int>(a->array.dtype)) return false;
    const View layout = view_of(to);
    const auto item = static_cast<std::int64_t>(itemsize(a->array.dtype));
    if (!(layout.shape == a->array.shape()) || !(is_c_contiguous(layout, item) || is_f_contiguous(layout, item))) return false;
    Array source = a->array;
    if (source.size() == 0) return true;
    const auto alike = [&] {
        return is_c_contiguous(layout, item) ? is_c_contiguous(source.view, item) : is_f_contiguous(source.view, item);
    };
    if (!alike()) {
        source = new_array_like(layout, source.dtype, source.pool());
        assign(source, a->array);
    }
    make_ready(source, Access::read);
    without_lock([&] {
        Backend& device = source.pool().backend();
        const auto bytes = static_cast<std::size_t>(source.nbytes());
        if (blocking || !device.start_download(PyArray_DATA(to), source.data(), bytes)) device.download(PyArray_DATA(to), source.data(), bytes);
    });
    return true;
}

}  // namespace asnumpy::python
