// Special functions and activations.
#include "elementwise.h"
using namespace library;

// Giles, "Approximating the erfinv function" (2010): polynomials in w = -log(1 - x^2), of w below 5 and of sqrt(w) above.
struct InverseErf : Tiles<3> {
    __aicore__ inline void operator()(uint32_t n, const LocalTensor<float>& y, const LocalTensor<float>& x) {
        LocalTensor<float>&w = t[0], &far = t[1], &v = t[2];
        Muls(w, x, -1.0f, n);
        Adds(w, w, 1.0f, n);
        Adds(v, x, 1.0f, n);
        Mul(w, w, v, n);
        Ln(w, w, n);
        Muls(w, w, -1.0f, n);
        Maxs(v, w, 0.0f, n);
        Sqrt(v, v, n);
        Adds(v, v, -3.0f, n);
        Polynomial(far, v, n, -0.000200214257f, 0.000100950558f, 0.00134934322f, -0.00367342844f, 0.00573950773f, -0.0076224613f,
                   0.00943887047f, 1.00167406f, 2.83297682f);
        Adds(v, w, -2.5f, n);
        Polynomial(y, v, n, 2.81022636e-08f, 3.43273939e-07f, -3.5233877e-06f, -4.39150654e-06f, 0.00021858087f, -0.00125372503f,
                   -0.00417768164f, 0.246640727f, 1.50140941f);
        Test(bits, w, 5.0f, CMPMODE::LT, n);
        Choose(y, bits, y, far, n);
        Duplicate(v, INFINITE, n);
        Abs(far, x, n);
        Test(bits, far, 1.0f, CMPMODE::NE, n);
        Choose(y, bits, y, v, n);
        Test(bits, far, 1.0f, CMPMODE::LE, n);
        Choose(y, bits, y, __builtin_nanf(""), n);
        Mul(y, y, x, n);
    }
};

// By recurrence to [1, 2], where a polynomial is near: a product of factors is exact to a rounding each, a power of e is not.
// Below 1/2 by reflection: gamma(x) gamma(1 - x) = pi / sin(pi x).
struct Gamma : Tiles<5> {
    __aicore__ inline void operator()(uint32_t n, const LocalTensor<float>& y, const LocalTensor<float>& x) {
        LocalTensor<float>&z = t[0], &product = t[1], &step = t[2], &whole = t[3], &one = t[4];
        Muls(z, x, -1.0f, n);
        Adds(z, z, 1.0f, n);
        Test(bits, x, 0.5f, CMPMODE::LT, n);
        Choose(z, bits, z, x, n);
        Mins(z, z, 40.0f, n);
        // z + k + 1 with z in [0, 1): factors (z + 1) to (z + k), and of an argument below 1 a quotient.
        Duplicate(product, 1.0f, n);
        Duplicate(one, 1.0f, n);
        for (int32_t k = 0; k < 39; ++k) {
            Test(bits, z, 2.0f, CMPMODE::GE, n);
            Adds(step, z, -1.0f, n);
            Choose(z, bits, step, z, n);
            Choose(step, bits, step, one, n);
            Mul(product, product, step, n);
        }
        Test(bits, z, 1.0f, CMPMODE::LT, n);
        Div(step, one, z, n);
        Choose(step, bits, step, one, n);
        Mul(product, product, step, n);
        Adds(step, z, 1.0f, n);
        Choose(z, bits, step, z, n);
        Adds(z, z, -1.5f, n);
        Polynomial(step, z, n, 0.0163458579f, -0.0237498186f, 0.0243812614f, -0.0362577205f, 0.0588059047f, -0.0777202849f,
                   0.14463365f, -0.107285821f, 0.414813708f, 0.0323382836f, 0.886226925f);
        Mul(product, product, step, n);
        // sin(pi x) of what is left of the nearest integer; odd integers turn the sign.
        Mins(whole, x, 1.0f, n);
        Cast(step, whole, RoundMode::CAST_RINT, n);
        Sub(whole, whole, step, n);
        Muls(step, step, 0.5f, n);
        Cast(z, step, RoundMode::CAST_FLOOR, n);
        Sub(step, step, z, n);
        Muls(step, step, -4.0f, n);
        Adds(step, step, 1.0f, n);  // 1 of an even integer, -1 of an odd one
        Mul(z, whole, whole, n);
        Polynomial(y, z, n, -0.00702838633f, 0.0820504018f, -0.599252198f, 2.55016332f, -5.16771276f, 3.14159265f);
        Mul(y, y, whole, n);
        Mul(y, y, step, n);
        Mul(y, y, product, n);
        Duplicate(one, 3.14159265358979f, n);
        Div(y, one, y, n);
        Test(bits, x, 0.5f, CMPMODE::LT, n);
        Choose(y, bits, y, product, n);
        // Where it has no value, or one that float has not.
        Test(bits, x, 35.05f, CMPMODE::GT, n);
        Duplicate(one, INFINITE, n);
        Choose(y, bits, one, y, n);
        Duplicate(one, 0.0f, n);
        Test(bits, whole, 0.0f, CMPMODE::NE, n);
        Choose(step, bits, one, __builtin_nanf(""), n);  // NaN of integers
        Test(bits, x, 0.0f, CMPMODE::LT, n);
        Choose(step, bits, step, one, n);
        Add(y, y, step, n);
        Test(bits, x, x, CMPMODE::EQ, n);
        Choose(y, bits, y, __builtin_nanf(""), n);
    }
};

