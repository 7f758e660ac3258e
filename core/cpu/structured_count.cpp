// bincount, and the range check of indices.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "cpu/structured.hpp"
#include "cpu/structured_kernels.hpp"
#include "cpu/structured_layout.hpp"
#include "cpu/threads.hpp"

namespace asnumpy::cpu {

void bincount(const StructuredCall& call) {
    const Tensor& in = call.in[0];
    const Tensor& out = call.out[0];
    const std::int64_t n = in.shape[0], bins = out.shape[0];
    std::vector<std::int64_t> total(static_cast<std::size_t>(bins));
    // Each piece counts for itself: worth it where there are many more elements than bins.
    const std::int64_t pieces = std::clamp<std::int64_t>(n / std::max<std::int64_t>(4 * bins, 65536), 1, thread_count());
    std::mutex mutex;
    parallel_for(pieces, 1, [&](std::int64_t begin, std::int64_t end, int) {
        std::vector<std::int64_t> own(static_cast<std::size_t>(bins));
        for (std::int64_t i = n * begin / pieces; i < n * end / pieces; ++i)
            ++own[static_cast<std::size_t>(load<std::int64_t>(in.data + i * in.strides[0]))];
        const std::lock_guard guard(mutex);
        std::transform(own.begin(), own.end(), total.begin(), total.begin(), std::plus<>());
    });
    for (std::int64_t i = 0; i < bins; ++i) store(out.data + i * out.strides[0], total[static_cast<std::size_t>(i)]);
}

void in_range(const StructuredCall& call) {
    const Tensor& in = call.in[0];
    const std::int64_t n = in.shape[0], length = call.option;
    const bool direct = in.strides[0] == 8 && is_aligned(in);
    std::atomic<bool> inside{true};
    parallel_for(n, 65536, [&](std::int64_t begin, std::int64_t end, int) {
        if (!inside.load(std::memory_order_relaxed)) return;
        bool ok = true;
        if (direct) {
            ok = structured_kernels().within(reinterpret_cast<const std::int64_t*>(in.data) + begin, end - begin, -length, length);
        } else {
            for (std::int64_t i = begin; i < end && ok; ++i) {
                const auto value = load<std::int64_t>(in.data + i * in.strides[0]);
                ok = value >= -length && value < length;
            }
        }
        if (!ok) inside.store(false, std::memory_order_relaxed);
    });
    store(call.out[0].data, static_cast<std::uint8_t>(inside.load()));
}

}  // namespace asnumpy::cpu
