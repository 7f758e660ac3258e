// Matrices in the last two axes of tensors, computed in double precision.
#pragma once

#include <complex>

#include "aclnn/call.hpp"

namespace cannsim {

// Calls f.template operator()<T>() with double or complex<double>.
template <class F> void in_double(DType dtype, F&& f) {
    if (asnumpy::is_complex(dtype)) f.template operator()<std::complex<double>>();
    else f.template operator()<double>();
}
template <class T> double real_part(T x) {
    if constexpr (asnumpy::is_complex_v<T>) return x.real();
    else return x;
}
template <class T> T conjugate(T x) {
    if constexpr (asnumpy::is_complex_v<T>) return std::conj(x);
    else return x;
}

struct Matrices {
    std::int64_t batch = 1, rows, columns;
    Matrices(const Call& call, const Tensor& t) {
        call.expect(t.ndim() >= 2, t.name, text("at least two axes, got shape ", t.shape()));
        rows = t.length(t.ndim() - 2);
        columns = t.length(t.ndim() - 1);
        for (int i = 0; i + 2 < t.ndim(); ++i) batch *= t.length(i);
    }
    void expect_square(const Call& call, const Tensor& t) const { call.expect(rows == columns, t.name, text("square matrices, got shape ", t.shape())); }
};
inline Dims matrix_shape(const Tensor& like, std::int64_t rows, std::int64_t columns) {
    Dims shape = like.shape();
    shape[shape.size() - 2] = rows;
    shape[shape.size() - 1] = columns;
    return shape;
}
inline Dims batch_shape(const Tensor& like) {
    Dims shape;
    for (int i = 0; i + 2 < like.ndim(); ++i) shape.push_back(like.length(i));
    return shape;
}

}  // namespace cannsim
