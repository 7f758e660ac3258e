// Communication between devices: there is none, and each function says so under its own name.
#include "runtime/report.hpp"

using namespace cannsim;

namespace {

constexpr std::int32_t not_supported = 5;  // HCCL_E_NOT_SUPPORT

int32_t collective(const char* function) {
    failed(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, text(function, ": communication between devices is not simulated"));
    return not_supported;
}

}  // namespace

extern "C" {

CANN_ABI int32_t HcclSetConfig(int32_t, int64_t) { return 0; }
CANN_ABI int32_t HcclGetRootInfo(void*) { return collective("HcclGetRootInfo"); }
CANN_ABI int32_t HcclCommInitAll(uint32_t, int32_t*, void**) { return collective("HcclCommInitAll"); }
CANN_ABI int32_t HcclCommInitClusterInfo(const char*, uint32_t, void**) { return collective("HcclCommInitClusterInfo"); }
CANN_ABI int32_t HcclCommInitClusterInfoConfig(const char*, uint32_t, void*, void**) { return collective("HcclCommInitClusterInfoConfig"); }
CANN_ABI int32_t HcclCommInitRootInfo(uint32_t, const void*, uint32_t, void**) { return collective("HcclCommInitRootInfo"); }
CANN_ABI int32_t HcclCommInitRootInfoConfig(uint32_t, const void*, uint32_t, const void*, void**) { return collective("HcclCommInitRootInfoConfig"); }
CANN_ABI int32_t HcclCreateSubCommConfig(void**, uint32_t, uint32_t*, uint64_t, uint32_t, void*, void**) { return collective("HcclCreateSubCommConfig"); }
CANN_ABI int32_t HcclCommDestroy(void*) { return collective("HcclCommDestroy"); }
CANN_ABI int32_t HcclGetCommName(void*, char*) { return collective("HcclGetCommName"); }
CANN_ABI int32_t HcclGetCommAsyncError(void*, int32_t*) { return collective("HcclGetCommAsyncError"); }
CANN_ABI int32_t HcclAllReduce(void*, void*, uint64_t, int32_t, int32_t, void*, void*) { return collective("HcclAllReduce"); }
CANN_ABI int32_t HcclAllGather(void*, void*, uint64_t, int32_t, void*, void*) { return collective("HcclAllGather"); }
CANN_ABI int32_t HcclReduceScatter(void*, void*, uint64_t, int32_t, int32_t, void*, void*) { return collective("HcclReduceScatter"); }
CANN_ABI int32_t HcclBroadcast(void*, uint64_t, int32_t, uint32_t, void*, void*) { return collective("HcclBroadcast"); }
CANN_ABI int32_t HcclReduce(void*, void*, uint64_t, int32_t, int32_t, uint32_t, void*, void*) { return collective("HcclReduce"); }
CANN_ABI int32_t HcclScatter(void*, void*, uint64_t, int32_t, uint32_t, void*, void*) { return collective("HcclScatter"); }
CANN_ABI int32_t HcclSend(void*, uint64_t, int32_t, uint32_t, void*, void*) { return collective("HcclSend"); }
CANN_ABI int32_t HcclRecv(void*, uint64_t, int32_t, uint32_t, void*, void*) { return collective("HcclRecv"); }
CANN_ABI int32_t HcclAlltoAll(const void*, uint64_t, int32_t, const void*, uint64_t, int32_t, void*, void*) { return collective("HcclAlltoAll"); }
CANN_ABI int32_t HcclAlltoAllV(const void*, const void*, const void*, int32_t, const void*, const void*, const void*, int32_t, void*, void*) { return collective("HcclAlltoAllV"); }
CANN_ABI int32_t HcclBarrier(void*, void*) { return collective("HcclBarrier"); }
CANN_ABI int32_t HcclBatchSendRecv(void*, uint32_t, void*, void*) { return collective("HcclBatchSendRecv"); }

}  // extern "C"
