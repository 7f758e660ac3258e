// The buffer protocol: memoryview and np.asarray share the array's memory.
#include <array>
#include <memory>

#include "base/error.hpp"
#include "python/array_object.hpp"
#include "python/devices.hpp"
#include "python/exports.hpp"
#include "python/gil.hpp"
#include "runtime/copies.hpp"
#include "runtime/mirror.hpp"

namespace asnumpy::python {

namespace {

// What a Py_buffer points to for as long as it lives.
struct Exported {
    Export held;
    Array array;  // the elements: those of the array itself; where the host may not touch its memory a copy, or what follows it
    Array followed = {};  // what the device has of that one
    std::array<Py_ssize_t, max_ndim> shape{}, strides{};

    explicit Exported(Export&& export_of) : held(std::move(export_of)) {}
    Exported(const Exported&) = delete;
    Exported& operator=(const Exported&) = delete;
    ~Exported() { if (followed.buffer) end_writing(followed, array); }
};

const char* format_of(DType d) {
    switch (d) {
        case DType::boolean: return "?";
        case DType::int8: return "b";
        case DType::uint8: return "B";
        case DType::int16: return "h";
        case DType::uint16: return "H";
        case DType::int32: return "i";
        case DType::uint32: return "I";
        case DType::int64: return sizeof(long) == 8 ? "l" : "q";
        case DType::uint64: return sizeof(long) == 8 ? "L" : "Q";
        case DType::float16: return "e";
        case DType::float32: return "f";
        case DType::float64: return "d";
        case DType::longdouble: return "g";
        case DType::complex64: return "Zf";
        case DType::complex128: return "Zd";
        case DType::clongdouble: return "Zg";
        default: break;
    }
    raise(PyExc_BufferError, "asnumpy: the buffer protocol has no format for %s; use to_numpy() or astype(...) first",
          std::string(name(d)).c_str());
}

int raise_kept(void* kept) {
    PyObject* const error = static_cast<PyObject*>(kept);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error)), error);
    Py_DECREF(error);
    return -1;
}

Array host_copy(const Array& array) {
    if (!lies_together(array)) return to_host(array);
    make_ready(array, Access::read);
    Array copy;
    without_lock([&] { copy = downloaded_range(array); });
    return copy;
}

// NumPy drops whatever the buffer protocol raises, and asks in another way. What a signal handler raised while the
// value was computed (KeyboardInterrupt) must not be lost by that: the interpreter's loop raises it again.
void take_value(Exported& exported, const Array& array, bool to_write) {
    try {
        if (array.host_visible()) {
            make_ready(array);
            exported.array = array;
        } else if (!to_write) {
            exported.array = host_copy(array);
        } else if (std::optional<Array> here = begin_writing(array)) {
            exported.array = std::move(*here);
            exported.followed = array;
        }
    } catch (const Interrupted&) {
        PyObject *type = nullptr, *error = nullptr, *traceback = nullptr;
        PyErr_Fetch(&type, &error, &traceback);
        PyErr_NormalizeException(&type, &error, &traceback);
        if (traceback) PyException_SetTraceback(error, traceback);
        Py_XDECREF(type);
        Py_XDECREF(traceback);
        if (Py_AddPendingCall(raise_kept, error) < 0) {  // too many wait already: raise it here
            raise_kept(error);
            throw;
        }
        raise(PyExc_BufferError, "asnumpy: interrupted while the array's value was computed");
    }
}

void fill(PyArray* a, Py_buffer* out, int flags) {
    const auto item = static_cast<std::int64_t>(itemsize(a->array.dtype));
    const bool c = is_c_contiguous(a->array.view, item), f = is_f_contiguous(a->array.view, item);
    const auto wants = [flags](int which) { return (flags & which) == which; };
    if (wants(PyBUF_C_CONTIGUOUS) && !c) raise(PyExc_BufferError, "ndarray is not C-contiguous");
    if (wants(PyBUF_F_CONTIGUOUS) && !f) raise(PyExc_BufferError, "ndarray is not Fortran contiguous");
    if (wants(PyBUF_ANY_CONTIGUOUS) && !c && !f) raise(PyExc_BufferError, "ndarray is not contiguous");
    if (!wants(PyBUF_STRIDES) && !c) raise(PyExc_BufferError, "ndarray is not C-contiguous");
    // What a device holds is copied. The copy is the caller's, who may write to it as to an array; who asks to write means this one.
    const bool copied = !a->array.host_visible();
    const bool number = is_number_object(reinterpret_cast<PyObject*>(a));
    if (wants(PyBUF_WRITABLE) && !a->writeable && !number) raise(PyExc_BufferError, "buffer source array is read-only");
    const char* format = format_of(a->array.dtype);
    if (copied) announce_implicit_copy(a->array, "numpy.asarray");

    // Whoever asks for a number's memory gets a copy of his own, as numpy.asarray() of a scalar of NumPy's is.
    const Array source = number ? cast(a->array, a->array.dtype) : a->array;
    auto exported = std::make_unique<Exported>(Export(source.buffer));
    take_value(*exported, source, wants(PyBUF_WRITABLE) && !number && source.size() > 0);
    if (!exported->array.buffer)
        raise(PyExc_BufferError, "the array lies on a device, and the address there was given away: the host cannot write to it; fill a numpy.ndarray and assign it");
    const Array& array = exported->array;
    const int n = array.ndim();
    // Where nothing lies between the elements, strides that say nothing are those of the order, as NumPy exports them.
    const bool fortran = f && (!c || wants(PyBUF_F_CONTIGUOUS));
    std::int64_t stride = item;
    for (int i = 0; i < n; ++i) {
        const int axis = fortran ? i : n - 1 - i;
        exported->shape[static_cast<std::size_t>(axis)] = array.shape()[axis];
        exported->strides[static_cast<std::size_t>(axis)] = c || f ? stride : array.view.strides[axis];
        stride *= array.shape()[axis];
    }
    *out = {};
    out->buf = array.data();
    out->len = array.nbytes();
    out->itemsize = item;
    out->readonly = !a->writeable && !number;
    out->ndim = wants(PyBUF_ND) ? n : 0;  // bytes and nothing else
    out->format = wants(PyBUF_FORMAT) ? const_cast<char*>(format) : nullptr;
    out->shape = wants(PyBUF_ND) ? exported->shape.data() : nullptr;
    out->strides = wants(PyBUF_STRIDES) ? exported->strides.data() : nullptr;
    out->internal = exported.release();  // release_buffer takes it back
    out->obj = Py_NewRef(reinterpret_cast<PyObject*>(a));
}

}  // namespace

int slots::get_buffer(PyObject* self, Py_buffer* out, int flags) {
    return guarded([&]() -> int {
        out->obj = nullptr;
        fill(unwrap(self), out, flags);
        return 0;
    });
}

void slots::release_buffer(PyObject*, Py_buffer* out) {
    const std::unique_ptr<Exported> ends(static_cast<Exported*>(out->internal));
}

}  // namespace asnumpy::python
