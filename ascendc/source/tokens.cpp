// Cutting a text into tokens, and edits of it by tokens.
#include "tokens.hpp"

#include <algorithm>

namespace ascendc::source {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

// A directive `# 12 "file" 1 3`. The flag 1 is of a file that begins, 2 of one that goes on, 3 of a system header and of what a
// macro of such a header became.
bool is_marker(std::string_view line) {
    std::size_t at = 1;
    while (at < line.size() && line[at] == ' ') ++at;
    return at < line.size() && is_digit(line[at]);
}
bool has_flag(std::string_view marker, std::string_view flag) {
    const std::size_t quote = marker.rfind('"');
    return quote != std::string_view::npos && marker.find(flag, quote) != std::string_view::npos;
}

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    std::vector<Token> read() {
        bool line_begins = true;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '\n') {
                line_begins = true;
                ++at_;
            } else if (is_space(c) || (c == '\\' && peek(1) == '\n')) {
                at_ += c == '\\' ? 2 : 1;
            } else if (c == '#' && line_begins) {
                directive();
            } else if (c == '/' && (peek(1) == '/' || peek(1) == '*')) {
                comment();
            } else {
                line_begins = false;
                token(c);
            }
        }
        return std::move(tokens_);
    }

private:
    char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    void take(Kind kind, std::size_t end) {
        end = std::min(end, text_.size());
        tokens_.push_back({kind, text_.substr(at_, end - at_)});
        at_ = end;
    }

    // To the end of the line, and of those that a backslash joins to it. Line markers are no tokens, and system headers have none.
    void directive() {
        std::size_t end = at_;
        while (true) {
            end = text_.find('\n', end);
            if (end == std::string_view::npos) end = text_.size();
            if (end == text_.size() || text_[end - 1] != '\\') break;
            ++end;
        }
        const std::string_view line = text_.substr(at_, end - at_);
        if (!is_marker(line)) return take(Kind::directive, end);
        at_ = end;
        if (!begins_system(line, false)) return;
        while (at_ < text_.size()) {
            const std::size_t next = text_.find("\n#", at_);
            if (next == std::string_view::npos) {
                at_ = text_.size();
                return;
            }
            at_ = next + 1;
            const std::string_view rest = text_.substr(at_, text_.find('\n', at_) - at_);
            if (is_marker(rest) && !begins_system(rest, true)) return;
        }
    }
    static bool begins_system(std::string_view marker, bool before) {
        return has_flag(marker, " 1") || has_flag(marker, " 2") ? has_flag(marker, " 3") : before;
    }

    void comment() {
        const bool line = peek(1) == '/';
        const std::size_t end = line ? text_.find('\n', at_) : text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + (line ? 0 : 2);
    }

    std::size_t quoted_end(char quote, std::size_t from) const {
        while (from < text_.size() && text_[from] != quote && text_[from] != '\n') from += text_[from] == '\\' ? 2 : 1;
        return from + 1;
    }
    // R"delimiter( ... )delimiter"
    std::size_t raw_end(std::size_t quote) const {
        const std::size_t open = text_.find('(', quote);
        if (open == std::string_view::npos) return text_.size();
        const std::string close = ")" + std::string(text_.substr(quote + 1, open - quote - 1)) + "\"";
        const std::size_t end = text_.find(close, open);
        return end == std::string_view::npos ? text_.size() : end + close.size();
    }

    void token(char c) {
        if (is_letter(c)) {
            std::size_t end = at_;
            while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
            const std::string_view word = text_.substr(at_, end - at_);
            const char next = end < text_.size() ? text_[end] : '\0';
            const bool prefix = word == "L" || word == "u" || word == "U" || word == "u8";
            const bool raw = word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
            if (raw && next == '"') return take(Kind::string, raw_end(end));
            if (prefix && next == '"') return take(Kind::string, quoted_end('"', end + 1));
            if (prefix && next == '\'') return take(Kind::character, quoted_end('\'', end + 1));
            return take(Kind::name, end);
        }
        if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return take(Kind::number, number_end());
        if (c == '"') return take(Kind::string, quoted_end('"', at_ + 1));
        if (c == '\'') return take(Kind::character, quoted_end('\'', at_ + 1));
        if ((c == ':' && peek(1) == ':') || (c == '-' && peek(1) == '>')) return take(Kind::sign, at_ + 2);
        take(Kind::sign, at_ + 1);
    }
    // 1'000, 0x1p-3, 1.5e+3f
    std::size_t number_end() const {
        std::size_t end = at_;
        while (end < text_.size()) {
            const char c = text_[end], before = end > at_ ? text_[end - 1] : '\0';
            const bool exponent = before == 'e' || before == 'E' || before == 'p' || before == 'P';
            const bool mark = c == '\'' && end + 1 < text_.size() && (is_letter(text_[end + 1]) || is_digit(text_[end + 1]));
            if (!(is_letter(c) || is_digit(c) || c == '.' || mark || ((c == '+' || c == '-') && exponent))) break;
            ++end;
        }
        return end;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<Token> tokens_;
};

