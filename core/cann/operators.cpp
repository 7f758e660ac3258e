// Look-up in the tables of operators.
#include "cann/operators.hpp"

#include <algorithm>

#include "cann/dtypes.hpp"

namespace asnumpy::cann {

int find_operator(std::string_view name) {
    const auto all = operators();
    const auto found = std::ranges::lower_bound(all, name, {}, [](const OperatorFacts& facts) { return std::string_view(facts.name); });
    return found != all.end() && name == found->name ? static_cast<int>(found - all.begin()) : -1;
}

bool accepts(const Parameter& parameter, DType dtype) {
    const int letter = letter_of(dtype);
    if (letter < 0) return !parameter.dtypes && acl_of_dtype(dtype) >= 0;
    return !parameter.dtypes || (parameter.dtypes >> letter & 1);
}

bool accepts(std::string_view operator_name, std::string_view parameter, DType dtype) {
    const int found = find_operator(operator_name);
    if (found < 0) return false;
    for (const Parameter& one : parameters(operators()[static_cast<std::size_t>(found)]))
        if (one.name == parameter) return accepts(one, dtype);
    return false;
}

}  // namespace asnumpy::cann
