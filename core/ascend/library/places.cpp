// Where CANN may be.
#include "ascend/library/places.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "cann/versions.hpp"

namespace asnumpy::ascend {
namespace {

constexpr const char* vendor_library = "/op_api/lib/libcust_opapi.so";

std::string stripped(const std::string& text) {
    constexpr const char* blanks = " \t\r";
    const auto first = text.find_first_not_of(blanks);
    return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// The parts without blanks around them, and without empty ones.
std::vector<std::string> divided(const std::string& text, char by) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, by);)
        if (std::string name = stripped(part); !name.empty()) parts.push_back(std::move(name));
    return parts;
}

// The vendors of a folder in the order of their precedence.
std::vector<std::string> vendors(const std::string& folder) {
    const std::string key = "load_priority";
    std::ifstream file(folder + "/config.ini");
    for (std::string line; std::getline(file, line);) {
        const auto equals = line.find('=');
        if (equals == std::string::npos) continue;
        if (stripped(line.substr(0, equals)) == key) return divided(line.substr(equals + 1), ',');
    }
    return {};
}

}  // namespace

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value ? value : "";
}

bool exists(const std::string& path) {
    struct stat found {};
    return stat(path.c_str(), &found) == 0;
}

std::string simulator_folder(const std::string& version) {
    const auto known = std::ranges::find(cann::versions(), version, [](const cann::KnownVersion& one) { return std::string_view(one.name); });
    const std::string below = known == cann::versions().end() || known->newest ? "" : "/older";
    if (const std::string named = variable("ASNUMPY_CANNSIM_LIB"); !named.empty()) return named + below;
    Dl_info here{};
    if (!dladdr(reinterpret_cast<const void*>(&simulator_folder), &here) || !here.dli_fname) return "cannsim/lib" + below;
    const std::string path = here.dli_fname;
    const auto slash = path.rfind('/');
    return (slash == std::string::npos ? std::string(".") : path.substr(0, slash)) + "/cannsim/lib" + below;
}

std::vector<std::string> usual_toolkits() {
    std::vector<std::string> found;
    const std::string home = variable("HOME");  // where one who may not write to /usr/local has it
    for (const std::string& root : {std::string("/usr/local"), home}) {
        if (root.empty()) continue;
        for (const char* const below : {"/Ascend/cann", "/Ascend/ascend-toolkit/latest", "/Ascend/latest"})
            if (exists(root + below)) found.push_back(root + below);
    }
    return found;
}

std::string library_folder(const std::string& toolkit) {
#if defined(__aarch64__)
    const std::string machine = "aarch64-linux";
#else
    const std::string machine = "x86_64-linux";
#endif
    for (const std::string& below : {std::string(), std::string("/lib64"), "/" + machine + "/lib64", std::string("/runtime/lib64"),
                                     std::string("/latest/lib64"), std::string("/ascend-toolkit/latest/lib64"), std::string("/cann/lib64")})
        if (exists(toolkit + below + "/" + runtime_library)) return toolkit + below;
    return {};
}

std::string operators_folder(const std::string& toolkit) {
    if (const std::string named = variable("ASCEND_OPP_PATH"); !named.empty()) return exists(named) ? named : "";
    if (toolkit.empty()) return {};
    // The libraries' folder is one or two below the toolkit's.
    for (const char* const above : {"/opp", "/../opp", "/../../opp"})
        if (exists(toolkit + above)) return toolkit + above;
    return {};
}

std::string why_no_operators() {
    const std::string named = variable("ASCEND_OPP_PATH");
    return "the operators of CANN (its OPP package) were not found: " + (named.empty() ? "ASCEND_OPP_PATH is not set" : "ASCEND_OPP_PATH=" + named + " does not exist") +
           "; install Ascend-cann-kernels (from 8.5 on: Ascend-cann-ops) for the chip and source CANN's set_env.sh";
}

std::vector<std::string> vendor_libraries(const std::string& operators) {
    std::vector<std::string> found;
    const auto add = [&found](const std::string& path) {
        if (exists(path)) found.push_back(path);
    };
    for (const std::string& folder : divided(variable("ASCEND_CUSTOM_OPP_PATH"), ':')) add(folder + vendor_library);
    if (!operators.empty())
        for (const std::string& vendor : vendors(operators + "/vendors")) add(operators + "/vendors/" + vendor + vendor_library);
    return found;
}

}  // namespace asnumpy::ascend
