// DLPack: the structures of its C interface (versions 0.x and 1.x), and both directions.
#pragma once

#include <cstdint>

#include "python/array_object.hpp"

namespace asnumpy::python {

namespace dlpack {

struct Device { std::int32_t type, id; };
inline constexpr std::int32_t cpu = 1, extension = 12, ascend = 21;  // torch_npu calls an NPU the extension device
struct Type { std::uint8_t code, bits; std::uint16_t lanes; };
enum Code : std::uint8_t { code_int = 0, code_uint = 1, code_float = 2, code_bfloat = 4, code_complex = 5, code_bool = 6,
                          code_float8_e4m3fn = 10, code_float8_e5m2 = 12, code_float8_e8m0fnu = 14 };

struct Tensor {
    void* data;
    Device device;
    std::int32_t ndim;
    Type dtype;
    std::int64_t* shape;
    std::int64_t* strides;  // elements; null: C order
    std::uint64_t byte_offset;
};

struct Managed {
    Tensor tensor;
    void* context;
    void (*deleter)(Managed*);
};

struct Version { std::uint32_t major, minor; };
inline constexpr std::uint64_t flag_read_only = 1, flag_copied = 2;

struct ManagedVersioned {
    Version version;
    void* context;
    void (*deleter)(ManagedVersioned*);
    std::uint64_t flags;
    Tensor tensor;
};

PyObject* exported(PyArray*, PyObject* stream, PyObject* max_version, PyObject* device, PyObject* copy);
PyObject* imported(PyObject* capsule);

}  // namespace dlpack

}  // namespace asnumpy::python
