// DLPack in both directions: tensors of other libraries on the CPU, without a copy.
#include "python/dlpack.hpp"

#include <array>
#include <memory>

#include "python/convert.hpp"
#include "python/exports.hpp"
#include "python/gil.hpp"

namespace asnumpy::python {

namespace {

using namespace dlpack;

constexpr const char *legacy_name = "dltensor", *versioned_name = "dltensor_versioned";

// DLPack packs what is narrower than a byte, and has no HiFloat8.
bool has_type(DType d) {
    if (d == DType::longdouble || d == DType::clongdouble) return false;
    return !is_narrow(d) || d == DType::float8_e4m3fn || d == DType::float8_e5m2 || d == DType::float8_e8m0fnu || d == DType::complex32;
}

Type type_of_dtype(DType d) {
    const auto bits = static_cast<std::uint8_t>(8 * itemsize(d));
    if (!has_type(d))
        raise(PyExc_BufferError, "asnumpy: DLPack has no type for %s; use astype('%s')", std::string(name(d)).c_str(),
              is_integer(d) ? "int8" : is_complex(d) ? "complex128" : d == DType::longdouble ? "float64" : "float32");
    if (d == DType::float8_e4m3fn) return {code_float8_e4m3fn, bits, 1};
    if (d == DType::float8_e5m2) return {code_float8_e5m2, bits, 1};
    if (d == DType::float8_e8m0fnu) return {code_float8_e8m0fnu, bits, 1};
    if (d == DType::bfloat16) return {code_bfloat, bits, 1};
    switch (kind(d)) {
        case 'b': return {code_bool, bits, 1};
        case 'i': return {code_int, bits, 1};
        case 'u': return {code_uint, bits, 1};
        case 'c': return {code_complex, bits, 1};
        default: return {code_float, bits, 1};
    }
}

DType dtype_of_type(Type t) {
    if (t.lanes == 1) {
        for (int i = 0; i < dtype_count; ++i) {
            const auto d = static_cast<DType>(i);
            if (!has_type(d)) continue;
            const Type own = type_of_dtype(d);
            if (own.code == t.code && own.bits == t.bits) return d;
        }
    }
    raise(PyExc_BufferError, "asnumpy.from_dlpack: type code %d with %d bits and %d lanes is not supported", t.code, t.bits, t.lanes);
}

// Everything one exported tensor needs; the consumer's call of the deleter ends it.
template <class M> struct Context {
    explicit Context(const Array& a) : array(a), held(a.buffer) {}
    Array array;
    Export held;
    std::array<std::int64_t, max_ndim> shape{}, strides{};
    M managed{};
};

template <class M> void end_export(M* managed) {
    if (!managed) return;
    const std::unique_ptr<Context<M>> ends(static_cast<Context<M>*>(managed->context));
}

template <class M> void end_capsule(PyObject* capsule) {
    const char* name = std::is_same_v<M, Managed> ? legacy_name : versioned_name;
    if (!PyCapsule_IsValid(capsule, name)) return;  // consumed: the consumer calls the deleter
    auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, name));
    managed->deleter(managed);
}

template <class M> PyObject* make_capsule(const Array& a, std::uint64_t flags) {
    auto context = std::make_unique<Context<M>>(a);
    make_ready(a);
    const auto item = static_cast<std::int64_t>(itemsize(a.dtype));
    for (int i = 0; i < a.ndim(); ++i) {
        if (a.shape()[i] > 1 && a.view.strides[i] % item != 0)
            raise(PyExc_BufferError, "asnumpy: DLPack needs strides that are multiples of the item size; make a copy");
        context->shape[static_cast<std::size_t>(i)] = a.shape()[i];
        context->strides[static_cast<std::size_t>(i)] = a.view.strides[i] / item;
    }
    M& managed = context->managed;
    managed.tensor = {a.size() > 0 ? a.data() : nullptr, {cpu, 0}, a.ndim(), type_of_dtype(a.dtype),
                      context->shape.data(), context->strides.data(), 0};
    managed.context = context.get();
    managed.deleter = end_export<M>;
    if constexpr (std::is_same_v<M, ManagedVersioned>) {
        managed.version = {1, 0};
        managed.flags = flags;
    }
    const char* name = std::is_same_v<M, Managed> ? legacy_name : versioned_name;
    PyObject* capsule = checked(PyCapsule_New(&managed, name, end_capsule<M>));
    context.release();  // the capsule, later its consumer, ends it through the deleter
    return capsule;
}

