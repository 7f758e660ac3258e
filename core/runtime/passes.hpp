// The passes over a recorded list, in the order in which they run, each with a name by which it is switched.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/draft.hpp"

namespace asnumpy {

struct Pass {
    std::string_view name;
    std::string_view purpose;
    std::string_view done;    // of instructions, as explain() says it
    // What it does follows from the list's content and is written down as edits; else from its views, too, and on a device from more.
    bool repeats;
    bool (*applies)(std::span<const Instruction>);  // whether there may be something for it to do
    std::size_t (*run)(Draft&);                     // to how many instructions it did something
};

inline constexpr std::size_t fewest_puts = 4;  // to an array that alternates

std::span<const Pass> passes();

// Passes as bits, the first of the table the lowest.
using Passes = std::uint32_t;
Passes all_passes();
void set_passes(Passes);  // of the queue and of functions that are recorded from now on

// Those of the chosen ones that apply; the draft notes what they did.
void run_passes(Draft&, Passes chosen);
// Which other list the chosen passes do the same to: one of its content, one with its views, too, or maybe none.
enum class Recurs : std::uint8_t { by_content, by_views, never };
Recurs recurs(std::span<const Instruction>, Passes chosen);
// One line for each.
std::string to_string(std::span<const Done>, std::size_t instructions);

// --- each in a file of its own: alternate.cpp, equal.cpp, read_through.cpp, dead.cpp, accumulate.cpp, turned.cpp, stages.cpp ---

// What a list writes time and again to one part of an array, from what lies around it, goes to that array and another one in turns: no copy of it
// is made first, and all that makes it is one program.
std::size_t alternate_puts(Draft&);
std::size_t share_equal(Draft&);
std::size_t read_through_copies(Draft&);
std::size_t leave_out_dead(Draft&);
// Where a product's only reader is an addition, rewrites the pair (t = a @ b; u = t + c) to (u = c; u += a @ b); for devices
// that add another operand in the same operation, factors included (2 * (a @ b) - 3 * c), to that one.
// Instructions that are dead are left alone; what is no longer needed becomes dead, and empty.
std::size_t accumulate_products(Draft&);
// Leaves the list as it is, so that it runs whatever fails: who divides it reads these copies through (Edits::turned).
std::size_t read_turned(Draft&);
// Changes nothing in the list: its programs may run together. Which do depends on sizes, and is found when they run.
std::size_t let_share_lines(Draft&);
// The same, when it is known of how many instructions.
Done shared_lines(std::size_t instructions);

}  // namespace asnumpy
