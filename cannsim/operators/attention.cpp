// Attention: the softmax of products of queries and keys, times the values, and its gradients.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "aclnn/parallel.hpp"
#include "operators/formula.hpp"

namespace cannsim {
namespace {

constexpr std::int64_t statistics_width = 8;  // each row's maximum and sum fill a block of 32 bytes
constexpr std::int64_t compressed_side = 2048;

// The tensor seen as (batch, heads, positions, width), whatever its layout.
Array heads_of(const Array& array, const std::string& layout, std::int64_t heads) {
    if (layout == "BNSD") return array;
    if (layout == "BSND") return permuted(array, std::array{0, 2, 1, 3});
    Array split = array;
    const std::int64_t width = array.shape[2] / heads, step = array.strides[2];
    split.shape = {array.shape[0], array.shape[1], heads, width};
    split.strides = {array.strides[0], array.strides[1], step * width, step};
    return permuted(split, layout == "BSH" ? std::array{0, 2, 1, 3} : std::array{1, 2, 0, 3});
}

enum Sparse : std::int64_t { no_pattern, whole_mask, causal, causal_at_end, band, prefix, compressed_prefix };

// Which keys a query does not see: those that the mask hides (true: hidden), and those outside of a pattern.
struct Masking {
    std::int64_t mode, before, after, queries, keys;
    std::optional<Tensor> mask;
    std::vector<std::int64_t> prefixes;

    bool compressed() const { return mode == causal || mode == causal_at_end || mode == band || mode == compressed_prefix; }

    Masking(const Call& call, const Dims& scores) : mode(call.integer("sparseMode")), before(call.integer("preTokens")), after(call.integer("nextTokens")),
                                                     queries(scores[2]), keys(scores[3]), mask(call.optional("attenMaskOptional")) {
        call.expect(mode >= no_pattern && mode <= compressed_prefix, "sparseMode", text("from 0 to 6, got ", mode));
        if (mask && mask->size() == 0) mask.reset();
        call.expect(mask || mode == no_pattern, "attenMaskOptional", text("a mask for sparseMode ", mode, ", got none"));
        if (mode == prefix || mode == compressed_prefix) {
            const auto given = call.ints("prefixOptional");
            call.expect(static_cast<std::int64_t>(given.size()) == scores[0], "prefixOptional", text("a number for each of ", scores[0], " batches, got ", given.size()));
            prefixes.assign(given.begin(), given.end());
        }
        if (!mask) return;
        call.expect(mask->dtype == DType::boolean || mask->dtype == DType::uint8, mask->name, text("bool or uint8, got ", asnumpy::name(mask->dtype)));
        if (compressed()) {
            const Dims expected{mode == compressed_prefix ? compressed_side * 3 / 2 : compressed_side, compressed_side};
            call.expect(mask->shape() == expected, mask->name, text("shape ", expected, " for sparseMode ", mode, ", got ", mask->shape()));
            return;
        }
        const int n = mask->ndim();
        call.expect(n == 2 || n == 4, mask->name, text("2 or 4 axes, got shape ", mask->shape()));
        for (int axis = 0; axis < n; ++axis) {
            const std::int64_t whole = scores[axis + 4 - n];
            call.expect(mask->length(axis) == whole || (axis < n - 2 && mask->length(axis) == 1), mask->name, text("a shape that broadcasts to ", scores, ", got ", mask->shape()));
        }
    }

    // One byte per score of a query: 0 where the key is seen.
    void hide(std::vector<std::uint8_t>& row, const Array& given, std::int64_t b, std::int64_t n, std::int64_t i) const {
        if (given.data && !compressed()) {
            const std::byte* at = given.data + i * given.strides[given.ndim() - 2];
            if (given.ndim() == 4) at += b * given.strides[0] + n * given.strides[1];
            for (std::int64_t j = 0; j < keys; ++j) row[static_cast<std::size_t>(j)] = at[j * given.strides[given.ndim() - 1]] != std::byte{};
        } else {
            std::ranges::fill(row, std::uint8_t{0});
        }
        if (mode == whole_mask || (mode == no_pattern && !given.data)) return;
        const std::int64_t at = mode == no_pattern || mode == causal ? i : i + keys - queries;
        for (std::int64_t j = 0; j < keys; ++j) {
            bool hidden = false;
            if (mode == no_pattern) hidden = j < at - before || j > at + after;
            else if (mode == band) hidden = j < at - before || later(given, j - at - after);
            else if (mode == prefix) hidden = false;  // its mask has the pattern
            else if (mode == compressed_prefix) hidden = j > at && j >= prefixes[static_cast<std::size_t>(b)];
            else hidden = later(given, j - at);
            if (hidden) row[static_cast<std::size_t>(j)] = 1;
        }
    }

private:
    // What the compressed mask, above whose diagonal all is hidden, says of a key so many places behind the query's own.
    static bool later(const Array& given, std::int64_t distance) {
        const std::int64_t column = std::clamp<std::int64_t>(distance, 0, compressed_side - 1), row = std::clamp<std::int64_t>(-distance, 0, compressed_side - 1);
        return given.data[row * given.strides[0] + column * given.strides[1]] != std::byte{};
    }
};

// What the operator and its gradient have in common.
struct Attention {
    Tensor query, key, value;
    std::string layout;
    std::int64_t heads = 0, key_heads = 0, type = 1;
    double scale = 1, keep = 1;
    Dims scores;  // (batch, heads, queries, keys)
    std::int64_t width = 0, value_width = 0;
    std::optional<Tensor> shift, drop;
    std::optional<Masking> masking;

