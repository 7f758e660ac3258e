// One tile through the cube core: ways into L0A and L0B, what the sums begin with, and ways out of L0C.
using namespace AscendC;
#define ALL PipeBarrier<PIPE_ALL>()
#define ARGUMENTS GM_ADDR a, [[maybe_unused]] GM_ADDR b, GM_ADDR c, [[maybe_unused]] GM_ADDR d, [[maybe_unused]] int32_t m, \
    [[maybe_unused]] int32_t n, [[maybe_unused]] int32_t k
#define ENTRY extern "C" __global__ __aicore__ void
__aicore__ inline uint32_t Up(uint32_t n, uint32_t unit) { return (n + unit - 1) / unit * unit; }
template <class T>
__aicore__ inline GlobalTensor<T> Global(GM_ADDR at) {
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer((__gm__ T*)at);
    return tensor;
}
template <class T>
constexpr uint32_t LANES = ascendc::block_elements<T>;
template <class T>
__aicore__ inline LocalTensor<T> Left() { return LocalTensor<T>(TPosition::A2, 0, 65536 * 8 / ascendc::size_in_bits<T>); }
template <class T>
__aicore__ inline LocalTensor<T> Right() { return LocalTensor<T>(TPosition::B2, 0, 65536 * 8 / ascendc::size_in_bits<T>); }
template <class T>
__aicore__ inline LocalTensor<T> Sums() { return LocalTensor<T>(TPosition::CO1, 0, 32768); }
template <class T>
__aicore__ inline LocalTensor<T> One(uint32_t at = 0) { return LocalTensor<T>(TPosition::A1, at, 131072 * 8 / ascendc::size_in_bits<T>); }

// rows x columns of global memory as fractals of L1.
template <class T>
__aicore__ inline LocalTensor<T> Fractals(GM_ADDR at, uint32_t rows, uint32_t columns, uint32_t place) {
    LocalTensor<T> tensor = One<T>(place);
    DataCopy(tensor, Global<T>(at), Nd2NzParams(1, rows, columns, 0, columns, Up(rows, 16), 1, 0));
    ALL;
    return tensor;
}
template <class T>
__aicore__ inline void LoadLeft(const LocalTensor<T>& one, uint32_t rows, uint32_t k) {
    uint32_t deep = (k + LANES<T> - 1) / LANES<T>, bands = Up(rows, 16) / 16;
    for (uint32_t band = 0; band < bands; ++band)
        LoadData(Left<T>()[band * deep * 16 * LANES<T>], one, LoadData2DParams(band, deep, bands, 0, 0, false, 0));
    ALL;
}
// b: n rows by k columns.
template <class T, class S>
__aicore__ inline void Multiply(GM_ADDR a, GM_ADDR b, uint32_t m, uint32_t n, uint32_t k) {
    LoadLeft<T>(Fractals<T>(a, m, k, 0), m, k);
    LocalTensor<T> one = Fractals<T>(b, n, k, 131072);
    LoadData(Right<T>(), one, LoadData2DParams(0, (k + LANES<T> - 1) / LANES<T> * (Up(n, 16) / 16), 1, 0, 0, false, 0));
    ALL;
    Mmad(Sums<S>(), Left<T>(), Right<T>(), MmadParams(m == 1 ? 16 : m, n, k));
    ALL;
}
template <class S>
__aicore__ inline void Out(GM_ADDR c, uint32_t m, uint32_t n) {
    ALL;
    Fixpipe(Global<S>(c), Sums<S>(), FixpipeParamsV220(n, m, Up(m, 16), n, false));
}

