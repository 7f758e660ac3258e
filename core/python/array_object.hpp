// _core.Array: the Python object around a core array.
#pragma once

#include <utility>

#include "python/errors.hpp"
#include "runtime/queue.hpp"

namespace asnumpy::python {

struct ArrayHead {
    PyObject_HEAD
    PyObject* base;      // who owns the memory of a view; null for an owner
    PyObject* weakrefs;
    bool writeable;
    bool scalar;         // stands where NumPy gives a scalar: `x += 1` makes a new one, other names keep theirs
    bool exported;       // its address was given away for as long as it lives
};

struct PyArray : ArrayHead {
    Array array;
};

inline PyTypeObject* base_type = nullptr;   // _core.Array
inline PyTypeObject* array_type = nullptr;  // what new arrays are: asnumpy.ndarray once it is registered

inline bool is_exact(PyObject* o) { return Py_TYPE(o) == array_type; }
inline bool is_array(PyObject* o) { return is_exact(o) || PyObject_TypeCheck(o, base_type); }
inline PyArray* unwrap(PyObject* o) { return reinterpret_cast<PyArray*>(o); }
// TypeError names the function when `o` is no Array.
PyArray* expect_array(PyObject* o, const char* function);

PyObject* wrap(Array&&, PyTypeObject* type = nullptr);
// The result of a computation: 0-d results take the place of NumPy's scalars.
inline PyObject* wrap_result(Array&& array) {
    const bool scalar = array.ndim() == 0;
    PyObject* o = wrap(std::move(array));
    unwrap(o)->scalar = scalar;
    return o;
}
PyObject* wrap_view(PyArray* source, View&&);                // same dtype, `base` as NumPy chooses it
PyObject* wrap_view(PyArray* source, View&&, DType);

void require_writeable(PyArray*, const char* text);           // ValueError with this text

void register_array_type(PyObject* type);
void create_array_type(nb::module_&);

// Slots, defined in the file that is named after them.
namespace slots {
PyObject* subscript(PyObject*, PyObject* key);
int assign_subscript(PyObject*, PyObject* key, PyObject* value);
PyObject* item_at(PyObject*, Py_ssize_t);
PyObject* iterate(PyObject*);
Py_ssize_t length(PyObject*);
PyObject* compare(PyObject*, PyObject*, int operation);
int get_buffer(PyObject*, Py_buffer*, int flags);
void release_buffer(PyObject*, Py_buffer*);
}  // namespace slots

// Tables of the type, each in its file; they end with an empty entry.
extern PyMethodDef shape_methods[];      // shape_methods.cpp
extern PyMethodDef axis_methods[];       // axis_methods.cpp
extern PyMethodDef item_methods[];       // items.cpp
extern PyMethodDef exchange_methods[];   // dlpack.cpp
extern PyGetSetDef attributes[];         // attributes.cpp
std::span<const PyType_Slot> number_slots();      // number.cpp
std::span<const PyType_Slot> conversion_slots();  // items.cpp

}  // namespace asnumpy::python
