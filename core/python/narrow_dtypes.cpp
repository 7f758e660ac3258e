// NumPy dtypes for the narrow types that ml_dtypes has none for: a scalar class, storage, comparison and casts each.
#include "python/narrow_dtypes.hpp"

#include <cstring>

#include "python/convert.hpp"

namespace asnumpy::python {

namespace {

// One registered dtype. NumPy keeps pointers to all of it, so that it lives as long as the process.
template <class T> struct Registered {
    struct Object {
        PyObject_HEAD
        T value;
    };
    static inline PyTypeObject* type = nullptr;
    static inline PyArray_Descr* descr = nullptr;
    static inline PyArray_ArrFuncs functions{};
    static inline PyArray_DescrProto prototype{};

    static double value_of(PyObject* o) { return static_cast<double>(static_cast<float>(reinterpret_cast<Object*>(o)->value)); }
    static T from_double(double value) { return cast_scalar(Scalar::of(value), dtype_of_v<T>).template get<T>(); }
    static T load(const void* from) {
        T value;
        std::memcpy(&value, from, sizeof value);
        return value;
    }

    static PyObject* make(T value) {
        PyObject* const made = type->tp_alloc(type, 0);
        if (made) reinterpret_cast<Object*>(made)->value = value;
        return made;
    }

    static PyObject* construct(PyTypeObject*, PyObject* args, PyObject* named) {
        PyObject* given = nullptr;
        if ((named && PyDict_Size(named)) || !PyArg_UnpackTuple(args, type->tp_name, 0, 1, &given)) {
            if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%s() takes no keyword arguments", type->tp_name);
            return nullptr;
        }
        if (!given) return make(from_double(0));
        PyObject* const number = PyNumber_Float(given);
        if (!number) return nullptr;
        PyObject* const made = make(from_double(PyFloat_AS_DOUBLE(number)));
        Py_DECREF(number);
        return made;
    }

    static PyObject* as_float(PyObject* self) { return PyFloat_FromDouble(value_of(self)); }
    static int truth(PyObject* self) { return value_of(self) != 0; }
    static PyObject* as_int(PyObject* self) {
        PyObject* const number = as_float(self);
        if (!number) return nullptr;
        PyObject* const whole = PyNumber_Long(number);
        Py_DECREF(number);
        return whole;
    }

    static PyObject* text(PyObject* self) {
        char* const written = PyOS_double_to_string(value_of(self), 'r', 0, 0, nullptr);
        if (!written) return nullptr;
        PyObject* const result = PyUnicode_FromString(written);
        PyMem_Free(written);
        return result;
    }

    static Py_hash_t hash(PyObject* self) {
        PyObject* const number = as_float(self);
        if (!number) return -1;
        const Py_hash_t result = PyObject_Hash(number);
        Py_DECREF(number);
        return result;
    }

    static PyObject* compare(PyObject* self, PyObject* other, int operation) {
        if (!PyFloat_Check(other) && !PyLong_Check(other) && !PyObject_TypeCheck(other, type)) Py_RETURN_NOTIMPLEMENTED;
        PyObject* const left = as_float(self);
        PyObject* const right = PyNumber_Float(other);
        PyObject* const result = left && right ? PyObject_RichCompare(left, right, operation) : nullptr;
        Py_XDECREF(left);
        Py_XDECREF(right);
        return result;
    }

    // What NumPy calls on elements.
    static PyObject* get(void* from, void*) { return PyFloat_FromDouble(static_cast<double>(static_cast<float>(load(from)))); }
    static int set(PyObject* o, void* to, void*) {
        PyObject* const number = PyNumber_Float(o);
        if (!number) return -1;
        const T value = from_double(PyFloat_AS_DOUBLE(number));
        Py_DECREF(number);
        std::memcpy(to, &value, sizeof value);
        return 0;
    }
    static void copy_one(void* to, void* from, int, void*) {
        if (from) std::memcpy(to, from, sizeof(T));
    }
    static void copy_many(void* to, npy_intp to_stride, void* from, npy_intp from_stride, npy_intp n, int, void*) {
        if (!from) return;
        for (npy_intp i = 0; i < n; ++i)
            std::memcpy(static_cast<char*>(to) + i * to_stride, static_cast<char*>(from) + i * from_stride, sizeof(T));
    }
    static npy_bool is_true(void* from, void*) { return static_cast<float>(load(from)) != 0.0f; }
    static int order(const void* a, const void* b, void*) {  // NaN last
        const float x = load(a), y = load(b);
        if (x < y || (y != y && x == x)) return -1;
        return x > y || (x != x && y == y);
    }

    // Casts of contiguous elements between T and NumPy's C type number `code`, by the core's own conversion.
    template <class C> static void from_other(void* from, void* to, npy_intp n, void*, void*) {
        for (npy_intp i = 0; i < n; ++i) {
            C value;
            std::memcpy(&value, static_cast<const char*>(from) + static_cast<std::size_t>(i) * sizeof(C), sizeof(C));
            const T narrowed = cast_scalar(Scalar::of(value), dtype_of_v<T>).template get<T>();
            std::memcpy(static_cast<char*>(to) + static_cast<std::size_t>(i) * sizeof(T), &narrowed, sizeof(T));
        }
    }
    template <class C> static void to_other(void* from, void* to, npy_intp n, void*, void*) {
        for (npy_intp i = 0; i < n; ++i) {
            const T value = load(static_cast<const char*>(from) + static_cast<std::size_t>(i) * sizeof(T));
            const C wide = cast_scalar(Scalar::of(value), dtype_of_v<C>).template get<C>();
            std::memcpy(static_cast<char*>(to) + static_cast<std::size_t>(i) * sizeof(C), &wide, sizeof(C));
        }
    }
    template <class C> static void register_casts(PyArray_Descr* other, bool safe) {
        if (PyArray_RegisterCastFunc(other, descr->type_num, &from_other<C>) < 0 ||
            PyArray_RegisterCastFunc(descr, other->type_num, &to_other<C>) < 0 ||
            (safe && PyArray_RegisterCanCast(descr, other->type_num, NPY_NOSCALAR) < 0))
            throw_python_error();
    }

    static void create(nb::module_& m, const char* full_name, const char* documentation, char letter) {
        PyType_Slot slots[] = {
            {Py_tp_new, reinterpret_cast<void*>(&construct)},
            {Py_tp_repr, reinterpret_cast<void*>(&text)},
            {Py_tp_str, reinterpret_cast<void*>(&text)},
            {Py_tp_hash, reinterpret_cast<void*>(&hash)},
            {Py_tp_richcompare, reinterpret_cast<void*>(&compare)},
            {Py_tp_doc, const_cast<char*>(documentation)},
            {Py_nb_float, reinterpret_cast<void*>(&as_float)},
            {Py_nb_int, reinterpret_cast<void*>(&as_int)},
            {Py_nb_bool, reinterpret_cast<void*>(&truth)},
            {0, nullptr},
        };
        PyType_Spec spec{full_name, sizeof(Object), 0, Py_TPFLAGS_DEFAULT, slots};
        const nb::object bases = owned(PyTuple_Pack(1, &PyGenericArrType_Type));
        nb::object made = owned(PyType_FromSpecWithBases(&spec, bases.ptr()));
        type = reinterpret_cast<PyTypeObject*>(made.ptr());

        PyArray_InitArrFuncs(&functions);
        functions.getitem = &get;
        functions.setitem = &set;
        functions.copyswap = &copy_one;
        functions.copyswapn = &copy_many;
        functions.nonzero = &is_true;
        functions.compare = &order;
        Py_SET_TYPE(reinterpret_cast<PyObject*>(&prototype), &PyArrayDescr_Type);
        Py_SET_REFCNT(reinterpret_cast<PyObject*>(&prototype), 1);
        prototype.typeobj = type;
        prototype.kind = 'V';  // as ml_dtypes: NumPy's own kinds would promise more than a user dtype has
        prototype.type = letter;
        prototype.byteorder = '=';
        prototype.flags = NPY_NEEDS_PYAPI | NPY_USE_SETITEM;
        prototype.elsize = sizeof(T);
        prototype.alignment = alignof(T);
        prototype.f = &functions;
        const int number = PyArray_RegisterDataType(&prototype);
        if (number < 0) throw_python_error();
        descr = PyArray_DescrFromType(number);
        if (PyObject_SetAttrString(made.ptr(), "dtype", reinterpret_cast<PyObject*>(descr)) < 0) throw_python_error();
        m.attr(std::string(name(dtype_of_v<T>)).c_str()) = made;
        (void)made.release();

        const auto numbered = [](DType d) { return descriptor(d); };
        register_casts<bool>(numbered(DType::boolean), false);
        register_casts<std::int8_t>(numbered(DType::int8), false);
        register_casts<std::uint8_t>(numbered(DType::uint8), false);
        register_casts<std::int16_t>(numbered(DType::int16), false);
        register_casts<std::uint16_t>(numbered(DType::uint16), false);
        register_casts<std::int32_t>(numbered(DType::int32), false);
        register_casts<std::uint32_t>(numbered(DType::uint32), false);
        register_casts<std::int64_t>(numbered(DType::int64), false);
        register_casts<std::uint64_t>(numbered(DType::uint64), false);
        register_casts<float16>(numbered(DType::float16), false);  // so that NumPy computes in float32
        register_casts<float>(numbered(DType::float32), true);
        register_casts<double>(numbered(DType::float64), true);
        register_casts<long double>(numbered(DType::longdouble), true);
        register_casts<std::complex<float>>(numbered(DType::complex64), true);
        register_casts<std::complex<double>>(numbered(DType::complex128), true);
        register_casts<std::complex<long double>>(numbered(DType::clongdouble), true);
        const nb::object other_long = nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(NPY_LONGLONG)));
        const nb::object other_ulong = nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(NPY_ULONGLONG)));
        if (reinterpret_cast<PyArray_Descr*>(other_long.ptr())->type_num != descriptor(DType::int64)->type_num) {
            register_casts<std::int64_t>(reinterpret_cast<PyArray_Descr*>(other_long.ptr()), false);
            register_casts<std::uint64_t>(reinterpret_cast<PyArray_Descr*>(other_ulong.ptr()), false);
        }
    }
};

}  // namespace

void register_narrow_dtypes(nb::module_& m) {
    Registered<hifloat8>::create(m, "asnumpy.hifloat8",
        "HiFloat8: 8 bits with tapered precision. Between 2**-3 and 2**4 the mantissa has 3 bits, further out 2 and 1;\n"
        "the greatest finite value is 2**15, the least positive one 2**-22. Rounds to nearest, ties away from zero.", 'h');
    Registered<float4_e1m2fn>::create(m, "asnumpy.float4_e1m2fn",
        "A 4-bit float of 1 exponent and 2 mantissa bits: multiples of 0.25 up to 1.75, neither infinity nor NaN.", 'w');
}

PyArray_Descr* own_descriptor(DType d) {
    if (d == DType::hifloat8) return Registered<hifloat8>::descr;
    if (d == DType::float4_e1m2fn) return Registered<float4_e1m2fn>::descr;
    return nullptr;
}

}  // namespace asnumpy::python
