// Address ranges and the memory that is mapped into them.
#include <atomic>
#include <mutex>
#include <unordered_map>

#include "api/place.hpp"
#include "base/immortal.hpp"
#include "runtime/device.hpp"
#include "runtime/memory.hpp"

using namespace cannsim;

struct aclrtPhysicalMemProp {
    std::int32_t handleType, allocationType, memAttr;
    struct {
        std::uint32_t id;
        std::int32_t type;
    } location;
    std::uint64_t reserve;
};

namespace {

struct Physical {
    std::size_t size;
    int device;
    aclrtPhysicalMemProp properties;
    std::vector<void*> mapped;
};
struct Pieces {
    std::mutex mutex;
    std::unordered_map<void*, std::unique_ptr<Physical>> all;
};
Pieces& pieces() {
    static asnumpy::Immortal<Pieces> instance;
    return *instance;
}

Physical& physical(void* handle) {  // under the lock
    const auto found = pieces().all.find(handle);
    if (found == pieces().all.end()) throw Refusal{ACL_ERROR_INVALID_PARAM, text("handle: expected one from aclrtMallocPhysical, got ", static_cast<const void*>(handle))};
    return *found->second;
}

constexpr std::size_t granularity = std::size_t{1} << 21;

}  // namespace

extern "C" {

int32_t aclrtReserveMemAddress(void** virPtr, size_t size, size_t, void*, uint64_t) {
    return entry("aclrtReserveMemAddress", {{"size", size}}, [&] {
        expect_given(virPtr, "virPtr");
        if (!size) throw Refusal{ACL_ERROR_INVALID_PARAM, "size: expected more than 0, got 0"};
        *virPtr = reserve_range(current_context().device->id, size);
        return 0;
    });
}
int32_t aclrtReleaseMemAddress(void* virPtr) {
    return entry("aclrtReleaseMemAddress", {{"virPtr", virPtr}}, [&] { return release_range(virPtr), 0; });
}
int32_t aclrtMallocPhysical(void** handle, size_t size, const aclrtPhysicalMemProp* prop, uint64_t) {
    return entry("aclrtMallocPhysical", {{"size", size}}, [&] {
        expect_given(handle, "handle");
        expect_given(prop, "prop");
        if (!size || size % granularity) throw Refusal{ACL_ERROR_INVALID_PARAM, text("size: expected a multiple of ", granularity, ", got ", size)};
        const int id = device(static_cast<int>(prop->location.id)).id;
        take_capacity(id, size);
        auto made = std::make_unique<Physical>(Physical{size, id, *prop, {}});
        *handle = made.get();
        const std::scoped_lock lock(pieces().mutex);
        pieces().all.emplace(*handle, std::move(made));
        return 0;
    });
}
int32_t aclrtFreePhysical(void* handle) {
    return entry("aclrtFreePhysical", {{"handle", handle}}, [&] {
        const std::scoped_lock lock(pieces().mutex);
        Physical& p = physical(handle);
        if (!p.mapped.empty()) throw Refusal{ACL_ERROR_INVALID_PARAM, text("handle: its memory is still mapped at ", static_cast<const void*>(p.mapped.front()))};
        give_capacity(p.device, p.size);
        pieces().all.erase(handle);
        return 0;
    });
}
int32_t aclrtMapMem(void* virPtr, size_t size, size_t offset, void* handle, uint64_t) {
    return entry("aclrtMapMem", {{"virPtr", virPtr}, {"size", size}, {"offset", offset}, {"handle", handle}}, [&] {
        const std::scoped_lock lock(pieces().mutex);
        Physical& p = physical(handle);
        if (offset || size > p.size) throw Refusal{ACL_ERROR_INVALID_PARAM, text("size: expected at most ", p.size, " from offset 0, got ", size, " from ", offset)};
        map_block(virPtr, size, p.device);
        p.mapped.push_back(virPtr);
        return 0;
    });
}
int32_t aclrtUnmapMem(void* virPtr) {
    return entry("aclrtUnmapMem", {{"virPtr", virPtr}}, [&] {
        unmap_block(virPtr);
        const std::scoped_lock lock(pieces().mutex);
        for (auto& [handle, p] : pieces().all) std::erase(p->mapped, virPtr);
        return 0;
    });
}
int32_t aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp* prop, int32_t option, size_t* size) {
    return entry("aclrtMemGetAllocationGranularity", {{"option", option}}, [&] {
        expect_given(prop, "prop");
        expect_given(size, "granularity");
        *size = granularity;
        return 0;
    });
}
int32_t aclrtMemGetAllocationPropertiesFromHandle(void* handle, aclrtPhysicalMemProp* prop) {
    return entry("aclrtMemGetAllocationPropertiesFromHandle", {{"handle", handle}}, [&] {
        expect_given(prop, "prop");
        const std::scoped_lock lock(pieces().mutex);
        *prop = physical(handle).properties;
        return 0;
    });
}
int32_t aclrtMemRetainAllocationHandle(void* virPtr, void** handle) {
    return entry("aclrtMemRetainAllocationHandle", {{"virPtr", virPtr}}, [&] {
        expect_given(handle, "handle");
        const std::scoped_lock lock(pieces().mutex);
        for (const auto& [key, p] : pieces().all)
            for (const void* const address : p->mapped)
                if (address == virPtr) return *handle = key, 0;
        throw Refusal{ACL_ERROR_INVALID_PARAM, text("virPtr: expected a mapped address, got ", static_cast<const void*>(virPtr))};
    });
}

}  // extern "C"
