// From arguments to CANN's objects: tensors with element strides over their block, scalars, arrays, lists.
#include "ascend/launch/objects.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "ascend/library/cann.hpp"
#include "base/error.hpp"
#include "cann/dtypes.hpp"

namespace asnumpy::ascend {
namespace {

using cann::Kind;

[[noreturn]] void refuse(const Operator& op, std::size_t parameter, const std::string& expected) {
    throw RuntimeFailure(std::string(op.facts->name) + ": parameter " + op.parameters[parameter].name + ": expected " + expected);
}

template <class... F> struct Overloaded : F... { using F::operator()...; };

int acl_dtype(const Operator& op, std::size_t parameter, DType dtype) {
    const int acl = cann::acl_of_dtype(dtype);
    if (acl < 0) refuse(op, parameter, "a dtype that CANN has, got " + std::string(name(dtype)));
    return acl;
}

}  // namespace

Objects& Objects::operator=(Objects&& o) noexcept {
    if (this != &o) {
        destroy();
        made_ = std::move(o.made_);
        tensors_ = std::move(o.tensors_);
        o.made_.clear();
        o.tensors_.clear();
    }
    return *this;
}

void Objects::destroy() noexcept {
    if (!made_.empty() && !ended()) {
        const Cann& c = cann();
        for (const Made& one : made_) {
            switch (one.kind) {
            case Kind::tensor: c.aclDestroyTensor(static_cast<aclTensor*>(one.object)); break;
            case Kind::tensors: c.aclDestroyTensorList(static_cast<aclTensorList*>(one.object)); break;
            case Kind::scalar: c.aclDestroyScalar(static_cast<aclScalar*>(one.object)); break;
            case Kind::scalars: c.aclDestroyScalarList(static_cast<aclScalarList*>(one.object)); break;
            case Kind::ints: c.aclDestroyIntArray(static_cast<aclIntArray*>(one.object)); break;
            case Kind::floats: c.aclDestroyFloatArray(static_cast<aclFloatArray*>(one.object)); break;
            default: c.aclDestroyBoolArray(static_cast<aclBoolArray*>(one.object)); break;
            }
        }
    }
    made_.clear();
    tensors_.clear();
}

template <class T> T* Objects::keep(T* object, Kind kind, const char* function) {
    if (!object) fail(function, cann::ACL_ERROR_BAD_ALLOC);
    made_.push_back({object, kind});  // there is room: see make()
    return object;
}

// The address is that of the block, as CANN's rule for aligned addresses wants it; the rest is an offset in elements.
aclTensor* Objects::make_tensor(const Operator& op, std::size_t parameter, const Tensor& t, std::int32_t format) {
    const auto item = static_cast<std::int64_t>(itemsize(t.dtype));
    const auto address = reinterpret_cast<std::uintptr_t>(t.data);
    const std::uintptr_t base = address / 64 * 64;
    const auto rest = static_cast<std::int64_t>(address - base);
    const int n = t.shape.size();
    std::array<std::int64_t, max_ndim> strides{};
    std::int64_t last = rest / item;
    bool exact = rest % item == 0;
    for (int axis = 0; axis < n; ++axis) {
        strides[static_cast<std::size_t>(axis)] = 1;
        if (t.shape[axis] <= 1) continue;  // never taken
        exact = exact && t.strides[axis] % item == 0 && t.strides[axis] >= 0;
        strides[static_cast<std::size_t>(axis)] = t.strides[axis] / item;
        last += (t.shape[axis] - 1) * strides[static_cast<std::size_t>(axis)];
    }
    if (!exact) refuse(op, parameter, "strides and an address that are multiples of the item size and not negative, got " + to_string(std::span(t.strides.data(), static_cast<std::size_t>(n))));
    const std::int64_t storage = last + 1;
    aclTensor* const made = cann().aclCreateTensor(t.shape.data(), static_cast<std::uint64_t>(n), acl_dtype(op, parameter, t.dtype), strides.data(), rest / item,
                                                   format, &storage, 1, reinterpret_cast<void*>(base));
    if (!made) fail("aclCreateTensor for " + std::string(op.parameters[parameter].name) + " of " + op.facts->name, cann::ACL_ERROR_BAD_ALLOC);
    return made;
}

cann::Value Objects::make(const Operator& op, std::size_t parameter, const Argument& argument) {
    const Cann& c = cann();
    const cann::Parameter& p = op.parameters[parameter];
    const auto scalar = [&](Scalar value) -> aclScalar* {
        aclScalar* const made = c.aclCreateScalar(value.bytes.data(), acl_dtype(op, parameter, value.dtype));
        if (!made) fail("aclCreateScalar for " + std::string(p.name) + " of " + op.facts->name, cann::ACL_ERROR_BAD_ALLOC);
        return made;
    };
    if (made_.size() == made_.capacity()) made_.reserve(2 * made_.size() + 8);  // so that nothing is lost once it is made
    cann::Value result{};
    const auto wrong = [&]() -> void {
        static constexpr std::array names{"a tensor", "a list of tensors", "a scalar", "a list of scalars", "integers", "numbers", "bools",
                                          "an integer", "a number", "a bool", "a string", "a dtype"};
        refuse(op, parameter, std::string(names[static_cast<std::size_t>(p.kind)]) + ", got something else");
    };
    const auto number = [&](auto value) {  // for parameters that are a number of any kind
        if (p.kind == Kind::real) result.real = static_cast<double>(value);
        else if (p.kind == Kind::scalar) result.pointer = keep(scalar(Scalar::of(value)), Kind::scalar, "aclCreateScalar");
        else if ((p.kind == Kind::integer || p.kind == Kind::boolean) && static_cast<double>(static_cast<std::int64_t>(value)) == static_cast<double>(value))
            result.integer = static_cast<std::int64_t>(value);
        else wrong();
    };
    const auto tensor = [&](const Tensor& t, std::int32_t format) {
        if (p.kind != Kind::tensor) wrong();
        aclTensor* const made = keep(make_tensor(op, parameter, t, format), Kind::tensor, "aclCreateTensor");
        tensors_.push_back(made);
        result.pointer = made;
    };
    std::visit(Overloaded{
        [&](std::nullptr_t) {
            if (p.kind >= Kind::integer && p.kind != Kind::text) wrong();
            if (p.kind == Kind::tensor) tensors_.push_back(nullptr);
        },
        [&](const Tensor& t) { tensor(t, cann::ACL_FORMAT_ND); },
        [&](const Formatted& f) { tensor(f.tensor, f.format); },
        [&](const std::vector<Tensor>& list) {
            if (p.kind != Kind::tensors) wrong();
            Objects members;  // until the list owns them
            members.made_.reserve(list.size());
            std::vector<const aclTensor*> handles;
            for (const Tensor& t : list) handles.push_back(members.keep(members.make_tensor(op, parameter, t), Kind::tensor, "aclCreateTensor"));
            result.pointer = keep(c.aclCreateTensorList(handles.data(), handles.size()), Kind::tensors, "aclCreateTensorList");
            members.made_.clear();
        },
        [&](const Scalar& value) {
            if (p.kind != Kind::scalar) wrong();
            result.pointer = keep(scalar(value), Kind::scalar, "aclCreateScalar");
        },
        [&](const std::vector<Scalar>& list) {
            if (p.kind != Kind::scalars) wrong();
            Objects members;
            members.made_.reserve(list.size());
            std::vector<const aclScalar*> handles;
            for (const Scalar& value : list) handles.push_back(members.keep(scalar(value), Kind::scalar, "aclCreateScalar"));
            result.pointer = keep(c.aclCreateScalarList(handles.data(), handles.size()), Kind::scalars, "aclCreateScalarList");
            members.made_.clear();
        },
        [&](std::int64_t value) { number(value); },
        [&](double value) { number(value); },
        [&](bool value) { number(value); },
        [&](const Dims& values) {
            if (p.kind != Kind::ints) wrong();
            result.pointer = keep(c.aclCreateIntArray(values.data(), static_cast<std::uint64_t>(values.size())), Kind::ints, "aclCreateIntArray");
        },
        [&](const std::vector<double>& values) {
            if (p.kind != Kind::floats) wrong();
            const std::vector<float> narrow(values.begin(), values.end());
            result.pointer = keep(c.aclCreateFloatArray(narrow.data(), narrow.size()), Kind::floats, "aclCreateFloatArray");
        },
        [&](const std::vector<bool>& values) {
            if (p.kind != Kind::bools) wrong();
            const auto plain = std::make_unique<bool[]>(values.size() + 1);
            std::copy(values.begin(), values.end(), plain.get());
            result.pointer = keep(c.aclCreateBoolArray(plain.get(), values.size()), Kind::bools, "aclCreateBoolArray");
        },
        [&](DType value) {
            if (p.kind != Kind::dtype && p.kind != Kind::integer) wrong();
            result.integer = acl_dtype(op, parameter, value);
        },
        [&](const std::string& value) {
            if (p.kind != Kind::text) wrong();
            result.pointer = value.c_str();  // the argument outlives the first phase
        },
    }, argument);
    return result;
}

std::string text_of(const Operator& op, std::span<const Argument> arguments) {
    const auto tensor = [](const Tensor& t) {
        return std::string(name(t.dtype)) + to_string(std::span(t.shape.data(), static_cast<std::size_t>(t.shape.size())));
    };
    const auto scalar = [](const Scalar& s) {
        std::string text = std::string(name(s.dtype)) + "(";
        dispatch(s.dtype, [&]<class T>() {
            if constexpr (std::is_arithmetic_v<T>) text += std::to_string(s.get<T>());
            else text += "...";
        });
        return text + ")";
    };
    const auto list = [](const auto& values, const auto& one) {
        std::string text = "[";
        for (const auto& value : values) text += (text.size() > 1 ? ", " : "") + one(value);
        return text + "]";
    };
    const auto plain = [](auto value) { return std::to_string(value); };
    std::string text;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        text += (i ? ", " : "") + std::string(i < op.parameters.size() ? op.parameters[i].name : "?") + "=";
        text += std::visit(Overloaded{
            [](std::nullptr_t) { return std::string("null"); },
            [&](const Tensor& t) { return tensor(t); },
            [&](const Formatted& f) { return tensor(f.tensor); },
            [&](const std::vector<Tensor>& values) { return list(values, tensor); },
            [&](const Scalar& value) { return scalar(value); },
            [&](const std::vector<Scalar>& values) { return list(values, scalar); },
            [](std::int64_t value) { return std::to_string(value); },
            [](double value) { return std::to_string(value); },
            [](bool value) { return std::string(value ? "true" : "false"); },
            [&](const Dims& values) { return list(values, plain); },
            [&](const std::vector<double>& values) { return list(values, plain); },
            [&](const std::vector<bool>& values) { return list(values, [](bool value) { return std::string(value ? "true" : "false"); }); },
            [](DType value) { return std::string(name(value)); },
            [](const std::string& value) { return "'" + value + "'"; },
        }, arguments[i]);
    }
    return text;
}

}  // namespace asnumpy::ascend
