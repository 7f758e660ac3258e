// Elements picked by index: along an axis, by flat index, by rows of indices.
#include "operators/places.hpp"

namespace cannsim {
namespace {

// out[..., i..., ...] = self[..., index[i...], ...] along an axis, whose place all axes of the index take.
Work along(const Call& call, const Tensor& self, const Tensor& index, const Tensor& out, int axis, const Dims& shape) {
    call.expect_dtype(out, self.dtype);
    call.expect_shape(out, shape);
    Work work;
    work.compute = [=, what = indexed(call, index)](const Run& run) {
        const Array from = at_least_1d(run[self]);
        if (out.size() == 0) return;
        const Written result(run[out]);
        Array to{result.data(), out.dtype, from.shape, {}};  // one axis for those of the index
        to.shape[axis] = index.size();
        to.strides = asnumpy::contiguous(to.shape, static_cast<std::int64_t>(asnumpy::itemsize(out.dtype))).strides;
        ByteTables tables;
        for (int i = 0; i < from.ndim(); ++i) tables.push_back(steps(from, i));
        auto& table = tables[static_cast<std::size_t>(axis)];
        table = places(run[index], from.shape[axis], what);
        for (std::int64_t& place : table) place = std::max<std::int64_t>(place, 0) * from.strides[axis];
        if (from.shape[axis] == 0) return;
        copy_mapped(from, tables, to);
        result.store();
    };
    return work;
}

Work plan_select(Call& call) {
    const Tensor self = call.tensor("self"), index = call.tensor("index");
    const int axis = call.axis("dim", call.integer("dim"), self.ndim());
    call.expect(index.ndim() <= 1, "index", text("at most one axis, got shape ", index.shape()));
    Dims shape = self.shape();
    if (self.ndim()) shape[axis] = index.size();
    else call.expect(index.size() == 1, "index", text("one element for a tensor of no axes, got ", index.size()));
    return along(call, self, index, call.tensor("out"), axis, shape);
}
Work plan_gather_axis(Call& call) {
    const Tensor self = call.tensor("self"), index = call.tensor("index");
    const int axis = call.axis("dim", call.integer("dim"), self.ndim());
    Dims shape;
    for (int i = 0; i < self.ndim(); ++i)
        if (i != axis) shape.push_back(self.length(i));
        else for (const std::int64_t n : index.shape()) shape.push_back(n);
    return along(call, self, index, call.tensor("out"), axis, shape);
}
Work plan_embedding(Call& call) {
    const Tensor weight = call.tensor("weight"), indices = call.tensor("indices");
    Dims shape = indices.shape();
    shape.push_back(weight.length(1));
    return along(call, weight, indices, call.tensor("out"), 0, shape);
}

Work plan_take(Call& call) {
    const Tensor self = call.tensor("self"), index = call.tensor("index"), out = call.tensor("out");
    call.expect_dtype(out, self.dtype);
    call.expect_shape(out, index.shape());
    call.expect(self.size() > 0 || index.size() == 0, "self", text("at least one element, got shape ", self.shape()));
    Work work;
    work.compute = [=, what = indexed(call, index)](const Run& run) {
        const Dense from(run[self]);
        const Written result(run[out]);
        const std::size_t item = asnumpy::itemsize(self.dtype);
        each_places(run[index], self.size(), what, [&](std::int64_t first, std::span<std::int64_t> some) {
            pick(result.data() + static_cast<std::size_t>(first) * item, from.data(), some, item);
        });
        result.store();
    };
    return work;
}

// out[i][j][k] = self[i][index[i][j][k]][k] for axis 1: take_along_axis.
Work plan_gather(Call& call) {
    const Tensor self = call.tensor("self"), index = call.tensor("index"), out = call.tensor("out");
    const int axis = call.axis("dim", call.integer("dim"), self.ndim());
    call.expect_shape(out, index.shape());
    const Dims large = at_least_1d(self.shape()), small = at_least_1d(index.shape());
    call.expect(large.size() == small.size(), "index", text("as many axes as self, ", self.ndim(), ", got ", index.ndim()));
    for (int i = 0; i < large.size(); ++i)
        call.expect(i == axis || index.size() == 0 || small[i] <= large[i], "index", text("no more than self's ", large[i], " along axis ", i, ", got ", small[i]));
    call.expect(index.size() == 0 || self.size() > 0, "self", text("at least one element, got shape ", self.shape()));
    Work work;
    work.compute = [=, what = indexed(call, index)](const Run& run) {
        const Dense from(run[self]);
        const Written result(run[out]);
        const std::size_t item = asnumpy::itemsize(self.dtype);
        const Dims steps = asnumpy::contiguous(large, 1).strides;
        const int last = small.size() - 1;
        const std::int64_t along_line = last == axis ? 0 : 1, along_axis = steps[axis];
        each_places(run[index], large[axis], what, [&](std::int64_t first, std::span<std::int64_t> some) {
            for (std::size_t i = 0; i < some.size();) {  // from one end of the last axis to the next
                std::int64_t rest = first + static_cast<std::int64_t>(i), line = 0;  // line: the flat place of the coordinates without `axis`
                const std::int64_t column = rest % small[last];
                rest /= small[last];
                for (int k = last - 1; k >= 0; --k) {
                    if (k != axis) line += rest % small[k] * steps[k];
                    rest /= small[k];
                }
                line += column * along_line;
                const std::size_t end = std::min(some.size(), i + static_cast<std::size_t>(small[last] - column));
                for (; i < end; ++i, line += along_line) some[i] = line + std::max<std::int64_t>(some[i], 0) * along_axis;
            }
            pick(result.data() + static_cast<std::size_t>(first) * item, from.data(), some, item);
        });
        result.store();
    };
    return work;
}

// The last axis of `indices` is a place in the first axes of `self`.
Work plan_gather_nd(Call& call) {
    const Tensor self = call.tensor("self"), indices = call.tensor("indices"), out = call.tensor("out");
    const bool negative = call.flag("negativeIndexSupport");
    const int known = static_cast<int>(indices.length(indices.ndim() - 1));
    call.expect(known <= self.ndim(), "indices", text("a last axis of at most ", self.ndim(), ", got ", known));
    Dims shape;
    for (int i = 0; i < indices.ndim() - 1; ++i) shape.push_back(indices.length(i));
    for (int i = known; i < self.ndim(); ++i) shape.push_back(self.length(i));
    call.expect_shape(out, shape);
    call.expect(out.size() == 0 || self.size() > 0, "self", text("at least one element, got shape ", self.shape()));
    Work work;
    work.compute = [=, what = indexed(call, indices)](const Run& run) {
        if (out.size() == 0) return;
        const Dense from(run[self]);
        const Owned numbers = contiguous(run[indices], DType::int64);
        const Written result(run[out]);
        const std::int64_t points = product(indices.shape(), 0, indices.ndim() - 1);
        const std::int64_t block = product(self.shape(), known, self.ndim()) * static_cast<std::int64_t>(asnumpy::itemsize(self.dtype));
        const std::int64_t* number = numbers.as<std::int64_t>();
        for (std::int64_t point = 0; point < points; ++point) {
            std::int64_t place = 0;
            for (int axis = 0; axis < known; ++axis, ++number) {
                const std::int64_t n = self.length(axis);
                std::int64_t one = *number < 0 && negative ? *number + n : *number;
                if (one < 0 || one >= n) {
                    note(Fault::out_of_bounds, text(what.op, ": ", what.parameter, ": expected indices below ", n, " for axis ", axis, ", got ", *number));
                    one = 0;
                }
                place = place * n + one;
            }
            std::memcpy(result.data() + point * block, from.data() + place * block, static_cast<std::size_t>(block));
        }
        result.store();
    };
    return work;
}

const Operators gathering{
    {"aclnnIndexSelect", plan_select},
    {"aclnnGatherV2", plan_gather_axis},
    {"aclnnEmbedding", plan_embedding},
    {"aclnnTake", plan_take},
    {"aclnnGather", plan_gather},
    {"aclnnGatherNd", plan_gather_nd},
};

}  // namespace
}  // namespace cannsim
