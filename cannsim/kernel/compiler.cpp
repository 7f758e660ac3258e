// aclrtc*: kernels compiled at run time, with the host's compiler, and the build of whole files that tools ask for.
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "api/place.hpp"
#include "base/immortal.hpp"
#include "kernel/module.hpp"
#include "source/cache.hpp"
#include "source/compile.hpp"

using namespace cannsim;

namespace {

struct Program {
    ascendc::source::Request request;
    std::string binary, log;
    std::map<std::string, std::string> lowered;
    bool compiled = false;
};
struct Programs {
    std::mutex mutex;
    std::map<void*, std::unique_ptr<Program>> all;
};
Programs& programs() {
    static asnumpy::Immortal<Programs> instance;
    return *instance;
}

Program& program_of(void* handle) {
    const std::scoped_lock lock(programs().mutex);
    const auto found = programs().all.find(handle);
    if (found == programs().all.end()) throw Refusal{ACL_ERROR_INVALID_PARAM, text("prog: expected one of aclrtcCreateProg, got ", static_cast<const void*>(handle))};
    return *found->second;
}
Program& compiled_program(void* handle) {
    Program& program = program_of(handle);
    if (!program.compiled) throw Refusal{ACL_ERROR_FAILURE, "prog: expected one that aclrtcCompileProg compiled"};
    return program;
}

// Options of the device's compiler say nothing to the host's: which architecture, which language.
bool is_for_host(std::string_view option) {
    for (const char* const prefix : {"--npu-arch", "--npu-soc", "--cce", "-x", "--cann", "-xasc"})
        if (option.starts_with(prefix)) return false;
    return true;
}

std::vector<std::string> host_options(int count, const char* const* options) {
    std::vector<std::string> result;
    for (int i = 0; options && i < count; ++i)
        if (options[i] && is_for_host(options[i])) result.emplace_back(options[i]);
    return result;
}

std::vector<std::string> link_options() { return {"-L" + library_folder(), "-lascendcl"}; }

}  // namespace

