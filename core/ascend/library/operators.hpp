// CANN's operators as the libraries that are loaded have them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cann/operators.hpp"

namespace asnumpy::ascend {

using cann::OperatorFacts;

struct Operator {
    using SecondPhase = int (*)(void* workspace, std::uint64_t size, aclOpExecutor*, void* stream);
    const OperatorFacts* facts = nullptr;
    std::span<const cann::Parameter> parameters{};
    void* first = nullptr;
    SecondPhase second = nullptr;
    bool asks_for_order = false;  // of some tensor it takes none but C order
    bool repeatable = true;  // until CANN says otherwise
};
// DeviceFailure when no operator has the name, or the CANN that is loaded lacks it.
Operator& find_operator(std::string_view name);
Operator& find_operator(const OperatorFacts&);  // the same, without a look for the name
// Whether the CANN that is loaded has it; where none is loaded, by the facts.
bool has_operator(std::string_view name);

}  // namespace asnumpy::ascend
