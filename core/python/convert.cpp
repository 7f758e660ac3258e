// Values and dtypes: NumPy's descriptors, Python's numbers and the core's scalars, one into the other.
#include "python/convert.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "python/narrow_dtypes.hpp"
#include "python/number.hpp"

namespace asnumpy::python {

namespace {

std::array<PyArray_Descr*, dtype_count> descriptors{};

// The dtypes that other packages or we ourselves have registered with NumPy.
constexpr bool is_registered(DType d) { return d == DType::bfloat16 || is_narrow(d); }

// From double to float so that a second rounding to 16 bits gives what rounding once would give.
float round_to_odd(double value) {
    const float nearest = static_cast<float>(value);
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
    if (static_cast<double>(nearest) == value || std::isnan(value) || (bits & 1u)) return nearest;
    return std::bit_cast<float>(std::fabs(static_cast<double>(nearest)) < std::fabs(value) ? bits + 1 : bits - 1);
}

template <class I, class F> I to_integer(F value) {  // out of range: what the hardware gives, without undefined behaviour
    constexpr F limit = static_cast<F>(std::numeric_limits<I>::max()) + F(1);
    if constexpr (std::is_unsigned_v<I>) {
        if (value < 0) return static_cast<I>(to_integer<std::int64_t>(value));
    }
    if (!(value < limit && value >= -limit)) return std::numeric_limits<I>::is_signed ? std::numeric_limits<I>::min() : I(0);
    return static_cast<I>(value);
}

template <class T, class W> T narrowed(W value) {
    if constexpr (is_narrow_v<T>) {
        return T(narrowed<typename T::wide>(value));
    } else if constexpr (is_complex_v<W>) {
        if constexpr (is_complex_v<T>) {
            using R = typename T::value_type;
            return T(static_cast<R>(value.real()), static_cast<R>(value.imag()));
        } else if constexpr (std::is_same_v<T, bool>) {
            return value != W(0);
        } else {
            return narrowed<T>(value.real());
        }
    } else if constexpr (is_complex_v<T>) {
        return T(static_cast<typename T::value_type>(value), 0);
    } else if constexpr (std::is_same_v<T, bool>) {
        return value != 0;
    } else if constexpr (is_half_v<T>) {
        return T(round_to_odd(static_cast<double>(value)));
    } else if constexpr (std::is_floating_point_v<W> && std::is_integral_v<T>) {
        if constexpr (std::is_same_v<T, std::uint64_t>) return to_integer<std::uint64_t>(value);
        else return static_cast<T>(to_integer<std::int64_t>(value));
    } else {
        return static_cast<T>(value);
    }
}

template <class W> Scalar scalar_of(W value, DType to) {
    return dispatch(to, [&]<class T>() { return Scalar::of(narrowed<T>(value)); });
}

// A Python int as int64 or, above its range, uint64.
struct Integer {
    bool fits = false;
    bool is_unsigned = false;  // value is that of a uint64 above the range of int64
    std::int64_t value = 0;
};

Integer read_integer(PyObject* o) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (!overflow) return {true, false, value};
    if (overflow > 0) {
        const unsigned long long large = PyLong_AsUnsignedLongLong(o);
        if (!PyErr_Occurred()) return {true, true, static_cast<std::int64_t>(large)};
        PyErr_Clear();
    }
    return {};
}

template <class T> bool in_range(const Integer& i) {
    if (!i.fits) return false;
    if (i.is_unsigned) return std::is_same_v<T, std::uint64_t>;
    return std::in_range<T>(i.value);
}

bool integer_scalar(PyObject* o, DType to, Scalar& out) {
    switch (kind(to)) {
        case 'b':
            out = Scalar::of(PyObject_IsTrue(o) == 1);
            return true;
        case 'i':
        case 'u': {
            const Integer i = read_integer(o);
            return dispatch(to, [&]<class T>() {
                if constexpr (is_narrow_v<T>) {
                    if constexpr (std::is_integral_v<typename T::wide>) {
                        if (!i.fits || i.is_unsigned || i.value < T::lowest || i.value > T::highest) return false;
                        out = Scalar::of(T(static_cast<typename T::wide>(i.value)));
                        return true;
                    }
                } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
                    if (!in_range<T>(i)) return false;
                    out = Scalar::of(static_cast<T>(i.value));
                    return true;
                }
                return false;
            });
        }
        default: {
            const Integer i = read_integer(o);
            if (i.fits) {
                out = i.is_unsigned ? scalar_of(static_cast<std::uint64_t>(i.value), to) : scalar_of(i.value, to);
                return true;
            }
            const double value = PyLong_AsDouble(o);
            if (value == -1.0 && PyErr_Occurred()) {
                PyErr_Clear();
                return false;
            }
            out = scalar_of(value, to);
            return true;
        }
    }
}

}  // namespace

