// Kernels of a unit: where they stand, what they take, and which cores they are for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tokens.hpp"

namespace ascendc::source {

// The numbers of ascendc::Kind.
enum class CoreKind : int { vector = 0, cube = 1, mix_1_1 = 2, mix_1_2 = 3 };

struct Parameter {
    std::string type;
    std::string name;
    bool pointer = false;
};

struct KernelFunction {
    std::string name;
    std::string scope;       // "a::b::" of its namespaces, without unnamed ones
    bool is_template = false;
    bool is_static = false;
    CoreKind kind = CoreKind::vector;
    std::vector<Parameter> parameters;
    std::size_t first = 0;   // tokens of the declaration
    std::size_t body = 0;    // its {
    std::size_t end = 0;     // behind its }
};

// "a::b::" of the namespace that opens with the brace; empty where the brace opens none, or one without a name.
std::string namespace_opened(const std::vector<Token>& tokens, std::size_t brace);
// The definitions of kernels, in their order.
std::vector<KernelFunction> kernels_of(const std::vector<Token>& tokens);
// Takes the words that only kernels have out of the text.
void remove_words(const std::vector<Token>& tokens, Edits& edits);

}  // namespace ascendc::source
