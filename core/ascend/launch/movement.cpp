// Elements move as integers of their width, or of the width that addresses and strides allow.
#include "ascend/launch/movement.hpp"

#include <algorithm>
#include <numeric>

#include "device/demotion.hpp"

namespace asnumpy::ascend {
namespace {

std::int64_t address(const Tensor& t) { return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(t.data)); }
std::int64_t item(const Tensor& t) { return static_cast<std::int64_t>(itemsize(t.dtype)); }

// The largest power of two, up to 8, that divides the item size, the address and all strides.
std::int64_t unit_of(const Tensor& t) {
    std::int64_t all = item(t) | address(t) | 8;
    for (int i = 0; i < t.shape.size(); ++i)
        if (t.shape[i] > 1) all |= t.strides[i];
    return all & -all;
}

DType integer_of(std::int64_t bytes) {
    return bytes == 1 ? DType::uint8 : bytes == 2 ? DType::int16 : bytes == 4 ? DType::int32 : DType::int64;
}

// The tensor in units: an axis more where an item has several.
Tensor in_units(const Tensor& t, std::int64_t unit) {
    Tensor result = t;
    result.dtype = integer_of(unit);
    if (item(t) != unit) {
        result.shape.push_back(item(t) / unit);
        result.strides.push_back(unit);
    }
    return result;
}

void turn(Tensor& t, int axis) {
    t.data += (t.shape[axis] - 1) * t.strides[axis];
    t.strides[axis] = -t.strides[axis];
}

// The widest unit, up to this one, in which CANN has not refused the operator; 0: none.
std::int64_t offered_unit(const char* op, std::int64_t unit) {
    if (!any_demoted()) [[likely]] return unit;
    while (unit && is_demoted(DemotionKey(op).add(integer_of(unit)).add(integer_of(unit)).text())) unit /= 2;
    return unit;
}

void erase(Dims& dims, int axis) {
    Dims rest;
    for (int i = 0; i < dims.size(); ++i)
        if (i != axis) rest.push_back(dims[i]);
    dims = std::move(rest);
}

// Both have the shape; drops axes of length 1, orders the rest by the strides of `to`, joins what can be one axis.
void simplify(Tensor& from, Tensor& to) {
    for (int i = to.shape.size(); i-- > 0;) {
        if (to.shape[i] != 1) continue;
        for (Tensor* t : {&from, &to}) {
            erase(t->shape, i);
            erase(t->strides, i);
        }
    }
    for (int i = 1; i < to.shape.size(); ++i) {
        for (int j = i; j > 0 && to.strides[j - 1] < to.strides[j]; --j) {
            for (Tensor* t : {&from, &to}) {
                std::swap(t->shape[j - 1], t->shape[j]);
                std::swap(t->strides[j - 1], t->strides[j]);
            }
        }
    }
    for (int i = to.shape.size() - 1; i-- > 0;) {
        if (to.strides[i] != to.strides[i + 1] * to.shape[i + 1] || from.strides[i] != from.strides[i + 1] * from.shape[i + 1]) continue;
        for (Tensor* t : {&from, &to}) {
            t->shape[i] *= t->shape[i + 1];
            t->strides[i] = t->strides[i + 1];
            erase(t->shape, i + 1);
            erase(t->strides, i + 1);
        }
    }
}

std::int64_t size_of(const Tensor& t) { return count({t.shape.data(), static_cast<std::size_t>(t.shape.size())}); }

// Simplified tensors of one shape; `to` has no negative strides.
void move_simplified(Emitter& emitter, const Tensor& from, const Tensor& to) {
    if (is_dense(from) && is_dense(to)) return emitter.copy_bytes(to.data, from.data, static_cast<std::size_t>(size_of(to) * item(to)));
    const bool turns = std::ranges::any_of(from.strides, [](std::int64_t stride) { return stride < 0; });
    const std::int64_t unit = offered_unit(turns ? "aclnnFlip" : "aclnnInplaceCopy", std::min(unit_of(from), unit_of(to)));
    if (!unit) return emitter.move_by_host(from, to);
    if (to.shape.size() + (unit != item(to)) > most_axes) {
        Tensor part_from = from, part_to = to;
        for (Tensor* t : {&part_from, &part_to}) {
            erase(t->shape, 0);
            erase(t->strides, 0);
        }
        for (std::int64_t i = 0; i < to.shape[0]; ++i) {
            move_simplified(emitter, part_from, part_to);
            part_from.data += from.strides[0];
            part_to.data += to.strides[0];
        }
        return;
    }
    Tensor source = from;
    Dims turned;
    for (int i = 0; i < from.shape.size(); ++i) {
        if (from.strides[i] >= 0) continue;
        turn(source, i);
        turned.push_back(i);
    }
    const Tensor source_units = in_units(source, unit), to_units = in_units(to, unit);
    if (turned.empty()) emitter.call("aclnnInplaceCopy", {to_units, source_units});
    else emitter.call("aclnnFlip", {source_units, turned, to_units});
}

}  // namespace

