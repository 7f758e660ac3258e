// The inner loops of selection by mask and of range checks. Included once per instruction set; in an unnamed namespace.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "cpu/structured_kernels.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace asnumpy::cpu {
namespace {

std::int64_t count_true(const std::uint8_t* mask, std::int64_t n) {
    std::int64_t total = 0;
    for (std::int64_t start = 0; start < n; start += 32768) {  // a block's count fits 16 bits
        const std::int64_t end = n < start + 32768 ? n : start + 32768;
        std::uint16_t count = 0;
        for (std::int64_t i = start; i < end; ++i) count = static_cast<std::uint16_t>(count + (mask[i] != 0));
        total += count;
    }
    return total;
}

bool within(const std::int64_t* values, std::int64_t n, std::int64_t low, std::int64_t high) {
    // One unsigned comparison for both bounds; the flags are gathered without a branch, block by block.
    const std::uint64_t base = static_cast<std::uint64_t>(low), width = static_cast<std::uint64_t>(high) - base;
    for (std::int64_t start = 0; start < n; start += 4096) {
        const std::int64_t end = n < start + 4096 ? n : start + 4096;
        std::uint64_t outside = 0;
        for (std::int64_t i = start; i < end; ++i)
            outside |= static_cast<std::uint64_t>(static_cast<std::uint64_t>(values[i]) - base >= width);
        if (outside) return false;
    }
    return true;
}

bool places(std::int64_t* entries, std::int64_t n, std::int64_t length) {
    std::int64_t signs = 0;  // of the distances from both bounds
    for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t place = entries[i] + (entries[i] < 0 ? length : 0);
        signs |= place | (length - 1 - place);
        entries[i] = place;
    }
    return signs >= 0;
}

// Every element is written and the place moves on only past the chosen ones: no branch to mispredict. Stops at the
// last chosen element, so that nothing is written behind it, and at the end of the mask.
template <class T> std::int64_t compress_tail(const T* data, const std::uint8_t* mask, std::int64_t n, std::int64_t count, T* out) {
    std::int64_t written = 0;
    for (std::int64_t i = 0; written < count && i < n; ++i) {
        out[written] = data[i];
        written += mask[i] != 0;
    }
    return written;
}
inline std::int64_t positions_tail(const std::uint8_t* mask, std::int64_t n, std::int64_t count, std::int64_t first, std::int64_t* out) {
    std::int64_t written = 0;
    for (std::int64_t i = 0; written < count && i < n; ++i) {
        out[written] = first + i;
        written += mask[i] != 0;
    }
    return written;
}

using Pair = std::array<std::uint64_t, 2>;  // 16 bytes

template <class T> std::int64_t compress_scalar(const void* data, const std::uint8_t* mask, std::int64_t n, std::int64_t count, void* out) {
    return compress_tail(static_cast<const T*>(data), mask, n, count, static_cast<T*>(out));
}

template <class T> std::int64_t expand_tail(const T* data, const std::uint8_t* mask, std::int64_t n, std::int64_t count, T* out) {
    std::int64_t taken = 0;
    for (std::int64_t i = 0; taken < count && i < n; ++i)
        if (mask[i]) out[i] = data[taken++];
    return taken;
}

template <class T> std::int64_t expand_scalar(const void* data, const std::uint8_t* mask, std::int64_t n, std::int64_t count, void* out) {
    return expand_tail(static_cast<const T*>(data), mask, n, count, static_cast<T*>(out));
}

#if defined(__AVX512F__)

// The chosen lanes move together in a register; whole registers are stored while they cannot pass the end.
std::int64_t compress_4(const void* from, const std::uint8_t* mask, std::int64_t n, std::int64_t count, void* to) {
    const auto* data = static_cast<const std::uint32_t*>(from);
    auto* out = static_cast<std::uint32_t*>(to);
    std::int64_t i = 0, written = 0;
    for (; i + 64 <= n && written + 64 <= count; i += 64) {
        const std::uint64_t bits = _mm512_test_epi8_mask(_mm512_loadu_si512(mask + i), _mm512_loadu_si512(mask + i));
        for (int part = 0; part < 4; ++part) {
            const auto chosen = static_cast<__mmask16>(bits >> (16 * part));
            _mm512_storeu_si512(out + written, _mm512_maskz_compress_epi32(chosen, _mm512_loadu_si512(data + i + 16 * part)));
            written += __builtin_popcount(chosen);
        }
    }
    return written + compress_tail(data + i, mask + i, n - i, count - written, out + written);
}

std::int64_t compress_8(const void* from, const std::uint8_t* mask, std::int64_t n, std::int64_t count, void* to) {
    const auto* data = static_cast<const std::uint64_t*>(from);
    auto* out = static_cast<std::uint64_t*>(to);
    std::int64_t i = 0, written = 0;
    for (; i + 64 <= n && written + 64 <= count; i += 64) {
        const std::uint64_t bits = _mm512_test_epi8_mask(_mm512_loadu_si512(mask + i), _mm512_loadu_si512(mask + i));
        for (int part = 0; part < 8; ++part) {
            const auto chosen = static_cast<__mmask8>(bits >> (8 * part));
            _mm512_storeu_si512(out + written, _mm512_maskz_compress_epi64(chosen, _mm512_loadu_si512(data + i + 8 * part)));
            written += __builtin_popcount(chosen);
        }
    }
    return written + compress_tail(data + i, mask + i, n - i, count - written, out + written);
}

