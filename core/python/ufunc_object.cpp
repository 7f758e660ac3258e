// _core.Ufunc: a callable that resolves types as NumPy does, remembers the answer, and records.
#include "python/ufunc_object.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <string>

#include "python/convert.hpp"
#include "python/error_state.hpp"
#include "python/hooks.hpp"
#include "python/number.hpp"
#include "runtime/copies.hpp"

namespace asnumpy::python {

namespace {

PyTypeObject* ufunc_base = nullptr;

std::array<PyUfunc*, operator_names.size()> operators{};

constexpr int max_in = 3;

using Inputs = Few<Input, max_in>;

// The kind of an operand for type resolution: a dtype's code or a Weak kind; -1 for everything else.
inline int operand_kind(PyObject* o) {
    if (is_plain_array(o)) return static_cast<int>(unwrap(o)->array.dtype);
    if (is_number_object(o)) return as_number(o)->weak ? static_cast<int>(Weak::floating) : static_cast<int>(as_number(o)->value.dtype);
    if (const Weak weak = weak_kind(o); weak != Weak::none) return static_cast<int>(weak);
    Scalar strong;
    return numpy_scalar(o, strong) ? static_cast<int>(strong.dtype) : -1;
}

PyObject* kind_as_key(int kind) {  // borrowed
    switch (static_cast<Weak>(kind)) {
        case Weak::boolean: return reinterpret_cast<PyObject*>(&PyBool_Type);
        case Weak::integer: return reinterpret_cast<PyObject*>(&PyLong_Type);
        case Weak::floating: return reinterpret_cast<PyObject*>(&PyFloat_Type);
        case Weak::complex: return reinterpret_cast<PyObject*>(&PyComplex_Type);
        default: return reinterpret_cast<PyObject*>(descriptor(static_cast<DType>(kind)));
    }
}

// Asks NumPy, through the hook, and finds the row's loop of that signature.
int resolve(PyUfunc* u, const int* kinds) {
    const nb::object keys = owned(PyTuple_New(u->nin));
    for (int i = 0; i < u->nin; ++i) PyTuple_SET_ITEM(keys.ptr(), i, Py_NewRef(kind_as_key(kinds[i])));
    const nb::object answer = nb::steal(call_hook(&Hooks::resolve, "resolve", reinterpret_cast<PyObject*>(u), keys.ptr()));
    const int wanted = u->nin + u->nout;
    if (!PyTuple_Check(answer.ptr()) || PyTuple_GET_SIZE(answer.ptr()) != wanted)
        raise(PyExc_TypeError, "asnumpy._core: the hook 'resolve' must return a tuple of %d dtypes, got %R", wanted, answer.ptr());
    Signature signature;
    signature.nin = static_cast<std::uint8_t>(u->nin);
    signature.nout = static_cast<std::uint8_t>(u->nout);
    for (int i = 0; i < wanted; ++i) {
        PyObject* descr = PyTuple_GET_ITEM(answer.ptr(), i);
        const int code = PyArray_DescrCheck(descr) ? dtype_code(reinterpret_cast<PyArray_Descr*>(descr)) : -1;
        if (code < 0) return -1;
        const auto slot = static_cast<std::size_t>(i < u->nin ? i : i - u->nin);
        (i < u->nin ? signature.in[slot] : signature.out[slot]) = static_cast<DType>(code);
    }
    return find_loop(static_cast<RowId>(u->row), signature);
}

}  // namespace

int loop_for(PyUfunc* u, const int* kinds) {
    std::size_t index = 0, table_size = 1;
    for (int i = 0; i < u->nin; ++i) {
        index = index * operand_kinds + static_cast<std::size_t>(kinds[i]);
        table_size *= operand_kinds;
    }
    std::atomic<std::int16_t>& remembered = u->loops.at(index, table_size);
    std::int16_t known = remembered.load(std::memory_order_relaxed);
    if (known == 0) {
        const int loop = resolve(u, kinds);  // may raise: then the next call asks again
        known = static_cast<std::int16_t>(loop < 0 ? -1 : loop + 1);
        remembered.store(known, std::memory_order_relaxed);
    }
    return known < 0 ? -1 : known - 1;
}

namespace {

bool any_negative(const Array& given) {
    const Array values = is_narrow(given.dtype) ? cast(given, cast_step(given.dtype, DType::boolean)) : given;
    const RowId less = find_row("less");
    const Signature signature{2, 1, {values.dtype, values.dtype}, {DType::boolean}};
    const Input operands[] = {values, cast_scalar(Scalar::of(std::int64_t{0}), values.dtype)};
    Array found = apply(less, find_loop(less, signature), operands)[0];
    if (found.ndim() > 0) {
        const RowId any = find_row("logical_or");
        const Signature bools{2, 1, {DType::boolean, DType::boolean}, {DType::boolean}};
        found = reduce(any, find_loop(any, bools), found, ~std::uint64_t{0} >> (64 - found.ndim()), false);
    }
    return value_of(found).get<bool>();
}

// Fills the operands of a loop; false when a number does not fit its dtype, which NumPy reports in its own way.
bool fill_inputs(const Signature& signature, int nin, PyObject* const* operands, const int* kinds, Inputs& in) {
    for (int i = 0; i < nin; ++i) {
        const DType dtype = signature.in[static_cast<std::size_t>(i)];
        if (is_number_object(operands[i]) && is_known(as_number(operands[i]))) {
            in.emplace_back(cast_scalar(as_number(operands[i])->value, dtype));
            continue;
        }
        if (is_exact(operands[i])) {
            in.emplace_back(unwrap(operands[i])->array);
            continue;
        }
        Scalar& scalar = in.emplace_back().scalar;
        if (kinds[i] >= dtype_count) {
            if (!weak_scalar(operands[i], dtype, scalar)) return false;
        } else {
            numpy_scalar(operands[i], scalar);
            scalar = cast_scalar(scalar, dtype);
        }
    }
    return true;
}

inline bool may_be_integer_power(const PyUfunc* u) {
    return u == operators[static_cast<std::size_t>(Operator::power)];
}

bool may_have_kernel(const PyUfunc* u, PyObject* first) {
    const std::uint64_t dtypes = u->kernel_dtypes.load(std::memory_order_relaxed);
    if (dtypes == 0 || !is_plain_array(first)) [[likely]] return false;
    const Array& a = unwrap(first)->array;
    return (dtypes >> static_cast<int>(a.dtype) & 1) && a.size() >= u->kernel_size.load(std::memory_order_relaxed) && !a.host_visible();
}

// `u(*operands, out=target)` of arrays and numbers where the loop's result has the target's dtype.
bool call_into(PyUfunc* u, PyObject* const* operands, PyObject* target) {
    if (u->row < 0 || is_redirected(u) || u->nout != 1 || may_be_integer_power(u) || errors_are_watched() || may_have_kernel(u, operands[0])) return false;
    std::array<int, max_in> kinds{};
    for (int i = 0; i < u->nin; ++i)
        if ((kinds[static_cast<std::size_t>(i)] = operand_kind(operands[i])) < 0) return false;
    const int loop = loop_for(u, kinds.data());
    if (loop < 0) return false;
    const auto id = static_cast<RowId>(u->row);
    const Signature& signature = row(id).loops[static_cast<std::size_t>(loop)];
    PyArray* out = unwrap(target);
    Inputs in;
    if (signature.out[0] != out->array.dtype || !fill_inputs(signature, u->nin, operands, kinds.data(), in)) return false;
    require_writeable(out, "output array is read-only");
    apply_to(out->array, id, loop, in);
    return true;
}

// What the only keyword names when that is `out`; null for other keywords.
PyObject* only_out(PyObject* names, PyObject* const* values) {
    return PyTuple_GET_SIZE(names) == 1 && PyTuple_GET_ITEM(names, 0) == interned.out ? values[0] : nullptr;
}

PyObject* vectorcall(PyObject* self, PyObject* const* args, std::size_t flags, PyObject* names) {
    return guarded([&]() -> PyObject* {
        auto* u = reinterpret_cast<PyUfunc*>(self);
        const Py_ssize_t count = PyVectorcall_NARGS(flags);
        PyObject* result = nullptr;
        if (count == u->nin) {
            PyObject* const out = names && PyTuple_GET_SIZE(names) > 0 ? only_out(names, args + count) : Py_None;
            if (out == Py_None && call_fast(u, args, result)) return result;
            if (out && is_plain_array(out) && call_into(u, args, out)) return Py_NewRef(out);
        }
        return call_slowly(u, args, count, names);
    });
}

PyObject* create_ufunc(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
    return guarded([&]() -> PyObject* {
        static const char* names[] = {"name", nullptr};
        PyObject* name = nullptr;
        if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "U:Ufunc", const_cast<char**>(names), &name)) throw_python_error();
        const char* text = PyUnicode_AsUTF8(name);
        if (!text) throw_python_error();
        int row_id = -1, nin = 0, nout = 0;
        for (std::size_t i = 0; i < rows().size(); ++i) {
            const Row& r = rows()[i];
            if (r.name != text || r.kind != RowKind::elementwise) continue;
            row_id = static_cast<int>(i);
            nin = r.nin;
            nout = r.nout;
        }
        if (row_id < 0) {  // NumPy knows how many operands it has
            const nb::object numpy = owned(PyImport_ImportModule("numpy"));
            const nb::object known = owned(PyObject_GetAttr(numpy.ptr(), name));
            const nb::object known_nin = owned(PyObject_GetAttrString(known.ptr(), "nin"));
            const nb::object known_nout = owned(PyObject_GetAttrString(known.ptr(), "nout"));
            nin = static_cast<int>(to_int64(known_nin.ptr()));
            nout = static_cast<int>(to_int64(known_nout.ptr()));
        }
        auto* u = reinterpret_cast<PyUfunc*>(checked(type->tp_alloc(type, 0)));
        std::construct_at(&u->loops);
        std::construct_at(&u->scalar_loops);
        u->name = Py_NewRef(name);
        u->call = vectorcall;
        u->row = row_id;
        u->nin = nin;
        u->nout = nout;
        for (std::size_t i = 0; i < operator_names.size(); ++i) {
            if (std::strcmp(operator_names[i], text) != 0) continue;
            auto* old = reinterpret_cast<PyObject*>(operators[i]);
            operators[i] = u;
            Py_INCREF(reinterpret_cast<PyObject*>(u));
            Py_XDECREF(old);
        }
        return reinterpret_cast<PyObject*>(u);
    });
}

