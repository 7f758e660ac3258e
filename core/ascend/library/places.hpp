// Where CANN may be: folders of toolkits and libraries of operators, in the order in which other programs for CANN look.
#pragma once

#include <string>
#include <vector>

namespace asnumpy::ascend {

constexpr const char* runtime_library = "libascendcl.so";

// A variable's value; empty where it is not set.
std::string variable(const char* name);
bool exists(const std::string& path);

// The folder of the simulator: beside the module that this code is part of, unless a variable names another. That of a version of
// CANN's (empty: the newest) which lacks functions is below it.
std::string simulator_folder(const std::string& version);
// Folders in which a toolkit is usually installed and one is.
std::vector<std::string> usual_toolkits();
// The folder of a toolkit, or one below it, that has the libraries; empty: none has.
std::string library_folder(const std::string& toolkit);
// The folder of the operators' files (the OPP package) of a toolkit; empty: there is none.
std::string operators_folder(const std::string& toolkit);
// Libraries of operators that somebody has installed beside CANN's own, the first that has an operator has it: those of
// ASCEND_CUSTOM_OPP_PATH, then those that vendors/config.ini of the operators' folder names.
std::vector<std::string> vendor_libraries(const std::string& operators);
// Why the operators of a toolkit that has no folder for them will fail, and what to do.
std::string why_no_operators();

}  // namespace asnumpy::ascend
