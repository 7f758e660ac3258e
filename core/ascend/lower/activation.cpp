// What these operators compute in between is their own affair: results agree with the composed ones within the dtype's error.
#include "ascend/lower/activation.hpp"

#include "ascend/lower/call.hpp"
#include "ascend/lower/term.hpp"

namespace asnumpy::ascend {
namespace {

Explanation explained(const StructuredCall& c, bool accepted) {
    const std::string op(parse_call(text_of(c)).op);
    if (!accepted) return {Path::host, op + " does not accept " + std::string(name(c.in[0].dtype))};
    return {Path::native, op};
}

// CANN does not say that x times a probability is 0 at minus infinity, where that is 0 too.
bool needs_bound(const StructuredCall& c) {
    static const RowId silu = find_row("silu"), gelu = find_row("gelu");
    return c.row == silu || c.row == gelu;
}
Scalar lowest(DType d) { return cast_number(Scalar::of(d == DType::float16 ? -65504.0 : d == DType::bfloat16 ? -0x1.fep127 : -0x1.fffffep127), d); }

}  // namespace

Explanation explain_activation(const StructuredCall& c) {
    const DType d = c.in[0].dtype;
    const Explanation own = explained(c, holds(floats, d) && accepts_dtypes(text_of(c), d, d));
    if (own.path == Path::host || !needs_bound(c)) return own;
    return {Path::decomposed, "aclnnMaximum, " + own.text};
}

void run_activation(Emitter& emitter, const StructuredCall& c) {
    if (needs_bound(c)) {
        apply_to(emitter, "maximum", {c.in[0], emitter.constant(lowest(c.in[0].dtype))}, c.out[0]);
        return call(emitter, text_of(c), {.x = &c.out[0], .out = &c.out[0], .option = c.option});
    }
    call(emitter, text_of(c), {.x = &c.in[0], .out = &c.out[0], .axis = c.axis, .option = c.option, .numbers = c.numbers});
}

// Their dtypes are not among the facts: those with which the vector unit computes are safe.
Explanation explain_normalisation(const StructuredCall& c) {
    const DType d = c.in[0].dtype;
    bool accepted = holds(halves, d) || d == DType::float32;
    for (const Tensor& t : c.in) accepted = accepted && t.dtype == d;
    return explained(c, accepted);
}

// Not by the call strings: weight and bias may be missing, and out2 is of no use to us.
void run_normalisation(Emitter& emitter, const StructuredCall& c) {
    static const RowId layer = find_row("layer_norm");
    const Tensor &x = c.in[0], &out = c.out[0];
    const int n = x.shape.size(), first = n - static_cast<int>(c.axis);
    Dims lengths, kept = x.shape;
    for (int axis = first; axis < n; ++axis) {
        lengths.push_back(x.shape[axis]);
        kept[axis] = 1;
    }
    const bool with_weight = c.option & 1, with_bias = c.option & 2;
    Tensor weight = with_weight ? c.in[1] : Tensor{}, bias = with_bias ? c.in.back() : Tensor{};
    if (c.row == layer) {
        const auto given = [](bool is, const Tensor& t) { return is ? Argument(t) : Argument(nullptr); };
        return emitter.call("aclnnLayerNorm", {x, lengths, given(with_weight, weight), given(with_bias, bias), c.numbers[0], out, nullptr, nullptr});
    }
    if (!with_weight) {
        weight = emitter.temporary(lengths, x.dtype);
        emitter.call("aclnnInplaceOne", {weight});
    }
    emitter.call("aclnnRmsNorm", {x, weight, c.numbers[0], out, emitter.temporary(kept, DType::float32)});
}

}  // namespace asnumpy::ascend
