// Arrays made of nothing but a shape, a dtype and a number.
#pragma once

#include <optional>

#include "python/array_object.hpp"

namespace asnumpy::python {

// The dtype that an object names: an np.dtype in native byte order, a class of NumPy's or Python's numbers, the commonest texts. -1 for all else.
int named_dtype(PyObject*);
// Likewise, of `dtype=` where an array is made; the settings may have float stand for float32. None: as float.
int dtype_to_make(PyObject*);
// A C-ordered array of that number, of its dtype; of whatever lies there where there is none.
Array filled(const Dims&, DType, Pool&, const std::optional<Scalar>& number);
// What a new array is to be; nothing, without an exception, where the arguments want a closer look.
struct Request {
    Dims shape;
    DType dtype;
};
std::optional<Request> plain_request(PyObject* shape, PyObject* dtype);
// A C-ordered array of one number, where new arrays are made; `value` None: of whatever lies there. `dtype` as zeros() takes it.
// Null, without an exception, where the arguments want a closer look.
PyObject* filled(PyObject* shape, PyObject* dtype, PyObject* value);

}  // namespace asnumpy::python
