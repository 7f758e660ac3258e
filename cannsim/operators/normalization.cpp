// Layer, root-mean-square and group normalisation, and their gradients.
#include "operators/normalized_rows.hpp"
#include "operators/slopes.hpp"

namespace cannsim {
namespace {

Dims normalized_shape(const Call& call) { return Dims(call.ints("normalizedShape")); }

// --- layers ---

Work plan_layer(Call& call) {
    const Tensor x = call.tensor("input");
    Forward f{.x = x, .y = call.tensor("out"), .weight = call.optional("weightOptional"), .bias = call.optional("biasOptional"), .mean = call.optional("meanOutOptional"),
              .spread = call.optional("rstdOutOptional"), .epsilon = call.real("eps")};
    return forward(call, last_axes(call, x, normalized_shape(call), "normalizedShape"), f);
}
Work plan_layer_gradient(Call& call) {
    const Tensor x = call.tensor("input");
    Backward b{.grad = call.tensor("gradOut"), .x = x, .mean = call.tensor("mean"), .spread = call.tensor("rstd"), .weight = call.optional("weightOptional"),
               .of_x = wanted(call, 0, "gradInputOut"), .of_weight = wanted(call, 1, "gradWeightOut"), .of_bias = wanted(call, 2, "gradBiasOut")};
    return backward(call, last_axes(call, x, normalized_shape(call), "normalizedShape"), b);
}
Work plan_add_layer(Call& call) {
    const Tensor x = call.tensor("x1"), gamma = call.tensor("gamma");
    Forward f{.x = x, .y = call.tensor("yOut"), .weight = gamma, .bias = call.tensor("beta"), .mean = call.optional("meanOut"), .spread = call.optional("rstdOut"),
              .epsilon = call.real("epsilon"), .added = {call.tensor("x2")}};
    call.expect_shape(f.added[0], x.shape());
    if (const auto bias = call.optional("biasOptional")) f.added.push_back(*bias);
    if (call.flag("additionalOutput")) f.sum = call.tensor("xOut");
    return forward(call, last_axes(call, x, gamma.shape(), "gamma"), f);
}
Work plan_add_layer_gradient(Call& call) {
    const Tensor x = call.tensor("x1"), gamma = call.tensor("gamma");
    Backward b{.grad = call.tensor("dy"), .x = x, .mean = call.tensor("mean"), .spread = call.tensor("rstd"), .weight = gamma, .of_x = call.tensor("dxOut"),
               .of_weight = call.tensor("dgammaOut"), .of_bias = call.tensor("dbetaOut"), .added = {call.tensor("x2")}, .more = call.optional("dsumOptional")};
    call.expect_shape(b.added[0], x.shape());
    if (b.more) call.expect_shape(*b.more, x.shape());
    return backward(call, last_axes(call, x, gamma.shape(), "gamma"), b);
}
Work plan_deep(Call& call) {
    const Tensor x = call.tensor("x"), gamma = call.tensor("gamma");
    Forward f{.x = x, .y = call.tensor("yOut"), .weight = gamma, .bias = call.tensor("beta"), .mean = call.tensor("meanOut"), .spread = call.tensor("rstdOut"),
              .epsilon = call.real("epsilon"), .added = {call.tensor("gx")}, .factor = call.real("alpha")};
    return forward(call, last_axes(call, x, gamma.shape(), "gamma"), f);
}

// --- the root mean square ---

Work root_mean_square(Call& call, std::string_view first, bool add, double shift) {
    const Tensor x = call.tensor(first), gamma = call.tensor("gamma");
    Forward f{.x = x, .y = call.tensor("yOut"), .weight = gamma, .spread = call.tensor("rstdOut"), .epsilon = call.real("epsilon"), .centred = false, .weight_shift = shift};
    if (add) {
        f.added.push_back(call.tensor("x2"));
        call.expect_shape(f.added[0], x.shape());
        f.sum = call.tensor("xOut");
    }
    return forward(call, last_axes(call, x, gamma.shape(), "gamma"), f);
}
Work plan_root_mean_square_gradient(Call& call) {
    const Tensor x = call.tensor("x"), gamma = call.tensor("gamma");
    Backward b{.grad = call.tensor("dy"), .x = x, .spread = call.tensor("rstd"), .weight = gamma, .of_x = call.tensor("dxOut"), .of_weight = call.tensor("dgammaOut")};
    return backward(call, last_axes(call, x, gamma.shape(), "gamma"), b);
}

// --- groups ---

Work plan_group(Call& call) {
    const Tensor x = call.tensor("self");
    Forward f{.x = x, .y = call.tensor("out"), .weight = call.optional("gamma"), .bias = call.optional("beta"), .mean = call.tensor("meanOut"), .spread = call.tensor("rstdOut"),
              .epsilon = call.real("eps")};
    return forward(call, groups(call, call.integer("N"), call.integer("C"), call.integer("HxW"), call.integer("group"), x), f);
}
template <bool flagged> Work plan_group_silu(Call& call) {
    const Tensor x = call.tensor("self");
    call.expect(x.ndim() >= 2, "self", text("at least two axes, got shape ", x.shape()));
    Forward f{.x = x, .y = call.tensor("out"), .weight = call.optional("gamma"), .bias = call.optional("beta"), .mean = call.tensor("meanOut"), .spread = call.tensor("rstdOut"),
              .epsilon = call.real("eps")};
    if (!flagged || call.flag("activateSilu")) f.after = silu<double>;
    const std::int64_t n = x.length(0), channels = x.length(1);
    return forward(call, groups(call, n, channels, n * channels != 0 ? x.size() / (n * channels) : 0, call.integer("group"), x), f);
}
Work plan_group_swish(Call& call) {
    const Tensor x = call.tensor("x");
    call.expect(x.ndim() >= 2, "x", text("at least two axes, got shape ", x.shape()));
    const std::string format = call.text("dataFormatOptional");
    call.expect(format.empty() || format == "NCHW", "dataFormatOptional", text("NCHW, got ", format));
    Forward f{.x = x, .y = call.tensor("yOut"), .weight = call.tensor("gamma"), .bias = call.tensor("beta"), .mean = call.tensor("meanOut"), .spread = call.tensor("rstdOut"),
              .epsilon = call.real("eps")};
    if (call.flag("activateSwish")) f.after = [scale = call.real("swishScale")](double y) { return y * sigmoid(scale * y); };
    const std::int64_t n = x.length(0), channels = x.length(1);
    return forward(call, groups(call, n, channels, n * channels != 0 ? x.size() / (n * channels) : 0, call.integer("numGroups"), x, "numGroups"), f);
}
Work plan_group_gradient(Call& call) {
    const Tensor x = call.tensor("input");
    Backward b{.grad = call.tensor("gradOut"), .x = x, .mean = call.tensor("mean"), .spread = call.tensor("rstd"), .weight = call.optional("gamma"),
               .of_x = wanted(call, 0, "gradInput"), .of_weight = wanted(call, 1, "gradGammaOut"), .of_bias = wanted(call, 2, "gradBetaOut")};
    return backward(call, groups(call, call.integer("N"), call.integer("C"), call.integer("HxW"), call.integer("group"), x), b);
}

const Operators normalizations{
    {"aclnnLayerNorm", plan_layer},
    {"aclnnLayerNormWithImplMode", plan_layer},
    {"aclnnLayerNormBackward", plan_layer_gradient, {"gradInputOut", "gradWeightOut", "gradBiasOut"}},
    {"aclnnAddLayerNorm", plan_add_layer, {"meanOut", "rstdOut", "xOut"}},
    {"aclnnAddLayerNormGrad", plan_add_layer_gradient},
    {"aclnnDeepNorm", plan_deep},
    {"aclnnRmsNorm", [](Call& call) { return root_mean_square(call, "x", false, 0); }},
    {"aclnnGemmaRmsNorm", [](Call& call) { return root_mean_square(call, "x", false, 1); }},
    {"aclnnAddRmsNorm", [](Call& call) { return root_mean_square(call, "x1", true, 0); }},
    {"aclnnRmsNormGrad", plan_root_mean_square_gradient},
    {"aclnnGroupNorm", plan_group, {"gamma", "beta"}},
    {"aclnnGroupNormSilu", plan_group_silu<false>, {"gamma", "beta"}},
    {"aclnnGroupNormSiluV2", plan_group_silu<true>, {"gamma", "beta"}},
    {"aclnnGroupNormBackward", plan_group_gradient, {"gamma", "gradInput", "gradGammaOut", "gradBetaOut"}},
    {"aclnnGroupNormSwish", plan_group_swish},
};

}  // namespace
}  // namespace cannsim
