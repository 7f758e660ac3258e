// Random values: each is a function of seed, offset and its place, so that a call gives the same values whenever it is made again.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "aclnn/parallel.hpp"
#include "operators/formula.hpp"
#include "operators/places.hpp"

namespace cannsim {
namespace {

__extension__ typedef unsigned __int128 Wide;

// 64 random bits for each place.
class Source {
public:
    Source(std::uint64_t seed, std::uint64_t offset) : key_(mixed(seed) ^ mixed(~offset)) {}
    explicit Source(const Call& call)
        : Source(static_cast<std::uint64_t>(call.integer("seed")), static_cast<std::uint64_t>(call.integer("offset"))) {}

    std::uint64_t bits(std::int64_t place) const { return mixed(key_ + static_cast<std::uint64_t>(place) * 0x9e3779b97f4a7c15U); }
    // In [0, 1), a multiple of 2^-digits.
    double unit(std::int64_t place, int digits = 53) const { return std::ldexp(static_cast<double>(bits(place) >> (64 - digits)), -digits); }
    double normal(std::int64_t place) const {  // the two numbers of a polar pair go to neighbours
        const std::int64_t pair = place & ~std::int64_t{1};
        const double radius = std::sqrt(-2 * std::log(1 - unit(pair))), angle = 2 * std::numbers::pi * unit(pair + 1);
        return radius * (place & 1 ? std::sin(angle) : std::cos(angle));
    }
    // In [0, bound), all alike likely up to 2^-64.
    std::uint64_t below(std::int64_t place, std::uint64_t bound) const {
        return static_cast<std::uint64_t>(static_cast<Wide>(bits(place)) * bound >> 64);
    }

private:
    static std::uint64_t mixed(std::uint64_t x) {
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
        x = (x ^ x >> 27) * 0x94d049bb133111ebU;
        return x ^ x >> 31;
    }
    std::uint64_t key_;
};

// out[i] = value(i), computed as T and converted.
template <class T, class F> void fill(const Array& out, F value) {
    const Owned values = make(asnumpy::dtype_of_v<T>, out.shape);
    parallel(values.size(), 1024, std::int64_t{1} << 14, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) values.template as<T>()[i] = value(i);
    });
    copy(values, out);
}

int digits(DType dtype) { return dtype == DType::bfloat16 ? 8 : dtype == DType::float16 ? 11 : dtype == DType::float32 ? 24 : 53; }

Work plan_uniform(Call& call) {
    const Tensor self = call.tensor("selfRef");
    const double from = call.real("from"), to = call.real("to");
    call.expect(from <= to && std::isfinite(to - from), "to", text("a finite number not below from, ", from, ", got ", to));
    Work work;
    work.compute = [=, source = Source(call)](const Run& run) {
        fill<double>(run[self], [&](std::int64_t i) { return from + (to - from) * source.unit(i, digits(self.dtype)); });
    };
    return work;
}

Work plan_integers(Call& call) {
    const Tensor self = call.tensor("selfRef");
    const std::int64_t from = call.integer("from"), to = call.integer("to");
    call.expect(from < to, "to", text("a number above from, ", from, ", got ", to));
    Work work;
    work.compute = [=, source = Source(call)](const Run& run) {
        const auto bound = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
        fill<std::int64_t>(run[self], [&](std::int64_t i) { return static_cast<std::int64_t>(static_cast<std::uint64_t>(from) + source.below(i, bound)); });
    };
    return work;
}