void load_dtypes(nb::module_& m) {
    constexpr std::array numbers{NPY_BOOL, NPY_INT8, NPY_UINT8, NPY_INT16, NPY_UINT16, NPY_INT32, NPY_UINT32,
                                 NPY_INT64, NPY_UINT64, NPY_HALF, NPY_NOTYPE, NPY_FLOAT, NPY_DOUBLE, NPY_LONGDOUBLE,
                                 NPY_CFLOAT, NPY_CDOUBLE, NPY_CLONGDOUBLE};
    static_assert(numbers.size() == static_cast<std::size_t>(DType::int4));
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (numbers[i] != NPY_NOTYPE) descriptors[i] = PyArray_DescrFromType(numbers[i]);
    const nb::object types = owned(PyImport_ImportModule("ml_dtypes"));
    register_narrow_dtypes(m);
    for (std::size_t i = 0; i < descriptors.size(); ++i) {
        const auto d = static_cast<DType>(i);
        if (!is_registered(d)) continue;
        descriptors[i] = own_descriptor(d);
        if (descriptors[i]) continue;
        const nb::object type = owned(PyObject_GetAttrString(types.ptr(), std::string(name(d)).c_str()));
        if (!PyArray_DescrConverter(type.ptr(), &descriptors[i])) throw_python_error();
    }
}

PyArray_Descr* descriptor(DType d) { return descriptors[static_cast<std::size_t>(d)]; }

int dtype_code(const PyArray_Descr* descr) {
    // By size and kind: C's long and long long are both int64 here.
    constexpr auto sized = [](std::size_t size, DType one, DType two, DType four, DType eight) {
        return static_cast<int>(size == 1 ? one : size == 2 ? two : size == 4 ? four : eight);
    };
    switch (descr->type_num) {
        case NPY_BOOL: return static_cast<int>(DType::boolean);
        case NPY_BYTE: case NPY_SHORT: case NPY_INT: case NPY_LONG: case NPY_LONGLONG:
            return sized(static_cast<std::size_t>(PyDataType_ELSIZE(descr)), DType::int8, DType::int16, DType::int32, DType::int64);
        case NPY_UBYTE: case NPY_USHORT: case NPY_UINT: case NPY_ULONG: case NPY_ULONGLONG:
            return sized(static_cast<std::size_t>(PyDataType_ELSIZE(descr)), DType::uint8, DType::uint16, DType::uint32, DType::uint64);
        case NPY_HALF: return static_cast<int>(DType::float16);
        case NPY_FLOAT: return static_cast<int>(DType::float32);
        case NPY_DOUBLE: return static_cast<int>(DType::float64);
        case NPY_LONGDOUBLE: return static_cast<int>(DType::longdouble);
        case NPY_CFLOAT: return static_cast<int>(DType::complex64);
        case NPY_CDOUBLE: return static_cast<int>(DType::complex128);
        case NPY_CLONGDOUBLE: return static_cast<int>(DType::clongdouble);
        default:
            if (descr->type_num < NPY_USERDEF) return -1;
            for (std::size_t i = 0; i < descriptors.size(); ++i)
                if (descriptors[i] && descriptors[i]->type_num == descr->type_num) return static_cast<int>(i);
            return -1;
    }
}

void raise_unsupported(PyObject* descr, const char* function) {
    raise(unsupported_dtype,
          "asnumpy.%s: dtype %S is not supported; asnumpy holds bool, integer, float and complex arrays: convert it "
          "with astype(...) first, or keep it in NumPy", function, descr);
}

DType expect_dtype(PyObject* o, const char* function) {
    nb::object held;
    if (!PyArray_DescrCheck(o)) {
        PyArray_Descr* converted = nullptr;
        if (!PyArray_DescrConverter(o, &converted)) throw_python_error();
        held = nb::steal(reinterpret_cast<PyObject*>(converted));
        o = held.ptr();
    }
    const int code = dtype_code(reinterpret_cast<PyArray_Descr*>(o));
    if (code < 0) raise_unsupported(o, function);
    return static_cast<DType>(code);
}

