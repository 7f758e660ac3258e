// matmul: small products directly, floats by NumPy's BLAS, halves through float32, integers by packed panels.
#include <algorithm>
#include <complex>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>

#include "base/error.hpp"
#include "cpu/blas.hpp"
#include "cpu/gemm_blas.hpp"
#include "cpu/gemm_packed.hpp"
#include "cpu/multiply_add.hpp"
#include "cpu/rounds.hpp"
#include "cpu/strands.hpp"
#include "cpu/structured.hpp"
#include "cpu/structured_layout.hpp"
#include "cpu/threads.hpp"
#include "kernels/kernels.hpp"

namespace asnumpy::cpu {
namespace {

// Up to this many multiplications a product costs less than any preparation; the library needs little.
constexpr std::int64_t direct_limit = 512, direct_limit_of_blas = 80;
// Up to this many the threads share a stack of matrices, but none of them.
constexpr std::int64_t small_work = 262144;
// Up to this many the library uses one thread in any case.
constexpr std::int64_t threads_of_blas = 8192;

// --- element by element, every type ---

template <class T> struct AccumulatorOf { using type = T; };
template <class T> requires std::is_integral_v<T> struct AccumulatorOf<T> { using type = std::uint64_t; };
template <> struct AccumulatorOf<bool> { using type = bool; };
template <> struct AccumulatorOf<float16> { using type = float; };
template <> struct AccumulatorOf<bfloat16> { using type = float; };

template <class T> auto element(const char* at) { return static_cast<typename AccumulatorOf<T>::type>(number_at<T>(at)); }

// A line of a and one of b. One sum would wait for each addition to be done before the next begins: of longer lines there are four, side by side.
template <class T> auto line_product(const char* left, std::int64_t left_stride, const char* right, std::int64_t right_stride, std::int64_t n) {
    using A = typename AccumulatorOf<T>::type;
    constexpr std::int64_t sums = 4;
    A sum{};
    std::int64_t p = 0;
    const auto product = [&](A& to, std::int64_t i) { to = multiply_add(to, element<T>(left + i * left_stride), element<T>(right + i * right_stride)); };
    if (n >= 2 * sums) {
        A second{}, third{}, fourth{};
        for (; p + sums <= n; p += sums) {
            product(sum, p);
            product(second, p + 1);
            product(third, p + 2);
            product(fourth, p + 3);
        }
        sum = multiply_add(multiply_add(sum, second, A(1)), multiply_add(third, fourth, A(1)), A(1));
    }
    for (; p < n; ++p) product(sum, p);
    return sum;
}

template <class T> void multiply_directly(const MatrixView& a, const MatrixView& b, const MatrixView& c, bool add) {
    using A = typename AccumulatorOf<T>::type;
    for (std::int64_t i = 0; i < c.rows; ++i) {
        for (std::int64_t j = 0; j < c.columns; ++j) {
            A sum = line_product<T>(a.at(i, 0), a.column_stride, b.at(0, j), b.row_stride, a.columns);
            char* const to = c.at(i, j);
            if (add) sum = multiply_add(sum, element<T>(to), A(1));
            store(to, static_cast<T>(sum));
        }
    }
}

template <class T> void multiply_rows_directly(const MatrixView& a, const MatrixView& b, const MatrixView& c, bool add) {
    parallel_for(c.rows, std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, a.columns * c.columns)), [&](std::int64_t begin, std::int64_t end, int) {
        multiply_directly<T>(a.row_block(begin, end - begin), b, c.row_block(begin, end - begin), add);
    });
}

// --- through the BLAS, where there is one ---

template <class T> void multiply_float(const MatrixView& a, const MatrixView& b, const MatrixView& c, bool add) {
    const Blas* blas = Blas::find();
    if (blas && blas->fits(std::max({c.rows, c.columns, a.columns}))) {
        return gemm_blas<T>(*blas, a, b, c, add);
    }
    if (has_gemm_packed(dtype_of_v<T>)) return gemm_packed(dtype_of_v<T>, a, b, c, add);
    multiply_rows_directly<T>(a, b, c, add);
}