// b: k rows by n columns, turned over in square blocks on its way to L0B.
template <class T, class S>
__aicore__ inline void Turned(ARGUMENTS) {
    constexpr uint32_t edge = LANES<T> > 16 ? LANES<T> : 16, fractals = edge * edge / 16 / LANES<T>;
    constexpr bool beside = LANES<T> < 16;
    LoadLeft<T>(Fractals<T>(a, m, k, 0), m, k);
    uint32_t blocks = n / edge, bands = n / 16;
    for (uint32_t deep = 0; deep < (uint32_t)k; deep += edge) {
        LocalTensor<T> one = One<T>(131072);
        DataCopy(one, Global<T>(b)[deep * n], Nd2NzParams(1, edge, n, 0, n, edge, 1, 0));
        ALL;
        LoadDataWithTranspose(Right<T>()[deep * bands * 16], one,
                              LoadData2dTransposeParams(0, blocks, 1, beside ? 0 : fractals - 1, beside ? bands - 1 : 0));
        ALL;
    }
    Mmad(Sums<S>(), Left<T>(), Right<T>(), MmadParams(m, n, k));
    Out<S>(c, m, n);
}
ENTRY turned_half(ARGUMENTS) { Turned<half, float>(a, b, c, d, m, n, k); }
ENTRY turned_float(ARGUMENTS) { Turned<float, float>(a, b, c, d, m, n, k); }
ENTRY turned_int8(ARGUMENTS) { Turned<int8_t, int32_t>(a, b, c, d, m, n, k); }
ENTRY turned_int4(ARGUMENTS) { Turned<int4b_t, int32_t>(a, b, c, d, m, n, k); }
// b through the window loader: a picture of one row of k pixels with n channels.
template <class T>
__aicore__ inline void Pictured(ARGUMENTS) {
    LoadLeft<T>(Fractals<T>(a, m, k, 0), m, k);
    LocalTensor<T> one = Fractals<T>(b, k, n, 131072);
    const uint8_t none[4] = {0, 0, 0, 0};
    static constexpr IsResetLoad3dConfig config = {false, false};
    SetFmatrix(1, Up(k, 16), none, FmatrixMode::FMATRIX_RIGHT);
    SetLoadDataPaddingValue((T)0);
    LoadData<T, config>(Right<T>(), one, LoadData3DParamsV2<T>(none, 1, 1, n, n, k, 0, 0, 1, 1, 1, 1, 1, 1, false, false, 0, false, false, true));
    ALL;
    Mmad(Sums<float>(), Left<T>(), Right<T>(), MmadParams(m, n, k));
    Out<float>(c, m, n);
}
ENTRY pictured_half(ARGUMENTS) { Pictured<half>(a, b, c, d, m, n, k); }
ENTRY pictured_float(ARGUMENTS) { Pictured<float>(a, b, c, d, m, n, k); }
// a: k rows by m columns; turned over fractal by fractal, or by the window loader.
ENTRY left_half(ARGUMENTS) {
    LocalTensor<half> one = Fractals<half>(a, k, m, 0), other = Fractals<half>(b, n, k, 131072);
    uint32_t deep = Up(k, 16) / 16, bands = Up(m, 16) / 16;
    if (d) LoadData(Left<half>(), one, LoadData2DParams(0, bands * deep, 1, 0, 0, true, 0));
    else {
        const uint8_t none[4] = {0, 0, 0, 0};
        LoadData(Left<half>(), one, LoadData3DParamsV2<half>(none, 1, deep * 16, m, m, deep * 16, 0, 0, 1, 1, 1, 1, 1, 1, true, false, 0));
    }
    LoadData(Right<half>(), other, LoadData2DParams(0, deep * (Up(n, 16) / 16), 1, 0, 0, false, 0));
    ALL;
    Mmad(Sums<float>(), Left<half>(), Right<half>(), MmadParams(m, n, k));
    Out<float>(c, m, n);
}
// One row, read as a vector.
ENTRY vector_half(ARGUMENTS) {
    DataCopy(One<half>(), Global<half>(a), Up(k, 256));
    LocalTensor<half> other = Fractals<half>(b, n, k, 131072);
    LoadData(Left<half>(), One<half>(), LoadData2DParams(0, Up(k, 256) / 256, 1, 0, 0, false, 0));
    LoadData(Right<half>(), other, LoadData2DParams(0, Up(k, 16) / 16 * (Up(n, 16) / 16), 1, 0, 0, false, 0));
    ALL;
    Mmad(Sums<float>(), Left<half>(), Right<half>(), MmadParams(1, n, k));
    Out<float>(c, 1, n);
}
struct Picture { int32_t h, w, channels, filter_h, filter_w, stride, dilation, left, right, top, bottom, n, windows; };
extern "C" __global__ __aicore__ void convolution(GM_ADDR image, GM_ADDR weights, GM_ADDR out, Picture p) {
    uint32_t k = p.channels * p.filter_h * p.filter_w;
    DataCopy(One<half>(), Global<half>(image), p.channels * p.h * p.w);
    LocalTensor<half> other = Fractals<half>(weights, p.n, k, 131072);
    LoadData(Right<half>(), other, LoadData2DParams(0, k / 16 * (Up(p.n, 16) / 16), 1, 0, 0, false, 0));
    const uint8_t padding[4] = {(uint8_t)p.left, (uint8_t)p.right, (uint8_t)p.top, (uint8_t)p.bottom};
    for (int32_t m = 0; m < p.windows; m += 32) {
        uint32_t rows = p.windows - m < 32 ? p.windows - m : 32;
        LoadData(Left<half>(), One<half>(),
                 LoadData3DParamsV2<half>(padding, p.h, p.w, p.channels, k, Up(rows, 16), 0, m, p.stride, p.stride, p.filter_w, p.filter_h, p.dilation,
                                          p.dilation, false, false, (half)0));
        ALL;
        Mmad(Sums<float>(), Left<half>(), Right<half>(), MmadParams(Up(rows, 16), p.n, k));
        Out<float>(out + m * p.n * 4, rows, p.n);
        ALL;
    }
}
// d: a row of n numbers, with which the sums begin.
template <class T, class S, class D>
__aicore__ inline void Biased(ARGUMENTS) {
    LocalTensor<D> row(TPosition::C1, 262144, 1024);
    LocalTensor<S> table(TPosition::C2, 0, 256);
    DataCopy(row, Global<D>(d), Up(n, 32));
    ALL;
    DataCopy(table, row, DataCopyParams(1, Up(n, 32) * sizeof(D) / 64, 0, 0));
    Multiply<T, S>(a, b, m, n, k);
    Mmad(Sums<S>(), Left<T>(), Right<T>(), table, MmadParams(m, n, k));
    Mmad(Sums<S>(), Left<T>(), Right<T>(), MmadParams(m, n, k, 0, false, false));
    Out<S>(c, m, n);
}
ENTRY biased_float(ARGUMENTS) { Biased<half, float, float>(a, b, c, d, m, n, k); }
ENTRY biased_half(ARGUMENTS) { Biased<half, float, half>(a, b, c, d, m, n, k); }
ENTRY biased_int32(ARGUMENTS) { Biased<int8_t, int32_t, int32_t>(a, b, c, d, m, n, k); }
ENTRY saturated(ARGUMENTS) {
    Multiply<int8_t, int32_t>(a, b, m, n, k);
    for (int i = 0; i < 40; ++i) Mmad(Sums<int32_t>(), Left<int8_t>(), Right<int8_t>(), MmadParams(m, n, k, 0, false, false));
    Out<int32_t>(c, m, n);
}
ENTRY constant(ARGUMENTS) {
    (void)a;
    InitConstValue(Left<half>(), InitConstValueParams<half>(2, (half)2));
    InitConstValue(Right<half>(), {1, 2, 0, (half)3});
    ALL;
    Mmad(Sums<float>(), Left<half>(), Right<half>(), MmadParams(16, 16, 32));
    Out<float>(c, 16, 16);
}
ENTRY hf32(ARGUMENTS) {
    SetHF32Mode(true);
    SetHF32TransMode(k < 0);
    Multiply<float, float>(a, b, m, n, k < 0 ? -k : k);
    Out<float>(c, m, n);
}
ENTRY split_k(ARGUMENTS) {
    uint32_t part = k / GetBlockNum(), first = part * GetBlockIdx();
    DataCopy(One<half>(), Global<half>(a)[first], Nd2NzParams(1, m, part, 0, k, Up(m, 16), 1, 0));
    DataCopy(One<half>(131072), Global<half>(b)[first], Nd2NzParams(1, n, part, 0, k, Up(n, 16), 1, 0));
    ALL;
    LoadLeft<half>(One<half>(), m, part);
    LoadData(Right<half>(), One<half>(131072), LoadData2DParams(0, part / 16 * (Up(n, 16) / 16), 1, 0, 0, false, 0));
    ALL;
    Mmad(Sums<float>(), Left<half>(), Right<half>(), MmadParams(m, n, part));
    if (!d) SetAtomicAdd<float>();
    Out<float>(c, m, n);
    SetAtomicNone();
}

