// name<...><<<blocks, memory, stream>>>(arguments) becomes a call, and explicit specialisations in classes become what g++ takes.
#pragma once

#include "kernels.hpp"

namespace ascendc::source {

// The number of launches.
std::size_t rewrite_launches(const std::vector<Token>& tokens, const std::vector<KernelFunction>& kernels, Edits& edits);
void rewrite_specialisations(const std::vector<Token>& tokens, Edits& edits);

}  // namespace ascendc::source
