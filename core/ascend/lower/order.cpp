// A dtype of the same order, and both ways between the two.
#include "ascend/lower/order.hpp"

#include <cstdint>
#include <string>

#include "ascend/lower/call.hpp"
#include "ascend/lower/term.hpp"

namespace asnumpy::ascend {
Tensor turned(Emitter& emitter, const Tensor& x) {
    const DType with_sign = signed_of(x.dtype);
    const std::int64_t highest = itemsize(with_sign) == 4 ? INT32_MIN : INT64_MIN;
    const Tensor out = emitter.temporary(x.shape, with_sign);
    apply_to(emitter, "bitwise_xor", {viewed(x, with_sign), emitter.constant(cast_number(Scalar::of(highest), with_sign))}, out);
    return out;
}

Ordering ordering_of(std::string_view call, DType d, std::optional<DType> out) {
    const bool small = d == DType::boolean || (is_integer(d) && itemsize(d) <= 2);
    for (const bool slow : {false, true}) {
        const auto accepted = [&](DType as) { return accepts_dtypes(call, as, out.value_or(as)) && is_on_aicpu(call, as) == slow; };
        if (d == DType::boolean && accepted(DType::uint8)) return {DType::uint8, Path::reinterpreted, slow};
        if (accepted(d)) return {d, Path::native, slow};
        if ((d == DType::float16 || d == DType::bfloat16) && accepted(DType::float32)) return {DType::float32, Path::wider, slow};
        if (!small && !is_integer(d)) continue;
        if (small && itemsize(d) == 1 && accepted(DType::float16)) return {DType::float16, Path::wider, slow};
        if (small && accepted(DType::float32)) return {DType::float32, Path::wider, slow};
        for (const DType wide : {DType::int32, DType::int64})
            if (itemsize(d) < itemsize(wide) && accepted(wide)) return {wide, Path::wider, slow};
        if (d == DType::uint64 && accepted(DType::int64)) return {DType::int64, Path::decomposed, slow};
    }
    return {d, Path::host};
}

Explanation explain_ordered(std::string_view call, DType d, const Ordering& how) {
    const std::string op(parse_call(call).op);
    switch (how.path) {
        case Path::native: return {how.path, op, how.slow};
        case Path::host: return {how.path, op + " does not accept " + std::string(name(d))};
        case Path::decomposed: return {how.path, "aclnnBitwiseXorScalar, " + op, how.slow};
        default: return {how.path, op + ", of " + std::string(name(how.as)), how.slow};
    }
}

Tensor ordered(Emitter& emitter, const Tensor& x, const Ordering& how) {
    if (how.path == Path::decomposed) return turned(emitter, x);
    return how.path == Path::wider ? cast_to(emitter, x, how.as) : viewed(x, how.as);
}

void copy_ordered_back(Emitter& emitter, const Tensor& x, const Ordering& how, const Tensor& out) {
    copy_to(emitter, how.path == Path::decomposed ? viewed(turned(emitter, x), out.dtype) : x, out);
}

}  // namespace asnumpy::ascend
