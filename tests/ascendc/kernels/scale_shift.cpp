// y = x * scale + shift of any length: queues with two buffers each, lengths and numbers from a tiling structure.
#include "kernel_operator.h"
using namespace AscendC;

struct ScaleShiftTiling {
    uint32_t total;
    uint32_t tile;
    float scale;
    float shift;
};

class ScaleShift {
public:
    __aicore__ inline ScaleShift() {}
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const ScaleShiftTiling& given) {
        tiling = given;
        uint32_t share = AlignUp(DivCeil(tiling.total, GetBlockNum()), 16);
        uint32_t begin = min(share * GetBlockIdx(), tiling.total);
        length = min(share, tiling.total - begin);
        xGm.SetGlobalBuffer((__gm__ float*)x + begin, length);
        yGm.SetGlobalBuffer((__gm__ float*)y + begin, length);
        pipe.InitBuffer(inQueue, 2, tiling.tile * sizeof(float));
        pipe.InitBuffer(outQueue, 2, tiling.tile * sizeof(float));
    }
    __aicore__ inline void Process() {
        for (uint32_t at = 0; at < length; at += tiling.tile) {
            uint32_t n = min(tiling.tile, length - at);
            CopyIn(at, n);
            Compute(n);
            CopyOut(at, n);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t at, uint32_t n) {
        LocalTensor<float> x = inQueue.AllocTensor<float>();
        DataCopyPad(x, xGm[at], DataCopyExtParams(1, n * sizeof(float), 0, 0, 0), DataCopyPadExtParams<float>(false, 0, 0, 0));
        inQueue.EnQue(x);
    }
    __aicore__ inline void Compute(uint32_t n) {
        LocalTensor<float> x = inQueue.DeQue<float>();
        LocalTensor<float> y = outQueue.AllocTensor<float>();
        Muls(y, x, tiling.scale, n);
        Adds(y, y, tiling.shift, n);
        outQueue.EnQue(y);
        inQueue.FreeTensor(x);
    }
    __aicore__ inline void CopyOut(uint32_t at, uint32_t n) {
        LocalTensor<float> y = outQueue.DeQue<float>();
        DataCopyPad(yGm[at], y, DataCopyExtParams(1, n * sizeof(float), 0, 0, 0));
        outQueue.FreeTensor(y);
    }

    TPipe pipe;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    GlobalTensor<float> xGm, yGm;
    ScaleShiftTiling tiling;
    uint32_t length;
};

extern "C" __global__ __aicore__ void scale_shift(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    REGISTER_TILING_DEFAULT(ScaleShiftTiling);
    GET_TILING_DATA(data, tiling);
    ScaleShift op;
    op.Init(x, y, data);
    op.Process();
}
