// Bits of integers: counted, reversed, mixed, packed. The vector unit has And and Or of 16 bits, shifts of 16 and 32.
#include "elementwise.h"
using namespace library;
using Words = LocalTensor<uint32_t>;

__aicore__ inline LocalTensor<uint16_t> Halves(const Words& words) { return words.ReinterpretCast<uint16_t>(); }
__aicore__ inline LocalTensor<int32_t> Signed(const Words& words) { return words.ReinterpretCast<int32_t>(); }

template <uint32_t temporaries>
struct WordTiles {
    static constexpr uint32_t TEMPORARIES = temporaries;
    Words t[temporaries];
    __aicore__ inline void Prepare(Scratch& scratch, uint32_t tile) {
        for (auto& one : t) one = scratch.Take<uint32_t>(tile * WIDTH);
    }
    uint32_t WIDTH = 1;  // words of an item

    // to = from & mask
    __aicore__ inline void Mask(const Words& to, const Words& from, const Words& mask, uint32_t n) { And(Halves(to), Halves(from), Halves(mask), 2 * n); }
    // The bits of `mask` and those `by` above them change places.
    __aicore__ inline void Swap(const Words& to, const Words& from, uint32_t mask, uint32_t by, uint32_t n) {
        Duplicate(t[0], mask, n);
        ShiftRight(t[1], from, by, n);
        Mask(t[1], t[1], t[0], n);
        Mask(t[2], from, t[0], n);
        ShiftLeft(t[2], t[2], by, n);
        Or(Halves(to), Halves(t[1]), Halves(t[2]), 2 * n);
    }
};

// Sums of neighbours of 1, 2, 4, 8 and 16 bits.
struct Count : WordTiles<3> {
    __aicore__ inline void Sum(const Words& to, const Words& from, uint32_t mask, uint32_t by, uint32_t n) {
        Duplicate(t[0], mask, n);
        ShiftRight(t[1], from, by, n);
        Mask(t[1], t[1], t[0], n);
        Mask(t[2], from, t[0], n);
        Add(Signed(to), Signed(t[1]), Signed(t[2]), n);
    }
    __aicore__ inline void Words32(const Words& x, uint32_t n) {
        Sum(x, x, 0x55555555u, 1, n);
        Sum(x, x, 0x33333333u, 2, n);
        Sum(x, x, 0x0f0f0f0fu, 4, n);
        Sum(x, x, 0x00ff00ffu, 8, n);
        Sum(x, x, 0x0000ffffu, 16, n);
    }
    __aicore__ inline void Bytes(const LocalTensor<uint8_t>& y, const Words& counts, uint32_t n) {
        LocalTensor<float> numbers = t[0].ReinterpretCast<float>();
        LocalTensor<half> halves = t[1].ReinterpretCast<half>();
        Cast(numbers, Signed(counts), RoundMode::CAST_NONE, n);
        Cast(halves, numbers, RoundMode::CAST_NONE, n);
        Cast(y, halves, RoundMode::CAST_NONE, n);
    }
    __aicore__ inline void operator()(uint32_t n, const LocalTensor<uint8_t>& y, const Words& x) {
        Words32(x, n);
        Bytes(y, x, n);
    }
};
struct CountLong : Count {
    static constexpr uint32_t TEMPORARIES = 8;
    Words low, high;
    __aicore__ inline void Prepare(Scratch& scratch, uint32_t tile) {
        WIDTH = 2;
        Count::Prepare(scratch, tile);
        low = scratch.Take<uint32_t>(tile), high = scratch.Take<uint32_t>(tile);
    }
    __aicore__ inline void operator()(uint32_t n, const LocalTensor<uint8_t>& y, const Words& x) {
        Words32(x, 2 * n);
        Pick(low, x, 1, 2 * n);
        Pick(high, x, 2, 2 * n);
        Add(Signed(low), Signed(low), Signed(high), n);
        Bytes(y, low, n);
    }
};

struct Reverse : WordTiles<3> {
    __aicore__ inline void operator()(uint32_t n, const Words& y, const Words& x) {
        Swap(x, x, 0x55555555u, 1, n);
        Swap(x, x, 0x33333333u, 2, n);
        Swap(x, x, 0x0f0f0f0fu, 4, n);
        Swap(x, x, 0x00ff00ffu, 8, n);
        Swap(y, x, 0x0000ffffu, 16, n);
    }
};