struct LogGamma : Tiles<1> {
    __aicore__ inline void operator()(uint32_t n, const LocalTensor<float>& y, const LocalTensor<float>& x) { Lgamma(y, x, n); }
};
struct DiGamma : Tiles<1> {
    __aicore__ inline void operator()(uint32_t n, const LocalTensor<float>& y, const LocalTensor<float>& x) { Digamma(y, x, n); }
};

// gate * logistic(gate) * up
struct Swiglu : Tiles<1> {
    __aicore__ inline void operator()(uint32_t n, const LocalTensor<float>& y, const LocalTensor<float>& gate, const LocalTensor<float>& up) {
        Logistic(y, gate, t[0], n);
        Mul(y, y, gate, n);
        Mul(y, y, up, n);
    }
};
// x / 2 erfc(-x / sqrt(2)) times the other half.
struct Geglu : Tiles<1> {
    __aicore__ inline void operator()(uint32_t n, const LocalTensor<float>& y, const LocalTensor<float>& gate, const LocalTensor<float>& up) {
        Muls(t[0], gate, -0.707106781f, n);
        Erfc(y, t[0], n);
        Mul(y, y, gate, n);
        Muls(y, y, 0.5f, n);
        Mul(y, y, up, n);
    }
};
// x / 2 (1 + tanh(u)) is x logistic(2 u), u = sqrt(2 / pi) (x + 0.044715 x^3)
struct GeluTanh : Tiles<2> {
    __aicore__ inline void operator()(uint32_t n, const LocalTensor<float>& y, const LocalTensor<float>& x) {
        Mul(t[0], x, x, n);
        Muls(t[0], t[0], 0.0713548163f, n);
        Adds(t[0], t[0], 1.5957691216f, n);
        Mul(t[0], t[0], x, n);
        Logistic(y, t[0], t[1], n);
        Mul(y, y, x, n);
    }
};

#define EACH(name, Body) \
    LIBRARY_UNARY(name##_float32, Body, Each<float>, Each<float>) \
    LIBRARY_UNARY(name##_float16, Body, Each<half>, Each<half>)
#define EACH_PAIR(name, Body) \
    LIBRARY_BINARY(name##_float32, Body, Each<float>, Each<float>) \
    LIBRARY_BINARY(name##_float16, Body, Each<half>, Each<half>)
EACH(erfinv, InverseErf)
EACH(gamma, Gamma)
EACH(lgamma, LogGamma)
EACH(digamma, DiGamma)
EACH(gelu_tanh, GeluTanh)
EACH_PAIR(swiglu, Swiglu)
EACH_PAIR(geglu, Geglu)
