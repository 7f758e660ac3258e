// The loops behind the short way of take, scatter and compress, and behind an index for each of several axes.
#include "runtime/pick.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/itemsize.hpp"
#include "cpu/threads.hpp"
#include "runtime/record.hpp"

namespace asnumpy {

namespace {

constexpr std::int64_t most_elements = 512;

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
    std::int64_t operator[](std::int64_t i) const {
        std::int64_t value;
        std::memcpy(&value, data + i * stride, sizeof value);
        if (value < -length || value >= length) raise_out_of_bounds(value, length, axis);
        return value + (value < 0 ? length : 0);
    }
};

std::int64_t count_true_at_once(const Array& mask) {
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < mask.view.shape[0]; ++i) n += mask.data()[i * mask.view.strides[0]] != 0;
    return n;
}

}  // namespace

bool fill_at_once(const Array& fresh, const Scalar& value) {
    const std::int64_t n = fresh.size();
    if (n > eager_size() || value.dtype != fresh.dtype || !fresh.host_visible()) return false;
    fresh.buffer->materialise();
    with_itemsize(itemsize(value.dtype), [&]<std::size_t bytes>() {
        for (std::int64_t i = 0; i < n; ++i) std::memcpy(fresh.data() + i * static_cast<std::int64_t>(bytes), value.bytes.data(), bytes);
    });
    return true;
}

bool take_at_once(const Array& vector, const Array& index, Array& result) {
    if (vector.ndim() != 1 || !is_small_vector(index) || !is_readable(vector) || !is_readable(index)) return false;
    const std::int64_t n = index.view.shape[0], stride = vector.view.strides[0];
    const Index at(index, vector.view.shape[0]);
    result = new_array(Dims{n}, vector.dtype, vector.pool());
    result.buffer->materialise();
    with_itemsize(itemsize(vector.dtype), [&]<std::size_t bytes>() {
        char* to = result.data();
        for (std::int64_t i = 0; i < n; ++i, to += bytes) std::memcpy(to, vector.data() + at[i] * stride, bytes);
    });
    return true;
}

bool scatter_at_once(const Array& vector, const Array& index, const Array& source) {
    if (vector.ndim() != 1 || !is_small_vector(index) || !is_readable(vector) || vector.buffer->pending_reads || !is_readable(index) ||
        !is_readable(source))
        return false;
    const std::int64_t n = index.view.shape[0], stride = vector.view.strides[0], step = source.view.strides[0];
    const Index at(index, vector.view.shape[0]);
    for (std::int64_t i = 0; i < n; ++i) static_cast<void>(at[i]);
    with_itemsize(itemsize(vector.dtype), [&]<std::size_t bytes>() {
        for (std::int64_t i = 0; i < n; ++i) std::memcpy(vector.data() + at[i] * stride, source.data() + i * step, bytes);
    });
    return true;
}

bool compress_at_once(const Array& vector, const Array& mask, Array& result) {
    if (vector.ndim() != 1 || !is_small_vector(mask) || !is_readable(vector) || !is_readable(mask)) return false;
    const std::int64_t n = mask.view.shape[0], stride = vector.view.strides[0];
    result = new_array(Dims{count_true_at_once(mask)}, vector.dtype, vector.pool());
    result.buffer->materialise();
    with_itemsize(itemsize(vector.dtype), [&]<std::size_t bytes>() {
        char* to = result.data();
        // Whoever shares the mask's memory may change it meanwhile.
        std::int64_t left = result.view.shape[0];
        for (std::int64_t i = 0; i < n && left > 0; ++i) {
            if (!mask.data()[i * mask.view.strides[0]]) continue;
            std::memcpy(to, vector.data() + i * stride, bytes);
            to += bytes;
            --left;
        }
        result.view.shape[0] -= left;
    });
    return true;
}

bool flatnonzero_at_once(const Array& mask, Array& result) {
    if (!is_small_vector(mask) || !is_readable(mask)) return false;
    result = new_array(Dims{count_true_at_once(mask)}, DType::int64, mask.pool());
    result.buffer->materialise();
    char* to = result.data();
    std::int64_t left = result.view.shape[0];
    for (std::int64_t i = 0; i < mask.view.shape[0] && left > 0; ++i) {
        if (!mask.data()[i * mask.view.strides[0]]) continue;
        std::memcpy(to, &i, sizeof i);
        to += sizeof i;
        --left;
    }
    result.view.shape[0] -= left;
    return true;
}

bool join_indices(std::span<const Array> indices, std::span<const std::int64_t> lengths, Array& joined) {
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
        for (std::int64_t i = begin; i < end; ++i) {
            std::int64_t place = 0;
            for (const Index& at : along) place = place * at.length + at[i];
            to[i] = place;
        }
    });
    return true;
}

}  // namespace asnumpy
