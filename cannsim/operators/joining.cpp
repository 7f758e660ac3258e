// Tensors joined into one, one split into several, elements repeated in place.
#include "operators/places.hpp"

namespace cannsim {
namespace {

Array part_along(Array array, int axis, std::int64_t first, std::int64_t length) {
    array.data += first * array.strides[axis];
    array.shape[axis] = length;
    return array;
}

DType common_dtype(const Call& call, const std::vector<Tensor>& tensors) {
    DType common = tensors[0].dtype;
    for (const Tensor& one : tensors) common = call.promote(common, one.dtype, "tensors");
    return common;
}

Work plan_cat(Call& call) {
    std::vector<Tensor> tensors = call.tensors("tensors");
    const Tensor out = call.tensor("out");
    call.expect(!tensors.empty(), "tensors", "at least one, got none");
    call.expect_castable(common_dtype(call, tensors), out);
    std::erase_if(tensors, [](const Tensor& one) { return one.shape() == Dims{0}; });  // joins with tensors of any rank
    if (tensors.empty()) {
        call.expect_shape(out, Dims{0});
        return {};
    }
    Dims shape = tensors[0].shape();
    const int axis = call.axis("dim", call.integer("dim"), shape.size());
    shape[axis] = 0;
    for (const Tensor& one : tensors) {
        Dims others = one.shape();
        const bool same_rank = others.size() == shape.size();
        if (same_rank) others[axis] = shape[axis];
        call.expect(same_rank && others == shape, "tensors", text("shapes that differ along axis ", axis, " only, got ", tensors[0].shape(), " and ", one.shape()));
        shape[axis] += one.length(axis);
    }
    call.expect_shape(out, shape);
    Work work;
    work.compute = [=](const Run& run) {
        const Array target = run[out];
        std::int64_t first = 0;
        for (const Tensor& one : tensors) {
            copy(run[one], part_along(target, axis, first, one.length(axis)));
            first += one.length(axis);
        }
    };
    return work;
}

Work plan_stack(Call& call) {
    const std::vector<Tensor> tensors = call.tensors("tensors");
    const Tensor out = call.tensor("out");
    call.expect(!tensors.empty(), "tensors", "at least one, got none");
    call.expect_castable(common_dtype(call, tensors), out);
    const Dims& each = tensors[0].shape();
    const int axis = call.axis("dim", call.integer("dim"), each.size() + 1);
    for (const Tensor& one : tensors) call.expect(one.shape() == each, "tensors", text("tensors of one shape, got ", each, " and ", one.shape()));
    Dims shape;
    for (int i = 0; i <= each.size(); ++i) shape.push_back(i == axis ? static_cast<std::int64_t>(tensors.size()) : each[i < axis ? i : i - 1]);
    call.expect_shape(out, shape);
    Work work;
    work.compute = [=](const Run& run) {
        const Array target = run[out];
        for (std::size_t i = 0; i < tensors.size(); ++i) copy(run[tensors[i]], at(target, axis, static_cast<std::int64_t>(i)));
    };
    return work;
}

Work split(const Call& call, const Tensor& self, int axis, const std::vector<std::int64_t>& lengths) {
    const std::vector<Tensor> outs = call.tensors("out");
    call.expect(outs.size() == lengths.size(), "out", text(lengths.size(), " tensors, got ", outs.size()));
    for (std::size_t i = 0; i < outs.size(); ++i) {
        Dims shape = self.shape();
        shape[axis] = lengths[i];
        call.expect_shape(outs[i], shape);
        call.expect_castable(self.dtype, outs[i]);
    }
    Work work;
    work.compute = [=](const Run& run) {
        const Array source = run[self];
        std::int64_t first = 0;
        for (const Tensor& one : outs) {
            copy(part_along(source, axis, first, one.length(axis)), run[one]);
            first += one.length(axis);
        }
    };
    return work;
}
Work plan_split(Call& call) {
    const Tensor self = call.tensor("self");
    const int axis = call.axis("dim", call.integer("dim"), self.ndim());
    const std::int64_t size = call.integer("splitSections"), length = self.length(axis);
    call.expect(size > 0 || length == 0, "splitSections", text("a length above 0, got ", size));
    std::vector<std::int64_t> lengths;
    for (std::int64_t first = 0; first < length; first += size) lengths.push_back(std::min(size, length - first));
    if (lengths.empty()) lengths.push_back(0);
    return split(call, self, axis, lengths);
}
Work plan_split_with_size(Call& call) {
    const Tensor self = call.tensor("self");
    call.expect(self.ndim() > 0, "self", "at least one axis, got none");
    const int axis = call.axis("dim", call.integer("dim"), self.ndim());
    const auto given = call.ints("splitSize");
    std::int64_t sum = 0;
    for (const std::int64_t one : given) {
        call.expect(one >= 0, "splitSize", text("lengths not below 0, got ", one));
        sum += one;
    }
    call.expect(sum == self.length(axis), "splitSize", text("lengths whose sum is ", self.length(axis), ", got ", sum));
    return split(call, self, axis, {given.begin(), given.end()});
}

// out's axis is self's with element i repeats[i] times; `repeats` gives the numbers when it runs.
template <class F> Work repeated(const Call& call, const Tensor& self, std::optional<int> along, std::int64_t total, F repeats) {
    const Tensor out = call.tensor("out");
    Dims shape = along ? self.shape() : Dims{total};
    if (along) shape[*along] = total;
    call.expect_shape(out, shape);
    Work work;
    work.compute = [=, op = std::string(call.facts.name)](const Run& run) {
        const Dense dense(run[self]);
        Array from = dense.array();
        if (!along) {
            from.shape = Dims{self.size()};
            from.strides = Dims{static_cast<std::int64_t>(asnumpy::itemsize(from.dtype))};
        }
        const int axis = along.value_or(0);
        ByteTables tables;
        for (int i = 0; i < from.ndim(); ++i) tables.push_back(steps(from, i));
        std::vector<std::int64_t> times = repeats(run), table;
        const std::size_t length = tables[static_cast<std::size_t>(axis)].size();
        if (times.size() == 1) times.assign(length, times[0]);
        for (std::size_t i = 0; i < length; ++i) table.insert(table.end(), static_cast<std::size_t>(std::max<std::int64_t>(times[i], 0)), tables[static_cast<std::size_t>(axis)][i]);
        if (static_cast<std::int64_t>(table.size()) != total)
            note(Fault::out_of_bounds, text(op, ": outputSize: expected the sum of the repeats, ", table.size(), ", got ", total));
        if (static_cast<std::int64_t>(table.size()) < total) return;
        table.resize(static_cast<std::size_t>(total));
        tables[static_cast<std::size_t>(axis)] = std::move(table);
        copy_mapped(from, tables, run[out]);
    };
    return work;
}
std::optional<int> axis_if(const Call& call, const Tensor& self, bool along) {
    return along ? std::optional(call.axis("dim", call.integer("dim"), self.ndim())) : std::nullopt;
}
template <bool along> Work plan_repeat_each(Call& call) {
    const Tensor self = call.tensor("self"), repeats = call.tensor("repeats");
    const auto axis = axis_if(call, self, along);
    const std::int64_t length = axis ? self.length(*axis) : self.size(), total = call.integer("outputSize");
    call.expect(repeats.size() == 1 || repeats.size() == length, "repeats", text("1 or ", length, " elements, got ", repeats.size()));
    call.expect(total >= 0, "outputSize", text("a length, got ", total));
    return repeated(call, self, axis, total, [repeats](const Run& run) {
        const Owned numbers = contiguous(run[repeats], DType::int64);
        return std::vector<std::int64_t>(numbers.as<std::int64_t>(), numbers.as<std::int64_t>() + numbers.size());
    });
}
template <bool along> Work plan_repeat_all(Call& call) {
    const Tensor self = call.tensor("self");
    const auto axis = axis_if(call, self, along);
    const std::int64_t times = call.integer("repeats"), total = call.integer("outputSize"), length = axis ? self.length(*axis) : self.size();
    call.expect(times >= 0, "repeats", text("a number not below 0, got ", times));
    call.expect(total == times * length, "outputSize", text(times * length, ", got ", total));
    return repeated(call, self, axis, total, [times](const Run&) { return std::vector<std::int64_t>{times}; });
}
// The index i as often as repeats[i] says.
Work plan_repeat_index(Call& call) {
    const Tensor repeats = call.tensor("repeats"), out = call.tensor("out");
    const std::int64_t total = call.integer("outputSize");
    call.expect_shape(out, Dims{total});
    Work work;
    work.compute = [=, op = std::string(call.facts.name)](const Run& run) {
        const Owned numbers = contiguous(run[repeats], DType::int64);
        std::vector<std::int64_t> index;
        for (std::int64_t i = 0; i < numbers.size(); ++i)
            index.insert(index.end(), static_cast<std::size_t>(std::max<std::int64_t>(numbers.as<std::int64_t>()[i], 0)), i);
        if (static_cast<std::int64_t>(index.size()) != total)
            note(Fault::out_of_bounds, text(op, ": outputSize: expected the sum of the repeats, ", index.size(), ", got ", total));
        index.resize(static_cast<std::size_t>(total));
        copy(Array{reinterpret_cast<std::byte*>(index.data()), DType::int64, Dims{total}, Dims{8}}, run[out]);
    };
    return work;
}

// Sums of the neighbours that came of one element: each of `repeats`, or all of the one number there.
Work plan_repeat_gradient(Call& call) {
    const Tensor grad = call.tensor("yGrad"), repeats = call.tensor("repeats"), out = call.tensor("out");
    call.expect(grad.ndim() > 0, "yGrad", "at least one axis");
    const int axis = call.axis("axis", call.integer("axis"), grad.ndim());
    call.expect(repeats.ndim() <= 1 && repeats.size() > 0, "repeats", text("a number, or one for each element, got shape ", repeats.shape()));
    call.expect_dtype(out, grad.dtype);
    call.expect(out.ndim() == grad.ndim(), "out", text(grad.ndim(), " axes as yGrad, got shape ", out.shape()));
    const std::int64_t length = out.length(axis);
    Dims expected = grad.shape();
    expected[axis] = repeats.size() > 1 ? repeats.size() : length;
    call.expect_shape(out, expected);
    Work work;
    work.operations = static_cast<double>(grad.size());
    work.compute = [=, op = std::string(call.facts.name)](const Run& run) {
        const Owned from = contiguous(run[grad], DType::float64), sums = make(DType::float64, out.shape()), numbers = contiguous(run[repeats], DType::int64);
        std::vector<std::int64_t> counts(static_cast<std::size_t>(length), numbers.as<std::int64_t>()[0]);
        if (numbers.size() > 1) std::copy_n(numbers.as<std::int64_t>(), length, counts.data());
        std::int64_t total = 0;
        for (const std::int64_t count : counts) total += count;
        if (total != grad.length(axis)) note(Fault::out_of_bounds, text(op, ": repeats: expected numbers whose sum is ", grad.length(axis), ", got ", total));
        each_line(axis, [&](std::byte* source, std::byte* target) {
            std::int64_t place = 0;
            for (std::int64_t i = 0; i < length; ++i) {
                double sum = 0;
                for (std::int64_t k = 0; k < counts[static_cast<std::size_t>(i)] && place < grad.length(axis); ++k, ++place) sum += *reinterpret_cast<double*>(source + place * from.strides[axis]);
                *reinterpret_cast<double*>(target + i * sums.strides[axis]) = sum;
            }
        }, static_cast<const Array&>(from), static_cast<const Array&>(sums));
        copy(sums, run[out]);
    };
    return work;
}

const Operators joining{
    {"aclnnRepeatInterleaveGrad", plan_repeat_gradient},
    {"aclnnCat", plan_cat},
    {"aclnnStack", plan_stack},
    {"aclnnSplitTensor", plan_split},
    {"aclnnSplitWithSize", plan_split_with_size},
    {"aclnnRepeatInterleave", plan_repeat_each<false>},
    {"aclnnRepeatInterleaveWithDim", plan_repeat_each<true>},
    {"aclnnRepeatInterleaveInt", plan_repeat_all<false>},
    {"aclnnRepeatInterleaveIntWithDim", plan_repeat_all<true>},
    {"aclnnRepeatInterleaveTensor", plan_repeat_index},
};

}  // namespace
}  // namespace cannsim
