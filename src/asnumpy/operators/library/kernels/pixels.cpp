// Pixels one by one. Colours are items of three floats, taken apart and joined by gathers.
#include "elementwise.h"
using namespace library;

struct Channels {
    static constexpr uint32_t TEMPORARIES = 13;
    uint32_t tile = 0;
    LocalTensor<uint32_t> apart, joined;
    LocalTensor<float> in[3], out, p, q, r;  // `out`: three planes
    Bits bits;
    __aicore__ inline void Prepare(Scratch& scratch, uint32_t items) {
        tile = items;
        apart = scratch.Take<uint32_t>(items), joined = scratch.Take<uint32_t>(3 * items);
        for (auto& one : in) one = scratch.Take(items);
        out = scratch.Take(3 * items);
        p = scratch.Take(items), q = scratch.Take(items), r = scratch.Take(items);
        bits = scratch.Take<uint8_t>(items / 8);
        LocalTensor<int32_t> numbers = apart.ReinterpretCast<int32_t>(), places = joined.ReinterpretCast<int32_t>();
        CreateVecIndex(numbers, 0, items);
        Muls(numbers, numbers, 12, items);
        // Element i is channel i % 3 of item i / 3: a quotient of floats is exact enough where a half is added.
        LocalTensor<float> thirds = out;
        LocalTensor<int32_t> items_of = out.ReinterpretCast<int32_t>();
        CreateVecIndex(places, 0, 3 * items);
        Cast(thirds, places, RoundMode::CAST_NONE, 3 * items);
        Adds(thirds, thirds, 0.5f, 3 * items);
        Muls(thirds, thirds, 1.0f / 3, 3 * items);
        Cast(items_of, thirds, RoundMode::CAST_FLOOR, 3 * items);
        Muls(places, places, static_cast<int32_t>(4 * items), 3 * items);
        Muls(items_of, items_of, static_cast<int32_t>(4 - 12 * items), 3 * items);
        Add(places, places, items_of, 3 * items);
    }
    __aicore__ inline LocalTensor<float> Out(uint32_t channel) { return out[channel * tile]; }
    __aicore__ inline void Split(const LocalTensor<float>& from, uint32_t n) {
        for (uint32_t channel = 0; channel < 3; ++channel) Gather(in[channel], from, apart, 4 * channel, n);
    }
    __aicore__ inline void Join(const LocalTensor<float>& to, uint32_t n) { Gather(to, out, joined, 0u, 3 * n); }
    // to = x - floor(x)
    __aicore__ inline void Fraction(const LocalTensor<float>& to, const LocalTensor<float>& x, const LocalTensor<float>& whole, uint32_t n) {
        Cast(whole, x, RoundMode::CAST_FLOOR, n);
        Sub(to, x, whole, n);
    }
};

struct ToHsv : Channels {
    __aicore__ inline void operator()(uint32_t n, const LocalTensor<float>& y, const LocalTensor<float>& x) {
        Split(x, n);
        LocalTensor<float> hue = Out(0), saturation = Out(1), value = Out(2);
        Max(value, in[0], in[1], n);
        Max(value, value, in[2], n);
        Min(p, in[0], in[1], n);
        Min(p, p, in[2], n);
        Sub(p, value, p, n);  // the range
        Div(saturation, p, value, n);
        Test(bits, value, 0.0f, CMPMODE::NE, n);
        Choose(saturation, bits, saturation, 0.0f, n);
        Part(hue, in[1], in[2], 0.0f, n);
        Part(q, in[2], in[0], 2.0f, n);
        Test(bits, value, in[1], CMPMODE::EQ, n);
        Choose(hue, bits, q, hue, n);
        Part(q, in[0], in[1], 4.0f, n);
        Test(bits, value, in[2], CMPMODE::EQ, n);
        Choose(hue, bits, q, hue, n);
        Muls(hue, hue, 1.0f / 6, n);
        Fraction(hue, hue, q, n);
        Test(bits, p, 0.0f, CMPMODE::NE, n);
        Choose(hue, bits, hue, 0.0f, n);
        Join(y, n);
    }
    // (a - b) / range + turn
    __aicore__ inline void Part(const LocalTensor<float>& to, const LocalTensor<float>& a, const LocalTensor<float>& b, float turn, uint32_t n) {
        Sub(to, a, b, n);
        Div(to, to, p, n);
        Adds(to, to, turn, n);
    }
};

// Channel c is value - value * saturation * clamp(min(k, 4 - k), 0, 1), k = (5 - 2 c + 6 hue) mod 6.
struct ToRgb : Channels {
    __aicore__ inline void operator()(uint32_t n, const LocalTensor<float>& y, const LocalTensor<float>& x) {
        Split(x, n);
        Mul(r, in[1], in[2], n);
        for (int32_t channel = 0; channel < 3; ++channel) {
            LocalTensor<float> to = Out(channel);
            Adds(p, in[0], static_cast<float>(5 - 2 * channel) / 6, n);
            Fraction(p, p, q, n);
            Muls(p, p, 6.0f, n);
            Muls(q, p, -1.0f, n);
            Adds(q, q, 4.0f, n);
            Min(p, p, q, n);
            Mins(p, p, 1.0f, n);
            Maxs(p, p, 0.0f, n);
            Mul(p, p, r, n);
            Sub(to, in[2], p, n);
        }
        Join(y, n);
    }
};

// 0 below both limits, 1 between them, 2 from the upper one on.
struct Levels {
    static constexpr uint32_t TEMPORARIES = 5;
    LocalTensor<float> one, sum, low_tile;
    LocalTensor<half> narrow;
    Bits bits;
    float low, high;
    __aicore__ inline void Prepare(Scratch& scratch, uint32_t items) {
        one = scratch.Take(items), sum = scratch.Take(items), low_tile = scratch.Take(items);
        narrow = scratch.Take<half>(items);
        bits = scratch.Take<uint8_t>(items / 8);
        Duplicate(one, 1.0f, items);
    }
    __aicore__ inline void operator()(uint32_t n, const LocalTensor<uint8_t>& y, const LocalTensor<float>& x) {
        Test(bits, x, low, CMPMODE::GE, n);
        Choose(low_tile, bits, one, 0.0f, n);
        Test(bits, x, high, CMPMODE::GE, n);
        Choose(sum, bits, one, 0.0f, n);
        Add(sum, sum, low_tile, n);
        Cast(narrow, sum, RoundMode::CAST_NONE, n);
        Cast(y, narrow, RoundMode::CAST_NONE, n);
    }
};

using Colour = Each<float, 3>;
LIBRARY_UNARY(rgb_to_hsv, ToHsv, Colour, Colour)
LIBRARY_UNARY(hsv_to_rgb, ToRgb, Colour, Colour)
extern "C" __global__ __aicore__ void levels(GM_ADDR x, GM_ADDR y, uint64_t n, float low, float high) {
    Levels body;
    body.low = low, body.high = high;
    Elementwise<Levels, Each<uint8_t>, Each<float>> loop;
    loop.Run(body, n, y, x);
}