    Attention(const Call& call, std::string_view key_name, std::string_view shift_name)
        : query(call.tensor("query")), key(call.tensor(key_name)), value(call.tensor("value")), layout(call.text("inputLayout")), heads(call.integer("headNum")),
          scale(call.real("scaleValue")), keep(call.real("keepProb")), shift(call.optional(shift_name)), drop(call.optional("dropMaskOptional")) {
        call.expect(layout == "BNSD" || layout == "BSND" || layout == "BSH" || layout == "SBH", "inputLayout", text("BNSD, BSND, BSH or SBH, got ", layout));
        call.expect(heads > 0, "headNum", text("at least 1, got ", heads));
        call.expect(keep > 0 && keep <= 1, "keepProb", text("above 0 and at most 1, got ", keep));
        for (const Tensor* const tensor : {&query, &key, &value}) {
            call.expect(is_plain_float(tensor->dtype), tensor->name, text("float16, bfloat16 or float32, got ", asnumpy::name(tensor->dtype)));
            call.expect_dtype(*tensor, query.dtype);
            const int axes = layout.back() == 'H' ? 3 : 4;
            call.expect(tensor->ndim() == axes, tensor->name, text(axes, " axes for ", layout, ", got shape ", tensor->shape()));
        }
        if (layout.back() == 'H') {
            call.expect(query.length(2) % heads == 0, "query", text("a last axis that ", heads, " heads share, got shape ", query.shape()));
            width = query.length(2) / heads;
            call.expect(width > 0 && key.length(2) % width == 0, key.name, text("heads of ", width, " numbers, got shape ", key.shape()));
            key_heads = width ? key.length(2) / width : 0;
            call.expect(key_heads > 0 && value.length(2) % key_heads == 0, "value", text("a last axis that ", key_heads, " heads share, got shape ", value.shape()));
        } else {
            key_heads = key.length(layout == "BNSD" ? 1 : 2);
        }
        const Dims q = seen(query, heads), k = seen(key, key_heads), v = seen(value, key_heads);
        width = q[3];
        value_width = v[3];
        call.expect(q[1] == heads, "headNum", text("the number of heads of query, ", q[1], ", got ", heads));
        call.expect(key_heads > 0 && heads % key_heads == 0, key.name, text("a number of heads that divides ", heads, ", got ", key_heads));
        call.expect(k[0] == q[0] && k[3] == width, key.name, text("batches and width of query, ", query.shape(), ", got ", key.shape()));
        call.expect(v[0] == q[0] && v[1] == key_heads && v[2] == k[2], "value", text("batches, heads and positions of ", key.name, ", ", key.shape(), ", got ", value.shape()));
        scores = {q[0], heads, q[2], k[2]};
        masking.emplace(call, scores);
        for (const Parameter& param : call.params)
            if (std::string_view(param.name) == "pseType") type = call.integer("pseType");
        call.expect(type == 0 || type == 1, "pseType", text("0 or 1, got ", type));
        if (shift && shift->size() == 0) shift.reset();
        if (shift) {
            call.expect_dtype(*shift, query.dtype);
            call.expect(shift->ndim() == 4, shift->name, text("4 axes, got shape ", shift->shape()));
            for (int axis = 0; axis < 4; ++axis)
                call.expect(shift->length(axis) == scores[axis] || (shift->length(axis) == 1 && (axis == 0 || axis == 2)), shift->name, text("a shape that broadcasts to ", scores, ", got ", shift->shape()));
        }
        if (drop && (drop->size() == 0 || keep == 1)) drop.reset();
        if (drop) {
            call.expect(drop->dtype == DType::uint8 || drop->dtype == DType::boolean, drop->name, text("uint8, got ", asnumpy::name(drop->dtype)));
            call.expect(drop->size() * 8 >= asnumpy::count(scores), drop->name, text("a bit for each of ", asnumpy::count(scores), " scores, got shape ", drop->shape()));
        } else {
            call.expect(keep == 1, "dropMaskOptional", text("a mask for keepProb ", keep, ", got none"));
        }
        for (const Tensor* const tensor : {&query, &key}) call.expect(tensor->size() > 0, tensor->name, text("at least one element, got shape ", tensor->shape()));
    }

