// Where the documentation explains what users meet most often: the one place for links in errors and warnings.
#pragma once

#include <string>

namespace asnumpy {

enum class Explained { host_work, implicit_copy, missing_cann, refused_operator, traced_value };

// A page and its heading, as GitHub and the site name it.
constexpr const char* heading(Explained what) {
    switch (what) {
        case Explained::host_work: return "docs/devices.md#what-the-device-does-not-compute";
        case Explained::implicit_copy: return "docs/devices.md#to-and-from-the-host";
        case Explained::missing_cann: return "docs/devices.md#when-something-goes-wrong";
        case Explained::refused_operator: return "docs/devices.md#versions-of-cann";
        case Explained::traced_value: return "docs/jit.md#what-a-function-may-do";
    }
    return "docs/index.md";
}

// What a message ends with.
inline std::string see(Explained what) { return std::string("; see ") + heading(what); }

}  // namespace asnumpy