// Values as float64 in the shape of the output: a tensor's, or one number's.
template <class Number> Owned spread(const Run& run, const Number& number, const Dims& shape) {
    if constexpr (std::is_same_v<Number, Tensor>) {
        return contiguous(broadcast_to(run[number], shape), DType::float64);
    } else {
        Owned result = make(DType::float64, shape);
        std::fill_n(result.template as<double>(), result.size(), number);
        return result;
    }
}
template <class Mean, class Std> Work normal(const Call& call, const Tensor& out, const Mean& mean, const Std& std) {
    if constexpr (std::is_same_v<Std, double>) call.expect(std >= 0, "std", text("a number not below 0, got ", std));
    if constexpr (std::is_same_v<Mean, Tensor> && std::is_same_v<Std, Tensor>) call.expect_shape(out, call.broadcast({&mean, &std}));
    else if constexpr (std::is_same_v<Mean, Tensor>) call.expect_shape(out, mean.shape());
    else if constexpr (std::is_same_v<Std, Tensor>) call.expect_shape(out, std.shape());
    Work work;
    work.compute = [=, source = Source(call)](const Run& run) {
        const Owned means = spread(run, mean, out.shape()), deviations = spread(run, std, out.shape());
        fill<double>(run[out], [&](std::int64_t i) { return means.as<double>()[i] + deviations.as<double>()[i] * source.normal(i); });
    };
    return work;
}

template <class Prob> Work bernoulli(const Call& call, const Tensor& out, const Prob& prob) {
    if constexpr (std::is_same_v<Prob, double>) call.expect(prob >= 0 && prob <= 1, "prob", text("a number from 0 to 1, got ", prob));
    else call.expect(call.broadcast({&out, &prob}) == out.shape(), "prob", text("a shape that broadcasts to ", out.shape(), ", got ", prob.shape()));
    Work work;
    work.compute = [=, source = Source(call)](const Run& run) {
        const Owned likely = spread(run, prob, out.shape());
        fill<bool>(run[out], [&](std::int64_t i) { return source.unit(i) < likely.as<double>()[i]; });
    };
    return work;
}
Work plan_bernoulli(Call& call) {
    const Tensor out = call.tensor("out");
    call.expect_shape(out, call.tensor("self").shape());
    return bernoulli(call, out, call.real("prob"));
}

Work plan_permutation(Call& call) {
    const Tensor out = call.tensor("out");
    const std::int64_t n = call.integer("n");
    call.expect(n >= 0, "n", text("a number not below 0, got ", n));
    call.expect_shape(out, Dims{n});
    Work work;
    work.compute = [=, source = Source(call)](const Run& run) {
        const Owned values = make(DType::int64, Dims{n});
        auto* const order = values.as<std::int64_t>();
        std::iota(order, order + n, 0);
        for (std::int64_t i = n - 1; i > 0; --i) std::swap(order[i], order[source.below(i, static_cast<std::uint64_t>(i) + 1)]);
        copy(values, run[out]);
    };
    return work;
}

// Draws from each line of weights, with or without what was drawn before.
Work plan_multinomial(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    const std::int64_t samples = call.integer("numsamples");
    const bool again = call.flag("replacement");
    call.expect(self.ndim() == 1 || self.ndim() == 2, "self", text("1 or 2 axes, got shape ", self.shape()));
    const std::int64_t choices = self.length(self.ndim() - 1);
    call.expect(samples > 0 && (again || samples <= choices), "numsamples", text("a number from 1 to ", choices, ", got ", samples));
    call.expect(choices > 0, "self", text("at least one weight, got shape ", self.shape()));
    Dims shape = self.shape();
    shape.back() = samples;
    call.expect_shape(out, shape);
    Work work;
    work.compute = [=, source = Source(call)](const Run& run) {
        const Owned weights = contiguous(run[self], DType::float64), drawn = make(DType::int64, shape);
        std::vector<double> sums(static_cast<std::size_t>(choices));
        std::vector<std::pair<double, std::int64_t>> race(static_cast<std::size_t>(choices));
        for (std::int64_t line = 0; line < weights.size() / choices; ++line) {
            const double* const weight = weights.as<double>() + line * choices;
            std::int64_t* const to = drawn.as<std::int64_t>() + line * samples;
            if (again) {
                std::partial_sum(weight, weight + choices, sums.begin());
                for (std::int64_t i = 0; i < samples; ++i) {
                    const auto place = std::ranges::upper_bound(sums, source.unit(line * samples + i) * sums.back()) - sums.begin();
                    to[i] = std::min<std::int64_t>(place, choices - 1);
                }
            } else {  // the first arrivals of exponential waits with these rates
                for (std::int64_t i = 0; i < choices; ++i) {
                    const double wait = -std::log1p(-source.unit(line * choices + i));
                    race[static_cast<std::size_t>(i)] = {weight[i] > 0 ? wait / weight[i] : HUGE_VAL, i};
                }
                std::ranges::partial_sort(race, race.begin() + samples);
                for (std::int64_t i = 0; i < samples; ++i) to[i] = race[static_cast<std::size_t>(i)].second;
            }
        }
        copy(drawn, run[out]);
    };
    return work;
}

