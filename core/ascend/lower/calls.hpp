// What CANN calls each row: its operators as call strings, for whole arrays, along axes and with a number.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cann/operators.hpp"
#include "ops/row.hpp"

namespace asnumpy::ascend {

// The operator, then its arguments in the order of its signature. x, y, z are the row's inputs, out and out2 its outputs; dtype
// is the output's, axes and axis the reduced or scanned ones; option, n and m are the call's; numbers, true, false and null
// stand for themselves. Empty: CANN has none.
struct RowCalls {
    std::string_view elementwise{};   // "aclnnAdd x y 1 -> out"; of a structured row: the row itself
    std::string_view instead{};       // another that does the same, where CANN does not take the dtypes there
    std::string_view scalar_last{};   // where y is a number that the host knows: "aclnnAdds x y 1 -> out"
    std::string_view scalar_first{};  // where x is one: "aclnnRsubs y x 1 -> out"
    std::string_view reduce{};        // "aclnnReduceSum x axes true dtype -> out", kept axes of length 1
    std::string_view scan{};          // "aclnnCumsum x axis dtype -> out"
};
const RowCalls& calls_of(RowId);
const RowCalls& calls_of(std::string_view row);

// A call string taken apart.
struct CallString {
    std::string_view op;
    std::vector<std::string_view> arguments;
};
CallString parse_call(std::string_view);
// Those of one of CANN's operators, in order.
std::span<const cann::Parameter> parameters_of(std::string_view op);

}  // namespace asnumpy::ascend
