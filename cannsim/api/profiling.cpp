// The profiler: it starts and stops as CANN's does, and writes nothing, for what a simulated device did stands in the simulator's own report.
#include <memory>
#include <mutex>
#include <vector>

#include "api/place.hpp"
#include "base/immortal.hpp"
#include "runtime/device.hpp"

using namespace cannsim;

struct aclprofConfig {
    std::vector<std::uint32_t> devices;
};
struct aclprofStepInfo {
    std::uint64_t start = 0, end = 0;
};

namespace {

struct Profiler {
    std::mutex mutex;
    bool ready = false;
    const aclprofConfig* running = nullptr;
};
Profiler& profiler() {
    static asnumpy::Immortal<Profiler> instance;
    return *instance;
}
void expect_ready(const Profiler& p) {
    if (!p.ready) throw Refusal{ACL_ERROR_PROF_NOT_RUN, "expected a call after aclprofInit"};
}

}  // namespace

extern "C" {

CANN_ABI int32_t aclprofInit(const char* path, size_t length) {
    return entry("aclprofInit", {{"profilerResultPath", path}, {"length", length}}, [&] {
        expect_given(path, "profilerResultPath");
        if (!length) throw Refusal{ACL_ERROR_INVALID_PARAM, "length: expected the path's, got 0"};
        const std::scoped_lock lock(profiler().mutex);
        if (profiler().ready) throw Refusal{ACL_ERROR_PROF_ALREADY_RUN, "expected aclprofFinalize first"};
        profiler().ready = true;
        return 0;
    });
}
CANN_ABI aclprofConfig* aclprofCreateConfig(const uint32_t* devices, uint32_t count, int32_t, const void*, uint64_t) {
    return making<aclprofConfig>("aclprofCreateConfig", [&] {
        if (count) expect_given(devices, "deviceIdList");
        auto made = std::make_unique<aclprofConfig>();
        made->devices.assign(devices, devices + count);
        return made;
    });
}
CANN_ABI int32_t aclprofDestroyConfig(const aclprofConfig* config) {
    return entry("aclprofDestroyConfig", {{"profilerConfig", config}}, [&] {
        expect_given(config, "profilerConfig");
        const std::unique_ptr<const aclprofConfig> owned(config);
        return 0;
    });
}
CANN_ABI int32_t aclprofSetConfig(int32_t, const char* value, size_t) {
    return entry("aclprofSetConfig", {{"config", value}}, [&] { return expect_given(value, "config"), 0; });
}
static int32_t begin_profiling(const char* function, const aclprofConfig* config, bool start) {
    return entry(function, {{"profilerConfig", config}}, [&] {
        expect_given(config, "profilerConfig");
        const std::scoped_lock lock(profiler().mutex);
        expect_ready(profiler());
        if (profiler().running) throw Refusal{ACL_ERROR_PROF_ALREADY_RUN, "expected aclprofStop first"};
        if (start) profiler().running = config;
        return 0;
    });
}
CANN_ABI int32_t aclprofStart(const aclprofConfig* config) { return begin_profiling("aclprofStart", config, true); }
CANN_ABI int32_t aclprofWarmup(const aclprofConfig* config) { return begin_profiling("aclprofWarmup", config, false); }
CANN_ABI int32_t aclprofStop(const aclprofConfig* config) {
    return entry("aclprofStop", {{"profilerConfig", config}}, [&] {
        expect_given(config, "profilerConfig");
        const std::scoped_lock lock(profiler().mutex);
        expect_ready(profiler());
        if (profiler().running != config) throw Refusal{ACL_ERROR_PROF_NOT_RUN, "profilerConfig: expected the one with which aclprofStart was called"};
        profiler().running = nullptr;
        return 0;
    });
}
CANN_ABI int32_t aclprofFinalize() {
    return entry("aclprofFinalize", {}, [&] {
        const std::scoped_lock lock(profiler().mutex);
        expect_ready(profiler());
        profiler().ready = false;
        profiler().running = nullptr;
        return 0;
    });
}

CANN_ABI aclprofStepInfo* aclprofCreateStepInfo() { return std::make_unique<aclprofStepInfo>().release(); }
CANN_ABI void aclprofDestroyStepInfo(const aclprofStepInfo* info) { const std::unique_ptr<const aclprofStepInfo> owned(info); }
CANN_ABI int32_t aclprofGetStepTimestamp(aclprofStepInfo* info, int32_t tag, void* stream) {
    return entry("aclprofGetStepTimestamp", {{"stepInfo", info}, {"tag", tag}, {"stream", stream}}, [&] {
        expect_given(info, "stepInfo");
        if (tag != 0 && tag != 1) throw Refusal{ACL_ERROR_INVALID_PARAM, text("tag: expected 0 start or 1 end, got ", tag)};
        (tag ? info->end : info->start) = stream_of(stream)->position();
        return 0;
    });
}
CANN_ABI int32_t aclprofMarkEx(const char* message, size_t, void* stream) {
    return entry("aclprofMarkEx", {{"msg", message}, {"stream", stream}}, [&] {
        expect_given(message, "msg");
        return stream_of(stream), 0;
    });
}
CANN_ABI int32_t aclprofRegisterDeviceCallback() { return 0; }

}  // extern "C"
