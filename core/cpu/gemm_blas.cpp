// Blocks of a product for each thread, each by one call of the library on one thread.
#include "cpu/gemm_blas.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "cpu/structured_layout.hpp"
#include "cpu/ordered_lines.hpp"
#include "cpu/threads.hpp"

namespace asnumpy::cpu {
namespace {

// Multiplications that are worth a thread: of matrices, and of a matrix and a vector, which waits for memory.
constexpr std::int64_t block_work = 262144, vector_work = 32768;
constexpr std::int64_t edge = 16;  // blocks begin at multiples of it, so that the library's tiles are whole but at the end

// Into how many parts a product is divided: at most some for each thread, and no fewer than there are threads.
std::int64_t parts_of(const Blas& blas, std::int64_t work, std::int64_t least, std::int64_t each) {
    const std::int64_t threads = blas.obeys() ? free_threads() : 1, worth = work / least;
    if (threads == 1 || worth < 2) return 1;
    return worth < threads ? worth : std::min(worth / threads, each) * threads;
}

std::int64_t edges_of(std::int64_t length) { return (length + edge - 1) / edge; }

// Where block i of `count` begins, of which no two differ by more than an edge; the one after the last begins at the end.
std::int64_t begin_of(std::int64_t length, std::int64_t count, std::int64_t i) { return std::min(length, edges_of(length) * i / count * edge); }

// Into how many blocks the elements of matrix @ vector are divided. Where they lie beside each other in the matrix, the library
// walks over all of it in pieces of a block's width, which must not be short.
template <class T> std::int64_t blocks_of_vector(const Blas& blas, std::int64_t rows, std::int64_t columns, bool beside) {
    constexpr std::int64_t least = 2048 / static_cast<std::int64_t>(sizeof(T));
    const std::int64_t blocks = std::min(parts_of(blas, rows * columns, vector_work, 8), edges_of(rows)), threads = free_threads();
    return beside && blocks > threads ? std::clamp(rows / least / threads, std::int64_t{1}, blocks / threads) * threads : blocks;
}

// How a product of matrices is divided.
struct Blocks {
    std::int64_t down = 1, across = 1;
};

// The division in which a thread has least to do, where copying an operand's element for the library's kernels costs as much as
// so many multiplications (up to a size they need no copies); of those that are nearly as good the one with most blocks, so that
// who is late leaves some to the others.
Blocks blocks_of(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t most) {
    constexpr double copied = 32, nearly = 1.06, without_copies = 1e6;
    const std::int64_t threads = free_threads();
    const auto each = [&](auto&& f) {
        for (std::int64_t down = 1; down <= std::min(most, edges_of(m)); ++down)
            for (std::int64_t across = 1; across <= std::min(most / down, edges_of(n)); ++across) {
                const auto rows = static_cast<double>((edges_of(m) + down - 1) / down * edge), columns = static_cast<double>((edges_of(n) + across - 1) / across * edge);
                const double copies = rows * columns * static_cast<double>(k) <= without_copies ? 0 : copied * (rows + columns);
                f(Blocks{down, across}, static_cast<double>((down * across + threads - 1) / threads) * (rows * columns + copies));
            }
    };
    double least = std::numeric_limits<double>::infinity(), of_best = least;
    each([&](Blocks, double cost) { least = std::min(least, cost); });
    Blocks best;
    each([&](Blocks b, double cost) {
        const std::int64_t more = b.down * b.across - best.down * best.across;
        if (cost > nearly * least || more < 0 || (more == 0 && cost >= of_best)) return;
        best = b;
        of_best = cost;
    });
    return best;
}

// Rows of a matrix from `first` on, columns from `start` on, as it is read.
template <class T> BlasMatrix<T> block_of(const BlasMatrix<T>& m, std::int64_t first, std::int64_t start) {
    return {m.data + (m.transposed ? start * m.ld + first : first * m.ld + start), m.ld, m.transposed};
}

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

// A vector as the library walks over it: where it lies, or a copy, of few elements here.
template <class T> class Lined {
public:
    Lined(const Blas& blas, const char* from, std::int64_t n, std::int64_t stride) : data_(reinterpret_cast<const T*>(from)), increment_(increment<T>(blas, from, n, stride)) {
        if (increment_) return;
        increment_ = 1;
        const auto length = static_cast<std::size_t>(n);
        if (length > few) many_ = std::make_unique_for_overwrite<T[]>(length);
        T* const to = many_ ? many_.get() : reinterpret_cast<T*>(few_.data());
        const T* const last = std::exchange(data_, to);
        constexpr auto size = static_cast<std::int64_t>(sizeof(T));
        const bool aligned = reinterpret_cast<std::uintptr_t>(from) % alignof(T) == 0;
        if (stride == -size && aligned) std::reverse_copy(last - n + 1, last + 1, to);
        else
            for (std::int64_t i = 0; i < n; ++i) to[i] = load<T>(from + i * stride);
    }
    const T* data() const { return data_; }
    std::int64_t increment_of() const { return increment_; }

private:
    static constexpr std::size_t few = 4096 / sizeof(T);

    const T* data_;
    std::int64_t increment_;
    alignas(64) std::array<std::byte, few * sizeof(T)> few_;
    std::unique_ptr<T[]> many_;
};

// Into how many parts what each element sums is divided, each part for all elements; 0 where the elements had better be divided.
// Where these lie beside each other in memory, a part is some of the lines that the matrix lies in: the library walks over whole
// lines, and a thread reads those that it is given in other work on the matrix too.
std::int64_t parts_of_sums(const MatrixView& m, std::int64_t parts, bool beside) {
    constexpr std::int64_t least_lines = 4 * edge;  // beside which adding the parts takes little
    const std::int64_t threads = free_threads(), each = m.columns / least_lines / threads;
    if (beside && each > 0) return std::min(parts, each * threads);
    return m.rows < parts * edge ? std::min({parts, threads, edges_of(m.columns)}) : 0;  // few long rows
}

// to = the sum of parts of n elements, or that beside what is there.
template <class T> void add_parts(const T* parts, std::int64_t count, std::int64_t n, bool add, T* to, std::int64_t inc) {
    parallel_for(n, 4096, [=](std::int64_t begin, std::int64_t end, int) {
        constexpr std::int64_t at_once = 64;
        for (; begin < end; begin += at_once) {
            const std::int64_t length = std::min(at_once, end - begin);
            std::array<T, at_once> sums;
            std::copy_n(parts + begin, length, sums.begin());
            for (std::int64_t i = 1; i < count; ++i)
                for (std::int64_t k = 0; k < length; ++k) sums[static_cast<std::size_t>(k)] += parts[i * n + begin + k];
            for (std::int64_t k = 0; k < length; ++k) {
                T& at = to[(begin + k) * inc];
                at = add ? at + sums[static_cast<std::size_t>(k)] : sums[static_cast<std::size_t>(k)];
            }
        }
    });
}

// y = m @ x, both columns.
template <class T> void multiply_vector(const Blas& blas, const MatrixView& m, const MatrixView& x, const MatrixView& y, bool add) {
    std::unique_ptr<T[]> y_copy;
    const Lined<T> factor(blas, x.data, x.rows, x.row_stride);
    const T* const from = factor.data();
    const std::int64_t incx = factor.increment_of();
    T* to = reinterpret_cast<T*>(y.data);
    std::int64_t incy = increment<T>(blas, y.data, y.rows, y.row_stride);
    const bool through_copy = incy == 0;
    if (through_copy) {
        y_copy = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(y.rows));
        to = y_copy.get();
        incy = 1;
    }
    std::optional<Lined<T>> row;  // of the matrix, where it has no other
    Prepared<T> p{};
    if (m.rows == 1) row.emplace(blas, m.data, m.columns, m.column_stride);
    else p = prepare<T>(blas, m);
    // Rows from `first` on of the product with x from `start` on, of this many elements.
    const auto part = [&](std::int64_t first, std::int64_t rows, std::int64_t start, std::int64_t depth, bool sum, T* result, std::int64_t inc) {
        const T* const factors = from + start * incx;
        if (row) {
            const T dot = BlasOf<T>(blas).dot(depth, row->data() + start * row->increment_of(), row->increment_of(), factors, incx);
            *result = sum ? *result + dot : dot;
        } else {
            const bool across = p.matrix.transposed;
            BlasOf<T>(blas).gemv(across ? depth : rows, across ? rows : depth, block_of(p.matrix, first, start), factors, incx, sum, result, inc);
        }
    };
    const bool add_now = add && !through_copy;
    // What is a small part of a thread's own cache stays there, unless others have had their parts of it.
    const bool held = last_participants() == 1 && m.rows * m.columns * static_cast<std::int64_t>(sizeof(T)) <= cache_bytes().second / 4;
    const std::int64_t parts = held ? 1 : parts_of(blas, m.rows * m.columns, vector_work, 4);
    if (parts == 1) {
        part(0, m.rows, 0, m.columns, add_now, to, incy);
    } else if (const std::int64_t count = parts_of_sums(m, parts, p.matrix.transposed); count > 0) {
        const auto sums = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(count * m.rows));
        parallel_for(count, 1, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t first = begin_of(m.columns, count, i);
                part(0, m.rows, first, begin_of(m.columns, count, i + 1) - first, false, &sums[static_cast<std::size_t>(i * m.rows)], 1);
            }
        });
        add_parts(sums.get(), count, m.rows, add_now, to, incy);
    } else {
        const std::int64_t blocks = blocks_of_vector<T>(blas, m.rows, m.columns, p.matrix.transposed);
        parallel_for(blocks, 1, [&](std::int64_t begin, std::int64_t end, int) {
            const std::int64_t first = begin_of(m.rows, blocks, begin);
            part(first, begin_of(m.rows, blocks, end) - first, 0, m.columns, add_now, to + first * incy, incy);
        });
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

// In blocks.
template <class T>
void multiply_blocks(const Blas& blas, std::int64_t m, std::int64_t n, std::int64_t k, const BlasMatrix<T>& a, const BlasMatrix<T>& b, bool add, T* c, std::int64_t ldc) {
    const std::int64_t parts = parts_of(blas, m * n * k, block_work, 4);
    if (parts == 1) return BlasOf<T>(blas).gemm(m, n, k, a, b, add, c, ldc);
    const Blocks blocks = blocks_of(m, n, k, parts);
    parallel_for(blocks.down * blocks.across, 1, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t block = begin; block < end; ++block) {
            const std::int64_t down = block / blocks.across, across = block % blocks.across;
            const std::int64_t i = begin_of(m, blocks.down, down), j = begin_of(n, blocks.across, across);
            const std::int64_t rows = begin_of(m, blocks.down, down + 1) - i, columns = begin_of(n, blocks.across, across + 1) - j;
            BlasOf<T>(blas).gemm(rows, columns, k, block_of(a, i, 0), block_of(b, 0, j), add, c + i * ldc + j, ldc);
        }
    });
}

