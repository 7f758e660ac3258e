// Numbers in whose order the values of any dtype lie: what sorting, searching and finding what is unique compare.
#pragma once

#include <cstdint>
#include <vector>

#include "aclnn/strided.hpp"

namespace cannsim {

// A number for each element in C order, two for a complex one: a < b as the numbers' order, NaN last and equal to itself, -0.0 as 0.0.
std::vector<std::uint64_t> keys(const Array&);
inline constexpr std::uint64_t nan_key = ~std::uint64_t{0};

}  // namespace cannsim
