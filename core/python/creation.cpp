// Arrays of one number, and ranges of integers.
#include "python/creation.hpp"

#include <array>
#include <atomic>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "cpu/threads.hpp"
#include "python/bindings.hpp"
#include "python/convert.hpp"
#include "python/devices.hpp"
#include "runtime/pick.hpp"

namespace asnumpy::python {

namespace {

// What Python's float and complex stand for where arrays are made.
std::atomic<bool> single_precision{false};

bool is_common_shape(PyObject* o) {
    if (PyLong_CheckExact(o)) return true;
    if (!PyTuple_CheckExact(o)) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); ++i)
        if (!PyLong_CheckExact(PyTuple_GET_ITEM(o, i))) return false;
    return true;
}

PyObject* filled_or_none(PyObject*, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        if (count != 3) raise(PyExc_TypeError, "asnumpy._core.filled() takes exactly 3 arguments (%zd given)", count);
        PyObject* const made = filled(given[0], given[1], given[2]);
        return made ? made : Py_NewRef(Py_None);
    });
}

// arange of Python's integers, in int64; None where they do not fit, or the host may not write the device's memory.
PyObject* count_from(PyObject*, PyObject* const* given, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        if (count != 3) raise(PyExc_TypeError, "asnumpy._core.count_from() takes exactly 3 arguments (%zd given)", count);
        std::array<std::int64_t, 3> values{};
        for (std::size_t i = 0; i < 3; ++i) {
            int overflow = 0;
            if (!PyLong_CheckExact(given[i])) Py_RETURN_NONE;
            values[i] = PyLong_AsLongLongAndOverflow(given[i], &overflow);
            if (overflow) Py_RETURN_NONE;
        }
        const auto [start, stop, step] = values;
        std::int64_t span = 0;
        Pool& pool = expect_pool(Py_None);
        if (step == 0 || step == INT64_MIN || __builtin_sub_overflow(stop, start, &span) || span == INT64_MIN || !pool.backend().host_visible()) Py_RETURN_NONE;
        constexpr std::int64_t exact = std::int64_t{1} << 52;  // NumPy divides in float64, which rounds the length of a longer way
        if (std::abs(span) > exact) Py_RETURN_NONE;
        const bool none = step > 0 ? span <= 0 : span >= 0;
        const std::int64_t n = none ? 0 : (std::abs(span) - 1) / std::abs(step) + 1;
        Array made = new_array(Dims{n}, DType::int64, pool);
        made.buffer->materialise();
        auto* const to = reinterpret_cast<std::int64_t*>(made.data());
        cpu::parallel_for(n, std::int64_t{1} << 16, [=](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i) to[i] = start + i * step;
        });
        return wrap(std::move(made));
    });
}

PyMethodDef creation_functions[] = {
    {"count_from", fast(count_from), METH_FASTCALL,
     "count_from(start, stop, step, /)\n--\n\nThe integers from start to stop as a new array; None: not by this way."},
    {"filled", fast(filled_or_none), METH_FASTCALL,
     "filled(shape, dtype, value, /)\n--\n\nA new array of one number (None: of whatever lies there); None: not by this way."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

namespace {

// The names that say how wide they are, and those of Python's classes: what NumPy makes of others it has to say, for some with a warning.
constexpr std::array<std::pair<std::string_view, DType>, 30> names_of_dtypes{{
    {"float64", DType::float64}, {"float32", DType::float32}, {"int64", DType::int64}, {"int32", DType::int32}, {"uint8", DType::uint8},
    {"bool", DType::boolean}, {"float", DType::float64}, {"int", DType::int64}, {"complex128", DType::complex128}, {"complex64", DType::complex64},
    {"complex", DType::complex128}, {"int8", DType::int8}, {"int16", DType::int16}, {"uint16", DType::uint16}, {"uint32", DType::uint32},
    {"uint64", DType::uint64}, {"float16", DType::float16}, {"f8", DType::float64}, {"f4", DType::float32}, {"f2", DType::float16},
    {"i8", DType::int64}, {"i4", DType::int32}, {"i2", DType::int16}, {"i1", DType::int8}, {"u8", DType::uint64}, {"u4", DType::uint32},
    {"u2", DType::uint16}, {"u1", DType::uint8}, {"c16", DType::complex128}, {"c8", DType::complex64},
}};

int dtype_of_name(PyObject* text) {
    Py_ssize_t length = 0;
    const char* const characters = PyUnicode_AsUTF8AndSize(text, &length);
    if (!characters) {
        PyErr_Clear();
        return -1;
    }
    const std::string_view sought(characters, static_cast<std::size_t>(length));
    for (const auto& [name, dtype] : names_of_dtypes)
        if (name == sought) return static_cast<int>(dtype);
    return -1;
}

}  // namespace

int named_dtype(PyObject* o) {
    if (PyUnicode_CheckExact(o)) return dtype_of_name(o);
    nb::object found = nb::borrow(o);
    if (!PyArray_DescrCheck(o)) {
        if (!PyType_Check(o)) return -1;
        found = nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromTypeObject(o)));
        if (!found.is_valid()) {
            PyErr_Clear();
            return -1;
        }
    }
    const auto* const descr = reinterpret_cast<const PyArray_Descr*>(found.ptr());
    return PyArray_ISNBO(descr->byteorder) ? dtype_code(descr) : -1;
}

int dtype_to_make(PyObject* o) {
    const bool single = single_precision.load(std::memory_order_relaxed);
    if (o == Py_None || (single && o == reinterpret_cast<PyObject*>(&PyFloat_Type))) return static_cast<int>(single ? DType::float32 : DType::float64);
    if (single && o == reinterpret_cast<PyObject*>(&PyComplex_Type)) return static_cast<int>(DType::complex64);
    return named_dtype(o);
}

Array filled(const Dims& shape, DType dtype, Pool& pool, const std::optional<Scalar>& number) {
    Array made = new_array(shape, dtype, pool);
    if (number && !fill_at_once(made, *number)) asnumpy::assign(made, *number);
    return made;
}

std::optional<Request> plain_request(PyObject* shape, PyObject* dtype) {
    const int code = dtype_to_make(dtype);
    if (code < 0 || !is_common_shape(shape)) return std::nullopt;
    return Request{to_dims(shape), static_cast<DType>(code)};
}

PyObject* filled(PyObject* shape, PyObject* dtype, PyObject* value) {
    const std::optional<Request> request = plain_request(shape, dtype);
    if (!request || (PyFloat_CheckExact(value) && !is_float(request->dtype) && !is_complex(request->dtype))) return nullptr;
    const std::optional<Scalar> number = value == Py_None ? std::nullopt : std::optional(assigned_scalar(value, request->dtype));
    return wrap(filled(request->shape, request->dtype, expect_pool(Py_None), number));
}

void bind_creation(nb::module_& m) {
    if (PyModule_AddFunctions(m.ptr(), creation_functions) < 0) throw_python_error();
    m.def("set_default_float", [](bool single) { single_precision = single; }, nb::arg("single"));
}

}  // namespace asnumpy::python
