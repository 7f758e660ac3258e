// Structured calls on tensors as arrays have them, made to fit operators: of few axes, with strides and addresses that they take.
#include "ascend/launch/movement.hpp"
#include "ascend/lower/lowering.hpp"

#include <algorithm>
#include <utility>

namespace asnumpy::ascend {
namespace {

// A call on C-contiguous tensors of many axes as the same on few: those before and after the axis joined, or the batch's.
void join_axes(StructuredCall& call) {
    static const RowId matmul = find_row("matmul");
    const auto reshape = [](Tensor& t, Dims shape) {
        t.strides = contiguous(shape, static_cast<std::int64_t>(itemsize(t.dtype))).strides;
        t.shape = std::move(shape);
    };
    const auto joined = [](const Tensor& t, int from, int to) { return count({t.shape.data() + from, static_cast<std::size_t>(to - from)}); };
    const int before = static_cast<int>(call.axis), ndim = call.in[0].shape.size();
    const auto each = [&](Tensor& t) {
        const int n = t.shape.size();
        if (call.row == matmul) reshape(t, {joined(t, 0, n - 2), t.shape[n - 2], t.shape[n - 1]});
        else if (n == ndim) reshape(t, {joined(t, 0, before), t.shape[before], joined(t, before + 1, n)});
        else if (n > 1) reshape(t, {joined(t, 0, before), joined(t, before, n)});  // without the axis: argmax
    };
    for (Tensor& t : call.in) each(t);
    for (Tensor& t : call.out) each(t);
    call.axis = 1;
}

}  // namespace

void run_fitted(Emitter& emitter, const StructuredCall& call) {
    StructuredCall prepared = call;
    static const RowId matmul = find_row("matmul"), scatter = find_row("scatter");
    const bool adds = (call.row == matmul && call.option == 1) || call.row == scatter;  // to what the output holds
    const auto deep = [](const Tensor& t) { return t.shape.size() > most_axes; };
    const bool many_axes = std::ranges::any_of(call.in, deep) || std::ranges::any_of(call.out, deep);
    const auto gathered = [&](const Tensor& t) {
        const Tensor copy = emitter.temporary(t.shape, t.dtype);
        move(emitter, t, copy);
        return copy;
    };
    for (Tensor& t : prepared.in) t = deep(t) || (many_axes && t.shape.size() > 1) ? gathered(t) : direct(emitter, t);
    std::vector<std::pair<Tensor, Tensor>> late;
    for (Tensor& t : prepared.out) {
        if (!many_axes && is_direct(t)) continue;
        const Tensor there = t;
        t = adds ? gathered(t) : emitter.temporary(t.shape, t.dtype);
        late.emplace_back(t, there);
    }
    if (many_axes) join_axes(prepared);
    run(emitter, prepared);
    for (auto [here, there] : late) {
        here.shape = there.shape;
        here.strides = contiguous(there.shape, static_cast<std::int64_t>(itemsize(there.dtype))).strides;
        if (adds) overwrite(emitter, here, there);
        else move(emitter, here, there);
    }
}

}  // namespace asnumpy::ascend
