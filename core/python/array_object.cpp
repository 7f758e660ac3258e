// _core.Array: allocation, life and the type itself.
#include "python/array_object.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "python/beside.hpp"
#include "python/gil.hpp"
#include "python/living.hpp"
#include "python/number.hpp"

namespace asnumpy::python {

namespace {

// Objects of the registered type that died lately: making one from here costs no allocation. Not where threads would share the list: Python's
// own allocation keeps one for each thread there.
struct FreeList {
    static constexpr std::size_t capacity = 64;
    std::array<PyObject*, capacity> objects{};
    std::size_t size = 0;
    bool enabled = false;

    void clear() {
        while (size > 0) PyObject_Free(objects[--size]);
    }
};
FreeList free_list;

PyObject* allocate(PyTypeObject* type) {
    if (type == array_type && free_list.enabled) {
        PyObject* o = free_list.size > 0 ? free_list.objects[--free_list.size]
                                         : static_cast<PyObject*>(PyObject_Malloc(sizeof(PyArray)));
        if (!o) throw std::bad_alloc();
        return PyObject_Init(o, type);
    }
    return checked(type->tp_alloc(type, 0));
}

void deallocate(PyObject* self) {
    auto* a = reinterpret_cast<PyArray*>(self);
    PyTypeObject* type = Py_TYPE(self);
    if (notes_living) [[unlikely]] note_death(self);
    if (a->weakrefs) PyObject_ClearWeakRefs(self);
    if (a->exported) --a->array.buffer->exports;
    PyObject* base = a->base;
    std::destroy_at(&a->array);
    if (type == array_type && free_list.enabled && free_list.size < FreeList::capacity)
        free_list.objects[free_list.size++] = self;
    else
        type->tp_free(self);
    Py_DECREF(type);
    Py_XDECREF(base);
    if (anything_deferred()) run_deferred();
}

// `a + b` of a pair that addition does not know ends here, and so does operator.concat.
PyObject* refuse_to_concatenate(PyObject*, PyObject*) {
    PyErr_SetString(PyExc_TypeError, "Concatenation operation is not implemented for asnumpy arrays, use concatenate() instead.");
    return nullptr;
}

// A view of all of `source`, or of a number's value a copy, as an object of class `type`. `parent` is what `__array_finalize__` gets; with
// None for it, as of an explicit constructor, the memory is the object's own.
nb::object view_as(PyTypeObject* type, PyObject* source, PyObject* parent, const char* function) {
    PyArray* from = expect_array(source, function);
    const bool copies = is_number_object(source);
    nb::object made = owned(wrap(copies ? cast(from->array, from->array.dtype) : Array(from->array), type));
    PyArray* o = unwrap(made.ptr());
    if (!copies) {
        PyObject* base = from->base && Py_TYPE(from->base) == Py_TYPE(source) ? from->base : source;
        if (parent != Py_None) o->base = Py_NewRef(base);
        o->writeable = from->writeable;
    }
    if (type != array_type) finalize(made.ptr(), parent);
    return made;
}

// Array.__new__(cls, source, parent=source): how objects of derived classes are made.
PyObject* create(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
    return guarded([&]() -> PyObject* {
        PyObject *source = nullptr, *parent = nullptr;
        static const char* names[] = {"source", "parent", nullptr};
        if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O:Array", const_cast<char**>(names), &source, &parent))
            throw_python_error();
        return view_as(type, source, parent ? parent : source, "Array.__new__").release().ptr();
    });
}

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ArrayHead, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

void append(std::vector<PyMethodDef>& to, const PyMethodDef* from) {
    for (; from->ml_name; ++from) to.push_back(*from);
}

PyObject* array_class(PyObject* cls) {
    const PyType_Slot slots[] = {slot(Py_tp_dealloc, deallocate)};
    return class_without_collector(cls, base_type, sizeof(PyArray), slots, Py_TPFLAGS_BASETYPE);
}

}  // namespace

PyObject* class_without_collector(PyObject* cls, PyTypeObject* base, std::size_t size, std::span<const PyType_Slot> own,
                                  unsigned long flags) {
    const auto* given = reinterpret_cast<PyTypeObject*>(cls);
    if (!PyType_Check(cls) || given->tp_base != base || given->tp_basicsize != base->tp_basicsize)
        raise(PyExc_TypeError, "asnumpy._core: expected a direct subclass of %s with __slots__ = (), got %R", base->tp_name, cls);
    const nb::object module = owned(PyObject_GetAttrString(cls, "__module__"));
    const nb::object name = owned(PyObject_GetAttrString(cls, "__name__"));
    // The package's name, not that of the module inside it: this is what error messages show.
    const nb::object parts = owned(PyUnicode_Split(module.ptr(), nb::str(".").ptr(), 1));
    const nb::object full = owned(PyUnicode_FromFormat("%U.%U", PyList_GET_ITEM(parts.ptr(), 0), name.ptr()));
    const char* text = PyUnicode_AsUTF8(full.ptr());
    if (!text) throw_python_error();
    std::vector<PyType_Slot> slots(own.begin(), own.end());
    slots.push_back({0, nullptr});
    PyType_Spec spec{text, static_cast<int>(size), 0, static_cast<unsigned>(Py_TPFLAGS_DEFAULT | flags), slots.data()};
    nb::object made = owned(PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject*>(base)));
    const nb::object items = owned(PyMapping_Items(owned(PyObject_GetAttrString(cls, "__dict__")).ptr()));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.ptr()); ++i) {
        PyObject* item = PyList_GET_ITEM(items.ptr(), i);
        if (PyObject_SetAttr(made.ptr(), PyTuple_GET_ITEM(item, 0), PyTuple_GET_ITEM(item, 1)) < 0) throw_python_error();
    }
    return made.release().ptr();
}

