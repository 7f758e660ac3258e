// CANN, loaded at first use: where it was looked for, its functions by name, its codes as exceptions, its end.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cann/abi.hpp"

namespace asnumpy::ascend {

// The functions that this folder calls, by the library's kind. Those that not every version has may be null.
#define ASNUMPY_CANN_REQUIRED(each)                                                                                                \
    each(aclInit) each(aclFinalize) each(aclGetRecentErrMsg) each(aclrtGetDeviceCount) each(aclrtSetDevice) each(aclrtResetDevice) \
    each(aclrtGetCurrentContext) each(aclrtSetCurrentContext) each(aclrtGetSocName) each(aclrtMalloc) each(aclrtFree)              \
    each(aclrtMallocHost) each(aclrtFreeHost) each(aclrtMemcpyAsync) each(aclrtGetMemInfo) each(aclrtCreateStream)                 \
    each(aclrtDestroyStream) each(aclrtSynchronizeStream) each(aclrtDestroyEvent) each(aclrtRecordEvent)                           \
    each(aclrtStreamWaitEvent) each(aclrtSynchronizeEvent) each(aclrtQueryEventStatus) each(aclrtEventElapsedTime)                 \
    each(aclrtCreateEventWithFlag) each(aclrtDeviceCanAccessPeer) each(aclrtDeviceEnablePeerAccess) each(aclCreateTensor)          \
    each(aclDestroyTensor) each(aclCreateScalar) each(aclDestroyScalar) each(aclCreateIntArray) each(aclDestroyIntArray)           \
    each(aclCreateFloatArray) each(aclDestroyFloatArray) each(aclCreateBoolArray) each(aclDestroyBoolArray)                        \
    each(aclCreateTensorList) each(aclDestroyTensorList) each(aclCreateScalarList) each(aclDestroyScalarList)
#define ASNUMPY_CANN_OPTIONAL(each)                                                                                                \
    each(aclrtCreateStreamWithConfig) each(aclrtCreateEventExWithFlag) each(aclrtStreamQuery) each(aclsysGetCANNVersion)           \
    each(aclrtGetVersion)                                                                                                          \
    each(aclSetAclOpExecutorRepeatable) each(aclDestroyAclOpExecutor) each(aclSetTensorAddr) each(AclSetTensorAddr)                \
    each(aclSetDynamicTensorAddr) each(aclmdlRICaptureBegin) each(aclmdlRICaptureEnd) each(aclmdlRIExecuteAsync)                   \
    each(aclmdlRIDestroy) each(aclFinalizeReference) each(aclrtSynchronizeStreamWithTimeout)                                           \
    each(aclrtSynchronizeEventWithTimeout) each(aclrtSetOpExecuteTimeOut) each(aclrtCtxSetSysParamOpt)                             \
    each(aclrtBinaryLoadFromData) each(aclrtBinaryGetFunction) each(aclrtBinaryUnLoad) each(aclrtLaunchKernelWithHostArgs)       \
    each(aclrtGetDeviceInfo)

struct Cann {
#define ASNUMPY_CANN_MEMBER(name) decltype(&::name) name = nullptr;
    ASNUMPY_CANN_REQUIRED(ASNUMPY_CANN_MEMBER)
    ASNUMPY_CANN_OPTIONAL(ASNUMPY_CANN_MEMBER)
#undef ASNUMPY_CANN_MEMBER
    // A function of any of its libraries, of a vendor's operators first; null where there is none of that name.
    void* find(const char* name) const;
};

// What was looked for and what was found.
struct Search {
    std::string asked;                       // the value of ASNUMPY_CANN, empty when it is not set
    std::vector<std::pair<std::string, std::string>> tried;  // a place and what came of it, in order
    std::string folder;                      // of the libraries that are used; empty: the loader's own path, or none
    bool loaded = false;
    bool simulated = false;
    std::vector<std::pair<std::string, std::string>> libraries;  // what the loader was given and what came of it; vendors' last
    std::string operators;                   // the folder of the operators' files; empty: none was found, or it is the simulator
    std::vector<std::string> doubts;         // what is likely to fail later, and what to do
    std::string version, chip;               // as CANN says; empty: not known
    std::string facts;                       // the version whose facts are in use, and how sure they are
    int devices = 0;
    std::vector<std::string> missing;        // functions that every supported version has and this one lacks
    std::vector<std::string> absent;         // functions of other versions, whose work is then done in another way
    std::string failure;                     // why there is no device, and what to do; empty: there is one
};

// Loads and starts CANN at the first call of any of these.
const Search& search();
const Cann& cann();                          // DeviceFailure with the failure
int device_count();                          // 0 where there is no CANN, or no device
bool wanted();                               // whether there is a CANN, or somebody has named one
bool in_use();                               // whether CANN was loaded and has devices; loads nothing
std::string why_not();                       // empty when there is a device

// "ACL_ERROR_RT_MEMORY_ALLOCATION (207001)"
std::string code_text(int code);
// DeviceFailure: `what` begins with the function's name and goes on with its arguments; CANN's own message follows.
[[noreturn]] void fail(const std::string& what, int code);
inline void check(int code, const char* function) {
    if (code) [[unlikely]] fail(function, code);
}

// What is to be called when CANN has started, on whichever thread that is: who embeds the core sees there to it that shut_down() is
// called while libraries still work, which they do no more when static objects are destroyed. To be set before the first use.
void on_start(void (*action)());
// Something to do before CANN ends, while all of it still works; the last registered is done first.
void at_end(void (*)());
// Ends CANN: waits for its work, gives back what was taken; afterwards every call fails.
void shut_down() noexcept;
bool ended();                                // after shut_down, and in a child of fork

}  // namespace asnumpy::ascend
