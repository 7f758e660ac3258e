// matmul: small products directly, floats by NumPy's BLAS, halves through float32, integers by packed panels.
#include <algorithm>
#include <complex>
#include <memory>
#include <new>
#include <type_traits>

#include "base/error.hpp"
#include "cpu/blas.hpp"
#include "cpu/gemm_packed.hpp"
#include "cpu/structured.hpp"
#include "cpu/structured_layout.hpp"
#include "cpu/threads.hpp"
#include "kernels/kernels.hpp"

namespace asnumpy::cpu {
namespace {

// Up to this many multiplications a product costs less than any preparation.
constexpr std::int64_t direct_limit = 512;
// Up to this many the library works on one thread, so that a batch is better shared between ours.
constexpr std::int64_t single_thread_limit = 262144;

// --- element by element, every type ---

template <class T> struct AccumulatorOf { using type = T; };
template <class T> requires std::is_integral_v<T> struct AccumulatorOf<T> { using type = std::uint64_t; };
template <> struct AccumulatorOf<bool> { using type = bool; };
template <> struct AccumulatorOf<float16> { using type = float; };
template <> struct AccumulatorOf<bfloat16> { using type = float; };

template <class A> A multiply_add(A sum, A x, A y) {
    if constexpr (std::is_same_v<A, bool>) return sum | (x & y);
    else if constexpr (is_complex_v<A>)
        return {sum.real() + (x.real() * y.real() - x.imag() * y.imag()), sum.imag() + (x.real() * y.imag() + x.imag() * y.real())};
    else return sum + x * y;
}

template <class T> auto element(const char* at) {
    if constexpr (std::is_same_v<T, bool>) return load<std::uint8_t>(at) != 0;
    else return static_cast<typename AccumulatorOf<T>::type>(load<T>(at));
}

template <class T> void multiply_directly(const MatrixView& a, const MatrixView& b, const MatrixView& c, bool add) {
    using A = typename AccumulatorOf<T>::type;
    for (std::int64_t i = 0; i < c.rows; ++i) {
        for (std::int64_t j = 0; j < c.columns; ++j) {
            A sum{};
            const char* left = a.at(i, 0);
            const char* right = b.at(0, j);
            for (std::int64_t p = 0; p < a.columns; ++p, left += a.column_stride, right += b.row_stride)
                sum = multiply_add(sum, element<T>(left), element<T>(right));
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

// --- through the BLAS ---

// A matrix as the library takes it, and the copy that was needed where its strides are not the library's.
template <class T> struct Prepared {
    BlasMatrix<T> matrix;
    std::unique_ptr<T[]> copy;
};

template <class T> std::unique_ptr<T[]> contiguous_copy(const MatrixView& m) {
    auto copy = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(m.rows * m.columns));
    parallel_for(m.rows, std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(1, m.columns)), [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t r = begin; r < end; ++r)
            for (std::int64_t c = 0; c < m.columns; ++c) copy[static_cast<std::size_t>(r * m.columns + c)] = load<T>(m.at(r, c));
    });
    return copy;
}

// The distance between rows, in elements, if the library can read (or write) the matrix row by row; else 0.
template <class T> std::int64_t leading(const Blas& blas, const MatrixView& m) {
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    if (reinterpret_cast<std::uintptr_t>(m.data) % alignof(T) != 0) return 0;
    if (m.columns > 1 && m.column_stride != size) return 0;
    if (m.rows == 1) return std::max<std::int64_t>(1, m.columns);
    if (m.row_stride % size != 0 || m.row_stride < m.columns * size || !blas.fits(m.row_stride / size)) return 0;
    return m.row_stride / size;
}

template <class T> Prepared<T> prepare(const Blas& blas, const MatrixView& m) {
    if (const std::int64_t ld = leading<T>(blas, m)) return {{reinterpret_cast<const T*>(m.data), ld, false}, nullptr};
    if (const std::int64_t ld = leading<T>(blas, m.transposed())) return {{reinterpret_cast<const T*>(m.data), ld, true}, nullptr};
    const bool across = std::abs(m.row_stride) < std::abs(m.column_stride);  // copied in the order in which it lies
    auto copy = contiguous_copy<T>(across ? m.transposed() : m);
    const BlasMatrix<T> matrix{copy.get(), across ? m.rows : m.columns, across};
    return {matrix, std::move(copy)};
}

template <class T> void copy_out(const T* from, const MatrixView& c, bool add) {
    parallel_for(c.rows, std::max<std::int64_t>(1, 32768 / c.columns), [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t r = begin; r < end; ++r) {
            for (std::int64_t j = 0; j < c.columns; ++j) {
                const T value = from[r * c.columns + j];
                store(c.at(r, j), add ? static_cast<T>(load<T>(c.at(r, j)) + value) : value);
            }
        }
    });
}

// The increment with which the library can walk over a vector; else 0.
template <class T> std::int64_t increment(const Blas& blas, const char* data, std::int64_t n, std::int64_t stride) {
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    if (reinterpret_cast<std::uintptr_t>(data) % alignof(T) != 0) return 0;
    if (n == 1) return 1;
    return stride > 0 && stride % size == 0 && blas.fits(stride / size) ? stride / size : 0;
}

// y = m @ x, both columns.
template <class T> void multiply_vector(const Blas& blas, const MatrixView& m, const MatrixView& x, const MatrixView& y, bool add) {
    std::unique_ptr<T[]> x_copy, y_copy;
    const T* from = reinterpret_cast<const T*>(x.data);
    std::int64_t incx = increment<T>(blas, x.data, x.rows, x.row_stride);
    if (!incx) {
        x_copy = contiguous_copy<T>(x);
        from = x_copy.get();
        incx = 1;
    }
    T* to = reinterpret_cast<T*>(y.data);
    std::int64_t incy = increment<T>(blas, y.data, y.rows, y.row_stride);
    const bool through_copy = incy == 0;
    if (through_copy) {
        y_copy = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(y.rows));
        to = y_copy.get();
        incy = 1;
    }
    const bool add_now = add && !through_copy;
    if (const std::int64_t incm = m.rows == 1 ? increment<T>(blas, m.data, m.columns, m.column_stride) : 0) {
        const T dot = BlasOf<T>(blas).dot(m.columns, reinterpret_cast<const T*>(m.data), incm, from, incx);
        *to = add_now ? *to + dot : dot;
    } else {
        const Prepared<T> p = prepare<T>(blas, m);
        const std::int64_t rows = p.matrix.transposed ? m.columns : m.rows, columns = p.matrix.transposed ? m.rows : m.columns;
        BlasOf<T>(blas).gemv(rows, columns, p.matrix, from, incx, add_now, to, incy);
    }
    if (through_copy) copy_out(to, y, add);
}