// --- halves: converted once, multiplied in float32, rounded once ---

MatrixView over(float* data, std::int64_t rows, std::int64_t columns, bool transposed) {
    constexpr std::int64_t size = sizeof(float);
    const MatrixView m{reinterpret_cast<char*>(data), transposed ? columns : rows, transposed ? rows : columns, size * (transposed ? rows : columns), size};
    return transposed ? m.transposed() : m;
}

// Runs a cast over the rows of both matrices; gathers where elements do not lie side by side.
template <class From, class To> void convert(const MatrixView& from, const MatrixView& to) {
    static const Loop cast = loop(find_row("cast"), cast_loop(dtype_of_v<From>, dtype_of_v<To>));
    const bool side_by_side = from.column_stride == sizeof(From) && to.column_stride == sizeof(To) && (from.rows == 1 || from.row_stride % alignof(From) == 0) &&
                              (to.rows == 1 || to.row_stride % alignof(To) == 0) && is_aligned(from.data, dtype_of_v<From>) && is_aligned(to.data, dtype_of_v<To>);
    parallel_for(from.rows, std::max<std::int64_t>(1, 16384 / from.columns), [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t r = begin; r < end; ++r) {
            if (side_by_side) {
                void* const out[] = {to.at(r, 0)};
                const void* const in[] = {from.at(r, 0)};
                cast(out, in, static_cast<std::size_t>(from.columns));
            } else {
                for (std::int64_t c = 0; c < from.columns; ++c) store(to.at(r, c), To(static_cast<float>(load<From>(from.at(r, c)))));
            }
        }
    });
}

template <class Half> std::pair<std::unique_ptr<float[]>, MatrixView> widen(const MatrixView& m) {
    auto wide = std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(m.rows * m.columns));
    const bool across = std::abs(m.row_stride) < std::abs(m.column_stride);
    const MatrixView view = over(wide.get(), m.rows, m.columns, across);
    if (across) convert<Half, float>(m.transposed(), view.transposed());
    else convert<Half, float>(m, view);
    return {std::move(wide), view};
}

template <class Half> void multiply_half(const MatrixView& a, const MatrixView& b, const MatrixView& c, bool add) {
    const auto [b_data, b_wide] = widen<Half>(b);
    // Some rows at a time, so that the copies stay small beside the operands.
    const std::int64_t most = std::max<std::int64_t>(64, (std::int64_t{4} << 20) / std::max(a.columns, c.columns));
    const std::int64_t rows = std::min(most, c.rows);
    const auto product = std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(rows * c.columns));
    for (std::int64_t first = 0; first < c.rows; first += rows) {
        const std::int64_t n = std::min(rows, c.rows - first);
        const auto [a_data, a_wide] = widen<Half>(a.row_block(first, n));
        const MatrixView c_wide = over(product.get(), n, c.columns, false), c_rows = c.row_block(first, n);
        if (add) convert<Half, float>(c_rows, c_wide);
        multiply_float<float>(a_wide, b_wide, c_wide, add);
        convert<float, Half>(c_wide, c_rows);
    }
}

template <class T> constexpr bool in_blas =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

bool reaches_blas(DType d) {
    return dispatch(d, []<class T>() { return in_blas<T> || is_half_v<T>; });
}

template <class T> void multiply_any(const MatrixView& a, const MatrixView& b, const MatrixView& c, bool add) {
    if constexpr (!is_narrow_v<T>) {
        if (c.rows * c.columns * a.columns <= (in_blas<T> ? direct_limit_of_blas : direct_limit)) return multiply_directly<T>(a, b, c, add);
    }
    if constexpr (is_narrow_v<T>) throw RuntimeFailure("matmul: " + std::string(name(dtype_of_v<T>)) + " has no arithmetic");
    else if constexpr (is_half_v<T>) multiply_half<T>(a, b, c, add);
    else if constexpr (std::is_integral_v<T>) gemm_packed(dtype_of_v<T>, a, b, c, add);
    else if constexpr (in_blas<T>) multiply_float<T>(a, b, c, add);
    else multiply_rows_directly<T>(a, b, c, add);
}

