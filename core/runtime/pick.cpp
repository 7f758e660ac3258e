// The loops behind the short way of take, scatter and compress, and behind an index for each of several axes.
#include "runtime/pick.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/itemsize.hpp"
#include "cpu/structured_kernels.hpp"
#include "cpu/structured_layout.hpp"
#include "cpu/threads.hpp"
#include "cpu/transfer.hpp"
#include "runtime/overlap.hpp"
#include "runtime/record.hpp"

namespace asnumpy {

namespace {

constexpr std::int64_t most_elements = 4096, most_looked_at_with_lock = 65536;

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
        const std::int64_t place = value + (value < 0 ? length : 0);
        if (static_cast<std::uint64_t>(place) >= static_cast<std::uint64_t>(length)) raise_out_of_bounds(value, length, axis);
        return place;
    }
    // IndexError where one of the first n is out of bounds. Without a branch for each, by the signs of the distances from both bounds.
    void check(std::int64_t n) const {
        const auto span = static_cast<std::uint64_t>(length);
        std::uint64_t signs = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            const std::uint64_t above = cpu::load<std::uint64_t>(data + i * stride) + span;
            signs |= above | (2 * span - 1 - above);
        }
        const bool outside = signs >> 63;
        for (std::int64_t i = 0; outside && i < n; ++i) static_cast<void>((*this)[i]);
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
        for (std::int64_t i = 0; i < n; ++i) std::memcpy(to + i * static_cast<std::int64_t>(bytes), from + at[i] * stride, bytes);
    });
    return true;
}

bool scatter_at_once(const Array& vector, const Array& index, const Array& source) {
    if (vector.ndim() != 1 || !is_small_vector(index) || !is_readable(vector) || vector.buffer->pending_reads || !is_readable(index) ||
        !is_readable(source))
        return false;
    const std::int64_t n = index.view.shape[0], stride = vector.view.strides[0], step = source.view.strides[0];
    const Index at(index, vector.view.shape[0]);
    at.check(n);
    with_itemsize(itemsize(vector.dtype), [&, to = vector.data(), from = source.data()]<std::size_t bytes>() {
        for (std::int64_t i = 0; i < n; ++i) std::memcpy(to + at[i] * stride, from + i * step, bytes);
    });
    return true;
}

namespace {

// Without undefined behaviour where integers run over.
template <class T> T plus(T a, T b) {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
    else return a + b;
}

// All by value: what the sums could overwrite would be read anew for each of them.
template <class T> void add_each(char* to, std::int64_t stride, Index at, const char* from, std::int64_t step, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
        char* const place = to + at[i] * stride;
        cpu::store(place, plus(cpu::load<T>(place), cpu::load<T>(from + i * step)));
    }
}

}  // namespace

