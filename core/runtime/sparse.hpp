// Products and sums of compressed sparse arrays of the host, recorded like all structured operations.
#pragma once

#include "runtime/queue.hpp"

namespace asnumpy {

// Each does nothing and says so where its arrays are not the host's, or of dtypes that it does not take: pointers and indices are both int32 or
// int64 vectors. The shapes are the caller's to check.

// Whether pointers rise within the indices, and these lie in [0, length). Waits for them.
bool is_sparse_pattern(const Array& pointers, const Array& indices, std::int64_t length);
// The rows of a compressed array times a dense vector or matrix of the values' dtype; added: its columns, to a result of so many rows.
bool sparse_product(const Array& pointers, const Array& indices, const Array& values, const Array& dense, bool added, std::int64_t rows, Array& result);
// The sum of each line, as np.add.reduceat makes it; 0 where a line is empty.
bool sparse_sums(const Array& pointers, const Array& values, Array& result);

}  // namespace asnumpy