    Dims seen(const Tensor& tensor, std::int64_t heads_of_it) const { return heads_of({nullptr, tensor.dtype, tensor.shape(), tensor.view.strides}, layout, heads_of_it).shape; }
    Dims statistics() const { return {scores[0], heads, scores[2], statistics_width}; }
    double operations() const { return 2.0 * static_cast<double>(asnumpy::count(scores)) * static_cast<double>(width + value_width); }
};

// The inputs of a run, in float32 and C order as (batch, heads, positions, width).
struct Inputs {
    const Attention& a;
    Owned q, k, v, shift, drop;
    Array mask;

    Inputs(const Attention& attention, const Run& run) : a(attention), q(part(run, a.query, a.heads)), k(part(run, a.key, a.key_heads)), v(part(run, a.value, a.key_heads)) {
        if (a.shift) shift = contiguous(broadcast_to(run[*a.shift], a.scores), DType::float32);
        if (a.drop) drop = contiguous(run[*a.drop]);
        if (a.masking->mask) mask = run[*a.masking->mask];
        for (int axis = 0; axis < mask.ndim() - 2; ++axis)
            if (mask.shape[axis] == 1) mask.strides[axis] = 0;
    }
    Owned part(const Run& run, const Tensor& tensor, std::int64_t heads) const { return contiguous(heads_of(run[tensor], a.layout, heads), DType::float32); }

    std::int64_t row(std::int64_t b, std::int64_t n, std::int64_t i) const { return (b * a.heads + n) * a.scores[2] + i; }
    const float* queries(std::int64_t b, std::int64_t n, std::int64_t i) const { return q.as<float>() + row(b, n, i) * a.width; }
    std::int64_t key_row(std::int64_t b, std::int64_t n, std::int64_t j) const { return (b * a.key_heads + n / (a.heads / a.key_heads)) * a.scores[3] + j; }

