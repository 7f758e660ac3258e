// What will run, as text: the programs of a schedule, those of one array alone, and which of them run together.
#pragma once

#include <span>

#include "runtime/queue.hpp"
#include "runtime/runner.hpp"

namespace asnumpy {

// array: only what its value needs; null: everything. Whoever calls holds the queue's locks.
Explanation explanation_of(std::span<const Instruction>, const Schedule&, Runner&, const Array* array);

}  // namespace asnumpy
