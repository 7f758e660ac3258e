// The words of a translation unit after preprocessing: what a rewriting may look at, and what it must leave alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ascendc::source {

enum class Kind : std::uint8_t { name, number, string, character, sign, directive };

// Comments and white space are between tokens. `text` is a part of the unit's text.
struct Token {
    Kind kind;
    std::string_view text;

    bool is(std::string_view other) const { return text == other; }
};

// A unit's tokens without those of system headers, which line markers name. `<<<` and `>>>` are each three signs.
std::vector<Token> tokens_of(std::string_view text);

// The place behind the bracket that closes the one at `open`: (), [] or {}. The number of tokens where nothing closes it.
std::size_t after_bracket(const std::vector<Token>& tokens, std::size_t open);
// The same for the `<` of a template's parameters or arguments; `open` itself where it is not such a one.
std::size_t after_angle(const std::vector<Token>& tokens, std::size_t open);
// The `<` that the `>` at `close` closes; `close` itself where there is none.
std::size_t angle_before(const std::vector<Token>& tokens, std::size_t close);

// What is put in the place of pieces of a text. Lines stay where they are: a replacement has as many as what it replaces.
class Edits {
public:
    explicit Edits(std::string_view text) : text_(text) {}
    // The tokens [first, last) give way to `by`.
    void replace(const std::vector<Token>& tokens, std::size_t first, std::size_t last, std::string_view by);
    void insert_after(const Token& token, std::string_view what) { add(end(token), end(token), what); }
    void insert_before(const Token& token, std::string_view what) { add(begin(token), begin(token), what); }
    std::string applied() const;

private:
    struct Edit {
        std::size_t begin, end;
        std::string by;
    };
    std::size_t begin(const Token& token) const { return static_cast<std::size_t>(token.text.data() - text_.data()); }
    std::size_t end(const Token& token) const { return begin(token) + token.text.size(); }
    void add(std::size_t from, std::size_t to, std::string_view by) { edits_.push_back({from, to, std::string(by)}); }

    std::string_view text_;
    std::vector<Edit> edits_;
};

// The text of tokens [first, last), with the white space that they need between them.
std::string written(const std::vector<Token>& tokens, std::size_t first, std::size_t last);

}  // namespace ascendc::source
