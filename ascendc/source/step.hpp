// From a kernel's preprocessed source to the unit that the host's compiler takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels.hpp"

namespace ascendc::source {

struct Step {
    std::string text;
    std::vector<KernelFunction> kernels;
    std::size_t launches = 0;  // of the form name<<<...>>>(...)
    bool needs_cube = false;   // a second pass, for cube cores
};

// `instances`: names of kernels with template arguments that launches will ask for.
Step source_step(std::string_view preprocessed, const std::vector<std::string>& instances = {});

// The name under which a launch finds what `expression` names: "scale" of "&ns::scale", "scale<float>" of "scale<float>".
std::string lowered_name(std::string_view expression);

}  // namespace ascendc::source
