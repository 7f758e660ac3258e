// Sums at places and of runs, counts and bins, with NumPy's bits: at once, or as instructions of a function that is traced.
#include "runtime/sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "cpu/structured.hpp"
#include "cpu/structured_layout.hpp"
#include "runtime/overlap.hpp"
#include "runtime/pick.hpp"
#include "runtime/record.hpp"
#include "runtime/single.hpp"

namespace asnumpy {

namespace {

constexpr std::int64_t most_added_with_lock = 65536;

void run_or_record(Instruction&& instruction) {
    std::int64_t size = instruction.out[0].size();
    for (const Argument& in : instruction.in) size = std::max(size, in.array()->size());
    if (current_trace()) return submit(std::move(instruction), size);
    for (const Argument& in : instruction.in) make_ready(*in.array(), Access::read);
    make_ready(instruction.out[0], Access::write);
    if (size <= most_added_with_lock) run_now(instruction);
    else without_lock([&instruction] { run_now(instruction); });
}

bool is_place(DType d) { return is_integer(d) && !is_narrow(d) && d != DType::uint64; }

Array as(const Array& a, DType dtype) { return a.dtype == dtype ? a : cast(a, dtype); }

// Whether NumPy adds a value of that dtype as one of the sum's, which has it exactly or as float64 rounds it.
bool adds_as(DType sum, DType value) {
    if (sum == value) return true;
    if (is_narrow(value)) return false;
    if (sum == DType::int64) return value == DType::boolean || (is_integer(value) && value != DType::uint64);
    return sum == DType::float64 && (value == DType::boolean || is_integer(value) || value == DType::float16 || value == DType::float32);
}

void record_counts(const Array& index, const Array* weights, std::int64_t length, Array& result) {
    const Array places = !weights && index.dtype == DType::uint8 && means_places(index.dtype, length) ? index : as_positions(index);
    result = new_array(Dims{length}, weights ? DType::float64 : DType::int64, index.pool());
    if (weights) assign(result, Scalar::of(0.0));
    Instruction instruction = weights ? structured("add_at", {weights, &places}, result) : structured("bincount", {&places}, result);
    instruction.option = 1;
    run_or_record(std::move(instruction));
}

}  // namespace

bool add_at(const Array& vector, const Array& index, const Array& given) {
    if (vector.ndim() != 1 || index.ndim() != 1 || given.ndim() > 1 || !is_place(index.dtype) || !cpu::adds_up(vector.dtype) ||
        !adds_as(vector.dtype, given.dtype) || (given.size() != 1 && given.size() != index.size()))
        return false;
    if (!vector.host_visible() || !index.host_visible() || !given.host_visible() || overlaps_itself(vector) || may_overlap(vector, index) ||
        may_overlap(vector, given))
        return false;
    const Array places = as_positions(index);
    Array values = as(given, vector.dtype);
    values.view = broadcast_to(values.view, index.view.shape);
    if (index.size() > 0) run_or_record(structured("add_at", {&values, &places}, vector));
    return true;
}

bool add_at(const Array& vector, const Array& index, const Scalar& value) {
    if (!vector.host_visible() || value.dtype != vector.dtype) return false;
    const Array one = new_array(Dims{}, value.dtype, vector.pool());
    one.buffer->materialise();
    std::memcpy(one.data(), value.bytes.data(), itemsize(value.dtype));
    return add_at(vector, index, one);
}

bool add_runs(const Array& vector, const Array& starts, Array& result) {
    if (vector.ndim() != 1 || starts.ndim() != 1 || starts.dtype != DType::int64 || !cpu::adds_runs(vector.dtype) || !vector.host_visible() ||
        !starts.host_visible() || starts.size() == 0 || vector.size() == 0)
        return false;
    result = new_array(starts.view.shape, vector.dtype, vector.pool());
    run_or_record(structured("add_runs", {&vector, &starts}, result));
    return true;
}

bool bin_places(const Array& line, const Array& edges, Array& result) {
    if (line.ndim() != 1 || edges.ndim() != 1 || line.dtype != edges.dtype || edges.view.shape[0] < 2 || !line.host_visible() ||
        !edges.host_visible() || (line.dtype != DType::float32 && line.dtype != DType::float64))
        return false;
    if (!current_trace()) {
        make_ready(edges, Access::read);
        const auto edge = [&edges]<class T>(std::int64_t i) { return static_cast<double>(cpu::load<T>(edges.data() + i * edges.view.strides[0])); };
        const std::int64_t last = edges.view.shape[0] - 1;
        const double range = line.dtype == DType::float32 ? edge.operator()<float>(last) - edge.operator()<float>(0) : edge.operator()<double>(last) - edge.operator()<double>(0);
        if (!std::isfinite(static_cast<double>(last) / range)) return false;
    }
    result = new_array(line.view.shape, DType::int64, line.pool());
    if (line.size() > 0) run_or_record(structured("bin_places", {&line, &edges}, result));
    return true;
}

bool count_each(const Array& index, const Array* weights, std::int64_t least, Array& result) {
    constexpr std::int64_t most_counted = 16384;  // integers alone are counted by several threads when there are more
    if (index.ndim() != 1 || !is_integer(index.dtype) || is_narrow(index.dtype) || index.dtype == DType::uint64 || !index.host_visible())
        return false;
    const std::int64_t n = index.view.shape[0];
    if (weights && (weights->ndim() != 1 || weights->view.shape[0] != n || weights->dtype != DType::float64 || &weights->pool() != &index.pool())) return false;
    if (current_trace()) {
        if (n == 0 || least < 2) return false;  // how many there are depends on values
        record_counts(index, weights, least, result);
        return true;
    }
    if (!weights && n >= most_counted) {
        if (index.dtype != DType::uint8) return false;
        record_counts(index, nullptr, std::max<std::int64_t>(least, UINT8_MAX + 1), result);
        const auto* const counts = reinterpret_cast<const std::int64_t*>(result.data());
        std::int64_t length = result.size();
        while (length > least && counts[length - 1] == 0) --length;
        if (length == result.size()) return true;
        const Array all = std::exchange(result, new_array(Dims{length}, DType::int64, index.pool()));
        result.buffer->materialise();
        std::memcpy(result.data(), counts, static_cast<std::size_t>(length) * sizeof(std::int64_t));
        return true;
    }
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
            with_index([done, length](auto at) { cpu::raise_out_of_bounds(at(done), length); });
        made = true;
    };
    if (n <= most_added_with_lock) work();
    else without_lock(work);
    return made;
}

}  // namespace asnumpy
