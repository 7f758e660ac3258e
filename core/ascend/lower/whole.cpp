// Sorting, and sums by place, on the device.
#include "ascend/lower/whole.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ascend/lower/call.hpp"
#include "ascend/lower/order.hpp"
#include "ascend/lower/term.hpp"
#include "ops/structured.hpp"

namespace asnumpy::ascend {
namespace {

constexpr std::string_view sort_call = "aclnnSort x true axis false -> out place";

constexpr std::string_view gather_call = "aclnnGather x axis y -> out";

// Integers that the AI cores do not sort are sorted as their digits are, the lowest first, as float32: that holds 24 bits in a
// row exactly, wherever they stand, and the highest digit keeps the sign.
bool by_digits(DType d, const Ordering& how) {
    if (!is_integer(d) || itemsize(d) < 4 || (how.path != Path::host && !how.slow)) return false;
    const DType with_sign = signed_of(d);
    return accepts_dtypes(sort_call, DType::float32, DType::float32) && !is_on_aicpu(sort_call, DType::float32) &&
           accepts_dtypes(gather_call, with_sign, DType::int64, with_sign) && !is_on_aicpu(gather_call, with_sign);
}
constexpr std::int64_t digit = 0xffffff;
constexpr std::int64_t digits_of_32[] = {digit, ~digit}, digits_of_64[] = {digit, digit << 24, ~((digit << 24) | digit)};

Tensor gathered(Emitter& emitter, const Tensor& x, std::int64_t axis, const Tensor& places) {
    const Tensor out = emitter.temporary(x.shape, x.dtype);
    call(emitter, gather_call, {.x = &x, .y = &places, .out = &out, .axis = axis});
    return out;
}
// By these digits of its integers, which have a sign.
void sort_by_digits(Emitter& emitter, Tensor x, std::span<const std::int64_t> digits, std::int64_t axis, const Tensor& sorted, const Tensor& order) {
    std::optional<Tensor> before;
    for (const std::int64_t mask : digits) {
        const Tensor part = emitter.temporary(x.shape, x.dtype), keys = emitter.temporary(x.shape, DType::float32);
        apply_to(emitter, "bitwise_and", {x, emitter.constant(cast_number(Scalar::of(mask), x.dtype))}, part);
        const Tensor places = before ? emitter.temporary(x.shape, DType::int64) : order;
        const Tensor key = cast_to(emitter, part, DType::float32);
        call(emitter, sort_call, {.x = &key, .out = &keys, .index = &places, .axis = axis});
        x = gathered(emitter, x, axis, places);
        before = before ? gathered(emitter, *before, axis, places) : places;
    }
    copy_to(emitter, x, sorted);
    if (digits.size() > 1) copy_to(emitter, *before, order);
}
Explanation explain_sort(const StructuredCall& c) {
    const DType d = c.in[0].dtype;
    const Ordering how = ordering_of(sort_call, d);
    if (by_digits(d, how)) return {Path::decomposed, "aclnnSort and aclnnGather, of float32 for each 24 bits"};
    return explain_ordered(sort_call, d, how);
}
void run_sort(Emitter& emitter, const StructuredCall& c) {
    const Tensor &in = c.in[0], &out = c.out[0];
    const Ordering how = ordering_of(sort_call, in.dtype);
    if (by_digits(in.dtype, how)) {
        const bool with_sign = kind(in.dtype) == 'i';
        const std::span<const std::int64_t> digits = itemsize(in.dtype) == 4 ? std::span<const std::int64_t>(digits_of_32) : digits_of_64;
        const Tensor sorted = with_sign ? out : emitter.temporary(out.shape, signed_of(out.dtype));
        sort_by_digits(emitter, with_sign ? in : turned(emitter, in), digits, c.axis, sorted, c.out[1]);
        if (!with_sign) copy_to(emitter, viewed(turned(emitter, viewed(sorted, out.dtype)), out.dtype), out);
        return;
    }
    const Tensor x = ordered(emitter, in, how);
    const Tensor sorted = how.same_bits() ? viewed(out, how.as) : emitter.temporary(out.shape, how.as);
    call(emitter, sort_call, {.x = &x, .out = &sorted, .index = &c.out[1], .axis = c.axis});
    if (!how.same_bits()) copy_ordered_back(emitter, sorted, how, out);
}

constexpr std::string_view count_call = "aclnnBincount x y 0 -> out";

Explanation explain_weighted(const StructuredCall& c) {
    const std::string op(parse_call(count_call).op);
    if (!accepts_dtypes(count_call, c.in[0].dtype, c.in[1].dtype, c.out[0].dtype)) return {Path::host, op + " does not accept " + std::string(name(c.in[1].dtype))};
    return {Path::native, op};
}
void run_weighted(Emitter& emitter, const StructuredCall& c) { call(emitter, count_call, {.x = &c.in[0], .y = &c.in[1], .out = &c.out[0]}); }

constexpr std::array whole_ways{
    Way{"sort", explain_sort, run_sort},
    Way{"weighted_counts", explain_weighted, run_weighted},
};

}  // namespace

void sort_places(Emitter& emitter, const Tensor& places, std::int64_t length, const Tensor& sorted, const Tensor& order) {
    if (!by_digits(DType::int64, ordering_of(sort_call, DType::int64))) return call(emitter, sort_call, {.x = &places, .out = &sorted, .index = &order});
    const std::size_t needed = length <= digit + 1 ? 1 : length - 1 <= ((digit << 24) | digit) ? 2 : 3;
    sort_by_digits(emitter, places, std::span(digits_of_64).first(needed), 0, sorted, order);
}

const Way* whole_way(std::string_view row) {
    for (const std::span<const Way> ways : {std::span<const Way>(whole_ways), algebra_ways()})
        if (const auto found = std::ranges::find(ways, row, &Way::row); found != ways.end()) return &*found;
    return nullptr;
}

}  // namespace asnumpy::ascend
