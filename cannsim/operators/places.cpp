// Indices checked and counted from the start, elements that meet at one place, copies by a table per axis.
#include "operators/places.hpp"

#include <algorithm>
#include <cmath>

#include "aclnn/parallel.hpp"
#include "base/itemsize.hpp"
#include "operators/fold.hpp"
#include "operators/wrapping.hpp"

namespace cannsim {

Dense::Dense(const Array& array) : original_(array), array_(array) {
    auto expected = static_cast<std::int64_t>(asnumpy::itemsize(array.dtype));
    bool dense = true;
    for (int axis = array.ndim() - 1; axis >= 0; --axis) {
        if (array.shape[axis] != 1 && array.strides[axis] != expected) dense = false;
        expected *= array.shape[axis];
    }
    if (dense || array.size() == 0) return;
    copy_ = contiguous(array);
    array_ = copy_;
}

PlaceReader::PlaceReader(const Array& index, const Dims& shape, std::int64_t length, const Indexed& indexed, std::atomic<bool>& noted)
    : cursor_(broadcast_to(index, shape)), convert_(converter(index.dtype, DType::int64)), item_(asnumpy::itemsize(index.dtype)), length_(length), indexed_(&indexed), noted_(&noted) {}

void PlaceReader::seek(std::int64_t element) {
    next_ = element;
    if (!cursor_.is_contiguous() && !cursor_.is_splat()) cursor_.seek(element);
}

void PlaceReader::read(std::int64_t* to, std::int64_t n) {
    alignas(64) std::array<std::byte, most * 8> raw;
    const std::byte* from = raw.data();
    if (cursor_.is_contiguous()) from = cursor_.at(next_);
    else cursor_.gather(raw.data(), n);
    next_ += n;
    void* const target = to;
    const void* const source = from;
    convert_(&target, &source, static_cast<std::size_t>(n));
    const auto bound = static_cast<std::uint64_t>(length_);
    bool inside = true;
    for (std::int64_t i = 0; i < n; ++i) {
        inside &= static_cast<std::uint64_t>(to[i]) + bound < 2 * bound;
        to[i] += to[i] < 0 ? length_ : 0;
    }
    if (inside) return;
    for (std::int64_t i = 0; i < n; ++i) {
        if (static_cast<std::uint64_t>(to[i]) < bound) continue;
        const std::int64_t given = to[i] < 0 ? to[i] - length_ : to[i];
        if (!noted_->exchange(true))
            note(Fault::out_of_bounds, text(indexed_->op, ": ", indexed_->parameter, ": expected indices from ", -length_, " to ", length_ - 1, ", got ", given));
        to[i] = -1;
    }
}

void each_places(const Array& index, std::int64_t length, const Indexed& indexed, const std::function<void(std::int64_t, std::span<std::int64_t>)>& f) {
    std::atomic<bool> noted = false;
    if (index.size() == 0) return;
    const PlaceReader start(index, index.shape, length, indexed, noted);
    parallel(index.size(), PlaceReader::most, std::int64_t{1} << 16, [&](std::int64_t first, std::int64_t last) {
        PlaceReader reader = start;
        reader.seek(first);
        std::array<std::int64_t, PlaceReader::most> places;
        for (std::int64_t i = first; i < last; i += PlaceReader::most) {
            const std::int64_t n = std::min(PlaceReader::most, last - i);
            reader.read(places.data(), n);
            f(i, {places.data(), static_cast<std::size_t>(n)});
        }
    });
}

std::vector<std::int64_t> places(const Array& index, std::int64_t length, const Indexed& indexed) {
    std::vector<std::int64_t> result(static_cast<std::size_t>(index.size()));
    each_places(index, length, indexed, [&](std::int64_t first, std::span<std::int64_t> some) { std::ranges::copy(some, result.begin() + first); });
    return result;
}

std::vector<std::int64_t> steps(const Array& array, int axis) {
    std::vector<std::int64_t> table(static_cast<std::size_t>(array.shape[axis]));
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<std::int64_t>(i) * array.strides[axis];
    return table;
}

namespace {

// Calls f.template operator()<bytes>() for the sizes of elements, with 0 for others.
template <class F> void with_size(std::size_t size, F&& f) {
    switch (size) {
        case 1: return f.template operator()<1>();
        case 2: return f.template operator()<2>();
        case 4: return f.template operator()<4>();
        case 8: return f.template operator()<8>();
        case 16: return f.template operator()<16>();
        default: return f.template operator()<0>();
    }
}

}  // namespace

void pick(std::byte* to, const std::byte* from, std::span<const std::int64_t> places, std::size_t block) {
    with_size(block, [&]<std::size_t Size>() {
        const std::size_t size = Size ? Size : block;
        for (std::size_t i = 0; i < places.size(); ++i)
            std::memcpy(to + i * size, from + static_cast<std::size_t>(std::max<std::int64_t>(places[i], 0)) * size, size);
    });
}

void copy_mapped(const Array& from, const ByteTables& tables, const Array& to) {
    const std::size_t item = asnumpy::itemsize(from.dtype);
    const int ndim = to.ndim();
    if (to.size() == 0) return;
    if (ndim == 0) {
        std::memcpy(to.data, from.data, item);
        return;
    }
    const std::vector<std::int64_t>& last = tables.back();
    const std::int64_t stride = to.strides[ndim - 1];
    // The last axis as runs of memory, where these are long: the place of each in the table, and the end.
    std::vector<std::size_t> runs{0};
    for (std::size_t i = 1; i < last.size(); ++i)
        if (last[i] != last[i - 1] + static_cast<std::int64_t>(item)) runs.push_back(i);
    const bool in_runs = stride == static_cast<std::int64_t>(item) && runs.size() * 8 <= last.size() + 7;
    runs.push_back(last.size());
    std::vector<std::size_t> index(static_cast<std::size_t>(ndim), 0);
    for (;;) {
        const std::byte* source = from.data;
        std::byte* target = to.data;
        for (int axis = 0; axis < ndim - 1; ++axis) {
            source += tables[static_cast<std::size_t>(axis)][index[static_cast<std::size_t>(axis)]];
            target += static_cast<std::int64_t>(index[static_cast<std::size_t>(axis)]) * to.strides[axis];
        }
        if (in_runs) {
            for (std::size_t r = 0; r + 1 < runs.size(); ++r) std::memcpy(target + runs[r] * item, source + last[runs[r]], (runs[r + 1] - runs[r]) * item);
        } else {
            with_size(item, [&]<std::size_t Size>() {
                for (const std::int64_t step : last) {
                    std::memcpy(target, source + step, Size);
                    target += stride;
                }
            });
        }
        int axis = ndim - 2;
        for (; axis >= 0; --axis) {
            if (++index[static_cast<std::size_t>(axis)] < tables[static_cast<std::size_t>(axis)].size()) break;
            index[static_cast<std::size_t>(axis)] = 0;
        }
        if (axis < 0) return;
    }
}

namespace {

template <class T, Meet meet> T met(T a, T b) {
    if constexpr (asnumpy::is_half_v<T>) {
        return T(met<float, meet>(static_cast<float>(a), static_cast<float>(b)));
    } else if constexpr (meet == Meet::add) {
        return plus(a, b);
    } else if constexpr (meet == Meet::multiply) {
        return times(a, b);
    } else if constexpr (asnumpy::is_complex_v<T>) {
        return b;  // complex numbers have no order; the plans refuse them
    } else {
        if constexpr (std::is_floating_point_v<T>)
            if (std::isnan(a) || std::isnan(b)) return a + b;
        return meet == Meet::largest ? std::max(a, b) : std::min(a, b);
    }
}

template <Meet meet> Combine combine(DType dtype) {
    return cannsim::dispatch(dtype, []<class T>() -> Combine {
        return [](std::byte* to, const std::byte* from, std::int64_t n) {
            for (std::int64_t i = 0; i < n; ++i) {
                T a, b;
                std::memcpy(&a, to + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
                std::memcpy(&b, from + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
                a = met<T, meet>(a, b);
                std::memcpy(to + i * static_cast<std::int64_t>(sizeof(T)), &a, sizeof(T));
            }
        };
    });
}

template <std::size_t Item> void replace(std::byte* to, const std::byte* from, std::int64_t n) { std::memcpy(to, from, static_cast<std::size_t>(n) * Item); }

}  // namespace

Combine combiner(DType dtype, Meet meet) {
    switch (meet) {
        case Meet::add: return combine<Meet::add>(dtype);
        case Meet::multiply: return combine<Meet::multiply>(dtype);
        case Meet::largest: return combine<Meet::largest>(dtype);
        case Meet::smallest: return combine<Meet::smallest>(dtype);
        case Meet::replace: break;
    }
    return asnumpy::with_itemsize(asnumpy::itemsize(dtype), []<std::size_t Item>() -> Combine { return replace<Item>; });
}

}  // namespace cannsim
