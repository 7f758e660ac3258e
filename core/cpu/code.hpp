// Machine code for strands and rounds: which are wanted, which are there. Who has a compiler takes what is wanted, and installs a function
// for it or says that there will be none; programs look here before they run. Nothing here waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "cpu/rounds.hpp"
#include "cpu/strands.hpp"

namespace asnumpy::cpu {

// What becomes of programs that could run as machine code.
enum class CodeMode : std::uint8_t {
    off,         // their steps run one after the other
    background,  // those that have run for a while want code, and go on without it meanwhile
    wait,        // all want it before they run
};
void set_code_mode(CodeMode);
CodeMode code_mode();

// What code is made of, and what is made.
using Coded = std::variant<StrandCode, Round>;  // a strand; what rounds have in common
struct Code {
    Forms forms{};               // of a strand
    RunRounds rounds = nullptr;
};

// What code is worth so far.
enum class Effort : std::uint8_t {
    look,     // looking for code that another process has kept
    compile,  // a compiler's second
};

// What has run for so long is expected to run that long again: then it is worth as much.
inline constexpr std::int64_t long_enough_to_look = 2'000'000, long_enough_to_compile = 150'000'000;  // ns

using CodeId = std::uint32_t;
struct WantedCode {
    CodeId id;
    Coded coded;
    Effort effort;
};

CodeId want_code(const Coded&, Effort);           // a number for it; it is wanted unless as much was done for it before
bool anything_wanted();
bool anything_newly_wanted();                     // since the last time that this was asked
std::vector<WantedCode> take_wanted();            // those that nobody has taken yet
Coded taken_code(CodeId);
void install_code(CodeId, const Code&);
void leave_code(CodeId);                          // what was taken was looked for, and is not there
void refuse_code(CodeId);
void forget_taken();                              // in a forked child: who has taken them is not there

std::uint32_t code_generation();          // changes with every installation and refusal
enum class CodeState : std::uint8_t { coming, there, refused };
struct FoundCode {
    CodeState state;            // coming: at least one; refused: at least one
    std::vector<Code> codes;    // there
};
FoundCode find_code(std::span<const CodeId>);
FoundCode find_code(const Coded&);        // coming, too, where nobody wants it

// Whether loops compute what the steps of a strand do, one after the other, to the bit but for which NaN it is; where it ends in
// a reduction, all forms are there.
bool computes_strand(const StrandCode&, const Forms&);

// Programs that run in strands, and those that were quicker without: for who asks how it went.
struct CodeUse {
    std::atomic<std::uint32_t> quicker{0}, slower{0};
};
CodeUse& code_use();

}  // namespace asnumpy::cpu
