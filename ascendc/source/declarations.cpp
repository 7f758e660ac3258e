// Declarations that the unit lacks: of functions that are found by their arguments, and of the structure that a kernel's
// tiling data has.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "launches.hpp"

namespace ascendc::source {
namespace {

// A name behind one of these is a member, qualified, or declared there.
constexpr std::array<std::string_view, 11> before_other_names{"::", ".", "->", "class", "struct", "union", "enum", "typename", "template", "operator", "void"};
constexpr std::string_view tiling_alias = "ascendc_tiling_of_";
constexpr std::string_view tiling_asked = "ascendc_tiling_of_this_kernel";

// "HammingDistance" and "hamming_distance" alike.
std::string letters_of(std::string_view name) {
    std::string letters;
    for (const char c : name)
        if (c != '_') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return letters;
}

std::set<std::string_view> classes_in(const std::vector<Token>& tokens) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
        if (tokens[i].is("class") || tokens[i].is("struct") || tokens[i].is("using")) names.insert(tokens[i + 1].text);
    return names;
}

}  // namespace

std::string declared_by_arguments(const std::vector<Token>& tokens, std::string_view preprocessed) {
    std::set<std::string_view> found;
    std::set<std::string_view> classes;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        if (tokens[i].kind != Kind::name || !tokens[i + 1].is("<") || found.contains(tokens[i].text)) continue;
        if (i + 2 < tokens.size() && tokens[i + 2].is("<")) continue;  // a launch
        if (i > 0 && std::ranges::find(before_other_names, tokens[i - 1].text) != before_other_names.end()) continue;
        const std::size_t after = after_angle(tokens, i + 1);
        if (after == i + 1 || after >= tokens.size() || !tokens[after].is("(")) continue;
        // Functions of the device's library have no value; a class of the name in the unit is what the unit means.
        if (preprocessed.find("void " + std::string(tokens[i].text) + "(") == std::string_view::npos) continue;
        if (classes.empty()) classes = classes_in(tokens);
        if (!classes.contains(tokens[i].text)) found.insert(tokens[i].text);
    }
    std::string text;
    for (const std::string_view name : found) text += "template <::ascendc_never*> void " + std::string(name) + "(); ";
    return text.empty() ? text : "struct ascendc_never; " + text + "\n";
}

void give_tilings(const std::vector<Token>& tokens, const std::vector<KernelFunction>& kernels, Edits& edits) {
    std::map<std::string, std::string> registered;  // letters of an operator's name, and the alias with its namespaces
    std::vector<std::string> scopes;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        if (tokens[i].is("{")) {
            scopes.push_back(namespace_opened(tokens, i));
        } else if (tokens[i].is("}") && !scopes.empty()) {
            scopes.pop_back();
        } else if (tokens[i].is("using") && tokens[i + 1].text.starts_with(tiling_alias) && !tokens[i + 1].is(tiling_asked)) {
            std::string name = "::";
            for (const std::string& scope : scopes) name += scope;
            registered[letters_of(tokens[i + 1].text.substr(tiling_alias.size()))] = name + std::string(tokens[i + 1].text);
        }
    }
    for (const KernelFunction& kernel : kernels) {
        const auto found = registered.find(letters_of(kernel.name));
        if (found == registered.end()) continue;
        bool asks = false, says = false;
        for (std::size_t i = kernel.body; i < kernel.end; ++i) {
            if (!tokens[i].is(tiling_asked)) continue;
            (tokens[i - 1].is("using") ? says : asks) = true;
        }
        if (asks && !says) edits.insert_after(tokens[kernel.body], " using " + std::string(tiling_asked) + " = " + found->second + ";");
    }
}

}  // namespace ascendc::source
