// Operators over lists of tensors: one formula for the k-th tensors of all lists, with a number of the call's or of the k-th's own.
#include <algorithm>
#include <concepts>
#include <functional>

#include "operators/formula.hpp"
#include "operators/slopes.hpp"

namespace cannsim {
namespace {

using std::array;

// Where the formula's last number comes from: nowhere, a tensor of one element, a scalar, a tensor or list with one per k.
enum class Extra { none, tensor, scalar, per_tensor, per_scalar };

struct Lists {
    std::vector<std::vector<Tensor>> ins;
    std::vector<Tensor> outs;
    Lists(const Call& call, std::size_t inputs) {
        for (const Parameter& param : call.params) {
            if (param.kind != Kind::tensors) continue;
            if (param.direction == Direction::in && ins.size() < inputs) ins.push_back(call.tensors(param.name));
            if (param.direction != Direction::in) outs = call.tensors(param.name);
        }
        call.expect(!outs.empty(), call.params[0].name, "lists of at least one tensor");
        for (const auto& list : ins)
            call.expect(list.size() == outs.size(), list.empty() ? std::string_view("x") : list[0].name, text(outs.size(), " tensors as in out, got ", list.size()));
    }
};

Tensor element(const Tensor& tensor, std::int64_t k) {
    Tensor one = tensor;
    if (tensor.ndim() > 0 && tensor.size() > 1) one.view.offset += k * tensor.view.strides[tensor.ndim() - 1];
    one.view.shape = {};
    one.view.strides = {};
    return one;
}

std::vector<double> scalars(const Call& call, std::string_view name, std::size_t count) {
    const auto& list = static_cast<const aclScalarList*>(call.argument(call.index(name)).pointer)->values;
    call.expect(list.size() == count, name, text(count, " scalars, one for each tensor, got ", list.size()));
    std::vector<double> result;
    for (const aclScalar* const scalar : list) {
        call.expect(scalar != nullptr, name, "scalars, got a null among them");
        result.push_back(scalar_as<double>(scalar->value));
    }
    return result;
}

// What a call says, whatever its formula: the k-th operands of each k.
struct Operands {
    Lists lists;
    std::vector<std::vector<Tensor>> ins;  // the lists' tensors, and the number where it is a tensor
    std::vector<double> numbers;           // where they are scalars
    bool whole = true;                     // all are whole numbers
};

Operands operands(const Call& call, std::size_t count, Extra extra, std::string_view number_name) {
    Operands all{Lists(call, count), {}, {}};
    const std::vector<Tensor>& outs = all.lists.outs;
    const auto check = [&](const Tensor& tensor) {
        call.expect(is_plain_float(tensor.dtype) || tensor.dtype == DType::int32 || tensor.dtype == DType::int64 || tensor.dtype == DType::int8 || tensor.dtype == DType::uint8 ||
                        tensor.dtype == DType::int16 || tensor.dtype == DType::boolean,
                    tensor.name, text("float16, bfloat16, float32, integers or bool, got ", asnumpy::name(tensor.dtype)));
        all.whole = all.whole && !asnumpy::is_float(tensor.dtype);
    };
    for (std::size_t k = 0; k < outs.size(); ++k) {
        std::vector<Tensor>& ins = all.ins.emplace_back();
        for (std::size_t n = 0; n < count; ++n) {
            ins.push_back(all.lists.ins[n][k]);
            check(ins.back());
        }
        if (extra == Extra::tensor || extra == Extra::per_tensor) {
            const Tensor number = call.tensor(number_name);
            check(number);
            if (extra == Extra::tensor) call.expect(number.size() == 1, number_name, text("one element, got shape ", number.shape()));
            else call.expect(number.size() == static_cast<std::int64_t>(outs.size()) && number.ndim() <= 1, number_name, text(outs.size(), " elements, one for each tensor, got shape ", number.shape()));
            ins.push_back(element(number, static_cast<std::int64_t>(k)));
        }
    }
    if (extra == Extra::scalar) all.numbers.assign(outs.size(), call.real(number_name));
    if (extra == Extra::per_scalar) all.numbers = scalars(call, number_name, outs.size());
    for (const double value : all.numbers) all.whole = all.whole && value == std::trunc(value);
    for (const Tensor& out : outs) all.whole = all.whole && !asnumpy::is_float(out.dtype);
    return all;
}

// What is compiled for each formula, for whole numbers and for floats; its last operand may be a number of the call's.
struct Kernel {
    std::size_t operands;
    TileFunction whole, real;
};
template <class T, std::size_t N, class F> TileFunction tiles_of(F f) {
    return tile_function<T, N, 1>([f](std::same_as<T> auto... x) { return f(x...); });
}
template <std::size_t N, class F> Kernel kernel(F f) { return {N, tiles_of<std::int64_t, N>(f), tiles_of<double, N>(f)}; }
using Function = double(double);
Kernel kernel(Function* f) {
    return kernel<1>([f](auto x) { return f(static_cast<double>(x)); });
}

Work of_one_k(const Call& call, const Operands& all, std::size_t k, const Kernel& f) {
    const std::vector<Tensor>& ins = all.ins[k];
    const Tensor& out = all.lists.outs[k];
    DType result = ins[0].dtype;
    if (asnumpy::is_float(out.dtype) && !asnumpy::is_float(result)) result = out.dtype;
    expect_results(call, ins, array{out}, result);
    return tiles(ins, {out}, all.whole ? DType::int64 : DType::float64, all.whole ? f.whole : f.real, all.numbers.empty() ? std::nullopt : std::optional(all.numbers[k]));
}

Work one_after_the_other(std::size_t count, const std::function<Work(std::size_t)>& of) {
    Work all;
    std::vector<std::function<void(const Run&)>> computes;
    for (std::size_t k = 0; k < count; ++k) {
        Work one = of(k);
        all.operations += one.operations;
        computes.push_back(std::move(one.compute));
    }
    all.compute = [computes](const Run& run) {
        for (const auto& compute : computes) compute(run);
    };
    return all;
}

Operator over(std::string_view name, Kernel f, Extra extra = Extra::none, std::string_view number = "scalar") {
    return {name, [f = std::move(f), extra, number](Call& call) {
        const Operands all = operands(call, f.operands - (extra != Extra::none), extra, number);
        return one_after_the_other(all.ins.size(), [&](std::size_t k) { return of_one_k(call, all, k, f); });
    }};
}

const Operators of_one{
    over("aclnnForeachAbs", kernel<1>([]<class T>(T x) { return std::abs(x); })),
    over("aclnnForeachNeg", kernel<1>([](auto x) { return -x; })),
    over("aclnnForeachCopy", kernel<1>([](auto x) { return x; })),
    over("aclnnForeachSign", kernel<1>([]<class T>(T x) { return x != x ? x : static_cast<T>((x > T{0}) - (x < T{0})); })),
    over("aclnnForeachAcos", kernel(std::acos)),
    over("aclnnForeachAsin", kernel(std::asin)),
    over("aclnnForeachAtan", kernel(std::atan)),
    over("aclnnForeachCos", kernel(std::cos)),
    over("aclnnForeachCosh", kernel(std::cosh)),
    over("aclnnForeachErf", kernel(std::erf)),
    over("aclnnForeachErfc", kernel(std::erfc)),
    over("aclnnForeachExp", kernel(std::exp)),
    over("aclnnForeachExpm1", kernel(std::expm1)),
    over("aclnnForeachLog", kernel(std::log)),
    over("aclnnForeachLog10", kernel(std::log10)),
    over("aclnnForeachLog1p", kernel(std::log1p)),
    over("aclnnForeachLog2", kernel(std::log2)),
    over("aclnnForeachReciprocal", kernel([](double x) { return 1 / x; })),
    over("aclnnForeachSigmoid", kernel([](double x) { return sigmoid(x); })),
    over("aclnnForeachSin", kernel(std::sin)),
    over("aclnnForeachSinh", kernel(std::sinh)),
    over("aclnnForeachSqrt", kernel(std::sqrt)),
    over("aclnnForeachTan", kernel(std::tan)),
    over("aclnnForeachTanh", kernel(std::tanh)),
};

constexpr auto add = [](auto x, auto y) { return x + y; };
constexpr auto subtract = [](auto x, auto y) { return x - y; };
constexpr auto multiply = [](auto x, auto y) { return x * y; };
constexpr auto divide = [](auto x, auto y) { return static_cast<double>(x) / static_cast<double>(y); };
constexpr auto larger_of = [](auto x, auto y) { return x > y || x != x ? x : y; };
constexpr auto smaller_of = [](auto x, auto y) { return x < y || x != x ? x : y; };
constexpr auto power = [](auto x, auto y) { return std::pow(static_cast<double>(x), static_cast<double>(y)); };
constexpr auto add_scaled = [](auto x, auto y, auto factor) { return x + factor * y; };
constexpr auto subtract_scaled = [](auto x, auto y, auto factor) { return x - factor * y; };
constexpr auto plus_product = [](auto x, auto y, auto z, auto value) { return x + value * y * z; };
constexpr auto plus_quotient = [](auto x, auto y, auto z, auto value) { return static_cast<double>(x) + static_cast<double>(value) * static_cast<double>(y) / static_cast<double>(z); };
constexpr auto interpolate = [](auto x, auto y, auto weight) { return static_cast<double>(x) + static_cast<double>(weight) * static_cast<double>(y - x); };

const Operators of_two{
    over("aclnnForeachAddList", kernel<3>(add_scaled), Extra::tensor, "alpha"),
    over("aclnnForeachAddListV2", kernel<3>(add_scaled), Extra::scalar, "alpha"),
    over("aclnnForeachSubList", kernel<3>(subtract_scaled), Extra::tensor, "alpha"),
    over("aclnnForeachSubListV2", kernel<3>(subtract_scaled), Extra::scalar, "alpha"),
    over("aclnnForeachMulList", kernel<2>(multiply)),
    over("aclnnForeachDivList", kernel<2>(divide)),
    over("aclnnForeachMaximumList", kernel<2>(larger_of)),
    over("aclnnForeachMinimumList", kernel<2>(smaller_of)),
    over("aclnnForeachPowList", kernel<2>(power)),
    over("aclnnForeachLerpList", kernel<3>(interpolate)),
    over("aclnnForeachLerpScalar", kernel<3>(interpolate), Extra::scalar, "weight"),
    over("aclnnForeachAddcmulList", kernel<4>(plus_product), Extra::per_tensor, "scalars"),
    over("aclnnForeachAddcmulScalar", kernel<4>(plus_product), Extra::tensor),
    over("aclnnForeachAddcmulScalarList", kernel<4>(plus_product), Extra::per_tensor, "scalars"),
    over("aclnnForeachAddcmulScalarV2", kernel<4>(plus_product), Extra::scalar),
    over("aclnnForeachAddcdivList", kernel<4>(plus_quotient), Extra::per_tensor, "scalars"),
    over("aclnnForeachAddcdivScalar", kernel<4>(plus_quotient), Extra::tensor),
    over("aclnnForeachAddcdivScalarList", kernel<4>(plus_quotient), Extra::per_tensor, "scalars"),
    over("aclnnForeachAddcdivScalarV2", kernel<4>(plus_quotient), Extra::scalar),
};

// Each with a number as a tensor, as a scalar, and as one scalar for each tensor.
const Operators with_number{
    over("aclnnForeachAddScalar", kernel<2>(add), Extra::tensor),          over("aclnnForeachAddScalarV2", kernel<2>(add), Extra::scalar),
    over("aclnnForeachAddScalarList", kernel<2>(add), Extra::per_scalar, "scalars"),
    over("aclnnForeachSubScalar", kernel<2>(subtract), Extra::tensor),     over("aclnnForeachSubScalarV2", kernel<2>(subtract), Extra::scalar),
    over("aclnnForeachSubScalarList", kernel<2>(subtract), Extra::per_scalar, "scalars"),
    over("aclnnForeachMulScalar", kernel<2>(multiply), Extra::tensor),     over("aclnnForeachMulScalarV2", kernel<2>(multiply), Extra::scalar),
    over("aclnnForeachMulScalarList", kernel<2>(multiply), Extra::per_scalar, "scalars"),
    over("aclnnForeachDivScalar", kernel<2>(divide), Extra::tensor),       over("aclnnForeachDivScalarV2", kernel<2>(divide), Extra::scalar),
    over("aclnnForeachDivScalarList", kernel<2>(divide), Extra::per_scalar, "scalars"),
    over("aclnnForeachMaximumScalar", kernel<2>(larger_of), Extra::tensor),   over("aclnnForeachMaximumScalarV2", kernel<2>(larger_of), Extra::scalar),
    over("aclnnForeachMaximumScalarList", kernel<2>(larger_of), Extra::per_scalar, "scalars"),
    over("aclnnForeachMinimumScalar", kernel<2>(smaller_of), Extra::tensor),  over("aclnnForeachMinimumScalarV2", kernel<2>(smaller_of), Extra::scalar),
    over("aclnnForeachMinimumScalarList", kernel<2>(smaller_of), Extra::per_scalar, "scalars"),
    over("aclnnForeachPowScalar", kernel<2>(power), Extra::tensor),        over("aclnnForeachPowScalarV2", kernel<2>(power), Extra::scalar),
    over("aclnnForeachPowScalarList", kernel<2>(power), Extra::per_scalar, "scalars"),
    over("aclnnForeachPowScalarAndTensor", kernel<2>([](auto x, auto base) { return power(base, x); }), Extra::scalar),
};

// How a number is rounded: 1 to even, 2 down, 3 up, 4 away from zero in the middle, 5 towards zero, 7 its fraction.
constexpr auto rounded_by_mode = [](auto value, auto mode) {
    const double x = static_cast<double>(value);
    switch (static_cast<int>(mode)) {
        case 2: return std::floor(x);
        case 3: return std::ceil(x);
        case 4: return std::round(x);
        case 5: return std::trunc(x);
        case 7: return x - std::trunc(x);
        default: return std::nearbyint(x);
    }
};

Work plan_zero(Call& call) {
    std::vector<Tensor> all = call.tensors("x");
    Work work;
    work.compute = [all](const Run& run) {
        const double zero = 0;
        const Array one{const_cast<std::byte*>(reinterpret_cast<const std::byte*>(&zero)), DType::float64, {}, {}};
        for (const Tensor& tensor : all) copy(broadcast_to(one, tensor.shape()), run[tensor]);
    };
    return work;
}

Work plan_norm(Call& call) {
    const Lists lists(call, 1);
    const double order = call.real("scalar");
    for (std::size_t k = 0; k < lists.outs.size(); ++k) {
        expect_floats(call, lists.ins[0][k]);
        call.expect(lists.outs[k].size() == 1, lists.outs[k].name, text("one element, got shape ", lists.outs[k].shape()));
    }
    Work work;
    work.compute = [=](const Run& run) {
        for (std::size_t k = 0; k < lists.outs.size(); ++k) {
            const Owned values = contiguous(run[lists.ins[0][k]], DType::float64);
            double result = 0;
            for (std::int64_t i = 0; i < values.size(); ++i) {
                const double x = std::abs(values.as<double>()[i]);
                if (std::isinf(order)) result = x > result || x != x ? x : result;
                else result += order == 0 ? x != 0 : std::pow(x, order);
            }
            if (!std::isinf(order) && order != 0) result = std::pow(result, 1 / order);
            const Array one{reinterpret_cast<std::byte*>(&result), DType::float64, {}, {}};
            copy(broadcast_to(one, lists.outs[k].shape()), run[lists.outs[k]]);
        }
    };
    return work;
}

const Operators others{
    over("aclnnForeachRoundOffNumber", kernel<2>(rounded_by_mode), Extra::tensor, "roundMode"),
    over("aclnnForeachRoundOffNumberV2", kernel<2>(rounded_by_mode), Extra::scalar, "roundMode"),
    {"aclnnForeachZeroInplace", plan_zero},
    {"aclnnForeachNorm", plan_norm},
};

}  // namespace
}  // namespace cannsim
