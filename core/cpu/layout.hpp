// The iteration space of a launch in the order in which tiles walk it, and each operand's strides in that order.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "program/program.hpp"

namespace asnumpy::cpu {

inline constexpr std::int64_t cache_line = 64;     // bytes
inline constexpr std::int64_t shortest_row = 256;  // elements; shorter runs share a tile

// The order of the axes: [outer kept..., reduced..., inner kept...], each group outermost first. A position in the
// space is one flat index over that order, (o * reduced + r) * inner + i; without reductions all axes are inner.
struct Order {
    int ndim = 0;
    std::array<std::uint8_t, max_ndim> axis;  // of the launch; those of length 1 are dropped
    std::uint64_t flipped = 0;                // axes of the launch walked from their end
    std::int64_t outer = 1, reduced = 1, inner = 1;
    std::int64_t outermost = 1;               // length of the first of several axes

    std::int64_t size() const { return outer * reduced * inner; }
    std::int64_t kept() const { return outer * inner; }
};

struct Axis {
    std::int64_t length, stride;
};

// The axes of an operand: few as a rule, for launches are kept.
class Axes {
public:
    Axes() = default;
    Axes(const Axes& o) : few_(o.few_), many_(o.many_ ? std::make_unique<Many>(*o.many_) : nullptr) {}
    Axes(Axes&&) noexcept = default;
    Axes& operator=(const Axes& o) {
        if (this == &o) return *this;
        few_ = o.few_;
        many_ = o.many_ ? std::make_unique<Many>(*o.many_) : nullptr;
        return *this;
    }
    Axes& operator=(Axes&&) noexcept = default;
    ~Axes() = default;

    const Axis& operator[](int i) const { return i < inline_size ? few_[static_cast<std::size_t>(i)] : (*many_)[static_cast<std::size_t>(i)]; }
    void set(int i, Axis axis) {
        if (i < inline_size) {
            few_[static_cast<std::size_t>(i)] = axis;
            return;
        }
        if (!many_) many_ = std::make_unique<Many>();
        (*many_)[static_cast<std::size_t>(i)] = axis;
    }

    static constexpr int inline_size = 4;
    std::span<const Axis, inline_size> few() const { return few_; }

private:
    using Many = std::array<Axis, max_ndim>;
    std::array<Axis, inline_size> few_{};
    std::unique_ptr<Many> many_;  // for those beyond
};

// One operand in that order; neighbouring axes that form one run are merged.
struct Strided {
    char* data;
    std::int64_t itemsize;
    int ndim;      // at least 1
    bool aligned;  // every element, for its dtype
    Axes axes;
    const Turned* turned = nullptr;  // what is read is a copy that is not made: addresses are those that its elements would have from `data` on
    std::int64_t before = 0;         // bytes from its first element to `data`

    int grid = -1;                   // where the positions of tiles are told by axis (Frame::grids); -1: nowhere

    Axis inner() const { return axes[ndim - 1]; }
    bool constant() const { return ndim == 1 && axes[0].stride == 0 && axes[0].length > 1; }
    bool contiguous_runs() const { return inner().stride == itemsize; }
    char* at(std::int64_t flat) const;
    char* at(const std::int64_t* place) const {  // by axis, of as many as a grid has
        const std::span<const Axis, Axes::inline_size> few = axes.few();
        char* p = data + place[0] * few[0].stride + place[1] * few[1].stride;
        if (ndim > 2) p += place[2] * few[2].stride;
        if (ndim > 3) p += place[3] * few[3].stride;
        return p;
    }
};

// The lengths of the axes of several operands: a position is divided by them once for all, as divisions count where tiles are short.
struct Grid {
    static constexpr int most_axes = Axes::inline_size;
    int ndim;  // 2 or more
    std::array<std::int64_t, most_axes> lengths;

    bool fits(const Strided&) const;
    void divide(std::int64_t flat, std::int64_t* place) const {
        for (int i = ndim - 1; i > 0; --i) {
            const std::int64_t rest = flat / lengths[static_cast<std::size_t>(i)];
            place[i] = flat - rest * lengths[static_cast<std::size_t>(i)];
            flat = rest;
        }
        place[0] = flat;
    }
};

// How tiles cut a stretch of the space: into periods, and each period into pieces of `tile` elements (the last may be
// shorter). A period is one run of the operands when runs are long, else the whole stretch in whole runs.
struct Tiling {
    std::int64_t period = 1, tile = 1, pieces = 1, count = 1;

    Tiling() = default;
    // unit: tiles hold a multiple of it unless runs are cut; longest: elements of the largest tile; shortest: of the runs of which
    // each has a tile to itself; item: elements that stay together, of which a unit has a whole number.
    Tiling(std::int64_t stretch, std::int64_t unit, std::int64_t longest, bool cut_runs, std::int64_t shortest = shortest_row, std::int64_t item = 1);

    std::int64_t start(std::int64_t i) const { return pieces == count ? i * tile : i / pieces * period + i % pieces * tile; }
    std::int64_t length(std::int64_t i) const {
        const std::int64_t before = (pieces == count ? i : i % pieces) * tile;
        return before + tile <= period ? tile : period - before;
    }
    // No tile crosses the end of a run of this length.
    bool within_runs(std::int64_t run) const { return run % period == 0 || (period % run == 0 && run % tile == 0); }
};

// The order of the axes.
enum class Arrangement : std::uint8_t {
    natural,     // reduced axes innermost where memory has them so
    given,       // as the launch lists its axes, none reduced
    kept_inner,  // all kept axes innermost: the axis that is reduced is too short to be a vector
};

Order arrange(const Launch&, int inputs, int stores, Arrangement);
// Axes of length 1 and, for the result of a reduction, reduced axes do not appear in the result.
void lay_out(Strided&, const Operand&, DType, const Launch&, const Order&, bool kept_only);

}  // namespace asnumpy::cpu
