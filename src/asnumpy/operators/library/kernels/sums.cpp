// Sums of a whole array: running ones of int64, and one of float that is rounded once. Cores leave their parts' sums for a second
// launch.
#include "tiles.h"
using namespace library;

constexpr uint32_t SIDE = 64, TILE = SIDE * SIDE;

// Running sums of int64 by digits of 16 bits, whose sums in a tile are exact in int32. A tile is 64 lines of 64, turned over so
// that line i holds element i of every line: a sum down the lines is one addition each; then what stands before each line is added.
class RunningSum {
public:
    __aicore__ inline void Init() {
        scratch.Init(pipe, TILE * 4 * 9 + 8192);
        words = scratch.Take<int32_t>(2 * TILE), joined = scratch.Take<int32_t>(2 * TILE);
        for (auto& one : digits) one = scratch.Take<int32_t>(TILE);
        places = scratch.Take<uint32_t>(TILE);
        back = scratch.Take<uint32_t>(6 * SIDE), before = scratch.Take<int32_t>(2 * SIDE), line = scratch.Take<int32_t>(SIDE);
    }
    // The sum of this core's part: to partial[core].
    __aicore__ inline void Sum(uint64_t n, GM_ADDR x, GM_ADDR partial) {
        const Share share(n, TILE);
        uint64_t sum = 0;
        for (uint64_t at = share.begin; at < share.end; at += TILE) {
            Fetch(x, at, min<uint64_t>(TILE, share.end - at));
            for (uint32_t digit = 0; digit < 4; ++digit) {
                const auto one = digits[digit];
                for (uint32_t half = TILE / 2; half >= 8; half /= 2) Add(one, one, one[half], half);
                for (uint32_t i = 0; i < 8; ++i) sum += uint64_t(one.GetValue(i)) << 16 * digit;
            }
        }
        const LocalTensor<int64_t> result = words.ReinterpretCast<int64_t>();
        result.SetValue(0, static_cast<int64_t>(sum));
        Settle();
        Store(Global<int64_t>(partial)[GetBlockIdx()], result, 1);
    }
    __aicore__ inline void Run(uint64_t n, GM_ADDR x, GM_ADDR partial, GM_ADDR y) {
        Prepare();
        uint64_t carry = 0;
        if (GetBlockIdx()) {
            const LocalTensor<int64_t> sums = words.ReinterpretCast<int64_t>();
            Load(sums, Global<int64_t>(partial), GetBlockIdx());
            Settle();
            for (uint32_t core = 0; core < GetBlockIdx(); ++core) carry += static_cast<uint64_t>(sums.GetValue(core));
        }
        const Share share(n, TILE);
        for (uint64_t at = share.begin; at < share.end; at += TILE) {
            const uint32_t count = min<uint64_t>(TILE, share.end - at);
            Fetch(x, at, count);
            uint64_t sum = carry;
            for (uint32_t digit = 0; digit < 4; ++digit)
                sum += uint64_t(Scan(digits[digit], static_cast<int32_t>(carry >> 16 * digit & 0xffff))) << 16 * digit;
            carry = sum;
            Join();
            Settle();
            Store(Global<int32_t>(y)[2 * at], words, 2 * count);
        }
    }

private:
    // Digits as numbers of 0 to 65535; behind the last element zeros.
    __aicore__ inline void Fetch(GM_ADDR x, uint64_t at, uint32_t n) {
        Settle();
        if (n < TILE) Duplicate(words, 0, 2 * TILE);
        Settle();
        Load(words, Global<int32_t>(x)[2 * at], 2 * n);
        Settle();
        for (uint32_t word = 0; word < 2; ++word) {
            const auto lower = digits[2 * word].ReinterpretCast<uint32_t>(), upper = digits[2 * word + 1].ReinterpretCast<uint32_t>();
            Pick(upper, words.ReinterpretCast<uint32_t>(), word + 1, 2 * TILE);
            ShiftLeft(lower, upper, 16u, TILE);
            ShiftRight(lower, lower, 16u, TILE);
            ShiftRight(upper, upper, 16u, TILE);
        }
    }
    // Element 64 a + b comes from 64 b + a; a line moved by 1, 2, 4... comes from behind 64 zeros.
    __aicore__ inline void Prepare() {
        const LocalTensor<int32_t> numbers = places.ReinterpretCast<int32_t>(), shifted = back.ReinterpretCast<int32_t>();
        for (uint32_t i = 0; i < SIDE; ++i) {
            CreateVecIndex(numbers[i * SIDE], 0, SIDE);
            Muls(numbers[i * SIDE], numbers[i * SIDE], static_cast<int32_t>(4 * SIDE), SIDE);
            Adds(numbers[i * SIDE], numbers[i * SIDE], static_cast<int32_t>(4 * i), SIDE);
        }
        for (uint32_t i = 0; i < 6; ++i) {
            CreateVecIndex(shifted[i * SIDE], static_cast<int32_t>(SIDE) - (1 << i), SIDE);
            Muls(shifted[i * SIDE], shifted[i * SIDE], 4, SIDE);
        }
        Duplicate(before, 0, SIDE);
    }
    // The running sums of a tile, `carry` before them; gives the sum of the tile.
    __aicore__ inline int32_t Scan(const LocalTensor<int32_t>& tile, int32_t carry) {
        const LocalTensor<int32_t> turned = joined, sums = before[SIDE];
        Gather(turned, tile, places, 0u, TILE);
        for (uint32_t i = 1; i < SIDE; ++i) Add(turned[i * SIDE], turned[i * SIDE], turned[(i - 1) * SIDE], SIDE);
        Adds(sums, turned[(SIDE - 1) * SIDE], 0, SIDE);
        for (uint32_t i = 0; i < 6; ++i) {
            Gather(line, before, back[i * SIDE], 0u, SIDE);
            Add(sums, sums, line, SIDE);
        }
        Gather(line, before, back, 0u, SIDE);
        Adds(line, line, carry, SIDE);
        const BinaryRepeatParams each(1, 1, 1, 8, 8, 0);
        Add(turned, turned, line, uint64_t{SIDE}, SIDE, each);
        Gather(tile, turned, places, 0u, TILE);
        return sums.GetValue(SIDE - 1);
    }
    // What exceeds 16 bits goes to the next digit; then digits to words and words to numbers.
    __aicore__ inline void Join() {
        for (uint32_t digit = 0; digit < 4; ++digit) {
            const auto one = digits[digit];
            if (digit < 3) {
                ShiftRight(joined, one, 16, TILE);
                Add(digits[digit + 1], digits[digit + 1], joined, TILE);
            }
            const auto bits = one.ReinterpretCast<uint32_t>();
            ShiftLeft(bits, bits, 16u, TILE);
            if (digit % 2 == 0) ShiftRight(bits, bits, 16u, TILE);
        }
        for (uint32_t word = 0; word < 2; ++word) {
            const auto to = joined[word * TILE].ReinterpretCast<uint16_t>();
            Or(to, digits[2 * word].ReinterpretCast<uint16_t>(), digits[2 * word + 1].ReinterpretCast<uint16_t>(), 2 * TILE);
        }
        // Number i has its words at i and TILE + i: a half of them at a time, for which the digits' tiles have room.
        const LocalTensor<int32_t> from = digits[0], half = digits[1];
        for (uint32_t begin = 0; begin < 2 * TILE; begin += TILE) {
            CreateVecIndex(from, static_cast<int32_t>(begin), TILE);
            ShiftRight(half, from, 1, TILE);
            Muls(from, from, static_cast<int32_t>(4 * TILE), TILE);
            Muls(half, half, 4 - 8 * static_cast<int32_t>(TILE), TILE);
            Add(from, from, half, TILE);
            Gather(words[begin], joined, from.ReinterpretCast<uint32_t>(), 0u, TILE);
        }
    }