void deallocate_ufunc(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    auto* u = reinterpret_cast<PyUfunc*>(self);
    std::destroy_at(&u->loops);
    std::destroy_at(&u->scalar_loops);
    Py_XDECREF(u->name);
    type->tp_free(self);
    Py_DECREF(type);
}

PyObject* get_nargs(PyObject* self, void*) {
    const auto* u = reinterpret_cast<PyUfunc*>(self);
    return PyLong_FromLong(u->nin + u->nout);
}

PyMemberDef ufunc_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(UfuncHead, call), READONLY, nullptr},
    {"name", T_OBJECT, offsetof(UfuncHead, name), READONLY, "NumPy's name of the function"},
    {"row", T_INT, offsetof(UfuncHead, row), READONLY, "position in rows(), -1 if there is no elementwise row"},
    {"nin", T_INT, offsetof(UfuncHead, nin), READONLY, "number of inputs"},
    {"nout", T_INT, offsetof(UfuncHead, nout), READONLY, "number of outputs"},
    {"_redirected", T_BOOL, offsetof(UfuncHead, redirected), 0, "whether every call goes through the hook call_ufunc"},
    {nullptr, 0, 0, 0, nullptr},
};

PyObject* offer_kernel(PyObject* self, PyObject* args) {
    return guarded([&]() -> PyObject* {
        PyObject* dtypes = nullptr;
        Py_ssize_t size = 0;
        if (!PyArg_ParseTuple(args, "O!n:_offer_kernel", &PyTuple_Type, &dtypes, &size)) throw_python_error();
        std::uint64_t codes = 0;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(dtypes); ++i) {
            PyObject* const one = PyTuple_GET_ITEM(dtypes, i);
            const int code = PyArray_DescrCheck(one) ? dtype_code(reinterpret_cast<PyArray_Descr*>(one)) : -1;
            if (code < 0) raise(PyExc_TypeError, "asnumpy._core.Ufunc._offer_kernel: expected dtypes that arrays have, got %R", one);
            codes |= std::uint64_t{1} << code;
        }
        auto* u = reinterpret_cast<PyUfunc*>(self);
        u->kernel_size = size;
        u->kernel_dtypes = codes;
        Py_RETURN_NONE;
    });
}