bool weak_scalar(PyObject* o, DType to, Scalar& out) {
    switch (weak_kind(o)) {
        case Weak::boolean:
            out = scalar_of(static_cast<std::int64_t>(o == Py_True), to);
            return true;
        case Weak::integer:
            return integer_scalar(o, to, out);
        case Weak::floating: {
            if (is_integer(to)) return false;
            const double value = PyFloat_AS_DOUBLE(o);
            if (to == DType::float64) out = Scalar::of(value);
            else out = scalar_of(value, to);
            return true;
        }
        case Weak::complex: {
            if (!is_complex(to) && to != DType::boolean) return false;
            const Py_complex value = PyComplex_AsCComplex(o);
            out = scalar_of(std::complex<double>(value.real, value.imag), to);
            return true;
        }
        default:
            return false;
    }
}

bool numpy_scalar(PyObject* o, Scalar& out) {
    if (Py_TYPE(o) == &PyDoubleArrType_Type) {  // the commonest, without the search for its description
        out = Scalar::of(static_cast<double>(PyArrayScalar_VAL(o, Double)));
        return true;
    }
    if (Py_TYPE(o) == &PyInt64ArrType_Type) {
        out = Scalar::of(static_cast<std::int64_t>(PyArrayScalar_VAL(o, Int64)));
        return true;
    }
    if (!PyArray_CheckScalar(o) || PyArray_Check(o)) return false;
    const nb::object descr = nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromScalar(o)));
    if (!descr.is_valid()) {
        PyErr_Clear();
        return false;
    }
    const int code = dtype_code(reinterpret_cast<PyArray_Descr*>(descr.ptr()));
    if (code < 0) return false;
    out.dtype = static_cast<DType>(code);
    if (is_registered(out.dtype)) {
        const nb::object element = owned(PyArray_FromScalar(o, nullptr));
        std::memcpy(out.bytes.data(), PyArray_DATA(reinterpret_cast<PyArrayObject*>(element.ptr())), itemsize(out.dtype));
    } else {
        PyArray_ScalarAsCtype(o, out.bytes.data());
    }
    return true;
}

Scalar cast_scalar(const Scalar& s, DType to) {
    if (s.dtype == to) return s;
    return dispatch(s.dtype, [&]<class T>() {
        const T value = s.get<T>();
        if constexpr (is_narrow_v<T>) return cast_scalar(Scalar::of(static_cast<typename T::wide>(value)), to);
        else if constexpr (is_complex_v<T>) return scalar_of(std::complex<long double>(value.real(), value.imag()), to);
        else if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) return scalar_of(static_cast<std::int64_t>(value), to);
        else if constexpr (std::is_integral_v<T>) return scalar_of(static_cast<std::uint64_t>(value), to);
        else if constexpr (is_half_v<T>) return scalar_of(static_cast<double>(static_cast<float>(value)), to);
        else if constexpr (std::is_same_v<T, long double>) return scalar_of(value, to);
        else return scalar_of(static_cast<double>(value), to);
    });
}

Scalar assigned_scalar(PyObject* o, DType to) {
    Scalar out;
    const bool number = is_number_object(o) && is_known(as_number(o));
    if (number) out = as_number(o)->value;
    if (number || numpy_scalar(o, out)) {
        if (is_complex(out.dtype) && !is_complex(to) && to != DType::boolean) warn_complex_discarded();
        return cast_scalar(out, to);
    }
    switch (kind(to)) {
        case 'b': {
            const int truth = PyObject_IsTrue(o);
            if (truth < 0) throw_python_error();
            return Scalar::of(truth == 1);
        }
        case 'i':
        case 'u': {
            const nb::object whole = owned(PyNumber_Long(o));
            if (!integer_scalar(whole.ptr(), to, out))
                raise(PyExc_OverflowError, "Python integer %S out of bounds for %s", whole.ptr(),
                      std::string(name(to)).c_str());
            return out;
        }
        case 'f': {
            if (o == Py_None) return scalar_of(std::numeric_limits<double>::quiet_NaN(), to);
            if (PyLong_Check(o) && integer_scalar(o, to, out)) return out;
            if (PySequence_Check(o) && !PyUnicode_Check(o) && !PyBytes_Check(o) && !PyNumber_Check(o))
                raise(PyExc_ValueError, "setting an array element with a sequence.");
            const nb::object real = owned(PyNumber_Float(o));
            return scalar_of(PyFloat_AS_DOUBLE(real.ptr()), to);
        }
        default: {
            constexpr double nan = std::numeric_limits<double>::quiet_NaN();
            if (o == Py_None) return scalar_of(std::complex<double>(nan, nan), to);
            const Py_complex value = PyComplex_AsCComplex(o);
            if (value.real == -1.0 && PyErr_Occurred()) throw_python_error();
            return scalar_of(std::complex<double>(value.real, value.imag), to);
        }
    }
}

