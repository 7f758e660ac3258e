// DLPack in both directions: tensors of other libraries, without a copy.
#include "python/dlpack.hpp"

#include <array>
#include <memory>
#include <optional>

#include "base/checked.hpp"
#include "python/convert.hpp"
#include "python/exports.hpp"
#include "python/gil.hpp"
#include "runtime/copies.hpp"

namespace asnumpy::python {

namespace dlpack {
namespace {

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

template <class M> PyObject* make_capsule(const Array& a, Device device, std::uint64_t flags) {
    auto context = std::make_unique<Context<M>>(a);
    make_ready(a);
    if (!a.host_visible()) without_lock([&a] { a.pool().backend().synchronize(); });  // the consumer has streams of its own
    const auto item = static_cast<std::int64_t>(itemsize(a.dtype));
    for (int i = 0; i < a.ndim(); ++i) {
        if (a.shape()[i] > 1 && a.view.strides[i] % item != 0)
            raise(PyExc_BufferError, "asnumpy: DLPack needs strides that are multiples of the item size; make a copy");
        context->shape[static_cast<std::size_t>(i)] = a.shape()[i];
        context->strides[static_cast<std::size_t>(i)] = a.view.strides[i] / item;
    }
    M& managed = context->managed;
    managed.tensor = {a.size() > 0 ? a.data() : nullptr, device, a.ndim(), type_of_dtype(a.dtype),
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
    if (t.device.type != cpu && t.device.type != extension && t.device.type != ascend)
        raise(PyExc_BufferError, "asnumpy.from_dlpack: the tensor lies on device type %d; memory of the CPU (1) and of an Ascend NPU (12, 21) can be imported", t.device.type);
    Pool& pool = t.device.type == cpu ? cpu_pool() : pool_of({asnumpy::Device::Kind::ascend, t.device.id});
    if (t.ndim > max_ndim) raise(PyExc_BufferError, "asnumpy.from_dlpack: %d dimensions, at most %d are supported", t.ndim, max_ndim);
    const DType dtype = dtype_of_type(t.dtype);
    const auto item = static_cast<std::int64_t>(itemsize(dtype));
    if (t.ndim < 0) raise(PyExc_BufferError, "asnumpy.from_dlpack: %d dimensions", t.ndim);
    const Dims shape(std::span<const std::int64_t>(t.shape, static_cast<std::size_t>(t.ndim)));
    const std::optional<std::int64_t> bytes = checked_bytes(shape, item);
    View view = bytes ? contiguous(shape, item) : View();
    bool fits = bytes.has_value();
    for (int i = 0; fits && t.strides && i < t.ndim; ++i) {
        const Checked stride = Checked(t.strides[i]) * item;
        fits = stride.fits() || shape[i] < 2;
        view.strides[i] = stride.value().value_or(0);
    }
    const std::optional<Extent> reaches = fits ? checked_extent(view, item) : std::nullopt;
    if (!reaches) throw ValueError("asnumpy.from_dlpack: a tensor of shape " + to_string(shape) + " is larger, or reaches further, than 64 bits can say");
    bool read_only = true;  // the legacy capsule cannot say, and NumPy's arrays of it are read-only
    if constexpr (std::is_same_v<M, ManagedVersioned>) read_only = (managed->flags & flag_read_only) != 0;
    const Extent reach = *reaches;
    char* first = static_cast<char*>(t.data) + t.byte_offset;
    if (reinterpret_cast<std::uintptr_t>(first) % info(dtype).alignment != 0)
        raise(PyExc_BufferError, "asnumpy.from_dlpack: the tensor's memory is not aligned for its type");
    Array array = view.size() == 0
        ? new_array(view.shape, dtype, pool)
        : foreign_array(first + reach.low, static_cast<std::size_t>(reach.high - reach.low), std::move(view), dtype, pool,
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

Device own_device(const Array& a) {
    const asnumpy::Device device = device_of(a.pool());
    return {device.kind == asnumpy::Device::Kind::cpu ? cpu : extension, device.index};
}

// The device that the consumer asks for: the array's own, under either of its numbers, or the CPU.
Device wanted_device(const Array& a, PyObject* device) {
    const Device own = own_device(a);
    if (device == Py_None) return own;
    const Dims wanted = to_dims(device);
    if (wanted.size() != 2) raise(PyExc_TypeError, "dl_device must be None or a tuple of two integers, got %R", device);
    const Device asked{static_cast<std::int32_t>(wanted[0]), static_cast<std::int32_t>(wanted[1])};
    const bool same = asked.id == own.id && (asked.type == own.type || (own.type == extension && asked.type == ascend));
    if (!same && (asked.type != cpu || asked.id != 0))
        raise(PyExc_BufferError, "unsupported device requested: the array lies on (%d, %d) and can be exported there or to the CPU, (1, 0)", own.type, own.id);
    return asked;
}

PyObject* method(PyObject* self, PyObject* arguments, PyObject* keywords) {
    return guarded([&]() -> PyObject* {
        static const char* names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
        PyObject *stream = Py_None, *max_version = Py_None, *device = Py_None, *copy = Py_None;
        if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|$OOOO:__dlpack__", const_cast<char**>(names), &stream, &max_version, &device, &copy))
            throw_python_error();
        return exported(unwrap(self), stream, max_version, device, copy);
    });
}

PyObject* device_method(PyObject* self, PyObject*) {
    return guarded([&] {
        const Device device = own_device(unwrap(self)->array);
        return checked(Py_BuildValue("(ii)", device.type, device.id));
    });
}

}  // namespace

PyObject* exported(PyArray* a, PyObject* stream, PyObject* max_version, PyObject* device, PyObject* copy) {
    if (stream != Py_None && a->array.host_visible()) raise(PyExc_RuntimeError, "__dlpack__: the CPU has no streams; pass stream=None, got %R", stream);
    const Device to = wanted_device(a->array, device);
    const bool versioned = versioned_wanted(max_version);
    const int wants_copy = copy == Py_None ? 0 : PyObject_IsTrue(copy);
    if (wants_copy < 0) throw_python_error();
    const bool comes_down = to.type == cpu && !a->array.host_visible();
    if (comes_down && copy != Py_None && !wants_copy) raise(PyExc_BufferError, "__dlpack__: an array of another device reaches the CPU by a copy only");
    if (wants_copy == 1 || comes_down) {
        const Array copied = comes_down ? to_host(a->array) : cast(a->array, a->array.dtype);
        return versioned ? make_capsule<ManagedVersioned>(copied, to, flag_copied) : make_capsule<Managed>(copied, to, 0);
    }
    if (versioned) return make_capsule<ManagedVersioned>(a->array, to, a->writeable ? 0 : flag_read_only);
    if (!a->writeable)
        raise(PyExc_BufferError, "Cannot export readonly array since signalling readonly is unsupported by DLPack (supported by newer DLPack version).");
    return make_capsule<Managed>(a->array, to, 0);
}

PyObject* imported(PyObject* capsule) {
    if (PyCapsule_IsValid(capsule, versioned_name)) return consume<ManagedVersioned>(capsule, versioned_name, "used_dltensor_versioned");
    if (PyCapsule_IsValid(capsule, legacy_name)) return consume<Managed>(capsule, legacy_name, "used_dltensor");
    raise(PyExc_TypeError, "asnumpy.from_dlpack: expected an unused DLPack capsule, got %R", capsule);
}

}  // namespace dlpack

PyMethodDef exchange_methods[] = {
    {"__dlpack__", fast(dlpack::method), METH_VARARGS | METH_KEYWORDS,
     "__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\nA DLPack capsule over the array's memory."},
    {"__dlpack_device__", dlpack::device_method, METH_NOARGS, "__dlpack_device__($self, /)\n--\n\nThe device as DLPack numbers it: (1, 0) is the CPU, (12, n) the NPU ascend:n."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace asnumpy::python
