// Allocation, copies and fills.
#include <cstring>

#include "api/place.hpp"
#include "runtime/device.hpp"
#include "runtime/graph.hpp"
#include "runtime/memory.hpp"
#include "runtime/statistics.hpp"

using namespace cannsim;

namespace {

int allocate(const char* function, void** address, std::size_t size, std::int32_t policy, bool padded) {
    return entry(function, {{"size", size}, {"policy", policy}}, [&] {
        expect_given(address, "devPtr");
        if (!size) throw Refusal{ACL_ERROR_INVALID_PARAM, "size: expected more than 0, got 0"};
        const int base = policy & 0xff, rest = policy & ~0xff;
        const bool known = base <= ACL_MEM_MALLOC_HUGE1G_ONLY_P2P &&
                           (rest == 0 || (base == 0 && (rest == ACL_MEM_TYPE_LOW_BAND_WIDTH || rest == ACL_MEM_TYPE_HIGH_BAND_WIDTH || rest == ACL_MEM_ACCESS_USER_SPACE_READONLY)));
        if (!known) throw Refusal{ACL_ERROR_INVALID_PARAM, text("policy: expected one value of aclrtMemMallocPolicy, got ", policy)};
        const bool gigabytes = base == ACL_MEM_MALLOC_HUGE1G_ONLY || base == ACL_MEM_MALLOC_HUGE1G_ONLY_P2P;
        *address = allocate_device(current_context().device->id, size, padded && !gigabytes);
        return 0;
    });
}

struct Copy {
    void* to;
    const void* from;
    std::size_t to_pitch, from_pitch, width, height;  // one row for plain copies
    std::size_t extent_to() const { return height ? (height - 1) * to_pitch + width : 0; }
    std::size_t extent_from() const { return height ? (height - 1) * from_pitch + width : 0; }
};

struct Route {
    bool from_device, to_device;
};

// Which sides are device memory, from the kind, checked against the addresses.
Route route(const Copy& copy, std::int32_t kind) {
    const bool from = is_device_address(copy.from), to = is_device_address(copy.to);
    Route said{};
    switch (kind) {
        case ACL_MEMCPY_HOST_TO_HOST: said = {false, false}; break;
        case ACL_MEMCPY_HOST_TO_DEVICE:
        case ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE: said = {false, true}; break;
        case ACL_MEMCPY_DEVICE_TO_HOST: said = {true, false}; break;
        case ACL_MEMCPY_DEVICE_TO_DEVICE:
        case ACL_MEMCPY_INNER_DEVICE_TO_DEVICE:
        case ACL_MEMCPY_INTER_DEVICE_TO_DEVICE: said = {true, true}; break;
        case ACL_MEMCPY_DEFAULT: said = {from, to}; break;
        default: throw Refusal{ACL_ERROR_INVALID_PARAM, text("kind: expected a value of aclrtMemcpyKind, got ", kind)};
    }
    constexpr const char* names[] = {"host memory", "device memory"};
    if (said.from_device != from)
        finding(Fault::host_pointer, text("src: expected ", names[said.from_device], " for kind ", kind, ", got ", copy.from), ACL_ERROR_INVALID_PARAM);
    if (said.to_device != to)
        finding(Fault::host_pointer, text("dst: expected ", names[said.to_device], " for kind ", kind, ", got ", static_cast<const void*>(copy.to)), ACL_ERROR_INVALID_PARAM);
    if (from) check_device_range(copy.from, copy.extent_from(), "src");
    if (to) check_device_range(copy.to, copy.extent_to(), "dst");
    for (const void* const side : {copy.from, static_cast<const void*>(copy.to)})
        if (const auto block = find_block(side); block && block->device < 0 && !block->live)
            finding(Fault::use_after_free, text(side, " lies in ", describe(*block)), ACL_ERROR_INVALID_PARAM);
    return {from, to};
}

void expect_peer_access(const Copy& copy, const Route& where) {
    if (!where.from_device || !where.to_device) return;
    const int from = find_block(copy.from)->device, to = find_block(copy.to)->device;
    if (from == to || device(from).peers >> to & 1 || device(to).peers >> from & 1) return;
    throw Refusal{ACL_ERROR_INVALID_PARAM, text("device ", from, " has no access to device ", to, "; call aclrtDeviceEnablePeerAccess first")};
}

void move(const Copy& copy) {
    const std::byte* const from = is_device_address(copy.from) ? alias(copy.from) : static_cast<const std::byte*>(copy.from);
    std::byte* const to = is_device_address(copy.to) ? alias(copy.to) : static_cast<std::byte*>(copy.to);
    for (std::size_t row = 0; row < copy.height; ++row) std::memmove(to + row * copy.to_pitch, from + row * copy.from_pitch, copy.width);
}

Cost cost_of(const Copy& copy, const Route& where) {
    const double bytes = static_cast<double>(copy.width) * static_cast<double>(copy.height);
    if (where.from_device && where.to_device) return {2 * bytes, 0, Engine::copy};
    return {bytes, 0, where.from_device || where.to_device ? Engine::link : Engine::copy};
}

void expect_room(const Copy& copy, std::size_t destination) {
    expect_given(copy.to, "dst");
    expect_given(copy.from, "src");
    if (copy.width > destination) throw Refusal{ACL_ERROR_INVALID_PARAM, text("count: expected at most destMax, ", destination, ", got ", copy.width)};
}
void expect_pitches(const Copy& copy) {
    expect_given(copy.to, "dst");
    expect_given(copy.from, "src");
    if (copy.width > copy.to_pitch || copy.width > copy.from_pitch)
        throw Refusal{ACL_ERROR_INVALID_PARAM, text("width: expected at most the pitches, ", copy.to_pitch, " and ", copy.from_pitch, ", got ", copy.width)};
}

int copy_now(const Copy& copy, std::int32_t kind, const char* function) {
    refuse_unsafe_while_capturing(function);
    if (!copy.width || !copy.height) return 0;
    const Route where = route(copy, kind);
    if (where.from_device || where.to_device) current_context();
    expect_peer_access(copy, where);
    if (where.from_device) check_host_use(copy.from, copy.extent_from(), false);
    if (where.to_device) check_host_use(copy.to, copy.extent_to(), true);
    move(copy);
    const Cost cost = cost_of(copy, where);
    model_wait_until(model_issue() + seconds(cost));
    count_copy(function, cost, where.from_device, where.to_device);
    return 0;
}

bool is_pinned(const void* address) {
    const auto block = find_block(address);
    return block && block->device < 0 && block->live;
}

int copy_later(const Copy& copy, std::int32_t kind, void* handle, const char* function) {
    if (!copy.width || !copy.height) return 0;
    if (kind == ACL_MEMCPY_HOST_TO_HOST) throw Refusal{ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "kind: a copy from host to host cannot be queued"};
    const Route where = route(copy, kind);
    expect_peer_access(copy, where);
    const std::shared_ptr<Stream> stream = stream_of(handle);
    const bool pageable = (!where.from_device && !is_pinned(copy.from)) || (!where.to_device && !is_pinned(copy.to));
    if (pageable && stream->capture.get()) refuse_unsafe_while_capturing("an asynchronous copy with pageable host memory");
    Task task;
    task.name = function;
    task.cost = cost_of(copy, where);
    if (where.from_device) task.uses.push_back({copy.from, copy.extent_from(), false, copy.width == copy.from_pitch || copy.height == 1, "src"});
    if (where.to_device) task.uses.push_back({copy.to, copy.extent_to(), true, copy.width == copy.to_pitch || copy.height == 1, "dst"});
    if (!where.to_device) task.to_host = {static_cast<std::byte*>(copy.to), copy.extent_to()};
    task.run = [copy] { return move(copy), 0; };
    stream->submit(std::move(task));
    if (pageable && !stream->capture.get()) {  // the call comes back when the host's memory is free again
        stream->wait(-1);
        host_knows_all(stream->order);
    }
    return 0;
}

void fill(void* address, std::int32_t value, std::size_t count) {
    std::byte* const to = is_device_address(address) ? alias(address) : static_cast<std::byte*>(address);
    std::memset(to, value, count);
}

// True for device memory; host memory must be the interface's own.
bool check_fill(void* address, std::size_t most, std::size_t count) {
    expect_given(address, "devPtr");
    if (count > most) throw Refusal{ACL_ERROR_INVALID_PARAM, text("count: expected at most maxCount, ", most, ", got ", count)};
    if (is_device_address(address)) {
        check_device_range(address, count, "devPtr");
        return true;
    }
    if (!is_pinned(address)) finding(Fault::host_pointer, text("devPtr: expected memory of aclrtMalloc or aclrtMallocHost, got ", static_cast<const void*>(address)));
    return false;
}

}  // namespace

