// Stores that go past the caches: an output larger than they are need not be read before it is written.
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "cpu/transfer.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace asnumpy::cpu {

#if defined(__x86_64__)
namespace {

constexpr std::size_t line = 64;

void stream_lines_sse2(char* to, const char* from, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += line) {
        const auto* f = reinterpret_cast<const __m128i*>(from + i);
        auto* t = reinterpret_cast<__m128i*>(to + i);
        const __m128i a = _mm_loadu_si128(f), b = _mm_loadu_si128(f + 1), c = _mm_loadu_si128(f + 2), d = _mm_loadu_si128(f + 3);
        _mm_stream_si128(t, a);
        _mm_stream_si128(t + 1, b);
        _mm_stream_si128(t + 2, c);
        _mm_stream_si128(t + 3, d);
    }
}

__attribute__((target("avx512f"))) void stream_lines_avx512(char* to, const char* from, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += line)
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_loadu_si512(from + i));
}

using StreamLines = void (*)(char*, const char*, std::size_t);
const StreamLines stream_lines = __builtin_cpu_supports("avx512f") ? stream_lines_avx512 : stream_lines_sse2;

}  // namespace

void stream(char* to, const char* from, std::size_t bytes) {
    const std::size_t head = std::min(-reinterpret_cast<std::uintptr_t>(to) % line, bytes);
    const std::size_t body = (bytes - head) / line * line;
    std::memcpy(to, from, head);
    stream_lines(to + head, from + head, body);
    std::memcpy(to + head + body, from + head + body, bytes - head - body);
}

void finish_streaming() { _mm_sfence(); }

#else

// Elsewhere the processor itself notices that whole lines are overwritten.
void stream(char* to, const char* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
void finish_streaming() {}

#endif

// An output that the last-level cache can keep for its reader gains nothing. Where that cache is very large, it is
// shared with others: measured on a server whose processors share 480 MB, streaming pays from 64 MB on.
std::int64_t streaming_threshold() {
    static const std::int64_t bytes = [] {
        constexpr std::int64_t megabyte = 1024 * 1024;
        std::int64_t cache = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
        cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
        return std::clamp(cache / 2, 8 * megabyte, 64 * megabyte);
    }();
    return bytes;
}

}  // namespace asnumpy::cpu
