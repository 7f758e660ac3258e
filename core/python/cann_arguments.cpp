// From Python's objects to a call's key, and to the caller's arguments.
#include "python/cann_arguments.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>

#include "ascend/backend.hpp"
#include "base/hash.hpp"
#include "python/array_object.hpp"
#include "python/convert.hpp"
#include "runtime/devices.hpp"

namespace asnumpy::python {
namespace {

enum class Tag : std::uint8_t { absent, array, tensor, formatted, integer, real, boolean, complex, text, scalar, dtype, type, list };

PyObject* tensor_type = nullptr;
PyObject* formats = nullptr;

// Of a tensor's attributes, each by its interned name.
struct Names {
    PyObject *address = name("address"), *shape = name("shape"), *dtype = name("dtype"), *strides = name("strides"), *offset = name("offset"),
             *storage = name("storage"), *format = name("format"), *device = name("device"), *owner = name("owner");
    static PyObject* name(const char* text) { return checked(PyUnicode_InternFromString(text)); }
};
const Names& attribute_names() {
    static const Names instance;
    return instance;
}

nb::object attribute(PyObject* o, PyObject* name) { return owned(PyObject_GetAttr(o, name)); }
std::int64_t number(const nb::object& o) {
    const long long value = PyLong_AsLongLong(o.ptr());
    if (value == -1 && PyErr_Occurred()) throw_python_error();
    return value;
}
bool is_tensor_object(PyObject* o) { return reinterpret_cast<PyObject*>(Py_TYPE(o)) == tensor_type; }

bool is_nd(const nb::object& format) { return PyUnicode_CompareWithASCIIString(format.ptr(), "ND") == 0; }

DType dtype_of_tensor(PyObject* o) {
    const nb::object dtype = attribute(o, attribute_names().dtype);
    return static_cast<DType>(dtype_code(reinterpret_cast<PyArray_Descr*>(dtype.ptr())));
}

// A Tensor of Python's without its address; false where its storage or format is none that the caller describes.
bool to_argument(PyObject* o, ascend::Argument& made) {
    Tensor t;
    const nb::object format = attribute(o, attribute_names().format);
    if (PyTuple_GET_SIZE(attribute(o, attribute_names().storage).ptr()) != 1) return false;
    t.dtype = dtype_of_tensor(o);
    t.shape = to_integers(attribute(o, attribute_names().shape).ptr());
    t.strides = to_integers(attribute(o, attribute_names().strides).ptr());
    for (std::int64_t& step : t.strides) step *= static_cast<std::int64_t>(itemsize(t.dtype));
    if (t.shape.size() > ascend::most_axes) return false;
    if (is_nd(format)) made = std::move(t);
    else made = ascend::Formatted{std::move(t), nb::cast<std::int32_t>(nb::handle(formats)()[format])};
    return true;
}

// The device's memory that an array or a Tensor stands for, after what is recorded and concerns it.
bool set_address(PyObject* o, Tensor& t, bool written) {
    const Access access = written ? Access::write : Access::read;
    const auto ready = [&](const Array& a) {
        if (a.size() == 0) return static_cast<char*>(nullptr);
        make_ready(a, access);
        return a.data();
    };
    if (!is_tensor_object(o)) {
        if (!is_array(o)) return false;
        t.data = ready(unwrap(o)->array);
        return reinterpret_cast<std::uintptr_t>(t.data) % itemsize(t.dtype) == 0;
    }
    const nb::object owner = attribute(o, attribute_names().owner);
    if (is_array(owner.ptr())) ready(unwrap(owner.ptr())->array);
    const auto item = static_cast<std::int64_t>(itemsize(t.dtype));
    t.data = reinterpret_cast<char*>(number(attribute(o, attribute_names().address)) + number(attribute(o, attribute_names().offset)) * item);
    return true;
}

Scalar scalar_of_object(PyObject* o) {
    Scalar value;
    if (!numpy_scalar(o, value)) raise(PyExc_TypeError, "asnumpy.cann: expected a NumPy scalar, got %R", o);
    return value;
}

// The items of a checked list, each made by the function; false as soon as that is.
template <class T, class F> bool all_of(PyObject* values, std::vector<T>& made, F&& one) {
    for (PyObject* const value : Items(values)) {
        made.emplace_back();
        if (!one(value, made.back())) return false;
    }
    return true;
}

bool to_argument(cann::Kind kind, PyObject* value, ascend::Argument& made) {
    using cann::Kind;
    if (!value || value == Py_None) return made = nullptr, true;
    switch (kind) {
    case Kind::tensor: return to_argument(value, made);
    case Kind::tensors: {
        std::vector<Tensor> all;
        const bool plain = all_of(value, all, [](PyObject* one, Tensor& t) {
            ascend::Argument described;
            if (one == Py_None || !to_argument(one, described) || !std::holds_alternative<Tensor>(described)) return false;
            t = std::get<Tensor>(std::move(described));
            return true;
        });
        made = std::move(all);
        return plain;
    }
    case Kind::scalar: return made = scalar_of_object(value), true;
    case Kind::scalars: {
        std::vector<Scalar> all;
        all_of(value, all, [](PyObject* one, Scalar& s) { return s = scalar_of_object(one), true; });
        return made = std::move(all), true;
    }
    case Kind::ints: return made = to_integers(value), true;
    case Kind::floats: {
        std::vector<double> all;
        all_of(value, all, [](PyObject* one, double& real) { return real = PyFloat_AsDouble(one), true; });
        return made = std::move(all), true;
    }
    case Kind::bools: {
        std::vector<bool> all;
        for (PyObject* const one : Items(value)) all.push_back(one == Py_True);
        return made = std::move(all), true;
    }
    case Kind::integer: return made = static_cast<std::int64_t>(PyLong_AsUnsignedLongLongMask(value)), true;
    case Kind::real: return made = PyFloat_AsDouble(value), true;
    case Kind::boolean: return made = value == Py_True, true;
    case Kind::text: return made = std::string(PyUnicode_AsUTF8(value)), true;  // plain text: it was checked
    case Kind::dtype: return made = static_cast<DType>(dtype_code(reinterpret_cast<PyArray_Descr*>(value))), true;
    }
    return false;
}

}  // namespace

std::size_t place_of(const char* op) {
    const int place = cann::find_operator(op);
    if (place < 0) raise(PyExc_ValueError, "asnumpy.cann: CANN has no operator '%s'", op);
    return static_cast<std::size_t>(place);
}

void set_tensor_type(nb::handle type, nb::handle numbers) {
    static_cast<void>(attribute_names());  // made now: see Interned
    tensor_type = Py_NewRef(type.ptr());
    formats = Py_NewRef(numbers.ptr());
}

std::uint64_t CallKey::hash() const { return word_hash(words_); }

bool CallKey::add_all(std::size_t count, const Given& given) {
    words_.reserve(8 * count);
    for (std::size_t i = 0; i < count; ++i)
        if (!add(given[i], false)) return false;
    return true;
}

bool CallKey::add_array(PyObject* o) {
    if (is_number_object(o)) return false;
    const PyArray* const a = unwrap(o);
    if (a->array.host_visible()) return false;
    const View& view = a->array.view;
    tag(Tag::array, static_cast<std::uint64_t>(a->array.dtype) | static_cast<std::uint64_t>(view.ndim()) << 8 | std::uint64_t{a->writeable} << 16 |
                   std::uint64_t{a->array.pool().number()} << 24);
    for (int axis = 0; axis < view.ndim(); ++axis) {
        words_.push_back(static_cast<std::uint64_t>(view.shape[axis]));
        words_.push_back(static_cast<std::uint64_t>(view.strides[axis]));
    }
    return tensors_ = true;
}

bool CallKey::add_tensor(PyObject* o) {
    const nb::object shape = attribute(o, attribute_names().shape), strides = attribute(o, attribute_names().strides), format = attribute(o, attribute_names().format);
    if (PyTuple_GET_SIZE(attribute(o, attribute_names().storage).ptr()) != 1) return false;
    const bool nd = is_nd(format);
    tag(nd ? Tag::tensor : Tag::formatted, static_cast<std::uint64_t>(dtype_of_tensor(o)) | static_cast<std::uint64_t>(PyTuple_GET_SIZE(shape.ptr())) << 8 |
                                     static_cast<std::uint64_t>(number(attribute(o, attribute_names().device))) << 24);
    for (const nb::object& lengths : {shape, strides})
        for (PyObject* const one : Items(lengths.ptr())) words_.push_back(static_cast<std::uint64_t>(PyLong_AsLongLong(one)));
    tensors_ = true;
    return nd || add_text(format.ptr());
}

bool CallKey::add_text(PyObject* o) {
    Py_ssize_t size = 0;
    const char* const said = PyUnicode_AsUTF8AndSize(o, &size);
    if (!said) return PyErr_Clear(), false;
    tag(Tag::text, static_cast<std::uint64_t>(size));
    for (Py_ssize_t at = 0; at < size; at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, said + at, static_cast<std::size_t>(std::min<Py_ssize_t>(8, size - at)));
        words_.push_back(word);
    }
    return true;
}