PyArray* expect_array(PyObject* o, const char* function) {
    if (!is_array(o))
        raise(PyExc_TypeError, "asnumpy.%s: expected an array, got %.200s", function, Py_TYPE(o)->tp_name);
    return unwrap(o);
}

namespace {

// `make` gives the array, in its place from the start.
template <class F> PyObject* wrap_made(PyTypeObject* type, F&& make) {
    PyObject* o = allocate(type ? type : array_type);
    auto* a = reinterpret_cast<PyArray*>(o);
    a->base = nullptr;
    a->weakrefs = nullptr;
    a->writeable = true;
    a->exported = false;
    ::new (static_cast<void*>(&a->array)) Array(make());
    if (notes_living) [[unlikely]] note_birth(o);
    return o;
}

}  // namespace

PyObject* wrap(Array&& array, PyTypeObject* type) {
    return wrap_made(type, [&]() -> Array&& { return std::move(array); });
}

PyObject* wrap_view(PyArray* source, View&& view) { return wrap_view(source, std::move(view), source->array.dtype); }

PyObject* wrap_view(PyArray* source, View&& view, DType dtype) {
    if (is_number_object(reinterpret_cast<PyObject*>(source))) return view_of_number(as_number(reinterpret_cast<PyObject*>(source)), std::move(view), dtype);
    NewView made(source, dtype);
    made.view() = std::move(view);
    return made.finish();
}

NewView::NewView(PyArray* source, DType dtype) : source_(reinterpret_cast<PyObject*>(source)), made_(nb::steal(wrap_made(Py_TYPE(source_), [] { return Array(); }))) {
    PyArray* o = unwrapped();
    o->array.buffer = source->array.buffer;
    o->array.dtype = dtype;
    // NumPy names the owner, not the view in between, unless the two are of different classes.
    o->base = Py_NewRef(source->base && Py_TYPE(source->base) == Py_TYPE(source_) ? source->base : source_);
    o->writeable = source->writeable;
}

PyObject* NewView::finish() {
    if (Py_TYPE(source_) != array_type) finalize(made_.ptr(), source_);
    return made_.release().ptr();
}

void finalize(PyObject* made, PyObject* source) {
    const nb::object own = owned(PyObject_GetAttr(reinterpret_cast<PyObject*>(Py_TYPE(made)), interned.array_finalize));
    if (own.is_none() || own.is(owned(PyObject_GetAttr(reinterpret_cast<PyObject*>(array_type), interned.array_finalize)))) return;
    const Outside outside;
    PyObject* arguments[] = {made, source};
    owned(PyObject_Vectorcall(own.ptr(), arguments, 2, nullptr));
}

