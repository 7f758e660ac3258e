// Values and dtypes: NumPy's descriptors, Python's numbers and the core's scalars, one into the other.
#pragma once

#include "base/dtype.hpp"
#include "base/view.hpp"
#include "python/errors.hpp"

namespace asnumpy::python {

void load_dtypes(nb::module_&);  // once, at import

PyArray_Descr* descriptor(DType);                     // borrowed
int dtype_code(const PyArray_Descr*);                 // -1 when asnumpy does not hold it; byte order is ignored
DType expect_dtype(PyObject*, const char* function);  // a np.dtype, or what np.dtype() takes; TypeError
[[noreturn]] void raise_unsupported(PyObject* descriptor, const char* function);

// An operand that is a Python number: by its kind it takes part in type resolution, by NEP 50.
enum class Weak : int { none = -1, boolean = dtype_count, integer, floating, complex };
inline constexpr int operand_kinds = dtype_count + 4;
inline Weak weak_kind(PyObject* o) {  // exact Python classes only: numpy.float64 is a float and strong
    PyTypeObject* type = Py_TYPE(o);
    if (type == &PyFloat_Type) return Weak::floating;
    if (type == &PyLong_Type) return Weak::integer;
    if (type == &PyBool_Type) return Weak::boolean;
    if (type == &PyComplex_Type) return Weak::complex;
    return Weak::none;
}

// The value of a weak operand in the loop's dtype. False when it does not fit (no Python exception is set).
bool weak_scalar(PyObject*, DType, Scalar&);
// A NumPy scalar in its own dtype. False when it is none, or of a dtype asnumpy does not hold.
bool numpy_scalar(PyObject*, Scalar&);
Scalar cast_scalar(const Scalar&, DType);
// The value as `array[...] = value` stores it: int(value), float(value), with Python's exceptions.
Scalar assigned_scalar(PyObject*, DType);

PyObject* element_to_python(DType, const char* element);  // what item() and tolist() give

nb::object dims_to_tuple(const Dims&);
// A shape or integers of another kind, as an int or a sequence of ints; TypeError as from operator.index. What is no
// int64 is a ValueError in a shape, an OverflowError elsewhere.
Dims to_dims(PyObject*);
Dims to_integers(PyObject*);
std::int64_t to_int64(PyObject*);
int normalise_axis(long long axis, int ndim, const char* parameter = nullptr);  // AxisError, which may name the parameter
std::uint64_t mask_of_axes(const Dims& axes, int ndim, const char* repeated = "duplicate value in 'axis'");

}  // namespace asnumpy::python