// The finaliser of MurmurHash3: x ^= x >> 16, x *= 85ebca6b, x ^= x >> 13, x *= c2b2ae35, x ^= x >> 16.
struct Mix : WordTiles<8> {
    // a ^ b is what only one of them has.
    __aicore__ inline void ShiftedXor(const Words& x, uint32_t by, uint32_t n) {
        ShiftRight(t[0], x, by, n);
        Mask(t[1], x, t[0], n);
        Or(Halves(x), Halves(x), Halves(t[0]), 2 * n);
        Sub(Signed(x), Signed(x), Signed(t[1]), n);
    }
    __aicore__ inline void Byte(const Words& to, const Words& from, uint32_t i, uint32_t n) {
        ShiftLeft(to, from, 24 - 8 * i, n);
        ShiftRight(to, to, 24u, n);
    }
    // Column by column of bytes, so that no sum reaches 2^26: what an overflow gives is not documented.
    __aicore__ inline void Times(const Words& x, uint32_t m, uint32_t n) {
        const int32_t low = static_cast<int32_t>(m & 0xffff), high = static_cast<int32_t>(m >> 16);
        Words &sum = t[0], &part = t[1];
        for (uint32_t i = 0; i < 4; ++i) Byte(t[2 + i], x, i, n);
        for (uint32_t column = 0; column < 4; ++column) {
            Muls(Signed(part), Signed(t[2 + column]), low, n);
            if (column == 0) {
                Adds(Signed(sum), Signed(part), 0, n);
            } else {
                ShiftRight(sum, sum, 8u, n);
                Add(Signed(sum), Signed(sum), Signed(part), n);
            }
            if (column >= 2) {
                Muls(Signed(part), Signed(t[column]), high, n);
                Add(Signed(sum), Signed(sum), Signed(part), n);
            }
            ShiftLeft(part, sum, 24u, n);
            ShiftRight(part, part, 24 - 8 * column, n);
            if (column == 0) Adds(Signed(x), Signed(part), 0, n);
            else Or(Halves(x), Halves(x), Halves(part), 2 * n);
        }
    }
    __aicore__ inline void operator()(uint32_t n, const Words& y, const Words& x) {
        ShiftedXor(x, 16, n);
        Times(x, 0x85ebca6bu, n);
        ShiftedXor(x, 13, n);
        Times(x, 0xc2b2ae35u, n);
        ShiftedXor(x, 16, n);
        Adds(Signed(y), Signed(x), 0, n);
    }
};

// An item is a byte of bits and eight bytes of 0 and others. A comparison's bits are those of packing, the first the lowest;
// the other order turns each byte round, in pairs of bytes.
template <bool big>
struct Order {
    LocalTensor<uint16_t> t[3];
    __aicore__ inline void Prepare(Scratch& scratch, uint32_t tile) {
        for (auto& one : t) one = scratch.Take<uint16_t>(tile / 2);
    }
    __aicore__ inline void Swap(const LocalTensor<uint16_t>& x, uint16_t mask, uint16_t by, uint32_t n) {
        Duplicate(t[0], mask, n);
        ShiftRight(t[1], x, by, n);
        And(t[1], t[1], t[0], n);
        And(t[2], x, t[0], n);
        ShiftLeft(t[2], t[2], by, n);
        Or(x, t[1], t[2], n);
    }
    __aicore__ inline void Turn(const LocalTensor<uint8_t>& bytes, uint32_t n) {
        if constexpr (!big) return;
        LocalTensor<uint16_t> x = bytes.ReinterpretCast<uint16_t>();
        const uint32_t pairs = (n + 1) / 2;
        if (n % 2) bytes.SetValue(n, 0);
        Swap(x, 0x5555, 1, pairs);
        Swap(x, 0x3333, 2, pairs);
        Swap(x, 0x0f0f, 4, pairs);
    }
};
template <bool big>
struct Pack : Order<big> {
    static constexpr uint32_t TEMPORARIES = 5;
    LocalTensor<half> numbers;
    __aicore__ inline void Prepare(Scratch& scratch, uint32_t tile) {
        Order<big>::Prepare(scratch, tile);
        numbers = scratch.Take<half>(tile * 8);
    }
    __aicore__ inline void operator()(uint32_t n, const LocalTensor<uint8_t>& y, const LocalTensor<uint8_t>& x) {
        Cast(numbers, x, RoundMode::CAST_NONE, n * 8);
        CompareScalar(y, numbers, half(0), CMPMODE::NE, RoundUp(n * 8, 128));
        this->Turn(y, n);
    }
};
template <bool big>
struct Unpack : Order<big> {
    static constexpr uint32_t TEMPORARIES = 9;
    LocalTensor<half> numbers, ones;
    __aicore__ inline void Prepare(Scratch& scratch, uint32_t tile) {
        Order<big>::Prepare(scratch, tile);
        numbers = scratch.Take<half>(tile * 8), ones = scratch.Take<half>(tile * 8);
        Duplicate(ones, half(1), tile * 8);
    }
    __aicore__ inline void operator()(uint32_t n, const LocalTensor<uint8_t>& y, const LocalTensor<uint8_t>& x) {
        this->Turn(x, n);
        Select(numbers, x, ones, half(0), SELMODE::VSEL_TENSOR_SCALAR_MODE, n * 8);
        Cast(y, numbers, RoundMode::CAST_NONE, n * 8);
    }
};

LIBRARY_UNARY(bit_count_uint32, Count, Each<uint8_t>, Each<uint32_t>)
extern "C" __global__ __aicore__ void bit_count_uint64(GM_ADDR x, GM_ADDR y, uint64_t n) {
    CountLong body;
    Elementwise<CountLong, Each<uint8_t>, Each<uint32_t, 2>> loop;
    loop.Run(body, n, y, x);
}
LIBRARY_UNARY(bit_reverse, Reverse, Each<uint32_t>, Each<uint32_t>)
LIBRARY_UNARY(murmur_mix, Mix, Each<uint32_t>, Each<uint32_t>)
using Byte = Each<uint8_t>;
using Eight = Each<uint8_t, 8>;
LIBRARY_UNARY(pack_big, Pack<true>, Byte, Eight)
LIBRARY_UNARY(pack_little, Pack<false>, Byte, Eight)
LIBRARY_UNARY(unpack_big, Unpack<true>, Eight, Byte)
LIBRARY_UNARY(unpack_little, Unpack<false>, Eight, Byte)