template <class T> void multiply(const MatrixView& a, const MatrixView& b, const MatrixView& c, bool add) {
    if (!add) return multiply_any<T>(a, b, c, add);
    try {
        multiply_any<T>(a, b, c, add);
    } catch (const std::bad_alloc&) {
        if constexpr (is_half_v<T> || is_narrow_v<T>) throw;  // which nobody adds to
        // Copies of operands are made before the first sum is added to. What was added to other matrices of a batch cannot be
        // added again, so that this one must not fail: element by element it needs no memory.
        else multiply_directly<T>(a, b, c, add);
    }
}

// As matmul() does it for a product that no two threads share.
template <class T, bool add> void multiply_on_this_thread(char* a, char* b, char* c, const std::int64_t* n) {
    const MatrixView left{a, n[0], n[2], n[3], n[4]}, right{b, n[2], n[1], n[5], n[6]}, out{c, n[0], n[1], n[7], n[8]};
    const Blas* const blas = in_blas<T> && n[0] * n[1] * n[2] > threads_of_blas ? Blas::find() : nullptr;
    std::optional<Blas::OneThread> one;
    if (blas) one.emplace(*blas);
    multiply<T>(left, right, out, add);
}

}  // namespace

RunProduct product_of(const MatrixProduct& product) {
    return dispatch(product.dtype, [&]<class T>() -> RunProduct {
        if constexpr (!in_strands<T>) return nullptr;
        else return product.adds ? multiply_on_this_thread<T, true> : multiply_on_this_thread<T, false>;
    });
}

void matmul(const StructuredCall& call) {
    const Tensor& a = call.in[0];
    const Tensor& b = call.in[1];
    const Tensor& c = call.out[0];
    int batch_axes = c.shape.size() - 2;
    const auto matrix = [batch_axes](const Tensor& t) {
        return MatrixView{t.data, t.shape[batch_axes], t.shape[batch_axes + 1], t.strides[batch_axes], t.strides[batch_axes + 1]};
    };
    MatrixView left = matrix(a), out = matrix(c);
    const MatrixView right = matrix(b);
    // Matrices that lie one under the other and meet the same right one are the rows of one matrix.
    const auto follows = [](const Tensor& t, int axis, const MatrixView& m) { return t.strides[axis] == m.rows * m.row_stride; };
    for (; batch_axes > 0 && b.strides[batch_axes - 1] == 0; --batch_axes) {
        if (!follows(a, batch_axes - 1, left) || !follows(c, batch_axes - 1, out)) break;
        left.rows *= c.shape[batch_axes - 1];
        out.rows *= c.shape[batch_axes - 1];
    }
    Walk<3> batch;
    for (int i = 0; i < batch_axes; ++i) batch.add(c.shape[i], {a.strides[i], b.strides[i], c.strides[i]});
    const bool add = call.option == 1;
    if (batch.count() == 0 || out.rows == 0 || out.columns == 0) return;
    const std::int64_t work = out.rows * out.columns * std::max<std::int64_t>(1, left.columns);
    const Blas* const blas = reaches_blas(c.dtype) ? Blas::find() : nullptr;
    std::optional<Blas::OneThread> one;
    if (blas && work > threads_of_blas) one.emplace(*blas);
    // Of many matrices each thread takes some; a few large ones are shared between threads inside.
    const bool some_each = work <= small_work || batch.count() >= 2 * thread_count();
    const std::int64_t grain = some_each ? std::max<std::int64_t>(1, 65536 / work) : batch.count();
    parallel_for(batch.count(), grain, [&](std::int64_t begin, std::int64_t end, int) {
        dispatch(c.dtype, [&]<class T>() {
            batch.each(begin, end, [&](const auto& at) {
                MatrixView x = left, y = right, z = out;
                x.data += at[0];
                y.data += at[1];
                z.data += at[2];
                multiply<T>(x, y, z, add);
            });
        });
    });
}

}  // namespace asnumpy::cpu
