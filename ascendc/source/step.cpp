// The source step as a whole.
#include "step.hpp"

#include <algorithm>

#include "launches.hpp"

namespace ascendc::source {

std::string lowered_name(std::string_view expression) {
    const std::vector<Token> tokens = tokens_of(expression);
    std::size_t first = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].is("<")) break;
        if (tokens[i].is("::") || tokens[i].is("&")) first = i + 1;
    }
    return written(tokens, first, tokens.size());
}

Step source_step(std::string_view preprocessed, const std::vector<std::string>& instances) {
    const std::vector<Token> tokens = tokens_of(preprocessed);
    Step step;
    step.kernels = kernels_of(tokens);
    Edits edits(preprocessed);
    remove_words(tokens, edits);
    rewrite_specialisations(tokens, edits);
    give_tilings(tokens, step.kernels, edits);
    int number = 0;
    for (const KernelFunction& kernel : step.kernels) {
        step.needs_cube |= kernel.kind != CoreKind::vector;
        if (kernel.is_template) continue;
        edits.insert_after(tokens[kernel.end - 1],
                           " [[maybe_unused]] static const ::ascendc::Named<&" + kernel.name + ", " + std::to_string(static_cast<int>(kernel.kind)) +
                               "> ascendc_named_" + std::to_string(number++) + "{\"" + kernel.name + "\"};");
    }
    step.launches = rewrite_launches(tokens, step.kernels, edits);
    step.text = declared_by_arguments(tokens, preprocessed) + edits.applied();
    for (const std::string& instance : instances) {
        const std::string name = lowered_name(instance), plain = name.substr(0, name.find('<'));
        const auto found = std::ranges::find_if(step.kernels, [&](const KernelFunction& kernel) { return kernel.name == plain; });
        if (found != step.kernels.end() && !found->is_template) continue;
        const int kind = static_cast<int>(found == step.kernels.end() ? CoreKind::vector : found->kind);
        const std::string function = instance.starts_with("&") ? instance : "&" + instance;
        step.text += "\nstatic const ::ascendc::Named<" + function + ", " + std::to_string(kind) + "> ascendc_named_" + std::to_string(number++) +
                     "{\"" + name + "\"};\n";
    }
    return step;
}

}  // namespace ascendc::source
