// Convolutions over one to three axes, transposed ones, and their gradients. All of them join a large side, a small side with an
// element for each window of the large one, and weights of shape (small channels, large channels of a group, window): a convolution
// reads the large side and writes the small one, a transposed convolution the other way round.
#include <algorithm>
#include <optional>

#include "aclnn/parallel.hpp"
#include "operators/formula.hpp"

namespace cannsim {
namespace {

using std::array;
using Three = array<std::int64_t, 3>;  // of the window's axes; those that are missing come first and have length 1

struct Geometry {
    std::int64_t batch = 1, groups = 1, small_channels = 0, large_channels = 0;
    Three large{1, 1, 1}, small{1, 1, 1}, kernel{1, 1, 1}, stride{1, 1, 1}, padding{0, 0, 0}, dilation{1, 1, 1};

    static std::int64_t volume(const Three& lengths) { return lengths[0] * lengths[1] * lengths[2]; }
    std::int64_t of_group() const { return large_channels / groups; }  // large channels that meet one small channel
    double products() const { return static_cast<double>(batch * small_channels * volume(small)) * static_cast<double>(of_group() * volume(kernel)); }

    // The windows along an axis in which the kernel's element k lies inside the large side.
    std::pair<std::int64_t, std::int64_t> inside(std::size_t axis, std::int64_t k) const {
        const std::int64_t shift = padding[axis] - k * dilation[axis], s = stride[axis];
        const std::int64_t first = shift > 0 ? (shift + s - 1) / s : 0, last = large[axis] - 1 + shift;
        return {first, last < 0 ? 0 : std::min(small[axis], last / s + 1)};
    }
    // f(tap, large offset, small offset, n): n neighbours of the small side's last axis, stride[2] apart in the large side.
    template <class F> void each_row(F f) const {
        for (std::int64_t tap = 0; tap < volume(kernel); ++tap) {
            const Three k{tap / (kernel[1] * kernel[2]), tap / kernel[2] % kernel[1], tap % kernel[2]};
            const auto [z0, z1] = inside(0, k[0]);
            const auto [y0, y1] = inside(1, k[1]);
            const auto [x0, x1] = inside(2, k[2]);
            if (x0 >= x1) continue;
            const auto at = [&](std::size_t axis, std::int64_t window) { return window * stride[axis] + k[axis] * dilation[axis] - padding[axis]; };
            for (std::int64_t z = z0; z < z1; ++z)
                for (std::int64_t y = y0; y < y1; ++y)
                    f(tap, (at(0, z) * large[1] + at(1, y)) * large[2] + at(2, x0), (z * small[1] + y) * small[2] + x0, x1 - x0);
        }
    }
};

struct Sides {
    double *large, *small, *weight;
};
// f(large channel, small channel, weights of the two) with pointers, for the small channels [first, last) of one batch element.
template <class F> void each_pair(const Geometry& g, const Sides& sides, std::int64_t n, std::int64_t first, std::int64_t last, F f) {
    const std::int64_t per_group = g.small_channels / g.groups;
    for (std::int64_t s = first; s < last; ++s)
        for (std::int64_t c = 0; c < g.of_group(); ++c) {
            const std::int64_t l = s / per_group * g.of_group() + c;
            f(sides.large + (n * g.large_channels + l) * Geometry::volume(g.large), sides.small + (n * g.small_channels + s) * Geometry::volume(g.small),
              sides.weight + (s * g.of_group() + c) * Geometry::volume(g.kernel));
        }
}
void to_small(const Geometry& g, const Sides& sides) {
    parallel(g.batch * g.small_channels, 1, 2, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i)
            each_pair(g, sides, i / g.small_channels, i % g.small_channels, i % g.small_channels + 1, [&](const double* large, double* small, const double* weight) {
                g.each_row([&](std::int64_t tap, std::int64_t from, std::int64_t to, std::int64_t n) {
                    const double w = weight[tap];
                    for (std::int64_t x = 0; x < n; ++x) small[to + x] += w * large[from + x * g.stride[2]];
                });
            });
    });
}
void to_large(const Geometry& g, const Sides& sides) {
    const std::int64_t per_group = g.small_channels / g.groups;
    parallel(g.batch * g.groups, 1, 2, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i)
            each_pair(g, sides, i / g.groups, i % g.groups * per_group, (i % g.groups + 1) * per_group, [&](double* large, const double* small, const double* weight) {
                g.each_row([&](std::int64_t tap, std::int64_t to, std::int64_t from, std::int64_t n) {
                    const double w = weight[tap];
                    for (std::int64_t x = 0; x < n; ++x) large[to + x * g.stride[2]] += w * small[from + x];
                });
            });
    });
}
void to_weight(const Geometry& g, const Sides& sides) {
    parallel(g.small_channels, 1, 2, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t n = 0; n < g.batch; ++n)
            each_pair(g, sides, n, first, last, [&](const double* large, const double* small, double* weight) {
                g.each_row([&](std::int64_t tap, std::int64_t from, std::int64_t to, std::int64_t m) {
                    double sum = 0;
                    for (std::int64_t x = 0; x < m; ++x) sum += large[from + x * g.stride[2]] * small[to + x];
                    weight[tap] += sum;
                });
            });
    });
}

