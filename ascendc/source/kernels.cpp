// Finding kernels, and deciding on their cores by what they say or by what they use.
#include "kernels.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace ascendc::source {
namespace {

// As headers of this library leave them for the source step, and as they are written.
bool is_global(const Token& t) { return t.is("__ascendc_global__") || t.is("__global__"); }
bool is_vector(const Token& t) { return t.is("__ascendc_vector__") || t.is("__vector__"); }
bool is_cube(const Token& t) { return t.is("__ascendc_cube__") || t.is("__cube__"); }
bool is_mix(const Token& t) { return t.is("__ascendc_mix__") || t.is("__mix__"); }
bool is_task(const Token& t) {
    return t.is("__ascendc_task__") || t.is("KERNEL_TASK_TYPE_DEFAULT") || t.is("KERNEL_TASK_TYPE");
}

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) { return std::ranges::find(words, word) != words.end(); }

// Names that only code for cube cores uses, the library's objects that use both, and what shows that vector cores work too.
constexpr std::array<std::string_view, 9> cube_words{"Mmad", "LoadData", "LoadDataWithTranspose", "LoadData2DParams", "Fixpipe", "mad",
                                                     "MmadParams", "CO1", "MmadWithSparse"};
constexpr std::array<std::string_view, 6> library_words{"Matmul", "MatmulImpl", "MatmulType", "BatchMatmul", "RegisterMatmulObj", "MatmulApiStaticTiling"};
constexpr std::array<std::string_view, 5> vector_words{"VECIN", "VECOUT", "VECCALC", "LCM", "ASCEND_IS_AIV"};

// The names at namespace scope and the tokens that define them: bodies of functions and classes, aliases.
using Definitions = std::multimap<std::string_view, std::pair<std::size_t, std::size_t>>;

bool is_namespace_brace(const std::vector<Token>& tokens, std::size_t brace) {
    std::size_t i = brace;
    while (i > 0 && (tokens[i - 1].kind == Kind::name || tokens[i - 1].is("::")) && !tokens[i - 1].is("namespace")) --i;
    if (i > 0 && tokens[i - 1].is("namespace")) return true;
    return brace >= 2 && tokens[brace - 1].kind == Kind::string && tokens[brace - 2].is("extern");
}

Definitions definitions_of(const std::vector<Token>& tokens) {
    Definitions found;
    std::size_t statement = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Token& token = tokens[i];
        if (token.is("(")) i = after_bracket(tokens, i) - 1;
        else if (token.is("}") || token.kind == Kind::directive) statement = i + 1;
        else if (token.is("{") && is_namespace_brace(tokens, i)) statement = i + 1;
        else if (token.is(";") || token.is("{")) {
            const std::size_t end = token.is("{") ? after_bracket(tokens, i) : i + 1;
            for (std::size_t k = statement; k < i; ++k) {
                const bool names = k > statement && (tokens[k - 1].is("class") || tokens[k - 1].is("struct") || tokens[k - 1].is("using"));
                const bool calls = k + 1 < i && tokens[k + 1].is("(");
                if (tokens[k].kind == Kind::name && (names || calls)) found.emplace(tokens[k].text, std::pair{statement, end});
            }
            i = end - 1;
            statement = end;
        }
    }
    return found;
}

// All words that a kernel's body and what it names use.
std::set<std::string_view> words_of(const std::vector<Token>& tokens, const Definitions& definitions, std::size_t first, std::size_t last) {
    std::set<std::string_view> words;
    std::vector<std::pair<std::size_t, std::size_t>> waiting{{first, last}};
    while (!waiting.empty()) {
        const auto [from, to] = waiting.back();
        waiting.pop_back();
        for (std::size_t i = from; i < to; ++i) {
            if (tokens[i].kind != Kind::name || !words.insert(tokens[i].text).second) continue;
            const auto [begin, end] = definitions.equal_range(tokens[i].text);
            for (auto each = begin; each != end; ++each) waiting.push_back(each->second);
        }
    }
    return words;
}

CoreKind kind_by_use(const std::set<std::string_view>& words) {
    const auto any = [&](const auto& list) { return std::ranges::any_of(words, [&](std::string_view word) { return is_one_of(word, list); }); };
    if (any(library_words)) return CoreKind::mix_1_2;
    if (!any(cube_words)) return CoreKind::vector;
    return any(vector_words) ? CoreKind::mix_1_2 : CoreKind::cube;
}

std::optional<CoreKind> kind_named(std::string_view name) {
    if (name.find("MIX_AIC_1_2") != std::string_view::npos) return CoreKind::mix_1_2;
    if (name.find("MIX_AIC_1_1") != std::string_view::npos) return CoreKind::mix_1_1;
    if (name.find("AIC_ONLY") != std::string_view::npos || name.find("MIX_AIC_1_0") != std::string_view::npos) return CoreKind::cube;
    if (name.find("AIV_ONLY") != std::string_view::npos || name.find("MIX_AIV_1_0") != std::string_view::npos) return CoreKind::vector;
    return std::nullopt;
}

// What the declaration or the body says.
std::optional<CoreKind> kind_said(const std::vector<Token>& tokens, const KernelFunction& kernel) {
    for (std::size_t i = kernel.first; i < kernel.body; ++i) {
        if (is_vector(tokens[i])) return CoreKind::vector;
        if (is_cube(tokens[i])) return CoreKind::cube;
        if (is_mix(tokens[i])) {
            const std::string ratio = written(tokens, i + 1, after_bracket(tokens, i + 1));
            return ratio == "(1,2)" ? CoreKind::mix_1_2 : ratio == "(1,1)" ? CoreKind::mix_1_1 : ratio == "(1,0)" ? CoreKind::cube : CoreKind::vector;
        }
    }
    std::optional<CoreKind> most;
    for (std::size_t i = kernel.body; i < kernel.end; ++i) {
        if (!is_task(tokens[i]) || i + 1 >= kernel.end) continue;
        const auto said = kind_named(written(tokens, i + 1, after_bracket(tokens, i + 1)));
        if (said && (!most || *said > *most)) most = said;
    }
    return most;
}