    TPipe pipe;
    Scratch scratch;
    LocalTensor<int32_t> words, joined, digits[4], before, line;
    LocalTensor<uint32_t> places, back;
};

// A sum with what each addition lost (Knuth's two-sum), lane by lane, then lane to lane: two numbers a core.
class LongSum {
public:
    static constexpr uint32_t LANES = 4096;
    __aicore__ inline void Run(uint64_t n, GM_ADDR x, GM_ADDR partial) {
        scratch.Init(pipe, LANES * 6 * 4);
        for (auto& one : t) one = scratch.Take(LANES);
        Duplicate(t[0], 0.0f, LANES);
        Duplicate(t[1], 0.0f, LANES);
        const Share share(n, LANES);
        for (uint64_t at = share.begin; at < share.end; at += LANES) {
            const uint32_t count = min<uint64_t>(LANES, share.end - at);
            Settle();
            if (count < LANES) Duplicate(t[2], 0.0f, LANES);
            Settle();
            Load(t[2], Global<float>(x)[at], count);
            Settle();
            TwoSum(t[2], LANES);
        }
        for (uint32_t half = LANES / 2; half >= 8; half /= 2) {
            Add(t[1], t[1], t[1][half], half);
            TwoSum(t[0][half], half);
        }
        float sum = 0, lost = 0;
        for (uint32_t i = 0; i < 8; ++i) Join(sum, lost, t[0].GetValue(i), t[1].GetValue(i));
        Write(partial, 2 * GetBlockIdx(), sum, lost);
    }
    __aicore__ inline void Finish(uint32_t cores, GM_ADDR partial, GM_ADDR y) {
        scratch.Init(pipe, 4096);
        t[0] = scratch.Take(512);
        Load(t[0], Global<float>(partial), 2 * cores);
        Settle();
        float sum = 0, lost = 0;
        for (uint32_t i = 0; i < cores; ++i) Join(sum, lost, t[0].GetValue(2 * i), t[0].GetValue(2 * i + 1));
        t[0].SetValue(0, sum + lost);
        Settle();
        Store(Global<float>(y), t[0], 1);
    }

private:
    // t[0] + x to t[0], and what is lost to t[1].
    __aicore__ inline void TwoSum(const LocalTensor<float>& x, uint32_t n) {
        LocalTensor<float>&s = t[3], &b = t[4], &a = t[5];
        Add(s, t[0], x, n);
        Sub(b, s, t[0], n);
        Sub(a, s, b, n);
        Sub(a, t[0], a, n);
        Sub(b, x, b, n);
        Add(a, a, b, n);
        Add(t[1], t[1], a, n);
        Adds(t[0], s, 0.0f, n);
    }
    __aicore__ inline void Join(float& sum, float& lost, float x, float x_lost) {
        const float s = sum + x, b = s - sum, a = s - b;
        lost += (sum - a) + (x - b) + x_lost;
        sum = s;
    }
    __aicore__ inline void Write(GM_ADDR to, uint32_t at, float first, float second) {
        t[0].SetValue(0, first);
        t[0].SetValue(1, second);
        Settle();
        Store(Global<float>(to)[at], t[0], 2);
    }
    TPipe pipe;
    Scratch scratch;
    LocalTensor<float> t[6];
};

extern "C" __global__ __aicore__ void block_sums(GM_ADDR x, GM_ADDR partial, uint64_t n) {
    RunningSum sums;
    sums.Init();
    sums.Sum(n, x, partial);
}
extern "C" __global__ __aicore__ void running_sum(GM_ADDR x, GM_ADDR partial, GM_ADDR y, uint64_t n) {
    RunningSum sums;
    sums.Init();
    sums.Run(n, x, partial, y);
}
extern "C" __global__ __aicore__ void long_sum_part(GM_ADDR x, GM_ADDR partial, uint64_t n) {
    LongSum sum;
    sum.Run(n, x, partial);
}
extern "C" __global__ __aicore__ void long_sum_end(GM_ADDR partial, GM_ADDR y, uint64_t cores) {
    LongSum sum;
    sum.Finish(cores, partial, y);
}