// --- the arguments

struct Settings {
    std::string_view input = "input", stride = "stride", padding = "padding", dilation = "dilation";
    bool transposed = false;
    std::int64_t groups = 1;
};
// The geometry of a convolution of `input` by `weight`, and the shape that its output must have.
std::pair<Geometry, Dims> geometry(const Call& call, const Tensor& input, const Tensor& weight, const Settings& settings) {
    const int axes = input.ndim() - 2;
    call.expect(axes >= 1 && axes <= 3, input.name, text("from 3 to 5 axes, got shape ", input.shape()));
    call.expect(weight.ndim() == input.ndim(), weight.name, text(input.ndim(), " axes as ", input.name, ", got shape ", weight.shape()));
    call.expect_dtype(weight, input.dtype);
    Geometry g;
    g.groups = settings.groups;
    g.batch = input.length(0);
    const std::int64_t per_group = weight.length(1);
    g.small_channels = weight.length(0);
    g.large_channels = per_group * g.groups;
    call.expect(g.groups > 0 && g.small_channels % g.groups == 0, "groups", text("a divisor of the ", g.small_channels, " channels, got ", g.groups));
    const std::int64_t channels = settings.transposed ? g.small_channels : g.large_channels;
    call.expect(input.length(1) == channels, input.name, text(channels, " channels for a weight of shape ", weight.shape(), " and ", g.groups, " groups, got ", input.length(1)));
    const auto read = [&](std::string_view name, Three& to, std::int64_t least) {
        const auto given = call.ints(name);
        call.expect(static_cast<int>(given.size()) == axes, name, text(axes, " numbers, got ", given.size()));
        for (std::size_t i = 0; i < given.size(); ++i) {
            call.expect(given[i] >= least, name, text("none below ", least, ", got ", given[i]));
            to[i + 3 - given.size()] = given[i];
        }
    };
    Three more{0, 0, 0};
    read(settings.stride, g.stride, 1);
    read(settings.padding, g.padding, 0);
    read(settings.dilation, g.dilation, 1);
    if (settings.transposed) read("outputPadding", more, 0);
    Dims shape{g.batch, settings.transposed ? g.large_channels : g.small_channels};
    for (int axis = 0; axis < axes; ++axis) {
        const auto i = static_cast<std::size_t>(axis + 3 - axes);
        g.kernel[i] = weight.length(axis + 2);
        const std::int64_t span = g.dilation[i] * (g.kernel[i] - 1) + 1;
        Three &given = settings.transposed ? g.small : g.large, &made = settings.transposed ? g.large : g.small;
        given[i] = input.length(axis + 2);
        if (settings.transposed) made[i] = (given[i] - 1) * g.stride[i] - 2 * g.padding[i] + span + more[i];
        else made[i] = given[i] + 2 * g.padding[i] < span ? 0 : (given[i] + 2 * g.padding[i] - span) / g.stride[i] + 1;
        call.expect(made[i] > 0, weight.name, text("a window that fits into ", input.shape(), ", got shape ", weight.shape()));
        shape.push_back(made[i]);
    }
    return {g, shape};
}

Owned zeros_like(const Tensor& like) {
    Owned result = make(DType::float64, like.shape());
    std::fill_n(result.as<double>(), result.size(), 0.0);
    return result;
}

