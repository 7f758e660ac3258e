// Running a program and reading what it prints.
#pragma once

#include <string>
#include <vector>

namespace ascendc::source {

struct Ran {
    int status = -1;  // 0: it ended well
    std::string printed;
};
// Both of its streams are read together.
Ran run_program(const std::vector<std::string>& command);

}  // namespace ascendc::source
