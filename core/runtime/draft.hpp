// The unit between the queue and the fuser: a recorded list as passes rewrite it, before it is divided into programs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "runtime/fuse.hpp"

namespace asnumpy {

// An argument that is made to read what lies at `from` where it read the same values at `instead_of`, or a part of them.
struct Redirect {
    std::uint32_t reader;
    std::uint8_t slot;
    Place from, instead_of;
};

// It reads at `from` the same elements that it reads at `instead_of`, or the same part of them.
void read_at(Array& read, const Array& from, const Array& instead_of);

// A sum that a product adds from then on: what it is added to is put there in the product's place, and the product is computed in the sum's.
struct Accumulation {
    std::uint32_t product, sum;
    std::uint8_t side;  // of the sum's operands
};

// An array of which one part is written time and again, each time from what lies around it: what is written goes to another array of the same kind, and
// the next time back, so that nothing is overwritten that is still read. That one gets all the rest first; what else is written goes where the array is
// at that time.
struct Alternation {
    struct Put {
        std::uint32_t position;
        std::uint32_t maker;  // who made what the put only moved: it writes there itself, and the put is no more; none: nobody
        bool turns;           // to the other array; else to the one that is read
    };
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    std::uint32_t begin = 0;            // before which the other array gets all the rest: what makes the first put reads the array from there on
    std::vector<Put> puts;              // all writes, of which an even number turn, the first one among them
    std::vector<std::uint32_t> copies;  // of the array before it turns, which need not be made: it is still there

    std::uint32_t first() const { return std::min({puts.front().position, puts.front().maker, copies.empty() ? none : copies.front()}); }
    std::uint32_t last() const { return puts.back().position; }
};

// What passes did to a list, by position: it is done again, without a search, to a list of the same content. What the content
// does not tell, which is mostly views, must hold there too.
struct Edits {
    std::vector<Alternation> alternations;                       // by positions in the list that comes; a copy more for each: all others are by those that are then
    std::vector<std::pair<std::uint32_t, std::uint32_t>> equal;  // two that compute the same, given the same values
    std::vector<std::uint32_t> copies;                           // those that only move what they read
    std::vector<Redirect> redirects;                             // in the order in which they are made
    std::vector<Accumulation> sums;                              // after all redirects
    std::vector<TurnedCopy> turned;                              // which leave the list as it is; groups are formed by them

    bool empty() const { return redirects.empty() && sums.empty(); }  // nothing is to be done but to alternate
};

// To how many instructions a pass did something; the pass by its place in the table (passes.hpp).
struct Done {
    std::uint32_t pass;
    std::size_t instructions;
};

// Its inputs are what the list reads before it writes it; its results the buffers that others see (census[...].outside): those must have,
// when it has run, the values that the recorded list gives them. A pass may change all else. After every single change the list is right,
// whatever fails next, and may run from any instruction on of which all before it have run.
class Draft {
public:
    // counted: the buffers count what is pending of this list; the lock of recording is held while passes run.
    Draft(std::vector<Instruction>& instructions, Census& census_of_it, bool counted);

    // So many more instructions, which are those of `like`, are pending.
    void count(const Instruction& like, int n) const;
    void alternate(std::vector<Alternation>&&);  // before all else
    void redirect(const Redirect&);
    void accumulate(const Accumulation&);  // the product's instruction is dead where the sum was in place
    // How often the list writes each buffer, by its number.
    std::vector<std::uint32_t> writes() const;

    std::vector<Instruction>& list;
    Census& census;
    std::vector<bool> dead;  // what will not run; what is empty is that from the start
    bool shares_lines = false;  // programs that share an axis may run some lines at a time
    std::vector<std::uint32_t> bounds;  // positions that no instruction moves up past
    Edits edits;
    std::vector<Done> done;

private:
    bool counted_;
};

// Whether the two differ in nothing but in which buffers they read and write, and each writes the whole of buffers that had no value: reading
// the same values they give the same results. Never true of random draws, or of memory that somebody else owns.
bool computes_alike(const Instruction&, const Instruction&);
// Whether it gives a buffer that had no value the elements of another one, at the same distances of each other.
bool moves_only(const Instruction&);
// What these, of which the first one begins where it begins, make of a buffer that had no value: the elements of another one, all of them, its axes
// turned; nothing: something else.
std::optional<Turned> turned_by(std::span<const Instruction> list, std::span<const std::uint32_t> pieces);
// Whether the array is one to take turns with, nobody has seen what the makers made, and copies are as the original.
bool alternates(const Alternation&, std::span<const Instruction>);
// Does it. Buffers count what is pending where `counted`. The other arrays.
std::vector<Buffer*> put_in_turns(std::span<const Alternation>, std::vector<Instruction>& list, bool counted);
// Whether a list of the content of the one to which this was done, with its arrays in turns by now, allows it, too; and doing it. Buffers count what is pending.
bool holds(const Edits&, std::span<const Instruction>);
void repeat(const Edits&, std::span<Instruction>);

}  // namespace asnumpy
