// How structured rows run: one way a row; here those of whole arrays that this device offers (ops/structured.hpp, whole_rows).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ascend/lower/lowering.hpp"

namespace asnumpy::ascend {

struct Way {
    std::string_view row;
    Explanation (*explain)(const StructuredCall&);  // looks at rows, dtypes and attributes only; Path::host: not here
    void (*run)(Emitter&, const StructuredCall&);
};

std::span<const Way> algebra_ways();           // algebra.cpp
extern const Way draw_way;                     // of all random draws: draw.cpp
const Way* whole_way(std::string_view row);  // of all files; nullptr where there is none

// Places along an axis of that length (int64, in one dimension) in ascending order, and where each stood; equal ones stay in order.
void sort_places(Emitter&, const Tensor& places, std::int64_t length, const Tensor& sorted, const Tensor& order);

}  // namespace asnumpy::ascend
