// Products of matrices and vectors. 16-bit floats are multiplied and summed in float32 and rounded once.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>

#include "operators/fold.hpp"
#include "operators/wrapping.hpp"

namespace cannsim {
namespace {

// c (m, n) += a (m, k) @ b (k, n), all contiguous: rows of b are added up, so that the inner loop runs along memory.
template <class T> void gemm(const T* a, const T* b, T* c, std::int64_t m, std::int64_t k, std::int64_t n) {
    constexpr std::int64_t block = 256;
    for (std::int64_t k0 = 0; k0 < k; k0 += block)
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t p = k0; p < std::min(k0 + block, k); ++p) {
                const T factor = a[i * k + p];
                for (std::int64_t j = 0; j < n; ++j) c[i * n + j] = plus(c[i * n + j], times(factor, b[p * n + j]));
            }
}

// To what the cube rounds a factor of float32: 11 bits behind the point as hf32 (to the nearest, ties to even), or float16.
float rounded_for(float x, Product product) {
    if (product == Product::half) return static_cast<float>(asnumpy::float16(x));
    constexpr std::uint32_t dropped = 12, half = (1u << (dropped - 1)) - 1;
    const auto bits = std::bit_cast<std::uint32_t>(x);
    if (!std::isfinite(x)) return x;
    return std::bit_cast<float>((bits + half + (bits >> dropped & 1)) & ~((1u << dropped) - 1));
}
void round_factors(const Owned& factors, Product product) {
    for (std::int64_t i = 0; i < factors.size(); ++i) factors.as<float>()[i] = rounded_for(factors.as<float>()[i], product);
}
// What a call rounds its factors to; `single`: nothing is rounded.
Product rounding_of(const Work& work, DType dtype) { return dtype == DType::float32 && work.engine == Engine::cube ? work.product : Product::single; }

// a (..., m, k) @ b (..., k, n) with the leading axes broadcast to `batch`, in the dtype `inner`.
Owned matrix_product(const Array& a, const Array& b, const Dims& batch, DType inner, Product rounding = Product::single) {
    const std::int64_t m = a.shape[a.ndim() - 2], k = a.shape[a.ndim() - 1], n = b.shape[b.ndim() - 1];
    const auto spread = [&](const Array& one) {
        Dims shape = batch;
        shape.push_back(one.shape[one.ndim() - 2]);
        shape.push_back(one.shape[one.ndim() - 1]);
        return contiguous(broadcast_to(one, shape), inner);
    };
    Dims shape = batch;
    shape.push_back(m);
    shape.push_back(n);
    const Owned left = spread(a), right = spread(b);
    if (rounding != Product::single) round_factors(left, rounding), round_factors(right, rounding);
    Owned result = make(inner, shape);
    std::fill_n(result.data, result.size() * static_cast<std::int64_t>(asnumpy::itemsize(inner)), std::byte{0});
    const std::int64_t count = asnumpy::count(batch);
    cannsim::dispatch(inner, [&]<class T>() {
        if constexpr (!asnumpy::is_half_v<T> && !std::is_same_v<T, bool>)
            for (std::int64_t i = 0; i < count; ++i) gemm(left.as<T>() + i * m * k, right.as<T>() + i * k * n, result.as<T>() + i * m * n, m, k, n);
    });
    return result;
}

Array inserted(Array array, int axis) {  // a new axis of length 1
    Dims shape, strides;
    for (int i = 0; i <= array.ndim(); ++i) {
        if (i == axis) shape.push_back(1), strides.push_back(0);
        if (i < array.ndim()) shape.push_back(array.shape[i]), strides.push_back(array.strides[i]);
    }
    array.shape = shape;
    array.strides = strides;
    return array;
}

Dims leading(const Dims& shape, int drop) {
    Dims result;
    for (int i = 0; i + drop < shape.size(); ++i) result.push_back(shape[i]);
    return result;
}

// The shape of matmul(a, b) with NumPy's rules for one-dimensional operands, and the batch.
struct Shapes {
    Dims batch, result;
};
Shapes product_shapes(const Call& call, const Tensor& a, const Tensor& b) {
    call.expect(a.ndim() >= 1 && b.ndim() >= 1, b.name, "at least one axis");
    const std::int64_t inner_a = a.length(a.ndim() - 1), inner_b = b.length(std::max(b.ndim() - 2, 0));
    call.expect(inner_a == inner_b, b.name, text("the length ", inner_a, " where ", a.name, " has it, got ", b.shape()));
    Shapes shapes;
    const Dims left = leading(a.shape(), 2), right = leading(b.shape(), 2);
    const int n = std::max(left.size(), right.size());
    for (int i = 0; i < n; ++i) {
        const std::int64_t x = i < n - left.size() ? 1 : left[i - (n - left.size())], y = i < n - right.size() ? 1 : right[i - (n - right.size())];
        call.expect(x == y || x == 1 || y == 1, b.name, text("leading axes that broadcast with those of ", a.name, ", got ", b.shape()));
        shapes.batch.push_back(x == 1 ? y : x);
    }
    shapes.result = shapes.batch;
    if (a.ndim() > 1) shapes.result.push_back(a.length(a.ndim() - 2));
    if (b.ndim() > 1) shapes.result.push_back(b.length(b.ndim() - 1));
    return shapes;
}

Array reshaped(const Owned& owned, const Dims& shape) {
    Array result = owned;
    result.shape = shape;
    result.strides = Dims(shape.size());
    std::int64_t stride = static_cast<std::int64_t>(asnumpy::itemsize(owned.dtype));
    for (int i = shape.size() - 1; i >= 0; --i) {
        result.strides[i] = stride;
        stride *= shape[i];
    }
    return result;
}

double flops(const Tensor& a, const Dims& result) {
    return 2.0 * static_cast<double>(asnumpy::count(result)) * static_cast<double>(a.length(a.ndim() - 1));
}

Work matmul(Call& call, std::string_view first, std::string_view second, std::string_view output) {
    const Tensor a = call.tensor(first), b = call.tensor(second), out = call.tensor(output);
    const DType common = call.promote(a.dtype, b.dtype, b.name);
    call.expect_castable(common, out);
    const Shapes shapes = product_shapes(call, a, b);
    call.expect_shape(out, shapes.result);
    Work work;
    work.multiply(call, common, flops(a, shapes.result));
    const Product rounding = rounding_of(work, common);
    work.compute = [=](const Run& run) {
        Array x = run[a], y = run[b];
        if (a.ndim() == 1) x = inserted(x, 0);
        if (b.ndim() == 1) y = inserted(y, 1);
        copy(reshaped(matrix_product(x, y, shapes.batch, widened_half(common), rounding), shapes.result), run[out]);
    };
    return work;
}

// out = beta * self + alpha * product, where self broadcasts to the product; a beta of 0 leaves self unread.
struct Blend {
    Tensor self, out;
    DType inner;
    double beta, alpha;