extern "C" {

int32_t aclrtMalloc(void** devPtr, size_t size, int32_t policy) { return allocate("aclrtMalloc", devPtr, size, policy, true); }
int32_t aclrtMallocAlign32(void** devPtr, size_t size, int32_t policy) { return allocate("aclrtMallocAlign32", devPtr, size, policy, false); }
int32_t aclrtMallocCached(void** devPtr, size_t size, int32_t policy) { return allocate("aclrtMallocCached", devPtr, size, policy, true); }
int32_t aclrtMallocWithCfg(void** devPtr, size_t size, int32_t policy, aclrtMallocConfig*) { return allocate("aclrtMallocWithCfg", devPtr, size, policy, true); }
int32_t aclrtMallocForTaskScheduler(void** devPtr, size_t size, int32_t policy, aclrtMallocConfig*) {
    return allocate("aclrtMallocForTaskScheduler", devPtr, size, policy, true);
}
int32_t aclrtFree(void* devPtr) {
    return entry("aclrtFree", {{"devPtr", devPtr}}, [&] {
        expect_given(devPtr, "devPtr");
        return free_device(devPtr, "aclrtMalloc"), 0;
    });
}
int32_t aclrtFreeWithDevSync(void* devPtr) {
    if (const int code = aclrtSynchronizeDevice()) return code;
    return aclrtFree(devPtr);
}
int32_t aclrtMallocHost(void** hostPtr, size_t size) {
    return entry("aclrtMallocHost", {{"size", size}}, [&] {
        expect_given(hostPtr, "hostPtr");
        if (!size) throw Refusal{ACL_ERROR_INVALID_PARAM, "size: expected more than 0, got 0"};
        *hostPtr = allocate_host(size);
        return 0;
    });
}
int32_t aclrtMallocHostWithCfg(void** ptr, uint64_t size, aclrtMallocConfig*) { return aclrtMallocHost(ptr, size); }
int32_t aclrtFreeHost(void* hostPtr) {
    return entry("aclrtFreeHost", {{"hostPtr", hostPtr}}, [&] {
        expect_given(hostPtr, "hostPtr");
        return free_host(hostPtr), 0;
    });
}
int32_t aclrtFreeHostWithDevSync(void* hostPtr) {
    if (const int code = aclrtSynchronizeDevice()) return code;
    return aclrtFreeHost(hostPtr);
}
int32_t aclrtHostRegister(void* ptr, uint64_t size, int32_t type, void** devPtr) {
    return entry("aclrtHostRegister", {{"ptr", ptr}, {"size", size}, {"type", type}}, [&] {
        expect_given(ptr, "ptr");
        expect_given(devPtr, "devPtr");
        register_host(ptr, size);
        *devPtr = ptr;
        return 0;
    });
}
int32_t aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag) {
    return entry("aclrtHostRegisterV2", {{"ptr", ptr}, {"size", size}, {"flag", flag}}, [&] {
        expect_given(ptr, "ptr");
        return register_host(ptr, size), 0;
    });
}
int32_t aclrtHostUnregister(void* ptr) {
    return entry("aclrtHostUnregister", {{"ptr", ptr}}, [&] { return unregister_host(ptr), 0; });
}

