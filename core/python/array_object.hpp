// _core.Array: the Python object around a core array.
#pragma once

#include <utility>

#include "python/shared.hpp"
#include "runtime/queue.hpp"

namespace asnumpy::python {

struct ArrayHead {
    PyObject_HEAD
    PyObject* base;      // who owns the memory of a view; null for an owner
    PyObject* weakrefs;
    bool writeable;
    bool exported;       // its address was given away for as long as it lives; under the object's critical section
};

struct PyArray : ArrayHead {
    Array array;  // without a buffer: a Number that nobody has needed as an array; that one is published
};

inline PyTypeObject* base_type = nullptr;   // _core.Array
inline PyTypeObject* array_type = nullptr;  // what new arrays are: asnumpy.ndarray once it is registered
inline Flag has_derived;                    // whether a program has derived a class from it: nothing asks for more until then

void deallocate_number(PyObject*);
// Exactly one of the classes of Numbers: each has this function, and a class derived from it in Python another.
inline bool is_number_object(PyObject* o) { return Py_TYPE(o)->tp_dealloc == deallocate_number; }
void give_array(PyArray* number);

inline bool is_plain_array(PyObject* o) { return Py_TYPE(o) == array_type; }
inline bool is_exact(PyObject* o) { return is_plain_array(o) || is_number_object(o); }
inline bool is_array(PyObject* o) { return is_exact(o) || PyObject_TypeCheck(o, base_type); }
inline PyArray* unwrap(PyObject* o) {
    auto* a = reinterpret_cast<PyArray*>(o);
    if (has_interpreter_lock ? !a->array.buffer : !a->array.buffer.published()) [[unlikely]] give_array(a);
    return a;
}
// Of a class derived from asnumpy.ndarray, whose results are of that class where NumPy's are.
inline bool is_derived(PyObject* o) { return has_derived && !is_exact(o) && PyObject_TypeCheck(o, array_type); }
// Calls `__array_finalize__(source)` of a new object whose class has one of its own.
void finalize(PyObject* made, PyObject* source);
// The array, or a view of it that is of no derived class.
nb::object plain_of(PyObject*);
// A new array, which it takes, as one of the class of `source` where that is a derived one.
PyObject* of_class(PyObject* source, PyObject* made);
// TypeError names the function when `o` is no Array.
PyArray* expect_array(PyObject* o, const char* function);

PyObject* wrap(Array&&, PyTypeObject* type = nullptr);
PyObject* number_of(Array&&);  // number.cpp
// The result of a computation: a Number where NumPy gives a scalar.
inline PyObject* wrap_result(Array&& array) { return array.ndim() == 0 ? number_of(std::move(array)) : wrap(std::move(array)); }
// Same dtype, `base` as NumPy chooses it. Of a Number, which nothing may change: a Number, or an array of its own.
PyObject* wrap_view(PyArray* source, View&&);
PyObject* wrap_view(PyArray* source, View&&, DType);
// The same for an array that is no Number, where the view is written to its place.
class NewView {
public:
    NewView(PyArray* source, DType);
    View& view() { return unwrapped()->array.view; }  // of nothing so far
    PyObject* finish();                               // a new reference

private:
    PyArray* unwrapped() { return reinterpret_cast<PyArray*>(made_.ptr()); }

    PyObject* source_;
    nb::object made_;
};

void require_writeable(PyArray*, const char* text);           // ValueError with this text

void register_array_type(PyObject* type);
void create_array_type(nb::module_&);
// A class statement always makes a class whose objects the garbage collector tracks. This makes the same class without, with
// these slots: arrays form no cycles, and tracking would cost more than the rest of making one.
PyObject* class_without_collector(PyObject* cls, PyTypeObject* base, std::size_t size, std::span<const PyType_Slot>, unsigned long flags);

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

// Entries of the tables that types are made of.
template <class F> PyType_Slot slot(int id, F* function) { return {id, reinterpret_cast<void*>(function)}; }
template <class F> PyCFunction fast(F* function) { return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)); }

// Tables of the type, each in its file; they end with an empty entry.
extern PyMethodDef shape_methods[];      // shape_methods.cpp
extern PyMethodDef axis_methods[];       // axis_methods.cpp
extern PyMethodDef item_methods[];       // items.cpp
extern PyMethodDef exchange_methods[];   // dlpack.cpp
extern PyGetSetDef attributes[];         // attributes.cpp
std::span<const PyType_Slot> number_slots();      // number.cpp
std::span<const PyType_Slot> conversion_slots();  // items.cpp

}  // namespace asnumpy::python
