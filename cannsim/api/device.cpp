// Devices and contexts.
#include <bit>
#include <cstring>

#include "api/place.hpp"
#include "runtime/config.hpp"
#include "runtime/device.hpp"
#include "runtime/graph.hpp"
#include "runtime/memory.hpp"

using namespace cannsim;

namespace {

int reset(const char* function, int id, bool force) {
    return entry(function, {{"deviceId", id}}, [&] {
        Device& d = device(id);
        const std::scoped_lock lock(device_changes());
        if (!d.default_context) throw Refusal{ACL_ERROR_RT_INVALID_DEVICEID, text("device ", id, " was not set or is released already")};
        if (!force && --d.references > 0) return 0;
        release_device(d, force);
        return 0;
    });
}

// Waits for the streams of the thread's device; each one's failure is told once.
int wait_for_device(const char* function, std::int64_t timeout) {
    return entry(function, {{"timeout", timeout}}, [&] {
        Context& context = current_context();
        refuse_while_capturing(*context.device, function);
        int code = 0;
        std::string what;
        for (const auto& stream : streams_of(nullptr)) {
            if (stream->context->device != context.device) continue;
            if (!stream->wait(timeout)) throw Refusal{ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, text("stream ", stream->number, " was not done in ", timeout, " ms")};
            host_knows_all(stream->order);
            {
                const std::scoped_lock lock(stream->issuing);
                model_wait_until(stream->modelled);
            }
            if (const int error = take_error(*stream); error && !code) code = error, what = told_of(*stream);
        }
        if (code) throw Refusal{code, what};
        return 0;
    });
}

}  // namespace

extern "C" {

int32_t aclrtSetDevice(int32_t deviceId) {
    return entry("aclrtSetDevice", {{"deviceId", deviceId}}, [&] {
        Device& d = device(deviceId);
        const std::scoped_lock lock(device_changes());
        if (!d.default_context) create_context(deviceId, true);
        ++d.references;
        set_current_context(d.default_context.get());
        return 0;
    });
}
int32_t aclrtResetDevice(int32_t deviceId) { return reset("aclrtResetDevice", deviceId, false); }
int32_t aclrtResetDeviceForce(int32_t deviceId) { return reset("aclrtResetDeviceForce", deviceId, true); }

int32_t aclrtGetDevice(int32_t* deviceId) {
    return entry("aclrtGetDevice", {}, [&] {
        expect_given(deviceId, "deviceId");
        *deviceId = current_context().device->id;
        return 0;
    });
}
int32_t aclrtGetDeviceCount(uint32_t* count) {
    return entry("aclrtGetDeviceCount", {}, [&] {
        expect_given(count, "count");
        *count = static_cast<std::uint32_t>(device_count());
        if (!*count) throw Refusal{ACL_ERROR_RT_NO_DEVICE, "there is no device"};
        return 0;
    });
}
int32_t aclrtSynchronizeDevice() { return wait_for_device("aclrtSynchronizeDevice", -1); }
int32_t aclrtSynchronizeDeviceWithTimeout(int32_t timeout) { return wait_for_device("aclrtSynchronizeDeviceWithTimeout", timeout); }

int32_t aclrtCreateContext(void** context, int32_t deviceId) {
    return entry("aclrtCreateContext", {{"deviceId", deviceId}}, [&] {
        expect_given(context, "context");
        Context* const made = create_context(deviceId, false);
        set_current_context(made);
        *context = made;
        return 0;
    });
}
int32_t aclrtDestroyContext(void* context) {
    return entry("aclrtDestroyContext", {{"context", context}}, [&] {
        Context& c = context_of(context);
        if (c.is_default) throw Refusal{ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "the default context of a device is released with aclrtResetDevice"};
        destroy_context(c);
        return 0;
    });
}
int32_t aclrtSetCurrentContext(void* context) {
    return entry("aclrtSetCurrentContext", {{"context", context}}, [&] {
        expect_given(context, "context");
        set_current_context(&context_of(context));
        return 0;
    });
}
int32_t aclrtGetCurrentContext(void** context) {
    return entry("aclrtGetCurrentContext", {}, [&] {
        expect_given(context, "context");
        *context = &current_context();
        return 0;
    });
}
int32_t aclrtCtxGetCurrentDefaultStream(void** stream) {
    return entry("aclrtCtxGetCurrentDefaultStream", {}, [&] {
        expect_given(stream, "stream");
        *stream = current_context().default_stream.get();
        return 0;
    });
}
int32_t aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags, int32_t* active) {
    return entry("aclrtGetPrimaryCtxState", {{"deviceId", deviceId}}, [&] {
        Device& d = device(deviceId);
        if (flags) *flags = 0;
        if (active) *active = d.default_context ? 1 : 0;
        return 0;
    });
}
int32_t aclrtCtxSetSysParamOpt(int32_t opt, int64_t value) {
    return entry("aclrtCtxSetSysParamOpt", {{"opt", opt}, {"value", value}}, [&] { return current_context().options[opt] = value, 0; });
}
int32_t aclrtCtxGetSysParamOpt(int32_t opt, int64_t* value) {
    return entry("aclrtCtxGetSysParamOpt", {{"opt", opt}}, [&] {
        expect_given(value, "value");
        const auto& options = current_context().options;
        const auto found = options.find(opt);
        if (found == options.end()) throw Refusal{ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, text("option ", opt, " was not set")};
        *value = found->second;
        return 0;
    });
}

