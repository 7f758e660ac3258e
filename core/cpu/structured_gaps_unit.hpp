// Elements with gaps between them, put side by side. Included once per instruction set; all in an unnamed namespace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "cpu/structured_kernels.hpp"

namespace asnumpy::cpu {
namespace {

// Compilers make vectors of it where the distance is a constant.
template <std::int64_t size, std::int64_t distance> void gather_apart(void* to, const void* from, std::int64_t n) {
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) std::memcpy(static_cast<char*>(to) + i * size, static_cast<const char*>(from) + distance * i * size, size);
}

template <std::int64_t size> constexpr std::array<GatherApart, gaps.size()> gather_of = []<std::size_t... K>(std::index_sequence<K...>) {
    return std::array<GatherApart, gaps.size()>{&gather_apart<size, gaps[K]>...};
}(std::make_index_sequence<gaps.size()>{});
constexpr std::array gather_kernels{gather_of<1>, gather_of<2>, gather_of<4>, gather_of<8>};

}  // namespace
}  // namespace asnumpy::cpu
