// The passes of a compilation.
#include "compile.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include <sys/stat.h>
#include <unistd.h>

#include "cache.hpp"
#include "process.hpp"

namespace ascendc::source {
namespace {

namespace fs = std::filesystem;

// A folder that is removed with all that lies in it.
class Workplace {
public:
    explicit Workplace(const fs::path& parent) {
        static std::atomic<unsigned> next{0};
        path_ = parent / ("work-" + std::to_string(getpid()) + "-" + std::to_string(next++));
        fs::create_directories(path_);
    }
    ~Workplace() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Workplace(const Workplace&) = delete;
    Workplace& operator=(const Workplace&) = delete;
    fs::path operator/(std::string_view name) const { return path_ / name; }

private:
    fs::path path_;
};

std::string quoted_name(const std::string& name) {
    std::string result;
    for (const char c : name) result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    return result;
}

// The type by which C knows a parameter.
std::string launcher_parameter(const Parameter& parameter) { return (parameter.pointer ? "void*" : parameter.type) + " " + parameter.name; }

std::string launchers_of(const std::vector<KernelFunction>& kernels) {
    std::string text;
    for (const KernelFunction& kernel : kernels) {
        if (kernel.is_template) continue;
        text += "\nextern \"C\" __attribute__((visibility(\"default\"))) unsigned aclrtlaunch_" + kernel.name + "(unsigned ascendc_blocks, void* ascendc_stream";
        std::string values;
        for (const Parameter& parameter : kernel.parameters) {
            text += ", " + launcher_parameter(parameter);
            values += (values.empty() ? "" : ", ") + (parameter.pointer ? "static_cast<" + parameter.type + ">(" + parameter.name + ")" : parameter.name);
        }
        const std::string function = "&" + kernel.scope + kernel.name + ", " + std::to_string(static_cast<int>(kernel.kind));
        text += ") { return static_cast<unsigned>(::ascendc::launch<" + function + ">(ascendc_blocks, nullptr, ascendc_stream)(" + values + ")); }\n";
    }
    return text;
}

// The compiler's flags, the key of a compilation among them: whatever changes its result.
std::vector<std::string> flags_of(const Request& request) {
    std::vector<std::string> flags{"-std=c++17", "-O2", "-g1", "-fPIC", "-fno-strict-aliasing", "-ffp-contract=off", "-pthread", "-Wno-narrowing"};
    if (!request.portable) flags.push_back("-march=native");
    flags.insert(flags.end(), request.options.begin(), request.options.end());
    return flags;
}

// What of the machine goes into code for it alone.
std::string machine() {
    std::istringstream lines(read_text("/proc/cpuinfo"));
    std::string line;
    while (std::getline(lines, line))
        if (line.starts_with("flags") || line.starts_with("Features")) return line;
    return {};
}

std::string key_of(const Request& request, const std::vector<std::string>& command) {
    std::string all = request.include.string() + "\n" + request.name + "\n" + std::to_string(request.launchers) + std::to_string(request.object);
    for (const std::string& word : command) all += "\n" + word;
    for (const std::string& word : flags_of(request)) all += "\n" + word;
    for (const auto& [name, text] : request.headers) all += "\n" + name + "\n" + text;
    for (const std::string& instance : request.instances) all += "\n" + instance;
    for (const std::string& word : request.link) all += "\n" + word;
    if (!request.portable) all += "\n" + machine();
    const fs::path here = fs::current_path();
    return digest(all + "\n" + here.string() + "\n" + request.text);
}

void tell(const Request& request, const std::string& what) {
    if (request.progress) request.progress(what);
}

class Compilation {
public:
    Compilation(const Request& request, std::vector<std::string> command, const fs::path& folder)
        : request_(request), compiler_(std::move(command)), place_(folder) {}

