// Uniform float32 numbers of Philox4x32-10 (Salmon and others, 2011): bit for bit those that the CPU draws. The vector unit has
// neither a 64-bit product nor a documented overflow, so products go byte by byte: no sum reaches 2^26.
using namespace AscendC;
constexpr uint32_t LANES = 1024;                       // blocks of the cipher at a time
constexpr uint32_t M0 = 0xD2511F53, M1 = 0xCD9E8D57;   // multipliers
constexpr uint32_t STEP0 = 0x9E3779B9, STEP1 = 0xBB67AE85;

class Philox {
public:
    using Words = LocalTensor<int32_t>;
    __aicore__ inline void Init() {
        pipe.InitBuffer(buffer, TENSORS * LANES * sizeof(int32_t));
        for (uint32_t i = 0; i < TENSORS; ++i) tensors[i] = buffer.GetWithOffset<int32_t>(LANES, i * LANES * sizeof(int32_t));
    }
    // Blocks [first, first + LANES) of the stream, of which `groups` groups of eight are stored: first the lower halves' numbers, then
    // the upper ones'.
    __aicore__ inline void Draw(GlobalTensor<float>& out, uint32_t first, uint32_t x1, uint32_t x2, uint32_t x3, uint32_t k0, uint32_t k1, uint16_t groups) {
        CreateVecIndex(X(0), static_cast<int32_t>(first), LANES);
        Duplicate(X(1), static_cast<int32_t>(x1), LANES);
        Duplicate(X(2), static_cast<int32_t>(x2), LANES);
        Duplicate(X(3), static_cast<int32_t>(x3), LANES);
        for (int32_t round = 0; round < 10; ++round, k0 += STEP0, k1 += STEP1) {
            Multiply(X(0), M0, High(0), Low(0));
            Multiply(X(2), M1, High(1), Low(1));
            Xor3(X(0), High(1), X(1), k0);
            Xor3(X(2), High(0), X(3), k1);
            Adds(X(1), Low(1), 0, LANES);
            Adds(X(3), Low(0), 0, LANES);
        }
        for (int32_t half : {0, 1}) {
            LocalTensor<float> numbers = High(half).ReinterpretCast<float>();
            Shift(Temporary(0), X(2 * half + 1), 0, 8);
            Cast(numbers, Temporary(0), RoundMode::CAST_NONE, LANES);
            Muls(numbers, numbers, 1.0f / 16777216.0f, LANES);
        }
        SetFlag<HardEvent::V_MTE3>(0);
        WaitFlag<HardEvent::V_MTE3>(0);
        for (int32_t half : {0, 1}) DataCopy(out[half * 8], High(half).ReinterpretCast<float>(), DataCopyParams(groups, 1, 0, 1));
        SetFlag<HardEvent::MTE3_V>(0);
        WaitFlag<HardEvent::MTE3_V>(0);
    }
private:
    static constexpr uint32_t TENSORS = 16;
    __aicore__ inline Words X(int32_t i) { return tensors[i]; }
    __aicore__ inline Words High(int32_t i) { return tensors[4 + i]; }
    __aicore__ inline Words Low(int32_t i) { return tensors[6 + i]; }
    __aicore__ inline Words Limb(int32_t i) { return tensors[8 + i]; }
    __aicore__ inline Words Temporary(int32_t i) { return tensors[12 + i]; }

    // to = from << left >> right, without a sign.
    __aicore__ inline void Shift(const Words& to, const Words& from, uint32_t left, uint32_t right) {
        LocalTensor<uint32_t> target = to.ReinterpretCast<uint32_t>(), source = from.ReinterpretCast<uint32_t>();
        if (left) ShiftLeft(target, source, left, LANES);
        ShiftRight(target, left ? target : source, right, LANES);
    }
    // The product of 64 bits of x and m.
    __aicore__ inline void Multiply(const Words& x, uint32_t m, const Words& high, const Words& low) {
        const int32_t lower = static_cast<int32_t>(m & 0xffff), upper = static_cast<int32_t>(m >> 16);
        for (int32_t i = 0; i < 4; ++i) Shift(Limb(i), x, 24 - 8 * i, 24);
        Words sum = Temporary(0), part = Temporary(1);
        Muls(sum, Limb(0), lower, LANES);
        Shift(low, sum, 24, 24);
        for (int32_t column = 1; column < 6; ++column) {
            Shift(sum, sum, 0, 8);
            if (column < 4) {
                Muls(part, Limb(column), lower, LANES);
                Add(sum, sum, part, LANES);
            }
            if (column > 1) {
                Muls(part, Limb(column - 2), upper, LANES);
                Add(sum, sum, part, LANES);
            }
            if (column < 4) {
                Shift(part, sum, 24, 24 - 8 * column);
                Add(low, low, part, LANES);
            } else if (column == 4) {
                Shift(high, sum, 24, 24);
            } else {
                ShiftLeft(part.ReinterpretCast<uint32_t>(), sum.ReinterpretCast<uint32_t>(), 8u, LANES);
                Add(high, high, part, LANES);
            }
        }
    }
    // a ^ b is what only one of them has: a | b less a & b.
    __aicore__ inline void Xor(const Words& to, const Words& a, const Words& b) {
        Words both = Temporary(2);
        And(both.ReinterpretCast<uint16_t>(), a.ReinterpretCast<uint16_t>(), b.ReinterpretCast<uint16_t>(), 2 * LANES);
        Or(to.ReinterpretCast<uint16_t>(), a.ReinterpretCast<uint16_t>(), b.ReinterpretCast<uint16_t>(), 2 * LANES);
        Sub(to, to, both, LANES);
    }
    __aicore__ inline void Xor3(const Words& to, const Words& a, const Words& b, uint32_t key) {
        Words keys = Temporary(1);
        Duplicate(keys, static_cast<int32_t>(key), LANES);
        Xor(Temporary(0), a, b);
        Xor(to, Temporary(0), keys);
    }
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    Words tensors[TENSORS];
};

// `groups` groups of 16 numbers from the block with this counter on; counter[0] plus the blocks stays below 2^31.
extern "C" __global__ __aicore__ void uniform(GM_ADDR out, uint32_t groups, uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, uint32_t k0, uint32_t k1) {
    Philox philox;
    philox.Init();
    GlobalTensor<float> numbers;
    numbers.SetGlobalBuffer((__gm__ float*)out);
    for (uint32_t at = GetBlockIdx() * (LANES / 8); at < groups; at += GetBlockNum() * (LANES / 8)) {
        GlobalTensor<float> here = numbers[uint64_t(at) * 16];
        philox.Draw(here, c0 + at * 8, c1, c2, c3, k0, k1, static_cast<uint16_t>(min(LANES / 8, groups - at)));
    }
}
