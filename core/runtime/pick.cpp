// The loops behind the short way of take, scatter and compress.
#include "runtime/pick.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "base/itemsize.hpp"
#include "runtime/record.hpp"

namespace asnumpy {

namespace {

constexpr std::int64_t most_elements = 512;

bool is_small_vector(const Array& a) {
    return a.ndim() == 1 && a.view.shape[0] <= std::min(eager_size(), most_elements) && a.buffer->pool().backend().host_visible();
}

// Its memory holds what the program has written so far.
bool is_readable(const Array& a) { return !a.buffer->pending_writes && a.buffer->materialised(); }

[[noreturn]] void raise_out_of_bounds(std::int64_t index, std::int64_t length) {
    throw IndexError("index " + std::to_string(index) + " is out of bounds for axis 0 with size " + std::to_string(length));
}

struct Index {
    const char* data;
    std::int64_t stride, length;  // of the axis that is indexed

    explicit Index(const Array& a, std::int64_t n) : data(a.data()), stride(a.view.strides[0]), length(n) {}
    std::int64_t operator[](std::int64_t i) const {
        std::int64_t value;
        std::memcpy(&value, data + i * stride, sizeof value);
        if (value < -length || value >= length) raise_out_of_bounds(value, length);
        return value + (value < 0 ? length : 0);
    }
};

std::int64_t count_true(const Array& mask) {
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < mask.view.shape[0]; ++i) n += mask.data()[i * mask.view.strides[0]] != 0;
    return n;
}

}  // namespace

bool take_at_once(const Array& vector, const Array& index, Array& result) {
    if (vector.ndim() != 1 || !is_small_vector(index) || !is_readable(vector) || !is_readable(index)) return false;
    const std::int64_t n = index.view.shape[0], stride = vector.view.strides[0];
    const Index at(index, vector.view.shape[0]);
    result = new_array(Dims{n}, vector.dtype);
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
    result = new_array(Dims{count_true(mask)}, vector.dtype);
    result.buffer->materialise();
    with_itemsize(itemsize(vector.dtype), [&]<std::size_t bytes>() {
        char* to = result.data();
        for (std::int64_t i = 0; i < n; ++i) {
            if (!mask.data()[i * mask.view.strides[0]]) continue;
            std::memcpy(to, vector.data() + i * stride, bytes);
            to += bytes;
        }
    });
    return true;
}

bool flatnonzero_at_once(const Array& mask, Array& result) {
    if (!is_small_vector(mask) || !is_readable(mask)) return false;
    result = new_array(Dims{count_true(mask)}, DType::int64);
    result.buffer->materialise();
    char* to = result.data();
    for (std::int64_t i = 0; i < mask.view.shape[0]; ++i) {
        if (!mask.data()[i * mask.view.strides[0]]) continue;
        std::memcpy(to, &i, sizeof i);
        to += sizeof i;
    }
    return true;
}

}  // namespace asnumpy
