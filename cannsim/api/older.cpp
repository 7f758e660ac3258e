// Entry points of older or neighbouring interfaces that programs link although they reach the device through aclnn.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <time.h>

#include "api/place.hpp"
#include "runtime/absent.hpp"

using namespace cannsim;

// The descriptions of the single-operator interface: kept whole, so that a program can make and ask them; only running such an
// operator is refused.
struct aclTensorDesc {
    std::int32_t dtype, format;
    std::vector<std::int64_t> dims;
    std::string name;
};
struct aclDataBuffer {
    void* data;
    std::size_t size;
};
struct aclopAttr {
    std::vector<std::string> names;
};

namespace {

template <class T> void destroy(const T* object) { const std::unique_ptr<const T> owned(object); }

int attribute(aclopAttr* attr, const char* name) {
    return entry("aclopSetAttr", {{"name", name}}, [&] {
        expect_given(attr, "attr");
        expect_given(name, "attrName");
        return attr->names.emplace_back(name), 0;
    });
}

}  // namespace

extern "C" {

CANN_ABI aclTensorDesc* aclCreateTensorDesc(int32_t dataType, int numDims, const int64_t* dims, int32_t format) {
    if (numDims < 0 || (numDims && !dims)) return nullptr;
    return std::make_unique<aclTensorDesc>(aclTensorDesc{dataType, format, {dims, dims + numDims}, {}}).release();
}
CANN_ABI void aclDestroyTensorDesc(const aclTensorDesc* desc) { destroy(desc); }
CANN_ABI void aclSetTensorDescName(aclTensorDesc* desc, const char* name) {
    if (desc && name) desc->name = name;
}
CANN_ABI int32_t aclSetTensorFormat(aclTensorDesc* desc, int32_t format) { return desc ? (desc->format = format, 0) : ACL_ERROR_INVALID_PARAM; }
CANN_ABI int32_t aclSetTensorShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
    return desc && (dims || !numDims) ? (desc->dims.assign(dims, dims + numDims), 0) : ACL_ERROR_INVALID_PARAM;
}
CANN_ABI int32_t aclSetTensorPlaceMent(aclTensorDesc* desc, int32_t) { return desc ? 0 : ACL_ERROR_INVALID_PARAM; }
CANN_ABI int32_t aclGetTensorDescType(const aclTensorDesc* desc) { return desc ? desc->dtype : ACL_DT_UNDEFINED; }
CANN_ABI int32_t aclGetTensorDescFormat(const aclTensorDesc* desc) { return desc ? desc->format : ACL_FORMAT_UNDEFINED; }
CANN_ABI size_t aclGetTensorDescNumDims(const aclTensorDesc* desc) { return desc ? desc->dims.size() : 0; }
CANN_ABI int32_t aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dimSize) {
    return desc && dimSize && index < desc->dims.size() ? (*dimSize = desc->dims[index], 0) : ACL_ERROR_INVALID_PARAM;
}

CANN_ABI aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) { return std::make_unique<aclDataBuffer>(aclDataBuffer{data, size}).release(); }
CANN_ABI int32_t aclDestroyDataBuffer(const aclDataBuffer* buffer) { return destroy(buffer), 0; }
CANN_ABI void* aclGetDataBufferAddr(const aclDataBuffer* buffer) { return buffer ? buffer->data : nullptr; }
CANN_ABI size_t aclGetDataBufferSizeV2(const aclDataBuffer* buffer) { return buffer ? buffer->size : 0; }

