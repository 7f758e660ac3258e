// Complex numbers: pairs of floats, which are taken apart by the unit's patterns and joined by a gather.
#include "elementwise.h"
using namespace library;

// Planes of a tile of complex numbers, and the way back.
struct Planes {
    LocalTensor<uint32_t> places;
    uint32_t tile = 0;
    __aicore__ inline void Prepare(Scratch& scratch, uint32_t items) {
        tile = items;
        places = scratch.Take<uint32_t>(2 * items);
        LocalTensor<int32_t> numbers = places.ReinterpretCast<int32_t>(), temporary = scratch.Take<int32_t>(2 * items);
        // 4 (i / 2) + (i % 2) 4 tile, where i % 2 is i - 2 (i / 2)
        CreateVecIndex(numbers, 0, 2 * items);
        ShiftRight(temporary, numbers, 1, 2 * items);
        Muls(numbers, numbers, static_cast<int32_t>(4 * items), 2 * items);
        Muls(temporary, temporary, static_cast<int32_t>(4 - 8 * items), 2 * items);
        Add(numbers, numbers, temporary, 2 * items);
    }
    __aicore__ inline void Split(const LocalTensor<float>& re, const LocalTensor<float>& im, const LocalTensor<float>& from, uint32_t n) {
        Pick(re, from, 1, 2 * n);
        Pick(im, from, 2, 2 * n);
    }
    // `both`: the real plane and a tile behind it the imaginary one.
    __aicore__ inline void Join(const LocalTensor<float>& to, const LocalTensor<float>& both, uint32_t n) { Gather(to, both, places, 0u, 2 * n); }
};

struct Multiply : Planes {
    static constexpr uint32_t TEMPORARIES = 11;
    LocalTensor<float> a, b, c, d, both;
    __aicore__ inline void Prepare(Scratch& scratch, uint32_t items) {
        Planes::Prepare(scratch, items);
        a = scratch.Take(items), b = scratch.Take(items), c = scratch.Take(items), d = scratch.Take(items);
        both = scratch.Take(2 * items);
    }
    __aicore__ inline void operator()(uint32_t n, const LocalTensor<float>& z, const LocalTensor<float>& x, const LocalTensor<float>& y) {
        Split(a, b, x, n);
        Split(c, d, y, n);
        LocalTensor<float> im = both[tile];
        Mul(both, a, c, n);
        Mul(im, b, d, n);
        Sub(both, both, im, n);
        Mul(a, a, d, n);
        Mul(b, b, c, n);
        Add(im, a, b, n);
        Join(z, both, n);
    }
};

// By the quotient of the divisor's smaller part and its larger one (Smith, 1962), as NumPy does: nothing overflows on the way.
struct Divide : Planes {
    static constexpr uint32_t TEMPORARIES = 14;
    LocalTensor<float> a, b, c, d, r, u, w, both;
    Bits swapped;
    __aicore__ inline void Prepare(Scratch& scratch, uint32_t items) {
        Planes::Prepare(scratch, items);
        a = scratch.Take(items), b = scratch.Take(items), c = scratch.Take(items), d = scratch.Take(items);
        r = scratch.Take(items), u = scratch.Take(items), w = scratch.Take(items);
        both = scratch.Take(2 * items);
        swapped = scratch.Take<uint8_t>(items / 8);
    }
    __aicore__ inline void operator()(uint32_t n, const LocalTensor<float>& z, const LocalTensor<float>& x, const LocalTensor<float>& y) {
        Split(a, b, x, n);
        Split(c, d, y, n);
        LocalTensor<float> im = both[tile];
        Abs(u, c, n);
        Abs(w, d, n);
        Test(swapped, u, w, CMPMODE::LT, n);
        Choose(u, swapped, b, a, n);
        Choose(w, swapped, a, b, n);
        Choose(both, swapped, d, c, n);  // the larger part
        Choose(im, swapped, c, d, n);
        Div(r, im, both, n);
        Mul(im, im, r, n);
        Add(c, both, im, n);  // what both parts are divided by: by one reciprocal, as NumPy does it
        Duplicate(d, 1.0f, n);
        Div(c, d, c, n);
        Mul(d, w, r, n);
        Add(both, u, d, n);
        Mul(both, both, c, n);
        Mul(d, u, r, n);
        Sub(im, w, d, n);
        Mul(im, im, c, n);
        Muls(d, im, -1.0f, n);
        Choose(im, swapped, d, im, n);
        // By zero as real numbers are: infinities and NaN.
        Split(u, w, y, n);
        Abs(u, u, n);
        Abs(w, w, n);
        Max(u, u, w, n);
        Test(swapped, u, 0.0f, CMPMODE::NE, n);
        Duplicate(c, 0.0f, n);
        Div(a, a, c, n);
        Div(b, b, c, n);
        Choose(both, swapped, both, a, n);
        Choose(im, swapped, im, b, n);
        Join(z, both, n);
    }
};

// e^a (cos b, sin b)
struct PowerOfE : Planes {
    static constexpr uint32_t TEMPORARIES = 9;
    LocalTensor<float> a, b, both;
    __aicore__ inline void Prepare(Scratch& scratch, uint32_t items) {
        Planes::Prepare(scratch, items);
        a = scratch.Take(items), b = scratch.Take(items), both = scratch.Take(2 * items);
    }
    __aicore__ inline void operator()(uint32_t n, const LocalTensor<float>& z, const LocalTensor<float>& x) {
        Split(a, b, x, n);
        LocalTensor<float> im = both[tile];
        Exp(a, a, n);
        Cos(both, b, n);
        Sin(im, b, n);
        Mul(both, both, a, n);
        Mul(im, im, a, n);
        Join(z, both, n);
    }
};

// The larger part times sqrt(1 + q^2), q the quotient of the parts: nothing overflows on the way.
struct Absolute {
    static constexpr uint32_t TEMPORARIES = 4;
    LocalTensor<float> a, b, q;
    Bits bits;
    __aicore__ inline void Prepare(Scratch& scratch, uint32_t items) {
        a = scratch.Take(items), b = scratch.Take(items), q = scratch.Take(items);
        bits = scratch.Take<uint8_t>(items / 8);
    }
    __aicore__ inline void operator()(uint32_t n, const LocalTensor<float>& y, const LocalTensor<float>& x) {
        Abs(x, x, 2 * n);
        Pick(a, x, 1, 2 * n);
        Pick(b, x, 2, 2 * n);
        Max(y, a, b, n);
        Min(q, a, b, n);
        Div(q, q, y, n);
        Mul(q, q, q, n);
        Adds(q, q, 1.0f, n);
        Sqrt(q, q, n);
        Mul(q, q, y, n);
        // Of zeros 0, and infinity whatever the other part is.
        Test(bits, y, 0.0f, CMPMODE::NE, n);
        Choose(q, bits, q, 0.0f, n);
        Test(bits, a, INFINITE, CMPMODE::NE, n);
        Choose(q, bits, q, INFINITE, n);
        Test(bits, b, INFINITE, CMPMODE::NE, n);
        Choose(y, bits, q, INFINITE, n);
    }
};

using Complex = Each<float, 2>;
LIBRARY_BINARY(complex_multiply, Multiply, Complex, Complex)
LIBRARY_BINARY(complex_divide, Divide, Complex, Complex)
LIBRARY_UNARY(complex_exp, PowerOfE, Complex, Complex)
LIBRARY_UNARY(complex_absolute, Absolute, Each<float>, Complex)
