// Borders around tensors, and windows of images as columns.
#include "operators/places.hpp"

namespace cannsim {
namespace {

// The borders before and after each axis: pairs from the last axis on.
struct Borders {
    std::vector<std::int64_t> before, after;
};
Borders borders_of(const Call& call, std::string_view name, int ndim, std::optional<int> axes) {
    const auto given = call.ints(name);
    const auto pairs = static_cast<int>(given.size() / 2);
    call.expect(given.size() % 2 == 0 && (axes ? pairs == *axes : pairs <= ndim), name,
                axes ? text(*axes * 2, " numbers, got ", given.size()) : text("pairs for at most ", ndim, " axes, got ", given.size(), " numbers"));
    Borders result{std::vector<std::int64_t>(static_cast<std::size_t>(ndim)), std::vector<std::int64_t>(static_cast<std::size_t>(ndim))};
    for (int i = 0; i < pairs; ++i) {
        const auto axis = static_cast<std::size_t>(ndim - 1 - i), at = static_cast<std::size_t>(2 * i);
        result.before[axis] = given[at];
        result.after[axis] = given[at + 1];
    }
    return result;
}
Dims padded(const Call& call, const Tensor& self, const Borders& borders, std::string_view name) {
    Dims shape = self.shape();
    for (int axis = 0; axis < shape.size(); ++axis) {
        shape[axis] += borders.before[static_cast<std::size_t>(axis)] + borders.after[static_cast<std::size_t>(axis)];
        call.expect(shape[axis] >= 0, name, text("borders that leave a length, got ", shape[axis], " along axis ", axis));
    }
    return shape;
}

Work plan_constant_pad(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    const Borders borders = borders_of(call, "pad", self.ndim(), std::nullopt);
    const asnumpy::Scalar value = call.scalar("value");
    call.expect_dtype(out, self.dtype);
    call.expect_shape(out, padded(call, self, borders, "pad"));
    Work work;
    work.compute = [=](const Run& run) {
        Array from = run[self], to = run[out];
        copy(broadcast_to(Array{const_cast<std::byte*>(value.bytes.data()), value.dtype, {}, {}}, to.shape), to);
        for (int axis = 0; axis < self.ndim(); ++axis) {  // what is in both
            const std::int64_t before = borders.before[static_cast<std::size_t>(axis)], cut = std::max<std::int64_t>(-before, 0), shift = std::max<std::int64_t>(before, 0);
            const std::int64_t length = std::max<std::int64_t>(std::min(from.shape[axis] - cut, to.shape[axis] - shift), 0);
            if (length == 0) return;
            from.data += cut * from.strides[axis];
            to.data += shift * to.strides[axis];
            from.shape[axis] = to.shape[axis] = length;
        }
        copy(from, to);
    };
    return work;
}

enum class Border : std::uint8_t { reflect, replicate, circle };
template <Border border> void expect_narrow(const Call& call, const Tensor& self, const Borders& borders, int axes) {
    for (int axis = self.ndim() - axes; axis < self.ndim(); ++axis) {
        const std::int64_t n = self.length(axis), widest = std::max(borders.before[static_cast<std::size_t>(axis)], borders.after[static_cast<std::size_t>(axis)]);
        call.expect(n > 0, "self", text("at least one element along axis ", axis, ", got ", self.shape()));
        if (border == Border::reflect) call.expect(widest < n, "padding", text("borders narrower than the ", n, " elements of axis ", axis, ", got ", widest));
        if (border == Border::circle) call.expect(widest <= n, "padding", text("borders no wider than the ", n, " elements of axis ", axis, ", got ", widest));
    }
}
// For each place of a padded axis the element of the axis, of n elements, that is there.
template <Border border> std::vector<std::int64_t> sources(std::int64_t n, std::int64_t before, std::int64_t length) {
    std::vector<std::int64_t> table(static_cast<std::size_t>(length));
    std::int64_t i = -before;
    for (std::int64_t& place : table) {
        const std::int64_t at = i++;
        if (border == Border::reflect) place = at < 0 ? -at : at >= n ? 2 * (n - 1) - at : at;
        else if (border == Border::replicate) place = std::clamp<std::int64_t>(at, 0, n - 1);
        else place = at < 0 ? at + n : at >= n ? at - n : at;
    }
    return table;
}
template <Border border, int axes> Work plan_pad(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    const Borders borders = borders_of(call, "padding", self.ndim(), axes);
    call.expect_dtype(out, self.dtype);
    call.expect_shape(out, padded(call, self, borders, "padding"));
    expect_narrow<border>(call, self, borders, axes);
    Work work;
    work.compute = [=](const Run& run) {
        const Array from = run[self];
        ByteTables tables;
        for (int axis = 0; axis < self.ndim(); ++axis) {
            tables.push_back(sources<border>(from.shape[axis], borders.before[static_cast<std::size_t>(axis)], out.length(axis)));
            for (std::int64_t& place : tables.back()) place *= from.strides[axis];
        }
        copy_mapped(from, tables, run[out]);
    };
    return work;
}
// The gradient of each element is the sum of those of its copies.
template <Border border, int axes> Work plan_pad_backward(Call& call) {
    const Tensor grad = call.tensor("gradOutput"), self = call.tensor("self"), out = call.tensor("gradInput");
    const Borders borders = borders_of(call, "padding", self.ndim(), axes);
    call.expect(asnumpy::is_float(self.dtype), "self", text("a floating dtype, got ", asnumpy::name(self.dtype)));
    for (const Tensor* const one : {&grad, &out}) call.expect_dtype(*one, self.dtype);
    call.expect_shape(grad, padded(call, self, borders, "padding"));
    call.expect_shape(out, self.shape());
    expect_narrow<border>(call, self, borders, axes);
    Work work;
    work.operations = static_cast<double>(grad.size());
    work.compute = [=](const Run& run) {
        const Owned from = contiguous(run[grad], DType::float64), sums = make(DType::float64, self.shape());
        std::fill_n(sums.as<double>(), sums.size(), 0.0);
        ByteTables tables;
        for (int axis = 0; axis < self.ndim(); ++axis) {
            tables.push_back(sources<border>(self.length(axis), borders.before[static_cast<std::size_t>(axis)], grad.length(axis)));
            for (std::int64_t& place : tables.back()) place *= sums.strides[axis] / 8;
        }
        std::vector<std::size_t> index(tables.size(), 0);
        for (std::int64_t i = 0; i < from.size(); ++i) {
            std::int64_t place = 0;
            for (std::size_t axis = 0; axis < tables.size(); ++axis) place += tables[axis][index[axis]];
            sums.as<double>()[place] += from.as<double>()[i];
            for (std::size_t axis = tables.size(); axis-- > 0;) {
                if (++index[axis] < tables[axis].size()) break;
                index[axis] = 0;
            }
        }
        copy(sums, run[out]);
    };
    return work;
}

// (C, H, W) or (N, C, H, W) -> (C * kernel, windows): each column is a window, zero beyond the image; and the sum of what columns hold
// of each element of the image.
struct Columns {
    std::array<std::int64_t, 2> kernel, dilation, padding, stride, windows{}, image{};
    std::int64_t batch = 1, channels = 0;
    Dims shape;

