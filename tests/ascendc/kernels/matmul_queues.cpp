// c = a b of half matrices up to 64 x 64 x 64, by queues of the cube core's memories: A1, B1, A2, B2, CO1.
#include "kernel_operator.h"
using namespace AscendC;

class SmallMatmul {
public:
    __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t rows, uint32_t columns, uint32_t depth) {
        m = rows, n = columns, k = depth;
        upM = AlignUp(m, 16), upN = AlignUp(n, 16), upK = AlignUp(k, 16);
        aGm.SetGlobalBuffer((__gm__ half*)a, m * k);
        bGm.SetGlobalBuffer((__gm__ half*)b, k * n);
        cGm.SetGlobalBuffer((__gm__ float*)c, m * n);
        pipe.InitBuffer(a1Queue, 1, upM * upK * sizeof(half));
        pipe.InitBuffer(b1Queue, 1, upK * upN * sizeof(half));
        pipe.InitBuffer(a2Queue, 1, upM * upK * sizeof(half));
        pipe.InitBuffer(b2Queue, 1, upK * upN * sizeof(half));
        pipe.InitBuffer(cQueue, 1, upM * upN * sizeof(float));
    }
    __aicore__ inline void Process() {
        CopyIn();
        Split();
        Compute();
        CopyOut();
    }

private:
    __aicore__ inline void CopyIn() {
        LocalTensor<half> a1 = a1Queue.AllocTensor<half>(), b1 = b1Queue.AllocTensor<half>();
        DataCopy(a1, aGm, Nd2NzParams(1, m, k, 0, k, upM, 1, 0));
        DataCopy(b1, bGm, Nd2NzParams(1, k, n, 0, n, upK, 1, 0));
        a1Queue.EnQue(a1);
        b1Queue.EnQue(b1);
    }
    __aicore__ inline void Split() {
        LocalTensor<half> a1 = a1Queue.DeQue<half>(), b1 = b1Queue.DeQue<half>();
        LocalTensor<half> a2 = a2Queue.AllocTensor<half>(), b2 = b2Queue.AllocTensor<half>();
        for (uint16_t band = 0; band < upM / 16; ++band)
            LoadData(a2[band * 16 * upK], a1, LoadData2DParams(band, upK / 16, upM / 16, 0, 0, false, 0));
        for (uint16_t band = 0; band < upK / 16; ++band)
            LoadData(b2[band * 16 * upN], b1, LoadData2DParams(band, upN / 16, upK / 16, 0, 0, true, 0));
        a2Queue.EnQue(a2);
        b2Queue.EnQue(b2);
        a1Queue.FreeTensor(a1);
        b1Queue.FreeTensor(b1);
    }
    __aicore__ inline void Compute() {
        LocalTensor<half> a2 = a2Queue.DeQue<half>(), b2 = b2Queue.DeQue<half>();
        LocalTensor<float> sums = cQueue.AllocTensor<float>();
        MmadParams params;
        params.m = upM;  // one row would be another mode of the unit
        params.n = n;
        params.k = k;
        Mmad(sums, a2, b2, params);
        cQueue.EnQue(sums);
        a2Queue.FreeTensor(a2);
        b2Queue.FreeTensor(b2);
    }
    __aicore__ inline void CopyOut() {
        LocalTensor<float> sums = cQueue.DeQue<float>();
        FixpipeParamsV220 params;
        params.nSize = n;
        params.mSize = m;
        params.srcStride = upM;
        params.dstStride = n;
        Fixpipe<float, float, CFG_ROW_MAJOR>(cGm, sums, params);
        cQueue.FreeTensor(sums);
    }

    TPipe pipe;
    TQue<QuePosition::A1, 1> a1Queue;
    TQue<QuePosition::B1, 1> b1Queue;
    TQue<QuePosition::A2, 1> a2Queue;
    TQue<QuePosition::B2, 1> b2Queue;
    TQue<QuePosition::CO1, 1> cQueue;
    GlobalTensor<half> aGm, bGm;
    GlobalTensor<float> cGm;
    uint32_t m, n, k, upM, upN, upK;
};

extern "C" __global__ __aicore__ void matmul_queues(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t m, uint32_t n, uint32_t k) {
    SmallMatmul op;
    op.Init(a, b, c, m, n, k);
    op.Process();
}
