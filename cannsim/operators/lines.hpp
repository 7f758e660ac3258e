// Operators whose results along an axis depend on all the values along it: softmax, normalisations.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "operators/formula.hpp"

namespace cannsim {

// The axes in their order, but `axis` last.
inline std::vector<int> axis_last(int ndim, int axis) {
    std::vector<int> order;
    for (int i = 0; i < ndim; ++i)
        if (i != axis) order.push_back(i);
    if (ndim > 0) order.push_back(axis);
    return order;
}

// f(input lines..., output line) for each line along `axis`: lines of float64; inputs broadcast to the output's shape.
template <std::size_t N, class F> Work along_axis(const Call& call, const std::array<Tensor, N>& ins, const Tensor& out, int axis, F f) {
    call.expect_shape(out, joined_shape(call, ins));
    call.expect_castable(promoted(call, ins), out);
    Work work;
    work.operations = static_cast<double>(out.size()) * 8;
    work.compute = [=](const Run& run) {
        if (out.size() == 0) return;
        const std::vector<int> order = axis_last(out.ndim(), axis);
        std::vector<Owned> values;
        for (const Tensor& in : ins) values.push_back(contiguous(permuted(broadcast_to(run[in], out.shape()), order), DType::float64));
        const Array target = permuted(run[out], order);
        const Owned results = make(DType::float64, target.shape);
        const std::int64_t length = out.ndim() ? out.length(axis) : 1;
        parallel(out.size() / length, 1, (std::int64_t{1} << 15) / length + 2, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t line = first; line < last; ++line) {
                const auto span = [&](const Array& array) { return std::span<double>(array.as<double>() + line * length, static_cast<std::size_t>(length)); };
                [&]<std::size_t... K>(std::index_sequence<K...>) { f(span(values[K])..., span(results)); }(std::make_index_sequence<N>{});
            }
        });
        copy(results, target);
    };
    return work;
}

}  // namespace cannsim
