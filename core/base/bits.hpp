// Sets of small numbers as bits. Numbers from 64 on are in no set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace asnumpy {

constexpr bool has_bit(std::uint64_t set, std::size_t number) { return number < 64 && (set >> number & 1u) != 0; }
constexpr std::uint64_t bit(std::size_t number) { return number < 64 ? std::uint64_t{1} << number : 0; }

}  // namespace asnumpy
