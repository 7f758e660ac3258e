// Streams and what is asked of them.
#include "api/place.hpp"
#include "runtime/device.hpp"
#include "runtime/graph.hpp"

using namespace cannsim;

struct aclrtStreamConfigHandle {
    void* workptr = nullptr;
    std::size_t workSize = 0;
    std::size_t flag = 0;
    std::uint32_t priority = 0;
};
struct aclrtStreamAttrValue {
    union {
        std::uint64_t failure_mode;
        std::uint32_t number;  // what any other attribute holds
        std::uint32_t reserved[4];
    };
};

namespace {

int make_stream(const char* function, void** stream, std::uint32_t priority, std::uint32_t flags) {
    return entry(function, {{"priority", priority}, {"flag", flags}}, [&] {
        expect_given(stream, "stream");
        *stream = create_stream(current_context(), priority, flags);
        return 0;
    });
}

int wait_for_stream(const char* function, void* handle, std::int64_t timeout) {
    return entry(function, {{"stream", handle}, {"timeout", timeout}}, [&] {
        refuse_in_callback("to wait for a stream");
        const std::shared_ptr<Stream> stream = stream_of(handle);
        if (timeout < -1) throw Refusal{ACL_ERROR_INVALID_PARAM, text("timeout: expected -1 or more, got ", timeout)};
        refuse_while_capturing(*stream, function);
        if (!stream->wait(timeout)) throw Refusal{ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, text("stream ", stream->number, " was not done in ", timeout, " ms")};
        host_knows_all(stream->order);
        {
            const std::scoped_lock lock(stream->issuing);
            model_wait_until(stream->modelled);
        }
        if (const int error = take_error(*stream)) throw Refusal{error, told_of(*stream)};
        return 0;
    });
}

void set_failure_mode(void* stream, std::uint64_t mode) {
    if (!stream) throw Refusal{ACL_ERROR_INVALID_PARAM, "stream: the default stream's failure mode cannot be set"};
    if (mode > ACL_STOP_ON_FAILURE) throw Refusal{ACL_ERROR_INVALID_PARAM, text("mode: expected 0 or 1, got ", mode)};
    stream_of(stream)->failure_mode = mode;
}

std::uint32_t& numbered_attribute(Stream& stream, int attribute) {
    switch (attribute) {
        case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK: return stream.overflow_switch;
        case ACL_STREAM_ATTR_USER_CUSTOM_TAG: return stream.custom_tag;
        case ACL_STREAM_ATTR_CACHE_OP_INFO: return stream.cache_op_info;
        case ACL_STREAM_ATTR_PRIORITY: return stream.priority;
        default: throw Refusal{ACL_ERROR_INVALID_PARAM, text("stmAttrType: expected a value of aclrtStreamAttr, got ", attribute)};
    }
}

}  // namespace

extern "C" {

int32_t aclrtCreateStream(void** stream) { return make_stream("aclrtCreateStream", stream, 0, 0); }
int32_t aclrtCreateStreamWithConfig(void** stream, uint32_t priority, uint32_t flag) { return make_stream("aclrtCreateStreamWithConfig", stream, priority, flag); }
int32_t aclrtCreateStreamV2(void** stream, const aclrtStreamConfigHandle* handle) {
    return make_stream("aclrtCreateStreamV2", stream, handle ? handle->priority : 0, handle ? static_cast<std::uint32_t>(handle->flag) : 0);
}
aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle() { return std::make_unique<aclrtStreamConfigHandle>().release(); }
int32_t aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle* handle) {
    return entry("aclrtDestroyStreamConfigHandle", {{"handle", handle}}, [&] {
        expect_given(handle, "handle");
        const std::unique_ptr<aclrtStreamConfigHandle> owned(handle);
        return 0;
    });
}
int32_t aclrtSetStreamConfigOpt(aclrtStreamConfigHandle* handle, int32_t attr, const void* attrValue, size_t valueSize) {
    return entry("aclrtSetStreamConfigOpt", {{"handle", handle}, {"attr", attr}, {"valueSize", valueSize}}, [&] {
        expect_given(handle, "handle");
        expect_given(attrValue, "attrValue");
        switch (attr) {
            case ACL_RT_STREAM_WORK_ADDR_PTR: handle->workptr = *static_cast<void* const*>(attrValue); break;
            case ACL_RT_STREAM_WORK_SIZE: handle->workSize = *static_cast<const std::size_t*>(attrValue); break;
            case ACL_RT_STREAM_FLAG: handle->flag = *static_cast<const std::size_t*>(attrValue); break;
            case ACL_RT_STREAM_PRIORITY: handle->priority = *static_cast<const std::uint32_t*>(attrValue); break;
            default: throw Refusal{ACL_ERROR_INVALID_PARAM, text("attr: expected a value of aclrtStreamConfigAttr, got ", attr)};
        }
        return 0;
    });
}
int32_t aclrtDestroyStream(void* stream) {
    return entry("aclrtDestroyStream", {{"stream", stream}}, [&] { return destroy_stream(stream, false), 0; });
}
int32_t aclrtDestroyStreamForce(void* stream) {
    return entry("aclrtDestroyStreamForce", {{"stream", stream}}, [&] { return destroy_stream(stream, true), 0; });
}
int32_t aclrtSynchronizeStream(void* stream) { return wait_for_stream("aclrtSynchronizeStream", stream, -1); }
int32_t aclrtSynchronizeStreamWithTimeout(void* stream, int32_t timeout) { return wait_for_stream("aclrtSynchronizeStreamWithTimeout", stream, timeout); }

