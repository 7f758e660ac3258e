// Inverses of matrices and systems of equations on the host.
#pragma once

#include "runtime/queue.hpp"

namespace asnumpy {

// The inverse of a matrix, or what solves it for a right side: recorded in a function that is traced, computed at once where the values of small
// arrays are at hand. False, and nothing done: another way has to be taken, which also says what is wrong with the operands. LinAlgError where
// the matrix is singular.
bool solve_matrix(const Array& matrix, const Array* right, Array& result);

}  // namespace asnumpy
