// Products of matrices: floats by the matrix unit, complex64 by four products of its parts, integers exactly by products of
// their bytes as float32, which holds every whole number below 2 ** 24.
#include "ascend/lower/product.hpp"

#include <algorithm>

#include "ascend/launch/refused.hpp"
#include "ascend/library/operators.hpp"
#include "ascend/library/options.hpp"
#include "ascend/lower/call.hpp"
#include "ascend/lower/term.hpp"
#include "base/error.hpp"

namespace asnumpy::ascend {
namespace {

constexpr int most_matmul_axes = 6;   // of aclnnMatmul's operands
constexpr std::int64_t exact_terms = 256;  // so many products of two bytes have a sum below 2 ** 24

std::string_view call_text() { return calls_of("matmul").elementwise; }

// Axes over which an operand is broadcast have length 1 again: the operator broadcasts itself.
Tensor squeezed(Tensor t) {
    for (int axis = 0; axis + 2 < t.shape.size(); ++axis)
        if (t.strides[axis] == 0) t.shape[axis] = 1;
    return t;
}

Tensor contiguous_copy(Emitter& emitter, const Tensor& t, DType dtype) {
    const Tensor result = emitter.temporary(t.shape, dtype);
    copy_to(emitter, t, result);
    return result;
}

// Whether CANN has the operator, and has not refused it for four tensors of the dtype.
bool offered_for(std::string_view op, DType d) {
    return has_operator(op) && !(any_demoted() && is_demoted(DemotionKey(op).add(d).add(d).add(d).add(d).text()));
}

// A C-contiguous tensor with all its batch axes as one.
Tensor with_one_batch(Tensor t) {
    const int n = t.shape.size();
    std::int64_t batch = 1;
    for (int axis = 0; axis + 2 < n; ++axis) batch *= t.shape[axis];
    const std::int64_t rows = t.shape[n - 2], columns = t.shape[n - 1], item = static_cast<std::int64_t>(itemsize(t.dtype));
    t.shape = Dims{batch, rows, columns};
    t.strides = Dims{rows * columns * item, columns * item, item};
    return t;
}

// --- sums of many products to few results: in blocks of terms side by side, whose sums are added ---

bool has_few_results(const Tensor& out, std::int64_t block) {
    const std::int64_t rows = out.shape[out.shape.size() - 2], columns = out.shape.back();
    return rows * columns <= block * (rows + columns);
}
// A view of whole blocks of `size` terms from the first on, which lie along `axis`: the blocks are the last axis but two.
Tensor in_blocks(const Tensor& t, int axis, std::int64_t size) {
    const int n = t.shape.size();
    Tensor view = t;
    view.shape = view.strides = Dims(n + 1);
    for (int i = 0; i < n; ++i) {
        const int to = i + 2 < n ? i : i + 1;
        view.shape[to] = i == axis ? size : t.shape[i];
        view.strides[to] = t.strides[i];
    }
    view.shape[n - 2] = t.shape[axis] / size;
    view.strides[n - 2] = t.strides[axis] * size;
    return view;
}
// The sum over the last axis but two, without it.
void add_blocks(Emitter& emitter, const Tensor& blocks, const Tensor& out) {
    const int axis = blocks.shape.size() - 3;
    Tensor kept = out;
    kept.shape = blocks.shape;
    kept.shape[axis] = 1;
    kept.strides = Dims(blocks.shape.size());
    for (int i = 0; i < blocks.shape.size(); ++i) kept.strides[i] = i == axis ? 0 : out.strides[i < axis ? i : i - 1];
    const RowId add = find_row("add");
    const Folding* const sum = reduction(add, loop_for(add, blocks.dtype));
    if (!sum) throw NoWay("sums of " + std::string(name(blocks.dtype)) + " do not run on the device");
    sum->run(emitter, blocks, std::uint64_t{1} << axis, kept);
}

void multiply(Emitter&, const Tensor& a, const Tensor& b, const Tensor& out, bool accumulate, MatmulPrecision);
// The matrix unit adds one product after the other; of a long row of them the last ones would be lost in the sum.
constexpr std::int64_t long_sum = 1 << 16, sum_block = 1 << 13;
void multiply_long(Emitter& emitter, const Tensor& a, const Tensor& b, const Tensor& out, MatmulPrecision precision) {
    const int n = out.shape.size();
    const std::int64_t terms = a.shape.back(), whole = terms / sum_block * sum_block;
    const Tensor x = in_blocks(sliced(a, n - 1, 0, whole), n - 1, sum_block), y = in_blocks(sliced(b, n - 2, 0, whole), n - 2, sum_block);
    Dims shape = x.shape;
    shape.back() = out.shape.back();
    for (int i = 0; i + 2 < n; ++i) shape[i] = out.shape[i];
    const Tensor sums = emitter.temporary(shape, out.dtype);
    multiply(emitter, x, y, sums, false, precision);
    if (whole == terms) return add_blocks(emitter, sums, out);
    const Tensor first = emitter.temporary(out.shape, out.dtype), rest = emitter.temporary(out.shape, out.dtype);
    add_blocks(emitter, sums, first);
    multiply(emitter, sliced(a, n - 1, whole, terms - whole), sliced(b, n - 2, whole, terms - whole), rest, false, precision);
    apply_to(emitter, "add", {first, rest}, out);
}

// out = a @ b, or out += a @ b, of floats.
void multiply(Emitter& emitter, const Tensor& a, const Tensor& b, const Tensor& out, bool accumulate, MatmulPrecision precision) {
    const int n = out.shape.size();
    if (!accumulate && a.shape.back() > long_sum && has_few_results(out, sum_block)) return multiply_long(emitter, a, b, out, precision);
    if (n > most_matmul_axes) {
        const Tensor x = with_one_batch(contiguous_copy(emitter, a, a.dtype)), y = with_one_batch(contiguous_copy(emitter, b, b.dtype));
        const Tensor result = emitter.temporary(out.shape, out.dtype);
        if (accumulate) copy_to(emitter, out, result);
        multiply(emitter, x, y, with_one_batch(result), accumulate, precision);
        return copy_to(emitter, result, out);
    }
    const Tensor x = squeezed(a), y = squeezed(b);
    const auto math = static_cast<std::int64_t>(precision);
    const Scalar one = Scalar::of(1.0f);
    if (!accumulate) return call(emitter, call_text(), {.x = &x, .y = &y, .out = &out, .option = math});
    if (n == 2 && offered_for("aclnnAddmm", out.dtype)) return emitter.call("aclnnAddmm", {out, x, y, one, one, out, math});
    if (n == 3 && x.shape[0] == y.shape[0] && offered_for("aclnnBaddbmm", out.dtype)) return emitter.call("aclnnBaddbmm", {out, x, y, one, one, out, math});
    const Tensor product = emitter.temporary(out.shape, out.dtype);
    call(emitter, call_text(), {.x = &x, .y = &y, .out = &product, .option = math});
    apply_to(emitter, "add", {out, product}, out);
}

// Whether all axes before the last one can be walked as one: they are so already, or all have stride 0.
bool joins_before_last(const Tensor& t) {
    const int n = t.shape.size();
    bool still = true, even = true;
    for (int axis = 0; axis + 1 < n; ++axis) {
        still = still && (t.strides[axis] == 0 || t.shape[axis] == 1);
        even = even && (axis + 2 >= n || t.strides[axis] == t.strides[axis + 1] * t.shape[axis + 1]);
    }
    return still || even;
}
Tensor as_matrix(Tensor t) {
    const int n = t.shape.size();
    std::int64_t rows = 1, stride = 0;
    for (int axis = 0; axis + 1 < n; ++axis) {
        rows *= t.shape[axis];
        if (t.shape[axis] > 1) stride = t.strides[axis];
    }
    t.shape = Dims{rows, t.shape[n - 1]};
    t.strides = Dims{stride, t.strides[n - 1]};
    return t;
}
// out = alpha * (a @ b) + beta * c, which may be out.
void multiply_and_add(Emitter& emitter, Tensor a, Tensor b, Tensor c, Tensor out, float alpha, float beta) {
    const int n = out.shape.size();
    bool one_matrix = n > 2 && joins_before_last(a) && joins_before_last(c) && joins_before_last(out);
    for (int axis = 0; axis + 2 < n; ++axis) one_matrix = one_matrix && (b.strides[axis] == 0 || b.shape[axis] == 1);
    if (one_matrix) {  // the same matrix for the whole batch
        b.shape = Dims{b.shape[n - 2], b.shape[n - 1]};
        b.strides = Dims{b.strides[n - 2], b.strides[n - 1]};
        return multiply_and_add(emitter, as_matrix(a), b, as_matrix(c), as_matrix(out), alpha, beta);
    }
    for (int axis = 0; axis < n; ++axis)
        if (c.strides[axis] == 0) c.shape[axis] = 1;  // the operator broadcasts itself
    const MatmulPrecision precision = matmul_precision();
    const auto math = static_cast<std::int64_t>(precision);
    const Tensor x = squeezed(a), y = squeezed(b);
    const Scalar first = Scalar::of(alpha), second = Scalar::of(beta);
    if (n == 2 && offered_for("aclnnAddmm", out.dtype)) return emitter.call("aclnnAddmm", {c, x, y, second, first, out, math});
    if (n == 3 && x.shape[0] == out.shape[0] && y.shape[0] == out.shape[0] && offered_for("aclnnBaddbmm", out.dtype)) return emitter.call("aclnnBaddbmm", {c, x, y, second, first, out, math});
    const Tensor product = emitter.temporary(out.shape, out.dtype);
    multiply(emitter, a, b, product, false, precision);
    if (beta == -1 && alpha == 1) return emitter.call("aclnnSub", {product, c, first, out});
    if (beta != 1) {
        const Tensor scaled = emitter.temporary(c.shape, c.dtype);
        emitter.call("aclnnMuls", {c, second, scaled});
        c = scaled;
    }
    emitter.call("aclnnAdd", {c, product, first, out});
}

Tensor part(Emitter& emitter, const Tensor& t, int which) {
    Tensor view = t;
    view.dtype = DType::float32;
    view.data += which * static_cast<int>(sizeof(float));
    return contiguous_copy(emitter, view, DType::float32);
}
void multiply_complex(Emitter& emitter, const Tensor& a, const Tensor& b, const Tensor& out, bool accumulate) {
    const Tensor a_re = part(emitter, a, 0), a_im = part(emitter, a, 1), b_re = part(emitter, b, 0), b_im = part(emitter, b, 1);
    const Tensor first = emitter.temporary(out.shape, DType::float32), second = emitter.temporary(out.shape, DType::float32);
    const Tensor both = accumulate ? emitter.temporary(out.shape, out.dtype) : out;
    Tensor re = both, im = both;
    re.dtype = im.dtype = DType::float32;
    im.data += sizeof(float);
    const MatmulPrecision precision = matmul_precision();
    multiply(emitter, a_re, b_re, first, false, precision);
    multiply(emitter, a_im, b_im, second, false, precision);
    apply_to(emitter, "subtract", {first, second}, re);
    multiply(emitter, a_re, b_im, first, false, precision);
    multiply(emitter, a_im, b_re, second, false, precision);
    apply_to(emitter, "add", {first, second}, im);
    if (accumulate) apply_to(emitter, "add", {out, both}, out);
}

// Byte `k` of each element, as float32; the only byte of a signed one keeps its sign.
Tensor byte_of(Emitter& emitter, const Tensor& t, std::size_t k) {
    if (itemsize(t.dtype) == 1) return cast_to(emitter, t, DType::float32);
    const DType d = signed_of(t.dtype);
    const auto constant = [&](std::int64_t value) { return emitter.constant(cast_number(Scalar::of(value), d)); };
    Tensor shifted = viewed(t, d);
    if (k) {
        shifted = emitter.temporary(t.shape, d);
        apply_to(emitter, "right_shift", {viewed(t, d), constant(static_cast<std::int64_t>(8 * k))}, shifted);
    }
    const Tensor low = emitter.temporary(t.shape, d);
    apply_to(emitter, "bitwise_and", {shifted, constant(255)}, low);
    return cast_to(emitter, low, DType::float32);
}
// The sum over i, j of byte i of a times byte j of b times 256 ** (i + j), as far as the dtype's width goes.
void multiply_integers(Emitter& emitter, const Tensor& a, const Tensor& b, const Tensor& out) {
    const std::size_t bytes = itemsize(out.dtype);
    const DType sum = bytes == 8 ? DType::int64 : DType::int32;
    const int n = out.shape.size();
    const std::int64_t terms = a.shape[n - 1];
    const Tensor product = emitter.temporary(out.shape, DType::float32), whole = emitter.temporary(out.shape, sum), total = emitter.temporary(out.shape, sum);
    std::vector<Tensor> left, right;
    for (std::size_t k = 0; k < bytes; ++k) {
        left.push_back(byte_of(emitter, a, k));
        right.push_back(byte_of(emitter, b, k));
    }
    emitter.call("aclnnInplaceZero", {total});
    const std::int64_t in_whole_blocks = terms > exact_terms && has_few_results(out, exact_terms) ? terms / exact_terms * exact_terms : 0;
    Dims shape = out.shape;
    if (in_whole_blocks) {
        shape[n - 2] = in_whole_blocks / exact_terms;
        shape.back() = out.shape[n - 2];
        shape.push_back(out.shape.back());
    }
    const Tensor products = emitter.temporary(shape, DType::float32), counts = emitter.temporary(shape, sum);
    for (std::size_t i = 0; i < bytes; ++i)
        for (std::size_t j = 0; i + j < bytes; ++j) {
            const std::int64_t weight = static_cast<std::int64_t>(std::uint64_t{1} << (8 * (i + j)));
            const auto add_weighted = [&] {
                if (i + j) apply_to(emitter, "multiply", {whole, emitter.constant(cast_number(Scalar::of(weight), sum))}, whole);
                apply_to(emitter, "add", {total, whole}, total);
            };
            if (in_whole_blocks) {
                const Tensor x = sliced(left[i], n - 1, 0, in_whole_blocks), y = sliced(right[j], n - 2, 0, in_whole_blocks);
                multiply(emitter, in_blocks(x, n - 1, exact_terms), in_blocks(y, n - 2, exact_terms), products, false, MatmulPrecision::float32);
                copy_to(emitter, products, counts);
                add_blocks(emitter, counts, whole);
                add_weighted();
            }
            for (std::int64_t first = in_whole_blocks; first < terms; first += exact_terms) {
                const std::int64_t count = std::min(exact_terms, terms - first);
                multiply(emitter, sliced(left[i], n - 1, first, count), sliced(right[j], n - 2, first, count), product, false, MatmulPrecision::float32);
                copy_to(emitter, product, whole);
                add_weighted();
            }
        }
    copy_to(emitter, total, out);
}

void multiply_bools(Emitter& emitter, const Tensor& a, const Tensor& b, const Tensor& out) {
    const Tensor count = emitter.temporary(out.shape, DType::float32);
    multiply(emitter, cast_to(emitter, a, DType::float32), cast_to(emitter, b, DType::float32), count, false, MatmulPrecision::float32);
    copy_to(emitter, count, out);
}

}  // namespace

Explanation explain_product(const StructuredCall& c) {
    const DType d = c.in[0].dtype;
    const std::string op(parse_call(call_text()).op);
    if (accepts_dtypes(call_text(), d, d)) {
        if (c.option == 0) return {Path::native, op};
        return {Path::native, "aclnnAddmm, aclnnBaddbmm"};
    }
    if (c.option == 2) return {Path::host, "composed"};
    if (d == DType::complex64) return {Path::decomposed, op + " x4 of the parts"};
    if (c.option == 0 && d == DType::boolean) return {Path::decomposed, op + " of float32"};
    if (c.option == 0 && is_integer(d) && !is_narrow(d)) {
        const std::size_t n = itemsize(d);
        return {Path::decomposed, op + " x" + std::to_string(n * (n + 1) / 2) + " of the bytes as float32"};
    }
    return {Path::host, op + " does not accept " + std::string(name(d))};
}

void run_product(Emitter& emitter, const StructuredCall& c) {
    const Tensor &a = c.in[0], &b = c.in[1], &out = c.out[0];
    if (a.shape.back() == 0) {  // a sum of nothing
        if (c.option == 0) emitter.call("aclnnInplaceFillScalar", {out, cast_number(Scalar::of(0.0), out.dtype)});
        return;
    }
    if (c.option == 2) return multiply_and_add(emitter, a, b, c.in[2], out, static_cast<float>(c.numbers[0]), static_cast<float>(c.numbers[1]));
    const bool accumulate = c.option == 1;
    if (out.dtype == DType::complex64) return multiply_complex(emitter, a, b, out, accumulate);
    if (out.dtype == DType::boolean) return multiply_bools(emitter, a, b, out);
    if (is_integer(out.dtype)) return multiply_integers(emitter, a, b, out);
    multiply(emitter, a, b, out, accumulate, matmul_precision());
}

}  // namespace asnumpy::ascend
