// Random draws: the elements are shared between threads, each tile of them gets its words and its parameters.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "base/copy_bytes.hpp"
#include "base/error.hpp"
#include "cpu/layout.hpp"
#include "cpu/random_kernels.hpp"
#include "cpu/structured.hpp"
#include "cpu/threads.hpp"
#include "cpu/transfer.hpp"

namespace asnumpy::cpu {
namespace {

constexpr std::size_t tile_words = 2048;
constexpr std::size_t item = 8;  // of every parameter and result

// The parameters of a call: each has the shape of the output, broadcast.
class Parameters {
public:
    explicit Parameters(const StructuredCall& call) {
        Launch launch;
        launch.shape = call.out[0].shape;
        for (const Tensor& in : call.in) launch.operands.push_back({in.data, in.strides});
        launch.operands.push_back({call.out[0].data, call.out[0].strides});  // whose order is that of the draw
        const Order order = arrange(launch, static_cast<int>(call.in.size()), 1, Arrangement::given);
        for (std::size_t i = 0; i < call.in.size(); ++i) {
            lay_out(strided_[i], launch.operands[i], call.in[i].dtype, launch, order, false);
            varying_ = varying_ || !(strided_[i].ndim == 1 && (strided_[i].axes[0].stride == 0 || strided_[i].axes[0].length == 1));
        }
    }

    bool varying() const { return varying_; }

    // `count` values of parameter p from element `first` on; in the buffer where they do not lie side by side.
    const void* read(std::size_t p, std::int64_t first, std::size_t count, char* buffer) const {
        const Strided& from = strided_[p];
        if (from.aligned && from.ndim == 1 && from.contiguous_runs()) return from.at(first);
        gather(buffer, from, first, static_cast<std::int64_t>(count));
        return buffer;
    }

private:
    std::array<Strided, 3> strided_;
    bool varying_ = false;
};

template <class From> void store_as(const From* from, std::size_t count, DType dtype, char* to) {
    dispatch(dtype, [&]<class To>() {
        if constexpr (std::is_arithmetic_v<To>)
            for (std::size_t i = 0; i < count; ++i) {
                const To value = static_cast<To>(from[i]);
                std::memcpy(to + i * sizeof(To), &value, sizeof value);
            }
    });
}

// A result of 8 bytes of its own kind is stored as it is.
bool same_representation(DType result, DType stored) {
    return result == stored || (is_integer(result) && is_integer(stored) && itemsize(stored) == item);
}

}  // namespace

void random_draw(const StructuredCall& call) {
    static const RowId first_row = find_row(random_rows[0].name);
    const std::size_t index = static_cast<std::size_t>(call.row - first_row);
    const RandomRow& row = random_rows[index];
    const RandomKernels& kernels = random_kernels();
    const Tensor& out = call.out[0];
    const Parameters parameters(call);
    const std::int64_t count = asnumpy::count(out.shape);
    const auto stored = static_cast<std::int64_t>(itemsize(out.dtype));
    const bool same = same_representation(row.result, out.dtype), streaming = same && count * stored >= streaming_threshold();
    const bool direct = same && !streaming && reinterpret_cast<std::uintptr_t>(out.data) % item == 0;
    const std::int64_t tile = static_cast<std::int64_t>(tile_words / row.words);

    parallel_for(count, 4 * tile, [&](std::int64_t begin, std::int64_t end, int) {
        alignas(64) std::array<std::uint64_t, tile_words + 2 * words_of_group> words;
        alignas(64) std::array<std::array<char, tile_words * item>, 3> values;
        alignas(64) std::array<char, tile_words * item> results;
        for (std::int64_t first = begin; first < end; first += tile) {
            const std::size_t length = static_cast<std::size_t>(std::min(tile, end - first));
            DrawTile work;
            work.at = call.stream + static_cast<std::uint64_t>(first) * row.words;
            const std::uint64_t before = work.at.low % words_of_group;
            const Stream aligned{work.at.key, work.at.low - before, work.at.high};
            kernels.fill(aligned, words.data(), (before + length * row.words + words_of_group - 1) / words_of_group);
            work.words = words.data() + before;
            work.count = length;
            work.varying = parameters.varying();
            for (std::size_t p = 0; p < call.in.size(); ++p)
                work.parameters[p] = parameters.read(p, first, work.varying ? length : 1, values[p].data());
            char* const to = out.data + first * stored;
            work.out = direct ? to : results.data();
            kernels.draws[index](work);
            if (direct) continue;
            if (streaming) stream(to, results.data(), length * item);
            else if (same) copy_bytes(to, results.data(), length * item);
            else if (row.result == DType::float64) store_as(reinterpret_cast<const double*>(results.data()), length, out.dtype, to);
            else store_as(reinterpret_cast<const std::int64_t*>(results.data()), length, out.dtype, to);
        }
        if (streaming) finish_streaming();
    });
}

namespace {

std::int64_t line_length(const StructuredCall& call) { return call.out[0].shape[call.out[0].shape.size() - 1]; }

// Calls body(line number, its stream, its place in the output) for each line of the output's last axis.
template <class Body> void each_line(const StructuredCall& call, const Body& body) {
    const Tensor& out = call.out[0];
    const std::int64_t length = line_length(call), lines = count(out.shape) / length;
    parallel_for(lines, std::max<std::int64_t>(1, 4096 / length), [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t line = begin; line < end; ++line)
            body(line, call.stream + static_cast<std::uint64_t>(line), reinterpret_cast<std::int64_t*>(out.data) + line * length);
    });
}

// The values of one line of a parameter.
template <class T> std::vector<T> read_line(const Parameters& parameters, std::size_t p, std::int64_t line, std::int64_t length) {
    std::vector<T> values(static_cast<std::size_t>(length));
    char* const buffer = reinterpret_cast<char*>(values.data());
    const void* const at = parameters.read(p, line * length, values.size(), buffer);
    if (at != buffer) std::memcpy(buffer, at, values.size() * sizeof(T));
    return values;
}

}  // namespace

void random_choice(const StructuredCall& call) {
    const std::int64_t length = line_length(call);
    if (call.option < length)
        throw RuntimeFailure("random_choice: " + std::to_string(length) + " distinct numbers below " + std::to_string(call.option));
    each_line(call, [&](std::int64_t, const Stream& at, std::int64_t* out) {
        random_kernels().choice(at, static_cast<std::uint64_t>(call.option), static_cast<std::size_t>(length), out);
    });
}

void random_multinomial(const StructuredCall& call) {
    const Parameters parameters(call);
    const std::int64_t length = line_length(call);
    each_line(call, [&](std::int64_t line, const Stream& at, std::int64_t* out) {
        const auto trials = read_line<std::int64_t>(parameters, 0, line, length);
        const auto probabilities = read_line<double>(parameters, 1, line, length);
        random_kernels().multinomial(at, trials.front(), probabilities.data(), probabilities.size(), out);
    });
}

void random_multivariate_hypergeometric(const StructuredCall& call) {
    const Parameters parameters(call);
    const std::int64_t length = line_length(call);
    each_line(call, [&](std::int64_t line, const Stream& at, std::int64_t* out) {
        const auto kinds = read_line<std::int64_t>(parameters, 0, line, length);
        random_kernels().multivariate_hypergeometric(at, kinds.data(), call.option, kinds.size(), out);
    });
}

}  // namespace asnumpy::cpu
