// Starting and ending, messages, versions.
#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

#include "aclnn/objects.hpp"
#include "api/life.hpp"
#include "api/place.hpp"
#include "base/immortal.hpp"
#include "cann/versions.hpp"
#include "runtime/absent.hpp"
#include "runtime/config.hpp"
#include "runtime/device.hpp"
#include "runtime/memory.hpp"
#include "runtime/statistics.hpp"

namespace cannsim {
namespace {

struct Life {
    std::mutex mutex;
    std::uint64_t references = 0;
    bool finalized_once = false;
    int process = getpid();
    std::size_t streams_left = 0;  // when it was finalized
};
Life& life() {
    static asnumpy::Immortal<Life> instance;
    return *instance;
}

void write(const std::string& path, const std::string& content) {
    std::FILE* const file = std::fopen(path.c_str(), "w");
    if (!file) {
        std::fprintf(stderr, "cannsim: cannot write %s\n", path.c_str());
        return;
    }
    std::fwrite(content.data(), 1, content.size(), file);
    std::fclose(file);
}

// What the process leaves: told when it ends, because many programs free after aclFinalize.
struct AtEnd {
    AtEnd() {
        life();    // notes the process, before any fork
        config();  // so that a fault may be planned for the very first call
    }
    ~AtEnd() { finish(); }
} at_end;

}  // namespace

void finish() {
    static std::atomic<bool> done{false};
    if (done.exchange(true) || life().process != getpid()) return;  // a forked child has no streams to wait for
    detail::current_function = "at the end of the process";
    for (const auto& stream : streams_of(nullptr)) stream->wait(10000);
    if (life().finalized_once) report_leaks();
    if (!config().report_path.empty()) {
        write(config().report_path, report_json());
        write(config().report_path + ".trace", timeline_json());
    }
    if (!config().trace_path.empty()) write(config().trace_path, timeline_json());
    if (!config().log_path.empty()) write(config().log_path, log_json());
    for (const auto& stream : streams_of(nullptr)) stream->stop();
}

void report_leaks() {
    for (int id = 0; id < device_count(); ++id) {
        if (is_lost(id)) continue;  // nobody can give it back
        const std::vector<Block> left = live_blocks(id);
        if (left.empty()) continue;
        std::uint64_t bytes = 0;
        for (const Block& block : left) bytes += block.size;
        note(Fault::leak, text(left.size(), " blocks with ", bytes, " bytes on device ", id, " were never freed; the first is ", describe(left.front())));
    }
    std::size_t streams = life().streams_left;
    for (const auto& stream : streams_of(nullptr)) streams += is_owed(*stream);
    if (streams) note(Fault::leak, text(streams, " streams were never destroyed"));
    if (const std::size_t events = event_count()) note(Fault::leak, text(events, " events were never destroyed"));
    if (const std::size_t captured = model_count()) note(Fault::leak, text(captured, " captured models were never destroyed"));
    const Live live = live_objects();
    if (live.tensors + live.scalars + live.arrays + live.lists + live.executors)
        note(Fault::leak, text(live.tensors, " tensors, ", live.scalars, " scalars, ", live.arrays, " arrays, ", live.lists, " lists and ", live.executors,
                               " executors were never destroyed"));
}

bool initialized() {
    const std::scoped_lock lock(life().mutex);
    return life().references > 0;
}

int absent(const char* function) {
    return failed(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, text(function, ": has no meaning in a simulator"));
}

namespace {

int finalize(std::uint64_t* left, bool at_once) {
    {
        const std::scoped_lock lock(life().mutex);
        if (!life().references) throw Refusal{ACL_ERROR_REPEAT_FINALIZE, "expected a live aclInit, got none"};
        life().references = at_once ? 0 : life().references - 1;
        if (left) *left = life().references;
        if (life().references) return 0;
        life().finalized_once = true;
    }
    for (const auto& stream : streams_of(nullptr)) {
        stream->wait(-1);
        host_knows_all(stream->order);
    }
    life().streams_left += release_everything();
    return 0;
}

}  // namespace
}  // namespace cannsim

using namespace cannsim;