    bool run() {
        for (const auto& [name, text] : request_.headers) {
            const fs::path path = place_ / ("include/" + name);
            fs::create_directories(path.parent_path());
            write_text(path, text);
        }
        const std::string around = "#include \"ascendc/launch/prelude.hpp\"\n#line 1 \"" + quoted_name(request_.name) + "\"\n" + request_.text +
                                   "\n#line 1 \"behind " + quoted_name(request_.name) + "\"\n#include \"ascendc/launch/module.hpp\"\n";
        write_text(place_ / "unit.cpp", around);
        if (!pass("VEC")) return false;
        if (!step_.needs_cube) return link("VEC", Form::whole);
        const std::vector<KernelFunction> kernels = step_.kernels;
        if (!pass("CUBE") || !link("CUBE", Form::part)) return false;
        const fs::path cube = place_ / "CUBE.so";
        write_text(place_ / "cube.s", ".section .rodata\n.globl ascendc_cube_begin\n.hidden ascendc_cube_begin\n.globl ascendc_cube_end\n"
                                      ".hidden ascendc_cube_end\n.balign 64\nascendc_cube_begin:\n.incbin \"" + cube.string() +
                                      "\"\nascendc_cube_end:\n.section .note.GNU-stack,\"\",%progbits\n");
        step_.kernels = kernels;
        return link("VEC", Form::with_cube);
    }

    fs::path library() const { return place_ / "VEC.so"; }
    std::string log;
    std::vector<std::string> files;
    const std::vector<KernelFunction>& kernels() const { return step_.kernels; }

private:
    bool call(std::vector<std::string> words) {
        std::vector<std::string> command = compiler_;
        const std::vector<std::string> flags = flags_of(request_);
        command.insert(command.end(), flags.begin(), flags.end());
        command.insert(command.end(), words.begin(), words.end());
        const Ran ran = run_program(command);
        log += ran.printed;
        return ran.status == 0;
    }
    // Preprocesses the unit and takes the source step.
    bool pass(const std::string& core) {
        tell(request_, core == "VEC" ? "preprocessing" : "preprocessing for cube cores");
        const fs::path expanded = place_ / (core + ".expanded");
        const fs::path own = fs::path(request_.name).parent_path();
        std::vector<std::string> words{"-E", "-DASCENDC_SOURCE_STEP", "-D__DAV_C220_" + core + "__=1", "-I" + (place_ / "include").string(),
                                       "-isystem", request_.include.string(), (place_ / "unit.cpp").string(), "-o", expanded.string()};
        words.insert(words.begin(), "-I" + (own.empty() ? std::string(".") : own.string()));
        // Whether there are launches is known after the first look at the text.
        if (request_.launchers || request_.text.find("<<<") != std::string::npos || launches_) words.insert(words.begin(), "-DASCENDC_LAUNCHES");
        if (!call(words)) return false;
        std::string text = read_text(expanded);
        step_ = source_step(text, request_.instances);
        if (step_.launches && !launches_ && std::find(words.begin(), words.end(), "-DASCENDC_LAUNCHES") == words.end()) {
            launches_ = true;  // in a header
            return pass(core);
        }
        launches_ |= step_.launches != 0 || request_.launchers;
        for (std::string& file : files_of(text)) files.push_back(std::move(file));
        if (request_.launchers) step_.text += launchers_of(step_.kernels);
        write_text(place_ / (core + ".ii"), step_.text);
        return true;
    }
    // What is linked: the code of cube cores, which becomes data of the rest; all there is; or the rest with it.
    enum class Form { part, whole, with_cube };
    bool link(const std::string& core, Form form) {
        tell(request_, core == "VEC" ? "compiling" : "compiling for cube cores");
        const bool object = request_.object && form != Form::part;
        std::vector<std::string> words{"-shared", "-Wl,-Bsymbolic", "-Wl,--as-needed"};
        if (object) words = {"-r", "-nostdlib"};
        if (compiler_.front().find("clang") == std::string::npos) words.push_back("-fno-gnu-unique");
        words.push_back((place_ / (core + ".ii")).string());
        if (form == Form::with_cube) words.push_back((place_ / "cube.s").string());
        if (launches_ && !object) words.insert(words.end(), request_.link.begin(), request_.link.end());
        words.insert(words.end(), {"-o", (place_ / (core + ".so")).string()});
        return call(std::move(words));
    }