bool add_at_once(const Array& vector, const Array& index, const Array& values) {
    constexpr std::array summed{DType::int32, DType::int64, DType::float32, DType::float64, DType::complex64, DType::complex128};
    if (current_trace() || vector.ndim() != 1 || index.ndim() != 1 || values.ndim() != 1 || index.dtype != DType::int64 || values.dtype != vector.dtype ||
        index.view.shape[0] != values.view.shape[0] || std::ranges::find(summed, vector.dtype) == summed.end())
        return false;
    if (!vector.host_visible() || !index.host_visible() || !values.host_visible() || overlaps_itself(vector) || may_overlap(vector, index) ||
        may_overlap(vector, values))
        return false;
    make_ready(index, Access::read);
    make_ready(values, Access::read);
    make_ready(vector, Access::write);
    const std::int64_t n = index.view.shape[0], stride = vector.view.strides[0], step = values.view.strides[0];
    const Index at(index, vector.view.shape[0]);
    at.check(n);
    const auto add = [&] {
        dispatch(vector.dtype, [&]<class T>() {
            if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
                if constexpr (!std::is_same_v<T, bool> && !std::is_same_v<T, long double>) add_each<T>(vector.data(), stride, at, values.data(), step, n);
        });
    };
    if (n <= most_looked_at_with_lock) add();
    else without_lock(add);
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

namespace {

// As NumPy adds the elements of a line to what it has: eight sums side by side, long lines in halves.
template <class T> T sum_of_line(const char* from, std::int64_t stride, std::int64_t n) {
    const auto at = [from, stride](std::int64_t i) { return cpu::load<T>(from + i * stride); };
    if (n < 8) {
        T sum = -T(0);
        for (std::int64_t i = 0; i < n; ++i) sum = plus(sum, at(i));
        return sum;
    }
    if (n > 128) {
        const std::int64_t half = n / 2 - n / 2 % 8;
        return plus(sum_of_line<T>(from, stride, half), sum_of_line<T>(from + half * stride, stride, n - half));
    }
    std::array<T, 8> sums;
    for (std::size_t k = 0; k < 8; ++k) sums[k] = at(static_cast<std::int64_t>(k));
    std::int64_t i = 8;
    for (; i < n - n % 8; i += 8)
        for (std::size_t k = 0; k < 8; ++k) sums[k] = plus(sums[k], at(i + static_cast<std::int64_t>(k)));
    T sum = plus(plus(plus(sums[0], sums[1]), plus(sums[2], sums[3])), plus(plus(sums[4], sums[5]), plus(sums[6], sums[7])));
    for (; i < n; ++i) sum = plus(sum, at(i));
    return sum;
}

template <class T> void sum_runs(const char* from, std::int64_t stride, std::int64_t length, Index starts, std::int64_t runs, T* to) {
    for (std::int64_t k = 0; k < runs; ++k) {
        const std::int64_t first = starts[k], last = k + 1 < runs ? starts[k + 1] : length;
        const T begin = cpu::load<T>(from + first * stride);
        to[k] = last > first + 1 ? plus(begin, sum_of_line<T>(from + (first + 1) * stride, stride, last - first - 1)) : begin;
    }
}

}  // namespace

bool sum_runs_at_once(const Array& vector, const Array& starts, Array& result) {
    const bool summed = vector.dtype == DType::float32 || vector.dtype == DType::float64 || vector.dtype == DType::int64;
    if (current_trace() || !summed || vector.ndim() != 1 || starts.ndim() != 1 || starts.dtype != DType::int64 || !vector.host_visible() || !starts.host_visible())
        return false;
    make_ready(vector, Access::read);
    make_ready(starts, Access::read);
    const std::int64_t length = vector.view.shape[0], runs = starts.view.shape[0];
    const Index at(starts, length);
    for (std::int64_t k = 0; k < runs; ++k)  // NumPy takes no places counted from the end
        if (cpu::load<std::uint64_t>(at.data + k * at.stride) >= static_cast<std::uint64_t>(length)) return false;
    result = new_array(Dims{runs}, vector.dtype, vector.pool());
    result.buffer->materialise();
    const auto add = [&]<class T>(T* to) { sum_runs(vector.data(), vector.view.strides[0], length, at, runs, to); };
    const auto work = [&] {
        if (vector.dtype == DType::float32) add(reinterpret_cast<float*>(result.data()));
        else if (vector.dtype == DType::float64) add(reinterpret_cast<double*>(result.data()));
        else add(reinterpret_cast<std::int64_t*>(result.data()));
    };
    if (length + runs <= most_looked_at_with_lock) work();
    else without_lock(work);
    return true;
}

bool bin_at_once(const Array& line, const Array& edges, Array& result) {
    if (current_trace() || line.ndim() != 1 || edges.ndim() != 1 || line.dtype != edges.dtype || edges.view.shape[0] < 2 || !line.host_visible() ||
        !edges.host_visible() || (line.dtype != DType::float32 && line.dtype != DType::float64))
        return false;
    make_ready(line, Access::read);
    make_ready(edges, Access::read);
    const std::int64_t n = line.view.shape[0], bins = edges.view.shape[0] - 1;
    bool placed = false;
    const auto work = [&]<class T>(std::vector<T> edge) {
        for (std::int64_t i = 0; i <= bins; ++i) edge.push_back(cpu::load<T>(edges.data() + i * edges.view.strides[0]));
        const double first = edge.front(), last = edge.back(), scale = static_cast<double>(bins) / (last - first);
        if (!std::isfinite(scale) || !std::isfinite(edge.back() - edge.front())) return;
        result = new_array(Dims{n}, DType::int64, line.pool());
        result.buffer->materialise();
        auto* const to = reinterpret_cast<std::int64_t*>(result.data());
        const auto find = [&, from = line.data(), stride = line.view.strides[0]](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i) {
                const T x = cpu::load<T>(from + i * stride);
                if (!(x >= edge.front() && x <= edge.back())) {
                    to[i] = bins;
                    continue;
                }
                auto bin = static_cast<std::size_t>(std::min((static_cast<double>(x) - first) * scale, static_cast<double>(bins - 1)));
                while (bin > 0 && x < edge[bin]) --bin;
                while (bin + 2 < edge.size() && x >= edge[bin + 1]) ++bin;
                to[i] = static_cast<std::int64_t>(bin);
            }
        };
        if (n <= most_looked_at_with_lock) find(0, n, 0);
        else without_lock([&] { cpu::parallel_for(n, 16384, find); });
        placed = true;
    };
    if (line.dtype == DType::float32) work(std::vector<float>());
    else work(std::vector<double>());
    return placed;
}

