// c = a b in tiles: two stages in L1 and in L0, flags by hand, unit flags between the product and its way out.
using namespace AscendC;
constexpr uint32_t TILE_M = 128, TILE_N = 256, EDGE = 16;
__aicore__ inline uint32_t Up(uint32_t n, uint32_t unit) { return (n + unit - 1) / unit * unit; }
__aicore__ inline uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }

// Of an array of n rows by k columns where `turned`, else k by n.
template <class T, class S, class C, bool turned>
class Product {
public:
    static constexpr uint32_t LANES = ascendc::block_elements<T>, DEEP = 16 * LANES, FLAT = 4 * LANES;
    __aicore__ inline void Run(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t m, uint32_t n, uint32_t k, QuantMode_t quant) {
        GlobalTensor<T> ag, bg;
        GlobalTensor<C> cg;
        ag.SetGlobalBuffer((__gm__ T*)a);
        bg.SetGlobalBuffer((__gm__ T*)b);
        cg.SetGlobalBuffer((__gm__ C*)c);
        for (int32_t i = 0; i < 2; ++i) { SetFlag<HardEvent::MTE1_MTE2>(i); SetFlag<HardEvent::M_MTE1>(i); }
        uint32_t tilesN = (n + TILE_N - 1) / TILE_N, tiles = (m + TILE_M - 1) / TILE_M * tilesN;
        for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum()) {
            uint32_t row = tile / tilesN * TILE_M, column = tile % tilesN * TILE_N;
            uint32_t rows = Least(TILE_M, m - row), columns = Least(TILE_N, n - column);
            LocalTensor<S> sums(TPosition::CO1, 0, TILE_M * TILE_N);
            for (uint32_t deep = 0; deep < k; deep += DEEP) Deep(ag, bg, sums, row, column, rows, columns, deep, Least(DEEP, k - deep), n, k);
            FixpipeParamsV220 out;
            out.nSize = columns; out.mSize = rows; out.srcStride = Up(rows, EDGE); out.dstStride = n;
            out.quantPre = quant; out.unitFlag = 3;
            Fixpipe<C, S, CFG_ROW_MAJOR>(cg[uint64_t(row) * n + column], sums, out);
        }
        for (int32_t i = 0; i < 2; ++i) { WaitFlag<HardEvent::MTE1_MTE2>(i); WaitFlag<HardEvent::M_MTE1>(i); }
    }
private:
    __aicore__ inline void Deep(GlobalTensor<T>& ag, GlobalTensor<T>& bg, LocalTensor<S>& sums, uint32_t row, uint32_t column, uint32_t rows,
                                uint32_t columns, uint32_t deep, uint32_t depth, uint32_t n, uint32_t k) {
        LocalTensor<T> al(TPosition::A1, l1 * TILE_M * 512, TILE_M * DEEP);
        LocalTensor<T> bl(TPosition::B1, 2 * TILE_M * 512 + l1 * TILE_N * 512, TILE_N * DEEP);
        uint32_t rowsUp = Up(rows, EDGE), columnsUp = Up(columns, EDGE), depthUp = Up(depth, EDGE);
        WaitFlag<HardEvent::MTE1_MTE2>(l1);
        DataCopy(al, ag[uint64_t(row) * k + deep], Nd2NzParams(1, rows, depth, 0, k, rowsUp, 1, 0));
        if constexpr (turned) DataCopy(bl, bg[uint64_t(column) * k + deep], Nd2NzParams(1, columns, depth, 0, k, columnsUp, 1, 0));
        else DataCopy(bl, bg[uint64_t(deep) * n + column], Nd2NzParams(1, depth, columns, 0, n, depthUp, 1, 0));
        SetFlag<HardEvent::MTE2_MTE1>(l1);
        WaitFlag<HardEvent::MTE2_MTE1>(l1);
        for (uint32_t flat = 0; flat < depth; flat += FLAT) {
            uint32_t part = Least(FLAT, depth - flat), fractals = (part + LANES - 1) / LANES, first = flat / LANES;
            LocalTensor<T> a0(TPosition::A2, l0 * TILE_M * 128, TILE_M * FLAT), b0(TPosition::B2, l0 * TILE_N * 128, TILE_N * FLAT);
            WaitFlag<HardEvent::M_MTE1>(l0);
            for (uint32_t band = 0; band < rowsUp / EDGE; ++band)
                LoadData(a0[band * fractals * EDGE * LANES], al,
                         LoadData2DParams(first * rowsUp / EDGE + band, fractals, rowsUp / EDGE, 0, 0, false, 0));
            if constexpr (turned) {
                LoadData(b0, bl, LoadData2DParams(first * columnsUp / EDGE, fractals * columnsUp / EDGE, 1, 0, 0, false, 0));
            } else {
                for (uint32_t f = 0; f < fractals; ++f)
                    LoadData(b0[f * columnsUp * LANES], bl, LoadData2DParams(first + f, columnsUp / EDGE, depthUp / EDGE, 0, 0, true, 0));
            }
            SetFlag<HardEvent::MTE1_M>(l0);
            WaitFlag<HardEvent::MTE1_M>(l0);
            bool last = deep + flat + part >= k;
            MmadParams mad(rows == 1 ? 16 : rows, columns, part, last ? 3 : 2, false, deep + flat == 0);
            Mmad(sums, a0, b0, mad);
            if (rowsUp / EDGE * (columnsUp / EDGE) < 10) PipeBarrier<PIPE_M>();
            SetFlag<HardEvent::M_MTE1>(l0);
            l0 ^= 1;
        }
        SetFlag<HardEvent::MTE1_MTE2>(l1);
        l1 ^= 1;
    }
    int32_t l1 = 0, l0 = 0;
};
#define ENTRY(name, T, S, C, turned, quant)                                                                                    \
    extern "C" __global__ __aicore__ void name(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t m, uint32_t n, uint32_t k) {        \
        Product<T, S, C, turned> product;                                                                                      \
        product.Run(a, b, c, m, n, k, quant);                                                                                \
    }
ENTRY(half_float, half, float, float, false, NoQuant)
ENTRY(half_half, half, float, half, false, F322F16)
ENTRY(bfloat16_bfloat16, bfloat16_t, float, bfloat16_t, false, F322BF16)
ENTRY(half_turned, half, float, float, true, NoQuant)
ENTRY(float_turned, float, float, float, true, NoQuant)
ENTRY(int8_turned, int8_t, int32_t, int32_t, true, NoQuant)
ENTRY(int4_turned, int4b_t, int32_t, int32_t, true, NoQuant)