bool CallKey::add(PyObject* o, bool within_list) {
    if (!o || o == Py_None) return tag(Tag::absent), true;
    if (is_tensor_object(o)) return add_tensor(o);
    if (is_array(o)) return add_array(o);
    if (PyBool_Check(o)) return tag(Tag::boolean, o == Py_True), true;
    if (PyLong_CheckExact(o)) {
        int overflow = 0;
        const long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
        tag(Tag::integer);
        words_.push_back(static_cast<std::uint64_t>(value));
        return !overflow;
    }
    if (PyFloat_CheckExact(o)) {
        tag(Tag::real);
        words_.push_back(std::bit_cast<std::uint64_t>(PyFloat_AS_DOUBLE(o)));
        return true;
    }
    if (PyComplex_CheckExact(o)) {
        const Py_complex value = PyComplex_AsCComplex(o);
        tag(Tag::complex);
        words_.push_back(std::bit_cast<std::uint64_t>(value.real));
        words_.push_back(std::bit_cast<std::uint64_t>(value.imag));
        return true;
    }
    if (PyUnicode_CheckExact(o)) return add_text(o);
    if (!within_list && (PyList_CheckExact(o) || PyTuple_CheckExact(o))) {
        const Items items(o);
        tag(Tag::list, items.size());
        return std::ranges::all_of(items, [this](PyObject* item) { return add(item, true); });
    }
    if (PyArray_DescrCheck(o) || PyType_Check(o)) {  // np.float32 as a dtype, and np.dtype("float32")
        tag(PyType_Check(o) ? Tag::type : Tag::dtype);
        words_.push_back(reinterpret_cast<std::uintptr_t>(o));
        held_.push_back(nb::borrow(o));
        return true;
    }
    Scalar value{};
    if (!numpy_scalar(o, value)) return false;
    tag(Tag::scalar, static_cast<std::uint64_t>(value.dtype));
    for (std::size_t at = 0; at < itemsize(value.dtype); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, value.bytes.data() + at, std::min<std::size_t>(8, itemsize(value.dtype) - at));
        words_.push_back(word);
    }
    return true;
}

