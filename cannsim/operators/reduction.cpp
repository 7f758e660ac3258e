// Reductions over any axes: sums, extremes, truth, moments, norms.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

#include "operators/fold.hpp"
#include "operators/wrapping.hpp"

namespace cannsim {
namespace {

// --- sums ---

constexpr std::size_t lanes = 8;  // running results that do not wait for each other

template <class T> T pairwise_sum(const T* v, std::int64_t n) {
    if (n > 128) {
        const std::int64_t half = n / 2 / 8 * 8;
        return plus(pairwise_sum(v, half), pairwise_sum(v + half, n - half));
    }
    if (n == 0) return T{};
    std::array<T, lanes> sums;
    sums.fill(static_cast<T>(-T{}));  // -0.0, which no addition changes: a sum of negative zeros is one, as NumPy's
    const auto count = static_cast<std::size_t>(n);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (std::size_t k = 0; k < lanes; ++k) sums[k] = plus(sums[k], v[i + k]);
    for (std::size_t k = 0; i < count; ++i, ++k) sums[k] = plus(sums[k], v[i]);
    for (std::size_t step = lanes / 2; step > 0; step /= 2)
        for (std::size_t k = 0; k < step; ++k) sums[k] = plus(sums[k], sums[k + step]);
    return sums[0];
}

Work plan_sum(Call& call, std::string_view axes, std::string_view keep, DType dtype, bool skip_nan) {
    Fold fold(call, call.axes(axes, call.tensor("self").ndim()), call.flag(keep));
    fold.out(call.tensor("out"), wide(dtype));
    return fold.work(wide(dtype), [skip_nan]<class T>(std::span<T> v, const Sink& sink) {
        if constexpr (std::is_floating_point_v<T>)
            if (skip_nan)
                for (T& x : v)
                    if (std::isnan(x)) x = T{};
        sink(0, pairwise_sum(v.data(), std::ssize(v)));
    });
}

// Means of integers are exact sums divided, as floats are.
Work mean(Call& call, std::vector<int> axes, bool keep) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    Fold fold(call, std::move(axes), keep);
    const DType inner = asnumpy::is_complex(self.dtype) ? self.dtype : DType::float64;
    fold.out(out, inner);
    return fold.work(inner, []<class T>(std::span<T> v, const Sink& sink) {
        if constexpr (real_or_complex<T>)
            sink(0, static_cast<T>(pairwise_sum(v.data(), std::ssize(v)) / static_cast<T>(static_cast<double>(v.size()))));
    });
}

Work plan_mean(Call& call) { return mean(call, call.axes("dim", call.tensor("self").ndim()), call.flag("keepDim")); }
Work plan_mean_v2(Call& call) {
    if (call.flag("noopWithEmptyAxes") && call.ints("dim").empty()) return mean(call, {}, true);
    return plan_mean(call);
}

template <class T> struct Multiplication {
    static T of(std::span<T> v) {
        T result{1};
        for (const T x : v) result = times(result, x);
        return result;
    }
};
Work product_over(Call& call, std::vector<int> axes, bool keep, bool any_of_one = false) {
    const DType inner = wide(call.dtype("dtype"));
    Fold fold(call, std::move(axes), keep);
    fold.out(call.tensor("out"), inner, any_of_one);
    return fold.work(inner, []<class T>(std::span<T> v, const Sink& sink) { sink(0, Multiplication<T>::of(v)); });
}

// --- extremes: NaN wins, as in NumPy ---

template <bool largest, class T> std::size_t extreme(std::span<const T> v) {
    if constexpr (asnumpy::is_complex_v<T>) {
        return 0;  // complex numbers have no order; the plans refuse them
    } else {
        int missing = 0;
        if constexpr (std::is_floating_point_v<T>)
            for (const T x : v) missing |= x != x;
        if (missing) return static_cast<std::size_t>(std::ranges::find_if(v, [](T x) { return x != x; }) - v.begin());
        std::array<T, lanes> tops;
        tops.fill(v[0]);
        std::size_t i = 0;
        for (; i + lanes <= v.size(); i += lanes)
            for (std::size_t k = 0; k < lanes; ++k) tops[k] = (largest ? v[i + k] > tops[k] : v[i + k] < tops[k]) ? v[i + k] : tops[k];
        for (; i < v.size(); ++i) tops[0] = (largest ? v[i] > tops[0] : v[i] < tops[0]) ? v[i] : tops[0];
        const T top = largest ? *std::ranges::max_element(tops) : *std::ranges::min_element(tops);
        return static_cast<std::size_t>(std::ranges::find(v, top) - v.begin());
    }
}

Work extremes(Call& call, bool smallest, bool largest, std::vector<int> axes, bool keep, std::initializer_list<std::string_view> outs, bool any_of_one = false) {
    Fold fold(call, std::move(axes), keep);
    fold.not_empty();
    const DType inner = widened_half(call.tensor("self").dtype);
    for (const std::string_view out : outs) fold.out(call.tensor(out), inner, any_of_one);
    return fold.work(inner, [smallest, largest]<class T>(std::span<T> v, const Sink& sink) {
        if (smallest) sink(0, v[extreme<false, T>(v)]);
        if (largest) sink(smallest, v[extreme<true, T>(v)]);
    });
}

template <bool largest> Work plan_extreme_of_axes(Call& call) {
    return extremes(call, !largest, largest, call.axes("dim", call.tensor("self").ndim()), call.flag("keepDim"), {"out"});
}
template <bool largest> Work plan_extreme_of_all(Call& call) { return extremes(call, !largest, largest, call_all(call), false, {"out"}, true); }
Work plan_max_v2(Call& call) {
    if (call.flag("noopWithEmptyDims") && call.ints("dims").empty()) return extremes(call, false, true, {}, true, {"out"});
    return extremes(call, false, true, call.axes("dims", call.tensor("self").ndim()), call.flag("keepDims"), {"out"});
}
Work plan_aminmax(Call& call) {
    return extremes(call, true, true, call.axes("dim", call.tensor("self").ndim()), call.flag("keepDim"), {"minOut", "maxOut"});
}
Work plan_aminmax_all(Call& call) { return extremes(call, true, true, call_all(call), false, {"minOut", "maxOut"}); }
Work plan_aminmax_dim(Call& call) { return extremes(call, true, true, one_axis(call), call.flag("keepDim"), {"minOut", "maxOut"}); }

template <bool largest> Work plan_arg(Call& call) {
    Fold fold(call, one_axis(call), call.flag("keepdim"));
    fold.not_empty();
    fold.out(call.tensor("out"), DType::int64);
    return fold.work(widened_half(call.tensor("self").dtype), []<class T>(std::span<T> v, const Sink& sink) {
        sink(0, static_cast<std::int64_t>(extreme<largest, T>(v)));
    });
}
template <bool largest> Work plan_extreme_with_index(Call& call) {
    Fold fold(call, one_axis(call), call.flag("keepdim"));
    fold.not_empty();
    const DType inner = widened_half(call.tensor("self").dtype);
    fold.out(call.tensor("out"), inner);
    fold.out(call.tensor("indices"), DType::int64);
    return fold.work(inner, []<class T>(std::span<T> v, const Sink& sink) {
        const std::size_t i = extreme<largest, T>(v);
        sink(0, v[i]);
        sink(1, static_cast<std::int64_t>(i));
    });
}

// --- truth ---

template <bool every> Work plan_truth(Call& call) {
    Fold fold(call, call.axes("dim", call.tensor("self").ndim()), call.flag("keepdim"));
    fold.out(call.tensor("out"), DType::boolean);
    return fold.work<bool>(DType::boolean, []<class T>(std::span<T> v, const Sink& sink) {
        const auto holds = [](T x) { return x != T{}; };
        sink(0, every ? std::ranges::all_of(v, holds) : std::ranges::any_of(v, holds));
    });
}

// --- moments, computed in float64 and rounded once ---

enum class Moment { variance, deviation };

template <Moment first, bool with_mean> Work moments(Call& call, double correction, std::string_view out, std::string_view mean_out) {
    Fold fold(call, call.axes("dim", call.tensor("self").ndim()), call.flag("keepdim"));
    fold.out(call.tensor(out), DType::float64);
    if (with_mean) fold.out(call.tensor(mean_out), DType::float64);
    return fold.work<double>(DType::float64, [correction]<class T>(std::span<T> v, const Sink& sink) {
        const double n = static_cast<double>(v.size()), average = pairwise_sum(v.data(), std::ssize(v)) / n;
        for (double& x : v) x = (x - average) * (x - average);
        const double variance = pairwise_sum(v.data(), std::ssize(v)) / std::max(n - correction, 0.0);
        sink(0, first == Moment::variance ? variance : std::sqrt(variance));
        if constexpr (with_mean) sink(1, average);
    });
}

// --- norms and logarithms of sums ---

Work norm(Call& call, double order, std::string_view axes, std::string_view keep) {
    Fold fold(call, call.axes(axes, call.tensor("self").ndim()), call.flag(keep));
    if (std::isinf(order) || order < 0) fold.not_empty();
    fold.out(call.tensor("out"), DType::float64);
    return fold.work<double>(DType::float64, [order]<class T>(std::span<T> v, const Sink& sink) {
        for (double& x : v) x = std::abs(x);
        if (std::isinf(order)) return sink(0, v[order > 0 ? extreme<true, double>(v) : extreme<false, double>(v)]);
        for (double& x : v) x = order == 0 ? x != 0 ? 1.0 : 0.0 : order == 2 ? x * x : order == 1 ? x : std::pow(x, order);
        const double sum = pairwise_sum(v.data(), std::ssize(v));
        sink(0, order == 0 || order == 1 ? sum : order == 2 ? std::sqrt(sum) : std::pow(sum, 1 / order));
    });
}

template <bool exponentials> Work log_sum(Call& call, std::vector<int> axes, bool keep, std::string_view in, std::string_view out) {
    Fold fold(call, std::move(axes), keep, in);
    fold.out(call.tensor(out), DType::float64);
    return fold.work<double>(DType::float64, []<class T>(std::span<T> v, const Sink& sink) {
        if (!exponentials) return sink(0, std::log(pairwise_sum(v.data(), std::ssize(v))));
        const double top = v.empty() ? -std::numeric_limits<double>::infinity() : v[extreme<true, double>(v)];
        if (std::isinf(top)) return sink(0, top);
        for (double& x : v) x = std::exp(x - top);
        sink(0, top + std::log(pairwise_sum(v.data(), std::ssize(v))));
    });
}
Work plan_reduce_log_sum(Call& call) {
    if (call.flag("noopWithEmptyAxes") && call.ints("axes").empty()) return log_sum<false>(call, {}, true, "data", "reduce");
    return log_sum<false>(call, call.axes("axes", call.tensor("data").ndim()), call.flag("keepDims"), "data", "reduce");
}

// --- medians: the lower of the two in the middle; NaN wins unless it is left out ---

Work median(Call& call, bool skip_nan, std::vector<int> axes, bool keep, std::string_view values, std::string_view indices) {
    Fold fold(call, std::move(axes), keep);
    if (!indices.empty()) fold.not_empty();
    const DType inner = widened_half(call.tensor("self").dtype);
    fold.out(call.tensor(values), inner);
    if (!indices.empty()) fold.out(call.tensor(indices), DType::int64);
    return fold.work(inner, [skip_nan, with_index = !indices.empty()]<class T>(std::span<T> v, const Sink& sink) {
        std::vector<std::int64_t> order(v.size());
        std::iota(order.begin(), order.end(), 0);
        const auto missing = [&](std::int64_t i) {
            if constexpr (std::is_floating_point_v<T>) return std::isnan(v[static_cast<std::size_t>(i)]);
            else return false;
        };
        std::int64_t chosen = 0;
        const auto first_missing = std::ranges::find_if(order, missing);
        if (first_missing != order.end() && !skip_nan) {
            chosen = *first_missing;
        } else {
            const std::int64_t first = first_missing == order.end() ? 0 : *first_missing;
            std::erase_if(order, missing);
            chosen = first;
            if constexpr (!asnumpy::is_complex_v<T>)
                std::ranges::stable_sort(order, [&](auto a, auto b) { return v[static_cast<std::size_t>(a)] < v[static_cast<std::size_t>(b)]; });
            if (!order.empty()) chosen = order[(order.size() - 1) / 2];
        }
        if (v.empty()) {
            if constexpr (std::is_floating_point_v<T>) sink(0, std::numeric_limits<T>::quiet_NaN());
            else sink(0, T{});
            return;
        }
        sink(0, v[static_cast<std::size_t>(chosen)]);
        if (with_index) sink(1, chosen);
    });
}

// --- the whole array at once ---

Work plan_equal(Call& call) {
    const Tensor self = call.tensor("self"), other = call.tensor("other"), out = call.tensor("out");
    call.expect(out.size() == 1, "out", text("one element, got ", out.shape()));
    call.expect_dtype(out, DType::boolean);
    call.expect(self.dtype == other.dtype, "other", text(asnumpy::name(self.dtype), " as self, got ", asnumpy::name(other.dtype)));
    Work work;
    work.compute = [=](const Run& run) {
        bool same = self.shape() == other.shape();
        if (same) {
            const Owned a = contiguous(run[self]), b = contiguous(run[other]);
            cannsim::dispatch(a.dtype, [&]<class T>() { same = std::equal(a.as<T>(), a.as<T>() + a.size(), b.as<T>()); });
        }
        *run[out].as<bool>() = same;
    };
    return work;
}

Work plan_trace(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    call.expect_shape(out, {});
    Work work;
    work.compute = [=](const Run& run) {
        Array diagonal = run[self];
        diagonal.shape = Dims{std::min(self.length(0), self.length(1))};
        diagonal.strides = Dims{self.view.strides[0] + self.view.strides[1]};
        const DType inner = wide(asnumpy::is_float(self.dtype) || asnumpy::is_complex(self.dtype) ? self.dtype : DType::int64);
        const Owned values = contiguous(diagonal, inner), sum = make(inner, {});
        cannsim::dispatch(inner, [&]<class T>() {
            if constexpr (!asnumpy::is_half_v<T>) *sum.as<T>() = pairwise_sum(values.as<T>(), values.size());
        });
        copy(sum, run[out]);
    };
    return work;
}

const Operators reductions{
    {"aclnnReduceSum", [](Call& call) { return plan_sum(call, "dims", "keepDims", call.dtype("dtype"), false); }},
    {"aclnnReduceNansum", [](Call& call) { return plan_sum(call, "dim", "keepDim", call.dtype("dtype"), true); }},
    {"aclnnMean", plan_mean},
    {"aclnnMeanV2", plan_mean_v2},
    {"aclnnProd", [](Call& call) { return product_over(call, call_all(call), false, true); }},
    {"aclnnProdDim", [](Call& call) { return product_over(call, one_axis(call), call.flag("keepDim")); }},
    {"aclnnAmax", plan_extreme_of_axes<true>},
    {"aclnnAmin", plan_extreme_of_axes<false>},
    {"aclnnMax", plan_extreme_of_all<true>},
    {"aclnnMin", plan_extreme_of_all<false>},
    {"aclnnMaxV2", plan_max_v2},
    {"aclnnAminmax", plan_aminmax},
    {"aclnnAminmaxAll", plan_aminmax_all},
    {"aclnnAminmaxDim", plan_aminmax_dim},
    {"aclnnArgMax", plan_arg<true>},
    {"aclnnArgMin", plan_arg<false>},
    {"aclnnMaxDim", plan_extreme_with_index<true>},
    {"aclnnMinDim", plan_extreme_with_index<false>},
    {"aclnnAll", plan_truth<true>},
    {"aclnnAny", plan_truth<false>},
    {"aclnnVar", [](Call& call) { return moments<Moment::variance, false>(call, call.flag("unbiased"), "out", ""); }, {"dim"}},
    {"aclnnVarCorrection", [](Call& call) { return moments<Moment::variance, false>(call, static_cast<double>(call.integer("correction")), "out", ""); }, {"dim"}},
    {"aclnnStd", [](Call& call) { return moments<Moment::deviation, false>(call, static_cast<double>(call.integer("correction")), "out", ""); }, {"dim"}},
    {"aclnnVarMean", [](Call& call) { return moments<Moment::variance, true>(call, static_cast<double>(call.integer("correction")), "varOut", "meanOut"); }, {"dim"}},
    {"aclnnStdMeanCorrection", [](Call& call) { return moments<Moment::deviation, true>(call, static_cast<double>(call.integer("correction")), "stdOut", "meanOut"); }, {"dim"}},
    {"aclnnLinalgVectorNorm", [](Call& call) { return norm(call, call.real("ord"), "dims", "keepDims"); }, {"dims"}},
    {"aclnnNorm", [](Call& call) { return norm(call, call.given("pScalar") ? call.real("pScalar") : 2, "dim", "keepdim"); }, {"pScalar", "dim"}},
    {"aclnnLogSumExp", [](Call& call) { return log_sum<true>(call, call.axes("dim", call.tensor("self").ndim()), call.flag("keepDim"), "self", "out"); }},
    {"aclnnReduceLogSum", plan_reduce_log_sum},
    {"aclnnMedian", [](Call& call) { return median(call, false, call_all(call), false, "valuesOut", ""); }},
    {"aclnnMedianDim", [](Call& call) { return median(call, false, one_axis(call), call.flag("keepDim"), "valuesOut", "indicesOut"); }},
    {"aclnnNanMedian", [](Call& call) { return median(call, true, call_all(call), false, "out", ""); }},
    {"aclnnNanMedianDim", [](Call& call) { return median(call, true, one_axis(call), call.flag("keepDim"), "valuesOut", "indicesOut"); }},
    {"aclnnEqual", plan_equal},
    {"aclnnTrace", plan_trace},
};

}  // namespace
}  // namespace cannsim
