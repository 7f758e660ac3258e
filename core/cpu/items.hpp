// Items: the few elements of a short innermost axis that lie side by side, as the coordinates of a point or the colours of a pixel. Code for
// a whole program computes all elements of an item at once: what has one element for an item is read once for it and spread over nothing, and
// a sum over the item is made while its elements are in registers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "program/program.hpp"

namespace asnumpy::cpu {

struct Portion;
struct Resolved;

// How the operands of a launch lie by items.
class Items {
public:
    enum class Part : std::uint8_t {
        whole,       // an input's items lie one after the other
        one,         // it has one element for all of an item
        same,        // all items of a tile are the same
        number,      // all elements of a tile are
    };
    static constexpr std::int64_t longest = 4;
    static constexpr std::size_t most_inputs = 30;

    Items() = default;  // none: elements are computed one by one
    Items(std::int64_t length, bool joined) : bits_(static_cast<std::uint64_t>(length - 1) | (joined ? joined_bit : 0)) {}
    static Items from(std::uint64_t bits) {
        Items made;
        made.bits_ = bits;
        return made;
    }

    void put(std::size_t input, Part part) { bits_ |= static_cast<std::uint64_t>(part) << place_of(input); }
    Part part(std::size_t input) const { return input < most_inputs ? static_cast<Part>(bits_ >> place_of(input) & 3u) : Part::whole; }
    std::int64_t length() const { return static_cast<std::int64_t>(bits_ & 3u) + 1; }
    bool any() const { return bits_ != 0; }
    bool joined() const { return (bits_ & joined_bit) != 0; }  // the elements of an item are reduced to one
    std::uint64_t bits() const { return bits_; }
    bool operator==(const Items&) const = default;

private:
    static constexpr std::uint64_t joined_bit = 4;
    static constexpr std::size_t place_of(std::size_t input) { return 3 + 2 * input; }

    std::uint64_t bits_ = 0;
};

// How the items of a launch lie, where code by items saves that anything is spread or reduced beside it.
Items items_of(const Resolved&, const Launch&, const Portion&);

}  // namespace asnumpy::cpu
