// Gathering, scattering and copying over strides.
#include "aclnn/strided.hpp"

#include <algorithm>
#include <cstring>

#include "aclnn/parallel.hpp"
#include "aclnn/rows.hpp"
#include "base/itemsize.hpp"

namespace cannsim {
namespace {

// Axes of length 1 go, neighbours whose strides continue one another become one.
Array collapsed(const Array& array) {
    Array result{array.data, array.dtype, {}, {}};
    for (int axis = 0; axis < array.ndim(); ++axis) {
        const std::int64_t length = array.shape[axis], stride = array.strides[axis];
        if (length == 1) continue;
        if (!result.shape.empty() && result.strides.back() == stride * length) {
            result.shape.back() *= length;
            result.strides.back() = stride;
        } else {
            result.shape.push_back(length);
            result.strides.push_back(stride);
        }
    }
    return result;
}

template <std::size_t Item> void gather_line(std::byte* to, const std::byte* from, std::int64_t stride, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) std::memcpy(to + i * static_cast<std::int64_t>(Item), from + i * stride, Item);
}
template <std::size_t Item> void scatter_line(const std::byte* from, std::byte* to, std::int64_t stride, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) std::memcpy(to + i * stride, from + i * static_cast<std::int64_t>(Item), Item);
}

}  // namespace

Cursor::Cursor(const Array& array) : array_(collapsed(array)), item_(asnumpy::itemsize(array.dtype)), place_(array.data) {
    const int ndim = array_.ndim();
    contiguous_ = ndim == 0 || (ndim == 1 && array_.strides[0] == static_cast<std::int64_t>(item_));
    splat_ = !contiguous_ && std::ranges::all_of(array_.strides, [](std::int64_t stride) { return stride == 0; });
    index_.assign(static_cast<std::size_t>(ndim), 0);
}

template <class F> void Cursor::walk(std::int64_t n, F&& piece) {
    const int last = array_.ndim() - 1;
    while (n > 0) {
        auto& position = index_[static_cast<std::size_t>(last)];
        const std::int64_t m = std::min(n, array_.shape[last] - position), stride = array_.strides[last];
        piece(place_, stride, m);
        n -= m;
        position += m;
        place_ += stride * m;
        for (int axis = last; axis >= 0 && index_[static_cast<std::size_t>(axis)] == array_.shape[axis]; --axis) {
            index_[static_cast<std::size_t>(axis)] = 0;
            place_ -= array_.strides[axis] * array_.shape[axis];
            if (axis == 0) break;
            ++index_[static_cast<std::size_t>(axis - 1)];
            place_ += array_.strides[axis - 1];
        }
    }
}

void Cursor::seek(std::int64_t element) {
    place_ = array_.data;
    for (int axis = array_.ndim() - 1; axis >= 0; --axis) {
        index_[static_cast<std::size_t>(axis)] = element % array_.shape[axis];
        place_ += index_[static_cast<std::size_t>(axis)] * array_.strides[axis];
        element /= array_.shape[axis];
    }
}

void Cursor::gather(std::byte* to, std::int64_t n) {
    if (splat_) return splat(to, array_.data, item_, n);
    if (array_.ndim() == 0) {
        std::memcpy(to, array_.data, item_);
        return;
    }
    asnumpy::with_itemsize(item_, [&]<std::size_t Item>() {
        walk(n, [&](const std::byte* from, std::int64_t stride, std::int64_t m) {
            if (stride == static_cast<std::int64_t>(Item)) std::memcpy(to, from, static_cast<std::size_t>(m) * Item);
            else gather_line<Item>(to, from, stride, m);
            to += m * static_cast<std::int64_t>(Item);
        });
    });
}

void Cursor::scatter(const std::byte* from, std::int64_t n) {
    if (array_.ndim() == 0) {
        std::memcpy(array_.data, from, item_);
        return;
    }
    asnumpy::with_itemsize(item_, [&]<std::size_t Item>() {
        walk(n, [&](std::byte* to, std::int64_t stride, std::int64_t m) {
            if (stride == static_cast<std::int64_t>(Item)) std::memcpy(to, from, static_cast<std::size_t>(m) * Item);
            else scatter_line<Item>(from, to, stride, m);
            from += m * static_cast<std::int64_t>(Item);
        });
    });
}

