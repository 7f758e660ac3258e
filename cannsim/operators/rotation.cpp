// Positions as rotations: x cos + (x with its parts exchanged) sin, and the gradients of that.
#include <array>
#include <optional>

#include "operators/formula.hpp"

namespace cannsim {
namespace {

// Which elements of a line meet the cosine and the sine at each place, and the sign of the latter.
struct Exchange {
    std::vector<std::int64_t> straight, crossed;
    std::vector<double> sign;

    Exchange(const Call& call, std::int64_t mode, std::int64_t n) {
        call.expect(mode >= 0 && mode <= 3, "mode", text("0 halves, 1 neighbours, 2 quarters or 3 neighbours to halves, got ", mode));
        const std::int64_t part = mode == 2 ? 4 : 2;
        call.expect(n % part == 0, call.params[0].name, text("a last axis whose length is a multiple of ", part, ", got ", n));
        const std::int64_t block = mode == 1 ? 2 : mode == 2 ? n / 2 : n;  // each block's first half changes places with its second
        for (std::int64_t k = 0; k < n; ++k) {
            const bool first = k % block < block / 2;
            if (mode == 3) {
                straight.push_back(first ? 2 * k : 2 * (k - n / 2) + 1);
                crossed.push_back(first ? 2 * k + 1 : 2 * (k - n / 2));
            } else {
                straight.push_back(k);
                crossed.push_back(first ? k + block / 2 : k - block / 2);
            }
            sign.push_back(first ? -1 : 1);
        }
    }
};

struct Rotation {
    Tensor x, cos, sin;
    Exchange exchange;
    Rotation(const Call& call, std::string_view name) : x(call.tensor(name)), cos(call.tensor("cos")), sin(call.tensor("sin")),
                                                         exchange(call, call.integer("mode"), x.ndim() ? x.length(x.ndim() - 1) : 1) {
        call.expect(x.ndim() == 4 || x.ndim() == 3, name, text("3 or 4 axes, got shape ", x.shape()));
        call.expect(cos.ndim() == x.ndim(), "cos", text(x.ndim(), " axes, got shape ", cos.shape()));
        call.expect_shape(sin, cos.shape());
        for (const Tensor* const one : {&cos, &sin}) call.expect_dtype(*one, x.dtype);
        for (int axis = 0; axis < x.ndim(); ++axis)
            call.expect(cos.length(axis) == x.length(axis) || (cos.length(axis) == 1 && axis < x.ndim() - 1), "cos", text("a shape that broadcasts to ", x.shape(), ", got ", cos.shape()));
    }
    Owned spread(const Run& run, const Tensor& tensor) const { return contiguous(broadcast_to(run[tensor], x.shape()), DType::float64); }
};

Work plan_rotation(Call& call) {
    const Rotation r(call, "x");
    const Tensor out = call.tensor("out");
    call.expect_dtype(out, r.x.dtype);
    call.expect_shape(out, r.x.shape());
    Work work;
    work.operations = static_cast<double>(r.x.size()) * 3;
    work.compute = [=](const Run& run) {
        const Owned x = contiguous(run[r.x], DType::float64), c = r.spread(run, r.cos), s = r.spread(run, r.sin), y = make(DType::float64, r.x.shape());
        const auto n = static_cast<std::int64_t>(r.exchange.sign.size());
        for (std::int64_t i = 0; i < x.size(); ++i) {
            const auto k = static_cast<std::size_t>(i % n);
            const double* const line = x.as<double>() + i / n * n;
            y.as<double>()[i] = line[r.exchange.straight[k]] * c.as<double>()[i] + r.exchange.sign[k] * line[r.exchange.crossed[k]] * s.as<double>()[i];
        }
        copy(y, run[out]);
    };
    return work;
}

Work plan_rotation_gradient(Call& call) {
    const Rotation r(call, "dy");
    const std::optional<Tensor> given = call.optional("xOptional");
    const Tensor dx = call.tensor("dxOut");
    call.expect_shape(dx, r.x.shape());
    std::array<std::optional<Tensor>, 2> of_angles;  // cos, sin: only where x is given
    if (given) {
        call.expect_shape(*given, r.x.shape());
        of_angles = {call.optional("dcosOut"), call.optional("dsinOut")};
        for (const auto& one : of_angles)
            if (one) call.expect_shape(*one, r.cos.shape());
    }
    Work work;
    work.operations = static_cast<double>(r.x.size()) * 6;
    work.compute = [=](const Run& run) {
        const Owned dy = contiguous(run[r.x], DType::float64), c = r.spread(run, r.cos), s = r.spread(run, r.sin), slopes = make(DType::float64, r.x.shape());
        std::fill_n(slopes.as<double>(), slopes.size(), 0.0);
        const auto n = static_cast<std::int64_t>(r.exchange.sign.size());
        for (std::int64_t i = 0; i < dy.size(); ++i) {
            const auto k = static_cast<std::size_t>(i % n);
            double* const line = slopes.as<double>() + i / n * n;
            line[r.exchange.straight[k]] += dy.as<double>()[i] * c.as<double>()[i];
            line[r.exchange.crossed[k]] += r.exchange.sign[k] * dy.as<double>()[i] * s.as<double>()[i];
        }
        copy(slopes, run[dx]);
        for (std::size_t which = 0; which < 2; ++which) {
            if (!of_angles[which]) continue;
            const Owned x = contiguous(run[*given], DType::float64), sums = make(DType::float64, r.cos.shape());
            std::fill_n(sums.as<double>(), sums.size(), 0.0);
            const Array places = broadcast_to(sums, r.x.shape());
            Dims index(r.x.ndim());
            for (std::int64_t i = 0; i < dy.size(); ++i) {
                const auto k = static_cast<std::size_t>(i % n);
                std::byte* at = places.data;
                for (int axis = 0; axis < r.x.ndim(); ++axis) at += index[axis] * places.strides[axis];
                const double* const line = x.as<double>() + i / n * n;
                *reinterpret_cast<double*>(at) += dy.as<double>()[i] * (which ? r.exchange.sign[k] * line[r.exchange.crossed[k]] : line[r.exchange.straight[k]]);
                for (int axis = r.x.ndim() - 1; axis >= 0 && ++index[axis] == r.x.length(axis); --axis) index[axis] = 0;
            }
            copy(sums, run[*of_angles[which]]);
        }
    };
    return work;
}

const Operators rotations{
    {"aclnnRotaryPositionEmbedding", plan_rotation},
    {"aclnnRotaryPositionEmbeddingGrad", plan_rotation_gradient, {"dcosOut", "dsinOut"}},
};

}  // namespace
}  // namespace cannsim