// Copies the upper triangle of c below the diagonal, square by square so that both sides stay in the cache.
template <class T> void mirror(const MatrixView& c) {
    constexpr std::int64_t side = 64;
    const std::int64_t squares = (c.rows + side - 1) / side;
    parallel_for(squares, std::max<std::int64_t>(1, 32768 / (c.rows * side)), [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t i0 = begin * side; i0 < std::min(end * side, c.rows); i0 += side)
            for (std::int64_t j0 = 0; j0 <= i0; j0 += side)
                for (std::int64_t i = i0; i < std::min(i0 + side, c.rows); ++i)
                    for (std::int64_t j = j0; j < std::min(j0 + side, i); ++j) store(c.at(i, j), load<T>(c.at(j, i)));
    });
}

template <class T> void multiply_blas(const Blas& blas, const MatrixView& a, const MatrixView& b, const MatrixView& c, bool add) {
    if (c.columns == 1) return multiply_vector<T>(blas, a, b, c, add);
    if (c.rows == 1) return multiply_vector<T>(blas, b.transposed(), a.transposed(), c.transposed(), add);
    const std::int64_t ldc = leading<T>(blas, c);
    if (!ldc && leading<T>(blas, c.transposed())) return multiply_blas<T>(blas, b.transposed(), a.transposed(), c.transposed(), add);
    T* to = reinterpret_cast<T*>(c.data);
    std::unique_ptr<T[]> c_copy;
    if (!ldc) {
        c_copy = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(c.rows * c.columns));
        to = c_copy.get();
    }
    const Prepared<T> left = prepare<T>(blas, a);
    const bool square = a.data == b.data && a.rows == b.columns && a.row_stride == b.column_stride && a.column_stride == b.row_stride;
    if (square && ldc && !add) {  // a @ a.T: half the work, and the result is exactly symmetric
        BlasOf<T>(blas).syrk(c.rows, a.columns, left.matrix, to, ldc);
        return mirror<T>(c);
    }
    const Prepared<T> right = prepare<T>(blas, b);
    BlasOf<T>(blas).gemm(c.rows, c.columns, a.columns, left.matrix, right.matrix, add && ldc, to, ldc ? ldc : c.columns);
    if (!ldc) copy_out(to, c, add);
}

template <class T> void multiply_float(const MatrixView& a, const MatrixView& b, const MatrixView& c, bool add) {
    const Blas* blas = Blas::find();
    if (blas && blas->fits(std::max({c.rows, c.columns, a.columns}))) {
        if (c.rows * c.columns * a.columns <= single_thread_limit) return multiply_blas<T>(*blas, a, b, c, add);
        const Blas::ThreadLimit limit(*blas);
        return multiply_blas<T>(*blas, a, b, c, add);
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

template <class T> void multiply_any(const MatrixView& a, const MatrixView& b, const MatrixView& c, bool add) {
    if constexpr (!is_narrow_v<T>) {
        if (c.rows * c.columns * a.columns <= direct_limit) return multiply_directly<T>(a, b, c, add);
    }
    if constexpr (is_narrow_v<T>) throw RuntimeFailure("matmul: " + std::string(name(dtype_of_v<T>)) + " has no arithmetic");
    else if constexpr (is_half_v<T>) multiply_half<T>(a, b, c, add);
    else if constexpr (std::is_integral_v<T>) gemm_packed(dtype_of_v<T>, a, b, c, add);
    else if constexpr (std::is_same_v<T, long double> || std::is_same_v<T, std::complex<long double>>) multiply_rows_directly<T>(a, b, c, add);
    else multiply_float<T>(a, b, c, add);
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

}  // namespace

void matmul(const StructuredCall& call) {
    const Tensor& a = call.in[0];
    const Tensor& b = call.in[1];
    const Tensor& c = call.out[0];
    const int batch_axes = c.shape.size() - 2;
    Walk<3> batch;
    for (int i = 0; i < batch_axes; ++i) batch.add(c.shape[i], {a.strides[i], b.strides[i], c.strides[i]});
    const auto matrix = [batch_axes](const Tensor& t) {
        return MatrixView{t.data, t.shape[batch_axes], t.shape[batch_axes + 1], t.strides[batch_axes], t.strides[batch_axes + 1]};
    };
    const MatrixView left = matrix(a), right = matrix(b), out = matrix(c);
    const bool add = call.option == 1;
    if (batch.count() == 0 || out.rows == 0 || out.columns == 0) return;
    const std::int64_t work = out.rows * out.columns * std::max<std::int64_t>(1, left.columns);
    // A large product is shared between threads inside; of small ones each thread takes some.
    const std::int64_t grain = work <= single_thread_limit ? std::max<std::int64_t>(1, 65536 / work) : batch.count();
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
