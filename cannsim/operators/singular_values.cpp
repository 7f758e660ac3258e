// Singular values and vectors of matrices, by rotations of their columns.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "aclnn/strided.hpp"
#include "operators/matrices.hpp"

namespace cannsim {
namespace {

// Vectors (m each, m at least their number) turned in pairs until all are orthogonal: their lengths are the singular values, their
// directions the left vectors; the right ones are turned along.
template <class T> using Vectors = std::vector<std::vector<T>>;
template <class T> T inner_product(const std::vector<T>& a, const std::vector<T>& b) {
    T sum{};
    for (std::size_t i = 0; i < a.size(); ++i) sum += conjugate(a[i]) * b[i];
    return sum;
}
template <class T> void orthogonalize(Vectors<T>& w, Vectors<T>& v) {
    for (int sweep = 0; sweep < 60; ++sweep) {
        bool turned = false;
        for (std::size_t p = 0; p < w.size(); ++p)
            for (std::size_t q = p + 1; q < w.size(); ++q) {
                const double a = real_part(inner_product(w[p], w[p])), b = real_part(inner_product(w[q], w[q]));
                const T dot = inner_product(w[p], w[q]);
                const double size = std::abs(dot);
                if (!(size > 1e-15 * std::sqrt(a * b))) continue;
                turned = true;
                const T phase = conjugate(dot / size);
                const double zeta = (b - a) / (2 * size), t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta)), c = 1 / std::sqrt(1 + t * t), s = c * t;
                for (Vectors<T>* const columns : {&w, &v})
                    for (std::size_t i = 0; i < (*columns)[p].size(); ++i) {
                        const T x = (*columns)[p][i], y = (*columns)[q][i] * phase;
                        (*columns)[p][i] = c * x - s * y;
                        (*columns)[q][i] = s * x + c * y;
                    }
            }
        if (!turned) return;
    }
}
// Unit vectors orthogonal to those that are there, until there are `count`.
template <class T> void complete(Vectors<T>& u, std::size_t rows, std::size_t count) {
    for (std::size_t k = 0; u.size() < count && k < rows; ++k) {
        std::vector<T> next(rows, T{});
        next[k] = T{1};
        for (int twice = 0; twice < 2; ++twice)
            for (const std::vector<T>& one : u) {
                const T dot = inner_product(one, next);
                for (std::size_t i = 0; i < rows; ++i) next[i] -= dot * one[i];
            }
        const double size = std::sqrt(real_part(inner_product(next, next)));
        if (size < 0.5 / static_cast<double>(rows)) continue;  // some unit vector is at least 1 / sqrt(rows) away from any subspace
        for (T& x : next) x /= size;
        u.push_back(std::move(next));
    }
}
// A (m, n) = U diag(sigma) V^H, m >= n; all of U's columns, or the first n.
template <class T> void decompose(const Vectors<T>& a, std::size_t m, std::size_t left, std::vector<double>& sigma, Vectors<T>& u, Vectors<T>& v) {
    const std::size_t n = a.size();
    Vectors<T> w = a, turned(n, std::vector<T>(n, T{}));
    for (std::size_t i = 0; i < n; ++i) turned[i][i] = T{1};
    orthogonalize(w, turned);
    std::vector<double> sizes;
    for (const std::vector<T>& column : w) sizes.push_back(std::sqrt(real_part(inner_product(column, column))));
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t x, std::size_t y) { return sizes[x] > sizes[y]; });
    const double least = n ? sizes[order[0]] * 1e-15 * static_cast<double>(m) : 0;
    for (const std::size_t k : order) {
        sigma.push_back(sizes[k]);
        v.push_back(turned[k]);
        if (sizes[k] > least) {
            for (T& x : w[k]) x /= sizes[k];
            u.push_back(w[k]);
        }
    }
    complete(u, m, left);
}

Work plan_singular(Call& call) {
    const Tensor self = call.tensor("input"), sigma = call.tensor("sigma"), left = call.tensor("u"), right = call.tensor("v");
    const Matrices m(call, self);
    const bool full = call.flag("fullMatrices"), vectors = call.flag("computeUV");
    const std::int64_t width = std::min(m.rows, m.columns);
    Dims values = batch_shape(self);
    values.push_back(width);
    call.expect_shape(sigma, values);
    const DType inner = asnumpy::is_complex(self.dtype) ? DType::complex128 : DType::float64;
    if (vectors) {
        call.expect_shape(left, matrix_shape(self, m.rows, full ? m.rows : width));
        call.expect_shape(right, matrix_shape(self, m.columns, full ? m.columns : width));
    }
    const auto zeros = [inner](const Tensor& like) {
        Owned made = make(inner, like.shape());
        std::memset(made.data, 0, static_cast<std::size_t>(made.size()) * asnumpy::itemsize(inner));
        return made;
    };
    Work work;
    work.operations = 12.0 * static_cast<double>(self.size()) * static_cast<double>(width);
    work.compute = [=](const Run& run) {
        const Owned a = contiguous(run[self], inner), s = make(DType::float64, values);
        const Owned made_u = zeros(left), made_v = zeros(right);
        in_double(inner, [&]<class T>() {
            const bool tall = m.rows >= m.columns;
            for (std::int64_t b = 0; b < m.batch; ++b) {
                const T* const from = a.as<T>() + b * m.rows * m.columns;
                Vectors<T> columns(static_cast<std::size_t>(width), std::vector<T>(static_cast<std::size_t>(std::max(m.rows, m.columns)))), u, v;
                for (std::int64_t i = 0; i < m.rows; ++i)
                    for (std::int64_t j = 0; j < m.columns; ++j)
                        columns[static_cast<std::size_t>(tall ? j : i)][static_cast<std::size_t>(tall ? i : j)] = tall ? from[i * m.columns + j] : conjugate(from[i * m.columns + j]);
                std::vector<double> sizes;
                const std::int64_t longer = std::max(m.rows, m.columns);
                decompose(columns, static_cast<std::size_t>(longer), static_cast<std::size_t>(full ? longer : width), sizes, u, v);
                std::ranges::copy(sizes, s.as<double>() + b * width);
                if (!vectors) continue;
                if (!tall) std::swap(u, v);
                const auto store = [b](const Vectors<T>& from_columns, const Owned& to, bool conjugated) {
                    const auto count = static_cast<std::int64_t>(from_columns.size()), rows = static_cast<std::int64_t>(from_columns[0].size());
                    for (std::int64_t i = 0; i < rows; ++i)
                        for (std::int64_t j = 0; j < count; ++j) {
                            const T x = from_columns[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)];
                            to.as<T>()[(b * rows + i) * count + j] = conjugated ? conjugate(x) : x;
                        }
                };
                store(u, made_u, false);
                store(v, made_v, true);  // input = u diag(sigma) v^T
            }
        });
        copy(s, run[sigma]);
        copy(made_u, run[left]);
        copy(made_v, run[right]);
    };
    return work;
}

const Operators singular_values{{"aclnnSvd", plan_singular}};

}  // namespace
}  // namespace cannsim
