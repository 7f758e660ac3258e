// The loops behind the short way of take, scatter and compress, and behind an index for each of several axes.
#include "runtime/pick.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/itemsize.hpp"
#include "cpu/index.hpp"
#include "cpu/structured_kernels.hpp"
#include "cpu/structured_layout.hpp"
#include "cpu/threads.hpp"
#include "cpu/transfer.hpp"
#include "runtime/record.hpp"

namespace asnumpy {

namespace {

constexpr std::int64_t most_elements = 4096;

bool is_small_vector(const Array& a) {
    return a.ndim() == 1 && a.view.shape[0] <= std::min(eager_size(), most_elements);
}

// The host may read it, and its memory holds what the program has written so far.
bool is_readable(const Array& a) { return a.host_visible() && !a.buffer->pending_writes && a.buffer->materialised(); }

[[noreturn]] void raise_out_of_bounds(std::int64_t index, std::int64_t length, std::size_t axis = 0) {
    throw IndexError("index " + std::to_string(index) + " is out of bounds for axis " + std::to_string(axis) + " with size " +
                     std::to_string(length));
}

struct Index {
    const char* data;
    std::int64_t stride, length;  // of the axis that is indexed

    std::size_t axis;

    explicit Index(const Array& a, std::int64_t n, std::size_t which = 0)
        : data(a.data()), stride(a.view.strides[0]), length(n), axis(which) {}
    // Calls f with the numbers of entries begin .. end, some at a time: the first of them, their places, how many. IndexError where one is out of bounds.
    template <class F> void each_block(std::int64_t begin, std::int64_t end, const F& f) const {
        std::array<std::int64_t, cpu::places_at_once> places;
        for (; begin < end; begin += cpu::places_at_once) {
            const std::int64_t n = std::min(cpu::places_at_once, end - begin), found = cpu::find_places(data + begin * stride, stride, n, length, places.data());
            if (found < n) raise_out_of_bounds(cpu::entry_of(places[static_cast<std::size_t>(found)], length), length, axis);
            f(begin, places.data(), n);
        }
    }
};

// A mask whose bytes lie side by side.
bool is_short_mask(const Array& a) {
    return a.ndim() == 1 && a.view.shape[0] <= eager_size() && (a.view.strides[0] == 1 || a.view.shape[0] <= 1);
}

}  // namespace

bool fill_at_once(const Array& fresh, const Scalar& value) {
    const std::int64_t n = fresh.size();
    if (n > eager_size() || value.dtype != fresh.dtype || !fresh.host_visible()) return false;
    fresh.buffer->materialise();
    cpu::splat(fresh.data(), reinterpret_cast<const char*>(value.bytes.data()), static_cast<std::int64_t>(itemsize(value.dtype)), n);
    return true;
}

bool take_at_once(const Array& vector, const Array& index, Array& result) {
    if (vector.ndim() != 1 || !is_small_vector(index) || !is_readable(vector) || !is_readable(index)) return false;
    const std::int64_t n = index.view.shape[0], stride = vector.view.strides[0];
    const Index at(index, vector.view.shape[0]);
    result = new_array(Dims{n}, vector.dtype, vector.pool());
    result.buffer->materialise();
    with_itemsize(itemsize(vector.dtype), [&, from = vector.data(), to = result.data()]<std::size_t bytes>() {
        const auto take = [&](auto apart) {
            at.each_block(0, n, [from, apart, to](std::int64_t first, const std::int64_t* places, std::int64_t count) {
                char* const listed = to + first * static_cast<std::int64_t>(bytes);
                for (std::int64_t i = 0; i < count; ++i) std::memcpy(listed + i * static_cast<std::int64_t>(bytes), from + places[i] * apart, bytes);
            });
        };
        if (stride == static_cast<std::int64_t>(bytes)) take(std::integral_constant<std::int64_t, bytes>());
        else take(stride);
    });
    return true;
}

bool scatter_at_once(const Array& vector, const Array& index, const Array& source) {
    if (vector.ndim() != 1 || !is_small_vector(index) || !is_readable(vector) || vector.buffer->pending_reads || !is_readable(index) ||
        !is_readable(source))
        return false;
    const std::int64_t n = index.view.shape[0], stride = vector.view.strides[0], step = source.view.strides[0];
    const Index at(index, vector.view.shape[0]);
    at.each_block(0, n, [](auto&&...) {});  // an error comes before anything is written
    with_itemsize(itemsize(vector.dtype), [&, to = vector.data(), from = source.data()]<std::size_t bytes>() {
        at.each_block(0, n, [from, stride, step, to](std::int64_t first, const std::int64_t* places, std::int64_t count) {
            for (std::int64_t i = 0; i < count; ++i) std::memcpy(to + places[i] * stride, from + (first + i) * step, bytes);
        });
    });
    return true;
}

bool compress_at_once(const Array& vector, const Array& mask, Array& result) {
    if (vector.ndim() != 1 || !is_short_mask(mask) || !is_readable(vector) || !is_readable(mask)) return false;
    const std::int64_t n = mask.view.shape[0], stride = vector.view.strides[0];
    const auto* const chosen = reinterpret_cast<const std::uint8_t*>(mask.data());
    result = new_array(Dims{cpu::structured_kernels().count_true(chosen, n)}, vector.dtype, vector.pool());
    result.buffer->materialise();
    const std::int64_t count = result.view.shape[0];
    std::int64_t written = 0;  // fewer where whoever shares the mask's memory changes it meanwhile
    with_itemsize(itemsize(vector.dtype), [&]<std::size_t bytes>() {
        if constexpr (bytes <= 16) {
            if (stride == static_cast<std::int64_t>(bytes) && cpu::is_aligned(vector.data(), vector.dtype)) {
                const auto compress = cpu::structured_kernels().compress[static_cast<std::size_t>(std::countr_zero(bytes))];
                written = compress(vector.data(), chosen, n, count, result.data());
                return;
            }
        }
        const char* from = vector.data();
        char* to = result.data();
        for (std::int64_t i = 0; i < n && written < count; ++i, from += stride) {
            if (!chosen[i]) continue;
            std::memcpy(to, from, bytes);
            to += bytes;
            ++written;
        }
    });
    result.view.shape[0] = written;
    return true;
}

bool place_at_once(const Array& vector, const Array& mask, const Array& source) {
    if (vector.ndim() != 1 || source.ndim() != 1 || !is_short_mask(mask) || !is_readable(vector) || vector.buffer->pending_reads ||
        !is_readable(mask) || !is_readable(source) || source.buffer == vector.buffer || mask.buffer == vector.buffer)
        return false;
    const std::int64_t n = mask.view.shape[0], stride = vector.view.strides[0], step = source.view.strides[0];
    const auto* const chosen = reinterpret_cast<const std::uint8_t*>(mask.data());
    if (cpu::structured_kernels().count_true(chosen, n) != source.view.shape[0]) return false;
    with_itemsize(itemsize(vector.dtype), [&]<std::size_t bytes>() {
        char* to = vector.data();
        const char* from = source.data();
        for (std::int64_t i = 0, left = source.view.shape[0]; i < n && left > 0; ++i, to += stride) {
            if (!chosen[i]) continue;
            std::memcpy(to, from, bytes);
            from += step;
            --left;
        }
    });
    return true;
}

bool flatnonzero_at_once(const Array& mask, Array& result) {
    if (!is_short_mask(mask) || !is_readable(mask)) return false;
    const std::int64_t n = mask.view.shape[0];
    const auto* const chosen = reinterpret_cast<const std::uint8_t*>(mask.data());
    result = new_array(Dims{cpu::structured_kernels().count_true(chosen, n)}, DType::int64, mask.pool());
    result.buffer->materialise();
    result.view.shape[0] = cpu::structured_kernels().positions(chosen, n, result.view.shape[0], 0, reinterpret_cast<std::int64_t*>(result.data()));
    return true;
}

bool join_indices(std::span<const Array> indices, std::span<const std::int64_t> lengths, Array& joined) {
    if (current_trace()) return false;
    for (const Array& index : indices)
        if (!index.host_visible()) return false;
    const std::int64_t n = indices[0].view.shape[0];
    std::vector<Index> along;
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
        make_ready(indices[axis], Access::read);
        along.emplace_back(indices[axis], lengths[axis], axis);
    }
    joined = new_array(Dims{n}, DType::int64, indices[0].pool());
    joined.buffer->materialise();
    auto* const to = reinterpret_cast<std::int64_t*>(joined.data());
    cpu::parallel_for(n, 16384, [&](std::int64_t begin, std::int64_t end, int) {
        std::fill(to + begin, to + end, 0);
        for (const Index& at : along)
            at.each_block(begin, end, [to, length = at.length](std::int64_t first, const std::int64_t* places, std::int64_t count) {
                for (std::int64_t i = 0; i < count; ++i) to[first + i] = to[first + i] * length + places[i];
            });
    });
    return true;
}

}  // namespace asnumpy
