// Sorted lines, their first elements, the place where a value would go.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "operators/keys.hpp"
#include "operators/places.hpp"

namespace cannsim {

std::vector<std::uint64_t> keys(const Array& array) {
    constexpr std::uint64_t top = std::uint64_t{1} << 63;
    std::vector<std::uint64_t> result;
    if (array.dtype == DType::uint64) {
        const Owned values = contiguous(array);
        result.assign(values.as<std::uint64_t>(), values.as<std::uint64_t>() + values.size());
    } else if (!asnumpy::is_float(array.dtype) && !asnumpy::is_complex(array.dtype)) {
        const Owned values = contiguous(array, DType::int64);
        result.reserve(static_cast<std::size_t>(values.size()));
        for (std::int64_t i = 0; i < values.size(); ++i) result.push_back(static_cast<std::uint64_t>(values.as<std::int64_t>()[i]) ^ top);
    } else {
        const bool complex = asnumpy::is_complex(array.dtype);
        const Owned values = contiguous(array, complex ? DType::complex128 : DType::float64);
        const std::int64_t n = values.size() * (complex ? 2 : 1);
        result.reserve(static_cast<std::size_t>(n));
        for (std::int64_t i = 0; i < n; ++i) {
            const double x = values.as<double>()[i];
            const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);  // -0.0 becomes 0.0
            result.push_back(std::isnan(x) ? nan_key : bits & top ? ~bits : bits | top);
        }
    }
    return result;
}

namespace {

// The order of a line's elements, equal ones as they came.
using Ranking = std::vector<std::int64_t>;
void sort_line(const std::uint64_t* line, bool descending, Ranking& order) {
    std::iota(order.begin(), order.end(), 0);
    if (descending) std::ranges::stable_sort(order, [line](std::int64_t a, std::int64_t b) { return line[a] > line[b]; });
    else std::ranges::stable_sort(order, [line](std::int64_t a, std::int64_t b) { return line[a] < line[b]; });
}

// The first `count` elements from `first` on of each sorted line along the axis: values, and their places.
struct Sorted {
    Tensor self;
    std::optional<Tensor> values;
    Tensor indices;
    int axis;
    bool descending;
    std::int64_t first, count;

