// Sums at places and of runs, counts and bins, with NumPy's bits and errors. Each waits for what it needs; while a function is traced, they
// are instructions of its trace.
#pragma once

#include "runtime/queue.hpp"

namespace asnumpy {

// Each does nothing and says so where its arrays are not the host's, not vectors, or of dtypes that it does not take.

// vector[index[i]] += values[i] for one i after the other, of numbers that share no memory with the vector; one value is added at each
// place.
bool add_at(const Array& vector, const Array& index, const Array& values);  // IndexError; nothing is written then
bool add_at(const Array& vector, const Array& index, const Scalar& value);  // of the vector's dtype
// The sums of vector[starts[k] : starts[k + 1]], as np.add.reduceat makes them to the bit, of float32, float64 and int64.
bool add_runs(const Array& vector, const Array& starts, Array& result);  // IndexError
// In which of the bins between edges at equal distances each float lies; their number where in none.
bool bin_places(const Array& line, const Array& edges, Array& result);
// How often each number from 0 to the largest occurs, or the sums of float64 weights there, in order; up to `least` - 1 in any case.
// Not for many numbers without weights, which several threads count, nor for negative ones. While a function is traced, up to `least` - 1.
bool count_each(const Array& index, const Array* weights, std::int64_t least, Array& result);

}  // namespace asnumpy
