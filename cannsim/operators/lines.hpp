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
        const std::int64_t length = out.ndim() ? out.length(axis) : 1, lines = out.size() / length;
        const std::int64_t block = std::max<std::int64_t>(4096 / length, 1);  // lines that are converted together
        std::vector<Cursor> reading;
        std::vector<Loop> load;
        for (const Tensor& in : ins) {
            reading.emplace_back(permuted(broadcast_to(run[in], out.shape()), order));
            load.push_back(converter(in.dtype, DType::float64));
        }
        const Cursor writing(permuted(run[out], order));
        const Loop store = converter(DType::float64, out.dtype);
        parallel(lines, 1, (std::int64_t{1} << 15) / length + 2, [&](std::int64_t first, std::int64_t last) {
            const auto most = static_cast<std::size_t>(block * length);
            std::vector<std::byte> raw(most * 16);
            std::array<std::vector<double>, N + 1> values;
            for (auto& one : values) one.resize(most);
            std::vector<Cursor> from = reading;
            Cursor to = writing;
            for (Cursor& cursor : from)
                if (!cursor.is_contiguous() && !cursor.is_splat()) cursor.seek(first * length);
            if (!to.is_contiguous()) to.seek(first * length);
            for (std::int64_t line = first; line < last; line += block) {
                const std::int64_t count = std::min(block, last - line), n = count * length;
                for (std::size_t k = 0; k < N; ++k) {
                    const void* source = raw.data();
                    if (from[k].is_contiguous()) source = from[k].at(line * length);
                    else from[k].gather(raw.data(), n);
                    void* const target = values[k].data();
                    load[k](&target, &source, static_cast<std::size_t>(n));
                }
                for (std::int64_t i = 0; i < count; ++i) {
                    const auto span = [&](std::size_t k) { return std::span<double>(values[k].data() + i * length, static_cast<std::size_t>(length)); };
                    [&]<std::size_t... K>(std::index_sequence<K...>) { f(span(K)..., span(N)); }(std::make_index_sequence<N>{});
                }
                void* const target = to.is_contiguous() ? to.at(line * length) : raw.data();
                const void* const source = values[N].data();
                store(&target, &source, static_cast<std::size_t>(n));
                if (!to.is_contiguous()) to.scatter(raw.data(), n);
            }
        });
    };
    return work;
}

// exp(x) of a line, by the rows' vector loop.
inline void exponentials(std::span<double> x) {
    static const Loop loop = [] {
        const RowLoops& row = find_row("exp");
        return row.loops[static_cast<std::size_t>(find_loop(row, std::array{DType::float64}))];
    }();
    void* const out = x.data();
    const void* const in = x.data();
    loop(&out, &in, x.size());
}

}  // namespace cannsim
