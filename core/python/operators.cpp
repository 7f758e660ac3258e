// The operators of arrays: slots that go straight to a ufunc.
#include <cstring>

#include "python/convert.hpp"
#include "python/error_state.hpp"
#include "python/hooks.hpp"
#include "python/number.hpp"
#include "python/products.hpp"
#include "python/quick_numbers.hpp"
#include "python/ufunc_object.hpp"

namespace asnumpy::python {

namespace {

PyObject* object(PyUfunc* u) { return reinterpret_cast<PyObject*>(u); }

// A list, text or tuple times a number is Python's to answer: it repeats the sequence, or says that it cannot.
bool repeats(PyObject* number, PyObject* other) {
    if (!is_number_object(number) || is_array(other) || PyArray_Check(other)) return false;
    const PyTypeObject* type = Py_TYPE(other);
    const bool multiplies = type->tp_as_number && type->tp_as_number->nb_multiply;
    return type->tp_as_sequence && type->tp_as_sequence->sq_repeat && !multiplies;
}

PyObject* apply_binary(Operator which, PyObject* a, PyObject* b) {
    PyUfunc* u = operator_ufunc(which);
    PyObject* operands[] = {a, b};
    PyObject* result = nullptr;
    if (call_fast(u, operands, result)) return result;
    if (which == Operator::multiply && (repeats(a, b) || repeats(b, a))) return Py_NewRef(Py_NotImplemented);
    const bool known = (is_exact(a) || is_number(a)) && (is_exact(b) || is_number(b));
    if (known) return call_slowly(u, operands, 2, nullptr);
    return call_hook(&Hooks::binary, "binary", object(u), a, b);
}

template <Operator which> PyObject* binary(PyObject* a, PyObject* b) {
    return guarded([&]() -> PyObject* {
        PyObject* result = quick<which>(a, b);
        return result ? result : apply_binary(which, a, b);
    });
}

template <Operator which> PyObject* unary(PyObject* a) {
    return guarded([&]() -> PyObject* {
        if (PyObject* made = quick<which>(a)) return made;
        PyUfunc* u = operator_ufunc(which);
        PyObject* result = nullptr;
        return call_fast(u, &a, result) ? result : call_slowly(u, &a, 1, nullptr);
    });
}

PyObject* apply_inplace(Operator which, PyObject* self, PyObject* other) {
    PyUfunc* u = operator_ufunc(which);
    if (call_inplace(u, self, other)) return Py_NewRef(self);
    return call_hook(&Hooks::inplace, "inplace", object(u), self, other);
}

template <Operator which> PyObject* inplace(PyObject* self, PyObject* other) {
    return guarded([&] { return apply_inplace(which, self, other); });
}

// x ** 2 and its like cost one multiplication, as in NumPy. `count` when there is no such shortcut.
Operator shortcut(PyObject* base, PyObject* exponent) {
    if (!is_exact(base) && !is_derived(base)) return Operator::count;
    const DType dtype = dtype_of(base);
    if (dtype == DType::boolean && is_number_object(base)) return Operator::count;  // which NumPy's scalars take as an integer
    // NumPy takes these ways for its own dtypes only; a square is the same by either.
    const bool inexact = (is_float(dtype) || is_complex(dtype)) && dtype != DType::bfloat16 && !is_narrow(dtype);
    double value = 0;
    if (PyFloat_CheckExact(exponent) && inexact) {
        value = PyFloat_AS_DOUBLE(exponent);
    } else if (PyLong_CheckExact(exponent)) {
        int overflow = 0;
        value = static_cast<double>(PyLong_AsLongLongAndOverflow(exponent, &overflow));
        if (overflow) return Operator::count;
    } else {
        return Operator::count;
    }
    if (value == 2.0) return Operator::square;
    if (value == 1.0 && dtype != DType::boolean && !is_narrow(dtype)) return Operator::positive;
    if (inexact && value == 0.5) return Operator::sqrt;
    if (inexact && value == -1.0) return Operator::reciprocal;
    return Operator::count;
}

bool is_whole(PyObject* o) { return PyLong_Check(o) || (is_number_object(o) && is_integer(as_number(o)->value.dtype)); }

PyObject* power(PyObject* base, PyObject* exponent, PyObject* modulus) {
    if (modulus != Py_None) {  // of whole numbers alone, and then Python's
        if (!is_whole(base) || !is_whole(exponent) || !is_whole(modulus)) Py_RETURN_NOTIMPLEMENTED;
        return guarded([&] {
            const nb::object b = owned(PyNumber_Index(base)), e = owned(PyNumber_Index(exponent)), m = owned(PyNumber_Index(modulus));
            return checked(PyNumber_Power(b.ptr(), e.ptr(), m.ptr()));
        });
    }
    return guarded([&]() -> PyObject* {
        const Operator quick = shortcut(base, exponent);
        if (quick == Operator::count) return apply_binary(Operator::power, base, exponent);
        PyObject* result = nullptr;
        PyUfunc* u = operator_ufunc(quick);
        return call_fast(u, &base, result) ? result : call_slowly(u, &base, 1, nullptr);
    });
}

PyObject* inplace_power(PyObject* base, PyObject* exponent, PyObject* modulus) {
    if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
    return guarded([&]() -> PyObject* {
        const Operator quick = shortcut(base, exponent);
        if (quick == Operator::count || unwrap(base)->array.dtype == DType::boolean)
            return apply_inplace(Operator::power, base, exponent);
        if (quick == Operator::square && is_exact(base)) return apply_inplace(Operator::multiply, base, base);
        const nb::object names = owned(Py_BuildValue("(s)", "out"));
        PyObject* operands[] = {base, base};
        return call_slowly(operator_ufunc(quick), operands, 1, names.ptr());
    });
}

PyObject* matrix_product(PyObject* a, PyObject* b) {
    if (is_plain_array(a) && is_plain_array(b) && !is_redirected(operator_ufunc(Operator::matmul)) && !errors_are_watched())
        if (PyObject* const made = quick_product(unwrap(a)->array, unwrap(b)->array)) return made;
    return call_hook(&Hooks::matmul, "matmul", a, b);
}

PyObject* matrix_multiply(PyObject* a, PyObject* b) {
    return guarded([&] { return matrix_product(a, b); });
}

PyObject* inplace_matrix_multiply(PyObject* a, PyObject* b) {
    return guarded([&]() -> PyObject* {
        if (is_array(b) && (unwrap(a)->array.ndim() < 1 || unwrap(b)->array.ndim() < 2))
            raise(PyExc_ValueError, "inplace matrix multiplication requires the first operand to have at least one and "
                                    "the second at least two dimensions.");
        const nb::object product = nb::steal(matrix_product(a, b));
        if (product.ptr() == Py_NotImplemented) return Py_NewRef(Py_NotImplemented);
        if (is_array(product.ptr())) {
            const View &target = unwrap(a)->array.view, &made = unwrap(product.ptr())->array.view;
            const int core = target.ndim() > 1 ? 1 : 0;
            if (made.ndim() > 0 && made.shape[made.ndim() - 1] != target.shape[target.ndim() - 1])  // it is not broadcast
                raise(PyExc_ValueError, "matmul: Output operand 0 has a mismatch in its core dimension %d, with gufunc signature "
                                        "(n?,k),(k,m?)->(n?,m?) (size %lld is different from %lld)", core,
                      static_cast<long long>(target.shape[target.ndim() - 1]), static_cast<long long>(made.shape[made.ndim() - 1]));
        }
        if (slots::assign_subscript(a, Py_Ellipsis, product.ptr()) < 0) throw_python_error();
        return Py_NewRef(a);
    });
}

const PyType_Slot operator_slots[] = {
    slot(Py_nb_add, binary<Operator::add>),
    slot(Py_nb_subtract, binary<Operator::subtract>),
    slot(Py_nb_multiply, binary<Operator::multiply>),
    slot(Py_nb_true_divide, binary<Operator::divide>),
    slot(Py_nb_floor_divide, binary<Operator::floor_divide>),
    slot(Py_nb_remainder, binary<Operator::remainder>),
    slot(Py_nb_divmod, binary<Operator::divmod>),
    slot(Py_nb_power, power),
    slot(Py_nb_lshift, binary<Operator::left_shift>),
    slot(Py_nb_rshift, binary<Operator::right_shift>),
    slot(Py_nb_and, binary<Operator::bitwise_and>),
    slot(Py_nb_or, binary<Operator::bitwise_or>),
    slot(Py_nb_xor, binary<Operator::bitwise_xor>),
    slot(Py_nb_negative, unary<Operator::negative>),
    slot(Py_nb_positive, unary<Operator::positive>),
    slot(Py_nb_absolute, unary<Operator::absolute>),
    slot(Py_nb_invert, unary<Operator::invert>),
    slot(Py_nb_matrix_multiply, matrix_multiply),
    slot(Py_nb_inplace_add, inplace<Operator::add>),
    slot(Py_nb_inplace_subtract, inplace<Operator::subtract>),
    slot(Py_nb_inplace_multiply, inplace<Operator::multiply>),
    slot(Py_nb_inplace_true_divide, inplace<Operator::divide>),
    slot(Py_nb_inplace_floor_divide, inplace<Operator::floor_divide>),
    slot(Py_nb_inplace_remainder, inplace<Operator::remainder>),
    slot(Py_nb_inplace_power, inplace_power),
    slot(Py_nb_inplace_lshift, inplace<Operator::left_shift>),
    slot(Py_nb_inplace_rshift, inplace<Operator::right_shift>),
    slot(Py_nb_inplace_and, inplace<Operator::bitwise_and>),
    slot(Py_nb_inplace_or, inplace<Operator::bitwise_or>),
    slot(Py_nb_inplace_xor, inplace<Operator::bitwise_xor>),
    slot(Py_nb_inplace_matrix_multiply, inplace_matrix_multiply),
};

}  // namespace

std::span<const PyType_Slot> number_slots() { return operator_slots; }

PyObject* slots::compare(PyObject* a, PyObject* b, int operation) {
    static_assert(Py_LT == 0 && Py_LE == 1 && Py_EQ == 2 && Py_NE == 3 && Py_GT == 4 && Py_GE == 5);
    switch (operation) {
        case Py_LT: return binary<Operator::less>(a, b);
        case Py_LE: return binary<Operator::less_equal>(a, b);
        case Py_EQ: return binary<Operator::equal>(a, b);
        case Py_NE: return binary<Operator::not_equal>(a, b);
        case Py_GT: return binary<Operator::greater>(a, b);
        default: return binary<Operator::greater_equal>(a, b);
    }
}

}  // namespace asnumpy::python