nb::object plain_of(PyObject* o) { return is_derived(o) ? view_as(array_type, o, o, "ndarray") : nb::borrow(o); }

PyObject* of_class(PyObject* source, PyObject* made) {
    if (!is_derived(source) || !is_plain_array(made)) return made;
    const nb::object held = nb::steal(made);
    const PyArray* from = unwrap(made);
    nb::object o = owned(wrap(Array(from->array), Py_TYPE(source)));
    unwrap(o.ptr())->base = Py_XNewRef(from->base);
    unwrap(o.ptr())->writeable = from->writeable;
    finalize(o.ptr(), source);
    return o.release().ptr();
}

void require_writeable(PyArray* a, const char* text) {
    if (!a->writeable) raise(PyExc_ValueError, "%s", text);
}

void register_array_type(PyObject* type) {
    if (!PyType_Check(type) || !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), base_type))
        raise(PyExc_TypeError, "asnumpy._core.set_hooks: array_type must be a subclass of Array, got %R", type);
    free_list.clear();
    array_type = reinterpret_cast<PyTypeObject*>(Py_NewRef(type));
    // A class with a __dict__ or slots of its own needs the general allocation.
    free_list.enabled = has_interpreter_lock && !PyType_IS_GC(array_type) && array_type->tp_basicsize == static_cast<Py_ssize_t>(sizeof(PyArray));
}

void create_array_type(nb::module_& m) {
    static std::vector<PyMethodDef> methods;
    append(methods, shape_methods);
    append(methods, axis_methods);
    append(methods, item_methods);
    append(methods, exchange_methods);
    methods.push_back({nullptr, nullptr, 0, nullptr});

    std::vector<PyType_Slot> all{
        slot(Py_tp_new, create),
        slot(Py_tp_dealloc, deallocate),
        {Py_tp_members, members},
        {Py_tp_methods, methods.data()},
        {Py_tp_getset, attributes},
        slot(Py_tp_hash, PyObject_HashNotImplemented),
        slot(Py_tp_richcompare, slots::compare),
        slot(Py_tp_iter, slots::iterate),
        slot(Py_mp_length, slots::length),
        slot(Py_mp_subscript, slots::subscript),
        slot(Py_mp_ass_subscript, slots::assign_subscript),
        slot(Py_sq_length, slots::length),
        slot(Py_sq_concat, refuse_to_concatenate),
        slot(Py_sq_item, slots::item_at),
        slot(Py_bf_getbuffer, slots::get_buffer),
        slot(Py_bf_releasebuffer, slots::release_buffer),
    };
    for (const PyType_Slot& each : number_slots()) all.push_back(each);
    for (const PyType_Slot& each : conversion_slots()) all.push_back(each);
    all.push_back({0, nullptr});

    PyType_Spec spec{"asnumpy._core.Array", sizeof(PyArray), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, all.data()};
    PyObject* type = checked(PyType_FromSpec(&spec));
    base_type = array_type = reinterpret_cast<PyTypeObject*>(type);
    m.attr("Array") = nb::borrow(type);
    m.def("expect_derived", [] { has_derived = true; }, "From now on there may be arrays of classes derived from the registered one.");
    m.def("is_derived", [](nb::handle o) { return is_derived(o.ptr()); }, nb::arg("object").none(), "Whether it is of such a class.");
    m.def("of_class", [](nb::handle source, nb::handle made) { return nb::steal(of_class(source.ptr(), Py_NewRef(made.ptr()))); }, nb::arg("source"), nb::arg("made"),
          "A new array as one of the class of `source` where that is a derived one.");
    m.def("as_plain", [](nb::handle a) { return view_as(array_type, a.ptr(), a.ptr(), "as_plain"); }, nb::arg("array"),
          "A view of an array that is of the registered class.");
    m.def("array_class", [](nb::handle cls) { return nb::steal(array_class(cls.ptr())); }, nb::arg("cls"));
}

}  // namespace asnumpy::python
