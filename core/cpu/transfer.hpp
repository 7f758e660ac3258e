// Moves elements between memory of any strides and the contiguous slots of a tile.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/layout.hpp"

namespace asnumpy::cpu {

// `flat`: the position of the first of n elements in the order of the operand's axes. Memory may be unaligned.
void gather(char* to, const Strided& from, std::int64_t flat, std::int64_t n);
// Of a turned operand, n elements that would lie side by side: where they do so, or else gathered.
char* reach_turned(char* to, const Strided& from, std::int64_t flat, std::int64_t n);
void scatter(const Strided& to, std::int64_t flat, const char* from, std::int64_t n);
void splat(char* to, const char* element, std::int64_t itemsize, std::int64_t n);
// n elements, which lie and shall lie so many bytes apart.
void move_line(char* to, std::int64_t to_stride, const char* from, std::int64_t from_stride, std::int64_t itemsize, std::int64_t n);

// Copies past the caches, for output that will not be read soon; finish_streaming() before other threads may look.
void stream(char* to, const char* from, std::size_t bytes);
void finish_streaming();
std::int64_t streaming_threshold();  // outputs of so many bytes are better streamed

}  // namespace asnumpy::cpu
