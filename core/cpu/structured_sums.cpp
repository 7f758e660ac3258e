// Sums at places, sums of runs, and the bins of floats: additions in NumPy's order.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "cpu/index.hpp"
#include "cpu/line_sums.hpp"
#include "cpu/structured.hpp"
#include "cpu/structured_layout.hpp"
#include "cpu/threads.hpp"

namespace asnumpy::cpu {
namespace {

template <class T> constexpr bool is_added_up =
    (std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, long double>) || std::is_same_v<T, std::complex<float>> ||
    std::is_same_v<T, std::complex<double>>;
template <class T> constexpr bool is_added_in_runs = std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::int64_t>;

// Elements of runs that are worth a thread.
constexpr std::int64_t added_at_once = 16384;

// A step between elements that the compiler knows, or a number.
template <std::int64_t bytes> struct Side {
    operator std::int64_t() const { return bytes; }
};

// The first entry that has no place, n where all have one: what is added before it stays. All by value: what the sums could overwrite
// would be read anew for each of them.
template <class T, class Stride, class Next, class Step, class Place>
std::int64_t add_each(char* to, Stride stride, const char* index, Next next, const char* from, Step step, std::int64_t n, std::int64_t length, Place place) {
    for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t at = place(load<std::int64_t>(index + i * next));
        if (static_cast<std::uint64_t>(at) >= static_cast<std::uint64_t>(length)) [[unlikely]] return i;
        char* const sum = to + at * stride;
        store(sum, plus(load<T>(sum), load<T>(from + i * step)));
    }
    return n;
}

template <class T, class Place> std::int64_t add_values(const Tensor& out, const Tensor& index, const Tensor& values, Place place) {
    const std::int64_t n = index.shape[0], length = out.shape[0], stride = out.strides[0], next = index.strides[0], step = values.strides[0];
    constexpr auto item = static_cast<std::int64_t>(sizeof(T));
    if (stride != item || step != item) return add_each<T>(out.data, stride, index.data, next, values.data, step, n, length, place);
    if (next != 8) return add_each<T>(out.data, Side<item>(), index.data, next, values.data, Side<item>(), n, length, place);
    return add_each<T>(out.data, Side<item>(), index.data, Side<8>(), values.data, Side<item>(), n, length, place);
}

void expect_inside(const Tensor& index, std::int64_t length) {
    for (std::int64_t i = 0; i < index.shape[0]; ++i) {
        const auto value = load<std::int64_t>(index.data + i * index.strides[0]);
        if (value < -length || value >= length)
            throw IndexError("index " + std::to_string(value) + " is out of bounds for axis 0 with size " + std::to_string(length));
    }
}

// NumPy takes no places counted from the end here.
std::int64_t start_of_run(const Tensor& starts, std::int64_t k, std::int64_t length) {
    const auto start = load<std::int64_t>(starts.data + k * starts.strides[0]);
    if (static_cast<std::uint64_t>(start) >= static_cast<std::uint64_t>(length)) [[unlikely]]
        throw IndexError("index " + std::to_string(start) + " out-of-bounds in add.reduceat [0, " + std::to_string(length) + ")");
    return start;
}

template <class T> void put_in_bins(const Tensor& in, const Tensor& edges, const Tensor& out) {
    std::vector<T> edge;
    for (std::int64_t i = 0; i < edges.shape[0]; ++i) edge.push_back(load<T>(edges.data + i * edges.strides[0]));
    const auto bins = static_cast<std::int64_t>(edge.size()) - 1;
    const double first = edge.front(), scale = static_cast<double>(bins) / (edge.back() - first);
    const bool even = std::isfinite(scale);
    parallel_for(in.shape[0], 16384, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t i = begin; i < end; ++i) {
            const T x = load<T>(in.data + i * in.strides[0]);
            char* const to = out.data + i * out.strides[0];
            if (!(x >= edge.front() && x <= edge.back())) {
                store(to, bins);
                continue;
            }
            auto bin = even ? static_cast<std::size_t>(std::min((static_cast<double>(x) - first) * scale, static_cast<double>(bins - 1)))
                            : static_cast<std::size_t>(std::min<std::int64_t>(std::ranges::upper_bound(edge, x) - edge.begin() - 1, bins - 1));
            while (bin > 0 && x < edge[bin]) --bin;
            while (bin + 2 < edge.size() && x >= edge[bin + 1]) ++bin;
            store(to, static_cast<std::int64_t>(bin));
        }
    });
}

}  // namespace

bool adds_up(DType dtype) {
    return dispatch(dtype, []<class T>() { return is_added_up<T>; });
}
bool adds_runs(DType dtype) {
    return dispatch(dtype, []<class T>() { return is_added_in_runs<T>; });
}

void add_at(const StructuredCall& call) {
    const Tensor &values = call.in[0], &index = call.in[1], &out = call.out[0];
    const std::int64_t n = index.shape[0], length = out.shape[0];
    const bool counts = call.option == 1;  // into what nobody else has seen yet
    if (!counts && !all_inside(index, -length, length)) expect_inside(index, length);
    std::int64_t done = n;
    dispatch(out.dtype, [&]<class T>() {
        if constexpr (is_added_up<T>) {
            if (counts) done = add_values<T>(out, index, values, [](std::int64_t entry) { return entry; });
            else done = add_values<T>(out, index, values, [length](std::int64_t entry) { return entry + (entry < 0 ? length : 0); });
        }
    });
    if (done == n) return;
    if (counts) expect_counted(index, length);
    raise_out_of_bounds(load<std::int64_t>(index.data + done * index.strides[0]), length);  // somebody has changed it since
}

void add_runs(const StructuredCall& call) {
    const Tensor &in = call.in[0], &starts = call.in[1], &out = call.out[0];
    const std::int64_t length = in.shape[0], runs = starts.shape[0], stride = in.strides[0];
    if (runs == 0) return;
    const std::int64_t grain = std::max<std::int64_t>(1, added_at_once * runs / std::max<std::int64_t>(length, runs));
    dispatch(in.dtype, [&]<class T>() {
        if constexpr (is_added_in_runs<T>) {
            parallel_for(runs, grain, [&](std::int64_t begin, std::int64_t end, int) {
                const char* const from = in.data;  // here, so that no sum could overwrite it
                const std::int64_t step = stride, step_out = out.strides[0], all = length, last = runs;
                char* to = out.data + begin * step_out;
                std::int64_t first = start_of_run(starts, begin, all);
                for (std::int64_t k = begin; k < end; ++k, to += step_out) {
                    const std::int64_t next = k + 1 < last ? start_of_run(starts, k + 1, all) : all;
                    store(to, sum_of_run<T>(from + first * step, step, next - first));
                    first = next;
                }
            });
        }
    });
}

void bin_places(const StructuredCall& call) {
    if (call.in[0].dtype == DType::float32) put_in_bins<float>(call.in[0], call.in[1], call.out[0]);
    else put_in_bins<double>(call.in[0], call.in[1], call.out[0]);
}

}  // namespace asnumpy::cpu
