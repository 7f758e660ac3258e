// Views, and the exchange with NumPy and DLPack.
#include <string>

#include "base/checked.hpp"
#include "python/bindings.hpp"
#include "python/convert.hpp"
#include "python/devices.hpp"
#include "python/dlpack.hpp"
#include "python/numpy_bridge.hpp"
#include "python/shapes.hpp"
#include "runtime/overlap.hpp"

namespace asnumpy::python {

namespace {

nb::object empty(nb::handle shape, nb::handle dtype, std::string_view order, nb::handle device) {
    const Dims dims = to_dims(shape.ptr());
    const DType d = expect_dtype(dtype.ptr(), "empty");
    const bool fortran = order == "F";
    if (!fortran && order != "C") raise(PyExc_ValueError, "asnumpy._core.empty: order must be 'C' or 'F', got '%s'", std::string(order).c_str());
    return nb::steal(wrap(new_array_in(fortran ? MemoryOrder::fortran : MemoryOrder::c, dims, d, expect_pool(device.ptr()))));
}

nb::object as_strided(nb::handle array, nb::handle shape, nb::handle strides, std::int64_t offset, bool writeable) {
    PyArray* a = expect_array(array.ptr(), "as_strided");
    View view;
    view.offset = a->array.view.offset + offset;
    view.shape = to_integers(shape.ptr());
    view.strides = to_integers(strides.ptr());
    if (view.shape.size() != view.strides.size())
        raise(PyExc_ValueError, "as_strided: shape has %d axes, strides has %d", view.shape.size(), view.strides.size());
    for (const std::int64_t length : view.shape)
        if (length < 0) raise(PyExc_ValueError, "negative dimensions are not allowed");
    expect_size(view.shape, item_bytes(a->array));
    // What is too far away for 64 bits lies outside as well.
    const Extent reach = checked_extent(view, item_bytes(a->array)).value_or(Extent{INT64_MIN, INT64_MAX});
    if (reach.low != reach.high && (reach.low < 0 || reach.high > static_cast<std::int64_t>(a->array.buffer->bytes())))
        throw ValueError("as_strided: shape " + to_string(view.shape) + " with strides " + to_string(view.strides) +
                         " reaches outside the array's memory of " + std::to_string(a->array.buffer->bytes()) + " bytes");
    nb::object made = nb::steal(wrap_view(a, std::move(view)));
    unwrap(made.ptr())->writeable = writeable && a->writeable;
    return made;
}

nb::object broadcast(nb::handle array, nb::handle shape) {
    PyArray* a = expect_array(array.ptr(), "broadcast_to");
    const Dims to = to_dims(shape.ptr());
    const Dims& from = a->array.shape();
    bool fits = from.size() <= to.size();
    for (int i = 1; fits && i <= from.size(); ++i)
        fits = from[from.size() - i] == 1 || from[from.size() - i] == to[to.size() - i];
    for (const std::int64_t length : to)
        if (length < 0) raise(PyExc_ValueError, "all elements of broadcast shape must be non-negative");
    if (!fits)
        throw ValueError("operands could not be broadcast together with remapped shapes [original->remapped]: " + to_string(from) +
                         " and requested shape " + to_string(to));
    expect_size(to, item_bytes(a->array));
    View view = broadcast_to(a->array.view, to);
    for (int i = 0; i < view.ndim(); ++i)
        if (view.shape[i] == 1) view.strides[i] = 0;  // as NumPy's iterator has it
    nb::object made = nb::steal(wrap_view(a, std::move(view)));
    unwrap(made.ptr())->writeable = false;
    return made;
}

nb::object view_dtype(nb::handle array, nb::handle dtype) {
    PyArray* a = expect_array(array.ptr(), "view");
    const DType to = expect_dtype(dtype.ptr(), "view");
    const auto have = item_bytes(a->array), want = static_cast<std::int64_t>(itemsize(to));
    View view = a->array.view;
    if (have != want) {
        if (view.ndim() == 0) raise(PyExc_ValueError, "Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
        if (view.strides.back() != have && view.shape.back() != 1 && view.size() > 0)
            raise(PyExc_ValueError, "To change to a dtype of a different size, the last axis must be contiguous");
        const std::int64_t bytes = view.shape.back() * have;
        if (have < want && bytes % want != 0)
            raise(PyExc_ValueError, "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last axis of the array.");
        if (have > want && have % want != 0)
            raise(PyExc_ValueError, "When changing to a smaller dtype, its size must be a divisor of the size of original dtype");
        view.shape.back() = bytes / want;
        view.strides.back() = want;
    }
    const auto alignment = static_cast<std::int64_t>(info(to).alignment);
    bool aligned = view.offset % alignment == 0;
    for (int i = 0; i < view.ndim(); ++i) aligned = aligned && (view.shape[i] <= 1 || view.strides[i] % alignment == 0);
    if (aligned && a->array.buffer->foreign())
        aligned = reinterpret_cast<std::uintptr_t>(a->array.buffer->data()) % static_cast<std::uintptr_t>(alignment) == 0;
    if (!aligned && view.size() > 0)
        raise(unsupported_dtype, "asnumpy.ndarray.view: the memory is not aligned for %s; copy the array first", std::string(name(to)).c_str());
    return nb::steal(wrap_view(a, std::move(view), to));
}

bool extents_meet(const Array& a, const Array& b) {
    std::int64_t shift = 0;
    if (a.buffer != b.buffer) {  // two owners may share memory that came from outside
        if (!a.buffer->foreign() || !b.buffer->foreign()) return false;
        shift = b.buffer->data() - a.buffer->data();
    }
    const Extent x = extent(a.view, item_bytes(a)), y = extent(b.view, item_bytes(b));
    return x.low < y.high + shift && y.low + shift < x.high;
}

}  // namespace

void bind_views(nb::module_& m) {
    using nb::arg;
    m.def("empty", [](nb::handle shape, nb::handle dtype, const char* order, nb::handle device) { return empty(shape, dtype, order, device); },
          arg("shape"), arg("dtype"), arg("order") = "C", arg("device") = nb::none());
    m.def("dtype_supported", [](nb::handle dtype) {
        return PyArray_DescrCheck(dtype.ptr()) && dtype_code(reinterpret_cast<PyArray_Descr*>(dtype.ptr())) >= 0;
    }, arg("dtype"));
    m.def("new_from_numpy", [](nb::handle source, const char* function, nb::handle device, bool blocking) {
        return nb::steal(copy_from_numpy(source.ptr(), function, expect_pool(device.ptr()), blocking));
    }, arg("array"), arg("function") = "array", arg("device") = nb::none(), arg("blocking") = true);
    m.def("wrap_numpy", [](nb::handle source, const char* function) { return nb::steal(share_numpy(source.ptr(), function)); },
          arg("array"), arg("function") = "array");
    m.def("adopt", [](nb::handle source, const char* function, nb::handle device) {
        return nb::steal(adopt_numpy(source.ptr(), function, expect_pool(device.ptr())));
    }, arg("array"), arg("function") = "array", arg("device") = nb::none());
    m.def("to_numpy_view", [](nb::handle array, nb::handle writeable) {
        PyArray* a = expect_array(array.ptr(), "to_numpy");
        return nb::steal(to_numpy(a, writeable.is_none() ? a->writeable : PyObject_IsTrue(writeable.ptr()) == 1));
    }, arg("array"), arg("writeable").none() = true);
    m.def("as_strided", as_strided, arg("array"), arg("shape"), arg("strides"), arg("byte_offset") = 0, arg("writeable") = true);
    m.def("reshape_view", [](nb::handle array, nb::handle shape) -> nb::object {
        PyArray* a = expect_array(array.ptr(), "reshape");
        std::optional<View> view = reshaped(a->array, to_dims(shape.ptr()));
        if (!view) return nb::none();
        return nb::steal(wrap_view(a, std::move(*view)));
    }, arg("array"), arg("shape"));
    // In-place resize: the array gives up its memory for that of another, unless somebody else can see it.
    m.def("rebind", [](nb::handle array, nb::handle other, bool check) {
        PyArray* a = expect_array(array.ptr(), "rebind");
        flush();  // the queue's references are not somebody else's
        const Buffer& buffer = *a->array.buffer;
        if (buffer.seen_by_host() || (check && buffer.refs() > 1))
            raise(PyExc_ValueError, "cannot resize an array that references or is referenced\nby another array in this way.\n"
                                    "Use the np.resize function or refcheck=False");
        a->array = Array(expect_array(other.ptr(), "rebind")->array);
    }, arg("array"), arg("other"), arg("check") = true);
    m.def("broadcast_to", broadcast, arg("array"), arg("shape"));
    m.def("view_dtype", view_dtype, arg("array"), arg("dtype"));
    m.def("transpose", [](nb::handle array, nb::handle axes) {
        PyArray* a = expect_array(array.ptr(), "transpose");
        return nb::steal(wrap_view(a, transposed(a->array.view, to_integers(axes.ptr()))));
    }, arg("array"), arg("axes"));
    m.def("may_share_memory", [](nb::handle a, nb::handle b) {
        return extents_meet(expect_array(a.ptr(), "may_share_memory")->array, expect_array(b.ptr(), "may_share_memory")->array);
    }, arg("a"), arg("b"));
    m.def("overlaps_itself", [](nb::handle a) { return overlaps_itself(expect_array(a.ptr(), "overlaps_itself")->array); }, arg("a"));
    m.def("to_dlpack", [](nb::handle array, nb::handle stream, nb::handle max_version, nb::handle device, nb::handle copy) {
        return nb::steal(dlpack::exported(expect_array(array.ptr(), "to_dlpack"), stream.ptr(), max_version.ptr(), device.ptr(), copy.ptr()));
    }, arg("array"), arg("stream") = nb::none(), arg("max_version") = nb::none(), arg("dl_device") = nb::none(), arg("copy") = nb::none());
    m.def("from_dlpack", [](nb::handle capsule) { return nb::steal(dlpack::imported(capsule.ptr())); }, arg("capsule"));
}

}  // namespace asnumpy::python
