// Elementwise arithmetic of two and three operands: products added, interpolation, bounds, rounded quotients, powers of x log y.
#include <optional>

#include "aclnn/elementwise.hpp"
#include "operators/formula.hpp"
#include "operators/wrapping.hpp"

namespace cannsim {
namespace {

using std::array;

// --- products and quotients added, interpolation ---

constexpr auto add_product = []<class T>(T x, T y, T z, auto p) -> T {
    if constexpr (std::is_integral_v<T>) return plus(x, times(times(p[0], y), z));
    else return x + p[0] * y * z;
};
constexpr auto add_quotient = []<class T>(T x, T y, T z, auto p) -> T {
    if constexpr (std::is_integral_v<T>) return z == 0 ? x : x + p[0] * y / z;
    else return x + p[0] * y / z;
};
// From the nearer end, so that a weight of 1 gives `end` exactly.
constexpr auto lerp = []<class T>(T x, T end, T weight, Numbers<0>) {
    using std::abs;
    return choose(abs(weight) < 0.5, x + weight * (end - x), end - (end - x) * (1 - weight));
};
constexpr auto lerps = []<class T>(T x, T end, Numbers<1> p) { return std::abs(p[0]) < 0.5 ? x + p[0] * (end - x) : end - (end - x) * (1 - p[0]); };
constexpr auto add_relu = []<class T>(T x, T y, auto p) -> T { return larger(x + p[0] * y, typename decltype(p)::value_type{0}); };

constexpr array value_name{"value"}, weight_name{"weight"};
const Operators added_products{
    number_operator<3, Precision::own>("aclnnAddcmul", value_name, add_product),   number_operator<3, Precision::own>("aclnnInplaceAddcmul", value_name, add_product),
    number_operator<3, Precision::own>("aclnnAddcdiv", value_name, add_quotient),  number_operator<3, Precision::own>("aclnnInplaceAddcdiv", value_name, add_quotient),
    real_operator<3, Precision::own>("aclnnLerp", no_names, lerp),                 real_operator<3, Precision::own>("aclnnInplaceLerp", no_names, lerp),
    real_operator<2, Precision::own>("aclnnLerps", weight_name, lerps),            real_operator<2, Precision::own>("aclnnInplaceLerps", weight_name, lerps),
    number_operator<2, Precision::own>("aclnnAddRelu", alpha_name, add_relu),      number_operator<2, Precision::own>("aclnnInplaceAddRelu", alpha_name, add_relu),
};

// --- bounds: NaN stays, and the upper bound wins ---

Work clamp(Call& call, std::optional<std::string_view> low, std::optional<std::string_view> high) {
    const Tensor self = call.tensor_at(0), out = first_output(call);
    DType common = self.dtype;
    bool any = false;
    for (const auto& bound : {low, high}) {
        if (!bound || !call.given(*bound)) continue;
        any = true;
        common = call.promote_scalar(static_cast<const aclScalar*>(call.argument(call.index(*bound)).pointer)->value.dtype, common, *bound);
    }
    if (!any) call.refuse(*low, "a bound, got null for both", ACLNN_ERR_PARAM_NULLPTR);
    Pipeline p(call);
    auto value = p.in(self, common);
    if (low && call.given(*low)) value = p.apply("maximum", value, p.constant(call.scalar(*low), common));
    if (high && call.given(*high)) value = p.apply("minimum", value, p.constant(call.scalar(*high), common));
    p.out(value, out);
    return p.work();
}

// One of the bounds may be null.
Work clamp_to_tensors(Call& call) {
    const Tensor self = call.tensor_at(0);
    const std::optional<Tensor> low = call.optional("clipValueMin"), high = call.optional("clipValueMax");
    if (!low && !high) call.refuse("clipValueMin", "a bound, got null for both", ACLNN_ERR_PARAM_NULLPTR);
    std::vector<Tensor> given{self};
    for (const auto& bound : {low, high})
        if (bound) given.push_back(*bound);
    const DType common = promoted(call, given);
    Pipeline p(call);
    auto value = p.in(self, common);
    if (low) value = p.apply("maximum", value, p.in(*low, common));
    if (high) value = p.apply("minimum", value, p.in(*high, common));
    p.out(value, first_output(call));
    return p.work();
}

const Operators bounds{
    {"aclnnClamp", [](Call& call) { return clamp(call, "clipValueMin", "clipValueMax"); }, {"clipValueMin", "clipValueMax"}},
    {"aclnnClampMin", [](Call& call) { return clamp(call, "clipValueMin", std::nullopt); }},
    {"aclnnClampMax", [](Call& call) { return clamp(call, std::nullopt, "clipValueMax"); }},
    {"aclnnInplaceClampMax", [](Call& call) { return clamp(call, std::nullopt, "clipValueMax"); }},
    {"aclnnClampTensor", clamp_to_tensors, {"clipValueMin", "clipValueMax"}},
    {"aclnnClampMinTensor", [](Call& call) { return plan_elementwise(call, "maximum"); }},
    {"aclnnInplaceClampMinTensor", [](Call& call) { return plan_elementwise(call, "maximum"); }},
    {"aclnnClampMaxTensor", [](Call& call) { return plan_elementwise(call, "minimum"); }},
    {"aclnnInplaceClampMaxTensor", [](Call& call) { return plan_elementwise(call, "minimum"); }},
};

// --- quotients: mode 0 exact, 1 rounded towards zero, 2 rounded down ---

Work plan_divide(Call& call) {
    const Tensor self = call.tensor_at(0), out = first_output(call);
    const bool with_scalar = call.params[1].kind == Kind::scalar;
    const DType scalar = with_scalar ? static_cast<const aclScalar*>(call.argument(1).pointer)->value.dtype : self.dtype;
    const DType common = with_scalar ? call.promote_scalar(scalar, self.dtype, "other") : call.promote(self.dtype, call.tensor_at(1).dtype, "other");
    const auto mode = call.integer("mode");
    call.expect(mode >= 0 && mode <= 2, "mode", text("0, 1 or 2, got ", mode));
    const bool whole = common == DType::boolean || asnumpy::is_integer(common);
    if (mode != 0 && asnumpy::is_complex(common)) call.refuse("self", text("real numbers where the quotient is rounded, got ", asnumpy::name(common)));
    if (mode != 0 && whole) {
        const auto divided = [mode](std::int64_t x, std::int64_t y) {
            if (y == 0 || y == -1) return y == 0 ? std::int64_t{0} : static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(x));
            return x / y - (mode == 2 && x % y != 0 && (x < 0) != (y < 0));
        };
        if (!with_scalar) return formula<std::int64_t, 2, 1>(call, array{self, call.tensor_at(1)}, array{out}, common, divided);
        return formula<std::int64_t, 1, 1>(call, array{self}, array{out}, common, [divided, y = scalar_as<std::int64_t>(call.scalar("other"))](std::int64_t x) { return divided(x, y); });
    }
    const DType inner = whole ? DType::float32 : common;
    Pipeline p(call);
    const auto x = p.in(self, inner), y = with_scalar ? p.constant(call.scalar("other"), inner) : p.in(call.tensor_at(1), inner);
    const auto quotient = p.apply(mode == 2 ? "floor_divide" : "divide", x, y);
    p.out(mode == 1 ? p.apply("trunc", quotient) : quotient, out);
    return p.work();
}
const Operators quotients{{"aclnnDivMod", plan_divide}, {"aclnnDivMods", plan_divide}, {"aclnnInplaceDivMod", plan_divide}, {"aclnnInplaceDivMods", plan_divide}};

// --- x log y, zero where x is ---

constexpr auto x_log_y = []<class T>(T x, T y) {
    using std::log;
    return choose((x == 0.0) & (y == y), 0.0, x * log(y));
};
template <bool scalar_first> Work plan_xlogy_scalar(Call& call) {
    const Tensor tensor = call.tensor_at(scalar_first ? 1 : 0);
    const std::string_view name = scalar_first ? "self" : "other";
    call.expect(!asnumpy::is_complex(tensor.dtype), tensor.name, text("real numbers, got ", asnumpy::name(tensor.dtype)));
    const double number = call.real(name);
    return formula<double, 1, 1>(call, array{tensor}, array{first_output(call)}, asnumpy::is_float(tensor.dtype) ? tensor.dtype : DType::float32,
                                 [number](auto x) {
                                     using std::log;
                                     if constexpr (scalar_first) return number == 0 ? choose(x == x, 0.0, x) : number * log(x);
                                     else return number != number ? x * number : choose(x == 0.0, 0.0, x * std::log(number));
                                 });
}
Work plan_xlogy(Call& call) {
    const array both{call.tensor_at(0), call.tensor_at(1)};
    for (const Tensor& one : both) call.expect(!asnumpy::is_complex(one.dtype), one.name, text("real numbers, got ", asnumpy::name(one.dtype)));
    const DType common = promoted(call, both);
    return formula<double, 2, 1>(call, both, array{first_output(call)}, asnumpy::is_float(common) ? common : DType::float32, x_log_y);
}
const Operators xlogy{
    {"aclnnXLogYTensor", plan_xlogy},
    {"aclnnInplaceXLogYTensor", plan_xlogy},
    {"aclnnXLogYScalarOther", plan_xlogy_scalar<false>},
    {"aclnnInplaceXLogYScalarOther", plan_xlogy_scalar<false>},
    {"aclnnXLogYScalarSelf", plan_xlogy_scalar<true>},
};

// --- lists of tensors as one operand after the other ---

template <class F> Work joined(Call& call, F f) {
    const std::vector<Tensor> tensors = call.tensors("tensors");
    const Tensor out = call.tensor("out");
    call.expect(!tensors.empty(), "tensors", "at least one tensor");
    call.expect_shape(out, joined_shape(call, tensors));
    const DType common = promoted(call, tensors);
    call.expect_castable(common, out);
    Work work;
    work.operations = static_cast<double>(tensors.size()) * static_cast<double>(out.size());
    work.compute = [=](const Run& run) {
        const auto fold = [&]<class T>() {
            const Owned result = contiguous(broadcast_to(run[tensors[0]], out.shape()), asnumpy::dtype_of_v<T>);
            for (std::size_t k = 1; k < tensors.size(); ++k) apply_formula<T, 2, 1>(array<Array, 2>{result, run[tensors[k]]}, array<Array, 1>{result}, f);
            copy(result, run[out]);
        };
        if (asnumpy::is_float(common)) fold.template operator()<double>();
        else fold.template operator()<std::int64_t>();
    };
    return work;
}
const Operators lists{
    {"aclnnSum", [](Call& call) { return joined(call, []<class T>(T x, T y) -> T { return x + y; }); }},
    {"aclnnMaxN", [](Call& call) { return joined(call, []<class T>(T x, T y) -> T { return x > y || x != x ? x : y; }); }},
    {"aclnnMinN", [](Call& call) { return joined(call, []<class T>(T x, T y) -> T { return x < y || x != x ? x : y; }); }},
};

}  // namespace
}  // namespace cannsim