// The upper triangle of c = a @ a.T: blocks on the diagonal, and whole ones beside it.
template <class T> void multiply_triangle(const Blas& blas, std::int64_t n, std::int64_t k, const BlasMatrix<T>& a, T* c, std::int64_t ldc) {
    const std::int64_t parts = parts_of(blas, n * n * k / 2, block_work, 4);
    if (parts == 1) return BlasOf<T>(blas).syrk(n, k, a, c, ldc);
    const std::int64_t across = std::min<std::int64_t>(std::llround(std::sqrt(2.0 * static_cast<double>(parts))), edges_of(n));
    const BlasMatrix<T> turned{a.data, a.ld, !a.transposed};
    parallel_for(across * across, 1, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t block = begin; block < end; ++block) {
            const std::int64_t i = begin_of(n, across, block / across), j = begin_of(n, across, block % across);
            const std::int64_t rows = begin_of(n, across, block / across + 1) - i, columns = begin_of(n, across, block % across + 1) - j;
            if (i == j) BlasOf<T>(blas).syrk(rows, k, block_of(a, i, 0), c + i * ldc + i, ldc);
            else if (i < j) BlasOf<T>(blas).gemm(rows, columns, k, block_of(a, i, 0), block_of(turned, 0, j), false, c + i * ldc + j, ldc);
        }
    });
}

}  // namespace

