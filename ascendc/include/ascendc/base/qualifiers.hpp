// The words of the device's language, and the architecture that the kernels see: dav-2201. One compilation is one core kind.
#pragma once

#include <cstdint>

// A pass that does not say which core it is for compiles for the vector core.
#if !defined(__DAV_C220_VEC__) && !defined(__DAV_C220_CUBE__)
#define __DAV_C220_VEC__ 1
#endif
#if defined(__DAV_C220_VEC__)
#define __DAV_VEC__ 1
#else
#define __DAV_CUBE__ 1
#endif
#define __NPU_ARCH__ 2201
#define __CCE_AICORE__ 220

#define __aicore__
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __biasbuf__
#define __fbuf__
// Words of a kernel's declaration: without the source step, which finds kernels by them, they mean nothing.
#if defined(ASCENDC_SOURCE_STEP)
#define __global__ __ascendc_global__
#define __vector__ __ascendc_vector__
#define __cube__ __ascendc_cube__
#define __mix__(cube, vector) __ascendc_mix__(cube, vector)
#define KERNEL_TASK_TYPE_DEFAULT(kind) __ascendc_task__(kind)
#define KERNEL_TASK_TYPE(key, kind) __ascendc_task__(kind)
#else
#define __global__
#define __vector__
#define __cube__
#define __mix__(cube, vector)
#define KERNEL_TASK_TYPE_DEFAULT(kind)
#define KERNEL_TASK_TYPE(key, kind)
#endif
#define __inout_pipe__(pipe)
#define __in_pipe__(pipe)
#define __out_pipe__(pipe)
#define __sync_noalias__
#define __sync_alias__
#define __inline__ inline
#define __forceinline__ inline __attribute__((always_inline))
#define __BLOCK_LOCAL__ thread_local
#define __kfc_workspace__

using GM_ADDR = std::uint8_t*;

namespace AscendC {

constexpr std::int32_t MIX = 0;
constexpr std::int32_t AIC = 1;
constexpr std::int32_t AIV = 2;

}  // namespace AscendC

#if defined(__DAV_C220_CUBE__)
constexpr std::int32_t g_coreType = AscendC::AIC;
#else
constexpr std::int32_t g_coreType = AscendC::AIV;
#endif
#define ASCEND_IS_AIC constexpr(g_coreType == AscendC::AIC)
#define ASCEND_IS_AIV constexpr(g_coreType == AscendC::AIV)
#define ASCEND_IS_NOT_AIC constexpr(g_coreType != AscendC::AIC)
#define ASCEND_IS_NOT_AIV constexpr(g_coreType != AscendC::AIV)
