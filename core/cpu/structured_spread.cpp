// The spread of many numbers in one pass over memory: tiles in two passes within the cache, merged in pairs.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "cpu/structured.hpp"
#include "cpu/structured_kernels.hpp"
#include "cpu/structured_layout.hpp"
#include "cpu/threads.hpp"

namespace asnumpy::cpu {
namespace {

constexpr std::int64_t chunk_tiles = 32;  // that one thread takes at once; the result does not depend on it

// Of both together (Chan, Golub and LeVeque). The means are sums of two numbers each: their difference keeps its digits
// where the mean is large beside the spread.
Moments merged(const Moments& a, const Moments& b) {
    const double count = a.count + b.count;
    const double difference = (b.mean - a.mean) + (b.rest - a.rest);
    const double shift = a.rest + difference * (b.count / count);
    const double mean = a.mean + shift;
    const double squares = a.squares + b.squares;
    if (!std::isfinite(squares) || !std::isfinite(mean)) return {count, mean, 0, squares};
    return {count, mean, shift - (mean - a.mean), squares + difference * difference * (a.count * b.count / count)};
}

// of(i): the moments of one; in halves, so that as many merges lie on the way from each.
template <class Of> Moments merge_all(std::int64_t begin, std::int64_t end, const Of& of) {
    if (end - begin == 1) return of(begin);
    const std::int64_t middle = begin + (end - begin) / 2;
    const Moments left = merge_all(begin, middle, of);
    return merged(left, merge_all(middle, end, of));
}

template <class T> void deviations_of(const StructuredCall& call, Spread kernel) {
    const Tensor& in = call.in[0];
    constexpr std::int64_t tile = spread_tile_bytes / static_cast<std::int64_t>(sizeof(T));
    const std::int64_t n = in.shape[0], stride = in.strides[0], tiles = (n + tile - 1) / tile;
    const bool in_place = stride == sizeof(T) && is_aligned(in);
    const auto of_tile = [&](std::int64_t t) {
        const std::int64_t first = t * tile, length = std::min(tile, n - first);
        const char* from = in.data + first * stride;
        std::array<T, tile> gathered;
        if (!in_place) {
            for (std::int64_t i = 0; i < length; ++i) gathered[static_cast<std::size_t>(i)] = load<T>(from + i * stride);
            from = reinterpret_cast<const char*>(gathered.data());
        }
        Moments moments;
        kernel(from, length, moments);
        return moments;
    };
    const std::int64_t chunks = (tiles + chunk_tiles - 1) / chunk_tiles;
    std::vector<Moments> parts(static_cast<std::size_t>(chunks));
    parallel_for(chunks, 1, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t c = begin; c < end; ++c)
            parts[static_cast<std::size_t>(c)] = merge_all(c * chunk_tiles, std::min((c + 1) * chunk_tiles, tiles), of_tile);
    });
    const Moments all = merge_all(0, chunks, [&](std::int64_t c) { return parts[static_cast<std::size_t>(c)]; });
    store(call.out[0].data, static_cast<T>(all.squares));
}

}  // namespace

void deviations(const StructuredCall& call) {
    if (call.in[0].dtype == DType::float32) deviations_of<float>(call, structured_kernels().spread[0]);
    else deviations_of<double>(call, structured_kernels().spread[1]);
}

}  // namespace asnumpy::cpu