PyMethodDef ufunc_methods[] = {
    {"_offer_kernel", offer_kernel, METH_VARARGS,
     "_offer_kernel(dtypes, size, /)\n--\n\nThe hook call_ufunc is asked first where the first operand lies on a device and has one of these dtypes, and as many elements."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef ufunc_getters[] = {
    {"nargs", get_nargs, nullptr, "number of inputs and outputs", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

}  // namespace

PyUfunc* operator_ufunc(Operator which) {
    PyUfunc* u = operators[static_cast<std::size_t>(which)];
    if (!u) raise(PyExc_RuntimeError, "asnumpy._core: no ufunc '%s' was made; import asnumpy first",
                  operator_names[static_cast<std::size_t>(which)]);
    return u;
}

bool call_fast(PyUfunc* u, PyObject* const* operands, PyObject*& result) {
    if (u->row < 0 || is_redirected(u) || errors_are_watched() || may_have_kernel(u, operands[0])) return false;
    if (!is_plain_array(operands[0]) && call_with_numbers(u, operands, result)) return true;
    std::array<int, max_in> kinds{};
    for (int i = 0; i < u->nin; ++i) {
        const int kind = operand_kind(operands[i]);
        if (kind < 0) return false;
        kinds[static_cast<std::size_t>(i)] = kind;
    }
    const int loop = loop_for(u, kinds.data());
    if (loop < 0) return false;
    const auto id = static_cast<RowId>(u->row);
    const Signature& signature = row(id).loops[static_cast<std::size_t>(loop)];
    Inputs in;
    if (!fill_inputs(signature, u->nin, operands, kinds.data(), in)) return false;
    if (may_be_integer_power(u)) check_integer_power(signature, in[0], in[1]);
    Few<Array, 2> out = apply(id, loop, in);
    if (u->nout == 1) {
        result = wrap_result(std::move(out[0]));
        return true;
    }
    nb::object pair = owned(PyTuple_New(u->nout));
    for (int i = 0; i < u->nout; ++i) PyTuple_SET_ITEM(pair.ptr(), i, wrap_result(std::move(out[static_cast<std::size_t>(i)])));
    result = pair.release().ptr();
    return true;
}

bool call_inplace(PyUfunc* u, PyObject* self, PyObject* other) {
    if (u->row < 0 || is_redirected(u) || errors_are_watched() || !is_plain_array(self) || may_have_kernel(u, self)) return false;
    PyArray* target = unwrap(self);
    PyObject* operands[] = {self, other};
    const std::array<int, max_in> kinds{static_cast<int>(target->array.dtype), operand_kind(other), 0};
    if (kinds[1] < 0) return false;
    const int loop = loop_for(u, kinds.data());
    if (loop < 0) return false;
    const auto id = static_cast<RowId>(u->row);
    const Signature& signature = row(id).loops[static_cast<std::size_t>(loop)];
    if (signature.out[0] != target->array.dtype) return false;
    Inputs in;
    if (!fill_inputs(signature, 2, operands, kinds.data(), in)) return false;
    require_writeable(target, "output array is read-only");
    if (may_be_integer_power(u)) check_integer_power(signature, in[0], in[1]);
    apply_to(target->array, id, loop, in);
    return true;
}

PyObject* call_slowly(PyUfunc* u, PyObject* const* operands, Py_ssize_t count, PyObject* keyword_names) {
    const nb::object arguments = owned(PyTuple_New(count));
    for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SET_ITEM(arguments.ptr(), i, Py_NewRef(operands[i]));
    const nb::object keywords = owned(PyDict_New());
    const Py_ssize_t named = keyword_names ? PyTuple_GET_SIZE(keyword_names) : 0;
    for (Py_ssize_t i = 0; i < named; ++i)
        if (PyDict_SetItem(keywords.ptr(), PyTuple_GET_ITEM(keyword_names, i), operands[count + i]) < 0) throw_python_error();
    return call_hook(&Hooks::call_ufunc, "call_ufunc", reinterpret_cast<PyObject*>(u), arguments.ptr(), keywords.ptr());
}

bool is_number(PyObject* o) {
    Scalar unused;
    return weak_kind(o) != Weak::none || numpy_scalar(o, unused);
}

Input to_input(PyObject* o, DType dtype, const char* function) {
    Input input;
    if (is_number_object(o) && is_known(as_number(o))) {
        input.scalar = cast_scalar(as_number(o)->value, dtype);
    } else if (is_array(o)) {
        input.array = &unwrap(o)->array;
    } else if (Scalar strong; numpy_scalar(o, strong)) {
        input.scalar = cast_scalar(strong, dtype);
    } else if (!weak_scalar(o, dtype, input.scalar)) {
        if (weak_kind(o) == Weak::none)
            raise(PyExc_TypeError, "asnumpy.%s: expected an array or a number, got %.200s", function, Py_TYPE(o)->tp_name);
        input.scalar = assigned_scalar(o, dtype);
    }
    return input;
}

void check_integer_power(const Signature& signature, const Input& base, const Input& exponent) {
    if (kind(signature.in[1]) != 'i' || kind(signature.in[0]) == 'f') return;
    const auto empty = [](const Input& i) { return !i.is_scalar() && i.array->size() == 0; };
    if (empty(base) || empty(exponent)) return;  // no element is raised to anything
    const bool negative = exponent.is_scalar() ? cast_scalar(exponent.scalar, DType::int64).get<std::int64_t>() < 0
                                               : kind(exponent.array->dtype) != 'u' && any_negative(*exponent.array);
    if (negative) raise(PyExc_ValueError, "Integers to negative integer powers are not allowed.");
}

void register_ufunc_type(PyObject* type) {
    if (!PyType_Check(type) || !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), ufunc_base))
        raise(PyExc_TypeError, "asnumpy._core.set_hooks: ufunc_type must be a subclass of Ufunc, got %R", type);
    auto* t = reinterpret_cast<PyTypeObject*>(type);
    // Before Python 3.12 a class made in Python loses vectorcall even if it inherits __call__.
    if (t->tp_call == ufunc_base->tp_call) t->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
}

void create_ufunc_type(nb::module_& m) {
    PyType_Slot slots[] = {
        {Py_tp_new, reinterpret_cast<void*>(create_ufunc)},
        {Py_tp_dealloc, reinterpret_cast<void*>(deallocate_ufunc)},
        {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
        {Py_tp_members, ufunc_members},
        {Py_tp_getset, ufunc_getters},
        {Py_tp_methods, ufunc_methods},
        {0, nullptr},
    };
    PyType_Spec spec{"asnumpy._core.Ufunc", sizeof(PyUfunc), 0,
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL, slots};
    PyObject* type = checked(PyType_FromSpec(&spec));
    ufunc_base = reinterpret_cast<PyTypeObject*>(type);
    m.attr("Ufunc") = nb::borrow(type);
}

}  // namespace asnumpy::python