// A mask of bits, the lowest first, for multiples of 128 elements: 1 keeps.
std::int64_t mask_bytes(std::int64_t elements) { return (elements + 127) / 128 * 16; }
double probability(const Call& call, std::string_view name) {
    const double p = call.real(name);
    call.expect(p >= 0 && p <= 1, name, text("a number from 0 to 1, got ", p));
    return p;
}
void expect_mask(const Call& call, const Tensor& mask, std::int64_t elements) {
    call.expect_dtype(mask, DType::uint8);
    call.expect(mask.size() >= mask_bytes(elements), mask.name, text("at least ", mask_bytes(elements), " bytes, got shape ", mask.shape()));
}
Owned drawn_mask(const Source& source, const Dims& shape, double drop) {
    Owned mask = make(DType::uint8, shape);
    for (std::int64_t i = 0; i < mask.size(); ++i) {
        unsigned byte = 0;
        for (int bit = 0; bit < 8; ++bit) byte |= static_cast<unsigned>(source.unit(8 * i + bit) >= drop) << bit;
        mask.data[i] = static_cast<std::byte>(byte);
    }
    return mask;
}
void drop_out(const Array& from, const Array& mask, double drop, const Array& to) {
    const Owned values = contiguous(from, from.dtype == DType::float64 ? DType::float64 : DType::float32);
    cannsim::dispatch(values.dtype, [&]<class T>() {
        if constexpr (std::is_floating_point_v<T>) {
            const T scale = drop < 1 ? static_cast<T>(1 / (1 - drop)) : T{0};
            for (std::int64_t i = 0; i < values.size(); ++i) {
                const bool keeps = std::to_integer<int>(mask.data[i / 8]) >> (i % 8) & 1;
                values.template as<T>()[i] = keeps ? values.template as<T>()[i] * scale : T{0};
            }
        }
    });
    copy(values, to);
}
Work plan_dropout(Call& call) {
    const Tensor input = call.tensor("input"), out = call.tensor("out"), mask = call.tensor("maskOut");
    const double p = probability(call, "p");
    const bool train = call.flag("train");
    call.expect_shape(out, input.shape());
    expect_mask(call, mask, input.size());
    Work work;
    work.compute = [=, source = Source(call)](const Run& run) {
        const Owned bits = drawn_mask(source, mask.shape(), train ? p : 0);
        copy(bits, run[mask]);
        if (train) drop_out(run[input], bits, p, run[out]);
        else copy(run[input], run[out]);
    };
    return work;
}
Work plan_mask(Call& call) {
    const Tensor out = call.tensor("out");
    const double p = probability(call, "prob");
    std::int64_t elements = 1;
    for (const std::int64_t n : call.ints("shape")) {
        call.expect(n >= 0, "shape", text("lengths, got ", n));
        elements *= n;
    }
    expect_mask(call, out, elements);
    Work work;
    work.compute = [=, source = Source(call)](const Run& run) { copy(drawn_mask(source, out.shape(), p), run[out]); };
    return work;
}
Work masked(const Call& call, const Tensor& self, double p) {
    const Tensor mask = call.tensor("mask"), out = call.tensor("out");
    call.expect(asnumpy::is_float(self.dtype), self.name, text("a floating dtype, got ", asnumpy::name(self.dtype)));
    call.expect_dtype(out, self.dtype);
    call.expect_shape(out, self.shape());
    expect_mask(call, mask, self.size());
    Work work;
    work.compute = [=](const Run& run) { drop_out(run[self], contiguous(run[mask]), p, run[out]); };
    return work;
}
Work plan_do_mask(Call& call) { return masked(call, call.tensor("self"), probability(call, "prob")); }
Work plan_dropout_gradient(Call& call) {
    const double scale = call.real("scale");  // 1 / (1 - p); 0 where all was dropped
    call.expect(scale == 0 || scale >= 1, "scale", text("0 or a number not below 1, got ", scale));
    return masked(call, call.tensor("gradOutput"), scale == 0 ? 1 : 1 - 1 / scale);
}