namespace {

// A program that opens libascendcl.so gets this library as its filtee, which glibc (2.35 to 2.36 at least) does not enter
// into the table where unwinding looks: the first refusal would end the process. Opening it once more enters it.
[[gnu::constructor]] void enter_into_the_unwinder() {
    Dl_info here{};
    if (dladdr(reinterpret_cast<const void*>(&enter_into_the_unwinder), &here)) dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace

extern "C" {

int32_t aclInit(const char* configPath) {
    return entry("aclInit", {{"configPath", configPath}}, [&] {
        config();
        install_fault_handler();
        watch_forks();
        const std::scoped_lock lock(life().mutex);
        if (life().references++) throw Refusal{ACL_ERROR_REPEAT_INITIALIZE, "was called before in this process; the call may be ignored"};
        return 0;
    });
}
int32_t aclFinalize() {
    return entry("aclFinalize", {}, [&] { return finalize(nullptr, true); });
}
int32_t aclFinalizeReference(uint64_t* refCount) {
    return entry("aclFinalizeReference", {}, [&] { return finalize(refCount, false); });
}
int32_t aclnnInit(const char* configPath) {
    return entry("aclnnInit", {{"configPath", configPath}}, [&] { return install_fault_handler(), 0; });
}
int32_t aclnnFinalize() {
    return entry("aclnnFinalize", {}, [] { return 0; });
}

const char* aclGetRecentErrMsg() { return recent_message(); }
int32_t aclrtGetLastError(int32_t) { return last_error(true); }
int32_t aclrtPeekAtLastError(int32_t) { return last_error(false); }

int32_t aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion) {
    return entry("aclrtGetVersion", {}, [&] {
        expect_given(majorVersion, "majorVersion");
        expect_given(minorVersion, "minorVersion");
        expect_given(patchVersion, "patchVersion");
        *majorVersion = ACL_MAJOR_VERSION;
        *minorVersion = ACL_MINOR_VERSION;
        *patchVersion = ACL_PATCH_VERSION;
        return 0;
    });
}

void aclAppLog(int32_t logLevel, const char* func, const char*, uint32_t, const char* fmt, ...) {
    if (logLevel < ACL_ERROR) return;
    std::array<char, 1024> said{};
    std::va_list arguments;
    va_start(arguments, fmt);
    if (fmt) std::vsnprintf(said.data(), said.size(), fmt, arguments);
    va_end(arguments);
    std::fprintf(stderr, "aclAppLog: %s: %s\n", func ? func : "", said.data());
}

}  // extern "C"

namespace {

constexpr const char* release_name = "RC1";
std::string full_name(const KnownVersion& version) { return text(version.name, ".", release_name); }

}  // namespace

// The version that the simulator says it is.
struct aclCANNPackageVersion {
    char version[ACL_PKG_VERSION_MAX_SIZE];
    char majorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char minorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char releaseVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char patchVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char reserved[ACL_PKG_VERSION_MAX_SIZE];
};

extern "C" {

int32_t aclsysGetCANNVersion(int32_t name, aclCANNPackageVersion* version) {
    return entry("aclsysGetCANNVersion", {{"name", name}}, [&] {
        expect_given(version, "version");
        const KnownVersion& is = version_in_use();
        *version = {};
        std::strcpy(version->version, full_name(is).c_str());
        std::strcpy(version->majorVersion, std::to_string(is.major).c_str());
        std::strcpy(version->minorVersion, std::to_string(is.minor).c_str());
        std::strcpy(version->releaseVersion, release_name);
        return 0;
    });
}
int32_t aclsysGetVersionStr(char* pkgName, char* versionStr) {
    return entry("aclsysGetVersionStr", {{"pkgName", static_cast<const char*>(pkgName)}}, [&] {
        expect_given(versionStr, "versionStr");
        std::strcpy(versionStr, full_name(version_in_use()).c_str());
        return 0;
    });
}
int32_t aclsysGetVersionNum(char* pkgName, int32_t* versionNum) {
    return entry("aclsysGetVersionNum", {{"pkgName", static_cast<const char*>(pkgName)}}, [&] {
        expect_given(versionNum, "versionNum");
        *versionNum = version_in_use().major * 1000000 + version_in_use().minor * 10000;
        return 0;
    });
}

}  // extern "C"