    Blend(Call& call, const Tensor& self, const Tensor& a, const Tensor& out, double beta, double alpha, const Dims& shape)
        : self(self), out(out), inner(widened_half(call.promote(self.dtype, a.dtype, self.name))), beta(beta), alpha(alpha) {
        call.expect_shape(out, shape);
        Dims wanted = shape;
        bool fits = self.ndim() <= shape.size();
        for (int i = 1; fits && i <= self.ndim(); ++i) {
            const std::int64_t length = self.length(self.ndim() - i);
            fits = length == 1 || length == wanted[shape.size() - i];
        }
        call.expect(fits, self.name, text("a shape that broadcasts to ", shape, ", got ", self.shape()));
        call.expect_castable(inner, out);
    }
    void operator()(const Run& run, const Owned& product) const {
        const Owned base = contiguous(broadcast_to(run[self], out.shape()), inner);
        cannsim::dispatch(inner, [&]<class T>() {
            if constexpr (!asnumpy::is_half_v<T>) {
                const T from_self = static_cast<T>(beta), from_product = static_cast<T>(alpha);
                for (std::int64_t i = 0; i < base.size(); ++i) {
                    const T made = times(from_product, product.as<T>()[i]);
                    base.as<T>()[i] = beta == 0 ? made : plus(times(from_self, base.as<T>()[i]), made);
                }
            }
        });
        copy(base, run[out]);
    }
};

double factor(const Call& call, std::string_view name) { return call.given(name) ? call.real(name) : 1; }

Work blended(Call& call, std::string_view first, std::string_view second, bool sum_batch = false) {
    const bool in_place = call.params[0].name == std::string_view("selfRef");
    const Tensor self = call.tensor_at(0), a = call.tensor(first), b = call.tensor(second), out = in_place ? self : call.tensor("out");
    const Shapes shapes = product_shapes(call, a, b);
    const Blend blend(call, self, a, out, factor(call, "beta"), factor(call, "alpha"), sum_batch ? Dims{a.length(1), b.length(2)} : shapes.result);
    Work work;
    const DType common = call.promote(a.dtype, b.dtype, b.name);
    work.multiply(call, common, flops(a, shapes.result));
    const Product rounding = rounding_of(work, common);
    work.compute = [=](const Run& run) {
        Array x = run[a], y = run[b];
        if (b.ndim() == 1) y = inserted(y, 1);
        if (sum_batch) {  // the sum over the batch is one product of longer rows
            const int order_a[] = {1, 0, 2};
            const Owned rows = contiguous(permuted(x, order_a), blend.inner), columns = contiguous(y, blend.inner);
            x = reshaped(rows, Dims{a.length(1), a.length(0) * a.length(2)});
            y = reshaped(columns, Dims{b.length(0) * b.length(1), b.length(2)});
            return blend(run, matrix_product(x, y, {}, blend.inner, rounding));
        }
        blend(run, matrix_product(x, y, shapes.batch, blend.inner, rounding));
    };
    return work;
}

Work outer(Call& call, std::string_view first, std::string_view second, bool with_self) {
    const bool in_place = with_self && call.params[0].name == std::string_view("selfRef");
    const Tensor a = call.tensor(first), b = call.tensor(second), out = in_place ? call.tensor_at(0) : call.tensor("out");
    call.expect(a.ndim() == 1, a.name, text("one axis, got ", a.shape()));
    call.expect(b.ndim() == 1, b.name, text("one axis, got ", b.shape()));
    const Dims shape{a.length(0), b.length(0)};
    call.expect_shape(out, shape);
    const DType inner = widened_half(call.promote(a.dtype, b.dtype, b.name));
    call.expect_castable(inner, out);
    const std::optional<Blend> blend =
        with_self ? std::optional(Blend(call, call.tensor_at(0), a, out, factor(call, "betaOptional"), factor(call, "alphaOptional"), shape)) : std::nullopt;
    Work work;
    work.operations = static_cast<double>(out.size());
    work.compute = [=](const Run& run) {
        const DType in = inner == DType::boolean ? DType::int64 : inner;
        const Owned made = matrix_product(inserted(run[a], 1), inserted(run[b], 0), {}, blend ? blend->inner : in);
        if (blend) (*blend)(run, made);
        else copy(made, run[out]);
    };
    return work;
}

Work plan_gemm(Call& call) {
    const Tensor a = call.tensor("A"), b = call.tensor("B"), c = call.tensor("C"), out = call.tensor("out");
    const bool flip_a = call.integer("transA") != 0, flip_b = call.integer("transB") != 0;
    const std::int64_t m = a.length(flip_a), k = a.length(!flip_a), n = b.length(!flip_b);
    call.expect(b.length(flip_b) == k, "B", text("the inner length ", k, ", got ", b.shape()));
    const Blend blend(call, c, a, out, call.real("beta"), call.real("alpha"), Dims{m, n});
    Work work;
    const DType common = call.promote(a.dtype, b.dtype, b.name);
    work.multiply(call, common, 2.0 * static_cast<double>(m * k * n));
    const Product rounding = rounding_of(work, common);
    work.compute = [=](const Run& run) {
        constexpr int order[] = {1, 0};
        const Array x = flip_a ? permuted(run[a], order) : run[a], y = flip_b ? permuted(run[b], order) : run[b];
        blend(run, matrix_product(x, y, {}, blend.inner, rounding));
    };
    return work;
}

// einsum as one walk over all indices: every operand is a view with a stride per index.
Work plan_einsum(Call& call) {
    const std::vector<Tensor> operands = call.tensors("tensors");
    const Tensor out = call.tensor("output");
    std::string equation = call.text("equation");
    std::erase(equation, ' ');
    const auto arrow = equation.find("->");
    call.expect(arrow != std::string::npos, "equation", text("an explicit output behind ->, got ", equation));
    std::vector<std::string> terms{""};
    for (const char c : equation.substr(0, arrow)) {
        if (c == ',') terms.emplace_back();
        else terms.back() += c;
    }
    terms.push_back(equation.substr(arrow + 2));
    call.expect(terms.size() == operands.size() + 1, "equation", text("one term for each of ", operands.size(), " tensors, got ", equation));
    std::map<char, std::int64_t> lengths;
    std::string indices = terms.back();
    for (std::size_t t = 0; t < operands.size(); ++t) {
        call.expect(static_cast<int>(terms[t].size()) == operands[t].ndim(), "equation", text("a letter for each axis of ", operands[t].shape(), ", got ", terms[t]));
        for (int axis = 0; axis < operands[t].ndim(); ++axis) {
            const char letter = terms[t][static_cast<std::size_t>(axis)];
            const auto [known, fresh] = lengths.emplace(letter, operands[t].length(axis));
            call.expect(fresh || known->second == operands[t].length(axis), "equation", text("equal lengths for every '", std::string_view(&letter, 1), "'"));
            if (fresh && indices.find(letter) == std::string::npos) indices += letter;
        }
    }
    Dims shape, all;
    for (const char letter : terms.back()) {
        call.expect(lengths.contains(letter), "equation", text("output letters that an input has, got ", equation));
        shape.push_back(lengths[letter]);
    }
    for (const char letter : indices) all.push_back(lengths[letter]);
    call.expect_shape(out, shape);
    const DType inner = operands[0].dtype == DType::boolean ? DType::int64 : widened_half(operands[0].dtype);
    call.expect_castable(inner, out);
    Work work;
    work.multiply(call, operands[0].dtype, static_cast<double>(operands.size()) * static_cast<double>(asnumpy::count(all)));
    work.compute = [=](const Run& run) {
        std::vector<Owned> values;
        std::vector<Dims> steps;  // per operand, then of the output: elements per step of each index
        Owned result = make(inner, shape);
        for (std::size_t t = 0; t <= operands.size(); ++t) {
            if (t < operands.size()) values.push_back(contiguous(run[operands[t]], inner));
            const Array& array = t < operands.size() ? static_cast<const Array&>(values[t]) : result;
            Dims step(static_cast<int>(indices.size()), 0);
            std::int64_t stride = 1;
            for (int axis = array.ndim() - 1; axis >= 0; --axis) {
                step[static_cast<int>(indices.find(terms[t][static_cast<std::size_t>(axis)]))] += stride;
                stride *= array.shape[axis];
            }
            steps.push_back(step);
        }
        cannsim::dispatch(inner, [&]<class T>() {
            if constexpr (!asnumpy::is_half_v<T>) {
                std::fill_n(result.as<T>(), result.size(), T{});
                std::vector<std::int64_t> place(steps.size(), 0);
                Dims index(all.size(), 0);
                const std::int64_t total = asnumpy::count(all);
                for (std::int64_t i = 0; i < total; ++i) {
                    T product{1};
                    for (std::size_t t = 0; t < values.size(); ++t) product = times(product, values[t].as<T>()[place[t]]);
                    T& sum = result.as<T>()[place.back()];
                    sum = plus(sum, product);
                    for (int axis = all.size() - 1; axis >= 0; --axis) {
                        const bool rolls = ++index[axis] == all[axis];
                        for (std::size_t t = 0; t < steps.size(); ++t) place[t] += rolls ? steps[t][axis] * (1 - all[axis]) : steps[t][axis];
                        if (!rolls) break;
                        index[axis] = 0;
                    }
                }
            }
        });
        copy(result, run[out]);
    };
    return work;
}

const Operators products{
    {"aclnnMatmul", [](Call& call) { return matmul(call, "self", "mat2", "out"); }},
    {"aclnnMm", [](Call& call) { return matmul(call, "self", "mat2", "out"); }},
    {"aclnnBatchMatMul", [](Call& call) { return matmul(call, "self", "mat2", "out"); }},
    {"aclnnMv", [](Call& call) { return matmul(call, "self", "vec", "out"); }},
    {"aclnnDot", [](Call& call) { return matmul(call, "self", "tensor", "out"); }},
    {"aclnnAddmm", [](Call& call) { return blended(call, "mat1", "mat2"); }},
    {"aclnnInplaceAddmm", [](Call& call) { return blended(call, "mat1", "mat2"); }},
    {"aclnnAddmv", [](Call& call) { return blended(call, "mat", "vec"); }},
    {"aclnnBaddbmm", [](Call& call) { return blended(call, "batch1", "batch2"); }},
    {"aclnnInplaceBaddbmm", [](Call& call) { return blended(call, "batch1", "batch2"); }},
    {"aclnnAddbmm", [](Call& call) { return blended(call, "batch1", "batch2", true); }},
    {"aclnnInplaceAddbmm", [](Call& call) { return blended(call, "batch1", "batch2", true); }},
    {"aclnnGer", [](Call& call) { return outer(call, "self", "vec2", false); }},
    {"aclnnAddr", [](Call& call) { return outer(call, "vec1", "vec2", true); }},
    {"aclnnInplaceAddr", [](Call& call) { return outer(call, "vec1", "vec2", true); }},
    {"aclnnGemm", plan_gemm},
    {"aclnnEinsum", plan_einsum},
};

}  // namespace
}  // namespace cannsim
