// search: several elements go through the halves of the line together, so that none waits for another's memory.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "cpu/structured.hpp"
#include "cpu/structured_layout.hpp"
#include "cpu/threads.hpp"

namespace asnumpy::cpu {
namespace {

constexpr std::int64_t together = 16;
constexpr std::int64_t steps_per_task = 65536;  // of halving, in the time in which a few workers are woken

// Real numbers that the processor compares.
template <class T> constexpr bool is_searched = std::is_arithmetic_v<T> && !std::is_same_v<T, long double>;

// NumPy's order: NaN is behind all else.
template <class T> bool before(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) return bool(int(a < b) | (int(b != b) & int(a == a)));
    else return a < b;
}
// Whether an element of the line counts for one that is sought.
template <class T, bool equal> bool counts(T element, T sought) {
    if constexpr (equal) return !before(sought, element);
    else return before(element, sought);
}

// The places of `together` elements among line[0 .. n), n >= 1. No branch, which would be guessed wrong half of the time.
template <class T, bool equal> void search_together(const T* line, std::int64_t n, const std::array<T, together>& sought, std::array<std::int64_t, together>& found) {
    found.fill(0);
    for (; n > 1; n -= n / 2) {
        const std::int64_t half = n / 2;
        for (std::size_t k = 0; k < together; ++k) found[k] += half & -std::int64_t{counts<T, equal>(line[found[k] + half - 1], sought[k])};
    }
    for (std::size_t k = 0; k < together; ++k) found[k] += std::int64_t{counts<T, equal>(line[found[k]], sought[k])};
}

// How many of line[0 .. n) count for an element; those below `from` are known to. Quick where the place is near.
template <class T, bool equal> std::int64_t search_onwards(const T* line, std::int64_t n, T sought, std::int64_t from) {
    std::int64_t low = from, step = 1;
    while (low + step <= n && counts<T, equal>(line[low + step - 1], sought)) {
        low += step;
        step *= 2;
    }
    std::int64_t high = std::min(low + step - 1, n);  // the place is in [low, high]
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (counts<T, equal>(line[middle], sought)) low = middle + 1;
        else high = middle;
    }
    return low;
}

template <class T, bool equal> void search_among(const T* line, std::int64_t n, const Tensor& sought, const Tensor& out) {
    const std::int64_t m = sought.shape[0], stride = sought.strides[0], out_stride = out.strides[0];
    std::int64_t steps = 2;
    for (std::int64_t rest = n; rest > 1; rest /= 2) ++steps;
    parallel_for(m, std::max(together, steps_per_task / steps), [&](std::int64_t begin, std::int64_t end, int) {
        std::array<T, together> group;
        std::array<std::int64_t, together> found;
        std::int64_t last = 0;  // the place of the group before's last element
        T last_sought{};
        for (std::int64_t i = begin; i < end; i += together) {
            const std::int64_t count = std::min(together, end - i);
            bool rising = true;
            for (std::size_t k = 0; k < together; ++k) {
                group[k] = load<T>(sought.data + (i + std::min<std::int64_t>(static_cast<std::int64_t>(k), count - 1)) * stride);
                rising &= k == 0 || !before(group[k], group[k - 1]);
            }
            if (rising) {
                std::int64_t from = i > begin && !before(group[0], last_sought) ? last : 0;
                for (std::size_t k = 0; k < together; ++k) found[k] = from = search_onwards<T, equal>(line, n, group[k], from);
            } else {
                search_together<T, equal>(line, n, group, found);
            }
            last = found[together - 1];
            last_sought = group[together - 1];
            for (std::int64_t k = 0; k < count; ++k) store(out.data + (i + k) * out_stride, found[static_cast<std::size_t>(k)]);
        }
    });
}

}  // namespace

bool searches(DType dtype) {
    return dispatch(dtype, []<class T>() { return is_searched<T>; });
}

void search(const StructuredCall& call) {
    const Tensor &in = call.in[0], &sought = call.in[1], &out = call.out[0];
    const std::int64_t n = in.shape[0];
    dispatch(in.dtype, [&]<class T>() {
        if constexpr (is_searched<T>) {
            using V = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
            std::unique_ptr<V[]> copy;
            const V* line = reinterpret_cast<const V*>(in.data);
            if (in.strides[0] != sizeof(V) || !is_aligned(in)) {
                copy = std::make_unique_for_overwrite<V[]>(static_cast<std::size_t>(n));
                for (std::int64_t i = 0; i < n; ++i) copy[static_cast<std::size_t>(i)] = load<V>(in.data + i * in.strides[0]);
                line = copy.get();
            }
            if (call.option == 1) search_among<V, true>(line, n, sought, out);
            else search_among<V, false>(line, n, sought, out);
        }
    });
}

}  // namespace asnumpy::cpu