int32_t aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, int32_t kind) {
    return entry("aclrtMemcpy", {{"dst", dst}, {"destMax", destMax}, {"src", src}, {"count", count}, {"kind", kind}}, [&] {
        const Copy copy{dst, src, count, count, count, 1};
        if (!count) return 0;
        expect_room(copy, destMax);
        return copy_now(copy, kind, "aclrtMemcpy");
    });
}
int32_t aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, int32_t kind, void* stream) {
    return entry("aclrtMemcpyAsync", {{"dst", dst}, {"destMax", destMax}, {"src", src}, {"count", count}, {"kind", kind}, {"stream", stream}}, [&] {
        const Copy copy{dst, src, count, count, count, 1};
        if (!count) return 0;
        expect_room(copy, destMax);
        return copy_later(copy, kind, stream, "aclrtMemcpyAsync");
    });
}
int32_t aclrtMemcpyAsyncWithCondition(void* dst, size_t destMax, const void* src, size_t count, int32_t kind, void* stream) {
    return aclrtMemcpyAsync(dst, destMax, src, count, kind, stream);
}
int32_t aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height, int32_t kind) {
    return entry("aclrtMemcpy2d", {{"dst", dst}, {"dpitch", dpitch}, {"src", src}, {"spitch", spitch}, {"width", width}, {"height", height}, {"kind", kind}}, [&] {
        const Copy copy{dst, src, dpitch, spitch, width, height};
        expect_pitches(copy);
        return copy_now(copy, kind, "aclrtMemcpy2d");
    });
}
int32_t aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height, int32_t kind, void* stream) {
    return entry("aclrtMemcpy2dAsync", {{"dst", dst}, {"src", src}, {"width", width}, {"height", height}, {"kind", kind}, {"stream", stream}}, [&] {
        const Copy copy{dst, src, dpitch, spitch, width, height};
        expect_pitches(copy);
        return copy_later(copy, kind, stream, "aclrtMemcpy2dAsync");
    });
}

