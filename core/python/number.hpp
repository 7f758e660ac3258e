// Number: a 0-d array that acts as a number, where NumPy gives a scalar.
//
// No function and no operator changes a Number, as NumPy's scalars. Its value lies within the object as soon as somebody knows it; before that it
// is an array like any other, deferred, with a buffer that nobody else writes. The other way round, one that was made with
// its value has no array until somebody asks for one: unwrap() makes it. There is one class for each kind of dtype, so that
// `numbers.Real` and its like can name them; all have this layout, and none can be derived from.
#pragma once

#include <cstring>

#include "python/array_object.hpp"
#include "python/beside.hpp"
#include "python/convert.hpp"

namespace asnumpy::python {

struct PyNumber : PyArray {
    Pool* pool;    // the device it belongs to
    Flag known;    // `value` is complete; before, it has the dtype only. Who learns it does so under the object's critical section
    bool weak;     // while a function is traced: it stands for a float of Python's, whose dtype the other operands decide
    Scalar value;
};

enum class NumberKind : int { boolean, integer, floating, complex, count };
inline std::array<PyTypeObject*, static_cast<std::size_t>(NumberKind::count)> number_types{};  // set by number_class

inline PyNumber* as_number(PyObject* o) { return reinterpret_cast<PyNumber*>(o); }
inline DType dtype_of(PyObject* array) { return is_number_object(array) ? as_number(array)->value.dtype : unwrap(array)->array.dtype; }

// memcpy of an element's bytes, without the call that a size known at run time only would cost.
inline void copy_item(void* to, const void* from, std::size_t size) {
    switch (size) {
        case 1: std::memcpy(to, from, 1); break;
        case 2: std::memcpy(to, from, 2); break;
        case 4: std::memcpy(to, from, 4); break;
        case 8: std::memcpy(to, from, 8); break;
        case 16: std::memcpy(to, from, 16); break;
        default: std::memcpy(to, from, 32); break;
    }
}

bool learn(PyNumber*);  // takes the value from the array's memory, if that takes no waiting
// Whether the value can be had without running anything; it is then in `value`.
inline bool is_known(PyNumber* n) { return n->known || learn(n); }
const Scalar& value_of(PyNumber*);  // runs what it needs

// A new Number without a value, which the caller writes and marks as known before anybody sees it.
PyNumber* blank_number(DType, Pool&);

// config.scalars: NumPy's own scalars in the Numbers' place wherever the program gets one, known at once. The package's functions work with
// Numbers even so, and exchange them at the end of the call that the program made.
inline Flag numpy_scalars;
inline bool gives_numpys() { return numpy_scalars && depth == 0 && hooks_entered == 0 && !current_trace(); }
PyObject* exchanged(PyObject* result);  // takes a reference, null for an exception, and gives one; Numbers in a tuple or list as well

// A value as what stands for a scalar: a Number, one of two for bool.
PyObject* number_of(const Scalar&, Pool&);
PyObject* number_at(DType, const char* element, Pool&);  // of the bytes there
PyObject* boolean_number(bool, Pool&);

PyObject* numpy_scalar_of(const Scalar&);

inline Pool& home_of(PyObject* array) { return is_number_object(array) ? *as_number(array)->pool : unwrap(array)->array.pool(); }

PyObject* view_of_number(PyNumber*, View&&, DType);
PyObject* number_subscript(PyNumber*, PyObject* key);  // a new reference; null for a key that arrays answer

// The class that a class statement stands for: Number (which: null), or one of its kinds by name.
PyObject* number_class(PyObject* cls, const char* which);
void make_truths();  // the CPU's two numbers of bool, when their class is made
void create_number_functions(nb::module_&);

}  // namespace asnumpy::python
