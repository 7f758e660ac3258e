// Indices checked and counted from the start, elements that meet at one place, copies by a table per axis.
#include "operators/places.hpp"

#include <algorithm>
#include <cmath>

#include "aclnn/parallel.hpp"
#include "base/itemsize.hpp"
#include "operators/fold.hpp"

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

std::vector<std::int64_t> places(const Array& index, std::int64_t length, const Indexed& indexed) {
    std::vector<std::int64_t> result(static_cast<std::size_t>(index.size()));
    if (result.empty()) return result;
    Array target{reinterpret_cast<std::byte*>(result.data()), DType::int64, index.shape, asnumpy::contiguous(index.shape, 8).strides};
    copy(index, target);
    bool noted = false;
    for (std::int64_t& place : result) {
        if (place < -length || place >= length) {
            if (!std::exchange(noted, true))
                note(Fault::out_of_bounds, text(indexed.op, ": ", indexed.parameter, ": expected indices from ", -length, " to ", length - 1, ", got ", place));
            place = -1;
        } else if (place < 0) {
            place += length;
        }
    }
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
    const auto count = static_cast<std::int64_t>(places.size());
    parallel(count, 1024, std::int64_t{1} << 18, [&](std::int64_t first, std::int64_t last) {
        with_size(block, [&]<std::size_t Size>() {
            const std::size_t size = Size ? Size : block;
            for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
                std::memcpy(to + i * size, from + static_cast<std::size_t>(std::max<std::int64_t>(places[i], 0)) * size, size);
        });
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
    bool as_is = stride == static_cast<std::int64_t>(item);  // the last axis is one run of memory
    for (std::size_t i = 0; as_is && i < last.size(); ++i) as_is = last[i] == static_cast<std::int64_t>(i * item);
    std::vector<std::size_t> index(static_cast<std::size_t>(ndim), 0);
    for (;;) {
        const std::byte* source = from.data;
        std::byte* target = to.data;
        for (int axis = 0; axis < ndim - 1; ++axis) {
            source += tables[static_cast<std::size_t>(axis)][index[static_cast<std::size_t>(axis)]];
            target += static_cast<std::int64_t>(index[static_cast<std::size_t>(axis)]) * to.strides[axis];
        }
        if (as_is) {
            std::memcpy(target, source, last.size() * item);
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
    if constexpr (is_half<T>) {
        return T(met<float, meet>(static_cast<float>(a), static_cast<float>(b)));
    } else if constexpr (meet == Meet::add) {
        return static_cast<T>(a + b);
    } else if constexpr (meet == Meet::multiply) {
        return static_cast<T>(a * b);
    } else if constexpr (is_complex_type<T>) {
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
