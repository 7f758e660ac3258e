// Sorting and searching on the device.
#include "ascend/lower/whole.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "ascend/lower/call.hpp"
#include "ascend/lower/term.hpp"
#include "ops/structured.hpp"

namespace asnumpy::ascend {
namespace {

constexpr std::string_view sort_call = "aclnnSort x true axis false -> out place";

// The dtype in which an operator puts this one's elements in the same order: itself, bytes for bools, a wider one for integers and short floats; of uint64
// int64 with the highest bit turned.
std::optional<DType> ordered_as(DType d) {
    const auto accepted = [](DType as) { return accepts_dtypes(sort_call, as, as); };
    if (d == DType::boolean) d = DType::uint8;
    if (accepted(d)) return d;
    if (!is_integer(d)) return (d == DType::float16 || d == DType::bfloat16) && accepted(DType::float32) ? std::optional(DType::float32) : std::nullopt;
    for (const DType wide : {DType::int32, DType::int64})
        if ((itemsize(d) < itemsize(wide) || (d == DType::uint64 && wide == DType::int64)) && accepted(wide)) return wide;
    return std::nullopt;
}
Tensor turned(Emitter& emitter, const Tensor& x) {
    const Tensor out = emitter.temporary(x.shape, DType::int64);
    apply_to(emitter, "bitwise_xor", {viewed(x, DType::int64), emitter.constant(Scalar::of(INT64_MIN))}, out);
    return out;
}

Explanation explain_sort(const StructuredCall& c) {
    const DType d = c.in[0].dtype;
    const std::optional<DType> as = ordered_as(d);
    if (!as) return {Path::host, "aclnnSort does not accept " + std::string(name(d))};
    if (*as == d) return {Path::native, "aclnnSort"};
    if (d == DType::uint64) return {Path::decomposed, "aclnnBitwiseXorScalar, aclnnSort"};
    return {itemsize(*as) == itemsize(d) ? Path::reinterpreted : Path::wider, "aclnnSort, of " + std::string(name(*as))};
}
void run_sort(Emitter& emitter, const StructuredCall& c) {
    const Tensor &in = c.in[0], &out = c.out[0];
    const DType d = in.dtype, as = ordered_as(d).value_or(d);
    const bool same_bits = itemsize(as) == itemsize(d) && d != DType::uint64;
    const Tensor x = d == DType::uint64 ? turned(emitter, in) : same_bits ? viewed(in, as) : cast_to(emitter, in, as);
    const Tensor sorted = same_bits ? viewed(out, as) : emitter.temporary(out.shape, as);
    call(emitter, sort_call, {.x = &x, .out = &sorted, .index = &c.out[1], .axis = c.axis});
    if (d == DType::uint64) copy_to(emitter, viewed(turned(emitter, sorted), d), out);
    else if (!same_bits) copy_to(emitter, sorted, out);
}

constexpr std::array whole_ways{
    Way{"sort", explain_sort, run_sort},
};

}  // namespace

const Way* whole_way(std::string_view row) {
    for (const std::span<const Way> ways : {std::span<const Way>(whole_ways), algebra_ways()})
        if (const auto found = std::ranges::find(ways, row, &Way::row); found != ways.end()) return &*found;
    return nullptr;
}

}  // namespace asnumpy::ascend