    Work work() const {
        Work work;
        const double length = static_cast<double>(std::max<std::int64_t>(at_least_1d(self.shape())[axis], 2));
        work.operations = static_cast<double>(self.size()) * std::log2(length);
        work.compute = [s = *this](const Run& run) { s.compute(run); };
        return work;
    }

private:
    void compute(const Run& run) const {
        const Array from = at_least_1d(run[self]);
        std::vector<int> axes;  // the sorted one last
        for (int i = 0; i < from.ndim(); ++i)
            if (i != axis) axes.push_back(i);
        axes.push_back(axis);
        const Owned lines = contiguous(permuted(from, axes));
        const std::vector<std::uint64_t> line_keys = keys(lines);
        Dims shape = lines.shape;
        const std::int64_t length = shape.back();
        shape.back() = count;
        const Owned sorted = make(self.dtype, shape), found = make(DType::int64, shape);
        const std::size_t item = asnumpy::itemsize(self.dtype);
        Ranking order(static_cast<std::size_t>(length));
        const std::int64_t number = length ? lines.size() / length : 0;
        for (std::int64_t line = 0; line < number; ++line) {
            sort_line(line_keys.data() + line * length, descending, order);
            for (std::int64_t i = 0; i < count; ++i) {
                const std::int64_t place = order[static_cast<std::size_t>(first + i)];
                found.as<std::int64_t>()[line * count + i] = place;
                std::memcpy(sorted.data + static_cast<std::size_t>(line * count + i) * item, lines.data + static_cast<std::size_t>(line * length + place) * item, item);
            }
        }
        const auto store = [&](const Owned& result, const Tensor& to) {
            Array target = run[to];
            if (self.ndim() == 0 || target.ndim() < self.ndim()) {  // the axis is gone
                Array line = result;
                copy(at(line, line.ndim() - 1, 0), target);
            } else {
                copy(result, permuted(target, axes));
            }
        };
        if (values) store(sorted, *values);
        store(found, indices);
    }
};

Work plan_sort(Call& call) {
    const Tensor self = call.tensor("self"), values = call.tensor("valuesOut"), indices = call.tensor("indicesOut");
    const int axis = call.axis("dim", call.integer("dim"), self.ndim());
    call.expect_castable(self.dtype, values);
    call.expect_shape(values, self.shape());
    call.expect_shape(indices, self.shape());
    return Sorted{self, values, indices, axis, call.flag("descending"), 0, self.length(axis)}.work();
}
Work plan_argsort(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    const int axis = call.axis("dim", call.integer("dim"), self.ndim());
    call.expect_shape(out, self.shape());
    return Sorted{self, std::nullopt, out, axis, call.flag("descending"), 0, at_least_1d(self.shape())[axis]}.work();
}
Work plan_topk(Call& call) {
    const Tensor self = call.tensor("self"), values = call.tensor("valuesOut"), indices = call.tensor("indicesOut");
    const int axis = call.axis("dim", call.integer("dim"), self.ndim());
    const std::int64_t k = call.integer("k");
    const std::int64_t length = at_least_1d(self.shape())[axis], least = self.ndim() ? 0 : 1;  // a number has one element
    call.expect(k >= least && k <= length, "k", text("a number from ", least, " to ", length, ", got ", k));
    Dims shape = self.shape();
    if (self.ndim()) shape[axis] = k;
    call.expect_shape(values, shape);
    call.expect_shape(indices, shape);
    return Sorted{self, values, indices, axis, call.flag("largest"), 0, k}.work();
}
Work plan_kth(Call& call) {
    const Tensor self = call.tensor("self"), values = call.tensor("valuesOut"), indices = call.tensor("indicesOut");
    const int axis = call.axis("dim", call.integer("dim"), self.ndim());
    const std::int64_t k = call.integer("k");
    const std::int64_t length = at_least_1d(self.shape())[axis];
    call.expect(k >= 1 && k <= length, "k", text("a number from 1 to ", length, ", got ", k));
    Dims shape;
    for (int i = 0; i < self.ndim(); ++i)
        if (i != axis) shape.push_back(self.length(i));
        else if (call.flag("keepdim")) shape.push_back(1);
    call.expect_shape(values, shape);
    call.expect_shape(indices, shape);
    call.expect_dtype(indices, DType::int64);
    return Sorted{self, values, indices, axis, false, k - 1, 1}.work();
}

// Where each value would go into the sorted lines; `sorter` gives the order of lines that are not sorted.
template <class Values> Work search(const Call& call, DType common, const Tensor& out, Values values, const Dims& shape) {
    const Tensor sequence = call.tensor("sortedSequence");
    const std::optional<Tensor> sorter = call.optional("sorter");
    call.expect(sequence.ndim() > 0, "sortedSequence", "at least one axis, got none");
    if (sorter) call.expect(sorter->shape() == sequence.shape(), "sorter", text("shape ", sequence.shape(), ", got ", sorter->shape()));
    call.expect_dtype(out, call.flag("outInt32") ? DType::int32 : DType::int64);
    call.expect_shape(out, shape);
    const bool one_line = sequence.ndim() == 1, right = call.flag("right");
    if (!one_line) {
        bool fits = shape.size() == sequence.ndim();
        for (int i = 0; fits && i < sequence.ndim() - 1; ++i) fits = shape[i] == sequence.length(i);
        call.expect(fits, "self", text("the axes of sortedSequence but the last, ", sequence.shape(), ", got ", shape));
    }
    Work work;
    work.operations = static_cast<double>(out.size());
    work.compute = [=, op = std::string(call.facts.name)](const Run& run) {
        const std::vector<std::uint64_t> lines = keys(contiguous(run[sequence], common)), wanted = keys(contiguous(values(run), common));
        const std::int64_t length = sequence.length(sequence.ndim() - 1), per_line = one_line ? out.size() : shape.back();
        std::vector<std::int64_t> order;
        if (sorter) order = places(run[*sorter], length, {op, sorter->name});
        const Owned found = make(DType::int64, shape);
        for (std::int64_t i = 0; i < found.size(); ++i) {
            const std::int64_t start = one_line ? 0 : i / per_line * length;
            const auto at = [&](std::int64_t k) { return lines[static_cast<std::size_t>(start + (sorter ? std::max<std::int64_t>(order[static_cast<std::size_t>(start + k)], 0) : k))]; };
            const std::uint64_t value = wanted[static_cast<std::size_t>(i)];
            std::int64_t low = 0, high = length;
            while (low < high) {
                const std::int64_t middle = (low + high) / 2;
                if (right ? at(middle) <= value : at(middle) < value) low = middle + 1;
                else high = middle;
            }
            found.as<std::int64_t>()[i] = low;
        }
        copy(found, run[out]);
    };
    return work;
}
Work plan_search(Call& call) {
    const Tensor self = call.tensor("self"), sequence = call.tensor("sortedSequence");
    return search(call, call.promote(sequence.dtype, self.dtype, "self"), call.tensor("out"), [self](const Run& run) { return run[self]; }, self.shape());
}
Work plan_search_scalar(Call& call) {
    const asnumpy::Scalar value = call.scalar("self");
    const Tensor out = call.tensor("out");
    call.expect(out.size() == 1 && out.ndim() <= 1, "out", text("one element, got shape ", out.shape()));
    const DType common = call.promote(call.tensor("sortedSequence").dtype, value.dtype, "self");
    return search(call, common, out, [value](const Run&) { return Array{const_cast<std::byte*>(value.bytes.data()), value.dtype, {}, {}}; }, out.shape());
}

const Operators sorting{
    {"aclnnSort", plan_sort},
    {"aclnnArgsort", plan_argsort},
    {"aclnnTopk", plan_topk},
    {"aclnnKthvalue", plan_kth},
    {"aclnnSearchSorted", plan_search, {"sorter"}},
    {"aclnnSearchSorteds", plan_search_scalar, {"sorter"}},
};

}  // namespace
}  // namespace cannsim
