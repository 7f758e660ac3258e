// Where CANN is looked for: folders of toolkits, of operators and of vendors, from variables and files.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ascend/library/driver.hpp"
#include "ascend/library/places.hpp"

using namespace asnumpy::ascend;
namespace files = std::filesystem;

namespace {

int failures = 0;

template <class T> void expect(const char* what, const T& got, const T& expected) {
    if (got == expected) return;
    std::printf("failed: %s\n", what);
    ++failures;
}

void set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

void touch(const files::path& path) {
    files::create_directories(path.parent_path());
    std::ofstream(path) << "x";
}

void write(const files::path& path, const std::string& text) {
    files::create_directories(path.parent_path());
    std::ofstream(path) << text;
}

std::string vendor(const files::path& folder) { return (folder / "op_api/lib/libcust_opapi.so").string(); }

}  // namespace

int main() {
    const files::path root = files::temp_directory_path() / ("asnumpy_places_" + std::to_string(std::rand()) + "_" + std::to_string(::getpid()));
    for (const char* const name : {"ASCEND_OPP_PATH", "ASCEND_CUSTOM_OPP_PATH"}) unsetenv(name);

    // Installed by somebody who may not write to /usr/local: the newer folder comes first.
    set("HOME", root.string());
    const std::vector<std::string> system = usual_toolkits();
    touch(root / "Ascend/ascend-toolkit/latest/lib64/libascendcl.so");
    touch(root / "Ascend/cann/lib64/libascendcl.so");
    std::vector<std::string> expected = system;
    expected.push_back((root / "Ascend/cann").string());
    expected.push_back((root / "Ascend/ascend-toolkit/latest").string());
    expect("usual_toolkits", usual_toolkits(), expected);

    const std::string toolkit = (root / "Ascend/cann").string();
    expect("library_folder of a toolkit", library_folder(toolkit), toolkit + "/lib64");
    expect("library_folder of the folder itself", library_folder(toolkit + "/lib64"), toolkit + "/lib64");
    expect("library_folder of all of Ascend's", library_folder((root / "Ascend").string()), (root / "Ascend/ascend-toolkit/latest/lib64").string());
    expect("library_folder of none", library_folder(root.string()), std::string());

    expect("operators_folder of none", operators_folder(toolkit + "/lib64"), std::string());
    expect("no operators", why_no_operators().find("ASCEND_OPP_PATH is not set; ") != std::string::npos, true);
    files::create_directories(root / "Ascend/cann/opp");
    expect("operators_folder beside the libraries", operators_folder(toolkit + "/lib64"), toolkit + "/lib64/../opp");
    set("ASCEND_OPP_PATH", (root / "absent").string());
    expect("operators_folder that is named and absent", operators_folder(toolkit + "/lib64"), std::string());
    expect("absent operators", why_no_operators().find("absent does not exist; ") != std::string::npos, true);
    const files::path operators = root / "Ascend/cann/opp";
    set("ASCEND_OPP_PATH", operators.string());
    expect("operators_folder that is named", operators_folder(""), operators.string());

    // Vendors in the order of the file; what is not installed is left out; folders that a variable names come first.
    expect("no vendors", vendor_libraries(operators.string()), std::vector<std::string>{});
    for (const char* const name : {"first", "second", "third"}) touch(vendor(operators / "vendors" / name));
    std::ofstream(operators / "vendors/config.ini") << "# of an installer\nload_priority = second, absent ,first\n";
    expected = {vendor(operators / "vendors/second"), vendor(operators / "vendors/first")};
    expect("vendors of config.ini", vendor_libraries(operators.string()), expected);
    touch(vendor(root / "mine"));
    set("ASCEND_CUSTOM_OPP_PATH", (root / "mine").string() + ":" + (root / "absent").string());
    expected.insert(expected.begin(), vendor(root / "mine"));
    expect("vendors of the variable", vendor_libraries(operators.string()), expected);
    expect("vendors without a folder", vendor_libraries(""), std::vector<std::string>{vendor(root / "mine")});

    // The driver, where the system's record says; CANN's parts ask for an interface each, the newest of which decides.
    expect("no driver", installed_driver(root.string()).folder, std::string());
    write(root / "etc/ascend_install.info", "UserName=HwHiAiUser\nDriver_Install_Path_Param=/opt/npu\n");
    write(root / "opt/npu/driver/version.info", "Version=24.1.rc1\nascendhal_version=7.35.19\naicpu_version=1.0\n");
    Driver driver = installed_driver(root.string());
    expect("release of the driver", driver.release, std::string("24.1.rc1"));
    expect("interface of the driver", driver.interface, std::string("7.35.19"));
    expect("what CANN asks for, where it does not say", required_interface(toolkit + "/lib64"), std::string());
    expect("nothing is asked for", why_too_old(driver, ""), std::string());
    write(root / "Ascend/cann/runtime/version.info", "Version=7.6.0.1.220\nrequired_driver_ascendhal_version=\"4.0.0\"\n");
    expect("what CANN asks for", required_interface(toolkit + "/lib64"), std::string("4.0.0"));
    expect("an older interface is asked for", why_too_old(driver, required_interface(toolkit + "/lib64")), std::string());
    write(root / "Ascend/cann/share/info/compiler/version.info", "required_driver_ascendhal_version=7.35.23\n");
    const std::string reason = why_too_old(driver, required_interface(toolkit + "/lib64"));
    expect("a newer interface is asked for", reason.starts_with("the driver 24.1.rc1 (" + root.string() + "/opt/npu/driver, interface 7.35.19) is older than CANN asks for (interface 7.35.23); "), true);
    write(root / "opt/npu/driver/version.info", "Version=7.35.100\nascendhal_version=7.35.100\npackage_version=26.0.rc1\n");
    driver = installed_driver(root.string());
    expect("release of a newer driver", driver.release, std::string("26.0.rc1"));
    expect("a newer driver", why_too_old(driver, required_interface(toolkit + "/lib64")), std::string());
    expect("a driver that does not say", why_too_old({"/x", "1", ""}, "7.35.23"), std::string());

    files::remove_all(root);
    std::printf(failures ? "%d failures\n" : "places: all right\n", failures);
    return failures != 0;
}
