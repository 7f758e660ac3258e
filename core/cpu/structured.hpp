// The structured operations of the CPU; ops/structured.hpp says what each one means.
#pragma once

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
void in_range(const StructuredCall&);
void deviations(const StructuredCall&);
void random_draw(const StructuredCall&);  // every row of ops/random.hpp
void random_choice(const StructuredCall&);
void random_multinomial(const StructuredCall&);
void random_multivariate_hypergeometric(const StructuredCall&);

// IndexError; the axis has this length.
[[noreturn]] void raise_out_of_bounds(std::int64_t index, std::int64_t length);

}  // namespace asnumpy::cpu
