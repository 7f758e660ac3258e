// The structured operations of the CPU; ops/structured.hpp says what each one means.
#pragma once

#include <cstdint>
#include <optional>

#include "device/backend.hpp"

namespace asnumpy::cpu {

void matmul(const StructuredCall&);
void scan(const StructuredCall&);
void argmax(const StructuredCall&);
void argmin(const StructuredCall&);
void take(const StructuredCall&);
void scatter(const StructuredCall&);
void overlapping_copy(const StructuredCall&);
void compress(const StructuredCall&);
void flatnonzero(const StructuredCall&);
void bincount(const StructuredCall&);
void add_at(const StructuredCall&);
void add_runs(const StructuredCall&);
void bin_places(const StructuredCall&);
void sparse_product(const StructuredCall&);
void sparse_sums(const StructuredCall&);
void matrix_inverse(const StructuredCall&);
void matrix_solve(const StructuredCall&);
void in_range(const StructuredCall&);
void sort(const StructuredCall&);
void search(const StructuredCall&);
void deviations(const StructuredCall&);
void random_draw(const StructuredCall&);  // every row of ops/random.hpp
void random_choice(const StructuredCall&);
void random_multinomial(const StructuredCall&);
void random_multivariate_hypergeometric(const StructuredCall&);

// How many bytes of a mask are not 0.
std::int64_t count_true(const Tensor& mask);
// Writes a vector's elements, in order, to where the mask is true. False, and nothing written, where there are more or fewer of them.
bool place(const Tensor& target, const Tensor& mask, const Tensor& source);

bool sorts(DType);
bool searches(DType);
bool adds_up(DType);    // add_at
bool adds_runs(DType);
bool multiplies_sparse(DType);
bool sums_sparse(DType);
bool solves(DType);  // matrix_inverse and matrix_solve
// Whether pointers rise within the indices, and these lie in [0, length); both are int32, or int64.
bool is_sparse_pattern(const Tensor& pointers, const Tensor& indices, std::int64_t length);

// ValueError or TracingError where one of these has no count among so many.
void expect_counted(const Tensor& index, std::int64_t length);
// The same of their least and largest; without a length, whether they can be counted at all.
void expect_counts(std::int64_t low, std::int64_t high, std::optional<std::int64_t> length);

// IndexError; the axis has this length.
[[noreturn]] void raise_out_of_bounds(std::int64_t index, std::int64_t length);

}  // namespace asnumpy::cpu
