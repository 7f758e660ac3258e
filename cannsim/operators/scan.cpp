// Running sums, products and extremes along one axis.
#include <cmath>

#include "operators/fold.hpp"
#include "operators/places.hpp"
#include "operators/wrapping.hpp"

namespace cannsim {
namespace {

// `line` walks along the axis: line.template operator()<T>(in, out, index) with one value each.
template <class F> Work scan(Call& call, std::string_view in, std::string_view out, std::string_view indices, int axis, DType inner, F line) {
    const Tensor self = call.tensor(in), target = call.tensor(out);
    const std::optional<Tensor> index = indices.empty() ? std::nullopt : std::optional(call.tensor(indices));
    call.expect_shape(target, self.shape());
    call.expect_castable(inner, target);
    if (index) call.expect_shape(*index, self.shape());
    Work work;
    work.operations = static_cast<double>(self.size());
    work.compute = [=](const Run& run) {
        const Array source = at_least_1d(run[self]);
        const Owned values = contiguous(source, inner), places = make(DType::int64, index ? source.shape : Dims{0});
        const std::int64_t length = source.shape[axis];
        std::int64_t step = 1;  // elements between neighbours of a line
        for (int i = axis + 1; i < source.ndim(); ++i) step *= source.shape[i];
        cannsim::dispatch(inner, [&]<class T>() {
            if constexpr (!asnumpy::is_half_v<T>)
                for (std::int64_t first = 0; first < values.size(); first += (first % step == step - 1) ? step * (length - 1) + 1 : 1)
                    line.template operator()<T>(values.as<T>() + first, index ? places.as<std::int64_t>() + first : nullptr, length, step);
        });
        copy(values, at_least_1d(run[target]));
        if (index) copy(places, at_least_1d(run[*index]));
    };
    return work;
}

int axis_of(const Call& call, std::string_view in = "self") { return call.axis("dim", call.integer("dim"), call.tensor(in).ndim()); }

struct RunningSum {
    bool exclusive = false, reverse = false;
    template <class T> void operator()(T* v, std::int64_t*, std::int64_t n, std::int64_t step) const {
        T sum{};
        for (std::int64_t k = 0; k < n; ++k) {
            T& x = v[(reverse ? n - 1 - k : k) * step];
            const T before = sum;
            sum = plus(sum, x);
            x = exclusive ? before : sum;
        }
    }
};
struct RunningProduct {
    template <class T> void operator()(T* v, std::int64_t*, std::int64_t n, std::int64_t step) const {
        for (std::int64_t k = 1; k < n; ++k) v[k * step] = times(v[k * step], v[(k - 1) * step]);
    }
};
// The place of the latest of equal values; NaN stays.
template <bool largest> struct RunningExtreme {
    template <class T> void operator()(T* v, std::int64_t* place, std::int64_t n, std::int64_t step) const {
        if constexpr (!asnumpy::is_complex_v<T>) {
            std::int64_t best = 0;
            for (std::int64_t k = 0; k < n; ++k) {
                const T x = v[k * step], top = v[best * step];
                bool wins = largest ? x >= top : x <= top;
                if constexpr (std::is_floating_point_v<T>) wins = std::isnan(x) || (wins && !std::isnan(top));
                if (wins) best = k;
                place[k * step] = best;
                v[k * step] = v[best * step];
            }
        }
    }
};

Work plan_cumprod(Call& call) {
    const bool in_place = call.params.size() == 2;
    const Tensor input = call.tensor("input");
    const DType inner = wide(in_place ? input.dtype : call.dtype("dtype"));
    if (!in_place) call.expect_dtype(call.tensor("out"), call.dtype("dtype"));
    return scan(call, "input", in_place ? "input" : "out", "", axis_of(call, "input"), inner, RunningProduct());
}
Work plan_cumsum(Call& call) {
    call.expect_dtype(call.tensor("out"), call.dtype("dtype"));
    return scan(call, "self", "out", "", axis_of(call), wide(call.dtype("dtype")), RunningSum());
}
template <bool largest> Work plan_running_extreme(Call& call) {
    const DType inner = widened_half(call.tensor("self").dtype);
    return scan(call, "self", "valuesOut", "indicesOut", axis_of(call), inner, RunningExtreme<largest>());
}

const Operators scans{
    {"aclnnCumsum", plan_cumsum},
    {"aclnnCumsumV2", [](Call& call) {
         return scan(call, "self", "out", "", axis_of(call), wide(call.tensor("self").dtype), RunningSum{call.flag("exclusive"), call.flag("reverse")});
     }},
    {"aclnnCumprod", plan_cumprod},
    {"aclnnInplaceCumprod", plan_cumprod},
    {"aclnnCummax", plan_running_extreme<true>},
    {"aclnnCummin", plan_running_extreme<false>},
};

}  // namespace
}  // namespace cannsim