bool opens(const Token& token) { return token.is("(") || token.is("[") || token.is("{"); }
bool closes(const Token& token) { return token.is(")") || token.is("]") || token.is("}"); }

}  // namespace

std::vector<Token> tokens_of(std::string_view text) { return Reader(text).read(); }

std::size_t after_bracket(const std::vector<Token>& tokens, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < tokens.size(); ++i) {
        if (tokens[i].kind != Kind::sign) continue;
        if (opens(tokens[i])) ++depth;
        else if (closes(tokens[i]) && --depth == 0) return i + 1;
    }
    return tokens.size();
}

std::size_t after_angle(const std::vector<Token>& tokens, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < tokens.size(); ++i) {
        const Token& token = tokens[i];
        if (token.is("<")) ++depth;
        else if (token.is(">")) {
            if (--depth == 0) return i + 1;
        } else if (opens(token)) {
            i = after_bracket(tokens, i) - 1;
        } else if (closes(token) || token.is(";")) {
            return open;
        }
    }
    return open;
}

std::size_t angle_before(const std::vector<Token>& tokens, std::size_t close) {
    int depth = 0, brackets = 0;
    for (std::size_t i = close + 1; i-- > 0;) {
        const Token& token = tokens[i];
        if (token.kind != Kind::sign) continue;
        if (closes(token)) ++brackets;
        else if (opens(token)) {
            if (--brackets < 0) return close;
        } else if (brackets == 0 && token.is(">")) {
            ++depth;
        } else if (brackets == 0 && token.is("<")) {
            if (--depth == 0) return i;
        } else if (brackets == 0 && token.is(";")) {
            return close;
        }
    }
    return close;
}

void Edits::replace(const std::vector<Token>& tokens, std::size_t first, std::size_t last, std::string_view by) {
    if (first == last) return;
    const std::size_t from = begin(tokens[first]), to = end(tokens[last - 1]);
    const std::string_view before = text_.substr(from, to - from);
    std::string lines(by);
    const auto missing = std::ranges::count(before, '\n') - std::ranges::count(by, '\n');
    lines.append(static_cast<std::size_t>(std::max<std::ptrdiff_t>(missing, 0)), '\n');
    edits_.push_back({from, to, std::move(lines)});
}

std::string Edits::applied() const {
    std::vector<Edit> edits = edits_;
    std::ranges::stable_sort(edits, {}, &Edit::begin);
    std::string result;
    std::size_t at = 0;
    for (const Edit& edit : edits) {
        if (edit.begin < at) continue;  // within one that was applied
        result.append(text_, at, edit.begin - at).append(edit.by);
        at = edit.end;
    }
    return result.append(text_, at);
}

std::string written(const std::vector<Token>& tokens, std::size_t first, std::size_t last) {
    std::string result;
    for (std::size_t i = first; i < last; ++i) {
        if (tokens[i].kind == Kind::directive) continue;
        const bool word = tokens[i].kind == Kind::name || tokens[i].kind == Kind::number;
        const bool after_word = !result.empty() && (is_letter(result.back()) || is_digit(result.back()));
        if (word && after_word) result += ' ';
        result += tokens[i].text;
    }
    return result;
}

}  // namespace ascendc::source
