// What a program can ask about chip and device, and settings that are kept and given back.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

#include <unistd.h>

#include "api/place.hpp"
#include "base/immortal.hpp"
#include "runtime/device.hpp"
#include "runtime/memory.hpp"
#include "runtime/model.hpp"

using namespace cannsim;

struct aclrtUuid {
    char bytes[16];
};
struct aclrtUtilizationInfo {
    std::int32_t cube, vector, aicpu, memory;
    void* extend;
};
struct aclrtMemUsageInfo {
    char name[32];
    std::uint64_t current, peak;
    std::size_t reserved[8];
};

namespace {

struct Settings {
    std::mutex mutex;
    std::map<int, std::int64_t> options;
    std::int32_t saturation = ACL_RT_OVERFLOW_MODE_INFNAN;
    std::map<std::pair<int, int>, std::uint32_t> limits;  // of (device, kind of core)
    std::uint32_t execute_timeout = 0;  // ms
};
Settings& settings() {
    static asnumpy::Immortal<Settings> instance;
    return *instance;
}

std::uint32_t cores(std::int32_t kind) {
    if (kind == ACL_RT_DEV_RES_CUBE_CORE) return static_cast<std::uint32_t>(chip().cube_cores);
    if (kind == ACL_RT_DEV_RES_VECTOR_CORE) return static_cast<std::uint32_t>(chip().vector_cores);
    throw Refusal{ACL_ERROR_INVALID_PARAM, text("type: expected a value of aclrtDevResLimitType, got ", kind)};
}

int same_number(const char* function, std::int32_t from, std::int32_t* to) {
    return entry(function, {{"id", from}}, [&] {
        expect_given(to, "id");
        *to = device(from).id;
        return 0;
    });
}

int keep_timeout(const char* function, std::uint32_t milliseconds) {
    return entry(function, {{"timeout", milliseconds}}, [&] {
        const std::scoped_lock lock(settings().mutex);
        settings().execute_timeout = milliseconds;
        return 0;
    });
}

// A callback of the client's that a simulator never has a reason to call, or an advice: taken and not used.
int taken(const char* function) {
    return entry(function, {}, [] { return 0; });
}

}  // namespace

