// Explicit specialisations within a class, which the standard allows and g++ refuses: of functions they become overloads that
// a condition tells apart, of classes partial specialisations.
#include <algorithm>
#include <map>

#include "launches.hpp"

namespace ascendc::source {
namespace {

// A template in a class: `template <...> ... name<...>(...) ... { or ;`
struct Member {
    std::size_t template_word, open, close;  // template, its < and >
    std::size_t name;                        // operator () counts as its word `operator`
    std::size_t arguments = 0, arguments_end = 0;  // of a specialisation: its < and behind its >
    std::size_t end;                         // its { or ;
    bool is_class;
    bool is_specialisation;
};

// Where the tokens of a class's body begin and end, by its {.
std::vector<std::pair<std::size_t, std::size_t>> classes_of(const std::vector<Token>& tokens) {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    std::size_t statement = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].is(";") || tokens[i].is("}") || tokens[i].kind == Kind::directive) statement = i + 1;
        if (!tokens[i].is("{")) continue;
        bool is_class = false;
        for (std::size_t k = statement; k < i; ++k) {
            if (tokens[k].is("<")) k = std::max(after_angle(tokens, k), k + 1) - 1;
            else if (tokens[k].is("(")) {
                is_class = false;
                break;
            } else if (tokens[k].is("class") || tokens[k].is("struct")) {
                is_class = true;
            }
        }
        if (is_class) found.emplace_back(i, after_bracket(tokens, i) - 1);
        statement = i + 1;
    }
    return found;
}

std::vector<Member> members_of(const std::vector<Token>& tokens, std::size_t open, std::size_t close) {
    std::vector<Member> found;
    for (std::size_t i = open + 1; i < close; ++i) {
        if (tokens[i].is("{")) i = after_bracket(tokens, i) - 1;
        if (!tokens[i].is("template") || !tokens[i + 1].is("<")) continue;
        Member member{};
        member.template_word = i;
        member.open = i + 1;
        const std::size_t after = tokens[i + 2].is(">") ? i + 3 : after_angle(tokens, i + 1);
        if (after == i + 1) continue;
        member.close = after - 1;
        member.is_specialisation = member.close == member.open + 1;
        member.is_class = tokens[after].is("struct") || tokens[after].is("class");
        std::size_t k = member.is_class ? after + 1 : after;
        if (member.is_class) {
            member.name = k++;
            if (tokens[k].is("<")) member.arguments = k, member.arguments_end = after_angle(tokens, k), k = member.arguments_end;
        } else {
            for (; k < close; ++k) {
                if (tokens[k].is("operator")) {
                    member.name = k;
                    k += tokens[k + 1].is("(") ? 3 : 2;
                } else if (tokens[k].kind == Kind::name && (tokens[k + 1].is("(") || tokens[k + 1].is("<"))) {
                    member.name = k++;
                } else {
                    continue;
                }
                std::size_t next = k;
                if (tokens[k].is("<")) next = after_angle(tokens, k);
                if (tokens[next].is("(") && !tokens[member.name].is("__attribute__")) {
                    if (next != k) member.arguments = k, member.arguments_end = next;
                    k = after_bracket(tokens, next);
                    break;
                }
                k = std::max(next, k) - 1;  // a type with arguments
            }
        }
        while (k < close && !tokens[k].is("{") && !tokens[k].is(";")) k = tokens[k].is("(") ? after_bracket(tokens, k) : k + 1;
        member.end = k;
        found.push_back(member);
        i = tokens[k].is("{") ? after_bracket(tokens, k) - 1 : k;
    }
    return found;
}

// The texts between commas.
std::vector<std::string> list(const std::vector<Token>& tokens, std::size_t first, std::size_t last) {
    std::vector<std::string> found;
    for (std::size_t begin = first, i = first; i <= last; ++i) {
        if (i == last || tokens[i].is(",")) {
            if (i > begin) found.push_back(written(tokens, begin, i));
            begin = i + 1;
        } else if (tokens[i].is("(") || tokens[i].is("{")) {
            i = after_bracket(tokens, i) - 1;
        } else if (tokens[i].is("<")) {
            i = std::max(after_angle(tokens, i), i + 1) - 1;
        }
    }
    return found;
}

// Whether the parameter, written as `int C = 3`, has the argument.
std::string condition(const std::string& parameter, const std::string& argument) {
    const std::vector<Token> tokens = tokens_of(parameter);
    std::size_t end = 0;
    while (end < tokens.size() && !tokens[end].is("=")) ++end;
    if (end == 0 || tokens[end - 1].kind != Kind::name) return "true";
    const std::string name(tokens[end - 1].text);
    if (tokens[0].is("class") || tokens[0].is("typename")) return "::ascendc::is_same<" + name + ", " + argument + ">";
    return "(" + name + " == (" + argument + "))";
}

void rewrite_functions(const std::vector<Token>& tokens, const std::vector<Member>& members, const Member& primary, Edits& edits) {
    const std::vector<std::string> parameters = list(tokens, primary.open + 1, primary.close);
    std::string none;
    for (const Member& member : members) {
        if (!member.is_specialisation || member.is_class || !member.arguments || tokens[member.name].text != tokens[primary.name].text) continue;
        const std::vector<std::string> arguments = list(tokens, member.arguments + 1, member.arguments_end - 1);
        std::string all, head;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            head += parameters[i] + ", ";
            if (i < arguments.size()) all += (all.empty() ? "" : " && ") + condition(parameters[i], arguments[i]);
        }
        edits.replace(tokens, member.open, member.close + 1, "<" + head + "::ascendc::when<" + all + "> = 0>");
        edits.replace(tokens, member.arguments, member.arguments_end, "");
        none += (none.empty() ? "!(" : " && !(") + all + ")";
    }
    if (none.empty()) return;
    if (tokens[primary.end].is(";")) edits.replace(tokens, primary.template_word, primary.end + 1, "");
    else edits.insert_before(tokens[primary.close], ", ::ascendc::when<" + none + "> = 0");
}

void rewrite_classes(const std::vector<Token>& tokens, const std::vector<Member>& members, const Member& primary, Edits& edits) {
    bool any = false;
    for (const Member& member : members) {
        if (!member.is_class || !member.arguments || tokens[member.name].text != tokens[primary.name].text) continue;
        if (std::ranges::none_of(members, [&](const Member& each) { return each.is_class && each.is_specialisation && tokens[each.name].text == tokens[primary.name].text; })) return;
        any = true;
        if (member.is_specialisation) edits.replace(tokens, member.open, member.close + 1, "<class ascendc_any>");
        else edits.insert_before(tokens[member.close], ", class ascendc_any");
        edits.insert_before(tokens[member.arguments_end - 1], ", ascendc_any");
    }
    if (any) edits.insert_before(tokens[primary.close], ", class ascendc_any = void");
}

}  // namespace

void rewrite_specialisations(const std::vector<Token>& tokens, Edits& edits) {
    for (const auto& [open, close] : classes_of(tokens)) {
        const std::vector<Member> members = members_of(tokens, open, close);
        if (std::ranges::none_of(members, &Member::is_specialisation)) continue;
        for (const Member& primary : members) {
            if (primary.is_specialisation || primary.arguments) continue;
            if (primary.is_class) rewrite_classes(tokens, members, primary, edits);
            else rewrite_functions(tokens, members, primary, edits);
        }
    }
}

}  // namespace ascendc::source
