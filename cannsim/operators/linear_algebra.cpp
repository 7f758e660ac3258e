// Matrices, one or a batch: inverse, determinant, QR, triangular systems; and the cross product. All in double precision.
#include <optional>
#include <vector>

#include "operators/fold.hpp"
#include "operators/matrices.hpp"
#include "operators/wrapping.hpp"

namespace cannsim {
namespace {

// Brings the largest of column k, from row k on, to row k; gives whether rows changed places. `other` moves along.
template <class T> bool pivot(T* a, std::int64_t n, std::int64_t k, T* other) {
    std::int64_t best = k;
    for (std::int64_t i = k + 1; i < n; ++i)
        if (std::abs(a[i * n + k]) > std::abs(a[best * n + k])) best = i;
    if (best == k) return false;
    std::swap_ranges(a + k * n, a + k * n + n, a + best * n);
    if (other) std::swap_ranges(other + k * n, other + k * n + n, other + best * n);
    return true;
}

template <class T> void invert(T* a, T* result, std::int64_t n) {  // Gauss and Jordan; a singular matrix gives infinities and NaN
    for (std::int64_t i = 0; i < n * n; ++i) result[i] = i % (n + 1) == 0 ? T{1} : T{0};
    for (std::int64_t k = 0; k < n; ++k) {
        pivot(a, n, k, result);
        const T factor = T{1} / a[k * n + k];
        for (std::int64_t j = 0; j < n; ++j) {
            a[k * n + j] *= factor;
            result[k * n + j] *= factor;
        }
        for (std::int64_t i = 0; i < n; ++i) {
            const T times = a[i * n + k];
            if (i == k || times == T{0}) continue;
            for (std::int64_t j = 0; j < n; ++j) {
                a[i * n + j] -= times * a[k * n + j];
                result[i * n + j] -= times * result[k * n + j];
            }
        }
    }
}
Work plan_inverse(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    const Matrices m(call, self);
    m.expect_square(call, self);
    call.expect_shape(out, self.shape());
    Work work;
    work.operations = 2.0 * static_cast<double>(self.size()) * static_cast<double>(m.rows);
    work.compute = [=](const Run& run) {
        const Owned a = contiguous(run[self], DType::float64), result = make(DType::float64, self.shape());
        for (std::int64_t b = 0; b < m.batch; ++b) invert(a.as<double>() + b * m.rows * m.rows, result.as<double>() + b * m.rows * m.rows, m.rows);
        copy(result, run[out]);
    };
    return work;
}

template <class T> struct Determinant {
    T sign{1};
    double logarithm = 0;
    Determinant(T* a, std::int64_t n) {
        for (std::int64_t k = 0; k < n; ++k) {
            if (pivot(a, n, k, static_cast<T*>(nullptr))) sign = -sign;
            const T diagonal = a[k * n + k];
            const double size = std::abs(diagonal);
            logarithm += std::log(size);
            sign = size == 0 ? T{0} : sign * (diagonal / size);
            if (size == 0) break;
            for (std::int64_t i = k + 1; i < n; ++i) {
                const T factor = a[i * n + k] / diagonal;
                for (std::int64_t j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
            }
        }
    }
};
// sign and logarithm of the absolute value; or the logarithm of the determinant itself
Work plan_determinant(Call& call, const std::optional<Tensor>& sign, const Tensor& logarithm) {
    const Tensor self = call.tensor("self");
    const Matrices m(call, self);
    m.expect_square(call, self);
    const bool is_complex = asnumpy::is_complex(self.dtype);
    const DType inner = is_complex ? DType::complex128 : DType::float64;
    if (sign) {
        call.expect_shape(*sign, batch_shape(self));
        call.expect_castable(inner, *sign);
    } else {
        call.expect_castable(inner, logarithm);
    }
    call.expect_shape(logarithm, batch_shape(self));
    Work work;
    work.operations = static_cast<double>(self.size()) * static_cast<double>(m.rows);
    work.compute = [=](const Run& run) {
        const Owned a = contiguous(run[self], inner), signs = make(inner, batch_shape(self)), logs = make(sign ? DType::float64 : inner, batch_shape(self));
        in_double(inner, [&]<class T>() {
            for (std::int64_t b = 0; b < m.batch; ++b) {
                const Determinant<T> d(a.as<T>() + b * m.rows * m.rows, m.rows);
                signs.as<T>()[b] = d.sign;
                if (sign) logs.as<double>()[b] = d.logarithm;
                else logs.as<T>()[b] = d.logarithm + std::log(d.sign);
            }
        });
        if (sign) copy(signs, run[*sign]);
        copy(logs, run[logarithm]);
    };
    return work;
}

// Householder's reflections: `r` becomes triangular, `q` gets the first `width` columns of their product.
template <class T> void reflect(T* r, T* q, std::int64_t rows, std::int64_t columns, std::int64_t width) {
    const std::int64_t steps = std::min(rows, columns);
    std::vector<std::vector<T>> reflectors;
    std::vector<T> factors;
    for (std::int64_t k = 0; k < steps; ++k) {
        std::vector<T> v(static_cast<std::size_t>(rows), T{});
        double below = 0;
        for (std::int64_t i = k + 1; i < rows; ++i) below += std::norm(v[static_cast<std::size_t>(i)] = r[i * columns + k]);
        const T head = r[k * columns + k];
        T factor{};
        if (const double imaginary = std::norm(head) - real_part(head) * real_part(head); below != 0 || imaginary > 0) {  // LAPACK's choice of signs
            const double beta = -std::copysign(std::sqrt(std::norm(head) + below), real_part(head));
            factor = (beta - head) / beta;
            for (std::int64_t i = k + 1; i < rows; ++i) v[static_cast<std::size_t>(i)] /= head - beta;
        }
        v[static_cast<std::size_t>(k)] = T{1};
        for (std::int64_t j = k; j < columns; ++j) {
            T dot{};
            for (std::int64_t i = k; i < rows; ++i) dot += conjugate(v[static_cast<std::size_t>(i)]) * r[i * columns + j];
            dot *= conjugate(factor);
            for (std::int64_t i = k; i < rows; ++i) r[i * columns + j] -= v[static_cast<std::size_t>(i)] * dot;
        }
        for (std::int64_t i = k + 1; i < rows; ++i) r[i * columns + k] = T{};
        reflectors.push_back(std::move(v));
        factors.push_back(factor);
    }
    if (!q) return;
    for (std::int64_t i = 0; i < rows * width; ++i) q[i] = i / width == i % width ? T{1} : T{0};
    for (std::int64_t k = steps - 1; k >= 0; --k) {
        const std::vector<T>& v = reflectors[static_cast<std::size_t>(k)];
        for (std::int64_t j = 0; j < width; ++j) {
            T dot{};
            for (std::int64_t i = k; i < rows; ++i) dot += conjugate(v[static_cast<std::size_t>(i)]) * q[i * width + j];
            dot *= factors[static_cast<std::size_t>(k)];
            for (std::int64_t i = k; i < rows; ++i) q[i * width + j] -= v[static_cast<std::size_t>(i)] * dot;
        }
    }
}

enum class Size { reduced, complete, only_r };
Work plan_qr(Call& call, Size size) {
    const Tensor self = call.tensor("self"), q = call.tensor("Q"), r = call.tensor("R");
    const Matrices m(call, self);
    const std::int64_t width = size == Size::complete ? m.rows : std::min(m.rows, m.columns);
    if (size != Size::only_r) call.expect_shape(q, matrix_shape(self, m.rows, width));
    call.expect_shape(r, matrix_shape(self, width, m.columns));
    const DType inner = asnumpy::is_complex(self.dtype) ? DType::complex128 : DType::float64;
    call.expect_castable(inner, q);
    call.expect_castable(inner, r);
    Work work;
    work.operations = 2.0 * static_cast<double>(self.size()) * static_cast<double>(width);
    work.compute = [=](const Run& run) {
        const Owned a = contiguous(run[self], inner), made_q = make(inner, matrix_shape(self, m.rows, width)), made_r = make(inner, r.shape());
        in_double(inner, [&]<class T>() {
            for (std::int64_t b = 0; b < m.batch; ++b) {
                T* const from = a.as<T>() + b * m.rows * m.columns;
                reflect(from, size == Size::only_r ? nullptr : made_q.as<T>() + b * m.rows * width, m.rows, m.columns, width);
                std::copy_n(from, width * m.columns, made_r.as<T>() + b * width * m.columns);
            }
        });
        if (size != Size::only_r) copy(made_q, run[q]);
        copy(made_r, run[r]);
    };
    return work;
}

// A x = b by substitution; the batches broadcast.
Work plan_triangular(Call& call) {
    const Tensor b = call.tensor("self"), a = call.tensor("A"), x = call.tensor("xOut"), m = call.tensor("mOut");
    const Matrices right(call, b), left(call, a);
    left.expect_square(call, a);
    call.expect(right.rows == left.rows, "self", text("matrices of ", left.rows, " rows, got shape ", b.shape()));
    call.expect_dtype(a, b.dtype);
    Tensor outer_a = a, outer_b = b;
    outer_a.view.shape = batch_shape(a);
    outer_b.view.shape = batch_shape(b);
    const Dims batch = call.broadcast({&outer_b, &outer_a});
    const auto with = [&](std::int64_t rows, std::int64_t columns) {
        Dims shape = batch;
        shape.push_back(rows);
        shape.push_back(columns);
        return shape;
    };
    const Dims shape_a = with(left.rows, left.rows), shape_x = with(right.rows, right.columns);
    call.expect_shape(x, shape_x);
    call.expect_shape(m, shape_a);
    const bool transpose = call.flag("transpose"), upper = call.flag("upper") != transpose, unit = call.flag("unitriangular");
    const DType inner = asnumpy::is_complex(a.dtype) ? DType::complex128 : DType::float64;
    Work work;
    work.operations = static_cast<double>(x.size()) * static_cast<double>(left.rows);
    work.compute = [=](const Run& run) {
        const Owned lefts = contiguous(broadcast_to(run[a], shape_a), inner), values = contiguous(broadcast_to(run[b], shape_x), inner);
        const std::int64_t n = left.rows, columns = right.columns, count = n ? lefts.size() / (n * n) : 0;
        in_double(inner, [&]<class T>() {
            for (std::int64_t k = 0; k < count; ++k) {
                const T* const matrix = lefts.as<T>() + k * n * n;
                T* const v = values.as<T>() + k * n * columns;
                const auto at = [&](std::int64_t i, std::int64_t j) { return transpose ? matrix[j * n + i] : matrix[i * n + j]; };
                for (std::int64_t step = 0; step < n; ++step) {
                    const std::int64_t i = upper ? n - 1 - step : step;
                    for (std::int64_t c = 0; c < columns; ++c) {
                        for (std::int64_t j = upper ? i + 1 : 0; j < (upper ? n : i); ++j) v[i * columns + c] -= at(i, j) * v[j * columns + c];
                        if (!unit) v[i * columns + c] /= at(i, i);
                    }
                }
            }
        });
        copy(values, run[x]);
        copy(broadcast_to(run[a], shape_a), run[m]);
    };
    return work;
}

Work plan_cross(Call& call) {
    const Tensor self = call.tensor("self"), other = call.tensor("other"), out = call.tensor("out");
    const Dims shape = call.broadcast({&self, &other});
    call.expect_shape(out, shape);
    const int axis = call.axis("dim", call.integer("dim"), shape.size());
    call.expect(!shape.empty() && shape[axis] == 3, "dim", text("an axis of length 3, got shape ", shape));
    const DType common = call.promote(self.dtype, other.dtype, "other"), inner = widened_half(common);
    call.expect_castable(common, out);
    Work work;
    work.operations = 3.0 * static_cast<double>(out.size());
    work.compute = [=](const Run& run) {
        const Owned a = contiguous(broadcast_to(run[self], shape), inner), b = contiguous(broadcast_to(run[other], shape), inner), c = make(inner, shape);
        cannsim::dispatch(inner, [&]<class T>() {
            if constexpr (!asnumpy::is_half_v<T> && !std::is_same_v<T, bool>) {
                const std::int64_t stride = a.strides[axis];
                each_line(axis, [&](std::byte* x, std::byte* y, std::byte* z) {
                    const auto of = [stride](std::byte* line, std::int64_t i) -> T& { return *reinterpret_cast<T*>(line + i % 3 * stride); };
                    for (std::int64_t i = 0; i < 3; ++i)
                        of(z, i) = minus(times(of(x, i + 1), of(y, i + 2)), times(of(x, i + 2), of(y, i + 1)));
                }, static_cast<const Array&>(a), static_cast<const Array&>(b), static_cast<const Array&>(c));
            }
        });
        copy(c, run[out]);
    };
    return work;
}

const Operators linear_algebra{
    {"aclnnInverse", plan_inverse},
    {"aclnnSlogdet", [](Call& call) { return plan_determinant(call, call.tensor("signOut"), call.tensor("logOut")); }},
    {"aclnnLogdet", [](Call& call) { return plan_determinant(call, std::nullopt, call.tensor("out")); }},
    {"aclnnQr", [](Call& call) { return plan_qr(call, call.flag("some") ? Size::reduced : Size::complete); }},
    {"aclnnLinalgQr", [](Call& call) {
        const std::int64_t mode = call.integer("mode");
        call.expect(mode >= 0 && mode <= 2, "mode", text("0 reduced, 1 complete or 2 r, got ", mode));
        return plan_qr(call, static_cast<Size>(mode));
    }},
    {"aclnnTriangularSolve", plan_triangular},
    {"aclnnLinalgCross", plan_cross},
};

}  // namespace
}  // namespace cannsim
