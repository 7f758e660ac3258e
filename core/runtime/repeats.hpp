// Stretches of a sequence in which one piece of it comes again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace asnumpy {

struct Repeat {
    std::size_t first, period;  // the piece
    std::size_t count;          // how often it is there, one after the other
};

// In order, without a position in two of them; pieces of at most so many positions, that are there at least so often. A position that equals
// no other one belongs to none.
std::vector<Repeat> find_repeats(std::span<const std::uint32_t> sequence, std::size_t longest, std::size_t fewest);

}  // namespace asnumpy
