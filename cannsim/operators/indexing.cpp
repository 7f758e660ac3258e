// Advanced indexing: the first axes of a tensor replaced by index tensors that broadcast, read and written.
#include "aclnn/parallel.hpp"
#include "operators/places.hpp"

namespace cannsim {
namespace {

// One member of `indices`: a tensor of integers takes one axis, one of bools as many as it has; with null, or torch_npu's sign for it, the axis stays.
struct Key {
    Tensor tensor;  // slot -1: null
    int first = 0, count = 1;
    bool masks() const { return tensor.slot >= 0 && tensor.dtype == DType::boolean; }
    bool picks() const { return tensor.slot >= 0; }
};

class Picks {
public:
    Picks(const Call& call, const Tensor& self) : self_(self) {
        int axis = 0;
        const auto given = call.optional_tensors("indices");
        const bool any = std::ranges::any_of(given, [](const auto& one) { return one && one->size() != 0; });
        for (const auto& one : given) {
            Key key;
            key.first = axis;
            // torch_npu gives an empty tensor of self's dtype for an axis that stays, beside one that is indexed; a mask may be empty where the
            // axis is. Other empty tensors are indices that pick nothing.
            const bool stays = one && any && one->ndim() == 1 && one->size() == 0 && one->dtype == self.dtype &&
                               (axis >= self.ndim() || self.length(axis) != 0 || one->dtype != DType::boolean);
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

    // The index of each picked axis, and the shape to which they broadcast.
    struct Found {
        std::vector<Array> indices;
        std::vector<std::vector<std::int64_t>> of_masks;  // memory of some of them
        Dims points;
    };
    Found find(const Run& run, const std::string& op) const {
        Found found;
        for (const Key& key : keys_) {
            if (!key.picks()) continue;
            if (!key.masks()) {
                found.indices.push_back(run[key.tensor]);
                continue;
            }
            const Owned mask = contiguous(run[key.tensor]);
            const std::size_t first = found.of_masks.size();
            found.of_masks.resize(first + static_cast<std::size_t>(key.count));
            for (std::int64_t i = 0; i < mask.size(); ++i) {
                if (mask.data[i] == std::byte{0}) continue;
                std::int64_t rest = i;
                for (int axis = key.count - 1; axis > 0; rest /= mask.shape[axis--]) found.of_masks[first + static_cast<std::size_t>(axis)].push_back(rest % mask.shape[axis]);
                if (key.count) found.of_masks[first].push_back(rest);
            }
            for (auto one = found.of_masks.begin() + static_cast<std::ptrdiff_t>(first); one != found.of_masks.end(); ++one)
                found.indices.push_back({reinterpret_cast<std::byte*>(one->data()), DType::int64, Dims{static_cast<std::int64_t>(one->size())}, Dims{8}});
        }
        for (const Array& index : found.indices) {
            const Dims& dims = index.shape;
            Dims joined(std::max(found.points.size(), dims.size()));
            for (int i = 1; i <= joined.size(); ++i) {
                const std::int64_t a = i <= found.points.size() ? found.points[found.points.size() - i] : 1, b = i <= dims.size() ? dims[dims.size() - i] : 1;
                if (a != b && a != 1 && b != 1) {
                    note(Fault::out_of_bounds, text(op, ": indices: expected shapes that broadcast, got ", found.points, " and ", dims));
                    return {{}, {}, Dims{0}};
                }
                joined[joined.size() - i] = a == 1 ? b : a;
            }
            found.points = joined;
        }
        return found;
    }
    // f(first, places) for pieces of the points in C order, or for all in their order: flat places in the picked axes, -1 outside.
    template <class F> void each(const Found& found, const std::string& op, bool in_order, F f) const {
        const std::int64_t count = asnumpy::count(found.points);
        if (count == 0) return;
        std::atomic<bool> noted = false;
        const Indexed what{op, "indices"};
        std::vector<PlaceReader> start;
        for (std::size_t k = 0; k < found.indices.size(); ++k) start.emplace_back(found.indices[k], found.points, self_.length(picked_[k]), what, noted);
        const auto some = [&](std::int64_t first, std::int64_t last) {
            std::vector<PlaceReader> readers = start;
            for (PlaceReader& reader : readers) reader.seek(first);
            std::array<std::int64_t, PlaceReader::most> all, one;
            for (std::int64_t i = first; i < last; i += PlaceReader::most) {
                const std::int64_t n = std::min(PlaceReader::most, last - i);
                all.fill(0);
                for (std::size_t k = 0; k < readers.size(); ++k) {
                    readers[k].read(k ? one.data() : all.data(), n);
                    const std::int64_t length = self_.length(picked_[k]);
                    if (k)
                        for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) all[j] = one[j] < 0 || all[j] < 0 ? -1 : all[j] * length + one[j];
                }
                f(i, std::span<const std::int64_t>(all.data(), static_cast<std::size_t>(n)));
            }
        };
        if (in_order) some(0, count);
        else parallel(count, PlaceReader::most, std::int64_t{1} << 16, some);
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
    std::int64_t block() const { return asnumpy::count(kept_shape_); }

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
        const Written result(to);
        const std::int64_t block = picks.block() * static_cast<std::int64_t>(asnumpy::itemsize(self.dtype));
        picks.each(found, op, false, [&](std::int64_t first, std::span<const std::int64_t> places) {
            pick(result.data() + first * block, from.data(), places, static_cast<std::size_t>(block));
        });
        result.store();
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
        picks.each(found, op, true, [&](std::int64_t first, std::span<const std::int64_t> places) {
            for (std::size_t i = 0; i < places.size(); ++i)
                if (places[i] >= 0) combine(to.data() + places[i] * block * item, source.data + (first + static_cast<std::int64_t>(i)) * block * item, block);
        });
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
