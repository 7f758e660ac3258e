// The register-tiled inner loop of matmul. Included once per instruction set; all in an unnamed namespace.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "cpu/structured_kernels.hpp"
#include "cpu/structured_vector_unit.hpp"

namespace asnumpy::cpu {
namespace {

// Wide registers come in twos of 16: more of them hold more rows of the tile.
template <class T> constexpr int gemm_rows = vector_bytes == 64 ? 8 : 4;
template <class T> constexpr int gemm_columns = 2 * Vector<T>::lanes;

template <class T, bool logical> void gemm_tile(std::int64_t k, const void* a_panel, const void* b_panel, void* acc) {
    using V = typename Vector<T>::type;
    constexpr int rows = gemm_rows<T>, lanes = Vector<T>::lanes;
    const T* a = static_cast<const T*>(a_panel);
    const T* b = static_cast<const T*>(b_panel);
    V sum[rows][2] = {};
    for (std::int64_t p = 0; p < k; ++p, a += rows, b += 2 * lanes) {
        V left, right;
        std::memcpy(&left, b, sizeof left);
        std::memcpy(&right, b + lanes, sizeof right);
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) {
            const V factor = a[i] - V{};
            if constexpr (logical) {
                sum[i][0] |= factor & left;
                sum[i][1] |= factor & right;
            } else {
                sum[i][0] += factor * left;
                sum[i][1] += factor * right;
            }
        }
    }
    std::memcpy(acc, sum, sizeof sum);
}

template <class T, bool logical = false> constexpr GemmKernel gemm_kernel{gemm_rows<T>, gemm_columns<T>, gemm_tile<T, logical>};

constexpr std::array<GemmKernel, 6> gemm_kernels{
    gemm_kernel<std::uint8_t, true>, gemm_kernel<std::uint16_t>, gemm_kernel<std::uint32_t>,
    gemm_kernel<std::uint64_t>,      gemm_kernel<float>,         gemm_kernel<double>};

}  // namespace
}  // namespace asnumpy::cpu
