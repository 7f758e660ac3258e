// bincount, and the range check of indices.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cpu/index.hpp"
#include "cpu/structured.hpp"
#include "cpu/structured_kernels.hpp"
#include "cpu/structured_layout.hpp"
#include "cpu/threads.hpp"

namespace asnumpy::cpu {

void expect_counts(std::int64_t low, std::int64_t high, std::optional<std::int64_t> length) {
    if (low < 0) throw ValueError("'list' argument must have no negative elements");
    // NumPy counts one more than it and writes where that leads.
    if (high == INT64_MAX) throw ValueError("bincount: a count for each integer up to " + std::to_string(high) + " is larger than an array can be");
    if (length && high >= *length)
        throw TracingError("bincount: recorded with a result of " + std::to_string(*length) + " elements, but these values give " + std::to_string(high + 1) +
                           ": under jit the shapes and dtypes of results cannot depend on values; a larger minlength makes room for all");
}

void expect_counted(const Tensor& index, std::int64_t length) {
    const std::int64_t n = index.shape[0], stride = index.strides[0];
    std::int64_t low = 0, high = -1;
    for (std::int64_t i = 0; i < n; ++i) {
        const auto value = load<std::int64_t>(index.data + i * stride);
        low = std::min(low, value);
        high = std::max(high, value);
    }
    expect_counts(low, high, length);
    // Somebody has changed it since: kernels look again.
}

namespace {

template <class T> void count_values(const StructuredCall& call) {
    const Tensor& in = call.in[0];
    const Tensor& out = call.out[0];
    const std::int64_t n = in.shape[0], bins = out.shape[0];
    std::vector<std::int64_t> total(static_cast<std::size_t>(bins));
    // Each piece counts for itself: worth it where there are many more elements than bins.
    const std::int64_t pieces = std::clamp<std::int64_t>(n / std::max<std::int64_t>(4 * bins, 65536), 1, thread_count());
    std::mutex mutex;
    const auto value = [](const char* at) { return static_cast<std::uint64_t>(load<T>(at)); };
    const auto check = [bins, &call](std::uint64_t index) {
        if (index < static_cast<std::uint64_t>(bins)) [[likely]] return;
        if (call.option == 1) expect_counted(call.in[0], bins);
        raise_out_of_bounds(static_cast<std::int64_t>(index), bins);
    };
    parallel_for(pieces, 1, [&](std::int64_t begin, std::int64_t end, int) {
        // Few bins: neighbours often meet in one, so they count in turn in several copies.
        const std::int64_t copies = bins <= 4096 && n > 8 * bins ? 4 : 1;
        std::vector<std::int64_t> own(static_cast<std::size_t>(bins * copies));
        const char* at = in.data + n * begin / pieces * in.strides[0];
        const std::int64_t length = n * end / pieces - n * begin / pieces, stride = in.strides[0];
        std::int64_t* const bin = own.data();
        std::int64_t i = 0;
        if (copies > 1) {
            std::int64_t *const second = bin + bins, *const third = second + bins, *const fourth = third + bins;
            for (; i + 4 <= length; i += 4, at += 4 * stride) {
                const auto a = value(at), b = value(at + stride);
                const auto c = value(at + 2 * stride), d = value(at + 3 * stride);
                check(std::max(std::max(a, b), std::max(c, d)));
                ++bin[a];
                ++second[b];
                ++third[c];
                ++fourth[d];
            }
        }
        for (; i < length; ++i, at += stride) {
            const auto index = value(at);
            check(index);
            ++bin[index];
        }
        const std::lock_guard guard(mutex);
        for (std::int64_t copy = 0; copy < copies; ++copy)
            for (std::int64_t k = 0; k < bins; ++k) total[static_cast<std::size_t>(k)] += bin[copy * bins + k];
    });
    for (std::int64_t i = 0; i < bins; ++i) store(out.data + i * out.strides[0], total[static_cast<std::size_t>(i)]);
}

}  // namespace

void bincount(const StructuredCall& call) {
    if (call.in[0].dtype == DType::uint8) count_values<std::uint8_t>(call);
    else count_values<std::uint64_t>(call);
}

void in_range(const StructuredCall& call) {
    const Tensor& in = call.in[0];
    const std::int64_t n = in.shape[0], length = call.option;
    std::atomic<bool> inside{true};
    parallel_for(n, 65536, [&](std::int64_t begin, std::int64_t end, int) {
        if (!inside.load(std::memory_order_relaxed)) return;
        const bool ok = all_inside(in.data + begin * in.strides[0], in.strides[0], end - begin, -length, length);
        if (!ok) inside.store(false, std::memory_order_relaxed);
    });
    store(call.out[0].data, static_cast<std::uint8_t>(inside.load()));
}

}  // namespace asnumpy::cpu