int32_t aclrtStreamQuery(void* stream, int32_t* status) {
    return entry("aclrtStreamQuery", {{"stream", stream}}, [&] {
        expect_given(status, "status");
        const std::shared_ptr<Stream> s = stream_of(stream);
        refuse_while_capturing(*s, "aclrtStreamQuery");
        *status = s->idle() ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
        if (s->idle()) host_knows_all(s->order);
        return 0;
    });
}
int32_t aclrtStreamAbort(void* stream) {
    return entry("aclrtStreamAbort", {{"stream", stream}}, [&] { return stream_of(stream)->abandon(), 0; });
}
int32_t aclrtStreamStop(void* stream) {
    return entry("aclrtStreamStop", {{"stream", stream}}, [&] { return stream_of(stream)->abandon(), 0; });
}
int32_t aclrtStreamGetId(void* stream, int32_t* streamId) {
    return entry("aclrtStreamGetId", {{"stream", stream}}, [&] {
        expect_given(streamId, "streamId");
        *streamId = static_cast<std::int32_t>(stream_of(stream)->number);
        return 0;
    });
}
int32_t aclrtStreamGetPriority(void* stream, uint32_t* priority) {
    return entry("aclrtStreamGetPriority", {{"stream", stream}}, [&] {
        expect_given(priority, "priority");
        *priority = stream_of(stream)->priority;
        return 0;
    });
}
int32_t aclrtStreamGetFlags(void* stream, uint32_t* flags) {
    return entry("aclrtStreamGetFlags", {{"stream", stream}}, [&] {
        expect_given(flags, "flags");
        *flags = stream_of(stream)->flags;
        return 0;
    });
}
int32_t aclrtSetStreamFailureMode(void* stream, uint64_t mode) {
    return entry("aclrtSetStreamFailureMode", {{"stream", stream}, {"mode", mode}}, [&] { return set_failure_mode(stream, mode), 0; });
}
int32_t aclrtSetStreamAttribute(void* stream, int32_t stmAttrType, aclrtStreamAttrValue* value) {
    return entry("aclrtSetStreamAttribute", {{"stream", stream}, {"stmAttrType", stmAttrType}}, [&] {
        expect_given(value, "value");
        if (stmAttrType == ACL_STREAM_ATTR_FAILURE_MODE) set_failure_mode(stream, value->failure_mode);
        else numbered_attribute(*stream_of(stream), stmAttrType) = value->number;
        return 0;
    });
}
int32_t aclrtGetStreamAttribute(void* stream, int32_t stmAttrType, aclrtStreamAttrValue* value) {
    return entry("aclrtGetStreamAttribute", {{"stream", stream}, {"stmAttrType", stmAttrType}}, [&] {
        expect_given(value, "value");
        const std::shared_ptr<Stream> s = stream_of(stream);
        if (stmAttrType == ACL_STREAM_ATTR_FAILURE_MODE) value->failure_mode = s->failure_mode;
        else value->number = numbered_attribute(*s, stmAttrType);
        return 0;
    });
}
int32_t aclrtSetStreamOverflowSwitch(void* stream, uint32_t flag) {
    return entry("aclrtSetStreamOverflowSwitch", {{"stream", stream}, {"flag", flag}}, [&] { return stream_of(stream)->overflow_switch = flag, 0; });
}
int32_t aclrtGetStreamOverflowSwitch(void* stream, uint32_t* flag) {
    return entry("aclrtGetStreamOverflowSwitch", {{"stream", stream}}, [&] {
        expect_given(flag, "flag");
        *flag = stream_of(stream)->overflow_switch;
        return 0;
    });
}
int32_t aclrtGetStreamAvailableNum(uint32_t* streamCount) {
    return entry("aclrtGetStreamAvailableNum", {}, [&] {
        expect_given(streamCount, "streamCount");
        constexpr std::size_t most = 1984;
        *streamCount = static_cast<std::uint32_t>(most - stream_count(current_context().device->id));
        return 0;
    });
}
int32_t aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority, int32_t* greatestPriority) {
    return entry("aclrtDeviceGetStreamPriorityRange", {}, [&] {
        if (leastPriority) *leastPriority = 7;
        if (greatestPriority) *greatestPriority = 0;
        return 0;
    });
}

}  // extern "C"
