// Activations of neural networks, element by element.
#pragma once

#include "ascendc/library/functions.hpp"

namespace ascendc {

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
// x times the normal distribution function, by its tanh form, as the device computes it.
inline double gelu(double x) { return x * sigmoid(2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)); }
inline double fast_gelu(double x) { return x * sigmoid(1.702 * x); }

}  // namespace ascendc

namespace AscendC {

#define ASCENDC_ACTIVATION(Name, parameters, expression)                                                                           \
    template <class T, bool... parameters>                                                                                         \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint8_t>& scratch,                      \
              const std::uint32_t count, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                            \
        ascendc::function<T, false>(#Name, dst, src, &scratch, count, [](double x) { return expression; }, where);                 \
    }                                                                                                                              \
    template <class T, bool... parameters>                                                                                         \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t count,                                     \
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                                       \
        ascendc::function<T, false>(#Name, dst, src, nullptr, count, [](double x) { return expression; }, where);                  \
    }
ASCENDC_ACTIVATION(Gelu, options, ascendc::gelu(x))
ASCENDC_ACTIVATION(FasterGelu, options, ascendc::fast_gelu(x))
ASCENDC_ACTIVATION(FasterGeluV2, options, ascendc::fast_gelu(x))
ASCENDC_ACTIVATION(Silu, options, x * ascendc::sigmoid(x))
#undef ASCENDC_ACTIVATION

// x / (1 + e^(-beta x))
template <class T, bool isReuseSource = false>
void Swish(const LocalTensor<T>& dst, const LocalTensor<T>& src, std::uint32_t count, const T scalar,
           ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    const double beta = static_cast<float>(scalar);
    ascendc::function<T, isReuseSource>("Swish", dst, src, nullptr, count, [beta](double x) { return x * ascendc::sigmoid(beta * x); }, where);
}

// src0 times an activation of src1.
template <class T, bool isReuseSource = false>
void SwiGLU(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const float& beta,
            const LocalTensor<std::uint8_t>& scratch, std::uint32_t count, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    const double factor = beta;
    ascendc::function_of_two("SwiGLU", dst, src0, src1, &scratch, count,
                             [factor](double a, double b) { return a * b * ascendc::sigmoid(factor * b); }, where);
}
template <class T, bool isReuseSource = false>
void SwiGLU(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const float& beta, std::uint32_t count,
            ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    const double factor = beta;
    ascendc::function_of_two("SwiGLU", dst, src0, src1, nullptr, count,
                             [factor](double a, double b) { return a * b * ascendc::sigmoid(factor * b); }, where);
}

#define ASCENDC_GATED(Name, expression)                                                                                            \
    template <class T, bool isReuseSource = false>                                                                                 \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                                   \
              const LocalTensor<std::uint8_t>& scratch, std::uint32_t count,                                                       \
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                                       \
        ascendc::function_of_two(#Name, dst, src0, src1, &scratch, count, [](double a, double b) { return expression; }, where);   \
    }                                                                                                                              \
    template <class T, bool isReuseSource = false>                                                                                 \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, std::uint32_t count,              \
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {                                                       \
        ascendc::function_of_two(#Name, dst, src0, src1, nullptr, count, [](double a, double b) { return expression; }, where);    \
    }
ASCENDC_GATED(GeGLU, a * ascendc::gelu(b))
ASCENDC_GATED(ReGlu, a * (b > 0 ? b : b != b ? b : 0))
#undef ASCENDC_GATED

}  // namespace AscendC
