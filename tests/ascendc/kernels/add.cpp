// z = x + y with queues and two buffers of each.
using namespace AscendC;
constexpr int32_t TILE = 4096;
class Kernel {
public:
    __aicore__ inline Kernel() {}
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t n) {
        per = n / GetBlockNum();
        xg.SetGlobalBuffer((__gm__ float*)x + per * GetBlockIdx(), per);
        yg.SetGlobalBuffer((__gm__ float*)y + per * GetBlockIdx(), per);
        zg.SetGlobalBuffer((__gm__ float*)z + per * GetBlockIdx(), per);
        pipe.InitBuffer(xq, 2, TILE * sizeof(float));
        pipe.InitBuffer(yq, 2, TILE * sizeof(float));
        pipe.InitBuffer(zq, 2, TILE * sizeof(float));
    }
    __aicore__ inline void Process() {
        for (uint32_t at = 0; at < per; at += TILE) {
            uint32_t n = per - at < TILE ? per - at : TILE;
            CopyIn(at, n); Compute(n); CopyOut(at, n);
        }
    }
private:
    __aicore__ inline void CopyIn(uint32_t at, uint32_t n) {
        LocalTensor<float> x = xq.AllocTensor<float>(), y = yq.AllocTensor<float>();
        DataCopyPad(x, xg[at], {1, (uint32_t)(n * sizeof(float)), 0, 0, 0}, {false, 0, 0, 0});
        DataCopyPad(y, yg[at], {1, (uint32_t)(n * sizeof(float)), 0, 0, 0}, {false, 0, 0, 0});
        xq.EnQue(x); yq.EnQue(y);
    }
    __aicore__ inline void Compute(uint32_t n) {
        LocalTensor<float> x = xq.DeQue<float>(), y = yq.DeQue<float>(), z = zq.AllocTensor<float>();
        Add(z, x, y, n);
        zq.EnQue<float>(z); xq.FreeTensor(x); yq.FreeTensor(y);
    }
    __aicore__ inline void CopyOut(uint32_t at, uint32_t n) {
        LocalTensor<float> z = zq.DeQue<float>();
        DataCopyPad(zg[at], z, {1, (uint32_t)(n * sizeof(float)), 0, 0, 0});
        zq.FreeTensor(z);
    }
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> xq, yq;
    TQue<QuePosition::VECOUT, 1> zq;
    GlobalTensor<float> xg, yg, zg;
    uint32_t per;
};
extern "C" __global__ __aicore__ void add(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t n) { Kernel k; k.Init(x, y, z, n); k.Process(); }

