// A few elements picked from a vector by an index or a mask, or filled: done on the spot, where a dispatch would cost more.
#pragma once

#include "runtime/queue.hpp"

namespace asnumpy {

// Each does nothing and says so when its arrays are not at hand, not small, or not vectors.
bool take_at_once(const Array& vector, const Array& index, Array& result);  // IndexError
bool scatter_at_once(const Array& vector, const Array& index, const Array& source);  // IndexError; nothing is written then
bool compress_at_once(const Array& vector, const Array& mask, Array& result);
bool flatnonzero_at_once(const Array& mask, Array& result);
// vector[index[i]] += values[i] for one i after the other, of int32, int64, float32, float64 and complex numbers that share no memory
// with the vector. It waits for what they need.
bool add_at_once(const Array& vector, const Array& index, const Array& values);  // IndexError; nothing is written then
// The sums of vector[starts[k] : starts[k + 1]], as np.add.reduceat makes them to the bit, of float32, float64 and int64; false where a
// start is not a place of the vector.
bool sum_runs_at_once(const Array& vector, const Array& starts, Array& result);
// In which of the bins between edges at equal distances each float lies; their number where in none.
bool bin_at_once(const Array& line, const Array& edges, Array& result);
// Where the source has as many elements as the mask true ones.
bool place_at_once(const Array& vector, const Array& mask, const Array& source);
// A new array that nobody else knows, in C order, gets one number of its dtype.
bool fill_at_once(const Array& fresh, const Scalar& value);

// How often each number from 0 to the largest occurs, or the sums of float64 weights there, in order; up to `least` - 1 in any case.
// Not for many numbers without weights, which several threads count, nor for negative ones.
bool bincount_at_once(const Array& index, const Array* weights, std::int64_t least, Array& result);

// int64 vectors of one length, an index for each of the leading axes of these lengths, as one index into those axes
// joined. IndexError names the axis. Nothing is done where the host may not read the device's memory.
bool join_indices(std::span<const Array> indices, std::span<const std::int64_t> lengths, Array& joined);

}  // namespace asnumpy