bool bincount_at_once(const Array& index, const Array* weights, std::int64_t least, Array& result) {
    constexpr std::int64_t most_counted = 16384;  // integers alone are counted by several threads when there are more
    if (current_trace() || index.ndim() != 1 || !is_integer(index.dtype) || is_narrow(index.dtype) || index.dtype == DType::uint64 || !index.host_visible())
        return false;
    const std::int64_t n = index.view.shape[0];
    if (weights ? weights->ndim() != 1 || weights->view.shape[0] != n || weights->dtype != DType::float64 || &weights->pool() != &index.pool() : n >= most_counted)
        return false;
    make_ready(index, Access::read);
    if (weights) make_ready(*weights, Access::read);
    const std::int64_t stride = index.view.strides[0], step = weights ? weights->view.strides[0] : 0;
    // f(at), where at(i) is element i, of the index's own type.
    const auto with_index = [&, data = index.data()](auto&& f) {
        dispatch(index.dtype, [&]<class I>() {
            if constexpr (std::is_integral_v<I> && !std::is_same_v<I, bool>)
                f([data, stride](std::int64_t i) { return static_cast<std::int64_t>(cpu::load<I>(data + i * stride)); });
        });
    };
    const bool sums = weights && n > 0;  // NumPy counts where there is nothing to weigh
    // The first index of which there is no count among so many, n where there is one for each.
    const auto count = [&](std::int64_t length) {
        result = new_array(Dims{length}, sums ? DType::float64 : DType::int64, index.pool());
        result.buffer->materialise();
        std::memset(result.data(), 0, static_cast<std::size_t>(length) * 8);
        std::int64_t done = 0;
        const auto add = [&]<class T>(T* to, auto value) {
            with_index([&done, to, value, n, length](auto at) {
                std::int64_t i = 0;
                for (; i < n; ++i) {
                    const std::int64_t place = at(i);
                    if (static_cast<std::uint64_t>(place) >= static_cast<std::uint64_t>(length)) break;
                    to[place] += value(i);
                }
                done = i;
            });
        };
        if (!sums) add(reinterpret_cast<std::int64_t*>(result.data()), [](std::int64_t) { return std::int64_t{1}; });
        else add(reinterpret_cast<double*>(result.data()), [from = weights->data(), step](std::int64_t i) { return cpu::load<double>(from + i * step); });
        return done;
    };
    bool made = false;
    const auto work = [&] {
        if (least > 0 && least <= std::max<std::int64_t>(n, 4096) && count(least) == n) {  // often nobody has to look for the largest
            made = true;
            return;
        }
        std::int64_t low = 0, high = -1;
        with_index([&low, &high, n](auto at) {
            std::int64_t least_found = 0, most_found = -1;
            for (std::int64_t i = 0; i < n; ++i) {
                least_found = std::min(least_found, at(i));
                most_found = std::max(most_found, at(i));
            }
            low = least_found;
            high = most_found;
        });
        if (low < 0 || high == INT64_MAX) return;
        const std::int64_t length = std::max(high + 1, least);
        if (const std::int64_t done = count(length); done < n)  // somebody has changed it since
            with_index([done, length](auto at) { raise_out_of_bounds(at(done), length); });
        made = true;
    };
    if (n <= most_looked_at_with_lock) work();
    else without_lock(work);
    return made;
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
        for (std::int64_t i = begin; i < end; ++i) {
            std::int64_t place = 0;
            for (const Index& at : along) place = place * at.length + at[i];
            to[i] = place;
        }
    });
    return true;
}

}  // namespace asnumpy
