// The typed loops of the rows, compiled once per instruction set and chosen when the library is loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ops/row.hpp"

namespace asnumpy::cpu {

// Applies a row to n contiguous, naturally aligned elements. An output may be exactly an input, never overlap one in part.
using Loop = void (*)(void* const* out, const void* const* in, std::size_t n);
// Reduces n >= 1 contiguous elements to *out (not including what *out held). Float sums keep many partial sums
// and add them pairwise, so that their error grows no faster than NumPy's.
using Fold = void (*)(void* out, const void* in, std::size_t n);

// The same for a row of one result and elements that lie anywhere, so many bytes apart in each operand.
using StridedLoop = void (*)(char* out, std::int64_t step, const char* const* in, const std::int64_t* steps, std::size_t n);

Loop loop(RowId, int loop_index);
StridedLoop strided_loop(RowId, int loop_index);  // of plain loops of common dtypes; else nullptr
// Whether a loop is nothing but the row's scalar definition, element after element, and one that compilers vectorise beside
// others: then a loop of several such rows gives the same values. No vector function, fast path or repeated divisor, no type
// that is computed in another one.
bool is_plain(RowId, int loop_index);
std::string_view table_of(RowId);  // in whose header the row's definition is: ops/TABLE.hpp; empty where there is none
Fold fold(RowId, int loop_index);  // for reducible rows whose signature is (T, T) -> T; else nullptr

// Two binary rows of one dtype at once: outer(inner(x, y), z), or outer(z, inner(x, y)) when `right`. Takes x, y, z;
// null where there is none.
Loop pair_loop(RowId inner, RowId outer, bool right, DType);
// Reduces n >= 1 elements inner(x, y) by outer to one, as the fold of outer would; null where there is none.
Loop pair_fold(RowId inner, RowId outer, DType);

std::string_view kernel_options();   // of the compiler, for the chosen instruction set
std::string_view instruction_set();  // "x86-64-v4", "x86-64-v3", "x86-64-v2", "aarch64"
bool has_vector_math();              // NumPy's loops of elementary functions are in use

}  // namespace asnumpy::cpu
