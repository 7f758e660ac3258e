// A hash of words, for the tables of one process: quick, and no two bits of a word are lost in the same place.
#pragma once

#include <cstdint>
#include <span>

namespace asnumpy {

inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9fb21c651e98df25u;
    return hash ^ hash >> 32;
}

inline std::uint64_t word_hash(std::span<const std::uint64_t> words) {
    std::uint64_t hash = words.size();
    for (const std::uint64_t word : words) hash = mixed(hash, word);
    return hash;
}

}  // namespace asnumpy