Array broadcast_to(const Array& array, const Dims& shape) {
    Array result{array.data, array.dtype, shape, Dims(shape.size())};
    const int missing = shape.size() - array.ndim();
    for (int axis = 0; axis < array.ndim(); ++axis)
        result.strides[axis + missing] = array.shape[axis] == 1 && shape[axis + missing] != 1 ? 0 : array.strides[axis];
    return result;
}

void splat(std::byte* to, const void* value, std::size_t item, std::int64_t n) {
    asnumpy::with_itemsize(item, [&]<std::size_t Item>() {
        std::array<std::byte, Item> one;
        std::memcpy(one.data(), value, Item);
        for (std::int64_t i = 0; i < n; ++i) std::memcpy(to + i * static_cast<std::int64_t>(Item), one.data(), Item);
    });
}

namespace {

constexpr std::int64_t piece = 1024;

void copy_part(Cursor reading, Cursor writing, Loop convert, std::size_t out, std::int64_t first, std::int64_t last) {
    alignas(64) std::array<std::byte, piece * 16> read, written;
    if (!reading.is_contiguous()) reading.seek(first);
    if (!writing.is_contiguous()) writing.seek(first);
    for (std::int64_t start = first; start < last; start += piece) {
        const std::int64_t n = std::min(piece, last - start);
        const std::byte* source = reading.is_contiguous() ? reading.at(start) : read.data();
        if (!reading.is_contiguous()) reading.gather(read.data(), n);
        if (convert) {
            void* const target = writing.is_contiguous() ? writing.at(start) : written.data();
            const void* const values = source;
            convert(&target, &values, static_cast<std::size_t>(n));
            source = static_cast<const std::byte*>(target);
        } else if (writing.is_contiguous()) {
            std::memcpy(writing.at(start), source, static_cast<std::size_t>(n) * out);
        }
        if (!writing.is_contiguous()) writing.scatter(source, n);
    }
}

}  // namespace

void copy(const Array& from, const Array& to) {
    const std::int64_t size = to.size();
    if (size == 0) return;
    Cursor reading(from), writing(to);
    const std::size_t in = asnumpy::itemsize(from.dtype), out = asnumpy::itemsize(to.dtype);
    if (from.dtype == to.dtype && reading.is_contiguous() && writing.is_contiguous()) {
        std::memmove(to.data, from.data, static_cast<std::size_t>(size) * in);
        return;
    }
    const Loop convert = from.dtype == to.dtype ? nullptr : converter(from.dtype, to.dtype);
    parallel(size, piece, std::int64_t{1} << 18, [&](std::int64_t first, std::int64_t last) { copy_part(reading, writing, convert, out, first, last); });
}

Owned make(DType dtype, const Dims& shape) {
    Owned result;
    const auto item = static_cast<std::int64_t>(asnumpy::itemsize(dtype));
    static_cast<Array&>(result) = {nullptr, dtype, shape, asnumpy::contiguous(shape, item).strides};
    result.memory = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(std::max<std::int64_t>(result.size() * item, 1)));
    result.data = result.memory.get();
    return result;
}

Owned contiguous(const Array& array, DType dtype) {
    Owned result = make(dtype, array.shape);
    copy(array, result);
    return result;
}

Array permuted(const Array& array, std::span<const int> axes) {
    Array result{array.data, array.dtype, {}, {}};
    for (const int axis : axes) {
        result.shape.push_back(array.shape[axis]);
        result.strides.push_back(array.strides[axis]);
    }
    return result;
}

Array at(const Array& array, int axis, std::int64_t index) {
    Array result{array.data + index * array.strides[axis], array.dtype, {}, {}};
    for (int i = 0; i < array.ndim(); ++i) {
        if (i == axis) continue;
        result.shape.push_back(array.shape[i]);
        result.strides.push_back(array.strides[i]);
    }
    return result;
}

}  // namespace cannsim