// Two lanes for each of four bits.
constexpr std::array<__mmask8, 16> lanes_of_pairs{0x00, 0x03, 0x0c, 0x0f, 0x30, 0x33, 0x3c, 0x3f, 0xc0, 0xc3, 0xcc, 0xcf, 0xf0, 0xf3, 0xfc, 0xff};

std::int64_t compress_16(const void* from, const std::uint8_t* mask, std::int64_t n, std::int64_t count, void* to) {
    const auto* data = static_cast<const Pair*>(from);
    auto* out = static_cast<Pair*>(to);
    std::int64_t i = 0, written = 0;
    for (; i + 64 <= n && written + 64 <= count; i += 64) {
        const std::uint64_t bits = _mm512_test_epi8_mask(_mm512_loadu_si512(mask + i), _mm512_loadu_si512(mask + i));
        for (int part = 0; part < 16 && bits >> (4 * part); ++part) {
            const auto chosen = static_cast<unsigned>(bits >> (4 * part)) & 15U;
            _mm512_storeu_si512(out + written, _mm512_maskz_compress_epi64(lanes_of_pairs[chosen], _mm512_loadu_si512(data + i + 4 * part)));
            written += __builtin_popcount(chosen);
        }
    }
    return written + compress_tail(data + i, mask + i, n - i, count - written, out + written);
}

// Items of 4, 8 and 16 bytes: a register holds 16, 8 and 4 of them.
template <class T> std::int64_t expand_lanes(const void* from, const std::uint8_t* mask, std::int64_t n, std::int64_t count, void* to) {
    constexpr int lanes = 64 / sizeof(T);
    const auto* data = static_cast<const T*>(from);
    auto* out = static_cast<T*>(to);
    std::int64_t i = 0, taken = 0;
    for (; i + 64 <= n && taken + 64 <= count; i += 64) {
        const std::uint64_t bits = _mm512_test_epi8_mask(_mm512_loadu_si512(mask + i), _mm512_loadu_si512(mask + i));
        for (int first = 0; first < 64 && bits >> first; first += lanes) {
            const auto chosen = static_cast<unsigned>(bits >> first) & ((1U << lanes) - 1U);
            const __m512i next = _mm512_loadu_si512(data + taken);
            if constexpr (sizeof(T) == 4) {
                const auto which = static_cast<__mmask16>(chosen);
                _mm512_mask_storeu_epi32(out + i + first, which, _mm512_maskz_expand_epi32(which, next));
            } else {
                const auto which = sizeof(T) == 8 ? static_cast<__mmask8>(chosen) : lanes_of_pairs[chosen & 15U];
                _mm512_mask_storeu_epi64(out + i + first, which, _mm512_maskz_expand_epi64(which, next));
            }
            taken += __builtin_popcount(chosen);
        }
    }
    return taken + expand_tail(data + taken, mask + i, n - i, count - taken, out + i);
}

std::int64_t positions(const std::uint8_t* mask, std::int64_t n, std::int64_t count, std::int64_t first, std::int64_t* out) {
    const __m512i step = _mm512_set1_epi64(8);
    __m512i at = _mm512_add_epi64(_mm512_set1_epi64(first), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
    std::int64_t i = 0, written = 0;
    for (; i + 64 <= n && written + 64 <= count; i += 64) {
        const std::uint64_t bits = _mm512_test_epi8_mask(_mm512_loadu_si512(mask + i), _mm512_loadu_si512(mask + i));
        for (int part = 0; part < 8; ++part) {
            const auto chosen = static_cast<__mmask8>(bits >> (8 * part));
            _mm512_storeu_si512(out + written, _mm512_maskz_compress_epi64(chosen, at));
            written += __builtin_popcount(chosen);
            at = _mm512_add_epi64(at, step);
        }
    }
    return written + positions_tail(mask + i, n - i, count - written, first + i, out + written);
}

constexpr std::array<Compress, 5> compress_kernels{compress_scalar<std::uint8_t>, compress_scalar<std::uint16_t>, compress_4, compress_8, compress_16};
constexpr std::array<Expand, 5> expand_kernels{expand_scalar<std::uint8_t>, expand_scalar<std::uint16_t>, expand_lanes<std::uint32_t>,
                                               expand_lanes<std::uint64_t>, expand_lanes<Pair>};

#else

std::int64_t positions(const std::uint8_t* mask, std::int64_t n, std::int64_t count, std::int64_t first, std::int64_t* out) {
    return positions_tail(mask, n, count, first, out);
}

constexpr std::array<Compress, 5> compress_kernels{compress_scalar<std::uint8_t>, compress_scalar<std::uint16_t>,
                                                   compress_scalar<std::uint32_t>, compress_scalar<std::uint64_t>, compress_scalar<Pair>};
constexpr std::array<Expand, 5> expand_kernels{expand_scalar<std::uint8_t>, expand_scalar<std::uint16_t>, expand_scalar<std::uint32_t>,
                                               expand_scalar<std::uint64_t>, expand_scalar<Pair>};

#endif

}  // namespace
}  // namespace asnumpy::cpu
