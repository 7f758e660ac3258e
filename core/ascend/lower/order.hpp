// How operators that compare elements take dtypes that they do not accept: as others of the same order.
#pragma once

#include <optional>
#include <string_view>

#include "ascend/lower/lowering.hpp"

namespace asnumpy::ascend {

struct Ordering {
    DType as{};              // accepted, and its elements have the same order
    Path path = Path::host;  // host: there is none; decomposed: the highest bit is turned
    bool slow = false;       // the AICPU compares it, because the AI cores have no dtype for this
    bool same_bits() const { return path == Path::native || path == Path::reinterpreted; }
};
// One that the AI cores have comes first. Of the operator of the call string, whose result is of dtype `out`, or of the dtype that it takes.
Ordering ordering_of(std::string_view call, DType, std::optional<DType> out = std::nullopt);
Explanation explain_ordered(std::string_view call, DType, const Ordering&);

Tensor ordered(Emitter&, const Tensor&, const Ordering&);                         // as the operator takes it
void copy_ordered_back(Emitter&, const Tensor&, const Ordering&, const Tensor& out);  // as it was

// The highest bit of 4 or 8 bytes turned: numbers without a sign as ones with a sign that have their order, and back.
Tensor turned(Emitter&, const Tensor&);

}  // namespace asnumpy::ascend
