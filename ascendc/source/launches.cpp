// Launches in the text.
#include "launches.hpp"

#include <algorithm>

namespace ascendc::source {
namespace {

bool three(const std::vector<Token>& tokens, std::size_t at, std::string_view sign) {
    if (at + 2 >= tokens.size()) return false;
    for (std::size_t i = at; i < at + 3; ++i)
        if (!tokens[i].is(sign) || (i > at && tokens[i].text.data() != tokens[i - 1].text.data() + 1)) return false;
    return true;
}

// The first token of the expression that ends before `end`: a::b<c>::d.
std::size_t name_begin(const std::vector<Token>& tokens, std::size_t end) {
    std::size_t first = end;
    while (first > 0) {
        if (tokens[first - 1].is(">")) {
            const std::size_t open = angle_before(tokens, first - 1);
            if (open == first - 1) break;
            first = open;
        }
        if (first == 0 || tokens[first - 1].kind != Kind::name) break;
        --first;
        if (first > 0 && tokens[first - 1].is("template")) --first;
        if (first == 0 || !tokens[first - 1].is("::")) break;
        --first;
    }
    return first;
}

// `>>>` that closes the configuration which begins at `from`.
std::size_t configuration_end(const std::vector<Token>& tokens, std::size_t from) {
    for (std::size_t i = from; i < tokens.size();) {
        if (three(tokens, i, ">")) return i;
        if (tokens[i].is("(") || tokens[i].is("{") || tokens[i].is("[")) i = after_bracket(tokens, i);
        else if (tokens[i].is("<") && i > from && tokens[i - 1].kind == Kind::name) {
            // Template arguments within it may end in >>> of their own.
            const std::size_t after = after_angle(tokens, i);
            i = after > i && after <= tokens.size() && !three(tokens, after - 3, ">") ? after : i + 1;
        } else if (tokens[i].is(";")) break;
        else ++i;
    }
    return tokens.size();
}

}  // namespace

std::size_t rewrite_launches(const std::vector<Token>& tokens, const std::vector<KernelFunction>& kernels, Edits& edits) {
    std::size_t count = 0;
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
        if (!three(tokens, i, "<")) continue;
        const std::size_t first = name_begin(tokens, i), close = configuration_end(tokens, i + 3);
        if (first == i || close + 3 >= tokens.size() || !tokens[close + 3].is("(")) continue;
        std::string_view name;  // the last one outside of template arguments
        for (std::size_t k = first; k < i; ++k) {
            if (tokens[k].is("<")) k = std::max(after_angle(tokens, k), k + 1) - 1;
            else if (tokens[k].kind == Kind::name) name = tokens[k].text;
        }
        const auto found = std::ranges::find_if(kernels, [&](const KernelFunction& kernel) { return kernel.name == name; });
        const int kind = static_cast<int>(found == kernels.end() ? CoreKind::vector : found->kind);
        edits.insert_before(tokens[first], "::ascendc::launch<&");
        edits.replace(tokens, i, i + 3, ", " + std::to_string(kind) + ">(");
        const bool empty = close + 4 < tokens.size() && tokens[close + 4].is(")");
        edits.replace(tokens, close, close + 4, empty ? ")(" : ")(");
        ++count;
        i = close + 3;
    }
    return count;
}

}  // namespace ascendc::source