Work convolve(const Call& call, const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, const Tensor& output, const Settings& settings) {
    const auto [g, shape] = geometry(call, input, weight, settings);
    expect_floats(call, input);
    call.expect_shape(output, shape);
    call.expect_castable(input.dtype, output);
    if (bias) call.expect(bias->size() == shape[1], bias->name, text(shape[1], " elements, one for each channel, got shape ", bias->shape()));
    Work work;
    work.multiply(call, input.dtype, 2 * g.products());
    work.compute = [=, g = g, transposed = settings.transposed](const Run& run) {
        const Owned x = contiguous(run[input], DType::float64), w = contiguous(run[weight], DType::float64), y = zeros_like(output);
        if (bias) {
            const Owned b = contiguous(run[*bias], DType::float64);
            const std::int64_t plane = y.size() / (y.shape[0] ? y.shape[0] * y.shape[1] : 1);
            for (std::int64_t i = 0; i < y.size(); ++i) y.as<double>()[i] = b.as<double>()[i / plane % y.shape[1]];
        }
        if (transposed) to_large(g, {y.as<double>(), x.as<double>(), w.as<double>()});
        else to_small(g, {x.as<double>(), y.as<double>(), w.as<double>()});
        copy(y, run[output]);
    };
    return work;
}

Work plan_convolution(Call& call) {
    Settings settings;
    settings.transposed = call.flag("transposed");
    settings.groups = call.integer("groups");
    return convolve(call, call.tensor("input"), call.tensor("weight"), call.optional("bias"), call.tensor("output"), settings);
}
Work plan_depthwise(Call& call) {
    const Tensor self = call.tensor("self"), weight = call.tensor("weight");
    call.expect(self.ndim() == 4, "self", text("4 axes, got shape ", self.shape()));
    call.expect(Dims(call.ints("kernelSize")) == Dims{weight.length(2), weight.length(3)}, "kernelSize", text("the last lengths of weight, ", weight.shape()));
    Settings settings;
    settings.groups = self.length(1);
    return convolve(call, self, weight, call.optional("bias"), call.tensor("out"), settings);
}

Work plan_convolution_gradient(Call& call) {
    const Tensor grad = call.tensor("gradOutput"), input = call.tensor("input"), weight = call.tensor("weight");
    Settings settings;
    settings.transposed = call.flag("transposed");
    settings.groups = call.integer("groups");
    const auto [g, shape] = geometry(call, input, weight, settings);
    expect_floats(call, input);
    call.expect_shape(grad, shape);
    const std::vector<bool> mask = call.bools("outputMask");
    call.expect(mask.size() == 3, "outputMask", text("3 truth values, got ", mask.size()));
    const auto wanted = [&](std::size_t index, std::string_view name, const Dims& like) -> std::optional<Tensor> {
        if (!mask[index]) return std::nullopt;
        const auto result = call.optional(name);
        call.expect(result.has_value(), name, "a tensor, since outputMask asks for it");
        call.expect_shape(*result, like);
        return result;
    };
    const auto of_input = wanted(0, "gradInput", input.shape()), of_weight = wanted(1, "gradWeight", weight.shape()), of_bias = wanted(2, "gradBias", Dims{shape[1]});
    Work work;
    work.multiply(call, input.dtype, 2 * g.products() * (static_cast<int>(of_input.has_value()) + static_cast<int>(of_weight.has_value())));
    work.compute = [=, g = g, transposed = settings.transposed](const Run& run) {
        const Owned dy = contiguous(run[grad], DType::float64), x = contiguous(run[input], DType::float64), w = contiguous(run[weight], DType::float64);
        if (of_input) {
            const Owned dx = zeros_like(input);
            if (transposed) to_small(g, {dy.as<double>(), dx.as<double>(), w.as<double>()});
            else to_large(g, {dx.as<double>(), dy.as<double>(), w.as<double>()});
            copy(dx, run[*of_input]);
        }
        if (of_weight) {
            const Owned dw = zeros_like(weight);
            if (transposed) to_weight(g, {dy.as<double>(), x.as<double>(), dw.as<double>()});
            else to_weight(g, {x.as<double>(), dy.as<double>(), dw.as<double>()});
            copy(dw, run[*of_weight]);
        }
        if (of_bias) {
            const Owned db = zeros_like(*of_bias);
            const std::int64_t plane = dy.size() / (dy.shape[0] ? dy.shape[0] * dy.shape[1] : 1);
            for (std::int64_t i = 0; i < dy.size(); ++i) db.as<double>()[i / plane % dy.shape[1]] += dy.as<double>()[i];
            copy(db, run[*of_bias]);
        }
    };
    return work;
}

const Operators convolutions{
    {"aclnnConvolution", plan_convolution, {"bias", "outputPadding"}},
    {"aclnnConvDepthwise2d", plan_depthwise, {"bias"}},
    {"aclnnConvolutionBackward", plan_convolution_gradient, {"biasSizes", "outputPadding", "gradInput", "gradWeight", "gradBias"}},
};

}  // namespace
}  // namespace cannsim
