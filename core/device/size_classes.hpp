// The sizes of a pool's small blocks: multiples of 64 up to 1 KB, then four per power of two.
#pragma once

#include <bit>
#include <cstddef>

namespace asnumpy::size_classes {

inline constexpr std::size_t kilobyte = 1024, largest = 64 * kilobyte;
inline constexpr std::size_t fine = 16, count = fine + 4 * 6;

constexpr std::size_t of(std::size_t bytes) {
    if (bytes <= 1024) return bytes == 0 ? 0 : (bytes - 1) / 64;
    const unsigned octave = static_cast<unsigned>(std::bit_width(bytes - 1)) - 11;  // 0 for 1025 .. 2048
    return fine + 4 * octave + ((bytes - 1) >> (8 + octave)) - 4;
}

constexpr std::size_t bytes(std::size_t c) {
    if (c < fine) return (c + 1) * 64;
    const std::size_t octave = (c - fine) / 4, quarter = (c - fine) % 4;
    return (quarter + 5) << (8 + octave);
}
static_assert(of(1024) == 15 && of(1025) == 16 && of(2048) == 19 && of(2049) == 20);
static_assert(of(largest) == count - 1 && bytes(count - 1) == largest);
static_assert(bytes(of(1025)) == 1280 && bytes(of(40000)) == 40960);

}  // namespace asnumpy::size_classes
