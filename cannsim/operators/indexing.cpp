// Advanced indexing: the first axes of a tensor replaced by index tensors that broadcast, read and written.
#include "operators/places.hpp"

namespace cannsim {
namespace {

// One member of `indices`: a tensor of integers takes one axis, one of bools as many as it has; null or of no elements: the axis stays.
struct Key {
    Tensor tensor;  // slot -1: null
    int first = 0, count = 1;
    bool masks() const { return tensor.slot >= 0 && tensor.dtype == DType::boolean; }
    bool picks() const { return tensor.slot >= 0 && (masks() || tensor.size() > 0); }
};

class Picks {
public:
    Picks(const Call& call, const Tensor& self) : self_(self) {
        int axis = 0;
        for (const auto& one : call.optional_tensors("indices")) {
            Key key;
            key.first = axis;
            // torch_npu gives an empty tensor of self's dtype for an axis that stays; a mask may be empty where the axis is.
            const bool stays = one && one->ndim() == 1 && one->size() == 0 && (axis >= self.ndim() || self.length(axis) != 0 || one->dtype != DType::boolean);
            if (one && !stays) {
                key.tensor = *one;
                call.expect(one->dtype == DType::boolean || one->dtype == DType::int32 || one->dtype == DType::int64, "indices",
                            text("one of bool, int32, int64, got ", asnumpy::name(one->dtype)));
            }
            if (key.masks()) key.count = key.tensor.ndim();
            axis += key.count;
            call.expect(axis <= self.ndim(), "indices", text("tensors for at most ", self.ndim(), " axes, got more"));
            if (key.masks()) {
                masked_ = true;
                for (int i = 0; i < key.count; ++i)
                    call.expect(key.tensor.length(i) == self.length(key.first + i), "indices",
                                text("a mask of self's lengths from axis ", key.first, " on, ", self.shape(), ", got ", key.tensor.shape()));
            }
            keys_.push_back(std::move(key));
        }
        bool picking = false, over = false;
        for (const Key& key : keys_) {
            if (!key.picks()) {
                over |= picking;
                continue;
            }
            if (picking && over) scattered_ = true;
            if (!picking) place_ = key.first;
            picking = true;
            for (int i = 0; i < key.count; ++i) picked_.push_back(key.first + i);
        }
        if (scattered_) place_ = 0;
        for (int i = 0; i < self.ndim(); ++i)
            if (std::ranges::find(picked_, i) == picked_.end()) {
                kept_.push_back(i);
                kept_shape_.push_back(self.length(i));
            }
        if (masked_) return;  // as long as the mask has Trues
        for (const Key& key : keys_) {
            if (!key.picks()) continue;
            const Dims& given = key.tensor.shape();
            Dims joined(std::max(points_.size(), given.size()));
            for (int i = 1; i <= joined.size(); ++i) {
                const std::int64_t a = i <= points_.size() ? points_[points_.size() - i] : 1, b = i <= given.size() ? given[given.size() - i] : 1;
                call.expect(a == b || a == 1 || b == 1, "indices", text("shapes that broadcast, got ", points_, " and ", given));
                joined[joined.size() - i] = a == 1 ? b : a;
            }
            points_ = joined;
        }
    }

    bool known() const { return !masked_; }
    bool any() const { return !picked_.empty(); }
    // The shape of what is picked, given the shape of the index tensors together.
    Dims shape(const Dims& points) const {
        Dims result;
        for (int i = 0; i <= kept_shape_.size(); ++i) {
            if (i == place_) for (const std::int64_t n : points) result.push_back(n);
            if (i < kept_shape_.size()) result.push_back(kept_shape_[i]);
        }
        return result;
    }
    Dims shape() const { return shape(points_); }

    struct Found {
        std::vector<std::int64_t> blocks;  // of the picked axes, flat; -1: outside
        Dims points;
    };
    Found find(const Run& run, const std::string& op) const {
        std::vector<std::pair<std::vector<std::int64_t>, Dims>> indices;  // one per picked axis
        for (const Key& key : keys_) {
            if (!key.picks()) continue;
            if (!key.masks()) {
                indices.emplace_back(places(run[key.tensor], self_.length(key.first), {op, key.tensor.name}), key.tensor.shape());
                continue;
            }
            const Owned mask = contiguous(run[key.tensor]);
            std::vector<std::vector<std::int64_t>> axes(static_cast<std::size_t>(key.count));
            for (std::int64_t i = 0; i < mask.size(); ++i) {
                if (mask.data[i] == std::byte{0}) continue;
                std::int64_t rest = i;
                for (int axis = key.count - 1; axis >= 0; rest /= mask.shape[axis--]) axes[static_cast<std::size_t>(axis)].push_back(rest % mask.shape[axis]);
            }
            for (auto& one : axes) {
                const auto n = static_cast<std::int64_t>(one.size());
                indices.emplace_back(std::move(one), Dims{n});
            }
        }
        Found found;
        for (const auto& [values, dims] : indices) {
            Dims joined(std::max(found.points.size(), dims.size()));
            for (int i = 1; i <= joined.size(); ++i) {
                const std::int64_t a = i <= found.points.size() ? found.points[found.points.size() - i] : 1, b = i <= dims.size() ? dims[dims.size() - i] : 1;
                if (a != b && a != 1 && b != 1) {
                    note(Fault::out_of_bounds, text(op, ": indices: expected shapes that broadcast, got ", found.points, " and ", dims));
                    return {{}, Dims{0}};
                }
                joined[joined.size() - i] = a == 1 ? b : a;
            }
            found.points = joined;
        }
        const std::int64_t count = asnumpy::count({found.points.data(), static_cast<std::size_t>(found.points.size())});
        found.blocks.assign(static_cast<std::size_t>(count), 0);
        for (std::size_t k = 0; k < indices.size(); ++k) {
            auto& [values, dims] = indices[k];
            const Array source{reinterpret_cast<std::byte*>(values.data()), DType::int64, dims, asnumpy::contiguous(dims, 8).strides};
            const Dense all(broadcast_to(source, found.points));
            for (std::size_t i = 0; i < found.blocks.size(); ++i) {
                const std::int64_t place = all.array().as<std::int64_t>()[i];
                found.blocks[i] = place < 0 || found.blocks[i] < 0 ? -1 : found.blocks[i] * self_.length(picked_[k]) + place;
            }
        }
        return found;
    }