bool is_dense(const Tensor& t) {
    std::int64_t step = item(t);
    for (int i = t.shape.size(); i-- > 0;) {
        if (t.shape[i] != 1 && t.strides[i] != step) return false;
        step *= t.shape[i];
    }
    return true;
}

bool is_direct(const char* data, DType dtype, const Dims& shape, const Dims& strides) {
    const auto item = static_cast<std::int64_t>(itemsize(dtype)), beside = item - 1;  // items are powers of two
    if (shape.size() > most_axes || reinterpret_cast<std::intptr_t>(data) & beside) return false;
    for (int i = 0; i < shape.size(); ++i)
        if (shape[i] > 1 && (strides[i] < 0 || strides[i] & beside)) return false;
    return true;
}

void move(Emitter& emitter, const Tensor& from, const Tensor& to) {
    if (size_of(to) == 0) return;
    if (from.data == to.data && from.shape == to.shape && from.strides == to.strides) return;
    if (from.shape.empty()) {  // one element everywhere; it may still be a number of the host's
        Tensor target = to;
        for (int i = 0; i < target.shape.size(); ++i)
            if (target.strides[i] < 0) turn(target, i);
        Tensor same = target;  // ordered and joined like any other
        simplify(same, target);
        const std::int64_t unit = offered_unit("aclnnInplaceCopy", std::min(unit_of(from), unit_of(target)));
        if (!unit) {
            Tensor same_everywhere = target;
            same_everywhere.data = from.data;
            same_everywhere.strides = Dims(target.shape.size());
            return emitter.move_by_host(same_everywhere, target);
        }
        if (target.shape.size() + (unit != item(to)) > most_axes) {
            Tensor part = target;
            erase(part.shape, 0);
            erase(part.strides, 0);
            for (std::int64_t i = 0; i < target.shape[0]; ++i, part.data += target.strides[0]) move(emitter, from, part);
            return;
        }
        emitter.call("aclnnInplaceCopy", {in_units(target, unit), in_units(from, unit)});
        return;
    }
    Tensor source = from, target = to;
    for (int i = 0; i < to.shape.size(); ++i) {
        if (to.strides[i] >= 0) continue;
        turn(source, i);
        turn(target, i);
    }
    simplify(source, target);
    move_simplified(emitter, source, target);
}

void overwrite(Emitter& emitter, const Tensor& from, const Tensor& to) {
    const int before = emitter.enqueued();
    try {
        move(emitter, from, to);
    } catch (const std::exception& error) {
        emitter.cut_off(before, error);
        throw;
    }
}

Tensor direct(Emitter& emitter, const Tensor& t) {
    if (is_direct(t)) {
        Tensor same = t;
        for (int i = 0; i < t.shape.size(); ++i)
            if (t.shape[i] <= 1) same.strides[i] = item(t);  // never taken, and may be anything
        return same;
    }
    const Tensor copy = emitter.temporary(t.shape, t.dtype);
    move(emitter, t, copy);
    return copy;
}

}  // namespace asnumpy::ascend