    Columns(const Call& call, std::string_view name, const Dims& of_image) : kernel(pair(call, "kernelSize", 1)), dilation(pair(call, "dilation", 1)),
                                                                              padding(pair(call, "padding", 0)), stride(pair(call, "stride", 1)) {
        const int first = of_image.size() - 3;
        for (int i = 0; i < 2; ++i) {
            const auto k = static_cast<std::size_t>(i);
            image[k] = of_image[first + 1 + i];
            const std::int64_t room = image[k] + 2 * padding[k] - dilation[k] * (kernel[k] - 1) - 1;
            call.expect(room >= 0, "kernelSize", text("a window that fits into the image ", of_image, " of ", name, ", got ", Dims(call.ints("kernelSize"))));
            windows[k] = room / stride[k] + 1;
        }
        channels = of_image[first];
        shape = Dims{channels * kernel[0] * kernel[1], windows[0] * windows[1]};
        if (first) {
            batch = of_image[0];
            shape = Dims{batch, shape[0], shape[1]};
        }
    }
    static std::array<std::int64_t, 2> pair(const Call& call, std::string_view name, std::int64_t least) {
        const auto given = call.ints(name);
        call.expect(given.size() == 2 && given[0] >= least && given[1] >= least, name, text("two numbers not below ", least, ", got ", Dims(given)));
        return {given[0], given[1]};
    }
    // f(place in the columns, place in the image) of all that both hold, in C order.
    template <class F> void each(F f) const {
        std::int64_t place = 0;
        for (std::int64_t n = 0; n < batch; ++n)
            for (std::int64_t row = 0; row < channels * kernel[0] * kernel[1]; ++row)
                for (std::int64_t window = 0; window < windows[0] * windows[1]; ++window, ++place) {
                    const std::int64_t c = row / (kernel[0] * kernel[1]), ky = row / kernel[1] % kernel[0], kx = row % kernel[1];
                    const std::int64_t y = window / windows[1] * stride[0] + ky * dilation[0] - padding[0];
                    const std::int64_t x = window % windows[1] * stride[1] + kx * dilation[1] - padding[1];
                    if (y >= 0 && x >= 0 && y < image[0] && x < image[1]) f(place, ((n * channels + c) * image[0] + y) * image[1] + x);
                }
    }
};

Work plan_columns(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    call.expect(self.ndim() == 3 || self.ndim() == 4, "self", text("3 or 4 axes, got shape ", self.shape()));
    const Columns columns(call, "self", self.shape());
    call.expect_dtype(out, self.dtype);
    call.expect_shape(out, columns.shape);
    Work work;
    work.compute = [=](const Run& run) {
        const Owned from = contiguous(run[self]), to = make(self.dtype, columns.shape);
        const auto item = static_cast<std::int64_t>(asnumpy::itemsize(self.dtype));
        std::memset(to.data, 0, static_cast<std::size_t>(to.size() * item));
        columns.each([&](std::int64_t place, std::int64_t element) { std::memcpy(to.data + place * item, from.data + element * item, static_cast<std::size_t>(item)); });
        copy(to, run[out]);
    };
    return work;
}
Work plan_columns_gradient(Call& call) {
    const Tensor grad = call.tensor("gradOutput"), out = call.tensor("out");
    const auto size = Columns::pair(call, "inputSize", 1);
    call.expect(out.ndim() == 3 || out.ndim() == 4, "out", text("3 or 4 axes, got shape ", out.shape()));
    call.expect(out.length(out.ndim() - 2) == size[0] && out.length(out.ndim() - 1) == size[1], "out", text("images of ", Dims(call.ints("inputSize")), ", got shape ", out.shape()));
    call.expect(asnumpy::is_float(grad.dtype), "gradOutput", text("floats, got ", asnumpy::name(grad.dtype)));
    const Columns columns(call, "inputSize", out.shape());
    call.expect_dtype(out, grad.dtype);
    call.expect_shape(grad, columns.shape);
    Work work;
    work.operations = static_cast<double>(grad.size());
    work.compute = [=](const Run& run) {
        const Owned from = contiguous(run[grad], DType::float64), sums = make(DType::float64, out.shape());
        std::fill_n(sums.as<double>(), sums.size(), 0.0);
        columns.each([&](std::int64_t place, std::int64_t element) { sums.as<double>()[element] += from.as<double>()[place]; });
        copy(sums, run[out]);
    };
    return work;
}

const Operators padding{
    {"aclnnConstantPadNd", plan_constant_pad},
    {"aclnnReflectionPad1d", plan_pad<Border::reflect, 1>},
    {"aclnnReflectionPad2d", plan_pad<Border::reflect, 2>},
    {"aclnnReflectionPad3d", plan_pad<Border::reflect, 3>},
    {"aclnnReplicationPad1d", plan_pad<Border::replicate, 1>},
    {"aclnnReplicationPad2d", plan_pad<Border::replicate, 2>},
    {"aclnnReplicationPad3d", plan_pad<Border::replicate, 3>},
    {"aclnnCircularPad2d", plan_pad<Border::circle, 2>},
    {"aclnnCircularPad3d", plan_pad<Border::circle, 3>},
    {"aclnnReflectionPad1dBackward", plan_pad_backward<Border::reflect, 1>},
    {"aclnnReflectionPad2dBackward", plan_pad_backward<Border::reflect, 2>},
    {"aclnnReflectionPad3dBackward", plan_pad_backward<Border::reflect, 3>},
    {"aclnnReplicationPad1dBackward", plan_pad_backward<Border::replicate, 1>},
    {"aclnnReplicationPad2dBackward", plan_pad_backward<Border::replicate, 2>},
    {"aclnnReplicationPad3dBackward", plan_pad_backward<Border::replicate, 3>},
    {"aclnnCircularPad2dBackward", plan_pad_backward<Border::circle, 2>},
    {"aclnnCircularPad3dBackward", plan_pad_backward<Border::circle, 3>},
    {"aclnnIm2col", plan_columns},
    {"aclnnIm2colBackward", plan_columns_gradient},
};

}  // namespace
}  // namespace cannsim
