// Versions of the driver and of what CANN's parts ask for, from the text files that their installations leave.
#include "ascend/library/driver.hpp"

#include <cctype>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "ascend/library/places.hpp"

namespace asnumpy::ascend {
namespace {

namespace files = std::filesystem;

constexpr const char* version_file = "version.info";

// What a line `name=value` of the file gives, without quotes; empty where there is none.
std::string value_in(const std::string& path, const std::string& name) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(name + "=")) continue;
        std::erase_if(line, [](unsigned char c) { return std::isspace(c) || c == '"'; });
        return line.substr(name.size() + 1);
    }
    return {};
}

// The numbers of the first version in a text: 7, 35, 23 of ">=7.35.23".
std::vector<int> numbers(const std::string& text) {
    std::vector<int> found;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end && !std::isdigit(static_cast<unsigned char>(*at))) ++at;
    for (int number = 0; at != end;) {
        const auto read = std::from_chars(at, end, number);
        if (read.ec != std::errc{}) break;
        found.push_back(number);
        at = read.ptr;
        if (at == end || *at != '.') break;
        ++at;
    }
    return found;
}

}  // namespace

Driver installed_driver(const std::string& root) {
    std::string folder = value_in(root + "/etc/ascend_install.info", "Driver_Install_Path_Param");
    if (folder.empty()) folder = "/usr/local/Ascend";
    const std::string version = root + folder + "/driver/" + version_file;
    if (!exists(version)) return {};
    std::string release = value_in(version, "package_version");
    if (release.empty()) release = value_in(version, "Version");
    return {root + folder + "/driver", release, value_in(version, "ascendhal_version")};
}

std::string required_interface(const std::string& libraries) {
    std::string required;
    if (libraries.empty()) return required;  // the loader found them somewhere
    // The libraries' folder is one or two below the toolkit's, whose parts have a folder each.
    for (const char* const above : {"/..", "/../..", "/../share/info", "/../../share/info"}) {
        std::error_code none;
        for (const auto& part : files::directory_iterator(libraries + above, none)) {
            std::string asked = value_in((part.path() / version_file).string(), "required_driver_ascendhal_version");
            if (numbers(asked) > numbers(required)) required = std::move(asked);
        }
    }
    return required;
}

std::string why_too_old(const Driver& driver, const std::string& required) {
    const std::vector<int> have = numbers(driver.interface), wanted = numbers(required);
    if (have.empty() || have >= wanted) return {};
    return "the driver " + driver.release + " (" + driver.folder + ", interface " + driver.interface + ") is older than CANN asks for (interface " + required +
           "); install the driver and firmware that belong to this CANN, or an older CANN";
}

}  // namespace asnumpy::ascend
