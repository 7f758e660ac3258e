// Tensors made from few numbers: ranges, identities, triangles, diagonals, one-hot rows.
#include <cmath>

#include "aclnn/rows.hpp"
#include "operators/places.hpp"
#include "operators/wrapping.hpp"

namespace cannsim {
namespace {

// first + i * step for each i; integers exactly where all numbers are integers.
Work sequence(const Tensor& out, const asnumpy::Scalar& first, const asnumpy::Scalar& step) {
    const bool whole = !asnumpy::is_float(first.dtype) && !asnumpy::is_float(step.dtype);
    Work work;
    work.operations = static_cast<double>(out.size());
    work.compute = [=](const Run& run) {
        const Owned values = make(whole ? DType::int64 : DType::float64, out.shape());
        const auto fill = [&]<class T>(T start, T by) {
            for (std::int64_t i = 0; i < values.size(); ++i) values.as<T>()[i] = plus(start, times(static_cast<T>(i), by));
        };
        if (whole) fill(scalar_as<std::int64_t>(first), scalar_as<std::int64_t>(step));
        else fill(scalar_as<double>(first), scalar_as<double>(step));
        copy(values, run[out]);
    };
    return work;
}
Work range(const Call& call, bool with_end) {
    const Tensor out = call.tensor("out");
    const double start = call.real("start"), end = call.real("end"), step = call.real("step");
    call.expect(step != 0 && std::isfinite(step), "step", text("a finite number that is not 0, got ", step));
    call.expect(std::isfinite(start) && std::isfinite(end), std::isfinite(start) ? "end" : "start", "a finite number");
    call.expect(step > 0 ? start <= end : start >= end, "step", text("the sign that leads from ", start, " to ", end, ", got ", step));
    const double steps = (end - start) / step;
    const auto count = static_cast<std::int64_t>(with_end ? std::floor(steps) + 1 : std::ceil(steps));
    call.expect_shape(out, Dims{count});
    return sequence(out, call.scalar("start"), call.scalar("step"));
}

// What a function makes of each of the evenly spaced numbers, of which the last is `end` itself.
template <class Value> Work evenly_spaced(const Call& call, const Tensor& out, Value value) {
    const double start = call.real("start"), end = call.real("end");
    const std::int64_t steps = call.integer("steps");
    call.expect(steps >= 0, "steps", text("a number not below 0, got ", steps));
    call.expect_shape(out, Dims{steps});
    Work work;
    work.operations = static_cast<double>(steps);
    work.compute = [=](const Run& run) {
        const Owned values = make(DType::float64, out.shape());
        const double step = steps > 1 ? (end - start) / static_cast<double>(steps - 1) : 0;
        for (std::int64_t i = 0; i < steps; ++i) values.as<double>()[i] = value(i > 0 && i == steps - 1 ? end : start + static_cast<double>(i) * step);
        copy(values, run[out]);
    };
    return work;
}
Work plan_linspace(Call& call) {
    return evenly_spaced(call, call.tensor("out"), [](double x) { return x; });
}
Work plan_powers(Call& call) {
    return evenly_spaced(call, call.tensor("result"), [base = call.real("base")](double x) { return std::pow(base, x); });
}

Owned zeros(DType dtype, const Dims& shape) {
    Owned result = make(dtype, shape);
    std::memset(result.data, 0, static_cast<std::size_t>(result.size()) * asnumpy::itemsize(dtype));
    return result;
}

Work plan_eye(Call& call) {
    const Tensor out = call.tensor("out");
    const std::int64_t rows = call.integer("n"), columns = call.integer("m");
    call.expect(rows >= 0, "n", text("a length, got ", rows));
    call.expect(columns >= 0, "m", text("a length, got ", columns));
    call.expect_shape(out, Dims{rows, columns});
    Work work;
    work.compute = [=](const Run& run) {
        const Owned values = zeros(DType::int8, out.shape());
        for (std::int64_t i = 0; i < std::min(rows, columns); ++i) values.data[i * columns + i] = std::byte{1};
        copy(values, run[out]);
    };
    return work;
}

// One side of a diagonal is kept, the other becomes 0.
Work triangle(const Call& call, const Tensor& self, const Tensor& out, bool upper) {
    const std::int64_t diagonal = call.integer("diagonal");
    call.expect_dtype(out, self.dtype);
    call.expect_shape(out, self.shape());
    Work work;
    work.compute = [=](const Run& run) {
        const Owned values = contiguous(run[self]);
        const std::int64_t rows = self.length(self.ndim() - 2), columns = self.length(self.ndim() - 1);
        const auto item = static_cast<std::int64_t>(asnumpy::itemsize(self.dtype));
        if (values.size() == 0) return;
        for (std::int64_t row = 0; row < values.size() / columns; ++row) {
            const std::int64_t border = std::clamp<std::int64_t>(row % rows + diagonal + (upper ? 0 : 1), 0, columns);
            std::byte* const line = values.data + row * columns * item;
            std::memset(upper ? line : line + border * item, 0, static_cast<std::size_t>((upper ? border : columns - border) * item));
        }
        copy(values, run[out]);
    };
    return work;
}
template <bool upper> Work plan_triangle(Call& call) { return triangle(call, call.tensor("self"), call.tensor("out"), upper); }
template <bool upper> Work plan_triangle_here(Call& call) { return triangle(call, call.tensor("selfRef"), call.tensor("selfRef"), upper); }

// The elements on a diagonal of a matrix.
Array diagonal_of(const Array& matrix, std::int64_t diagonal) {
    const std::int64_t row = std::max<std::int64_t>(-diagonal, 0), column = std::max<std::int64_t>(diagonal, 0);
    const std::int64_t length = std::max<std::int64_t>(std::min(matrix.shape[0] - row, matrix.shape[1] - column), 0);
    return {length ? matrix.data + row * matrix.strides[0] + column * matrix.strides[1] : matrix.data, matrix.dtype, Dims{length},
            Dims{matrix.strides[0] + matrix.strides[1]}};
}
Work onto_diagonal(const Call& call, const Tensor& self, const Tensor& out, std::int64_t diagonal) {
    const std::int64_t side = self.size() + std::abs(diagonal);
    call.expect_shape(out, Dims{side, side});
    Work work;
    work.compute = [=](const Run& run) {
        const Owned values = zeros(self.dtype, out.shape()), line = contiguous(run[self]);
        Array flat = line;
        flat.shape = Dims{self.size()};
        flat.strides = Dims{static_cast<std::int64_t>(asnumpy::itemsize(self.dtype))};
        copy(flat, diagonal_of(values, diagonal));
        copy(values, run[out]);
    };
    return work;
}
Work plan_diag(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    const std::int64_t diagonal = call.integer("diagonal");
    call.expect_dtype(out, self.dtype);
    if (self.ndim() == 1) return onto_diagonal(call, self, out, diagonal);
    const std::int64_t room = diagonal < 0 ? std::min(self.length(0) + diagonal, self.length(1)) : std::min(self.length(0), self.length(1) - diagonal);
    call.expect_shape(out, Dims{std::max<std::int64_t>(room, 0)});
    Work work;
    work.compute = [=](const Run& run) { copy(diagonal_of(run[self], diagonal), run[out]); };
    return work;
}
Work plan_diag_flat(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    call.expect_dtype(out, self.dtype);
    return onto_diagonal(call, self, out, call.integer("diagonal"));
}

Work plan_fill_diagonal(Call& call) {
    const Tensor self = call.tensor("selfRef");
    const asnumpy::Scalar value = call.scalar("fillValue");
    const bool wrap = call.flag("wrap");
    call.expect(self.ndim() >= 2, "selfRef", text("at least 2 axes, got shape ", self.shape()));
    for (int axis = 1; axis < self.ndim() && self.ndim() > 2; ++axis)
        call.expect(self.length(axis) == self.length(0), "selfRef", text("axes of one length, got shape ", self.shape()));
    Work work;
    work.compute = [=](const Run& run) {
        const Array to = run[self], from{const_cast<std::byte*>(value.bytes.data()), value.dtype, {}, {}};
        std::int64_t length = to.shape[0], step = 0;
        for (int axis = 0; axis < to.ndim(); ++axis) {
            length = std::min(length, to.shape[axis]);
            step += to.strides[axis];
        }
        if (length == 0) return;
        const auto fill = [&](std::int64_t row) {  // the diagonal that begins in that row
            const std::int64_t n = std::min(length, to.shape[0] - row);
            copy(broadcast_to(from, Dims{n}), Array{to.data + row * to.strides[0], to.dtype, Dims{n}, Dims{step}});
        };
        fill(0);
        if (wrap && to.ndim() == 2)
            for (std::int64_t row = to.shape[1] + 1; row < to.shape[0]; row += to.shape[1] + 1) fill(row);
    };
    return work;
}

Work plan_fill_tensor(Call& call) {
    const Tensor self = call.tensor("selfRef"), value = call.tensor("value");
    call.expect(value.size() == 1 && value.ndim() <= 1, "value", text("one element, got shape ", value.shape()));
    Work work;
    work.compute = [=](const Run& run) { copy(broadcast_to(run[value], self.ndim() ? self.shape() : value.shape()), self.ndim() ? run[self] : Array{run[self].data, self.dtype, value.shape(), Dims(value.ndim())}); };
    return work;
}

Work plan_one_hot(Call& call) {
    const Tensor self = call.tensor("self"), on = call.tensor("onValue"), off = call.tensor("offValue"), out = call.tensor("out");
    const std::int64_t classes = call.integer("numClasses");
    const int axis = call.axis("axis", call.integer("axis"), self.ndim() + 1);
    call.expect(classes >= 0, "numClasses", text("a number not below 0, got ", classes));
    for (const Tensor* one : {&on, &off}) {
        call.expect(one->size() == 1, one->name, text("one element, got shape ", one->shape()));
        call.expect_dtype(*one, out.dtype);
    }
    Dims shape;
    for (int i = 0; i <= self.ndim(); ++i) shape.push_back(i == axis ? classes : self.length(i < axis ? i : i - 1));
    call.expect_shape(out, shape);
    Work work;
    work.compute = [=](const Run& run) {
        const Owned chosen = contiguous(run[self], DType::int64), values = make(out.dtype, out.shape());
        const std::size_t item = asnumpy::itemsize(out.dtype);
        const Array yes = run[on], no = run[off];
        const std::int64_t inner = product(self.shape(), axis, self.ndim());
        for (std::int64_t i = 0; i < values.size(); ++i) {
            const std::int64_t place = i / inner % classes, row = i / inner / classes * inner + i % inner;
            std::memcpy(values.data + static_cast<std::size_t>(i) * item, (chosen.as<std::int64_t>()[row] == place ? yes : no).data, item);
        }
        copy(values, run[out]);
    };
    return work;
}

const Operators creation{
    {"aclnnArange", [](Call& call) { return range(call, false); }},
    {"aclnnRange", [](Call& call) { return range(call, true); }},
    {"aclnnLinspace", plan_linspace},
    {"aclnnLogSpace", plan_powers},
    {"aclnnEye", plan_eye},
    {"aclnnTril", plan_triangle<false>},
    {"aclnnTriu", plan_triangle<true>},
    {"aclnnInplaceTril", plan_triangle_here<false>},
    {"aclnnInplaceTriu", plan_triangle_here<true>},
    {"aclnnDiag", plan_diag},
    {"aclnnDiagFlat", plan_diag_flat},
    {"aclnnInplaceFillDiagonal", plan_fill_diagonal},
    {"aclnnInplaceFillTensor", plan_fill_tensor},
    {"aclnnOneHot", plan_one_hot},
};

}  // namespace
}  // namespace cannsim
