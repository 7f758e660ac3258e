// What will run, as text: the programs of a schedule, those of one array alone, and which of them run together.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>

#include "runtime/queue.hpp"
#include "runtime/runner.hpp"

namespace asnumpy {

// What arrays are called in a text: a0, a1... in the order in which it comes to their buffers.
class ArrayNames {
public:
    // "a0(2, 3)", with the shape that lies in memory: an axis that is broadcast has length 1. Axes of the mask are left out.
    std::string operator()(const Array&, std::uint64_t reduced = 0);

private:
    std::unordered_map<const Buffer*, std::size_t> numbers_;
};

// array: only what its value needs; null: everything. Whoever calls holds the queue's locks.
Explanation explanation_of(std::span<const Instruction>, const Schedule&, Runner&, const Array* array, ArrayNames&);

}  // namespace asnumpy