CANN_ABI aclopAttr* aclopCreateAttr() { return std::make_unique<aclopAttr>().release(); }
CANN_ABI void aclopDestroyAttr(const aclopAttr* attr) { destroy(attr); }
CANN_ABI int32_t aclopSetAttrBool(aclopAttr* attr, const char* name, uint8_t) { return attribute(attr, name); }
CANN_ABI int32_t aclopSetAttrInt(aclopAttr* attr, const char* name, int64_t) { return attribute(attr, name); }
CANN_ABI int32_t aclopSetAttrFloat(aclopAttr* attr, const char* name, float) { return attribute(attr, name); }
CANN_ABI int32_t aclopSetAttrString(aclopAttr* attr, const char* name, const char*) { return attribute(attr, name); }
CANN_ABI int32_t aclopSetAttrDataType(aclopAttr* attr, const char* name, int32_t) { return attribute(attr, name); }
CANN_ABI int32_t aclopSetAttrListBool(aclopAttr* attr, const char* name, int, const uint8_t*) { return attribute(attr, name); }
CANN_ABI int32_t aclopSetAttrListInt(aclopAttr* attr, const char* name, int, const int64_t*) { return attribute(attr, name); }
CANN_ABI int32_t aclopSetAttrListFloat(aclopAttr* attr, const char* name, int, const float*) { return attribute(attr, name); }
CANN_ABI int32_t aclopSetAttrListListInt(aclopAttr* attr, const char* name, int, const int*, const int64_t* const*) { return attribute(attr, name); }
// Old programs fall back to this where an aclnn function is missing: a success would mean that garbage is computed with.
CANN_ABI int32_t aclopCompileAndExecute(const char* opType, int, const aclTensorDesc* const*, const aclDataBuffer* const*, int, const aclTensorDesc* const*,
                                           aclDataBuffer* const*, const aclopAttr*, int32_t, int32_t, const char*, void*) {
    return failed(ACL_ERROR_OP_NOT_FOUND, text("aclopCompileAndExecute: the single-operator interface is not simulated (", opType ? opType : "no name", ")"));
}
CANN_ABI int32_t aclopCompileAndExecuteV2(const char* opType, int, aclTensorDesc**, aclDataBuffer**, int, aclTensorDesc**, aclDataBuffer**, aclopAttr*, int32_t, int32_t,
                                             const char*, void*) {
    return failed(ACL_ERROR_OP_NOT_FOUND, text("aclopCompileAndExecuteV2: the single-operator interface is not simulated (", opType ? opType : "no name", ")"));
}
CANN_ABI int32_t aclSetCompileopt(int32_t, const char*) { return 0; }
CANN_ABI size_t aclGetCompileoptSize(int32_t) { return std::strlen("disable") + 1; }
CANN_ABI int32_t aclGetCompileopt(int32_t, char* value, size_t length) {
    if (!value || length < std::strlen("disable") + 1) return failed(ACL_ERROR_INVALID_PARAM, text("aclGetCompileopt: expected room for 8 characters, got ", length));
    std::strcpy(value, "disable");
    return 0;
}
CANN_ABI int32_t aclmdlInitDump() { return 0; }
CANN_ABI int32_t aclmdlSetDump(const char*) { return 0; }
CANN_ABI int32_t aclmdlFinalizeDump() { return 0; }

CANN_ABI int32_t rtDevBinaryRegister(const void*, void**) { return absent("rtDevBinaryRegister"); }
CANN_ABI int32_t rtFunctionRegister(void*, const void*, const char*, const void*, uint32_t) { return absent("rtFunctionRegister"); }
CANN_ABI int32_t rtGetC2cCtrlAddr(uint64_t*, uint32_t*) { return absent("rtGetC2cCtrlAddr"); }
CANN_ABI int32_t rtKernelLaunch(const void*, uint32_t, void*, uint32_t, void*, void*) { return absent("rtKernelLaunch"); }

CANN_ABI uint64_t MsprofGetHashId(const char* text, size_t length) { return std::hash<std::string_view>{}(text ? std::string_view(text, length) : std::string_view()); }
CANN_ABI int32_t MsprofRegisterCallback(uint32_t, void*) { return 0; }
CANN_ABI int32_t MsprofReportAdditionalInfo(uint32_t, const void*, uint32_t) { return 0; }
CANN_ABI int32_t MsprofReportApi(uint32_t, const void*) { return 0; }
CANN_ABI int32_t MsprofReportCompactInfo(uint32_t, const void*, uint32_t) { return 0; }
CANN_ABI uint64_t MsprofSysCycleTime() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
}
CANN_ABI int32_t HcclSetConfig(int32_t, int64_t) { return 0; }

}  // extern "C"
