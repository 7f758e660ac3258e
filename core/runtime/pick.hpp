// A few elements picked from a vector by an index or a mask, or filled: done on the spot, where a dispatch would cost more.
#pragma once

#include "runtime/queue.hpp"

namespace asnumpy {

// An index of integers as the kernels of this file and most others take it: int64.
Array as_positions(const Array& index);
// Whether every value of the dtype is a place on an axis of that length, so that nobody has to look: grey values in a table of all of them.
bool means_places(DType, std::int64_t length);

// Each does nothing and says so when its arrays are not at hand, not small, or not vectors.
bool take_at_once(const Array& vector, const Array& index, Array& result);  // IndexError
bool scatter_at_once(const Array& vector, const Array& index, const Array& source);  // IndexError; nothing is written then
bool compress_at_once(const Array& vector, const Array& mask, Array& result);
bool flatnonzero_at_once(const Array& mask, Array& result);
// Where the source has as many elements as the mask true ones.
bool place_at_once(const Array& vector, const Array& mask, const Array& source);
// A new array that nobody else knows, in C order, gets one number of its dtype.
bool fill_at_once(const Array& fresh, const Scalar& value);

// int64 vectors of one length, an index for each of the leading axes of these lengths, as one index into those axes
// joined. IndexError names the axis. Nothing is done where the host may not read the device's memory.
bool join_indices(std::span<const Array> indices, std::span<const std::int64_t> lengths, Array& joined);

}  // namespace asnumpy
