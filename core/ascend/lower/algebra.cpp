// Linear algebra of matrices, one or a stack, on the device.
#include <array>
#include <string>

#include "ascend/lower/call.hpp"
#include "ascend/lower/whole.hpp"

namespace asnumpy::ascend {
namespace {

// The operators with their tensors in order, as accepts_dtypes and demotions see them. All tensors of a call have one dtype.
constexpr std::string_view inverse_call = "aclnnInverse x -> out", qr_call = "aclnnLinalgQr x 0 -> out out",
                           triangular_call = "aclnnTriangularSolve x y true false false -> out out", slogdet_call = "aclnnSlogdet x -> out out",
                           svd_call = "aclnnSvd x true true -> out out out";

template <const std::string_view& text> Explanation explain_one(const StructuredCall& c) {
    const DType d = c.in[0].dtype;
    const std::string_view op = parse_call(text).op;
    if (accepts_dtypes(text, d, d)) return {Path::native, std::string(op)};
    return {Path::host, "CANN has no " + std::string(op) + " of " + std::string(name(d))};
}

void run_inverse(Emitter& emitter, const StructuredCall& c) { emitter.call("aclnnInverse", {c.in[0], c.out[0]}); }
void run_qr(Emitter& emitter, const StructuredCall& c) { emitter.call("aclnnLinalgQr", {c.in[0], c.option, c.out[0], c.out[1]}); }
void run_slogdet(Emitter& emitter, const StructuredCall& c) { emitter.call("aclnnSlogdet", {c.in[0], c.out[0], c.out[1]}); }
void run_svd(Emitter& emitter, const StructuredCall& c) {
    emitter.call("aclnnSvd", {c.in[0], (c.option & 1) != 0, (c.option & 2) != 0, c.out[0], c.out[1], c.out[2]});
}
void run_triangular(Emitter& emitter, const StructuredCall& c) {
    const Tensor repeated = emitter.temporary(c.in[0].shape, c.in[0].dtype);  // the operator gives the matrices back
    emitter.call("aclnnTriangularSolve", {c.in[1], c.in[0], c.option != 0, false, false, c.out[0], repeated});
}

constexpr std::array algebra_list{
    Way{"inverse", explain_one<inverse_call>, run_inverse},
    Way{"qr", explain_one<qr_call>, run_qr},
    Way{"slogdet", explain_one<slogdet_call>, run_slogdet},
    Way{"svd", explain_one<svd_call>, run_svd},
    Way{"triangular_solve", explain_one<triangular_call>, run_triangular},
};

}  // namespace

std::span<const Way> algebra_ways() { return algebra_list; }

}  // namespace asnumpy::ascend
