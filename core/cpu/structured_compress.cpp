// What a mask selects or is written to: each chunk is counted, then worked on where the counts before it end.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "base/itemsize.hpp"
#include "cpu/structured.hpp"
#include "cpu/structured_kernels.hpp"
#include "cpu/structured_layout.hpp"
#include "cpu/threads.hpp"

namespace asnumpy::cpu {
namespace {

constexpr std::int64_t chunk = 16384;

// The mask bytes of one chunk, side by side.
class MaskChunk {
public:
    const std::uint8_t* read(const Tensor& mask, std::int64_t start, std::int64_t n) {
        const std::int64_t stride = mask.strides[0];
        const char* const data = mask.data + start * stride;
        if (stride == 1) return reinterpret_cast<const std::uint8_t*>(data);
        for (std::int64_t i = 0; i < n; ++i) copy_[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(data[i * stride]);
        return copy_.data();
    }

private:
    std::array<std::uint8_t, chunk> copy_;
};

// The number of true elements of each chunk.
std::vector<std::int64_t> counts_of(const Tensor& mask) {
    const std::int64_t n = mask.shape[0], chunks = (n + chunk - 1) / chunk;
    std::vector<std::int64_t> counts(static_cast<std::size_t>(chunks));
    const StructuredKernels& kernels = structured_kernels();
    parallel_for(chunks, 4, [&](std::int64_t begin, std::int64_t end, int) {
        MaskChunk bytes;
        for (std::int64_t c = begin; c < end; ++c) {
            const std::int64_t start = c * chunk, length = std::min(chunk, n - start);
            counts[static_cast<std::size_t>(c)] = kernels.count_true(bytes.read(mask, start, length), length);
        }
    });
    return counts;
}

// Calls write(mask bytes, start, n, count, place in the output) for every chunk with a true element; it returns how many it
// wrote, at most `count`.
template <class Write> void each_chunk(const char* function, const Tensor& mask, const std::vector<std::int64_t>& counts, std::int64_t expected, const Write& write) {
    const std::int64_t n = mask.shape[0], chunks = static_cast<std::int64_t>(counts.size());
    std::vector<std::int64_t> places(static_cast<std::size_t>(chunks));
    std::int64_t total = 0;
    for (std::size_t c = 0; c < counts.size(); ++c) {
        places[c] = total;
        total += counts[c];
    }
    if (total != expected)
        throw RuntimeFailure(std::string(function) + ": output of " + std::to_string(expected) + " elements for a mask with " + std::to_string(total) + " true ones");
    parallel_for(chunks, 4, [&](std::int64_t begin, std::int64_t end, int) {
        MaskChunk bytes;
        for (std::int64_t c = begin; c < end; ++c) {
            const std::int64_t start = c * chunk, length = std::min(chunk, n - start), count = counts[static_cast<std::size_t>(c)];
            if (count && write(bytes.read(mask, start, length), start, length, count, places[static_cast<std::size_t>(c)]) != count)
                throw RuntimeFailure(std::string(function) + ": the mask changed while its true elements were written");
        }
    });
}

}  // namespace

std::int64_t count_true(const Tensor& mask) {
    const std::vector<std::int64_t> counts = counts_of(mask);
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

bool place(const Tensor& target, const Tensor& mask, const Tensor& source) {
    const std::vector<std::int64_t> counts = counts_of(mask);
    if (std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) != source.shape[0]) return false;
    const auto item = static_cast<std::int64_t>(itemsize(target.dtype));
    Expand kernel = nullptr;
    if (item <= 16 && target.strides[0] == item && source.strides[0] == item && is_aligned(target) && is_aligned(source))
        kernel = structured_kernels().expand[static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(item)))];
    each_chunk("place", mask, counts, source.shape[0], [&](const std::uint8_t* chosen, std::int64_t start, std::int64_t n, std::int64_t count, std::int64_t first) {
        const char* from = source.data + first * source.strides[0];
        char* to = target.data + start * target.strides[0];
        if (kernel) return kernel(from, chosen, n, count, to);
        std::int64_t taken = 0;
        with_itemsize(item, [&]<std::size_t bytes>() {
            for (std::int64_t i = 0; i < n && taken < count; ++i, to += target.strides[0]) {
                if (!chosen[i]) continue;
                std::memcpy(to, from, bytes);
                from += source.strides[0];
                ++taken;
            }
        });
        return taken;
    });
    return true;
}

void compress(const StructuredCall& call) {
    const Tensor& in = call.in[0];
    const Tensor& out = call.out[0];
    const auto item = static_cast<std::int64_t>(itemsize(in.dtype));
    Compress kernel = nullptr;
    if (item <= 16 && in.strides[0] == item && out.strides[0] == item && is_aligned(in) && is_aligned(out))
        kernel = structured_kernels().compress[static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(item)))];
    each_chunk("compress", call.in[1], counts_of(call.in[1]), out.shape[0], [&](const std::uint8_t* mask, std::int64_t start, std::int64_t n, std::int64_t count, std::int64_t place) {
        const char* from = in.data + start * in.strides[0];
        char* to = out.data + place * out.strides[0];
        if (kernel) return kernel(from, mask, n, count, to);
        std::int64_t written = 0;
        with_itemsize(item, [&]<std::size_t bytes>() {
            for (std::int64_t i = 0; i < n && written < count; ++i, from += in.strides[0]) {
                if (!mask[i]) continue;
                std::memcpy(to, from, bytes);
                to += out.strides[0];
                ++written;
            }
        });
        return written;
    });
}

void flatnonzero(const StructuredCall& call) {
    const Tensor& out = call.out[0];
    const bool direct = out.strides[0] == 8 && is_aligned(out);
    const Positions positions = structured_kernels().positions;
    each_chunk("flatnonzero", call.in[0], counts_of(call.in[0]), out.shape[0], [&](const std::uint8_t* mask, std::int64_t start, std::int64_t n, std::int64_t count, std::int64_t place) {
        if (direct) return positions(mask, n, count, start, reinterpret_cast<std::int64_t*>(out.data) + place);
        char* to = out.data + place * out.strides[0];
        std::int64_t written = 0;
        for (std::int64_t i = 0; i < n && written < count; ++i) {
            if (!mask[i]) continue;
            store(to, start + i);
            to += out.strides[0];
            ++written;
        }
        return written;
    });
}

}  // namespace asnumpy::cpu
