// The SIMD functions of the C library (libmvec), found at run time. Their calling convention is that of a function from
// vector to vector; the vector's width is that of the instruction set in use.
#pragma once

#include <string_view>

namespace asnumpy::cpu {

// The functions for the widths of `instruction_set`; called once, before any loop runs.
void load_vector_math(std::string_view instruction_set);

// `index` is the number of an ops::Vector; null: call the scalar function.
void* vector_function(int index, bool is_double);

}  // namespace asnumpy::cpu
