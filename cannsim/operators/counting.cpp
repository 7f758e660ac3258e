// What values there are and how often: unique elements, rows and runs, counts per value and per interval.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "operators/keys.hpp"
#include "operators/places.hpp"

namespace cannsim {
namespace {

// Rows of `width` keys each; two rows are one value when all their keys are equal and, of floats, none is NaN's.
struct Rows {
    std::vector<std::uint64_t> keys;
    bool floats;
    std::int64_t count, width;
    const std::uint64_t* at(std::int64_t row) const { return keys.data() + row * width; }
    bool same(std::int64_t a, std::int64_t b) const {
        for (std::int64_t i = 0; i < width; ++i)
            if (at(a)[i] != at(b)[i] || (floats && at(a)[i] == nan_key)) return false;
        return true;
    }
};

// The unique rows: the first of each, the unique row of each row, and how many each stands for.
struct Unique {
    std::vector<std::int64_t> first, inverse, counts;
};
Unique unique(const Rows& rows, bool consecutive) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(rows.count));
    std::iota(order.begin(), order.end(), 0);
    if (!consecutive)
        std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) {
            return std::lexicographical_compare(rows.at(a), rows.at(a) + rows.width, rows.at(b), rows.at(b) + rows.width);
        });
    Unique result;
    result.inverse.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i == 0 || !rows.same(order[i], order[i - 1])) {
            result.first.push_back(order[i]);
            result.counts.push_back(0);
        }
        ++result.counts.back();
        result.inverse[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(result.first.size()) - 1;
    }
    return result;
}

// Integers into the memory of an output in C order, as many as there are.
void store_numbers(const std::vector<std::int64_t>& values, const Array& to) {
    const auto n = static_cast<std::int64_t>(values.size());
    copy(Array{const_cast<std::byte*>(reinterpret_cast<const std::byte*>(values.data())), DType::int64, Dims{n}, Dims{8}},
         Array{to.data, to.dtype, Dims{n}, Dims{static_cast<std::int64_t>(asnumpy::itemsize(to.dtype))}});
}

// The outputs hold the most that can be; their views get what was found. An output that was not asked for may be of any length.
Work uniques(const Call& call, std::optional<int> along, bool consecutive, bool inverse_wanted, bool counts_wanted) {
    const Tensor self = call.tensor("self"), values = call.tensor("valueOut"), inverse = call.tensor("inverseOut");
    const bool has_counts = std::ranges::any_of(call.params, [](const Parameter& p) { return std::string_view(p.name) == "countsOut"; });
    const std::optional<Tensor> counts = has_counts ? std::optional(call.tensor("countsOut")) : std::nullopt;
    const std::int64_t most = along ? self.length(*along) : self.size();
    call.expect_dtype(values, self.dtype);
    call.expect(values.size() >= self.size(), "valueOut", text("at least ", self.size(), " elements, got shape ", values.shape()));
    if (inverse_wanted) {
        call.expect(inverse.size() == most, "inverseOut", text(most, " elements, got shape ", inverse.shape()));
        call.expect(consecutive || inverse.dtype == DType::int64, "inverseOut", text("dtype int64, got ", asnumpy::name(inverse.dtype)));
    }
    if (counts_wanted) call.expect(counts->size() >= most, "countsOut", text("at least ", most, " elements, got shape ", counts->shape()));
    Work work;
    work.late_shapes = true;
    work.operations = static_cast<double>(self.size());
    work.compute = [=](const Run& run) {
        Array from = run[self];
        std::vector<int> order;
        if (along) {  // its slices are the rows
            order.push_back(*along);
            for (int i = 0; i < self.ndim(); ++i)
                if (i != *along) order.push_back(i);
            from = permuted(from, order);
        }
        const Owned source = contiguous(from);
        Rows rows{keys(source), asnumpy::is_float(self.dtype) || asnumpy::is_complex(self.dtype), most, 0};
        rows.width = most ? static_cast<std::int64_t>(rows.keys.size()) / most : 0;
        const Unique found = unique(rows, consecutive);
        const auto n = static_cast<std::int64_t>(found.first.size());
        Dims shape = along ? source.shape : Dims{n};
        if (along) shape[0] = n;
        const Owned picked = make(self.dtype, shape);
        const auto block = static_cast<std::size_t>(most ? source.size() / most : 0) * asnumpy::itemsize(self.dtype);
        for (std::int64_t i = 0; i < n; ++i)
            std::memcpy(picked.data + static_cast<std::size_t>(i) * block, source.data + static_cast<std::size_t>(found.first[static_cast<std::size_t>(i)]) * block, block);
        Dims result = along ? self.shape() : Dims{n};
        if (along) result[*along] = n;
        const Array target{run[values].data, self.dtype, result, asnumpy::contiguous(result, static_cast<std::int64_t>(asnumpy::itemsize(self.dtype))).strides};
        copy(picked, along ? permuted(target, order) : target);
        run.set_shape(values, result);
        if (inverse_wanted) {
            const Array to = run[inverse];
            const Owned all = make(DType::int64, to.shape);
            store_numbers(found.inverse, all);
            copy(all, to);
        }
        if (counts_wanted) {
            store_numbers(found.counts, run[*counts]);
            run.set_shape(*counts, Dims{n});
        }
    };
    return work;
}
Work plan_consecutive(Call& call) {
    constexpr std::int64_t no_axis = 1000;  // what clients give for: the flattened tensor
    const Tensor self = call.tensor("self");
    const std::int64_t dim = call.integer("dim");
    const auto along = dim == no_axis || self.ndim() == 0 ? std::nullopt : std::optional(call.axis("dim", dim, self.ndim()));
    return uniques(call, along, true, call.flag("returnInverse"), call.flag("returnCounts"));
}

