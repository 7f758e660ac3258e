// c = leaky(a b + bias): the library's object multiplies on the cube core, and tile by tile the vector core goes on with it.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;
using namespace matmul;

class MatmulLeaky {
public:
    Matmul<MatmulType<TPosition::GM, CubeFormat::ND, half>, MatmulType<TPosition::GM, CubeFormat::ND, half>,
           MatmulType<TPosition::VECIN, CubeFormat::ND, float>, MatmulType<TPosition::GM, CubeFormat::ND, float>> mm;

    __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, const TCubeTiling& given, TPipe* pipe) {
        tiling = given;
        rows = tiling.M / GetBlockNum();
        aGm.SetGlobalBuffer((__gm__ half*)a + rows * GetBlockIdx() * tiling.Ka);
        bGm.SetGlobalBuffer((__gm__ half*)b);
        biasGm.SetGlobalBuffer((__gm__ float*)bias);
        cGm.SetGlobalBuffer((__gm__ float*)c + rows * GetBlockIdx() * tiling.N);
        pipe->InitBuffer(out, 1, tiling.baseM * tiling.baseN * sizeof(float));
    }
    __aicore__ inline void Process() {
        mm.SetSingleShape(rows, tiling.N, tiling.Ka);
        mm.SetTensorA(aGm);
        mm.SetTensorB(bGm);
        mm.SetBias(biasGm);
        uint32_t round = 0;
        while (mm.template Iterate<true>()) {
            LocalTensor<float> tile = out.AllocTensor<float>();
            mm.template GetTensorC<true>(tile, false, true);
            LeakyRelu(tile, tile, 0.001f, tiling.baseM * tiling.baseN);
            out.EnQue(tile);
            CopyOut(round++);
        }
        mm.End();
    }

private:
    __aicore__ inline void CopyOut(uint32_t round) {
        LocalTensor<float> tile = out.DeQue<float>();
        uint32_t down = rows / tiling.baseM, row = round % down * tiling.baseM, column = round / down * tiling.baseN;
        DataCopyParams params(tiling.baseM, tiling.baseN / 8, 0, (tiling.N - tiling.baseN) / 8);
        DataCopy(cGm[row * tiling.N + column], tile, params);
        out.FreeTensor(tile);
    }

    TQue<QuePosition::VECOUT, 1> out;
    GlobalTensor<half> aGm, bGm;
    GlobalTensor<float> biasGm, cGm;
    TCubeTiling tiling;
    uint32_t rows;
};

extern "C" __global__ __aicore__ void matmul_object(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(TCubeTiling, data, tiling);
    MatmulLeaky op;
    TPipe pipe;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.mm, &data);
    op.Init(a, b, bias, c, data, &pipe);
    op.Process();
}