extern "C" {

const char* aclrtGetSocName() {
    const char* name = nullptr;
    entry("aclrtGetSocName", {}, [&] { return name = chip().name.data(), 0; });
    return name;
}
int32_t aclrtGetRunMode(int32_t* runMode) {
    return entry("aclrtGetRunMode", {}, [&] { return expect_given(runMode, "runMode"), *runMode = ACL_HOST, 0; });
}
int32_t aclrtGetDeviceInfo(uint32_t deviceId, int32_t attr, int64_t* value) {
    return entry("aclrtGetDeviceInfo", {{"deviceId", deviceId}, {"attr", attr}}, [&] {
        expect_given(value, "value");
        device(static_cast<int>(deviceId));
        switch (attr) {
            case ACL_DEV_ATTR_AICPU_CORE_NUM: *value = 6; break;
            case ACL_DEV_ATTR_AICORE_CORE_NUM:
            case ACL_DEV_ATTR_CUBE_CORE_NUM: *value = chip().cube_cores; break;
            case ACL_DEV_ATTR_VECTOR_CORE_NUM: *value = chip().vector_cores; break;
            case ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE: *value = 196352; break;
            case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE: *value = static_cast<std::int64_t>(capacity(static_cast<int>(deviceId))); break;
            case ACL_DEV_ATTR_L2_CACHE_SIZE: *value = static_cast<std::int64_t>(chip().l2); break;
            case ACL_DEV_ATTR_PHY_CHIP_ID: *value = deviceId; break;
            case ACL_DEV_ATTR_IS_VIRTUAL: *value = 0; break;
            default: throw Refusal{ACL_ERROR_RT_FEATURE_NOT_SUPPORT, text("attr: the model of the chip has no value for ", attr)};
        }
        return 0;
    });
}
int32_t aclGetDeviceCapability(uint32_t deviceId, int32_t deviceInfo, int64_t* value) {
    return entry("aclGetDeviceCapability", {{"deviceId", deviceId}, {"deviceInfo", deviceInfo}}, [&] {
        expect_given(value, "value");
        device(static_cast<int>(deviceId));
        switch (deviceInfo) {
            case ACL_DEVICE_INFO_AI_CORE_NUM: *value = chip().cube_cores; break;
            case ACL_DEVICE_INFO_VECTOR_CORE_NUM: *value = chip().vector_cores; break;
            case ACL_DEVICE_INFO_L2_SIZE: *value = static_cast<std::int64_t>(chip().l2); break;
            default: throw Refusal{ACL_ERROR_INVALID_PARAM, text("deviceInfo: expected a value of aclDeviceInfo, got ", deviceInfo)};
        }
        return 0;
    });
}
int32_t aclGetCannAttributeList(const int32_t** cannAttrList, size_t* num) {
    return entry("aclGetCannAttributeList", {}, [&] {
        static constexpr std::int32_t known[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16, ACL_CANN_ATTR_JIT_COMPILE};
        expect_given(cannAttrList, "cannAttrList");
        expect_given(num, "num");
        *cannAttrList = known;
        *num = std::size(known);
        return 0;
    });
}
int32_t aclGetCannAttribute(int32_t cannAttr, int32_t* value) {
    return entry("aclGetCannAttribute", {{"cannAttr", cannAttr}}, [&] {
        expect_given(value, "value");
        if (cannAttr < ACL_CANN_ATTR_INF_NAN || cannAttr > ACL_CANN_ATTR_JIT_COMPILE) throw Refusal{ACL_ERROR_INVALID_PARAM, text("cannAttr: expected a value of aclCannAttr, got ", cannAttr)};
        *value = cannAttr != ACL_CANN_ATTR_JIT_COMPILE;
        return 0;
    });
}
int32_t aclplatformGetDeviceInfo(int32_t infoType, char* value, uint32_t maxLen) {
    return entry("aclplatformGetDeviceInfo", {{"infoType", infoType}, {"maxLen", maxLen}}, [&] {
        expect_given(value, "value");
        std::string answer;
        switch (infoType) {
            case ACL_PLATFORM_AICORE_CNT:
            case ACL_PLATFORM_CUBE_CORE_CNT: answer = std::to_string(chip().cube_cores); break;
            case ACL_PLATFORM_VECTOR_CORE_CNT: answer = std::to_string(chip().vector_cores); break;
            case ACL_PLATFORM_AICORE_UB_SIZE: answer = "196608"; break;
            case ACL_PLATFORM_L2_SIZE: answer = std::to_string(chip().l2); break;
            case ACL_PLATFORM_MEMORY_SIZE: answer = std::to_string(capacity(0)); break;
            case ACL_PLATFORM_CUBE_FREQ:
            case ACL_PLATFORM_VEC_FREQ: answer = std::to_string(static_cast<int>(chip().megahertz)); break;
            case ACL_PLATFORM_L0_A_SIZE:
            case ACL_PLATFORM_L0_B_SIZE: answer = "65536"; break;
            case ACL_PLATFORM_L0_C_SIZE: answer = "131072"; break;
            case ACL_PLATFORM_L1_SIZE: answer = "524288"; break;
            case ACL_PLATFORM_SHORT_SOC_VERSION: answer = chip().short_name; break;
            case ACL_PLATFORM_SOC_VERSION: answer = chip().name; break;
            default: throw Refusal{ACL_ERROR_RT_FEATURE_NOT_SUPPORT, text("infoType: the model of the chip has no value for ", infoType)};
        }
        if (answer.size() >= maxLen) throw Refusal{ACL_ERROR_INVALID_PARAM, text("maxLen: expected more than ", answer.size(), ", got ", maxLen)};
        std::strcpy(value, answer.c_str());
        return 0;
    });
}
int32_t aclrtCheckArchCompatibility(const char* socVersion, int32_t* canCompatible) {
    return entry("aclrtCheckArchCompatibility", {{"socVersion", socVersion}}, [&] {
        expect_given(socVersion, "socVersion");
        expect_given(canCompatible, "canCompatible");
        *canCompatible = std::string_view(socVersion).starts_with("Ascend910B") ? 1 : 0;
        return 0;
    });
}

int32_t aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo* utilizationInfo) {
    return entry("aclrtGetDeviceUtilizationRate", {{"deviceId", deviceId}}, [&] {
        expect_given(utilizationInfo, "utilizationInfo");
        const int id = device(deviceId).id;
        *utilizationInfo = {0, 0, 0, static_cast<std::int32_t>(books(id).used * 100 / capacity(id)), nullptr};
        return 0;
    });
}
int32_t aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo* memUsageInfo, size_t inputNum, size_t* outputNum) {
    return entry("aclrtGetMemUsageInfo", {{"deviceId", deviceId}, {"inputNum", inputNum}}, [&] {
        expect_given(memUsageInfo, "memUsageInfo");
        expect_given(outputNum, "outputNum");
        const MemoryBooks b = books(device(deviceId).id);
        *outputNum = inputNum ? 1 : 0;
        if (inputNum) {
            *memUsageInfo = {};
            std::strcpy(memUsageInfo->name, "APP");
            memUsageInfo->current = b.used;
            memUsageInfo->peak = b.peak;
        }
        return 0;
    });
}
int32_t aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid* uuid) {
    return entry("aclrtDeviceGetUuid", {{"deviceId", deviceId}}, [&] {
        expect_given(uuid, "uuid");
        device(deviceId);
        std::snprintf(uuid->bytes, sizeof uuid->bytes, "cannsim-dev-%02d", deviceId);
        return 0;
    });
}
int32_t aclrtDeviceGetBareTgid(int32_t* pid) {
    return entry("aclrtDeviceGetBareTgid", {}, [&] { return expect_given(pid, "pid"), *pid = getpid(), 0; });
}
int32_t aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t* const logicDevId) { return same_number("aclrtGetLogicDevIdByPhyDevId", phyDevId, logicDevId); }
int32_t aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t* const phyDevId) { return same_number("aclrtGetPhyDevIdByLogicDevId", logicDevId, phyDevId); }
int32_t aclrtGetLogicDevIdByUserDevId(const int32_t userDevid, int32_t* const logicDevId) { return same_number("aclrtGetLogicDevIdByUserDevId", userDevid, logicDevId); }
int32_t aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId, int32_t* const userDevid) { return same_number("aclrtGetUserDevIdByLogicDevId", logicDevId, userDevid); }

