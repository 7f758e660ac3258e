// Copies: casts, views made contiguous, fills.
#include "aclnn/strided.hpp"

namespace cannsim {
namespace {

Work copying(const Tensor& from, const Tensor& to) {
    Work work;
    work.elementwise = true;
    work.compute = [from, to](const Run& run) { copy(broadcast_to(run[from], to.shape()), run[to]); };
    return work;
}

Work plan_copy(Call& call) {
    const Tensor target = call.tensor("selfRef"), source = call.tensor("src");
    const Dims shape = call.broadcast({&target, &source});
    call.expect_shape(target, shape);
    return copying(source, target);
}

Work plan_cast(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    call.expect_dtype(out, call.dtype("dtype"));
    call.expect_shape(out, self.shape());
    return copying(self, out);
}

Work filled(const Tensor& out, const asnumpy::Scalar& value) {
    Work work;
    work.elementwise = true;
    work.compute = [out, value](const Run& run) {
        const Array target = run[out];
        const Array one{const_cast<std::byte*>(value.bytes.data()), value.dtype, {}, {}};
        copy(broadcast_to(one, target.shape), target);
    };
    return work;
}

const Operators movement{
    {"aclnnInplaceCopy", plan_copy},
    {"aclnnCast", plan_cast},
    {"aclnnInplaceZero", [](Call& call) { return filled(call.tensor("selfRef"), asnumpy::Scalar::of(0.0)); }},
    {"aclnnInplaceOne", [](Call& call) { return filled(call.tensor("selfRef"), asnumpy::Scalar::of(1.0)); }},
    {"aclnnInplaceFillScalar", [](Call& call) { return filled(call.tensor("selfRef"), call.scalar("value")); }},
};

}  // namespace
}  // namespace cannsim
