// NumPy's two orders: that of its assignment, which sorts the axes of the target, and that of its iterator, which asks all
// operands. Both are what NumPy does, found in its sources and held to it by tests, not what a user could rely on there.
#include "runtime/overlap.hpp"

#include <algorithm>
#include <cstdlib>

#include "runtime/record.hpp"

namespace asnumpy {

namespace {

WriteOrder as_listed_by(const View& view) {
    WriteOrder order;
    for (; order.ndim < view.ndim(); ++order.ndim) order.axis[static_cast<std::size_t>(order.ndim)] = static_cast<std::uint8_t>(order.ndim);
    return order;
}

// Whether NumPy copies a vector to a vector from its end: the source lies before the target, and reaches into it.
bool runs_backwards(const Array& target, const Array& source) {
    const View &to = target.view, &from = source.view;
    const std::int64_t n = to.shape[0];
    std::int64_t to_step = to.strides[0], from_step = from.ndim() > 0 && from.shape[from.ndim() - 1] != 1 ? from.strides[from.ndim() - 1] : 0;
    std::int64_t first = to.offset, other = from.offset;
    const bool backwards = to_step < 0;
    if (backwards) {
        first += to_step * (n - 1);
        other += from_step * (n - 1);
        from_step = -from_step;
    }
    const bool through_copy = from.ndim() > 0 && to.strides[0] * from.strides[from.ndim() - 1] < 0;
    if (target.buffer != source.buffer || through_copy || !may_overlap(target, source)) return backwards;
    return backwards != (other < first && other + n * from_step > first);
}

// A view with its axes in the order of writing.
View arranged(const View& view, const WriteOrder& order) {
    View result{view.offset, Dims(order.ndim), Dims(order.ndim)};
    for (int i = 0; i < order.ndim; ++i) {
        const int axis = order.axis[static_cast<std::size_t>(i)];
        const bool flipped = order.flipped >> axis & 1u;
        result.shape[i] = view.shape[axis];
        result.strides[i] = flipped ? -view.strides[axis] : view.strides[axis];
        if (flipped) result.offset += view.strides[axis] * (view.shape[axis] - 1);
    }
    return result;
}

}  // namespace

bool overlaps_itself(const Array& a) { return has_internal_overlap(a.view, item_bytes(a)); }

WriteOrder assignment_order(const Array& target, const Array* source) {
    const View& view = target.view;
    WriteOrder order = as_listed_by(view);
    std::stable_sort(order.axis.begin(), order.axis.begin() + order.ndim, [&](int a, int b) { return std::abs(view.strides[a]) > std::abs(view.strides[b]); });
    for (int i = 0; i < view.ndim(); ++i)
        if (view.strides[i] < 0) order.flipped |= std::uint64_t{1} << i;
    if (view.ndim() == 1 && source) order.flipped = runs_backwards(target, *source) ? 1 : 0;
    return order;
}

WriteOrder iteration_order(std::span<const View> operands, bool allocates, bool as_listed) {
    const View& target = operands.back();
    const int ndim = target.ndim();
    WriteOrder order = as_listed_by(target);
    if (as_listed && ndim == 1) return order;
    const auto stride = [&](const View& view, int axis) { return target.shape[axis] == 1 ? 0 : view.strides[axis]; };
    // 1: axis a belongs inside axis b; -1: outside; 0: no operand can tell. C order wins where operands disagree.
    const auto compare = [&](int a, int b) {
        int answer = 0;
        for (const View& view : operands) {
            const std::int64_t x = std::abs(stride(view, a)), y = std::abs(stride(view, b));
            if (x == 0 || y == 0) continue;
            if (x >= y) answer = -1;
            else if (answer == 0) answer = 1;
        }
        return answer;
    };
    // Insertion from the last axis to the first: an axis moves inwards past those over which it takes shorter steps.
    const auto begin = order.axis.begin();
    for (int i = ndim - 2; i >= 0; --i) {
        int place = i;
        for (int j = i + 1; j < ndim; ++j) {
            const int answer = compare(order.axis[static_cast<std::size_t>(i)], order.axis[static_cast<std::size_t>(j)]);
            if (answer < 0) break;
            if (answer > 0) place = j;
        }
        if (place != i) std::rotate(begin + i, begin + i + 1, begin + place + 1);
    }
    for (int axis = 0; axis < ndim && !allocates; ++axis) {
        bool negative = false, positive = false;
        for (const View& view : operands) {
            negative = negative || stride(view, axis) < 0;
            positive = positive || stride(view, axis) > 0;
        }
        if (negative && !positive) order.flipped |= std::uint64_t{1} << axis;
    }
    return order;
}

void write_in_order(const Array& target, const Array& source, const WriteOrder& order) {
    static const RowId copy = find_row("overlapping_copy");
    Instruction instruction;
    instruction.work = Work::structured;
    instruction.row = copy;
    instruction.in.emplace_back(Array{source.buffer, arranged(source.view, order), source.dtype});
    instruction.out.emplace_back(Array{target.buffer, arranged(target.view, order), target.dtype});
    submit(std::move(instruction), target.size());
}

}  // namespace asnumpy
