// out = a b + d, tile by tile: the cube core multiplies into two stages of a workspace, its two vector cores add and write out.
// `fault`: which flag is left out, or set wrongly; 0: none.
using namespace AscendC;
constexpr uint32_t EDGE = 64, TILE = EDGE * EDGE;
extern "C" __global__ __aicore__ void mixed(GM_ADDR a, GM_ADDR b, GM_ADDR d, GM_ADDR out, GM_ADDR workspace, uint32_t m, uint32_t n, uint32_t k,
                                            int32_t fault) {
    TPipe pipe;
    GlobalTensor<half> ag, bg;
    GlobalTensor<float> dg, og, wg;
    ag.SetGlobalBuffer((__gm__ half*)a);
    bg.SetGlobalBuffer((__gm__ half*)b);
    dg.SetGlobalBuffer((__gm__ float*)d);
    og.SetGlobalBuffer((__gm__ float*)out);
    wg.SetGlobalBuffer((__gm__ float*)workspace);
    uint32_t across = n / EDGE, tiles = m / EDGE * across, block = GetBlockIdx();
    if ASCEND_IS_AIV block /= GetTaskRation();
    uint32_t stage = 0, done = 0;
    for (uint32_t tile = block; tile < tiles; tile += GetBlockNum(), stage ^= 1, ++done) {
        GlobalTensor<float> piece = wg[(block * 2 + stage) * TILE];
        uint64_t row = tile / across * EDGE, column = tile % across * EDGE;
        if ASCEND_IS_AIC {
            LocalTensor<half> a1(TPosition::A1, 0, TILE), b1(TPosition::B1, TILE * 2, TILE), a2(TPosition::A2, 0, TILE), b2(TPosition::B2, 0, TILE);
            LocalTensor<float> sums(TPosition::CO1, 0, TILE);
            for (uint32_t deep = 0; deep < k; deep += EDGE) {
                DataCopy(a1, ag[row * k + deep], Nd2NzParams(1, EDGE, EDGE, 0, k, EDGE, 1, 0));
                DataCopy(b1, bg[deep * n + column], Nd2NzParams(1, EDGE, EDGE, 0, n, EDGE, 1, 0));
                PipeBarrier<PIPE_ALL>();
                for (uint32_t band = 0; band < EDGE / 16; ++band) {
                    LoadData(a2[band * 16 * EDGE], a1, LoadData2DParams(band, EDGE / 16, EDGE / 16, 0, 0, false, 0));
                    LoadData(b2[band * 16 * EDGE], b1, LoadData2DParams(band, EDGE / 16, EDGE / 16, 0, 0, true, 0));
                }
                PipeBarrier<PIPE_ALL>();
                Mmad(sums, a2, b2, MmadParams(EDGE, EDGE, EDGE, 0, false, deep == 0));
                PipeBarrier<PIPE_ALL>();
            }
            if (done >= 2 && fault != 3) CrossCoreWaitFlag(2 + stage);
            Fixpipe(piece, sums, FixpipeParamsV220(EDGE, EDGE, EDGE, EDGE, false));
            if (fault == 2) CrossCoreSetFlag<2, PIPE_M>(stage);
            else if (fault != 5) CrossCoreSetFlag<2, PIPE_FIX>(stage);
            PipeBarrier<PIPE_ALL>();
        } else {
            uint32_t half_rows = EDGE / 2, first = GetSubBlockIdx() * half_rows;
            LocalTensor<float> x(TPosition::VECIN, 0, TILE / 2), y(TPosition::VECIN, TILE * 2, TILE / 2);
            if (fault != 1) CrossCoreWaitFlag(stage);
            DataCopy(x, piece[first * EDGE], TILE / 2);
            DataCopy(y, dg[(row + first) * n + column], DataCopyParams(half_rows, EDGE / 8, (n - EDGE) / 8, 0));
            if (fault != 4 || GetSubBlockIdx() == 0) CrossCoreSetFlag<2, PIPE_MTE2>(2 + stage);
            SetFlag<HardEvent::MTE2_V>(0);
            WaitFlag<HardEvent::MTE2_V>(0);
            Add(x, x, y, TILE / 2);
            SetFlag<HardEvent::V_MTE3>(0);
            WaitFlag<HardEvent::V_MTE3>(0);
            DataCopy(og[(row + first) * n + column], x, DataCopyParams(half_rows, EDGE / 8, 0, (n - EDGE) / 8));
            SetFlag<HardEvent::MTE3_MTE2>(0);
            WaitFlag<HardEvent::MTE3_MTE2>(0);
        }
    }
    if ASCEND_IS_AIC {
        for (uint32_t i = 0; i < (done < 2 ? done : 2); ++i) CrossCoreWaitFlag(2 + i);
    }
}
