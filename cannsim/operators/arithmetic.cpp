// Addition and subtraction with their factor alpha, and the forms with a scalar operand that CANN names by themselves.
#include "aclnn/elementwise.hpp"

namespace cannsim {
namespace {

using Value = Pipeline::Value;

// A tensor or scalar parameter as a value of the common dtype.
Value operand(Pipeline& p, const Call& call, int parameter, DType dtype) {
    if (call.params[static_cast<std::size_t>(parameter)].kind == Kind::tensor) return p.in(call.tensor_at(parameter), dtype);
    return p.constant(static_cast<const aclScalar*>(call.argument(parameter).pointer)->value, dtype);
}
DType scalar_dtype(const Call& call, int parameter) { return static_cast<const aclScalar*>(call.argument(parameter).pointer)->value.dtype; }

// self, other, alpha[, out]: self + alpha * other; `reversed`: other - alpha * self.
template <bool subtract, bool reversed> Work plan_alpha(Call& call) {
    const Tensor self = call.tensor_at(0);
    const Parameter& second = call.params[1];
    const DType common = second.kind == Kind::tensor ? call.promote(self.dtype, call.tensor_at(1).dtype, second.name)
                                                     : call.promote_scalar(scalar_dtype(call, 1), self.dtype, second.name);
    if (subtract && common == DType::boolean) call.refuse("self", "numbers, got bool: differences of bool are not defined");
    const bool counts = common == DType::boolean && asnumpy::is_integer(scalar_dtype(call, 2));  // a factor of bools may be 1 or 0
    if (!counts && !castable(scalar_dtype(call, 2), common)) call.refuse("alpha", text("a value of ", asnumpy::name(common), ", got ", asnumpy::name(scalar_dtype(call, 2))));
    Pipeline p(call);
    Value a = p.in(self, common), b = operand(p, call, 1, common);
    if constexpr (reversed) std::swap(a, b);
    if (scalar_as<double>(call.scalar("alpha")) != 1 || asnumpy::is_complex(scalar_dtype(call, 2))) b = p.apply("multiply", b, p.constant(call.scalar("alpha"), common));
    p.out(p.apply(subtract ? "subtract" : "add", a, b), call.tensor_at(call.params.size() == 4 ? 3 : 0));
    return p.work();
}

const Operators alpha{
    {"aclnnAdd", plan_alpha<false, false>},         {"aclnnAdds", plan_alpha<false, false>},
    {"aclnnSub", plan_alpha<true, false>},          {"aclnnSubs", plan_alpha<true, false>},
    {"aclnnRsub", plan_alpha<true, true>},          {"aclnnRsubs", plan_alpha<true, true>},
    {"aclnnInplaceAdd", plan_alpha<false, false>},  {"aclnnInplaceAdds", plan_alpha<false, false>},
    {"aclnnInplaceSub", plan_alpha<true, false>},   {"aclnnInplaceSubs", plan_alpha<true, false>},
};

Operator row(std::string_view aclnn, std::string_view name) {
    return {aclnn, [name](Call& call) { return plan_elementwise(call, name); }};
}

// Integers are round already.
Work plan_round(Call& call) {
    const Tensor self = call.tensor_at(0), out = call.tensor_at(static_cast<int>(call.params.size()) - 1);
    if (!asnumpy::is_integer(self.dtype)) return plan_elementwise(call, "rint");
    Pipeline p(call);
    p.out(p.in(self), out);
    return p.work();
}
const Operators rounding{{"aclnnRound", plan_round}, {"aclnnInplaceRound", plan_round}};

// The power that programs ask for most is a product.
Work plan_power(Call& call) {
    const Tensor self = call.tensor_at(0);
    const DType common = call.promote_scalar(scalar_dtype(call, 1), self.dtype, call.params[1].name);
    if (asnumpy::is_complex(common) || scalar_as<double>(call.scalar(call.params[1].name)) != 2) return plan_elementwise(call, "power");
    Pipeline p(call);
    const Value x = p.in(self, common);
    p.out(p.apply("multiply", x, x), call.tensor_at(static_cast<int>(call.params.size()) == 3 ? 2 : 0));
    return p.work();
}
const Operators powers{{"aclnnPowTensorScalar", plan_power}, {"aclnnInplacePowTensorScalar", plan_power}};

// One row, an operand of which is a scalar.
const Operators scalar_forms{
    row("aclnnMuls", "multiply"), row("aclnnInplaceMuls", "multiply"), row("aclnnDivs", "divide"), row("aclnnInplaceDivs", "divide"),
    row("aclnnEqScalar", "equal"), row("aclnnInplaceEqScalar", "equal"), row("aclnnNeScalar", "not_equal"), row("aclnnInplaceNeScalar", "not_equal"),
    row("aclnnLtScalar", "less"), row("aclnnInplaceLtScalar", "less"), row("aclnnLeScalar", "less_equal"), row("aclnnInplaceLeScalar", "less_equal"),
    row("aclnnGtScalar", "greater"), row("aclnnInplaceGtScalar", "greater"), row("aclnnGeScalar", "greater_equal"), row("aclnnInplaceGeScalar", "greater_equal"),
    row("aclnnPowScalarTensor", "power"),
    row("aclnnFmodScalar", "fmod"), row("aclnnInplaceFmodScalar", "fmod"), row("aclnnFloorDivides", "floor_divide"), row("aclnnInplaceFloorDivides", "floor_divide"),
    row("aclnnRemainderTensorScalar", "remainder"), row("aclnnInplaceRemainderTensorScalar", "remainder"), row("aclnnRemainderScalarTensor", "remainder"),
    row("aclnnBitwiseAndScalar", "bitwise_and"), row("aclnnInplaceBitwiseAndScalar", "bitwise_and"), row("aclnnBitwiseOrScalar", "bitwise_or"),
    row("aclnnInplaceBitwiseOrScalar", "bitwise_or"), row("aclnnBitwiseXorScalar", "bitwise_xor"), row("aclnnInplaceBitwiseXorScalar", "bitwise_xor"),
    row("aclnnLeftShifts", "left_shift"),
};

}  // namespace
}  // namespace cannsim