// Ways out. d: parameters of columns.
template <class T, class S, class D, const FixpipeConfig& config, QuantMode_t mode>
__aicore__ inline void Fixed(ARGUMENTS, uint64_t scalar, bool relu, bool split, uint32_t pitch, bool workspace = false) {
    constexpr bool vector = mode == VDEQF16 || mode == VQF322B8_PRE || mode == VREQ8;
    LocalTensor<uint64_t> row(TPosition::C1, 262144, 1024), table(TPosition::C2PIPE2GM, 128, 512);
    if (vector) {
        DataCopy(row, Global<uint64_t>(d), Up(n, 16));
        ALL;
        DataCopy(table, row, DataCopyParams(1, Up(n, 16) / 16, 0, 0));
        SetFixPipeConfig(table);
    }
    Multiply<T, S>(a, b, m, n, k);
    FixpipeParamsV220 p(n, m, Up(m, 16), pitch, relu, mode, scalar, 1, 0, 0, 0);
    p.isChannelSplit = split;
    if (workspace) Fixpipe<D, S, config>(Global<D>(c), Sums<S>(), row, p);
    else Fixpipe<D, S, config>(Global<D>(c), Sums<S>(), p);
}
// Scale 0.5, offset -3, with a sign; scale 2, offset 5, without.
constexpr uint64_t SIGNED = 0x3f000000ull | (uint64_t(-3 & 511) << 37) | (1ull << 46), UNSIGNED = 0x40000000ull | (5ull << 37);
ENTRY fixed_float(ARGUMENTS) { Fixed<half, float, float, CFG_ROW_MAJOR, NoQuant>(a, b, c, d, m, n, k, 0, true, false, n); }
ENTRY fixed_int8(ARGUMENTS) { Fixed<half, float, int8_t, CFG_ROW_MAJOR, QF322B8_PRE>(a, b, c, d, m, n, k, SIGNED, false, false, n); }
ENTRY fixed_uint8(ARGUMENTS) { Fixed<half, float, uint8_t, CFG_ROW_MAJOR, QF322B8_PRE>(a, b, c, d, m, n, k, UNSIGNED, false, false, n); }
ENTRY fixed_int8_columns(ARGUMENTS) { Fixed<half, float, int8_t, CFG_ROW_MAJOR, VQF322B8_PRE>(a, b, c, d, m, n, k, 0, false, false, n); }
ENTRY requantised(ARGUMENTS) { Fixed<int8_t, int32_t, int8_t, CFG_ROW_MAJOR, REQ8>(a, b, c, d, m, n, k, SIGNED, true, false, n); }
ENTRY requantised_columns(ARGUMENTS) { Fixed<int8_t, int32_t, int8_t, CFG_ROW_MAJOR, VREQ8>(a, b, c, d, m, n, k, 0, false, false, n, true); }
ENTRY dequantised(ARGUMENTS) { Fixed<int8_t, int32_t, half, CFG_ROW_MAJOR, DEQF16>(a, b, c, d, m, n, k, 0x3f000000, false, false, n); }
ENTRY dequantised_columns(ARGUMENTS) { Fixed<int8_t, int32_t, half, CFG_ROW_MAJOR, VDEQF16>(a, b, c, d, m, n, k, 0, true, false, n); }
ENTRY fractals_float(ARGUMENTS) { Fixed<half, float, float, CFG_NZ, NoQuant>(a, b, c, d, m, n, k, 0, false, false, m * 2); }
ENTRY fractals_split(ARGUMENTS) { Fixed<half, float, float, CFG_NZ, NoQuant>(a, b, c, d, m, n, k, 0, false, true, m); }
ENTRY fractals_half(ARGUMENTS) { Fixed<half, float, half, CFG_NZ, F322F16>(a, b, c, d, m, n, k, 0, false, false, m); }
ENTRY fractals_int8(ARGUMENTS) { Fixed<half, float, int8_t, CFG_NZ, QF322B8_PRE>(a, b, c, d, m, n, k, SIGNED, false, false, m); }
// Two tiles side by side in L0C, as two matrices; by both forms of the call.
ENTRY matrices(ARGUMENTS) {
    Multiply<half, float>(a, b, m, n, k);
    uint32_t step = n / 16 * (m / 16);
    Mmad(Sums<float>()[m * n], Left<half>(), Right<half>(), MmadParams(m, n, k));
    Mmad(Sums<float>()[m * n], Left<half>(), Right<half>(), MmadParams(m, n, k, 0, false, false));
    ALL;
    if (d) {
        Fixpipe(Global<float>(c), Sums<float>(), FixpipeParamsV220(n, m, m, n, false, NoQuant, 0, 2, step, m * n, 0));
    } else {
        SetFixpipeNz2ndFlag(2, step, m * n);
        DataCopy(Global<float>(c), Sums<float>(), DataCopyCO12DstParams(n, m, n, m, NoQuant, 0, false, true));
    }
}
// c = (a b^T) d^T: the first product stays on the core, as halves in L1.
ENTRY chained(ARGUMENTS) {
    Multiply<half, float>(a, b, m, n, k);
    LocalTensor<half> between = One<half>(262144);
    uint32_t rows = Up(m, 16);
    Fixpipe<half, float, CFG_NZ>(between, Sums<float>(), FixpipeParamsV220(n, m, rows, rows, false, F322F16, 0, 1, 0, 0, 0));
    ALL;
    LoadLeft<half>(between, m, n);
    LocalTensor<half> other = Fractals<half>(d, n, n, 131072);
    LoadData(Right<half>(), other, LoadData2DParams(0, n / 16 * (n / 16), 1, 0, 0, false, 0));
    ALL;
    Mmad(Sums<float>(), Left<half>(), Right<half>(), MmadParams(rows, n, n));
    Out<float>(c, m, n);
}
// Fractals of L1 back to rows.
ENTRY rows_again(ARGUMENTS) {
    LocalTensor<half> one = Fractals<half>(a, m, n, 0);
    DataCopy(Global<half>(c), one, Nz2NdParamsFull(1, m, n, 1, Up(m, 16), n, 1));
}
