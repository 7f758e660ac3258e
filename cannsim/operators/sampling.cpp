// Images read at places that a grid names, the grids of affine maps, and their gradients.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "operators/formula.hpp"

namespace cannsim {
namespace {

enum Interpolation : std::int64_t { linear, nearest, cubic };
struct Outside {
    enum : std::int64_t { zeros, edge, reflected };
};

// A place along an axis and its derivative by the grid's number, which runs from -1 to 1.
struct Place {
    double at, slope;
};
Place mirrored(double x, double low, double high) {  // as often as needed, between two mirrors
    const double span = high - low;
    if (span == 0) return {0, 0};
    const double away = std::abs(x - low), rest = std::fmod(away, span);
    const bool backwards = static_cast<std::int64_t>(std::floor(away / span)) % 2 != 0;
    const double sign = x < low ? -1 : 1;
    return backwards ? Place{span - rest + low, -sign} : Place{rest + low, sign};
}

struct Sampler {
    std::int64_t mode, border;
    bool corners;

    Sampler(const Call& call, int axes) : mode(call.integer("interpolationMode")), border(call.integer("paddingMode")), corners(call.flag("alignCorners")) {
        call.expect(mode >= linear && mode <= (axes == 2 ? cubic : nearest), "interpolationMode", text(axes == 2 ? "0 bilinear, 1 nearest or 2 bicubic" : "0 bilinear or 1 nearest", ", got ", mode));
        call.expect(border >= Outside::zeros && border <= Outside::reflected, "paddingMode", text("0 zeros, 1 border or 2 reflection, got ", border));
    }
    Place unnormalized(double g, std::int64_t n) const {
        const double size = static_cast<double>(n);
        return corners ? Place{(g + 1) / 2 * (size - 1), (size - 1) / 2} : Place{((g + 1) * size - 1) / 2, size / 2};
    }
    Place bordered(Place p, std::int64_t n) const {
        const double last = static_cast<double>(n - 1);
        if (border == Outside::zeros) return p;
        if (border == Outside::reflected) {
            const Place back = corners ? mirrored(p.at, 0, last) : mirrored(p.at, -0.5, last + 0.5);
            p = {back.at, p.slope * back.slope};
        }
        if (!(p.at > 0)) return {0, 0};
        return p.at < last ? p : Place{last, 0};
    }
    // Where the elements that make a value lie, what each counts, and how that changes with the grid's number.
    struct Tap {
        std::int64_t place;  // -1: outside, 0 is read there
        double weight, slope;
    };
    std::vector<Tap> taps(double g, std::int64_t n) const {
        const Place raw = unnormalized(g, n);
        const auto inside = [n](double i) { return i >= 0 && i < static_cast<double>(n) ? static_cast<std::int64_t>(i) : std::int64_t{-1}; };  // NaN is outside
        if (mode == cubic) {
            const double low = std::floor(raw.at), t = raw.at - low;
            constexpr double a = -0.75;  // the slope of the convolution at 1
            const auto near = [](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
            const auto far = [](double d) { return ((d - 5) * d + 8) * d * a - 4 * a; };
            const auto near_slope = [](double d) { return (3 * (a + 2) * d - 2 * (a + 3)) * d; };
            const auto far_slope = [](double d) { return (3 * d - 10) * d * a + 8 * a; };
            const std::array weights{far(1 + t), near(t), near(1 - t), far(2 - t)}, slopes{far_slope(1 + t), near_slope(t), -near_slope(1 - t), -far_slope(2 - t)};
            std::vector<Tap> result;
            for (std::size_t k = 0; k < 4; ++k) {
                const Place p = bordered({low - 1 + static_cast<double>(k), 1}, n);
                result.push_back({inside(p.at), weights[k], slopes[k] * raw.slope});
            }
            return result;
        }
        const Place p = bordered(raw, n);
        if (mode == nearest) return {{inside(std::nearbyint(p.at)), 1, 0}};
        const double low = std::floor(p.at), t = p.at - low;
        return {{inside(low), 1 - t, -p.slope}, {inside(low + 1), t, p.slope}};
    }
};

// (N, C, image...) read at (N, grid..., axes), whose last axis names the last axis of the image first.
template <int axes> struct Sampling {
    Tensor input, grid;
    Sampler sampler;
    std::int64_t planes, points;
    Dims shape;  // of the result

    explicit Sampling(const Call& call) : input(call.tensor("input")), grid(call.tensor("grid")), sampler(call, axes) {
        for (const Tensor* const one : {&input, &grid}) {
            call.expect(one->ndim() == axes + 2, one->name, text(axes + 2, " axes, got shape ", one->shape()));
            call.expect(asnumpy::is_float(one->dtype), one->name, text("floats, got ", asnumpy::name(one->dtype)));
        }
        call.expect_dtype(grid, input.dtype);
        call.expect(grid.length(0) == input.length(0) && grid.length(axes + 1) == axes, "grid", text("shape (", input.length(0), ", ..., ", axes, "), got ", grid.shape()));
        planes = input.length(1);
        shape = Dims{input.length(0), planes};
        points = 1;
        for (int axis = 0; axis < axes; ++axis) {
            call.expect(input.length(axis + 2) > 0, "input", text("an image of at least one element, got shape ", input.shape()));
            shape.push_back(grid.length(axis + 1));
            points *= grid.length(axis + 1);
        }
    }
    std::int64_t plane() const {
        std::int64_t n = 1;
        for (int axis = 0; axis < axes; ++axis) n *= input.length(axis + 2);
        return n;
    }
    // f(place in the plane, weight, derivatives of the weight by the point's numbers, the image's last axis first) for what makes a point's value.
    template <class F> void each(const double* point, F f) const {
        std::array<std::vector<typename Sampler::Tap>, 3> taps;
        taps.fill({{0, 1, 0}});
        for (int axis = 0; axis < axes; ++axis) taps[static_cast<std::size_t>(axis + 3 - axes)] = sampler.taps(point[axes - 1 - axis], input.length(axis + 2));
        const std::int64_t height = input.length(axes), width = input.length(axes + 1);
        for (const auto& z : taps[0])
            for (const auto& y : taps[1])
                for (const auto& x : taps[2]) {
                    const bool outside = z.place < 0 || y.place < 0 || x.place < 0;
                    if (!outside)
                        f((z.place * height + y.place) * width + x.place, z.weight * y.weight * x.weight,
                          std::array{z.weight * y.weight * x.slope, z.weight * y.slope * x.weight, z.slope * y.weight * x.weight});
                }
    }
};

template <int axes> Work plan_sample(Call& call) {
    const Sampling<axes> s(call);
    const Tensor out = call.tensor("out");
    call.expect_dtype(out, s.input.dtype);
    call.expect_shape(out, s.shape);
    Work work;
    work.operations = static_cast<double>(out.size()) * 4 * axes;
    work.compute = [=](const Run& run) {
        const Owned image = contiguous(run[s.input], DType::float64), grid = contiguous(run[s.grid], DType::float64), result = make(DType::float64, s.shape);
        std::fill_n(result.as<double>(), result.size(), 0.0);
        for (std::int64_t n = 0; n < s.shape[0]; ++n)
            for (std::int64_t p = 0; p < s.points; ++p)
                s.each(grid.as<double>() + (n * s.points + p) * axes, [&](std::int64_t place, double weight, const std::array<double, 3>&) {
                    for (std::int64_t c = n * s.planes; c < (n + 1) * s.planes; ++c) result.as<double>()[c * s.points + p] += weight * image.as<double>()[c * s.plane() + place];
                });
        copy(result, run[out]);
    };
    return work;
}

template <int axes> Work plan_sample_gradient(Call& call) {
    const Sampling<axes> s(call);
    const Tensor grad = call.tensor("gradOutput");
    const std::vector<bool> mask = call.bools("outputMask");
    call.expect(mask.size() == 2, "outputMask", text("2 flags, got ", mask.size()));
    const std::optional<Tensor> of_input = mask[0] ? call.optional("inputGrad") : std::nullopt, of_grid = mask[1] ? call.optional("gridGrad") : std::nullopt;
    call.expect_shape(grad, s.shape);
    call.expect_dtype(grad, s.input.dtype);
    if (of_input) call.expect_shape(*of_input, s.input.shape());
    if (of_grid) call.expect_shape(*of_grid, s.grid.shape());
    Work work;
    work.operations = static_cast<double>(grad.size()) * 8 * axes;
    work.compute = [=](const Run& run) {
        const Owned image = contiguous(run[s.input], DType::float64), grid = contiguous(run[s.grid], DType::float64), g = contiguous(run[grad], DType::float64);
        const Owned dx = make(DType::float64, s.input.shape()), dp = make(DType::float64, s.grid.shape());
        for (const Owned* const one : {&dx, &dp}) std::fill_n(one->as<double>(), one->size(), 0.0);
        for (std::int64_t n = 0; n < s.shape[0]; ++n)
            for (std::int64_t p = 0; p < s.points; ++p) {
                const std::int64_t point = (n * s.points + p) * axes;
                s.each(grid.as<double>() + point, [&](std::int64_t place, double weight, const std::array<double, 3>& slopes) {
                    for (std::int64_t c = n * s.planes; c < (n + 1) * s.planes; ++c) {
                        const double slope = g.as<double>()[c * s.points + p];
                        dx.as<double>()[c * s.plane() + place] += weight * slope;
                        for (std::size_t axis = 0; axis < axes; ++axis)
                            dp.as<double>()[point + static_cast<std::int64_t>(axis)] += slope * slopes[axis] * image.as<double>()[c * s.plane() + place];
                    }
                });
            }
        if (of_input) copy(dx, run[*of_input]);
        if (of_grid) copy(dp, run[*of_grid]);
    };
    return work;
}

// Each point of the result's grid by a matrix (axes, axes + 1): where it lies in the image.
Work plan_affine(Call& call) {
    const Tensor theta = call.tensor("theta"), out = call.tensor("out");
    const auto size = call.ints("size");
    const bool corners = call.flag("alignCorners");
    call.expect(size.size() == 4 || size.size() == 5, "size", text("4 or 5 lengths, got ", size.size()));
    const auto axes = static_cast<std::int64_t>(size.size()) - 2;
    call.expect(theta.shape() == Dims{size[0], axes, axes + 1}, "theta", text("shape ", Dims{size[0], axes, axes + 1}, ", got ", theta.shape()));
    Dims shape{size[0]};
    for (std::int64_t axis = 0; axis < axes; ++axis) shape.push_back(size[static_cast<std::size_t>(axis) + 2]);
    shape.push_back(axes);
    call.expect_dtype(out, theta.dtype);
    call.expect_shape(out, shape);
    Work work;
    work.operations = static_cast<double>(out.size()) * static_cast<double>(axes + 1) * 2;
    work.compute = [=](const Run& run) {
        const Owned matrices = contiguous(run[theta], DType::float64), result = make(DType::float64, shape);
        const std::int64_t points = shape[0] ? result.size() / (shape[0] * axes) : 0;
        for (std::int64_t n = 0; n < shape[0]; ++n)
            for (std::int64_t p = 0; p < points; ++p) {
                std::array<double, 4> at{};
                std::int64_t rest = p;
                for (std::int64_t k = 0; k < axes; ++k) {  // the last axis first
                    const std::int64_t length = shape[static_cast<int>(axes - k)], i = rest % length;
                    rest /= length;
                    const double step = length > 1 ? -1 + 2 * static_cast<double>(i) / static_cast<double>(length - 1) : 0;
                    const double middle = (2 * static_cast<double>(i) + 1) / static_cast<double>(length) - 1;
                    at[static_cast<std::size_t>(k)] = corners ? step : middle;
                }
                at[static_cast<std::size_t>(axes)] = 1;
                for (std::int64_t row = 0; row < axes; ++row) {
                    double sum = 0;
                    for (std::int64_t k = 0; k <= axes; ++k) sum += matrices.as<double>()[(n * axes + row) * (axes + 1) + k] * at[static_cast<std::size_t>(k)];
                    result.as<double>()[(n * points + p) * axes + row] = sum;
                }
            }
        copy(result, run[out]);
    };
    return work;
}

const Operators sampling{
    {"aclnnGridSampler2D", plan_sample<2>},
    {"aclnnGridSampler3D", plan_sample<3>},
    {"aclnnGridSampler2DBackward", plan_sample_gradient<2>, {"inputGrad", "gridGrad"}},
    {"aclnnGridSampler3DBackward", plan_sample_gradient<3>, {"inputGrad", "gridGrad"}},
    {"aclnnAffineGrid", plan_affine},
};

}  // namespace
}  // namespace cannsim