int32_t aclrtSetDeviceResLimit(int32_t deviceId, int32_t type, uint32_t value) {
    return entry("aclrtSetDeviceResLimit", {{"deviceId", deviceId}, {"type", type}, {"value", value}}, [&] {
        const std::uint32_t most = cores(type);
        if (!value || value > most) throw Refusal{ACL_ERROR_INVALID_PARAM, text("value: expected from 1 to ", most, ", got ", value)};
        const std::scoped_lock lock(settings().mutex);
        settings().limits[{device(deviceId).id, type}] = value;
        return 0;
    });
}
int32_t aclrtGetDeviceResLimit(int32_t deviceId, int32_t type, uint32_t* value) {
    return entry("aclrtGetDeviceResLimit", {{"deviceId", deviceId}, {"type", type}}, [&] {
        expect_given(value, "value");
        const std::scoped_lock lock(settings().mutex);
        const auto found = settings().limits.find({device(deviceId).id, type});
        *value = found == settings().limits.end() ? cores(type) : found->second;
        return 0;
    });
}
int32_t aclrtResetDeviceResLimit(int32_t deviceId) {
    return entry("aclrtResetDeviceResLimit", {{"deviceId", deviceId}}, [&] {
        const std::scoped_lock lock(settings().mutex);
        std::erase_if(settings().limits, [&](const auto& one) { return one.first.first == deviceId; });
        return 0;
    });
}
int32_t aclrtGetResInCurrentThread(int32_t type, uint32_t* value) {
    return entry("aclrtGetResInCurrentThread", {{"type", type}}, [&] { return expect_given(value, "value"), *value = cores(type), 0; });
}