extern "C" {

CANN_ABI int32_t aclrtcCreateProg(void** prog, const char* src, const char* name, int numHeaders, const char** headers, const char** includeNames) {
    return entry("aclrtcCreateProg", {{"name", name}, {"numHeaders", numHeaders}}, [&] {
        expect_given(prog, "prog");
        expect_given(src, "src");
        auto program = std::make_unique<Program>();
        program->request.text = src;
        program->request.name = name && *name ? name : "default_program";
        for (int i = 0; headers && includeNames && i < numHeaders; ++i) program->request.headers.emplace_back(includeNames[i], headers[i]);
        void* const handle = program.get();
        const std::scoped_lock lock(programs().mutex);
        programs().all.emplace(handle, std::move(program));
        *prog = handle;
        return 0;
    });
}
CANN_ABI int32_t aclrtcAddNameExpr(void* prog, const char* nameExpr) {
    return entry("aclrtcAddNameExpr", {{"prog", prog}, {"nameExpr", nameExpr}}, [&] {
        expect_given(nameExpr, "nameExpr");
        Program& program = program_of(prog);
        if (program.compiled) throw Refusal{ACL_ERROR_FAILURE, "nameExpr: names are added before aclrtcCompileProg"};
        program.request.instances.emplace_back(nameExpr);
        return 0;
    });
}
CANN_ABI int32_t aclrtcCompileProg(void* prog, int numOptions, const char** options) {
    return entry("aclrtcCompileProg", {{"prog", prog}, {"numOptions", numOptions}}, [&] {
        Program& program = program_of(prog);
        program.request.options = host_options(numOptions, options);
        program.request.include = kernel_headers();
        program.request.link = link_options();
        const ascendc::source::Compiled result = ascendc::source::compile(program.request);
        program.log = result.log;
        if (!result.done) throw Refusal{ACL_ERROR_FAILURE, text("the compiler refused ", program.request.name, "; aclrtcGetCompileLog has what it printed")};
        program.binary = ascendc::source::read_text(result.library);
        for (const std::string& instance : program.request.instances) program.lowered[instance] = ascendc::source::lowered_name(instance);
        program.compiled = true;
        return 0;
    });
}
CANN_ABI int32_t aclrtcGetBinDataSize(void* prog, size_t* binDataSizeRet) {
    return entry("aclrtcGetBinDataSize", {{"prog", prog}}, [&] {
        expect_given(binDataSizeRet, "binDataSizeRet");
        *binDataSizeRet = compiled_program(prog).binary.size();
        return 0;
    });
}
CANN_ABI int32_t aclrtcGetBinData(void* prog, char* binData) {
    return entry("aclrtcGetBinData", {{"prog", prog}}, [&] {
        expect_given(binData, "binData");
        const std::string& binary = compiled_program(prog).binary;
        std::memcpy(binData, binary.data(), binary.size());
        return 0;
    });
}
CANN_ABI int32_t aclrtcGetLoweredName(void* prog, const char* nameExpr, const char** loweredName) {
    return entry("aclrtcGetLoweredName", {{"prog", prog}, {"nameExpr", nameExpr}}, [&] {
        expect_given(nameExpr, "nameExpr");
        expect_given(loweredName, "loweredName");
        const Program& program = compiled_program(prog);
        const auto found = program.lowered.find(nameExpr);
        if (found == program.lowered.end()) throw Refusal{ACL_ERROR_INVALID_PARAM, text("nameExpr: expected one that aclrtcAddNameExpr got, got ", nameExpr)};
        *loweredName = found->second.c_str();
        return 0;
    });
}
CANN_ABI int32_t aclrtcGetCompileLogSize(void* prog, size_t* logSizeRet) {
    return entry("aclrtcGetCompileLogSize", {{"prog", prog}}, [&] {
        expect_given(logSizeRet, "logSizeRet");
        *logSizeRet = program_of(prog).log.size() + 1;
        return 0;
    });
}
CANN_ABI int32_t aclrtcGetCompileLog(void* prog, char* log) {
    return entry("aclrtcGetCompileLog", {{"prog", prog}}, [&] {
        expect_given(log, "log");
        const std::string& known = program_of(prog).log;
        std::memcpy(log, known.c_str(), known.size() + 1);
        return 0;
    });
}
CANN_ABI int32_t aclrtcDestroyProg(void** prog) {
    return entry("aclrtcDestroyProg", {{"prog", prog}}, [&] {
        expect_given(prog, "prog");
        program_of(*prog);
        const std::scoped_lock lock(programs().mutex);
        programs().all.erase(*prog);
        *prog = nullptr;
        return 0;
    });
}

CANN_ABI int32_t cannsim_ascendc_build(const char* source, const char* output, int32_t count, const char* const* options, void (*progress)(const char*),
                                       void (*printed)(const char*)) {
    return entry("cannsim_ascendc_build", {{"source", source}, {"output", output}}, [&] {
        expect_given(source, "source");
        expect_given(output, "output");
        namespace fs = std::filesystem;
        ascendc::source::Request request;
        request.text = ascendc::source::read_text(source);
        request.name = source;
        request.options = host_options(count, options);
        request.include = kernel_headers();
        request.link = link_options();
        request.launchers = request.portable = true;
        request.object = fs::path(output).extension() == ".o";
        if (progress) request.progress = [progress](const std::string& what) { progress(what.c_str()); };
        const ascendc::source::Compiled result = ascendc::source::compile(request);
        if (printed && !result.log.empty()) printed(result.log.c_str());
        if (!result.done) throw Refusal{ACL_ERROR_FAILURE, text("the compiler refused ", source)};
        const fs::path made(output);
        if (made.has_parent_path()) fs::create_directories(made.parent_path());
        ascendc::source::write_text(made, ascendc::source::read_text(result.library));
        if (!request.object) fs::permissions(made, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add);
        for (const ascendc::source::KernelFunction& kernel : result.kernels)
            if (!kernel.is_template) ascendc::source::write_text(made.parent_path() / ("aclrtlaunch_" + kernel.name + ".h"), launcher_header(kernel));
        return 0;
    });
}

// The source step alone, of text that needs no preprocessing: the unit, and a line a kernel. Valid until this thread asks again.
CANN_ABI const char* cannsim_ascendc_source(const char* source, const char** kernels) {
    thread_local std::string made, listed;
    entry("cannsim_ascendc_source", {}, [&] {
        expect_given(source, "source");
        const ascendc::source::Step step = ascendc::source::source_step(source);
        made = step.text;
        listed.clear();
        for (const ascendc::source::KernelFunction& kernel : step.kernels) {
            listed += text(kernel.scope, kernel.name, " ", static_cast<int>(kernel.kind), kernel.is_template ? " template" : "");
            for (const ascendc::source::Parameter& parameter : kernel.parameters) listed += text(" | ", parameter.type, " ", parameter.name);
            listed += "\n";
        }
        return 0;
    });
    if (kernels) *kernels = listed.c_str();
    return made.c_str();
}

}  // extern "C"