// Negative numbers times a random slope, which `noise` keeps (1 for others); times the middle of the range where nothing is learnt.
Work plan_leaky(Call& call) {
    const Tensor self = call.tensor("self"), noise = call.tensor("noise"), out = first_output(call);
    const double lower = call.real("lower"), upper = call.real("upper");
    const bool training = call.flag("training");
    call.expect(asnumpy::is_float(self.dtype), "self", text("a floating dtype, got ", asnumpy::name(self.dtype)));
    call.expect(lower <= upper, "lower", text("at most upper, ", upper, ", got ", lower));
    call.expect_shape(out, self.shape());
    call.expect_dtype(out, self.dtype);
    if (training) call.expect(noise.size() >= self.size(), "noise", text("at least ", self.size(), " elements, got shape ", noise.shape()));
    Work work;
    work.compute = [=, source = Source(call)](const Run& run) {
        const Owned x = contiguous(run[self], DType::float64), slopes = make(DType::float64, noise.shape());
        std::fill_n(slopes.as<double>(), slopes.size(), 1.0);
        for (std::int64_t i = 0; i < x.size(); ++i) {
            if (x.as<double>()[i] > 0) continue;
            const double slope = training ? lower + (upper - lower) * source.unit(i, 24) : (lower + upper) / 2;
            if (training) slopes.as<double>()[i] = slope;
            x.as<double>()[i] *= slope;
        }
        copy(x, run[out]);
        if (training) copy(slopes, run[noise]);
    };
    return work;
}

const Operators random{
    {"aclnnRReluWithNoise", plan_leaky},
    {"aclnnInplaceRReluWithNoise", plan_leaky},
    {"aclnnInplaceUniform", plan_uniform},
    {"aclnnInplaceRandom", plan_integers},
    {"aclnnInplaceNormal", [](Call& call) { return normal(call, call.tensor("selfRef"), call.real("mean"), call.real("std")); }},
    {"aclnnNormalFloatFloat", [](Call& call) { return normal(call, call.tensor("out"), call.real("mean"), call.real("std")); }},
    {"aclnnNormalFloatTensor", [](Call& call) { return normal(call, call.tensor("out"), call.real("mean"), call.tensor("std")); }},
    {"aclnnNormalTensorFloat", [](Call& call) { return normal(call, call.tensor("out"), call.tensor("mean"), call.real("std")); }},
    {"aclnnNormalTensorTensor", [](Call& call) { return normal(call, call.tensor("out"), call.tensor("mean"), call.tensor("std")); }},
    {"aclnnBernoulli", plan_bernoulli},
    {"aclnnInplaceBernoulli", [](Call& call) { return bernoulli(call, call.tensor("selfRef"), call.real("prob")); }},
    {"aclnnBernoulliTensor", [](Call& call) { return bernoulli(call, call.tensor("out"), call.tensor("prob")); }},
    {"aclnnInplaceBernoulliTensor", [](Call& call) { return bernoulli(call, call.tensor("selfRef"), call.tensor("prob")); }},
    {"aclnnRandperm", plan_permutation},
    {"aclnnMultinomial", plan_multinomial},
    {"aclnnDropout", plan_dropout},
    {"aclnnDropoutGenMask", plan_mask},
    {"aclnnDropoutGenMaskV2", plan_mask},
    {"aclnnDropoutDoMask", plan_do_mask},
    {"aclnnDropoutBackward", plan_dropout_gradient},
};

}  // namespace
}  // namespace cannsim
