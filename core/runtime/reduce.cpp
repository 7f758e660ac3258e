// Recording reductions, and the short way for small arrays.
#include <algorithm>
#include <span>

#include "base/order.hpp"
#include "runtime/record.hpp"
#include "runtime/single.hpp"

namespace asnumpy {

namespace {

// By axis of the array, reduced or not: the order in which the array has them is the result's.
Dims strides_of_result(const Array& array, std::uint64_t axes, DType dtype) {
    const OrderedOperand operand{&array.view, item_bytes(array.dtype)};
    return iterator_strides(array.view.shape, {&operand, 1}, item_bytes(dtype), axes);
}

}  // namespace

Array reduce(RowId id, int loop, const Array& array, std::uint64_t axes, bool keepdims) {
    if (is_put_off(array)) return reduce(id, loop, brought_up(array), axes, keepdims);
    const Row& r = row(id);
    const DType dtype = r.loops[static_cast<std::size_t>(loop)].in[0];
    const int ndim = array.ndim();
    Dims kept, kept_full(ndim, 1);
    bool empty = false;
    for (int i = 0; i < ndim; ++i) {
        if (axes >> i & 1) {
            empty = empty || array.view.shape[i] == 0;
            continue;
        }
        kept.push_back(array.view.shape[i]);
        kept_full[i] = array.view.shape[i];
    }
    Array result = new_array(keepdims ? kept_full : kept, dtype, array.pool());
    if (result.size() == 0) return result;
    Dims strides(ndim, item_bytes(dtype));
    if (result.size() > 1) {
        strides = strides_of_result(array, axes, dtype);
        for (int i = 0, k = 0; i < ndim; ++i)
            if (keepdims || !(axes >> i & 1)) result.view.strides[k++] = strides[i];
    }
    if (empty) {
        assign(result, neutral(id, dtype));
        return result;
    }
    if (result.size() == 1 && array.size() <= std::min(eager_size(), fewest_for_launch) && array.dtype == dtype && is_at_hand(array) && is_plain(array)) {
        if (const ContiguousFold fold = array.pool().backend().contiguous_fold(id, loop)) {
            result.buffer->materialise();
            fold(result.data(), array.data(), static_cast<std::size_t>(array.size()));
            if (begins_with_identity(id, dtype)) {
                const Scalar first = neutral(id, dtype);
                void* const out[]{result.data(), nullptr};
                const void* const in[]{first.bytes.data(), result.data(), nullptr};
                array.pool().backend().contiguous_loop(id, loop)(out, in, 1);
            }
            return result;
        }
    }
    Instruction instruction;
    instruction.work = Work::reduction;
    instruction.row = id;
    instruction.loop = static_cast<std::uint16_t>(loop);
    instruction.shape = array.view.shape;
    instruction.reduced = axes;
    instruction.in.emplace_back(array.dtype == dtype ? array : cast(array, dtype));
    Array& out = instruction.out.emplace_back(result);
    out.view.shape = array.view.shape;
    out.view.strides = strides;
    for (int i = 0; i < ndim; ++i)
        if (axes >> i & 1) out.view.strides[i] = 0;
    if (axes == 0 || ndim == 0) {  // nothing is combined: a copy
        if (!begins_with_identity(id, dtype)) {
            assign(result, *instruction.in[0].array());
            return result;
        }
        const Array source = *instruction.in[0].array();
        const Input operands[]{Input(neutral(id, dtype)), Input(source)};
        return apply(id, loop, operands, std::span(&result, 1))[0];
    }
    submit(std::move(instruction), count(instruction.shape));
    return result;
}

}  // namespace asnumpy
