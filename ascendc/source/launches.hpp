// What is rewritten and added: name<...><<<blocks, memory, stream>>>(arguments) becomes a call, explicit specialisations in
// classes become what g++ takes, and what the device's compiler finds without a declaration is declared.
#pragma once

#include "kernels.hpp"

namespace ascendc::source {

// The number of launches.
std::size_t rewrite_launches(const std::vector<Token>& tokens, const std::vector<KernelFunction>& kernels, Edits& edits);
void rewrite_specialisations(const std::vector<Token>& tokens, Edits& edits);
// Declarations, to stand before everything, of function templates that the unit calls as f<T>(x) without a namespace: C++20
// finds those in the namespaces of their arguments, and so does clang at all times, C++17 only where some template f is known.
std::string declared_by_arguments(const std::vector<Token>& tokens, std::string_view preprocessed);
// Kernels whose GET_TILING_DATA names no structure take the one that was registered for the operator of their name.
void give_tilings(const std::vector<Token>& tokens, const std::vector<KernelFunction>& kernels, Edits& edits);

}  // namespace ascendc::source
