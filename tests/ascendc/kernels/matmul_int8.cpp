// c = a b^T of int8, sums in int32, half out with one scale: L0 tensors by address, flags by hand.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t LANES = 32;  // int8 in a block

extern "C" __global__ __aicore__ void matmul_int8(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t m, uint32_t n, uint32_t k, float scale) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GlobalTensor<int8_t> aGm, bGm;
    GlobalTensor<half> cGm;
    aGm.SetGlobalBuffer((__gm__ int8_t*)a);
    bGm.SetGlobalBuffer((__gm__ int8_t*)b);
    cGm.SetGlobalBuffer((__gm__ half*)c);
    uint32_t upM = AlignUp(m, 16), upN = AlignUp(n, 16), deep = DivCeil(k, LANES);
    LocalTensor<int8_t> a1(TPosition::A1, 0, upM * deep * LANES), b1(TPosition::B1, 262144, upN * deep * LANES);
    LocalTensor<int8_t> a2(TPosition::A2, 0, upM * deep * LANES), b2(TPosition::B2, 0, upN * deep * LANES);
    LocalTensor<int32_t> sums(TPosition::CO1, 0, upM * upN);
    DataCopy(a1, aGm, Nd2NzParams(1, m, k, 0, k, upM, 1, 0));
    DataCopy(b1, bGm, Nd2NzParams(1, n, k, 0, k, upN, 1, 0));
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    for (uint16_t band = 0; band < upM / 16; ++band)
        LoadData(a2[band * 16 * deep * LANES], a1, LoadData2DParams(band, deep, upM / 16, 0, 0, false, 0));
    LoadData(b2, b1, LoadData2DParams(0, deep * upN / 16, 1, 0, 0, false, 0));
    SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
    Mmad(sums, a2, b2, MmadParams(upM, n, k, false, 0, false, false, false));
    SetFlag<HardEvent::M_FIX>(EVENT_ID0);
    WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    FixpipeParamsV220 out;
    out.nSize = n;
    out.mSize = m;
    out.srcStride = upM;
    out.dstStride = n;
    out.quantPre = QuantMode_t::DEQF16;
    out.deqScalar = *reinterpret_cast<uint32_t*>(&scale);
    Fixpipe(cGm, sums, out);
}