template <class M> PyObject* import_tensor(M* managed) {
    const Tensor& t = managed->tensor;
    if (t.device.type != cpu)
        raise(PyExc_BufferError, "asnumpy.from_dlpack: the tensor lies on device type %d; only CPU memory (1) can be imported", t.device.type);
    if (t.ndim > max_ndim) raise(PyExc_BufferError, "asnumpy.from_dlpack: %d dimensions, at most %d are supported", t.ndim, max_ndim);
    const DType dtype = dtype_of_type(t.dtype);
    const auto item = static_cast<std::int64_t>(itemsize(dtype));
    View view = contiguous(Dims(std::span<const std::int64_t>(t.shape, static_cast<std::size_t>(t.ndim))), item);
    if (t.strides)
        for (int i = 0; i < t.ndim; ++i) view.strides[i] = t.strides[i] * item;
    bool read_only = true;  // the legacy capsule cannot say, and NumPy's arrays of it are read-only
    if constexpr (std::is_same_v<M, ManagedVersioned>) read_only = (managed->flags & flag_read_only) != 0;
    const Extent reach = extent(view, item);
    char* first = static_cast<char*>(t.data) + t.byte_offset;
    if (reinterpret_cast<std::uintptr_t>(first) % info(dtype).alignment != 0)
        raise(PyExc_BufferError, "asnumpy.from_dlpack: the tensor's memory is not aligned for its type");
    Array array = view.size() == 0
        ? new_array(view.shape, dtype)
        : foreign_array(first + reach.low, static_cast<std::size_t>(reach.high - reach.low), std::move(view), dtype,
                        [managed] { defer([managed] { if (managed->deleter) managed->deleter(managed); }); });
    if (array.buffer->foreign()) ++array.buffer->exports;  // the producer may still use it
    else if (managed->deleter) managed->deleter(managed);
    PyObject* o = wrap(std::move(array));
    unwrap(o)->writeable = !read_only;
    return o;
}

template <class M> PyObject* consume(PyObject* capsule, const char* name, const char* used) {
    auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, name));
    if (!managed) throw_python_error();
    if constexpr (std::is_same_v<M, ManagedVersioned>)
        if (managed->version.major > 1)
            raise(PyExc_BufferError, "asnumpy.from_dlpack: version %u of DLPack is newer than the supported version 1", managed->version.major);
    PyObject* o = import_tensor(managed);
    if (PyCapsule_SetName(capsule, used) < 0) throw_python_error();
    unwrap(o)->base = Py_NewRef(capsule);
    return o;
}

bool versioned_wanted(PyObject* max_version) {
    if (max_version == Py_None) return false;
    const Dims version = to_dims(max_version);
    if (version.size() != 2) raise(PyExc_TypeError, "max_version must be None or a tuple with two elements, got %R", max_version);
    return version[0] >= 1;
}

void check_device(PyObject* device) {
    if (device == Py_None) return;
    const Dims wanted = to_dims(device);
    if (wanted.size() != 2) raise(PyExc_TypeError, "dl_device must be None or a tuple of two integers, got %R", device);
    if (wanted[0] != cpu || wanted[1] != 0) raise(PyExc_BufferError, "unsupported device requested: asnumpy exports CPU memory, (1, 0), only");
}

PyObject* dlpack_method(PyObject* self, PyObject* arguments, PyObject* keywords) {
    return guarded([&]() -> PyObject* {
        static const char* names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
        PyObject *stream = Py_None, *max_version = Py_None, *device = Py_None, *copy = Py_None;
        if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|$OOOO:__dlpack__", const_cast<char**>(names), &stream, &max_version, &device, &copy))
            throw_python_error();
        return to_dlpack(unwrap(self), stream, max_version, device, copy);
    });
}

PyObject* dlpack_device(PyObject*, PyObject*) { return Py_BuildValue("(ii)", cpu, 0); }

}  // namespace

PyObject* to_dlpack(PyArray* a, PyObject* stream, PyObject* max_version, PyObject* device, PyObject* copy) {
    if (stream != Py_None) raise(PyExc_RuntimeError, "__dlpack__: the CPU has no streams; pass stream=None, got %R", stream);
    check_device(device);
    const bool versioned = versioned_wanted(max_version);
    const int wants_copy = copy == Py_None ? 0 : PyObject_IsTrue(copy);
    if (wants_copy < 0) throw_python_error();
    if (wants_copy == 1) {
        const Array copied = cast(a->array, a->array.dtype);
        return versioned ? make_capsule<ManagedVersioned>(copied, flag_copied) : make_capsule<Managed>(copied, 0);
    }
    if (versioned) return make_capsule<ManagedVersioned>(a->array, a->writeable ? 0 : flag_read_only);
    if (!a->writeable)
        raise(PyExc_BufferError, "Cannot export readonly array since signalling readonly is unsupported by DLPack (supported by newer DLPack version).");
    return make_capsule<Managed>(a->array, 0);
}

PyObject* from_dlpack(PyObject* capsule) {
    if (PyCapsule_IsValid(capsule, versioned_name)) return consume<ManagedVersioned>(capsule, versioned_name, "used_dltensor_versioned");
    if (PyCapsule_IsValid(capsule, legacy_name)) return consume<Managed>(capsule, legacy_name, "used_dltensor");
    raise(PyExc_TypeError, "asnumpy.from_dlpack: expected an unused DLPack capsule, got %R", capsule);
}

PyMethodDef exchange_methods[] = {
    {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(dlpack_method)), METH_VARARGS | METH_KEYWORDS,
     "__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\nA DLPack capsule over the array's memory."},
    {"__dlpack_device__", dlpack_device, METH_NOARGS, "__dlpack_device__()\n--\n\nThe device as DLPack numbers it: (1, 0) is the CPU."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace asnumpy::python
