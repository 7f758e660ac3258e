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

void expect_to_fit(const Dims& source, const Dims& target) {
    const int from = source.size(), to = target.size();
    bool fits = true;
    for (int i = 1; fits && i <= from; ++i) {
        const std::int64_t length = source[from - i];
        fits = length == 1 || (i <= to && length == target[to - i]);
    }
    if (!fits) throw ValueError("could not broadcast input array from shape " + to_string(source) + " into shape " + to_string(target));
}

void assign(const Array& dst, const Input& src) {
    if (src.array) {
        expect_to_fit(src.array->view.shape, dst.view.shape);
        if (const int surplus = src.array->ndim() - dst.ndim(); surplus > 0) {  // leading axes of length 1
            Array trimmed = *src.array;
            View& view = trimmed.view;
            view.shape = Dims(std::span(view.shape.begin() + surplus, view.shape.end()));
            view.strides = Dims(std::span(view.strides.begin() + surplus, view.strides.end()));
            return assign(dst, trimmed);
        }
    }
    if (dst.size() == 0) return;
    // What `a[1:] += b` ends with: Python stores the view that was added to in its own place.
    if (src.array && src.array->buffer == dst.buffer && src.array->dtype == dst.dtype && src.array->view == dst.view) return;
    if (overlaps_itself(dst)) return assign_in_order(dst, src);
    if (const DType next = cast_step(src.dtype(), dst.dtype); next != dst.dtype) {
        if (!src.is_scalar()) return assign(dst, cast(*src.array, next));
        const Array held = new_array(Dims{}, src.dtype(), dst.pool());
        assign(held, src);
        return assign(dst, cast(held, next));
    }
    apply_to(dst, cast_row(), cast_loop(src.dtype(), dst.dtype), std::span(&src, 1));
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
    Array copy = new_array(array.shape(), dtype, array.pool());  // apply would keep the source's layout
    apply_to(copy, cast_row(), cast_loop(array.dtype, dtype), std::span(&source, 1));
    return copy;
}

Array cast_alike(const Array& array, DType dtype) {
    if (const DType next = cast_step(array.dtype, dtype); next != dtype) return cast_alike(cast_alike(array, next), dtype);
    const Input source(array);
    return std::move(apply(cast_row(), cast_loop(array.dtype, dtype), std::span(&source, 1), {})[0]);
}

}  // namespace asnumpy
