// The way of the lines of a reduction: gathered, computed, and written to the outputs.
#include "operators/fold.hpp"

namespace cannsim {

Work Fold::over_lines(DType inner, std::function<void(const Lines&, Sink)> compute) const {
    Work work;
    work.operations = static_cast<double>(self_.size());
    work.compute = [self = self_, axes = axes_, kept = kept_, kept_shape = kept_shape_, keep = keep_, outs = outs_, inner, compute = std::move(compute)](const Run& run) {
        std::vector<int> order = kept;
        order.insert(order.end(), axes.begin(), axes.end());
        const Owned values = contiguous(permuted(run[self], order), inner);
        Lines lines{&values, 1, 1};
        for (const std::int64_t n : kept_shape) lines.count *= n;
        for (const int axis : axes) lines.length *= self.length(axis);
        std::vector<Owned> results;
        for (const auto& [tensor, dtype] : outs) results.push_back(make(dtype, kept_shape));
        compute(lines, Sink(results));
        for (std::size_t k = 0; k < outs.size(); ++k) {
            Array target = run[outs[k].first];
            if (keep)
                for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) target = at(target, *axis, 0);
            copy(results[k], target);
        }
    };
    return work;
}

}  // namespace cannsim
