// Activations, in-place forms included.
#include "operators/formula.hpp"
#include "operators/slopes.hpp"

namespace cannsim {
namespace {

using std::array;

constexpr double selu_alpha = 1.6732632423543772848170429916717, selu_scale = 1.0507009873554804934193349852946;
constexpr double fast_gelu_scale = 1.702;  // the logistic function's that is nearest to the normal distribution's

template <class T> T hard_sigmoid(T x) { return smaller(larger(x / 6 + 0.5, 0.0), 1.0); }

constexpr auto elu_of = [](auto x, Numbers<3> p) { return elu(x, p[0] * p[1], p[1], p[2]); };
constexpr auto celu_of = [](auto x, Numbers<1> p) { return elu(x, p[0], 1, 1 / p[0]); };
constexpr auto selu_of = [](auto x, Numbers<0>) { return elu(x, selu_alpha * selu_scale, selu_scale, 1); };
constexpr auto mish_of = []<class T>(T x, Numbers<0>) {
    using std::tanh;
    return x * tanh(softplus(x));
};
constexpr auto hard_sigmoid_of = [](auto x, Numbers<0>) { return hard_sigmoid(x); };
constexpr auto hard_swish_of = [](auto x, Numbers<0>) { return x * hard_sigmoid(x); };
constexpr auto log_sigmoid_of = [](auto x, Numbers<0>) { return -softplus(-x); };
constexpr auto clamp_of = [](auto x, auto p) { return smaller(larger(x, p[0]), p[1]); };
constexpr auto threshold_of = []<class T>(T x, array<T, 2> p) { return x <= p[0] ? p[1] : x; };

// A function of real numbers over whole ones, whose results become whole.
template <class F> constexpr auto whole_or(F f) {
    return [f]<class T>(T x, auto) {
        if constexpr (std::is_integral_v<T>) return static_cast<T>(f(static_cast<double>(x), {}));
        else return f(x, {});
    };
}

constexpr array elu_names{"alpha", "scale", "inputScale"};
constexpr array bound_names{"clipValueMin", "clipValueMax"};
constexpr array threshold_names{"threshold", "value"};

const Operators activations{
    real_operator<1>("aclnnElu", elu_names, elu_of),
    real_operator<1>("aclnnInplaceElu", elu_names, elu_of),
    real_operator<1>("aclnnCelu", alpha_name, celu_of),
    real_operator<1>("aclnnInplaceCelu", alpha_name, celu_of),
    number_operator<1>("aclnnSelu", no_names, whole_or(selu_of)),
    real_operator<1>("aclnnInplaceSelu", no_names, selu_of),
    real_operator<1>("aclnnMish", no_names, mish_of),
    real_operator<1>("aclnnInplaceMish", no_names, mish_of),
    number_operator<1, Precision::own>("aclnnHardsigmoid", no_names, whole_or(hard_sigmoid_of)),
    real_operator<1, Precision::own>("aclnnInplaceHardsigmoid", no_names, hard_sigmoid_of),
    real_operator<1, Precision::own>("aclnnHardswish", no_names, hard_swish_of),
    real_operator<1, Precision::own>("aclnnInplaceHardswish", no_names, hard_swish_of),
    number_operator<1, Precision::own>("aclnnHardtanh", bound_names, clamp_of),
    number_operator<1, Precision::own>("aclnnInplaceHardtanh", bound_names, clamp_of),
    number_operator<1>("aclnnThreshold", threshold_names, threshold_of),
    number_operator<1>("aclnnInplaceThreshold", threshold_names, threshold_of),
    real_operator<1>("aclnnGelu", no_names, [](auto x, Numbers<0>) { return gelu(x, true); }),
    real_operator<1>("aclnnGeluV2", array{"approximate"}, [](auto x, Numbers<1> p) { return gelu(x, p[0] != 0); }),
    real_operator<1>("aclnnFastGelu", no_names, [](auto x, Numbers<0>) { return x * sigmoid(fast_gelu_scale * x); }),
    real_operator<1>("aclnnSwish", array{"betaOptional"}, [](auto x, Numbers<1> p) { return x * sigmoid(p[0] * x); }),
    real_operator<1>("aclnnLogSigmoid", no_names, log_sigmoid_of),
    real_operator<1>("aclnnLogSigmoidForward", no_names, log_sigmoid_of),  // the buffer is the gradient's own affair
    real_operator<1>("aclnnSoftplus", array{"beta", "threshold"}, [](auto x, Numbers<2> p) { return choose(x * p[0] > p[1], x, softplus(x * p[0]) / p[0]); }),
    real_operator<1>("aclnnSoftshrink", array{"lambd"}, [](double x, Numbers<1> p) { return x > p[0] ? x - p[0] : x < -p[0] ? x + p[0] : x != x ? x : 0; }),
    real_operator<1>("aclnnHardshrink", array{"lambd"}, [](double x, Numbers<1> p) { return x >= -p[0] && x <= p[0] ? 0 : x; }),
    real_operator<1>("aclnnShrink", array{"lambd", "bias"}, [](double x, Numbers<2> p) { return x > p[0] ? x - p[1] : x < -p[0] ? x + p[1] : 0; }),
};

// The weight has one element, or one for each index of the second axis.
Tensor along_channels(const Call& call, const Tensor& weight, const Tensor& self) {
    Tensor result = weight;
    const std::int64_t channels = self.ndim() > 1 ? self.length(1) : 1;
    int along = -1;  // the axis of the weight that is not of length 1
    for (int axis = 0; axis < weight.ndim(); ++axis)
        if (weight.length(axis) == weight.size() && weight.size() > 1) along = axis;
    call.expect(weight.size() == 1 || (along >= 0 && weight.size() == channels), weight.name, text("1 or ", channels, " elements, got shape ", weight.shape()));
    const std::int64_t stride = along >= 0 ? weight.view.strides[along] : 0;
    result.view.shape = Dims(self.ndim(), 1);
    result.view.strides = Dims(self.ndim(), 0);
    if (self.ndim() > 1 && weight.size() > 1) {
        result.view.shape[1] = weight.size();
        result.view.strides[1] = stride;
    }
    return result;
}

Work plan_prelu(Call& call) {
    const Tensor self = call.tensor("self"), weight = call.tensor("weight");
    expect_floats(call, self);
    expect_floats(call, weight);
    return formula<double, 2, 1>(call, {self, along_channels(call, weight, self)}, {call.tensor("out")}, self.dtype,
                                 [](double x, double slope) { return x > 0 ? x : x * slope; });
}

Work plan_prelu_gradient(Call& call) {
    const Tensor grad = call.tensor("gradOutput"), self = call.tensor("self"), weight = call.tensor("weight"), of_input = call.tensor("gradInput"),
                 of_weight = call.tensor("gradWeight");
    expect_floats(call, self);
    const Tensor slopes = along_channels(call, weight, self);
    call.expect(of_weight.size() == weight.size(), of_weight.name, text("as many elements as weight, ", weight.size(), ", got shape ", of_weight.shape()));
    Work work = formula<double, 3, 1>(call, {grad, self, slopes}, {of_input}, self.dtype, [](double g, double x, double slope) { return x > 0 ? g : g * slope; });
    work.compute = [=, inputs = std::move(work.compute)](const Run& run) {
        const Owned g = contiguous(broadcast_to(run[grad], self.shape()), DType::float64), x = contiguous(run[self], DType::float64);
        const Owned sums = make(DType::float64, of_weight.shape());
        const std::int64_t channels = weight.size() > 1 ? weight.size() : 1;
        std::int64_t inner = 1;
        for (int axis = 2; axis < self.ndim(); ++axis) inner *= self.length(axis);
        std::fill_n(sums.as<double>(), sums.size(), 0.0);
        for (std::int64_t i = 0; i < x.size(); ++i)
            if (!(x.as<double>()[i] > 0)) sums.as<double>()[channels > 1 ? i / inner % channels : 0] += g.as<double>()[i] * x.as<double>()[i];
        inputs(run);
        copy(sums, run[of_weight]);
    };
    return work;
}

const Operators with_weight{{"aclnnPrelu", plan_prelu}, {"aclnnPreluBackward", plan_prelu_gradient}};

// --- gradients: of the output, then the input or the result

Work plan_gelu_gradient(Call& call) {
    const Tensor grad = call.tensor("gradOutput"), self = call.tensor("self");
    expect_floats(call, grad);
    expect_floats(call, self);
    const std::string how = call.text("approximate");
    call.expect(how == "none" || how == "tanh", "approximate", text("none or tanh, got ", how));
    const std::array both{grad, self};
    return formula<double, 2, 1>(call, both, {call.tensor("gradInput")}, promoted(call, both),
                                 [approximate = how == "tanh"](auto g, auto x) { return g * gelu_slope(x, approximate); });
}

const Operators gradients{
    {"aclnnGeluBackwardV2", plan_gelu_gradient},
    real_operator<2>("aclnnGeluBackward", no_names, [](auto g, auto x, Numbers<0>) { return g * gelu_slope(x, true); }),
    real_operator<2>("aclnnFastGeluBackward", no_names, [](auto g, auto x, Numbers<0>) { return g * silu_slope(fast_gelu_scale * x); }),
    real_operator<2, Precision::own>("aclnnSigmoidBackward", no_names, [](auto g, auto y, Numbers<0>) { return g * y * (1 - y); }),
    real_operator<2, Precision::own>("aclnnTanhBackward", no_names, [](auto g, auto y, Numbers<0>) { return g * (1 - y * y); }),
    real_operator<2>("aclnnSiluBackward", no_names, [](auto g, auto x, Numbers<0>) { return g * silu_slope(x); }),
    real_operator<2>("aclnnSwishBackward", array{"betaOptional"}, [](auto g, auto x, Numbers<1> p) { return g * silu_slope(p[0] * x); }),
    number_operator<2>("aclnnThresholdBackward", array{"threshold"}, []<class T>(T g, T x, array<T, 1> p) { return x <= p[0] ? T{0} : g; }),
    real_operator<2>("aclnnLeakyReluBackward", array{"negativeSlope"}, [](double g, double x, Numbers<1> p) { return x > 0 ? g : g * p[0]; }),
    real_operator<2>("aclnnEluBackward", array{"alpha", "scale", "inputScale", "isResult"}, []<class T>(T g, T x, Numbers<4> p) {
        using std::exp;
        const double scale = p[0] * p[1];
        return choose(x > 0.0, g * p[1], g * p[2] * (p[3] != 0 ? x + scale : scale * exp(x * p[2])));
    }),
    real_operator<2>("aclnnSeluBackward", no_names, [](double g, double y, Numbers<0>) { return y > 0 ? g * selu_scale : g * (y + selu_alpha * selu_scale); }),
    real_operator<2>("aclnnSoftplusBackward", array{"beta", "threshold"}, [](auto g, auto x, Numbers<2> p) { return choose(x * p[0] > p[1], g, g * sigmoid(x * p[0])); }),
    real_operator<2>("aclnnSoftshrinkBackward", array{"lambda"}, [](double g, double x, Numbers<1> p) { return x >= -p[0] && x <= p[0] ? 0 : g; }),
    real_operator<2>("aclnnHardshrinkBackward", array{"lambd"}, [](double g, double x, Numbers<1> p) { return x >= -p[0] && x <= p[0] ? 0 : g; }),
    real_operator<2>("aclnnHardtanhBackward", array{"min", "max"}, [](double g, double x, Numbers<2> p) { return x <= p[0] || x >= p[1] ? 0 : g; }),
    real_operator<2>("aclnnHardswishBackward", no_names, [](double g, double x, Numbers<0>) { return x < -3 ? 0 : x > 3 ? g : g * (x / 3 + 0.5); }),
    real_operator<2>("aclnnHardsigmoidBackward", no_names, [](double g, double x, Numbers<0>) { return x > -3 && x < 3 ? g / 6 : 0; }),
    real_operator<2>("aclnnLogSigmoidBackward", no_names, [](auto g, auto x, Numbers<0>) { return g * sigmoid(-x); }),
    real_operator<2>("aclnnMishBackward", no_names, []<class T>(T g, T x, Numbers<0>) {
        using std::tanh;
        const T t = tanh(softplus(x));
        return g * (t + x * sigmoid(x) * (1 - t * t));
    }),
};

// --- gates: the tensor's two halves along an axis, one of which opens the other

struct Halves {
    Tensor first, second;
    Halves(const Call& call, const Tensor& whole, std::int64_t dim) : first(whole), second(whole) {
        call.expect(whole.ndim() > 0, whole.name, "at least one axis");
        const int axis = call.axis("dim", dim, whole.ndim());
        const std::int64_t length = whole.length(axis);
        call.expect(length % 2 == 0, whole.name, text("an even length of axis ", axis, ", got shape ", whole.shape()));
        first.view.shape[axis] = second.view.shape[axis] = length / 2;
        second.view.offset += length / 2 * whole.view.strides[axis];
    }
};

template <class F> Work gate(Call& call, const Tensor& whole, std::int64_t dim, const Tensor& out, F f) {
    expect_floats(call, whole);
    const Halves x(call, whole, dim);
    return formula<double, 2, 1>(call, {x.first, x.second}, {out}, whole.dtype, f);
}
template <class F> Work gate_gradient(Call& call, std::string_view grad, std::string_view whole, std::string_view out, F f) {
    const Tensor input = call.tensor(whole), g = call.tensor(grad), target = call.tensor(out);
    expect_floats(call, input);
    expect_floats(call, g);
    call.expect_shape(target, input.shape());
    const Halves x(call, input, call.integer("dim")), d(call, target, call.integer("dim"));
    return formula<double, 3, 2>(call, {g, x.first, x.second}, {d.first, d.second}, input.dtype, f);
}

template <bool choose> Work plan_geglu(Call& call) {
    const bool left = choose && call.flag("activateLeft"), approximate = call.integer("approximate") != 0;
    const Tensor self = call.tensor("self");
    expect_floats(call, self);
    const Halves x(call, self, call.integer("dim"));
    const Tensor &open = left ? x.first : x.second, &value = left ? x.second : x.first;
    return formula<double, 2, 2>(call, {value, open}, {call.tensor("out"), call.tensor("outGelu")}, self.dtype, [approximate](double a, double b) {
        const double opened = gelu(b, approximate);
        return array{a * opened, opened};
    });
}
template <bool choose> Work plan_geglu_gradient(Call& call) {
    const bool left = choose && call.flag("activateLeft"), approximate = call.integer("approximate") != 0;
    return gate_gradient(call, "gradOutput", "self", "gradInput", [left, approximate](double g, double a, double b) {
        if (left) return array{g * b * gelu_slope(a, approximate), g * gelu(a, approximate)};
        return array{g * gelu(b, approximate), g * a * gelu_slope(b, approximate)};
    });
}

const Operators gates{
    {"aclnnGlu", [](Call& call) { return gate(call, call.tensor("self"), call.integer("dim"), call.tensor("out"), [](auto a, auto b) { return a * sigmoid(b); }); }},
    {"aclnnSwiGlu", [](Call& call) { return gate(call, call.tensor("x"), call.integer("dim"), call.tensor("out"), [](auto a, auto b) { return silu(a) * b; }); }},
    {"aclnnGluBackward", [](Call& call) {
        return gate_gradient(call, "gradOut", "self", "out", [](double g, double a, double b) { return array{g * sigmoid(b), g * a * sigmoid(b) * sigmoid(-b)}; });
    }},
    {"aclnnSwiGluGrad", [](Call& call) {
        return gate_gradient(call, "yGrad", "x", "out", [](double g, double a, double b) { return array{g * b * silu_slope(a), g * silu(a)}; });
    }},
    {"aclnnGeGlu", plan_geglu<false>},
    {"aclnnGeGluV3", plan_geglu<true>},
    {"aclnnGeGluBackward", plan_geglu_gradient<false>},
    {"aclnnGeGluV3Backward", plan_geglu_gradient<true>},
    {"aclnnGeluMul", [](Call& call) {
        const std::string how = call.text("approximateOptional");
        call.expect(how.empty() || how == "none" || how == "tanh", "approximateOptional", text("none or tanh, got ", how));
        return gate(call, call.tensor("input"), -1, call.tensor("out"), [approximate = how == "tanh"](auto a, auto b) { return gelu(a, approximate) * b; });
    }},
    {"aclnnFatreluMul", [](Call& call) {
        const Tensor input = call.tensor("input"), threshold = call.tensor("threshold");
        call.expect(threshold.size() == 1, "threshold", text("one element, got shape ", threshold.shape()));
        const Halves x(call, input, -1);
        Tensor level = threshold;
        level.view.shape = {};
        level.view.strides = {};
        return formula<double, 3, 1>(call, {x.first, x.second, level}, {call.tensor("out")}, input.dtype, [](double a, double b, double least) { return a > least ? a * b : 0 * b; });
    }},
};

}  // namespace
}  // namespace cannsim