PyObject* element_to_python(DType d, const char* element) {
    return dispatch(d, [&]<class T>() -> PyObject* {
        if constexpr (std::is_same_v<T, long double> || std::is_same_v<T, std::complex<long double>>) {
            return checked(PyArray_Scalar(const_cast<char*>(element), descriptor(d), nullptr));
        } else {
            T value;
            std::memcpy(&value, element, sizeof value);
            if constexpr (is_narrow_v<T>) {
                const typename T::wide wide = value;
                return element_to_python(dtype_of_v<typename T::wide>, reinterpret_cast<const char*>(&wide));
            } else if constexpr (std::is_same_v<T, bool>) return PyBool_FromLong(value);
            else if constexpr (is_complex_v<T>)
                return checked(PyComplex_FromDoubles(static_cast<double>(value.real()), static_cast<double>(value.imag())));
            else if constexpr (is_half_v<T>) return checked(PyFloat_FromDouble(static_cast<double>(static_cast<float>(value))));
            else if constexpr (std::is_floating_point_v<T>) return checked(PyFloat_FromDouble(static_cast<double>(value)));
            else if constexpr (std::is_signed_v<T>) return checked(PyLong_FromLongLong(value));
            else return checked(PyLong_FromUnsignedLongLong(value));
        }
    });
}

nb::object dims_to_tuple(const Dims& dims) {
    nb::object tuple = owned(PyTuple_New(dims.size()));
    for (int i = 0; i < dims.size(); ++i) PyTuple_SET_ITEM(tuple.ptr(), i, checked(PyLong_FromLongLong(dims[i])));
    return tuple;
}

std::int64_t to_int64(PyObject* o) {
    if (PyLong_CheckExact(o)) {
        const long long value = PyLong_AsLongLong(o);
        if (value == -1 && PyErr_Occurred()) throw_python_error();
        return value;
    }
    const nb::object index = owned(PyNumber_Index(o));
    const long long value = PyLong_AsLongLong(index.ptr());
    if (value == -1 && PyErr_Occurred()) throw_python_error();
    return value;
}

namespace {

std::int64_t to_length(PyObject* o) {
    if (PyBool_Check(o)) raise(PyExc_TypeError, "expected an integer as a length, got %R", o);
    try {
        return to_int64(o);
    } catch (const Interrupted&) {
        if (!PyErr_ExceptionMatches(PyExc_OverflowError)) throw;
        PyErr_Clear();
    }
    raise(PyExc_ValueError, "Maximum allowed dimension exceeded");
}

Dims each_of(PyObject* o, std::int64_t (*convert)(PyObject*)) {
    if (PyLong_Check(o) || (PyIndex_Check(o) && !PySequence_Check(o))) return Dims{convert(o)};
    const nb::object sequence = owned(PySequence_Fast(o, "expected a sequence of integers or a single integer"));
    const Items items(sequence.ptr());
    if (items.size() > max_ndim) raise(PyExc_ValueError, "maximum supported dimension for an ndarray is currently %d, found %zu", max_ndim, items.size());
    Dims dims;
    for (PyObject* const item : items) dims.push_back(convert(item));
    return dims;
}

}  // namespace

Dims to_dims(PyObject* o) { return each_of(o, to_length); }
Dims to_integers(PyObject* o) { return each_of(o, to_int64); }

int normalise_axis(long long axis, int ndim, const char* parameter) {
    if (axis < -ndim || axis >= ndim) raise_axis_error(axis, ndim, parameter);
    return static_cast<int>(axis < 0 ? axis + ndim : axis);
}

std::uint64_t mask_of_axes(const Dims& axes, int ndim, const char* repeated) {
    std::uint64_t mask = 0;
    for (const std::int64_t axis : axes) {
        const std::uint64_t bit = std::uint64_t{1} << normalise_axis(axis, ndim);
        if (mask & bit) raise(PyExc_ValueError, "%s", repeated);
        mask |= bit;
    }
    return mask;
}

}  // namespace asnumpy::python