int32_t aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
    return entry("aclrtMemset", {{"devPtr", devPtr}, {"maxCount", maxCount}, {"value", value}, {"count", count}}, [&] {
        refuse_unsafe_while_capturing("aclrtMemset");
        if (check_fill(devPtr, maxCount, count)) check_host_use(devPtr, count, true);
        fill(devPtr, value, count);
        model_wait_until(model_issue() + seconds({static_cast<double>(count), 0, Engine::copy}));
        return 0;
    });
}
int32_t aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, void* stream) {
    return entry("aclrtMemsetAsync", {{"devPtr", devPtr}, {"maxCount", maxCount}, {"value", value}, {"count", count}, {"stream", stream}}, [&] {
        Task task;
        task.name = "aclrtMemsetAsync";
        task.cost = {static_cast<double>(count), 0, Engine::copy};
        if (check_fill(devPtr, maxCount, count)) task.uses.push_back({devPtr, count, true, true, "devPtr"});
        task.run = [=] { return fill(devPtr, value, count), 0; };
        stream_of(stream)->submit(std::move(task));
        return 0;
    });
}
int32_t aclrtValueWrite(void* devAddr, uint64_t value, uint32_t flag, void* stream) {
    return entry("aclrtValueWrite", {{"devAddr", devAddr}, {"value", value}, {"flag", flag}, {"stream", stream}}, [&] {
        expect_given(devAddr, "devAddr");
        if (flag) throw Refusal{ACL_ERROR_INVALID_PARAM, text("flag: expected 0, got ", flag)};
        if (reinterpret_cast<std::uintptr_t>(devAddr) % sizeof value) throw Refusal{ACL_ERROR_INVALID_PARAM, text("devAddr: expected a multiple of 8, got ", devAddr)};
        check_device_range(devAddr, sizeof value, "devAddr");
        Task task;
        task.name = "aclrtValueWrite";
        task.cost = {sizeof value, 0, Engine::copy};
        task.uses.push_back({devAddr, sizeof value, true, true, "devAddr"});
        task.run = [to = alias(devAddr), value] { return std::memcpy(to, &value, sizeof value), 0; };
        stream_of(stream)->submit(std::move(task));
        return 0;
    });
}
int32_t aclrtMemFlush(void* devPtr, size_t size) {
    return entry("aclrtMemFlush", {{"devPtr", devPtr}, {"size", size}}, [&] { return check_device_range(devPtr, size, "devPtr"), 0; });
}
int32_t aclrtMemInvalidate(void* devPtr, size_t size) {
    return entry("aclrtMemInvalidate", {{"devPtr", devPtr}, {"size", size}}, [&] { return check_device_range(devPtr, size, "devPtr"), 0; });
}

int32_t aclrtGetMemInfo(int32_t attr, size_t* free, size_t* total) {
    return entry("aclrtGetMemInfo", {{"attr", attr}}, [&] {
        expect_given(free, "free");
        expect_given(total, "total");
        const int id = current_context().device->id;
        const bool ddr = attr == ACL_DDR_MEM || attr == ACL_DDR_MEM_HUGE || attr == ACL_DDR_MEM_NORMAL || attr == ACL_DDR_MEM_P2P_HUGE || attr == ACL_DDR_MEM_P2P_NORMAL;
        *total = ddr ? 0 : capacity(id);
        *free = ddr ? 0 : *total - books(id).used;
        return 0;
    });
}
int32_t aclrtMemGetAddressRange(void* ptr, void** pbase, size_t* psize) {
    return entry("aclrtMemGetAddressRange", {{"ptr", ptr}}, [&] {
        const auto block = find_block(ptr);
        if (!block || !block->live) throw Refusal{ACL_ERROR_INVALID_PARAM, text(static_cast<const void*>(ptr), " lies in no allocation")};
        if (pbase) *pbase = reinterpret_cast<void*>(block->begin);
        if (psize) *psize = block->size;
        return 0;
    });
}

}  // extern "C"

struct aclrtMemLocation {
    std::uint32_t id;
    std::int32_t type;
};
struct aclrtPtrAttributes {
    aclrtMemLocation location;
    std::uint32_t pageSize;
    std::uint32_t rsv[4];
};

extern "C" int32_t aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes) {
    return entry("aclrtPointerGetAttributes", {{"ptr", ptr}}, [&] {
        expect_given(ptr, "ptr");
        expect_given(attributes, "attributes");
        const auto block = find_block(ptr);
        const bool known = block && block->live;
        *attributes = {{known && block->device >= 0 ? static_cast<std::uint32_t>(block->device) : 0,
                        !known ? ACL_MEM_LOCATION_TYPE_UNREGISTERED : block->device >= 0 ? ACL_MEM_LOCATION_TYPE_DEVICE : ACL_MEM_LOCATION_TYPE_HOST},
                       4096, {}};
        return 0;
    });
}
