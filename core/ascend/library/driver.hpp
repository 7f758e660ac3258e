// The driver below CANN: which one is installed, and whether it is as new as CANN asks for.
#pragma once

#include <string>

namespace asnumpy::ascend {

struct Driver {
    std::string folder;     // empty: none is installed where one is looked for
    std::string release;    // "25.0.rc1"; empty: not known
    std::string interface;  // the version of its interface, "7.35.23"; empty: not known
};
// The driver that the system's record of installations names, else the one in the usual place, below `root`.
Driver installed_driver(const std::string& root = "");
// The oldest interface of a driver's that the parts of a toolkit ask for; empty: they do not say.
std::string required_interface(const std::string& libraries);
// Why a driver is too old, and what to do; empty where that is not known.
std::string why_too_old(const Driver&, const std::string& required);

}  // namespace asnumpy::ascend
