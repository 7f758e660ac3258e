// The device memory that an operator's phase one asks for, and what its kernels leave in it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "aclnn/call.hpp"

namespace cannsim {

// Bytes: a copy of each tensor that does not lie in C order; besides, for all but elementwise operators, as much as their inputs up to
// 1 MiB (ESTIMATE: documents give no sizes), and the part that kernels on the cube keep for the library of products.
std::uint64_t workspace_of(const Call&, const Work&);

// Overwrites it as kernels do: whoever kept something there, or lets two streams use it at once, gets wrong numbers.
void scribble(std::byte* workspace, std::uint64_t size);

}  // namespace cannsim
