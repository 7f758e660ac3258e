// Strands: parts of a program whose steps one loop can compute, element after element, without a slot for what lies between
// them. What generated code computes; the steps between them keep the loops that they have (kernels.hpp's is_plain).
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "cpu/items.hpp"
#include "kernels/kernels.hpp"
#include "program/program.hpp"

namespace asnumpy::cpu {

// The types that strands and rounds have: code loads and stores their elements as they are.
template <class T> inline constexpr bool in_strands = !is_narrow_v<T> && !is_half_v<T> && !std::is_same_v<T, long double> && !std::is_same_v<T, std::complex<long double>>;

// A longer strand takes a compiler longer than its steps are worth, and has more values than registers anyway.
inline constexpr std::size_t most_steps = 128;

// A strand's last value may go to a reduction and nowhere else; then one loop does both.
struct Strand {
    Program program;
    std::vector<ValueId> in, out;          // what its inputs, its stores and then its reduction's value are called in the program that it is a part of
    std::optional<std::size_t> reduction;  // of that program
};

// The loops of a call. What they write comes in the order of Strand::out.
enum class Form : std::uint8_t { each, folded, added };
struct Forms {
    Loop each = nullptr;    // writes every element of every value
    Loop folded = nullptr;  // writes one element for the last value, which it reduces as the fold of its reduction would
    Loop added = nullptr;   // combines elements of the last value with those that are there, the same way
};

// A program as strands and single steps, in an order in which each finds what it reads; without steps whose results nobody
// reads. A strand has at least two steps, or one and a reduction.
struct Strands {
    static constexpr std::int32_t single = -1;
    struct Part {
        std::int32_t strand;  // or `single`
        std::uint32_t step;   // that one
    };
    std::vector<Strand> strands;
    std::vector<Part> order;
};

Strands divide_into_strands(const Program&);

// The whole of a program as one strand, if all its steps are plain and it gives nothing but what they make.
std::optional<Strand> whole_strand(const Program&);

// Code holds such a number in a register. Not a complex one: values of class type keep a loop from being vectors.
bool may_be_number(DType);

// What code for a strand is made of. Bit i of `numbers`: its input i is one number for all elements of a call, the first one of what it is given.
// By items its forms take so many items. Where those are joined there is `each` alone, and the last value is that of the reduction, one for each
// item. Else `folded` reduces items as halve() does lines (reduce.hpp), and leaves one at the beginning of the place of that value, which has room for all.
struct StrandCode {
    Program program;
    std::uint64_t numbers = 0;
    Items items{};

    std::size_t hash() const { return program.hash() ^ static_cast<std::size_t>((numbers ^ items.bits() << 20) * 0x9e3779b97f4a7c15u); }
    bool operator==(const StrandCode&) const = default;
};
// Where these inputs of the program that it is a part of are one number each.
StrandCode code_of(const Strand&, const Program& whole, std::uint64_t numbers);
// Of a whole program, whose inputs' items lie so.
StrandCode code_of(const Strand& whole, Items);

}  // namespace asnumpy::cpu