int32_t aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId) {
    return entry("aclrtDeviceCanAccessPeer", {{"deviceId", deviceId}, {"peerDeviceId", peerDeviceId}}, [&] {
        expect_given(canAccessPeer, "canAccessPeer");
        device(deviceId);
        device(peerDeviceId);
        *canAccessPeer = deviceId != peerDeviceId;
        return 0;
    });
}
int32_t aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags) {
    return entry("aclrtDeviceEnablePeerAccess", {{"peerDeviceId", peerDeviceId}, {"flags", flags}}, [&] {
        device(peerDeviceId);
        if (flags) throw Refusal{ACL_ERROR_INVALID_PARAM, text("flags: expected 0, got ", flags)};
        current_context().device->peers |= std::uint64_t{1} << peerDeviceId;
        return 0;
    });
}
int32_t aclrtDeviceDisablePeerAccess(int32_t peerDeviceId) {
    return entry("aclrtDeviceDisablePeerAccess", {{"peerDeviceId", peerDeviceId}}, [&] {
        device(peerDeviceId);
        current_context().device->peers &= ~(std::uint64_t{1} << peerDeviceId);
        return 0;
    });
}
int32_t aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t* status) {
    return entry("aclrtDevicePeerAccessStatus", {{"deviceId", deviceId}, {"peerDeviceId", peerDeviceId}}, [&] {
        expect_given(status, "status");
        device(peerDeviceId);
        *status = static_cast<std::int32_t>(device(deviceId).peers >> peerDeviceId & 1);
        return 0;
    });
}
int32_t aclrtQueryDeviceStatus(int32_t deviceId, int32_t* deviceStatus) {
    return entry("aclrtQueryDeviceStatus", {{"deviceId", deviceId}}, [&] {
        expect_given(deviceStatus, "deviceStatus");
        if (deviceId < 0 || deviceId >= device_count()) device(deviceId);
        *deviceStatus = is_lost(deviceId) ? ACL_RT_DEVICE_STATUS_ABNORMAL : ACL_RT_DEVICE_STATUS_NORMAL;
        return 0;
    });
}
int32_t aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout) {
    return entry("aclrtDeviceTaskAbort", {{"deviceId", deviceId}, {"timeout", timeout}}, [&] {
        Device& d = device(deviceId);
        for (const auto& stream : streams_of(nullptr))
            if (stream->context->device == &d) stream->abandon();
        return 0;
    });
}

}  // extern "C"
