// Walking over the axes that a structured operation does not work along: offsets of several operands at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "device/backend.hpp"

namespace asnumpy::cpu {

// Elements may lie at any address: a view of a structured NumPy array need not be aligned.
template <class T> T load(const char* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}
template <class T> void store(char* at, const T& value) { std::memcpy(at, &value, sizeof value); }

inline bool is_aligned(const void* data, DType dtype) { return reinterpret_cast<std::uintptr_t>(data) % info(dtype).alignment == 0; }

// Whether every element of the tensor has its natural alignment.
inline bool is_aligned(const Tensor& t) {
    bool aligned = is_aligned(t.data, t.dtype);
    for (int i = 0; i < t.shape.size(); ++i) aligned &= t.shape[i] < 2 || t.strides[i] % info(t.dtype).alignment == 0;
    return aligned;
}

// Some axes of N operands: axes of length 1 are dropped, neighbours that run on into each other in every operand merged.
template <std::size_t N> class Walk {
public:
    using Offsets = std::array<std::int64_t, N>;

    void add(std::int64_t length, const Offsets& strides) {
        count_ *= length;
        if (length == 1) return;
        if (!axes_.empty()) {
            Axis& outer = axes_.back();
            bool runs_on = true;
            for (std::size_t i = 0; i < N; ++i) runs_on &= outer.strides[i] == strides[i] * length;
            if (runs_on) {
                outer.length *= length;
                outer.strides = strides;
                return;
            }
        }
        axes_.push_back({length, strides});
    }

    std::int64_t count() const { return count_; }
    int axes() const { return static_cast<int>(axes_.size()); }
    std::int64_t length(int axis) const { return axes_[static_cast<std::size_t>(axis)].length; }
    const Offsets& strides(int axis) const { return axes_[static_cast<std::size_t>(axis)].strides; }

    // Takes the last axis away; a walk without axes gives one of length 1.
    std::pair<std::int64_t, Offsets> split_last() { return split(axes() - 1); }
    std::pair<std::int64_t, Offsets> split(int axis) {
        if (axes_.empty()) return {1, Offsets{}};
        const Axis taken = axes_[static_cast<std::size_t>(axis)];
        axes_.erase(axes_.begin() + axis);
        count_ = taken.length == 0 ? 0 : count_ / taken.length;
        return {taken.length, taken.strides};
    }

    // Calls f with the offsets of points begin .. end, in C order.
    template <class F> void each(std::int64_t begin, std::int64_t end, F&& f) const {
        if (begin >= end) return;
        std::array<std::int64_t, max_ndim> index;
        Offsets at{};
        std::int64_t rest = begin;
        for (int a = axes(); a-- > 0;) {
            const Axis& axis = axes_[static_cast<std::size_t>(a)];
            index[static_cast<std::size_t>(a)] = rest % axis.length;
            for (std::size_t i = 0; i < N; ++i) at[i] += rest % axis.length * axis.strides[i];
            rest /= axis.length;
        }
        for (std::int64_t point = begin; point < end; ++point) {
            f(std::as_const(at));
            for (int a = axes(); a-- > 0;) {
                const Axis& axis = axes_[static_cast<std::size_t>(a)];
                std::int64_t& here = index[static_cast<std::size_t>(a)];
                if (++here < axis.length) {
                    for (std::size_t i = 0; i < N; ++i) at[i] += axis.strides[i];
                    break;
                }
                here = 0;
                for (std::size_t i = 0; i < N; ++i) at[i] -= (axis.length - 1) * axis.strides[i];
            }
        }
    }

private:
    struct Axis {
        std::int64_t length;
        Offsets strides;
    };
    std::vector<Axis> axes_;
    std::int64_t count_ = 1;
};

}  // namespace asnumpy::cpu