int32_t aclrtSetDeviceSatMode(int32_t mode) {
    return entry("aclrtSetDeviceSatMode", {{"mode", mode}}, [&] {
        if (mode != ACL_RT_OVERFLOW_MODE_SATURATION && mode != ACL_RT_OVERFLOW_MODE_INFNAN) throw Refusal{ACL_ERROR_INVALID_PARAM, text("mode: expected 0 or 1, got ", mode)};
        const std::scoped_lock lock(settings().mutex);
        settings().saturation = mode;  // kept, not obeyed: results overflow to infinity in both modes
        return 0;
    });
}
int32_t aclrtGetDeviceSatMode(int32_t* mode) {
    return entry("aclrtGetDeviceSatMode", {}, [&] {
        expect_given(mode, "mode");
        const std::scoped_lock lock(settings().mutex);
        *mode = settings().saturation;
        return 0;
    });
}
int32_t aclrtSetSysParamOpt(int32_t opt, int64_t value) {
    return entry("aclrtSetSysParamOpt", {{"opt", opt}, {"value", value}}, [&] {
        const std::scoped_lock lock(settings().mutex);
        settings().options[opt] = value;
        return 0;
    });
}
int32_t aclrtGetSysParamOpt(int32_t opt, int64_t* value) {
    return entry("aclrtGetSysParamOpt", {{"opt", opt}}, [&] {
        expect_given(value, "value");
        const std::scoped_lock lock(settings().mutex);
        const auto found = settings().options.find(opt);  // off until set: torch_npu reads one before it sets any
        *value = found == settings().options.end() ? 0 : found->second;
        return 0;
    });
}
int32_t aclrtSetOpExecuteTimeOut(uint32_t timeout) { return keep_timeout("aclrtSetOpExecuteTimeOut", timeout * 1000); }
int32_t aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout) { return keep_timeout("aclrtSetOpExecuteTimeOutWithMs", timeout); }
int32_t aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t* actualTimeout) {
    if (actualTimeout) *actualTimeout = timeout;
    return keep_timeout("aclrtSetOpExecuteTimeOutV2", static_cast<std::uint32_t>(timeout / 1000));
}
int32_t aclrtGetOpExecuteTimeout(uint32_t* const timeoutMs) {
    return entry("aclrtGetOpExecuteTimeout", {}, [&] {
        expect_given(timeoutMs, "timeoutMs");
        const std::scoped_lock lock(settings().mutex);
        *timeoutMs = settings().execute_timeout;
        return 0;
    });
}
int32_t aclrtGetOpTimeOutInterval(uint64_t* interval) {
    return entry("aclrtGetOpTimeOutInterval", {}, [&] { return expect_given(interval, "interval"), *interval = 1000, 0; });
}
int32_t aclrtSetOpWaitTimeout(uint32_t) { return taken("aclrtSetOpWaitTimeout"); }
int32_t aclrtSetTsDevice(int32_t) { return taken("aclrtSetTsDevice"); }
int32_t aclrtSetExceptionInfoCallback(void (*)(aclrtExceptionInfo*)) { return taken("aclrtSetExceptionInfoCallback"); }
int32_t aclrtRegDeviceStateCallback(const char*, void (*)(int32_t, int32_t, void*), void*) { return taken("aclrtRegDeviceStateCallback"); }
int32_t aclrtRegStreamStateCallback(const char*, void (*)(void*, int32_t, void*), void*) { return taken("aclrtRegStreamStateCallback"); }
int32_t aclrtSetDeviceTaskAbortCallback(const char*, int32_t (*)(int32_t, int32_t, uint32_t, void*), void*) { return taken("aclrtSetDeviceTaskAbortCallback"); }
int32_t aclrtCacheLastTaskOpInfo(const void* const, const size_t) { return taken("aclrtCacheLastTaskOpInfo"); }
int32_t aclrtCacheLastTaskExtendInfo(const char* const, const size_t) { return taken("aclrtCacheLastTaskExtendInfo"); }

int32_t aclrtGetThreadLastTaskId(uint32_t* taskId) {
    return entry("aclrtGetThreadLastTaskId", {}, [&] {
        expect_given(taskId, "taskId");
        *taskId = static_cast<std::uint32_t>(current_context().default_stream->order.issued);
        return 0;
    });
}
int32_t aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId, uint64_t* value) {
    return entry("aclrtGetDevicesTopo", {{"deviceId", deviceId}, {"otherDeviceId", otherDeviceId}}, [&] {
        expect_given(value, "value");
        device(static_cast<int>(deviceId));
        device(static_cast<int>(otherDeviceId));
        *value = ACL_RT_DEVS_TOPOLOGY_HCCS;
        return 0;
    });
}

}  // extern "C"
