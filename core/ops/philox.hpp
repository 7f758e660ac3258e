// The stream of random words: Philox4x32-10 (Salmon et al., 2011), a block cipher of a counter, so that any word of a
// stream is found without those before it.
#pragma once

#include <cstdint>
#include <utility>

namespace asnumpy {

// Where a draw starts. A stream is chosen by `key` and by the upper half of its counter.
// Word n = 16 g + 8 h + l (h < 2, l < 8) is half h of the encrypted block 8 g + l: the order in which vectors give them.
struct Stream {
    std::uint64_t key = 0;
    std::uint64_t low = 0, high = 0;  // number of the first word, 128 bits

    Stream operator+(std::uint64_t words) const { return {key, low + words, high + (low + words < low)}; }
};

inline constexpr std::uint32_t philox_multiplier_0 = 0xD2511F53, philox_multiplier_1 = 0xCD9E8D57;
inline constexpr std::uint32_t philox_step_0 = 0x9E3779B9, philox_step_1 = 0xBB67AE85;
inline constexpr int philox_rounds = 10;
inline constexpr std::uint64_t words_of_group = 16, blocks_of_group = 8;

// The two words of one block.
constexpr std::pair<std::uint64_t, std::uint64_t> philox(std::uint64_t key, std::uint64_t low, std::uint64_t high) {
    auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
    auto x0 = static_cast<std::uint32_t>(low), x1 = static_cast<std::uint32_t>(low >> 32);
    auto x2 = static_cast<std::uint32_t>(high), x3 = static_cast<std::uint32_t>(high >> 32);
    for (int round = 0; round < philox_rounds; ++round, k0 += philox_step_0, k1 += philox_step_1) {
        const std::uint64_t p0 = std::uint64_t{philox_multiplier_0} * x0, p1 = std::uint64_t{philox_multiplier_1} * x2;
        x0 = static_cast<std::uint32_t>(p1 >> 32) ^ x1 ^ k0;
        x2 = static_cast<std::uint32_t>(p0 >> 32) ^ x3 ^ k1;
        x1 = static_cast<std::uint32_t>(p1);
        x3 = static_cast<std::uint32_t>(p0);
    }
    return {x0 | std::uint64_t{x1} << 32, x2 | std::uint64_t{x3} << 32};
}

// An element that needs more words than a draw gives to each has a stream of its own, derived from where its words start.
constexpr Stream own_stream(const Stream& at) {
    const auto [key, high] = philox(at.key ^ 0x6F776E2073747265, at.low, at.high);
    return {key, 0, high};
}

}  // namespace asnumpy