Work plan_bincount(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    const std::optional<Tensor> weights = call.optional("weights");
    const std::int64_t least = call.integer("minlength");
    call.expect(self.ndim() <= 1, "self", text("at most one axis, got shape ", self.shape()));
    call.expect(least >= 0, "minlength", text("a number not below 0, got ", least));
    call.expect(out.ndim() == 1 && out.size() >= least, "out", text("one axis of at least ", least, " elements, got shape ", out.shape()));
    if (weights) call.expect(weights->shape() == self.shape(), "weights", text("shape ", self.shape(), ", got ", weights->shape()));
    Work work;
    work.operations = static_cast<double>(self.size());
    work.compute = [=, op = std::string(call.facts.name)](const Run& run) {
        const Owned values = contiguous(run[self], DType::int64), sums = make(weights ? DType::float64 : DType::int64, out.shape());
        std::memset(sums.data, 0, static_cast<std::size_t>(sums.size()) * 8);
        const Owned given = weights ? contiguous(run[*weights], DType::float64) : make(DType::float64, Dims{0});
        for (std::int64_t i = 0; i < values.size(); ++i) {
            const std::int64_t value = values.as<std::int64_t>()[i];
            if (value < 0 || value >= out.size()) {
                note(Fault::out_of_bounds, text(op, ": self: expected values from 0 to ", out.size() - 1, ", got ", value));
                continue;
            }
            if (weights) sums.as<double>()[value] += given.as<double>()[i];
            else ++sums.as<std::int64_t>()[value];
        }
        copy(sums, run[out]);
    };
    return work;
}

Work plan_histogram(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    const std::int64_t bins = call.integer("bins");
    const double low = call.real("min"), high = call.real("max");
    call.expect(bins > 0, "bins", text("a number above 0, got ", bins));
    call.expect(low <= high, "max", text("no less than min, ", low, ", got ", high));
    call.expect_shape(out, Dims{bins});
    Work work;
    work.operations = static_cast<double>(self.size());
    work.compute = [=](const Run& run) {
        const Owned values = contiguous(run[self], DType::float64), counts = make(DType::int64, out.shape());
        std::memset(counts.data, 0, static_cast<std::size_t>(bins) * 8);
        const std::span<const double> all(values.as<double>(), static_cast<std::size_t>(values.size()));
        double first = low, last = high;
        if (first == last && !all.empty()) {
            const auto [least, most] = std::ranges::minmax_element(all);
            first = *least;
            last = *most;
        }
        if (first == last) {
            first -= 1;
            last += 1;
        }
        for (const double x : all) {
            if (!(x >= first && x <= last)) continue;
            const auto bin = static_cast<std::int64_t>((x - first) / (last - first) * static_cast<double>(bins));
            ++counts.as<std::int64_t>()[std::min(bin, bins - 1)];
        }
        copy(counts, run[out]);
    };
    return work;
}

const Operators counting{
    {"aclnnUnique", [](Call& call) { return uniques(call, std::nullopt, false, call.flag("returnInverse"), false); }},
    {"aclnnUnique2", [](Call& call) { return uniques(call, std::nullopt, false, call.flag("returnInverse"), call.flag("returnCounts")); }},
    {"aclnnUniqueDim", [](Call& call) {
         return uniques(call, call.axis("dim", call.integer("dim"), call.tensor("self").ndim()), false, call.flag("returnInverse"), true);
     }},
    {"aclnnUniqueConsecutive", plan_consecutive},
    {"aclnnBincount", plan_bincount, {"weights"}},
    {"aclnnHistc", plan_histogram},
};

}  // namespace
}  // namespace cannsim
