// Refusals on demand: operators that do not take what they are documented to take.
#pragma once

#include <string>

#include "aclnn/call.hpp"

namespace cannsim {

void plan_refusal(std::string operator_name, const char* dtypes, int code);  // of its tensors in their order; null: any
void clear_refusals();
void refuse_as_planned(const Call&);  // throws Refusal

}  // namespace cannsim
