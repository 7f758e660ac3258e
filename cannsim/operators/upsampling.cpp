// Images of another size: each axis by itself, the nearest element or a weighted sum of two or four; and the gradients of that.
#include <algorithm>
#include <cmath>

#include "operators/formula.hpp"

namespace cannsim {
namespace {

enum class Mode : std::uint8_t { nearest, exact, linear, cubic, smooth_linear, smooth_cubic };

// For each element of the larger axis the elements of the image that make it, with their weights.
struct Tap {
    std::int64_t place;
    double weight;
};
using Taps = std::vector<std::vector<Tap>>;

// `scale`: how many times longer the result is; not above 0: as the lengths say.
Taps taps(Mode mode, std::int64_t from, std::int64_t to, bool corners, double scale) {
    Taps result(static_cast<std::size_t>(to));
    const bool by_corners = corners && mode != Mode::nearest && mode != Mode::exact;
    const double step = by_corners ? (to > 1 ? static_cast<double>(from - 1) / static_cast<double>(to - 1) : 0)
                                   : scale > 0 ? 1 / scale : static_cast<double>(from) / static_cast<double>(to);
    const auto inside = [from](std::int64_t place) { return std::clamp<std::int64_t>(place, 0, from - 1); };
    for (std::int64_t i = 0; i < to; ++i) {
        const double x = static_cast<double>(i);
        auto& made = result[static_cast<std::size_t>(i)];
        if (mode == Mode::nearest || mode == Mode::exact) {
            const auto scaled = static_cast<std::int64_t>(std::floor((mode == Mode::exact ? x + 0.5 : x) * step));
            const std::int64_t exactly = mode == Mode::exact ? (2 * i + 1) * from / (2 * to) : i * from / to;
            made = {{inside(scale > 0 ? scaled : exactly), 1}};
        } else if (mode == Mode::smooth_linear || mode == Mode::smooth_cubic) {
            // A smaller image is made of all elements under the filter, which is as much wider.
            const double wide = std::max(step, 1.0), reach = (mode == Mode::smooth_linear ? 1 : 2) * wide, middle = step * (x + 0.5);
            const auto first = std::max(static_cast<std::int64_t>(middle - reach + 0.5), std::int64_t{0});
            const auto last = std::min(static_cast<std::int64_t>(middle + reach + 0.5), from);
            double sum = 0;
            for (std::int64_t place = first; place < last; ++place) {
                const double d = std::abs((static_cast<double>(place) - middle + 0.5) / wide);
                constexpr double a = -0.5;  // the slope of the convolution at 1
                const double weight = mode == Mode::smooth_linear ? std::max(1 - d, 0.0)
                                      : d < 1 ? ((a + 2) * d - (a + 3)) * d * d + 1 : d < 2 ? (((d - 5) * d + 8) * d - 4) * a : 0;
                made.push_back({place, weight});
                sum += weight;
            }
            for (Tap& tap : made) tap.weight /= sum;
        } else {
            double at = by_corners ? x * step : (x + 0.5) * step - 0.5;
            if (mode == Mode::linear) at = std::max(at, 0.0);
            const double low = std::floor(at), t = at - low;
            const auto first = static_cast<std::int64_t>(low);
            if (mode == Mode::linear) {
                made = {{inside(first), 1 - t}, {inside(first + 1), t}};
            } else {  // cubic convolution, whose slope at 1 is -0.75
                constexpr double a = -0.75;
                const auto near = [](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
                const auto far = [](double d) { return ((d - 5) * d + 8) * d * a - 4 * a; };
                made = {{inside(first - 1), far(1 + t)}, {inside(first), near(t)}, {inside(first + 1), near(1 - t)}, {inside(first + 2), far(2 - t)}};
            }
        }
    }
    return result;
}

// One axis of an array in C order, whose other axes are `outer` before and `inner` behind.
std::vector<double> resampled(const std::vector<double>& from, std::int64_t outer, std::int64_t length, std::int64_t inner, const Taps& taps, bool backward) {
    const auto many = static_cast<std::int64_t>(taps.size());
    std::vector<double> to(static_cast<std::size_t>(outer * (backward ? length : many) * inner), 0.0);
    for (std::int64_t o = 0; o < outer; ++o)
        for (std::int64_t i = 0; i < many; ++i)
            for (const Tap& tap : taps[static_cast<std::size_t>(i)]) {
                const std::int64_t large = (o * many + i) * inner, small = (o * length + tap.place) * inner;
                double* const target = to.data() + (backward ? small : large);
                const double* const source = from.data() + (backward ? large : small);
                for (std::int64_t k = 0; k < inner; ++k) target[k] += tap.weight * source[k];
            }
    return to;
}

using Scales = std::vector<std::string_view>;  // the name of each axis's factor; empty: as the lengths say

Work plan_resize(Call& call, Mode mode, const Scales& scales, bool backward) {
    const int axes = static_cast<int>(scales.size());
    const Tensor from = call.tensor_at(0), to = first_output(call);
    const auto size = call.ints("outputSize");
    call.expect(static_cast<int>(size.size()) == axes, "outputSize", text(axes, " lengths, got ", size.size()));
    call.expect(from.ndim() == axes + 2, from.name, text(axes + 2, " axes, got shape ", from.shape()));
    call.expect(asnumpy::is_float(from.dtype) || (!backward && mode == Mode::nearest && from.dtype == DType::uint8), from.name, text("floats, got ", asnumpy::name(from.dtype)));
    call.expect_dtype(to, from.dtype);
    Dims small = from.shape(), large = from.shape();
    if (backward) {
        const auto given = call.ints("inputSize");
        call.expect(static_cast<int>(given.size()) == axes + 2, "inputSize", text(axes + 2, " lengths, got ", given.size()));
        small = Dims(given);
        large[0] = small[0];
        large[1] = small[1];
    }
    for (int axis = 0; axis < axes; ++axis) {
        large[axis + 2] = size[static_cast<std::size_t>(axis)];
        call.expect(large[axis + 2] > 0, "outputSize", text("lengths above 0, got ", Dims(size)));
        call.expect(small[axis + 2] > 0, from.name, text("an image of at least one element, got shape ", small));
    }
    if (backward) call.expect_shape(from, large);
    call.expect_shape(to, backward ? small : large);
    bool corners = false;
    for (const Parameter& param : call.params)
        if (std::string_view(param.name) == "alignCorners") corners = call.flag("alignCorners");
    std::vector<Taps> tables;
    for (int axis = 0; axis < axes; ++axis) {
        const std::string_view name = scales[static_cast<std::size_t>(axis)];
        tables.push_back(taps(mode, small[axis + 2], large[axis + 2], corners, name.empty() ? 0 : number(call, name)));
    }
    Work work;
    work.operations = static_cast<double>(asnumpy::count(large)) * 2 * axes;
    work.compute = [=](const Run& run) {
        const Owned given = contiguous(run[from], DType::float64);
        std::vector<double> values(given.as<double>(), given.as<double>() + given.size());
        Dims shape = given.shape;
        for (int axis = 0; axis < axes; ++axis) {
            const int at = axis + 2;
            std::int64_t outer = 1, inner = 1;
            for (int i = 0; i < shape.size(); ++i) (i < at ? outer : inner) *= i == at ? 1 : shape[i];
            values = resampled(values, outer, small[at], inner, tables[static_cast<std::size_t>(axis)], backward);
            shape[at] = (backward ? small : large)[at];
        }
        copy(Array{reinterpret_cast<std::byte*>(values.data()), DType::float64, shape, asnumpy::contiguous(shape, 8).strides}, run[to]);
    };
    return work;
}
Operator resize(std::string_view name, Mode mode, const Scales& scales) {
    return {name, [mode, scales](Call& call) { return plan_resize(call, mode, scales, false); }};
}
Operator resize_backward(std::string_view name, Mode mode, const Scales& scales) {
    return {name, [mode, scales](Call& call) { return plan_resize(call, mode, scales, true); }};
}

const Scales no_scale{""}, no_scales{"", ""}, scales_1{"scales"}, scales_2{"scalesH", "scalesW"}, scales_3{"scalesD", "scalesH", "scalesW"};

const Operators upsampling{
    resize("aclnnUpsampleNearest1d", Mode::nearest, no_scale),
    resize("aclnnUpsampleNearest1dV2", Mode::nearest, {"scaleL"}),
    resize("aclnnUpsampleNearest2d", Mode::nearest, no_scales),
    resize("aclnnUpsampleNearest2dV2", Mode::nearest, scales_2),
    resize("aclnnUpsampleNearest3d", Mode::nearest, scales_3),
    resize("aclnnUpsampleNearestExact1d", Mode::exact, scales_1),
    resize("aclnnUpsampleNearestExact2d", Mode::exact, scales_2),
    resize("aclnnUpsampleNearestExact3d", Mode::exact, scales_3),
    resize("aclnnUpsampleLinear1d", Mode::linear, scales_1),
    resize("aclnnUpsampleBilinear2d", Mode::linear, scales_2),
    resize("aclnnUpsampleTrilinear3d", Mode::linear, scales_3),
    resize("aclnnUpsampleBicubic2d", Mode::cubic, scales_2),
    resize_backward("aclnnUpsampleNearest1dBackward", Mode::nearest, scales_1),
    resize_backward("aclnnUpsampleNearest2dBackward", Mode::nearest, scales_2),
    resize_backward("aclnnUpsampleNearest3dBackward", Mode::nearest, scales_3),
    resize_backward("aclnnUpsampleNearestExact1dBackward", Mode::exact, scales_1),
    resize_backward("aclnnUpsampleNearestExact2dBackward", Mode::exact, scales_2),
    resize_backward("aclnnUpsampleNearestExact3dBackward", Mode::exact, scales_3),
    resize_backward("aclnnUpsampleLinear1dBackward", Mode::linear, scales_1),
    resize_backward("aclnnUpsampleBilinear2dBackward", Mode::linear, scales_2),
    resize_backward("aclnnUpsampleBilinear2dBackwardV2", Mode::linear, scales_2),
    resize_backward("aclnnUpsampleTrilinear3dBackward", Mode::linear, scales_3),
    resize_backward("aclnnUpsampleBicubic2dBackward", Mode::cubic, scales_2),
    resize("aclnnUpsampleBilinear2dAA", Mode::smooth_linear, scales_2),
    resize_backward("aclnnUpsampleBilinear2dAABackward", Mode::smooth_linear, scales_2),
    resize("aclnnUpsampleBicubic2dAA", Mode::smooth_cubic, scales_2),
    resize_backward("aclnnUpsampleBicubic2dAAGrad", Mode::smooth_cubic, scales_2),
};

}  // namespace
}  // namespace cannsim