    // The array with the picked axes first.
    Array picked_first(const Array& array) const {
        std::vector<int> order = picked_;
        order.insert(order.end(), kept_.begin(), kept_.end());
        return permuted(array, order);
    }
    // The result, or the values written, with the points' axes first.
    Array points_first(const Array& array, int points) const {
        std::vector<int> order;
        for (int i = 0; i < points; ++i) order.push_back(place_ + i);
        for (int i = 0; i < array.ndim(); ++i)
            if (i < place_ || i >= place_ + points) order.push_back(i);
        return permuted(array, order);
    }
    std::int64_t block() const { return asnumpy::count({kept_shape_.data(), static_cast<std::size_t>(kept_shape_.size())}); }

private:
    Tensor self_;
    std::vector<Key> keys_;
    std::vector<int> picked_, kept_;
    Dims kept_shape_, points_;
    int place_ = 0;
    bool masked_ = false, scattered_ = false;
};

Work plan_index(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    call.expect_dtype(out, self.dtype);
    const Picks picks(call, self);
    for (const auto& one : call.optional_tensors("indices"))
        if (one && one->size() == 0 && out.size() == 0) return {};  // an index of no elements picks nothing
    if (picks.known()) call.expect_shape(out, picks.shape());
    Work work;
    work.compute = [=, op = std::string(call.facts.name)](const Run& run) {
        if (!picks.any()) return copy(run[self], run[out]);
        const Picks::Found found = picks.find(run, op);
        if (!(out.shape() == picks.shape(found.points)))
            return note(Fault::out_of_bounds, text(op, ": out: expected shape ", picks.shape(found.points), ", got ", out.shape()));
        if (out.size() == 0 || self.size() == 0) return;  // of no elements: every index was a finding
        const Dense from(picks.picked_first(run[self]));
        const Array to = picks.points_first(run[out], found.points.size());
        const Owned result = make(out.dtype, to.shape);
        const std::int64_t block = picks.block() * static_cast<std::int64_t>(asnumpy::itemsize(self.dtype));
        pick(result.data, from.data(), found.blocks, static_cast<std::size_t>(block));
        copy(result, to);
    };
    return work;
}

bool broadcasts(const Dims& from, const Dims& to) {
    if (from.size() > to.size()) return false;
    for (int i = 1; i <= from.size(); ++i)
        if (from[from.size() - i] != 1 && from[from.size() - i] != to[to.size() - i]) return false;
    return true;
}

Work plan_index_put(Call& call) {
    const Tensor self = call.tensor("selfRef"), values = call.tensor("values");
    const bool add = call.flag("accumulate");
    call.expect_dtype(values, self.dtype);
    const Picks picks(call, self);
    for (const auto& one : call.optional_tensors("indices"))
        if (one && one->size() == 0 && values.size() == 0) return {};
    if (picks.known()) call.expect(broadcasts(values.shape(), picks.shape()), "values", text("a shape that broadcasts to ", picks.shape(), ", got ", values.shape()));
    Work work;
    work.operations = static_cast<double>(values.size());
    work.compute = [=, op = std::string(call.facts.name)](const Run& run) {
        const Picks::Found found = picks.find(run, op);
        const Dims shape = picks.shape(picks.any() ? found.points : Dims{});
        if (!broadcasts(values.shape(), shape)) return note(Fault::out_of_bounds, text(op, ": values: expected a shape that broadcasts to ", shape, ", got ", values.shape()));
        const Owned source = contiguous(picks.points_first(broadcast_to(run[values], shape), picks.any() ? found.points.size() : 0));
        const Dense to(picks.picked_first(run[self]));
        const std::int64_t block = picks.block();
        const auto item = static_cast<std::int64_t>(asnumpy::itemsize(self.dtype));
        const Combine combine = combiner(self.dtype, add ? Meet::add : Meet::replace);
        for (std::size_t i = 0; i < found.blocks.size(); ++i)
            if (found.blocks[i] >= 0) combine(to.data() + found.blocks[i] * block * item, source.data + static_cast<std::int64_t>(i) * block * item, block);
        to.store();
    };
    return work;
}

const Operators indexing{
    {"aclnnIndex", plan_index, {"indices"}},
    {"aclnnIndexPutImpl", plan_index_put, {"indices"}},
};

}  // namespace
}  // namespace cannsim
