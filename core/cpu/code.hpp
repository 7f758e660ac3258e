// Machine code for strands: which are wanted, which are there. Who has a compiler takes what is wanted, and installs a loop for
// it or says that there will be none; programs look here before they run. Nothing here waits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/kernels.hpp"
#include "program/program.hpp"

namespace asnumpy::cpu {

// What becomes of programs that could run as machine code.
enum class CodeMode : std::uint8_t {
    off,         // their steps run one after the other
    background,  // those that have run for a while want code, and go on without it meanwhile
    wait,        // all want it before they run
};
void set_code_mode(CodeMode);
CodeMode code_mode();

using CodeId = std::uint32_t;
struct WantedCode {
    CodeId id;
    Program strand;
};

CodeId want_code(const Program& strand);  // a number for the strand; it is wanted unless it was before
bool anything_wanted();
std::vector<WantedCode> take_wanted();    // those that nobody has taken yet
void install_code(CodeId, Loop);
void refuse_code(CodeId);
void forget_taken();                      // in a forked child: who has taken them is not there

std::uint32_t code_generation();          // changes with every installation and refusal
enum class CodeState : std::uint8_t { coming, there, refused };
struct FoundCode {
    CodeState state;            // coming: at least one; refused: at least one
    std::vector<Loop> loops;    // there
};
FoundCode find_code(std::span<const CodeId>);

}  // namespace asnumpy::cpu