bool to_arguments(std::span<const cann::Parameter> parameters, const Given& values, std::vector<ascend::Argument>& made) {
    made.resize(parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i)
        if (!to_argument(parameters[i].kind, values[i], made[i])) return false;
    if (PyErr_Occurred()) throw_python_error();
    return true;
}

bool set_addresses(std::span<const cann::Parameter> parameters, const Given& given, std::vector<ascend::Argument>& arguments) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const bool written = parameters[i].direction != cann::Direction::in;
        if (auto* t = std::get_if<Tensor>(&arguments[i])) {
            if (!set_address(given[i], *t, written)) return false;
        } else if (auto* f = std::get_if<ascend::Formatted>(&arguments[i])) {
            if (!set_address(given[i], f->tensor, written)) return false;
        } else if (auto* all = std::get_if<std::vector<Tensor>>(&arguments[i])) {
            for (std::size_t n = 0; n < all->size(); ++n) {
                const Items items(given[i]);
                if (items.size() != all->size()) return false;  // another thread has changed the list meanwhile
                const nb::object one = nb::borrow(items[n]);
                if (!set_address(one.ptr(), (*all)[n], written)) return false;
            }
        }
    }
    return true;
}

Use use_of(nb::handle span) {
    const auto low = nb::cast<std::uintptr_t>(span[0]), high = nb::cast<std::uintptr_t>(span[1]);
    return {reinterpret_cast<const void*>(low), high - low, nb::cast<bool>(span[2])};
}

std::vector<Use> uses_of(nb::list spans) {
    std::vector<Use> uses;
    for (const nb::handle span : spans) uses.push_back(use_of(span));
    return uses;
}

void keep_foreign(std::size_t count, const Given& given, nb::list to) {
    for (std::size_t i = 0; i < count; ++i) {
        if (!given[i]) continue;
        if (is_tensor_object(given[i])) to.append(nb::handle(given[i]));
        else if (PyList_CheckExact(given[i]) || PyTuple_CheckExact(given[i]))
            for (PyObject* const one : Items(given[i]))
                if (is_tensor_object(one)) to.append(nb::handle(one));
    }
}

}  // namespace asnumpy::python
