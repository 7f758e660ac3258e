// What memory holds that nobody has written: numbers that show themselves in a result.
#pragma once

#include <cstddef>

namespace cannsim {

// A NaN in each dtype of floats (a signalling one in float64), in integers a number near the largest, out of range as a place;
// bytes that no bool has. All of a range up to 32 MiB; of a larger one both its ends, because filled pages take the host's memory.
void fill_unwritten(std::byte* memory, std::size_t size);

}  // namespace cannsim