    const Request& request_;
    const std::vector<std::string> compiler_;
    Workplace place_;
    Step step_;
    bool launches_ = false;
};

// Nobody else may put something there that would be run.
bool usable(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder.parent_path(), error);
    mkdir(folder.c_str(), S_IRWXU);
    struct stat found {};
    return lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && only_ours(found) && access(folder.c_str(), W_OK) == 0;
}

}  // namespace

std::vector<std::string> compiler() {
    if (const char* const named = std::getenv("CXX"); named && *named) {
        std::istringstream words(named);
        std::vector<std::string> command;
        for (std::string word; words >> word;) command.push_back(word);
        return command;
    }
    const char* const path = std::getenv("PATH");
    for (const char* const name : {"g++", "c++", "clang++"}) {
        std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin");
        for (std::string folder; std::getline(folders, folder, ':');)
            if (access((fs::path(folder) / name).c_str(), X_OK) == 0) return {(fs::path(folder) / name).string()};
    }
    return {};
}

fs::path cache_folder() {
    if (const char* const named = std::getenv("ASCENDC_CACHE"); named && *named) {
        fs::create_directories(named);
        return named;
    }
    const char* const cache = std::getenv("XDG_CACHE_HOME");
    const char* const home = std::getenv("HOME");
    if (cache && *cache && usable(fs::path(cache) / "asnumpy" / "ascendc")) return fs::path(cache) / "asnumpy" / "ascendc";
    if (home && *home && usable(fs::path(home) / ".cache" / "asnumpy" / "ascendc")) return fs::path(home) / ".cache" / "asnumpy" / "ascendc";
    const fs::path last = fs::temp_directory_path() / ("asnumpy-ascendc-" + std::to_string(getuid()));
    if (!usable(last)) throw std::runtime_error("no folder for compiled kernels can be written: set ASCENDC_CACHE to one");
    return last;
}

Compiled compile(const Request& request) {
    Compiled result;
    const std::vector<std::string> command = compiler();
    if (command.empty()) {
        result.log = "no C++ compiler was found: install g++ or clang++, or set CXX to one\n";
        return result;
    }
    const fs::path folder = cache_folder();
    const std::string key = key_of(request, command);
    if (const auto found = request.launchers ? std::nullopt : find_cached(folder, key)) {
        result.library = *found;
        result.done = result.cached = true;
        return result;
    }
    Compilation compilation(request, command, folder);
    result.done = compilation.run();
    result.log = compilation.log;
    if (!result.done) return result;
    result.kernels = compilation.kernels();
    result.library = folder / (key + ".so");
    fs::rename(compilation.library(), result.library);
    std::vector<std::string> files;
    for (std::string& file : compilation.files)
        if (fs::exists(file) && file.find("/work-") == std::string::npos) files.push_back(std::move(file));
    record_cached(folder, key, result.library, files);
    return result;
}

std::string launcher_header(const KernelFunction& kernel) {
    std::string text = "// Launches the kernel " + kernel.name + ".\n#pragma once\n\n#include <stdint.h>\n\n#ifndef ACLRT_LAUNCH_KERNEL\n"
                       "#define ACLRT_LAUNCH_KERNEL(name) aclrtlaunch_##name\n#endif\n\n#ifdef __cplusplus\nextern \"C\"\n#endif\nuint32_t aclrtlaunch_" +
                       kernel.name + "(uint32_t blocks, void* stream";
    for (const Parameter& parameter : kernel.parameters) text += ", " + launcher_parameter(parameter);
    return text + ");\n";
}

}  // namespace ascendc::source
