// What an operator is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/dtype.hpp"
#include "device/backend.hpp"

namespace asnumpy::ascend {

inline constexpr int most_axes = 8;  // of an operator's tensor

// A tensor whose axes mean something to the operator: one of CANN's formats beside ND.
struct Formatted {
    Tensor tensor;
    std::int32_t format;
};

// An argument of an aclnn operator, in its signature's order, workspace and executor left out. A tensor is a device
// address of element (0, ..., 0) that is a multiple of its dtype's alignment, with at most most_axes axes and byte strides that
// are multiples of the item size and not negative. nullptr: an optional parameter that is not given.
using Argument = std::variant<std::nullptr_t, Tensor, std::vector<Tensor>, Scalar, std::vector<Scalar>, std::int64_t, double, bool,
                              Dims, std::vector<double>, std::vector<bool>, DType, std::string, Formatted>;

}  // namespace asnumpy::ascend
