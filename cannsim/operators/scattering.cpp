// Values written or added at indices: along an axis, by flat index, by rows of indices.
#include "operators/places.hpp"

namespace cannsim {
namespace {

// The target of an operator: its out, to which self is copied first, or selfRef.
struct Target {
    std::optional<Tensor> from;
    Tensor to;
    // The result in C order; put back with `store`.
    Dense begin(const Run& run) const {
        if (from) copy(run[*from], run[to]);
        return Dense(run[to]);
    }
};
Target target_of(const Call& call, std::string_view self = "self", std::string_view out = "out") {
    const Target target{call.tensor(self), call.tensor(out)};
    call.expect_shape(target.to, target.from->shape());
    call.expect_dtype(target.to, target.from->dtype);
    return target;
}
Target in_place(const Call& call, std::string_view self = "selfRef") { return {std::nullopt, call.tensor(self)}; }

Meet meet_of(const Call& call, const Tensor& self) {
    const std::int64_t reduce = call.integer("reduce");
    call.expect(reduce >= 0 && reduce <= 4, "reduce", text("0 (replace), 1 (add), 2 (multiply), 3 (largest) or 4 (smallest), got ", reduce));
    call.expect(reduce < 3 || !asnumpy::is_complex(self.dtype), "reduce", "no order among complex numbers");
    return static_cast<Meet>(reduce);
}

// self[..., index[i], ...] meets source[i] for each place i of the index; the source is at least as large, or one value.
Work scatter(const Call& call, const Target& target, const Tensor& index, std::optional<Tensor> source, asnumpy::Scalar value, Meet meet) {
    const Tensor self = target.to;
    const int axis = call.axis("dim", call.integer("dim"), self.ndim());
    const Dims large = at_least_1d(self.shape()), small = at_least_1d(index.shape());
    if (index.size()) {
        call.expect(large.size() == small.size(), "index", text("as many axes as self, ", self.ndim(), ", got ", index.ndim()));
        for (int i = 0; i < large.size(); ++i)
            call.expect(i == axis || small[i] <= large[i], "index", text("no more than self's ", large[i], " along axis ", i, ", got ", small[i]));
    }
    if (source) {
        call.expect_dtype(*source, self.dtype);
        if (index.size()) {
            const Dims given = at_least_1d(source->shape());
            call.expect(given.size() == small.size(), source->name, text("as many axes as index, ", index.ndim(), ", got ", source->ndim()));
            for (int i = 0; i < small.size(); ++i)
                call.expect(small[i] <= given[i], source->name, text("no less than index's ", small[i], " along axis ", i, ", got ", given[i]));
        }
    }
    Work work;
    work.operations = static_cast<double>(index.size());
    work.compute = [=, what = indexed(call, index)](const Run& run) {
        const std::vector<std::int64_t> table = places(run[index], large[axis], what);
        const Owned one = make(self.dtype, Dims{});
        Array values{one.data, self.dtype, small, Dims(small.size())};
        if (source) {
            values = at_least_1d(run[*source]);
        } else {
            copy(Array{const_cast<std::byte*>(value.bytes.data()), value.dtype, {}, {}}, one);
        }
        const Dense to = target.begin(run);
        const auto item = static_cast<std::int64_t>(asnumpy::itemsize(self.dtype));
        const Dims strides = asnumpy::contiguous(large, item).strides;
        const Combine combine = combiner(self.dtype, meet);
        Dims at(small.size());
        std::byte* line = to.data();
        const std::byte* from = values.data;
        for (const std::int64_t place : table) {
            if (place >= 0) combine(line + place * strides[axis], from, 1);
            for (int k = small.size() - 1; k >= 0; --k) {
                if (k != axis) line += strides[k];
                from += values.strides[k];
                if (++at[k] < small[k]) break;
                if (k != axis) line -= strides[k] * small[k];
                from -= values.strides[k] * small[k];
                at[k] = 0;
            }
        }
        to.store();
    };
    return work;
}
Work plan_scatter(Call& call) {
    return scatter(call, target_of(call), call.tensor("index"), call.tensor("src"), {}, meet_of(call, call.tensor("self")));
}
Work plan_scatter_here(Call& call) {
    return scatter(call, in_place(call), call.tensor("index"), call.tensor("src"), {}, meet_of(call, call.tensor("selfRef")));
}
Work plan_scatter_value(Call& call) {
    return scatter(call, target_of(call), call.tensor("index"), std::nullopt, call.scalar("value"), meet_of(call, call.tensor("self")));
}
Work plan_scatter_value_here(Call& call) {
    return scatter(call, in_place(call), call.tensor("index"), std::nullopt, call.scalar("value"), meet_of(call, call.tensor("selfRef")));
}
Work plan_scatter_add(Call& call) { return scatter(call, target_of(call), call.tensor("index"), call.tensor("src"), {}, Meet::add); }

// Whole slices along an axis meet those of the source, or one value: index_add, index_copy, index_fill.
template <class Source> Work slices(const Target& target, int axis, Meet meet, Source source) {
    const Tensor self = target.to;
    Work work;
    work.operations = static_cast<double>(self.size());
    work.compute = [=](const Run& run) {
        const auto [table, values] = source(run);  // places, and their slices in C order
        const Dense to = target.begin(run);
        const Dims shape = at_least_1d(self.shape());
        const std::int64_t outer = product(shape, 0, axis), inner = product(shape, axis + 1, shape.size()), length = shape[axis];
        const auto item = static_cast<std::int64_t>(asnumpy::itemsize(self.dtype));
        const auto count = static_cast<std::int64_t>(table.size());
        const Combine combine = combiner(self.dtype, meet);
        for (std::int64_t o = 0; o < outer; ++o)
            for (std::int64_t i = 0; i < count; ++i)
                if (const std::int64_t place = table[static_cast<std::size_t>(i)]; place >= 0)
                    combine(to.data() + (o * length + place) * inner * item, values.data + (o * count + i) * inner * item, inner);
        to.store();
    };
    return work;
}
// Checks index and source of index_add and index_copy.
int checked_axis(const Call& call, const Tensor& self, const Tensor& index, const Tensor& source) {
    const int axis = call.axis("dim", call.integer("dim"), self.ndim());
    call.expect(index.ndim() <= 1, "index", text("at most one axis, got shape ", index.shape()));
    Dims shape = at_least_1d(self.shape());
    shape[axis] = index.size();
    call.expect(at_least_1d(source.shape()) == shape, "source", text("shape ", shape, ", got ", source.shape()));
    return axis;
}
Work plan_index_add(Call& call) {
    const Target target = target_of(call);
    const Tensor index = call.tensor("index"), source = call.tensor("source"), self = target.to;
    const int axis = checked_axis(call, self, index, source);
    call.expect_castable(source.dtype, self);
    const asnumpy::Scalar alpha = call.scalar("alpha");
    return slices(target, axis, Meet::add, [=, what = indexed(call, index), length = at_least_1d(self.shape())[axis]](const Run& run) {
        Owned values = contiguous(run[source], self.dtype);
        const Owned factor = make(self.dtype, Dims{});
        copy(Array{const_cast<std::byte*>(alpha.bytes.data()), alpha.dtype, {}, {}}, factor);
        const Combine multiply = combiner(self.dtype, Meet::multiply);
        const auto item = static_cast<std::int64_t>(asnumpy::itemsize(self.dtype));
        for (std::int64_t i = 0; i < values.size(); ++i) multiply(values.data + i * item, factor.data, 1);
        return std::pair(places(run[index], length, what), std::move(values));
    });
}
Work index_copy(const Call& call, const Target& target) {
    const Tensor index = call.tensor("index"), source = call.tensor("source"), self = target.to;
    const int axis = checked_axis(call, self, index, source);
    call.expect_dtype(source, self.dtype);
    return slices(target, axis, Meet::replace, [=, what = indexed(call, index), length = at_least_1d(self.shape())[axis]](const Run& run) {
        return std::pair(places(run[index], length, what), contiguous(run[source]));
    });
}
Work index_fill(const Call& call, const Target& target) {
    const Tensor self = target.to;
    const int axis = call.axis("dim", call.integer("dim"), self.ndim());
    const std::int64_t length = at_least_1d(self.shape())[axis];
    std::vector<std::int64_t> table;
    for (const std::int64_t one : call.ints("index")) {
        call.expect(one >= -length && one < length, "index", text("indices from ", -length, " to ", length - 1, ", got ", one));
        table.push_back(one < 0 ? one + length : one);
    }
    const asnumpy::Scalar value = call.scalar("value");
    Dims shape = at_least_1d(self.shape());
    shape[axis] = static_cast<std::int64_t>(table.size());
    return slices(target, axis, Meet::replace, [=](const Run&) {
        Owned values = make(self.dtype, shape);
        copy(broadcast_to(Array{const_cast<std::byte*>(value.bytes.data()), value.dtype, {}, {}}, shape), values);
        return std::pair(table, std::move(values));
    });
}

// The elements whose flat indices are given.
Work plan_put(Call& call) {
    const Target target = in_place(call);
    const Tensor self = target.to, index = call.tensor("index"), source = call.tensor("source");
    const bool add = call.flag("accumulate");
    call.expect_dtype(source, self.dtype);
    call.expect(source.size() == index.size(), "source", text("as many elements as index, ", index.size(), ", got ", source.size()));
    Work work;
    work.compute = [=, what = indexed(call, index)](const Run& run) {
        const std::vector<std::int64_t> table = places(run[index], self.size(), what);
        const Owned values = contiguous(run[source]);
        const Dense to = target.begin(run);
        const auto item = static_cast<std::int64_t>(asnumpy::itemsize(self.dtype));
        const Combine combine = combiner(self.dtype, add ? Meet::add : Meet::replace);
        for (std::size_t i = 0; i < table.size(); ++i)
            if (table[i] >= 0) combine(to.data() + table[i] * item, values.data + static_cast<std::int64_t>(i) * item, 1);
        to.store();
    };
    return work;
}

// The last axis of `indices` is a place in the first axes of the target; updates are the blocks there.
Work scatter_nd(const Call& call, const Target& target) {
    const Tensor self = target.to, indices = call.tensor("indices"), updates = call.tensor("updates");
    call.expect(indices.ndim() > 0, "indices", "at least one axis, got none");
    const int known = static_cast<int>(indices.length(indices.ndim() - 1));
    call.expect(known > 0 && known <= self.ndim(), "indices", text("a last axis from 1 to ", self.ndim(), ", got ", known));
    Dims shape;
    for (int i = 0; i < indices.ndim() - 1; ++i) shape.push_back(indices.length(i));
    for (int i = known; i < self.ndim(); ++i) shape.push_back(self.length(i));
    call.expect_dtype(updates, self.dtype);
    call.expect_shape(updates, shape);
    Work work;
    work.compute = [=, what = indexed(call, indices)](const Run& run) {
        const Owned numbers = contiguous(run[indices], DType::int64), values = contiguous(run[updates]);
        const Dense to = target.begin(run);
        const std::int64_t points = product(indices.shape(), 0, indices.ndim() - 1);
        const std::int64_t block = product(self.shape(), known, self.ndim()) * static_cast<std::int64_t>(asnumpy::itemsize(self.dtype));
        const std::int64_t* number = numbers.as<std::int64_t>();
        for (std::int64_t point = 0; point < points; ++point) {
            std::int64_t place = 0;
            bool inside = true;
            for (int axis = 0; axis < known; ++axis, ++number) {
                const std::int64_t n = self.length(axis), one = *number < 0 ? *number + n : *number;
                if (inside && (one < 0 || one >= n)) {
                    note(Fault::out_of_bounds, text(what.op, ": ", what.parameter, ": expected indices below ", n, " for axis ", axis, ", got ", *number));
                    inside = false;
                }
                place = place * n + one;
            }
            if (inside) std::memcpy(to.data() + place * block, values.data + point * block, static_cast<std::size_t>(block));
        }
        to.store();
    };
    return work;
}

// A cache's rows: data[b][...][indices[b]...] = updates[b] along `axis`, each from its index on.
Work plan_scatter_update(Call& call) {
    const Tensor data = call.tensor("data"), indices = call.tensor("indices"), updates = call.tensor("updates");
    const int axis = call.axis("axis", call.integer("axis"), data.ndim());
    call.expect(axis > 0, "axis", text("an axis after the first, got ", axis));
    call.expect_dtype(updates, data.dtype);
    call.expect(updates.ndim() == data.ndim(), "updates", text("as many axes as data, ", data.ndim(), ", got ", updates.ndim()));
    for (int i = 1; i < data.ndim(); ++i)
        call.expect(i == axis ? updates.length(i) <= data.length(i) : updates.length(i) == data.length(i), "updates",
                    text("data's shape ", data.shape(), " but for the first axis and axis ", axis, ", got ", updates.shape()));
    const bool pairs = indices.ndim() == 2;
    call.expect(!pairs || indices.length(1) == 2, "indices", text("pairs of batch and place, got shape ", indices.shape()));
    const std::int64_t batches = pairs ? indices.length(0) : indices.size();
    call.expect(batches == updates.length(0) || indices.ndim() == 0, "indices", text("one for each of ", updates.length(0), " updates, got ", batches));
    call.expect(pairs || updates.length(0) <= data.length(0), "updates", text("no more than ", data.length(0), " along the first axis, got ", updates.length(0)));
    Work work;
    work.compute = [=, what = indexed(call, indices)](const Run& run) {
        const Owned numbers = contiguous(run[indices], DType::int64);
        const Array to = run[data], from = run[updates];
        for (std::int64_t b = 0; b < updates.length(0); ++b) {
            const std::int64_t batch = pairs ? numbers.as<std::int64_t>()[2 * b] : b;
            const std::int64_t place = pairs ? numbers.as<std::int64_t>()[2 * b + 1] : numbers.as<std::int64_t>()[indices.ndim() ? b : 0];
            if (batch < 0 || batch >= data.length(0) || place < 0 || place + updates.length(axis) > data.length(axis)) {
                note(Fault::out_of_bounds, text(what.op, ": ", what.parameter, ": expected places in data of shape ", data.shape(), ", got ", place, " of batch ", batch));
                continue;
            }
            Array target = at(to, 0, batch);
            target.data += place * to.strides[axis];
            target.shape[axis - 1] = updates.length(axis);
            copy(at(from, 0, b), target);
        }
    };
    return work;
}

const Operators scattering{
    {"aclnnScatter", plan_scatter},
    {"aclnnInplaceScatter", plan_scatter_here},
    {"aclnnScatterValue", plan_scatter_value},
    {"aclnnInplaceScatterValue", plan_scatter_value_here},
    {"aclnnScatterAdd", plan_scatter_add},
    {"aclnnIndexAdd", plan_index_add},
    {"aclnnIndexCopy", [](Call& call) { return index_copy(call, target_of(call, "selfRef", "outRef")); }},
    {"aclnnInplaceIndexCopy", [](Call& call) { return index_copy(call, in_place(call)); }},
    {"aclnnIndexFillTensor", [](Call& call) { return index_fill(call, target_of(call)); }},
    {"aclnnInplaceIndexFillTensor", [](Call& call) { return index_fill(call, in_place(call)); }},
    {"aclnnInplacePut", plan_put},
    {"aclnnScatterNd", [](Call& call) { return scatter_nd(call, target_of(call, "data")); }},
    {"aclnnScatterNdUpdate", [](Call& call) { return scatter_nd(call, in_place(call, "varRef")); }},
    {"aclnnInplaceScatterUpdate", plan_scatter_update},
};

}  // namespace
}  // namespace cannsim
