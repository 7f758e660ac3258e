// Elements in another order, repeated, or a part of them: axes permuted, expanded, flipped, rolled, sliced, tiled.
#include <algorithm>
#include <cstring>

#include "operators/places.hpp"

namespace cannsim {
namespace {

// out = view(self), of the same shape.
template <class F> Work viewed(const Tensor& self, const Tensor& out, F view) {
    Work work;
    work.compute = [=](const Run& run) { copy(view(run[self]), run[out]); };
    return work;
}

Work plan_permute(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    const auto given = call.ints("dims");
    call.expect(static_cast<int>(given.size()) == self.ndim(), "dims", text(self.ndim(), " axes, got ", given.size()));
    if (self.ndim()) call.axes("dims", self.ndim());  // refuses duplicates
    std::vector<int> order;
    Dims shape;
    for (const std::int64_t one : given) {
        order.push_back(call.axis("dims", one, self.ndim()));
        shape.push_back(self.length(order.back()));
    }
    call.expect_shape(out, shape);
    return viewed(self, out, [order](const Array& from) { return permuted(from, order); });
}

Work plan_expand(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    const auto size = call.ints("size");
    const int added = static_cast<int>(size.size()) - self.ndim();
    call.expect(added >= 0, "size", text("at least ", self.ndim(), " lengths, got ", size.size()));
    Dims shape(size);
    for (int axis = 0; axis < shape.size(); ++axis) {
        const std::int64_t own = axis < added ? 1 : self.length(axis - added);
        if (shape[axis] == -1 && axis >= added) shape[axis] = own;
        call.expect(shape[axis] == own || (own == 1 && shape[axis] >= 0), "size", text("lengths to which ", self.shape(), " broadcasts, got ", Dims(size)));
    }
    call.expect_dtype(out, self.dtype);
    call.expect_shape(out, shape);
    return viewed(self, out, [shape](const Array& from) { return broadcast_to(from, shape); });
}

Work plan_flip(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    const bool none = call.ints("dims").empty();
    const std::vector<int> axes = none ? std::vector<int>() : call.axes("dims", self.ndim());
    call.expect_dtype(out, self.dtype);
    call.expect_shape(out, self.shape());
    return viewed(self, out, [axes](Array from) {
        for (const int axis : axes) {
            if (from.shape[axis]) from.data += (from.shape[axis] - 1) * from.strides[axis];
            from.strides[axis] = -from.strides[axis];
        }
        return from;
    });
}

Work plan_roll(Call& call) {
    const Tensor self = call.tensor("x"), out = call.tensor("out");
    const auto shifts = call.ints("shifts"), dims = call.ints("dims");
    call.expect(!shifts.empty(), "shifts", "at least one, got none");
    call.expect_dtype(out, self.dtype);
    call.expect_shape(out, self.shape());
    Dims total(std::max(self.ndim(), 1));
    if (dims.empty()) {
        call.expect(shifts.size() == 1, "shifts", text("one for all axes, got ", shifts.size()));
        total = Dims{shifts[0]};
    } else {
        call.expect(shifts.size() == dims.size(), "shifts", text("one for each of ", dims.size(), " axes, got ", shifts.size()));
        for (std::size_t i = 0; i < dims.size(); ++i) total[call.axis("dims", dims[i], self.ndim())] += shifts[i];
    }
    Work work;
    work.compute = [=, flat = dims.empty()](const Run& run) {
        const Dense from(run[self]);
        const Written rolled(run[out]);
        if (self.size() == 0) return;
        const auto item = static_cast<std::int64_t>(asnumpy::itemsize(self.dtype));
        const auto shift = [&](int axis, std::int64_t n) { return (total[axis] % n + n) % n; };
        if (flat) {  // two runs of memory
            const std::int64_t size = self.size() * item, before = shift(0, self.size()) * item;
            std::memcpy(rolled.data() + before, from.data(), static_cast<std::size_t>(size - before));
            std::memcpy(rolled.data(), from.data() + size - before, static_cast<std::size_t>(before));
            return rolled.store();
        }
        const Array source = at_least_1d(from.array()), target{rolled.data(), source.dtype, source.shape, asnumpy::contiguous(source.shape, item).strides};
        ByteTables tables;
        for (int axis = 0; axis < source.ndim(); ++axis) {
            tables.push_back(steps(source, axis));
            std::ranges::rotate(tables.back(), tables.back().end() - shift(axis, source.shape[axis]));
        }
        copy_mapped(source, tables, target);
        rolled.store();
    };
    return work;
}

Work plan_repeat(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    const Dims repeats(call.ints("repeats"));
    const int added = repeats.size() - self.ndim();
    call.expect(added >= 0 && repeats.size() <= 8, "repeats", text("from ", self.ndim(), " to 8 numbers, got ", repeats.size()));
    Dims shape;
    for (int axis = 0; axis < repeats.size(); ++axis) {
        call.expect(repeats[axis] >= 0, "repeats", text("none below 0, got ", repeats[axis]));
        shape.push_back(repeats[axis] * (axis < added ? 1 : self.length(axis - added)));
    }
    call.expect_dtype(out, self.dtype);
    call.expect_shape(out, shape);
    Work work;
    work.compute = [=](const Run& run) {
        const Array from = run[self], to = run[out];
        if (to.size() == 0) return;
        Array source{from.data, from.dtype, {}, {}}, target{to.data, to.dtype, {}, {}};  // two axes for each: which repeat, which element
        for (int axis = 0; axis < repeats.size(); ++axis) {
            const std::int64_t n = axis < added ? 1 : from.shape[axis - added];
            for (Array* const array : {&source, &target}) {
                array->shape.push_back(repeats[axis]);
                array->shape.push_back(n);
            }
            source.strides.push_back(0);
            source.strides.push_back(axis < added ? 0 : from.strides[axis - added]);
            target.strides.push_back(n * to.strides[axis]);
            target.strides.push_back(to.strides[axis]);
        }
        copy(source, target);
    };
    return work;
}

// One axis of a slice, clipped to the axis as Python clips it.
struct Part {
    int axis;
    std::int64_t first, count, step;
};
Part part(const Call& call, int axis, std::int64_t length, std::int64_t first, std::int64_t last, std::int64_t step, std::string_view step_name) {
    call.expect(step > 0, step_name, text("steps above 0, got ", step));
    const auto clipped = [length](std::int64_t place) { return std::clamp<std::int64_t>(place < 0 ? place + length : place, 0, length); };
    first = clipped(first);
    last = std::max(clipped(last), first);
    return {axis, first, (last - first + step - 1) / step, step};
}
Array sliced(Array array, std::span<const Part> parts) {
    for (const Part& p : parts) {
        array.data += p.first * array.strides[p.axis];
        array.strides[p.axis] *= p.step;
        array.shape[p.axis] = p.count;
    }
    return array;
}
Dims sliced(Dims shape, std::span<const Part> parts) {
    for (const Part& p : parts) shape[p.axis] = p.count;
    return shape;
}
std::vector<Part> parts_of(const Call& call, const Dims& shape, std::span<const std::int64_t> firsts, std::span<const std::int64_t> lasts,
                           std::span<const std::int64_t> axes, std::span<const std::int64_t> steps, std::initializer_list<std::string_view> names) {
    const auto* const name = names.begin();  // of firsts, lasts, axes, steps
    call.expect(lasts.size() == firsts.size(), name[1], text(firsts.size(), " numbers, got ", lasts.size()));
    call.expect(axes.size() == firsts.size() || axes.empty(), name[2], text(firsts.size(), " numbers, got ", axes.size()));
    call.expect(steps.size() == firsts.size() || steps.empty(), name[3], text(firsts.size(), " numbers, got ", steps.size()));
    call.expect(static_cast<int>(firsts.size()) <= shape.size(), name[0], text("at most ", shape.size(), " numbers, got ", firsts.size()));
    std::vector<Part> result;
    for (std::size_t i = 0; i < firsts.size(); ++i) {
        const int axis = call.axis(name[2], axes.empty() ? static_cast<std::int64_t>(i) : axes[i], shape.size());
        for (const Part& p : result) call.expect(p.axis != axis, name[2], text("axes without duplicates, got ", axis, " twice"));
        result.push_back(part(call, axis, shape[axis], firsts[i], lasts[i], steps.empty() ? 1 : steps[i], name[3]));
    }
    return result;
}

Work taken(const Call& call, std::vector<Part> parts) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    call.expect_castable(self.dtype, out);
    call.expect_shape(out, sliced(self.shape(), parts));
    return viewed(self, out, [parts = std::move(parts)](const Array& from) { return sliced(from, parts); });
}
Work plan_slice(Call& call) {
    const Tensor self = call.tensor("self");
    const int axis = call.axis("dim", call.integer("dim"), self.ndim());
    return taken(call, {part(call, axis, self.length(axis), call.integer("start"), call.integer("end"), call.integer("step"), "step")});
}
Work plan_slice_v2(Call& call) {
    const Tensor self = call.tensor("self");
    return taken(call, parts_of(call, self.shape(), call.ints("starts"), call.ints("ends"), call.ints("axes"), call.ints("steps"), {"starts", "ends", "axes", "steps"}));
}
Work plan_slice_assign(Call& call) {
    const Tensor target = call.tensor("varRef"), value = call.tensor("inputValue");
    const auto parts = parts_of(call, target.shape(), call.ints("begin"), call.ints("end"), call.ints("axesOptional"), call.ints("strides"),
                                {"begin", "end", "axesOptional", "strides"});
    call.expect_dtype(value, target.dtype);
    call.expect_shape(value, sliced(target.shape(), parts));
    Work work;
    work.compute = [=](const Run& run) { copy(run[value], sliced(run[target], parts)); };
    return work;
}

Work plan_channel_shuffle(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    const std::int64_t groups = call.integer("groups"), channels = self.length(1);
    call.expect(groups > 0 && channels % groups == 0, "groups", text("a divisor of the ", channels, " channels, got ", groups));
    call.expect_shape(out, self.shape());
    Work work;
    work.compute = [=](const Run& run) {
        const Array from = run[self];
        ByteTables tables;
        for (int axis = 0; axis < from.ndim(); ++axis) tables.push_back(steps(from, axis));
        for (std::int64_t i = 0; i < channels; ++i)
            tables[1][static_cast<std::size_t>(i)] = (i % groups * (channels / groups) + i / groups) * from.strides[1];
        copy_mapped(from, tables, run[out]);
    };
    return work;
}

// All axes before one become the first, the others the second.
Work plan_flatten(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    const std::int64_t given = call.integer("axis");
    call.expect(given >= -self.ndim() && given <= self.ndim(), "axis", text("from ", -self.ndim(), " to ", self.ndim(), ", got ", given));
    const int axis = static_cast<int>(given < 0 ? given + self.ndim() : given);
    call.expect_dtype(out, self.dtype);
    call.expect_shape(out, Dims{product(self.shape(), 0, axis), product(self.shape(), axis, self.ndim())});
    Work work;
    work.compute = [=](const Run& run) {
        const Owned values = contiguous(run[self]);
        Array flat = values;
        flat.shape = out.shape();
        flat.strides = asnumpy::contiguous(flat.shape, static_cast<std::int64_t>(asnumpy::itemsize(self.dtype))).strides;
        copy(flat, run[out]);
    };
    return work;
}

const Operators layout{
    {"aclnnFlatten", plan_flatten},
    {"aclnnPermute", plan_permute},
    {"aclnnExpand", plan_expand},
    {"aclnnFlip", plan_flip},
    {"aclnnRoll", plan_roll},
    {"aclnnRepeat", plan_repeat},
    {"aclnnSlice", plan_slice},
    {"aclnnSliceV2", plan_slice_v2},
    {"aclnnStridedSliceAssignV2", plan_slice_assign},
    {"aclnnChannelShuffle", plan_channel_shuffle},
};

}  // namespace
}  // namespace cannsim