std::vector<Parameter> parameters_of(const std::vector<Token>& tokens, std::size_t open, std::size_t close) {
    std::vector<Parameter> result;
    for (std::size_t first = open + 1; first < close;) {
        std::size_t last = first;
        while (last < close && !tokens[last].is(",")) {
            if (tokens[last].is("(") || tokens[last].is("{") || tokens[last].is("[")) last = after_bracket(tokens, last);
            else if (tokens[last].is("<")) last = std::max(after_angle(tokens, last), last + 1);
            else ++last;
        }
        const bool named = last - first > 1 && tokens[last - 1].kind == Kind::name && tokens[last - 2].text != "::";
        Parameter parameter;
        parameter.name = named ? std::string(tokens[last - 1].text) : "argument" + std::to_string(result.size());
        parameter.type = written(tokens, first, named ? last - 1 : last);
        parameter.pointer = parameter.type.find('*') != std::string::npos || parameter.type.find("GM_ADDR") != std::string::npos;
        if (parameter.type != "void") result.push_back(std::move(parameter));
        first = last + 1;
    }
    return result;
}

// The tokens before `global` that belong to its declaration.
std::size_t declaration_begin(const std::vector<Token>& tokens, std::size_t global, KernelFunction& kernel) {
    std::size_t first = global;
    while (first > 0) {
        const Token& before = tokens[first - 1];
        if (before.is("static")) kernel.is_static = true;
        if (before.is(">")) {
            const std::size_t open = angle_before(tokens, first - 1);
            if (open == first - 1 || open == 0 || !tokens[open - 1].is("template")) break;
            kernel.is_template = open + 1 < first - 1;
            first = open - 1;
        } else if (before.kind == Kind::name || before.kind == Kind::string) {
            --first;
        } else if (before.is(")") || before.is("]")) {  // __attribute__((...)), [[...]], __mix__(1, 2)
            std::size_t depth = 0, i = first;
            while (i > 0) {
                --i;
                if (tokens[i].is(")") || tokens[i].is("]")) ++depth;
                else if ((tokens[i].is("(") || tokens[i].is("[")) && --depth == 0) break;
            }
            if (depth || (tokens[i].is("(") && (i == 0 || !(tokens[i - 1].is("__attribute__") || is_mix(tokens[i - 1]))))) break;
            first = i;
        } else {
            break;
        }
    }
    return first;
}

}  // namespace

std::string namespace_opened(const std::vector<Token>& tokens, std::size_t brace) {
    if (!is_namespace_brace(tokens, brace) || tokens[brace - 1].kind != Kind::name || tokens[brace - 1].is("namespace")) return {};
    std::size_t first = brace;
    while (!tokens[first - 1].is("namespace")) --first;
    return written(tokens, first, brace) + "::";
}

std::vector<KernelFunction> kernels_of(const std::vector<Token>& tokens) {
    std::vector<KernelFunction> result;
    std::vector<std::string> scopes;  // an entry each open brace
    std::optional<Definitions> definitions;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].is("{") && tokens[i].kind == Kind::sign) {
            scopes.push_back(namespace_opened(tokens, i));
        } else if (tokens[i].is("}") && !scopes.empty()) {
            scopes.pop_back();
        }
        if (!is_global(tokens[i]) || tokens[i].kind != Kind::name) continue;
        KernelFunction kernel;
        kernel.first = declaration_begin(tokens, i, kernel);
        std::size_t open = i;
        while (open < tokens.size() && !tokens[open].is("{") && !tokens[open].is(";")) {
            const bool word = tokens[open].is("(") && (tokens[open - 1].is("__attribute__") || is_mix(tokens[open - 1]) ||
                                                        tokens[open - 1].is("__launch_bounds__"));
            if (tokens[open].is("(") && !word) break;
            if (tokens[open].is("static")) kernel.is_static = true;
            open = word ? after_bracket(tokens, open) : open + 1;
        }
        if (open >= tokens.size() || !tokens[open].is("(") || tokens[open - 1].kind != Kind::name) continue;
        kernel.name = tokens[open - 1].text;
        kernel.body = after_bracket(tokens, open);
        if (kernel.body >= tokens.size() || !tokens[kernel.body].is("{")) continue;  // only declared here
        kernel.end = after_bracket(tokens, kernel.body);
        kernel.parameters = parameters_of(tokens, open, kernel.body - 1);
        for (const std::string& scope : scopes) kernel.scope += scope;
        if (const auto said = kind_said(tokens, kernel)) {
            kernel.kind = *said;
        } else {
            if (!definitions) definitions = definitions_of(tokens);
            kernel.kind = kind_by_use(words_of(tokens, *definitions, kernel.first, kernel.end));
        }
        result.push_back(std::move(kernel));
        i = result.back().body - 1;  // the body's braces are counted too
    }
    return result;
}

void remove_words(const std::vector<Token>& tokens, Edits& edits) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].kind != Kind::name) continue;
        if (is_global(tokens[i]) || is_vector(tokens[i]) || is_cube(tokens[i])) edits.replace(tokens, i, i + 1, "");
        else if ((is_mix(tokens[i]) || is_task(tokens[i])) && i + 1 < tokens.size() && tokens[i + 1].is("("))
            edits.replace(tokens, i, after_bracket(tokens, i + 1), "");
    }
}

}  // namespace ascendc::source
