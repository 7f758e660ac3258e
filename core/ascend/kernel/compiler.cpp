// Opening the compiler, and a compilation from its beginning to its end.
#include "ascend/kernel/compiler.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ascend/library/cann.hpp"
#include "base/error.hpp"
#include "cann/versions.hpp"

namespace asnumpy::ascend {
namespace {

constexpr const char* compiler_library = "libacl_rtc.so";
constexpr const char* kernel_architecture = "--npu-arch=dav-2201";  // of the chips that core/ascend knows
constexpr const char* none_there = "this CANN has no libacl_rtc.so, which compiles kernels at run time";
constexpr std::size_t most_said = 300;  // characters of the compiler's words

struct Compiler {
    std::int32_t (*create)(void** program, const char* source, const char* name, int headers, const char** texts, const char** names) = nullptr;
    std::int32_t (*compile)(void* program, int options, const char** texts) = nullptr;
    std::int32_t (*log_size)(void* program, std::size_t*) = nullptr;
    std::int32_t (*log)(void* program, char*) = nullptr;
    std::int32_t (*binary_size)(void* program, std::size_t*) = nullptr;
    std::int32_t (*binary)(void* program, char*) = nullptr;
    std::int32_t (*destroy)(void** program) = nullptr;
    std::string why_not;
};

// Only the one that belongs to the CANN that is loaded: binaries of another version may not load.
Compiler opened() {
    Compiler c;
    const Search& found = search();
    const std::string path = found.folder.empty() ? compiler_library : found.folder + "/" + compiler_library;
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        c.why_not = none_there;
        return c;
    }
    const auto take = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        if (!function && c.why_not.empty()) c.why_not = path + " has no " + name;
    };
    take(c.create, "aclrtcCreateProg");
    take(c.compile, "aclrtcCompileProg");
    take(c.log_size, "aclrtcGetCompileLogSize");
    take(c.log, "aclrtcGetCompileLog");
    take(c.binary_size, "aclrtcGetBinDataSize");
    take(c.binary, "aclrtcGetBinData");
    take(c.destroy, "aclrtcDestroyProg");
    const Cann& loaded = cann();
    if (!loaded.aclrtBinaryLoadFromData || !loaded.aclrtBinaryGetFunction || !loaded.aclrtBinaryUnLoad || !loaded.aclrtLaunchKernelWithHostArgs)
        c.why_not = "this CANN lacks functions that load and launch kernels";
    return c;
}

const Compiler& compiler() {
    static const Compiler& instance = *new Compiler(opened());  // for as long as the process
    return instance;
}

// The line that says what is wrong.
std::string first_error(std::string_view log) {
    std::size_t at = log.find("error");
    if (at == std::string_view::npos) at = 0;
    const std::size_t start = log.rfind('\n', at) == std::string_view::npos ? 0 : log.rfind('\n', at) + 1;
    return std::string(log.substr(start, log.find('\n', at) - start).substr(0, most_said));
}

class Compilation {
public:
    Compilation(const std::string& source, const std::string& name) : name_(name) {
        check(compiler().create(&program_, source.c_str(), name.c_str(), 0, nullptr, nullptr), "aclrtcCreateProg");
    }
    ~Compilation() {
        if (program_) compiler().destroy(&program_);
    }
    Compilation(const Compilation&) = delete;
    Compilation& operator=(const Compilation&) = delete;

    std::string binary() {
        std::array<const char*, 1> options{kernel_architecture};
        if (const int code = compiler().compile(program_, static_cast<int>(options.size()), options.data())) {
            std::size_t size = 0;
            check(compiler().log_size(program_, &size), "aclrtcGetCompileLogSize");
            std::string log(size, '\0');
            check(compiler().log(program_, log.data()), "aclrtcGetCompileLog");
            fail("aclrtcCompileProg", code, first_error(log.c_str()));
        }
        std::size_t size = 0;
        check(compiler().binary_size(program_, &size), "aclrtcGetBinDataSize");
        std::string data(size, '\0');
        check(compiler().binary(program_, data.data()), "aclrtcGetBinData");
        return data;
    }

private:
    void check(int code, const char* function) {
        if (code) fail(function, code, {});
    }
    [[noreturn]] void fail(const char* function, int code, const std::string& said) {
        throw DeviceFailure(std::string(function) + "(" + name_ + ") failed with " + code_text(code) + (said.empty() ? "" : ": ") + said, function, code, said);
    }

    const std::string& name_;
    void* program_ = nullptr;
};

}  // namespace

const std::string& why_no_kernels() {
    if (in_use()) return compiler().why_not;
    static const std::string none, older = none_there;
    return cann::version_in_use().newest ? none : older;
}

const std::string& compiler_target() {
    static const std::string text = [] {
        const Search& found = search();
        return found.version + "\n" + found.chip + "\n" + kernel_architecture + "\n" + (found.simulated ? "simulated\n" : "");
    }();
    return text;
}

const std::string& compiler_identity() {
    static const std::string text = [] {
        const Search& found = search();
        std::string all;
        for (const char* const library : {compiler_library, "libcannsim.so"}) {  // the simulator's compiler is its headers, with which it is built
            struct stat file {};
            if (stat((found.folder + "/" + library).c_str(), &file) == 0)
                all += std::to_string(file.st_size) + " " + std::to_string(file.st_mtim.tv_sec) + "." + std::to_string(file.st_mtim.tv_nsec) + "\n";
            else if (std::string_view(library) == compiler_library)
                break;
        }
        return all;
    }();
    return text;
}

std::string compile_kernel(const std::string& source, const std::string& name) {
    if (!compiler().why_not.empty()) throw DeviceFailure(name + ": " + compiler().why_not);
    return Compilation(source, name).binary();
}

}  // namespace asnumpy::ascend
