// Look-up in the tables of operators.
#include "cann/operators.hpp"

#include <algorithm>

#include "cann/dtypes.hpp"
#include "cann/versions.hpp"

namespace asnumpy::cann {

int find_operator(std::string_view name) {
    const auto all = operators();
    const auto found = std::ranges::lower_bound(all, name, {}, [](const OperatorFacts& facts) { return std::string_view(facts.name); });
    return found != all.end() && name == found->name ? static_cast<int>(found - all.begin()) : -1;
}

bool accepts(const Parameter& parameter, DType dtype) {
    const int letter = letter_of(dtype);
    if (letter < 0) return !parameter.dtypes && acl_of_dtype(dtype) >= 0;
    const unsigned later = version_in_use().newest ? 0 : parameter.later;
    return !parameter.dtypes || (parameter.dtypes & ~(later | parameter.doubted)) >> letter & 1;
}

bool is_on_aicpu(const OperatorFacts& facts, DType dtype) {
    const int letter = letter_of(dtype);
    return letter >= 0 && facts.aicpu >> letter & 1;
}

bool is_on_aicpu(const OperatorFacts& facts, std::span<const DType> operands) {
    const bool numbers = std::ranges::any_of(operands, [](DType d) { return d != DType::boolean; });
    return std::ranges::any_of(operands, [&](DType d) { return (!numbers || d != DType::boolean) && is_on_aicpu(facts, d); });
}

bool accepts(std::string_view operator_name, std::string_view parameter, DType dtype) {
    const int found = find_operator(operator_name);
    if (found < 0) return false;
    for (const Parameter& one : parameters(operators()[static_cast<std::size_t>(found)]))
        if (one.name == parameter) return accepts(one, dtype);
    return false;
}

bool exists(const OperatorFacts& facts) { return !facts.later || version_in_use().newest; }

Taken taken(const Parameter& parameter) {
    const bool newest = version_in_use().newest;
    const unsigned documented = newest ? parameter.dtypes : parameter.dtypes & ~unsigned{parameter.later};
    const unsigned besides = unsigned{parameter.headers} | (newest ? parameter.sources : 0u);
    return {documented | besides, besides | (documented & parameter.doubted)};
}

}  // namespace asnumpy::cann