    // The scores of a query; -infinity where a key is hidden.
    void score(std::vector<double>& to, std::vector<std::uint8_t>& hidden, std::int64_t b, std::int64_t n, std::int64_t i) const {
        a.masking->hide(hidden, mask, b, n, i);
        const float* const one = queries(b, n, i);
        for (std::int64_t j = 0; j < a.scores[3]; ++j) {
            double sum = 0;
            const float* const other = k.as<float>() + key_row(b, n, j) * a.width;
            for (std::int64_t d = 0; d < a.width; ++d) sum += static_cast<double>(one[d]) * static_cast<double>(other[d]);
            const double more = a.shift ? static_cast<double>(shift.as<float>()[row(b, n, i) * a.scores[3] + j]) : 0;
            to[static_cast<std::size_t>(j)] = hidden[static_cast<std::size_t>(j)] ? -HUGE_VAL : a.type == 0 ? sum * a.scale + more : (sum + more) * a.scale;
        }
    }
    // What dropping makes of a probability: a bit of the mask for each, the lowest first.
    double kept(std::int64_t b, std::int64_t n, std::int64_t i, std::int64_t j) const {
        if (!a.drop) return 1;
        const std::int64_t place = row(b, n, i) * a.scores[3] + j;
        return drop.as<std::uint8_t>()[place / 8] >> (place % 8) & 1 ? 1 / a.keep : 0;
    }
};

// f(batch, head) for all, on a few threads.
template <class F> void each_head(const Dims& scores, std::int64_t heads, F f) {
    parallel(scores[0] * heads, 1, std::max<std::int64_t>(2, (std::int64_t{1} << 14) / std::max<std::int64_t>(scores[2] * scores[3], 1)), [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t k = first; k < last; ++k) f(k / heads, k % heads);
    });
}

Work plan_attention(Call& call) {
    const auto a = std::make_shared<const Attention>(call, "key", "realShiftOptional");
    const Tensor maxima = call.tensor("softmaxMaxOut"), sums = call.tensor("softmaxSumOut"), out = call.tensor("attentionOutOut");
    for (const Tensor* const tensor : {&maxima, &sums}) {
        call.expect_shape(*tensor, a->statistics());
        call.expect_dtype(*tensor, DType::float32);
    }
    call.expect_dtype(out, a->query.dtype);
    Dims shape = a->query.shape();
    shape.back() = a->layout.back() == 'H' ? a->heads * a->value_width : a->value_width;
    call.expect_shape(out, shape);
    Work work;
    work.multiply(call, a->query.dtype, a->operations());
    work.compute = [=](const Run& run) {
        const Inputs in(*a, run);
        const Owned result = make(DType::float32, {a->scores[0], a->heads, a->scores[2], a->value_width});
        const Owned highest = make(DType::float32, a->statistics()), total = make(DType::float32, a->statistics());
        each_head(a->scores, a->heads, [&](std::int64_t b, std::int64_t n) {
            const auto keys = static_cast<std::size_t>(a->scores[3]);
            std::vector<double> scores(keys), sum_of(static_cast<std::size_t>(a->value_width));
            std::vector<std::uint8_t> hidden(keys);
            for (std::int64_t i = 0; i < a->scores[2]; ++i) {
                in.score(scores, hidden, b, n, i);
                const double most = std::max(*std::ranges::max_element(scores), -static_cast<double>(std::numeric_limits<float>::max()));
                double sum = 0;
                std::ranges::fill(sum_of, 0.0);
                for (std::int64_t j = 0; j < a->scores[3]; ++j) {
                    const double p = std::exp(scores[static_cast<std::size_t>(j)] - most);
                    sum += p;
                    const double factor = p * in.kept(b, n, i, j);
                    if (factor == 0) continue;
                    const float* const from = in.v.as<float>() + in.key_row(b, n, j) * a->value_width;
                    for (std::size_t d = 0; d < sum_of.size(); ++d) sum_of[d] += factor * static_cast<double>(from[d]);
                }
                const std::int64_t row = in.row(b, n, i);
                for (std::size_t d = 0; d < sum_of.size(); ++d)  // a query that sees no key gets zeros
                    result.as<float>()[row * a->value_width + static_cast<std::int64_t>(d)] = static_cast<float>(sum == 0 ? 0 : sum_of[d] / sum);
                std::fill_n(highest.as<float>() + row * statistics_width, statistics_width, static_cast<float>(most));
                std::fill_n(total.as<float>() + row * statistics_width, statistics_width, static_cast<float>(sum));
            }
        });
        copy(result, heads_of(run[out], a->layout, a->heads));
        copy(highest, run[maxima]);
        copy(total, run[sums]);
    };
    return work;
}

// With p the probabilities, recomputed from the scores' maxima and sums, and dp the gradient of each: ds = p (dp - sum of p dp),
// where that sum is the one of output times gradient.
Work plan_attention_gradient(Call& call) {
    const auto a = std::make_shared<const Attention>(call, "keyIn", "pseShiftOptional");
    const Tensor grad = call.tensor("dy"), maxima = call.tensor("softmaxMaxOptional"), sums = call.tensor("softmaxSumOptional"), output = call.tensor("attentionInOptional");
    const Tensor dq = call.tensor("dqOut"), dk = call.tensor("dkOut"), dv = call.tensor("dvOut");
    const std::optional<Tensor> dshift = a->shift ? call.optional("dpseOut") : std::nullopt;
    for (const Tensor* const tensor : {&maxima, &sums}) {
        call.expect_shape(*tensor, a->statistics());
        call.expect_dtype(*tensor, DType::float32);
    }
    call.expect_shape(grad, output.shape());
    for (const auto& [tensor, like] : {std::pair{&dq, &a->query}, {&dk, &a->key}, {&dv, &a->value}}) {
        call.expect_shape(*tensor, like->shape());
        call.expect_dtype(*tensor, like->dtype);
    }
    for (const Tensor* const tensor : {&grad, &output}) {
        call.expect_dtype(*tensor, a->query.dtype);
        const Dims expected{a->scores[0], a->heads, a->scores[2], a->value_width};
        call.expect(tensor->ndim() == a->query.ndim() && a->seen(*tensor, a->heads) == expected, tensor->name, text("the shape of the output of attention, got ", tensor->shape()));
    }
    if (dshift && dshift->size()) call.expect_shape(*dshift, a->shift->shape());
    Work work;
    work.multiply(call, a->query.dtype, a->operations() * 2.5);
    work.compute = [=](const Run& run) {
        const Inputs in(*a, run);
        const Owned dy = in.part(run, grad, a->heads), y = in.part(run, output, a->heads);
        const Owned highest = contiguous(run[maxima]), total = contiguous(run[sums]);
        const auto zeros = [](const Owned& like) {
            Owned made = make(DType::float64, like.shape);
            std::fill_n(made.as<double>(), made.size(), 0.0);
            return made;
        };
        const Owned of_q = zeros(in.q), of_k = zeros(in.k), of_v = zeros(in.v);
        Owned of_shift;
        if (dshift && dshift->size()) {
            of_shift = make(DType::float64, dshift->shape());
            std::fill_n(of_shift.as<double>(), of_shift.size(), 0.0);
        }
        const std::int64_t w = a->width, vw = a->value_width, group = a->heads / a->key_heads;
        const Array shift_places = of_shift.data ? broadcast_to(of_shift, a->scores) : Array();
        const auto head = [&](std::int64_t b, std::int64_t n) {
            const auto keys = static_cast<std::size_t>(a->scores[3]);
            std::vector<double> scores(keys);
            std::vector<std::uint8_t> hidden(keys);
            for (std::int64_t i = 0; i < a->scores[2]; ++i) {
                in.score(scores, hidden, b, n, i);
                const std::int64_t row = in.row(b, n, i);
                const double most = static_cast<double>(highest.as<float>()[row * statistics_width]), sum = static_cast<double>(total.as<float>()[row * statistics_width]);
                if (sum == 0) continue;
                const float* const slope = dy.as<float>() + row * vw;
                double delta = 0;
                for (std::int64_t d = 0; d < vw; ++d) delta += static_cast<double>(slope[d]) * static_cast<double>(y.as<float>()[row * vw + d]);
                for (std::int64_t j = 0; j < a->scores[3]; ++j) {
                    const double p = std::exp(scores[static_cast<std::size_t>(j)] - most) / sum, kept = in.kept(b, n, i, j);
                    if (p == 0) continue;
                    const std::int64_t other = in.key_row(b, n, j);
                    double dp = 0;
                    for (std::int64_t d = 0; d < vw; ++d) {
                        dp += static_cast<double>(slope[d]) * static_cast<double>(in.v.as<float>()[other * vw + d]);
                        of_v.as<double>()[other * vw + d] += p * kept * static_cast<double>(slope[d]);
                    }
                    const double ds = p * (dp * kept - delta);
                    for (std::int64_t d = 0; d < w; ++d) {
                        of_q.as<double>()[row * w + d] += a->scale * ds * static_cast<double>(in.k.as<float>()[other * w + d]);
                        of_k.as<double>()[other * w + d] += a->scale * ds * static_cast<double>(in.q.as<float>()[row * w + d]);
                    }
                    if (shift_places.data) {
                        const Dims& s = shift_places.strides;
                        *reinterpret_cast<double*>(shift_places.data + b * s[0] + n * s[1] + i * s[2] + j * s[3]) += ds * (a->type == 0 ? 1 : a->scale);
                    }
                }
            }
        };
        if (shift_places.data) {  // all batches may add to the same numbers
            for (std::int64_t k = 0; k < a->scores[0] * a->heads; ++k) head(k / a->heads, k % a->heads);
        } else {
            each_head(a->scores, a->key_heads, [&](std::int64_t b, std::int64_t n) {  // the heads that share keys, one after the other
                for (std::int64_t one = n * group; one < (n + 1) * group; ++one) head(b, one);
            });
        }
        copy(of_q, heads_of(run[dq], a->layout, a->heads));
        copy(of_k, heads_of(run[dk], a->layout, a->key_heads));
        copy(of_v, heads_of(run[dv], a->layout, a->key_heads));
        if (of_shift.data) copy(of_shift, run[*dshift]);
    };
    return work;
}

const Operators attention{
    {"aclnnFlashAttentionScore", plan_attention, {"softmaxOutOut"}},
    {"aclnnFlashAttentionScoreV2", plan_attention, {"softmaxOutOut"}},
    {"aclnnFlashAttentionScoreGrad", plan_attention_gradient, {"dpseOut"}},
    {"aclnnFlashAttentionScoreGradV2", plan_attention_gradient, {"dpseOut"}},
};

}  // namespace
}  // namespace cannsim
