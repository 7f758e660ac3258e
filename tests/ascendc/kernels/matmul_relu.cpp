// c = relu(a b + bias) in half: the sums begin with the bias, and the way out rounds and cuts off what is negative.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ __cube__ void matmul_relu(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, uint32_t m, uint32_t n, uint32_t k) {
    GlobalTensor<half> aGm, bGm, cGm;
    GlobalTensor<float> biasGm;
    aGm.SetGlobalBuffer((__gm__ half*)a);
    bGm.SetGlobalBuffer((__gm__ half*)b);
    biasGm.SetGlobalBuffer((__gm__ float*)bias);
    cGm.SetGlobalBuffer((__gm__ half*)c);
    TPipe pipe;
    TBuf<TPosition::A1> a1Buf;
    TBuf<TPosition::B1> b1Buf;
    TBuf<TPosition::C1> c1Buf;
    TBuf<TPosition::A2> a2Buf;
    TBuf<TPosition::B2> b2Buf;
    TBuf<TPosition::C2> c2Buf;
    TBuf<TPosition::CO1> sumBuf;
    uint32_t upM = AlignUp(m, 16), upN = AlignUp(n, 16), upK = AlignUp(k, 16);
    pipe.InitBuffer(a1Buf, upM * upK * 2);
    pipe.InitBuffer(b1Buf, upK * upN * 2);
    pipe.InitBuffer(c1Buf, upN * 4);
    pipe.InitBuffer(a2Buf, upM * upK * 2);
    pipe.InitBuffer(b2Buf, upK * upN * 2);
    pipe.InitBuffer(c2Buf, upN * 4);
    pipe.InitBuffer(sumBuf, upM * upN * 4);
    LocalTensor<half> a1 = a1Buf.Get<half>(), b1 = b1Buf.Get<half>(), a2 = a2Buf.Get<half>(), b2 = b2Buf.Get<half>();
    LocalTensor<float> c1 = c1Buf.Get<float>(), c2 = c2Buf.Get<float>(), sums = sumBuf.Get<float>();
    DataCopy(a1, aGm, Nd2NzParams(1, m, k, 0, k, upM, 1, 0));
    DataCopy(b1, bGm, Nd2NzParams(1, k, n, 0, n, upK, 1, 0));
    DataCopy(c1, biasGm, upN);  // the bias has room for whole fractals
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    for (uint16_t band = 0; band < upM / 16; ++band)
        LoadData(a2[band * 16 * upK], a1, LoadData2DParams(band, upK / 16, upM / 16, 0, 0, false, 0));
    for (uint16_t band = 0; band < upK / 16; ++band)
        LoadData(b2[band * 16 * upN], b1, LoadData2DParams(band, upN / 16, upK / 16, 0, 0, true, 0));
    DataCopy(c2, c1, DataCopyParams(1, upN * 4 / 64, 0, 0));
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    MmadParams params(upM, n, k, 0, true, false);  // begin with what lies in the bias table
    Mmad(sums, a2, b2, c2, params);
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    FixpipeParamsV220 out(n, m, upM, n, true);
    out.quantPre = QuantMode_t::F322F16;
    Fixpipe<half, float, CFG_ROW_MAJOR>(cGm, sums, out);
}
