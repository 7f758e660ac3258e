// Assigning to a view, and casts: the row `cast`, one step or two, and targets that overlap themselves.
#include <span>
#include <string>

#include "base/error.hpp"
#include "runtime/overlap.hpp"
#include "runtime/record.hpp"

namespace asnumpy {

namespace {

// dst[...] = source where the elements of dst overlap each other; their shapes fit.
void assign_in_order(const Array& dst, const Input& source) {
    const WriteOrder order = assignment_order(dst, source.array);
    Array values = source.is_scalar() ? Array() : *source.array;
    if (source.is_scalar() || values.dtype != dst.dtype || &values.pool() != &dst.pool() || may_overlap(values, dst)) {
        values = new_array(source.is_scalar() ? Dims{} : source.array->view.shape, dst.dtype, dst.pool());
        assign(values, source);
    }
    values.view = broadcast_to(values.view, dst.view.shape);
    write_in_order(dst, values, order);
}

}  // namespace

void assign(const Array& dst, const Input& src) {
    Input source = src;
    Array trimmed;
    if (source.array) {
        if (source.array->ndim() > dst.ndim()) {  // as NumPy: surplus leading axes of length 1
            trimmed = *source.array;
            source.array = &trimmed;
            View& view = trimmed.view;
            int surplus = 0;
            while (view.ndim() - surplus > dst.ndim() && view.shape[surplus] == 1) ++surplus;
            view.shape = Dims(std::span(view.shape.begin() + surplus, view.shape.end()));
            view.strides = Dims(std::span(view.strides.begin() + surplus, view.strides.end()));
        }
        const View& view = source.array->view;
        bool fits = view.ndim() <= dst.ndim();
        for (int i = 0; fits && i < view.ndim(); ++i) {
            const std::int64_t length = view.shape[i];
            fits = length == 1 || length == dst.view.shape[dst.ndim() - view.ndim() + i];
        }
        if (!fits)
            throw ValueError("could not broadcast input array from shape " + to_string(src.array->view.shape) + " into shape " + to_string(dst.view.shape));
    }
    if (dst.size() == 0) return;
    // What `a[1:] += b` ends with: Python stores the view that was added to in its own place.
    if (source.array && source.array->buffer == dst.buffer && source.array->dtype == dst.dtype && source.array->view == dst.view) return;
    if (overlaps_itself(dst)) return assign_in_order(dst, source);
    if (const DType next = cast_step(source.dtype(), dst.dtype); next != dst.dtype) {
        if (!source.is_scalar()) return assign(dst, cast(*source.array, next));
        const Array held = new_array(Dims{}, source.dtype(), dst.pool());
        assign(held, source);
        return assign(dst, cast(held, next));
    }
    const Array outputs[]{dst};
    apply(cast_row(), cast_loop(source.dtype(), dst.dtype), std::span(&source, 1), outputs);
}

Instruction copying(const Array& from, const Array& to) {
    Instruction copy;
    copy.row = cast_row();
    copy.loop = static_cast<std::uint16_t>(cast_loop(from.dtype, to.dtype));
    copy.shape = to.view.shape;
    copy.in.emplace_back(from);
    copy.out.emplace_back(to);
    return copy;
}

Array cast(const Array& array, DType dtype) {
    if (const DType next = cast_step(array.dtype, dtype); next != dtype) return cast(cast(array, next), dtype);
    const Input source(array);
    const Array copy = new_array(array.shape(), dtype, array.pool());  // apply would keep the source's layout
    return apply(cast_row(), cast_loop(array.dtype, dtype), std::span(&source, 1), std::span(&copy, 1))[0];
}

Array cast_alike(const Array& array, DType dtype) {
    if (const DType next = cast_step(array.dtype, dtype); next != dtype) return cast_alike(cast_alike(array, next), dtype);
    const Input source(array);
    return apply(cast_row(), cast_loop(array.dtype, dtype), std::span(&source, 1), {})[0];
}

}  // namespace asnumpy
