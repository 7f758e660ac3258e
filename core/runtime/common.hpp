// Equal products of one list, computed once.
#pragma once

#include <span>

#include "runtime/fuse.hpp"

namespace asnumpy {

// Where a product may become the accumulated operand of a gemm, or be an earlier one, views decide that the content of a list does not tell.
bool has_products(std::span<const Instruction>);

// Where a product of the list equals an earlier one (the same views of the same buffers, which nothing wrote in between), what reads
// the later one is made to read the earlier one, so that nobody needs it. That is done where the later result is the list's alone and
// neither result is written again. Called with the lock of recording held, between the census and the search for dead instructions.
void share_products(std::span<Instruction>, Census&);

}  // namespace asnumpy
