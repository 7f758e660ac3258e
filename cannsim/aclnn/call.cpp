// Reading and checking the arguments of phase one.
#include "aclnn/call.hpp"

#include <algorithm>
#include <cmath>

#include "aclnn/rows.hpp"
#include "cann/versions.hpp"
#include "runtime/statistics.hpp"

namespace cannsim {
namespace {

std::string shown(const Dims& dims) {
    std::string result;
    append(result, dims);
    return result;
}

constexpr const char* dtype_names[letters] = {"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
                                              "bfloat16", "float32", "float64", "complex32", "complex64", "complex128"};

std::string dtype_list(unsigned mask) {
    std::string result;
    for (int i = 0; i < letters; ++i)
        if (mask >> i & 1) result += text(result.empty() ? "" : ", ", dtype_names[i]);
    return result;
}

// Clients hand over any number as int64 or float64, whatever is documented of a scalar: it is read by value.
bool readable_as(DType scalar, unsigned documented) {
    if (documented >> static_cast<int>(scalar) & 1) return true;
    constexpr unsigned floats = 1u << 9 | 1u << 10 | 1u << 11 | 1u << 12, integers = 0x1fe;  // the letters of cann/dtypes.hpp
    return (scalar == DType::float64 && documented & floats) || (scalar == DType::int64 && documented & (floats | integers));
}

}  // namespace

Call::Call(int op, std::span<const Argument> arguments)
    : facts(operators()[static_cast<std::size_t>(op)]), params(parameters(facts)), arguments_(arguments) {}

int Call::index(std::string_view name) const {
    for (int i = 0; const Parameter& param : params) {
        if (name == param.name) return i;
        ++i;
    }
    throw Refusal{ACLNN_ERR_INNER, cannsim::text("the simulator looks for a parameter '", name, "' that the operator does not have")};
}

void Call::refuse(std::string_view parameter, std::string_view expected, int code) const {
    throw Refusal{code, cannsim::text(parameter, ": expected ", expected)};
}

// What documents, headers and sources say differently of a dtype is accepted, and told in the report.
void Call::check_dtype(const Parameter& param, int letter, bool refused) const {
    const Taken accepted = taken(param);
    if (refused) refuse(param.name, cannsim::text("one of ", dtype_list(accepted.dtypes), ", got ", dtype_names[letter], " in CANN ", version_in_use().name));
    if (accepted.contested >> letter & 1) count_contested(facts.name, param.name, dtype_names[letter]);
}

void Call::check_tensor(int parameter, int element, const aclTensor* tensor, bool may_be_null) {
    const Parameter& param = params[static_cast<std::size_t>(parameter)];
    if (!tensor) {
        if (!may_be_null) refuse(param.name, "an aclTensor, got null", ACLNN_ERR_PARAM_NULLPTR);
        slots_.push_back({{}, parameter, element, {0, 0}, true});
        return;
    }
    if (!tensor->is(Object::Type::tensor)) {
        finding(Fault::object_misuse, cannsim::text(facts.name, ": ", param.name, ": expected an aclTensor, got ", static_cast<const void*>(tensor),
                                                    ", which is destroyed or of another kind"), ACLNN_ERR_PARAM_INVALID);
        refuse(param.name, "a live aclTensor");
    }
    const int letter = letter_of_acl(tensor->dtype);
    if (letter < 0 || letter == 13) refuse(param.name, cannsim::text("a dtype that is simulated, got ", acl_name(tensor->dtype)));
    check_dtype(param, letter, param.dtypes && !(taken(param).dtypes >> letter & 1));
    const int rank = tensor->shape.size();
    if (rank < param.low_rank || rank > std::min<int>(param.high_rank, 8))
        refuse(param.name, cannsim::text("from ", static_cast<int>(param.low_rank), " to ", std::min<int>(param.high_rank, 8), " axes, got shape ", tensor->shape));
    const auto item = static_cast<std::int64_t>(acl_size(tensor->dtype));
    std::int64_t last = tensor->offset, size = 1;
    for (int axis = 0; axis < rank; ++axis) {
        size *= tensor->shape[axis];
        last += (tensor->shape[axis] - 1) * tensor->strides[axis];
    }
    const std::int64_t stored = asnumpy::count(tensor->storage);
    if (size && last >= stored)
        finding(Fault::out_of_bounds, cannsim::text(facts.name, ": ", param.name, ": the view of shape ", tensor->shape, ", strides ", tensor->strides, ", offset ",
                                                    tensor->offset, " passes the end of its storage of shape ", tensor->storage), ACLNN_ERR_PARAM_INVALID);
    if (param.contiguous && size > 1 && !tensor->in_c_order())
        finding(Fault::not_contiguous, cannsim::text(facts.name, ": ", param.name, ": expected a tensor in C order, got shape ", tensor->shape, " with strides ", tensor->strides,
                                                     "; the documents do not promise what others give"), ACLNN_ERR_PARAM_INVALID);
    if (size && !tensor->data) refuse(param.name, "a tensor with memory, got one whose address is null", ACLNN_ERR_PARAM_NULLPTR);
    const asnumpy::Extent extent = size ? asnumpy::Extent{tensor->offset * item, (last + 1) * item} : asnumpy::Extent{0, 0};
    const bool dense = extent.high - extent.low <= size * item;
    if (param.direction != Direction::in && size > 1) {
        for (int axis = 0; axis < rank; ++axis)
            if (tensor->strides[axis] == 0 && tensor->shape[axis] > 1)
                finding(Fault::overlap, cannsim::text(facts.name, ": ", param.name, ": an output of shape ", tensor->shape, " with strides ", tensor->strides,
                                                      " writes elements more than once"), ACLNN_ERR_PARAM_INVALID);
    }
    slots_.push_back({Ref(const_cast<aclTensor*>(tensor)), parameter, element, extent, dense});
}

void Call::validate(std::span<const std::string_view> nullable) {
    slots_.reserve(params.size());
    for (int i = 0; i < static_cast<int>(params.size()); ++i) {
        const Parameter& param = params[static_cast<std::size_t>(i)];
        if (param.kind >= Kind::integer && param.kind != Kind::text) continue;
        const bool may_be_null = param.optional || std::ranges::find(nullable, param.name) != nullable.end();
        const void* const pointer = argument(i).pointer;
        if (param.kind == Kind::tensor) {
            check_tensor(i, 0, static_cast<const aclTensor*>(pointer), may_be_null);
            continue;
        }
        if (!pointer) {
            if (!may_be_null) refuse(param.name, "an argument, got null", ACLNN_ERR_PARAM_NULLPTR);
            continue;
        }
        if (param.kind == Kind::text) continue;
        constexpr Object::Type types[] = {Object::Type::tensor, Object::Type::tensors, Object::Type::scalar, Object::Type::scalars, Object::Type::ints, Object::Type::floats, Object::Type::bools};
        if (!static_cast<const Object*>(pointer)->is(types[static_cast<int>(param.kind)])) {
            finding(Fault::object_misuse, cannsim::text(facts.name, ": ", param.name, ": ", pointer, " is destroyed or of another kind"), ACLNN_ERR_PARAM_INVALID);
            refuse(param.name, "a live object of its kind");
        }
        others_.push_back({Ref(static_cast<const Object*>(pointer)), i});
        if (param.kind == Kind::tensors) {
            for (int element = 0; const aclTensor* tensor : static_cast<const aclTensorList*>(pointer)->values) check_tensor(i, element++, tensor, may_be_null);
        } else if (param.kind == Kind::scalar) {
            const int dtype = static_cast<const aclScalar*>(pointer)->dtype, letter = letter_of_acl(dtype);
            if (letter < 0 || letter == 13) refuse(param.name, cannsim::text("a dtype that is simulated, got ", acl_name(dtype)));
            check_dtype(param, letter, param.dtypes && !readable_as(static_cast<DType>(letter), taken(param).dtypes));
        }
    }
    for (const Slot& slot : slots_) {
        const Parameter& param = params[static_cast<std::size_t>(slot.parameter)];
        if (!slot.tensor || param.kind != Kind::tensor || param.direction != Direction::out) continue;
        const auto other = [&](int index) -> const aclTensor* {
            if (index < 0 || params[static_cast<std::size_t>(index)].kind != Kind::tensor) return nullptr;
            return static_cast<const aclTensor*>(argument(index).pointer);
        };
        if (const aclTensor* const same = other(param.same_shape); same && !(same->shape == slot.tensor->shape))
            refuse(param.name, cannsim::text("the shape of ", params[static_cast<std::size_t>(param.same_shape)].name, ", ", same->shape, ", got ", slot.tensor->shape));
        if (const aclTensor* const same = other(param.same_dtype); same && same->dtype != slot.tensor->dtype)
            refuse(param.name, cannsim::text("the dtype of ", params[static_cast<std::size_t>(param.same_dtype)].name, ", ", acl_name(same->dtype), ", got ", acl_name(slot.tensor->dtype)));
    }
}

int Call::slot_of(int parameter, int element) const {
    for (int i = 0; const Slot& slot : slots_) {
        if (slot.parameter == parameter && slot.element == element) return i;
        ++i;
    }
    throw Refusal{ACLNN_ERR_INNER, cannsim::text("the simulator looks for tensor ", element, " of '", params[static_cast<std::size_t>(parameter)].name, "', which was not given")};
}

Tensor Call::made(int slot) const {
    const Slot& s = slots_[static_cast<std::size_t>(slot)];
    const aclTensor& t = *s.tensor.get();
    Tensor result;
    result.slot = slot;
    result.dtype = *dtype_of_acl(t.dtype);
    const auto item = static_cast<std::int64_t>(asnumpy::itemsize(result.dtype));
    result.view.offset = t.offset * item;
    result.view.shape = t.shape;
    result.view.strides = t.strides;
    for (std::int64_t& stride : result.view.strides) stride *= item;
    result.name = params[static_cast<std::size_t>(s.parameter)].name;
    return result;
}

Tensor Call::tensor_at(int parameter, int element) const { return made(slot_of(parameter, element)); }
Tensor Call::tensor(std::string_view name) const { return tensor_at(index(name)); }
std::optional<Tensor> Call::optional(std::string_view name) const {
    const int parameter = index(name);
    return argument(parameter).pointer ? std::optional(tensor_at(parameter)) : std::nullopt;
}
std::vector<std::optional<Tensor>> Call::optional_tensors(std::string_view name) const {
    const int parameter = index(name);
    std::vector<std::optional<Tensor>> result;
    for (int i = 0; const Slot& slot : slots_) {
        if (slot.parameter == parameter) result.push_back(slot.tensor ? std::optional(made(i)) : std::nullopt);
        ++i;
    }
    return result;
}
std::vector<Tensor> Call::tensors(std::string_view name) const {
    std::vector<Tensor> result;
    for (auto& one : optional_tensors(name)) {
        if (!one) refuse(name, "tensors, got a null among them", ACLNN_ERR_PARAM_NULLPTR);
        result.push_back(std::move(*one));
    }
    return result;
}

const asnumpy::Scalar& Call::scalar(std::string_view name) const { return static_cast<const aclScalar*>(argument(index(name)).pointer)->value; }
void Work::multiply(const Call& call, DType dtype, double count) {
    operations = count;
    engine = Engine::cube;
    const auto chosen = std::ranges::find(call.params, std::string_view("cubeMathType"), [](const Parameter& p) { return std::string_view(p.name); });
    const std::int64_t math = chosen == call.params.end() ? 0 : call.integer("cubeMathType");
    if (dtype == DType::int8 || dtype == DType::uint8) product = Product::byte;
    else if (dtype == DType::float32) product = math == 1 || math == 3 ? Product::hf32 : math == 2 ? Product::half : Product::single;
    else if (dtype != DType::float16 && dtype != DType::bfloat16) engine = Engine::vector;
}

bool Call::given(std::string_view name) const { return argument(index(name)).pointer != nullptr; }
double Call::real(std::string_view name) const {
    const int parameter = index(name);
    if (params[static_cast<std::size_t>(parameter)].kind != Kind::scalar) return argument(parameter).real;
    return scalar_as<double>(scalar(name));
}
std::int64_t Call::integer(std::string_view name) const {
    const int parameter = index(name);
    if (params[static_cast<std::size_t>(parameter)].kind != Kind::scalar) return argument(parameter).integer;
    return scalar_as<std::int64_t>(scalar(name));
}
bool Call::flag(std::string_view name) const { return argument(index(name)).integer != 0; }
std::span<const std::int64_t> Call::ints(std::string_view name) const {
    const auto* const list = static_cast<const aclIntArray*>(argument(index(name)).pointer);
    return list ? std::span<const std::int64_t>(list->values) : std::span<const std::int64_t>();
}
std::vector<bool> Call::bools(std::string_view name) const {
    const auto* const list = static_cast<const aclBoolArray*>(argument(index(name)).pointer);
    return list ? std::vector<bool>(list->values.begin(), list->values.end()) : std::vector<bool>();
}
std::string Call::text(std::string_view name) const {
    const auto* const chars = static_cast<const char*>(argument(index(name)).pointer);
    return chars ? chars : "";
}
DType Call::dtype(std::string_view name) const {
    const auto acl = static_cast<int>(argument(index(name)).integer);
    const auto dtype = dtype_of_acl(acl);
    if (!dtype) refuse(name, cannsim::text("a dtype that is simulated, got ", acl_name(acl)));
    return *dtype;
}

void Call::expect_shape(const Tensor& tensor, const Dims& shape) const {
    if (!(tensor.shape() == shape)) refuse(tensor.name, cannsim::text("shape ", shape, ", got ", tensor.shape()));
}
void Call::expect_dtype(const Tensor& tensor, DType dtype) const {
    if (tensor.dtype != dtype) refuse(tensor.name, cannsim::text("dtype ", asnumpy::name(dtype), ", got ", asnumpy::name(tensor.dtype)));
}
int Call::axis(std::string_view parameter, std::int64_t value, int ndim) const {
    const int n = std::max(ndim, 1);
    if (value < -n || value >= n) refuse(parameter, cannsim::text("an axis from ", -n, " to ", n - 1, ", got ", value));
    return static_cast<int>(value < 0 ? value + n : value);
}
std::vector<int> Call::axes(std::string_view parameter, int ndim) const {
    std::vector<int> result;
    for (const std::int64_t value : ints(parameter)) {
        const int one = axis(parameter, value, ndim);
        if (std::ranges::find(result, one) != result.end()) refuse(parameter, cannsim::text("axes without duplicates, got ", value, " twice"));
        result.push_back(one);
    }
    if (result.empty())
        for (int i = 0; i < ndim; ++i) result.push_back(i);
    std::ranges::sort(result);
    if (ndim == 0) result.clear();
    return result;
}
Dims Call::broadcast(std::initializer_list<const Tensor*> tensors) const {
    Dims result;
    for (const Tensor* const tensor : tensors) {
        const Dims& other = tensor->shape();
        Dims joined(std::max(result.size(), other.size()));
        for (int i = 1; i <= joined.size(); ++i) {
            const std::int64_t a = i <= result.size() ? result[result.size() - i] : 1, b = i <= other.size() ? other[other.size() - i] : 1;
            if (a != b && a != 1 && b != 1) refuse(tensor->name, cannsim::text("a shape that broadcasts with ", shown(result), ", got ", other));
            joined[joined.size() - i] = a == 1 ? b : a;
        }
        result = joined;
    }
    return result;
}

bool castable(DType from, DType to) {
    const auto category = [](DType d) { return d == DType::boolean ? 0 : asnumpy::is_integer(d) ? 1 : asnumpy::is_float(d) ? 2 : 3; };
    const int a = category(from), b = category(to);
    if (a == b) return true;
    if (b == 0) return false;             // nothing else becomes bool
    return !(a == 3 && b == 1);           // complex to integers is refused, all else allowed
}
void Call::expect_castable(DType result, const Tensor& out) const {
    if (!castable(result, out.dtype)) refuse(out.name, cannsim::text("a dtype to which ", asnumpy::name(result), " can be converted, got ", asnumpy::name(out.dtype)));
}
DType Call::promote(DType a, DType b, std::string_view parameter) const {
    const int result = tensor_tensor[static_cast<int>(a)][static_cast<int>(b)];
    if (result < 0 || result == 13) refuse(parameter, cannsim::text("a dtype that promotes with ", asnumpy::name(a), ", got ", asnumpy::name(b)));
    return static_cast<DType>(result);
}
DType Call::promote_scalar(DType scalar, DType tensor, std::string_view parameter) const {
    const int result = tensor_scalar[static_cast<int>(scalar)][static_cast<int>(tensor)];
    if (result < 0 || result == 13) refuse(parameter, cannsim::text("a scalar that promotes with ", asnumpy::name(tensor), ", got ", asnumpy::name(scalar)));
    return static_cast<DType>(result);
}

}  // namespace cannsim