template <class T> void gemm_blas(const Blas& blas, const MatrixView& a, const MatrixView& b, const MatrixView& c, bool add) {
    if (c.columns == 1) return multiply_vector<T>(blas, a, b, c, add);
    if (c.rows == 1) return multiply_vector<T>(blas, b.transposed(), a.transposed(), c.transposed(), add);
    const std::int64_t ldc = leading<T>(blas, c);
    if (!ldc && leading<T>(blas, c.transposed())) return gemm_blas<T>(blas, b.transposed(), a.transposed(), c.transposed(), add);
    T* to = reinterpret_cast<T*>(c.data);
    std::unique_ptr<T[]> c_copy;
    if (!ldc) {
        c_copy = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(c.rows * c.columns));
        to = c_copy.get();
    }
    const Prepared<T> left = prepare<T>(blas, a);
    const bool square = a.data == b.data && a.rows == b.columns && a.row_stride == b.column_stride && a.column_stride == b.row_stride;
    if (square && ldc && !add) {  // a @ a.T: half the work, and the result is exactly symmetric
        multiply_triangle<T>(blas, c.rows, a.columns, left.matrix, to, ldc);
        return mirror<T>(c);
    }
    const Prepared<T> right = prepare<T>(blas, b);
    multiply_blocks<T>(blas, c.rows, c.columns, a.columns, left.matrix, right.matrix, add && ldc, to, ldc ? ldc : c.columns);
    if (!ldc) copy_out(to, c, add);
}

template void gemm_blas<float>(const Blas&, const MatrixView&, const MatrixView&, const MatrixView&, bool);
template void gemm_blas<double>(const Blas&, const MatrixView&, const MatrixView&, const MatrixView&, bool);
template void gemm_blas<std::complex<float>>(const Blas&, const MatrixView&, const MatrixView&, const MatrixView&, bool);
template void gemm_blas<std::complex<double>>(const Blas&, const MatrixView&, const MatrixView&, const MatrixView&, bool);

}  // namespace asnumpy::cpu
