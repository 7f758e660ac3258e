// Entry points of older or neighbouring interfaces that programs link although they reach the device through aclnn.
#include <cstring>
#include <string>

#include <time.h>

#include "api/place.hpp"
#include "runtime/absent.hpp"

using namespace cannsim;

extern "C" {

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

}  // extern "C"
